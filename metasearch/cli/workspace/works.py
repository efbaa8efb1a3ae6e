"""`metasearch works`: the works of a project, and what is decided about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.works_decide import mark, note, pin, pins, tag, unpin
from metasearch.cli.workspace.works_files import export, import_
from metasearch.cli.workspace.works_filters import query_of, works_filters
from metasearch.cli.workspace.works_screening import agreement, conflicts

if TYPE_CHECKING:
    from metasearch.workspace.works.listing import WorksPage
    from metasearch.workspace.works.works import Finding, Work

#: Works of a page, and facets that a table shows.
PAGE = 20
_WIDTH = 60
#: Values of a facet in a line.
_VALUES = 8


@click.group(
    cls=CommandGroup,
    short_help="List works, decide about them, exchange them.",
    examples=(
        ("metasearch works list --verdict undecided --text debt", "what is still to be screened"),
        ("metasearch works show k3v9x2m7q4td", "one work: who found it, what was decided"),
        ("metasearch works mark excluded k3v9x2m7q4td --reason population", "a decision"),
        (
            "metasearch works mark excluded --all-matching --text rats",
            "about all works that a list shows",
        ),
        ("metasearch works export -f ris -o screening.ris --verdict undecided", "for screening"),
        ("metasearch works import screening.csv", "the decisions that a screening tool exports"),
    ),
)
def works() -> None:
    """List the works of a project, decide about them, and exchange them with other programs."""


@works.command("list", short_help="List works.")
@works_filters
@click.option(
    "-n",
    "--limit",
    "count",
    type=click.IntRange(0, 500),
    default=PAGE,
    show_default=True,
    metavar="N",
    help="At most N works.",
)
@click.option("--start", type=click.IntRange(0), default=0, metavar="N", help="Skip N works.")
@click.option("--facets", is_flag=True, help="Count the works by verdict, tag, source, year ...")
@in_project
def list_(call: Call, /, *, count: int, start: int, facets: bool, **options: Any) -> int:
    """List the works that the options choose. Exit code 1: there are none."""
    from dataclasses import replace

    from metasearch.workspace import objects
    from metasearch.workspace.works import listing

    query = replace(query_of(options), start=start, count=count)
    shown = listing.FACETS if facets or call.json else ()
    with call.open() as db:
        page = listing.page(db, call.project(db), query, facets=shown)
    call.answer(objects.works_page(page), _lines(page, facets=facets))
    end = start + len(page.works)
    if page.works and end < page.total:
        call.tell(f"{start + 1:,} to {end:,} of {page.total:,} works; --start {end} shows the next")
    elif not page.works:
        call.tell(
            f"there are {page.total:,} works, none after --start {start}"
            if page.total
            else "no work is like that"
        )
    return Exit.OK if page.total else Exit.NO_HITS


def _lines(page: WorksPage, *, facets: bool) -> Iterator[str]:
    from metasearch.cli.terminal.columns import columns

    if page.works:
        rows: list[tuple[str, ...]] = [("id", "year", "author", "title", "decided", "sources")]
        rows += [
            (
                work.uid,
                str(work.year or ""),
                work.author[:20],
                work.title[:_WIDTH] + ("…" if len(work.title) > _WIDTH else ""),
                _decided(work),
                str(len(work.sources)),
            )
            for work in page.works
        ]
        yield from columns(rows)
    if facets:
        yield ""
        for facet in page.facets:
            values = " · ".join(
                f"{value.value or 'none'} {value.count:,}" for value in facet.values[:_VALUES]
            )
            more = facet.more + max(0, len(facet.values) - _VALUES)
            yield f"{facet.name}: {values}{f' and {more} more' if more else ''}"


def _decided(work: Work) -> str:
    marks = [
        f"{stage}: {decision.verdict}" if stage != "title" else decision.verdict
        for stage, decision in work.decisions.items()
    ]
    return ", ".join(marks)


@works.command("show", short_help="Show one work.")
@click.argument("name", metavar="ID")
@in_project
def show(call: Call, /, *, name: str) -> int:
    """Show a work: what is known of it, what was decided, which run, step and source found it. ID
    is its id, an earlier one, a DOI, "pmid:1", or the key of a record, "source:id".
    """
    from metasearch.workspace import objects
    from metasearch.workspace.works import works as one

    with call.open() as db:
        work = one.find(db, call.project(db), name)
        findings = one.found_by(db, work)
    call.answer(objects.work(work, findings), _whole(work, findings))
    return Exit.OK


def _whole(work: Work, findings: list[Finding]) -> Iterator[str]:
    authors = "; ".join(author.name for author in work.hit.record.authors[:10])
    rows = (
        ("id", work.uid),
        ("title", work.title),
        ("authors", authors),
        ("year", str(work.year or "")),
        ("venue", work.venue),
        ("type", work.type),
        ("doi", work.doi),
        ("retracted", "yes" if work.retracted else ""),
        ("tags", ", ".join(work.tags)),
        ("note", work.note),
        *(
            (
                stage,
                ", ".join(filter(None, (decision.verdict, decision.reason, decision.at))),
            )
            for stage, decision in work.decisions.items()
        ),
    )
    for label, value in rows:
        if value:
            yield f"{label:<10}{value}"
    for found in findings:
        place = f", place {found.position}" if found.position else ""
        yield f"found     run {found.run}, #{found.step}, {found.source}{place}, {found.asked_at}"
    if work.hit.record.abstract:
        yield ""
        yield work.hit.record.abstract


for _command in (mark, tag, note, export, import_, pin, unpin, pins, conflicts, agreement):
    works.add_command(_command)
