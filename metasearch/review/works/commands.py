"""`metasearch works`: lists works, decides about them, exports and imports them.

`metasearch works mark|tag|note|pin|unpin|pins`: what people decide about works.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.options import FORMAT_NAMES, has_bom
from metasearch.cli.output import Exit, Sink, columns, quantity
from metasearch.errors import UsageError
from metasearch.formats import WRITABLE
from metasearch.formats.citations import DEFAULT_STYLE, STYLES
from metasearch.message import message
from metasearch.review.commands import (
    Call,
    in_project,
    output_option,
    part_options,
    query_of,
    stage_option,
    uids_of,
    works_choice,
    works_filters,
)
from metasearch.review.screening.commands import agreement, conflicts, uid_of

if TYPE_CHECKING:
    from metasearch.review.works.decisions import ChangeResult
    from metasearch.review.works.groups import WorkChanges
    from metasearch.review.works.lists import WorksPage
    from metasearch.review.works.works import CitationLink, Finding, Stage, Verdict, Work


#: As `metasearch.review.works.works.VERDICTS`, and what takes a decision back.
_UNDECIDED = "undecided"
VERDICTS = ("relevant", "maybe", "close", "excluded", "unavailable", _UNDECIDED)


@click.command(
    "mark",
    cls=ExampleCommand,
    short_help="Decide about works.",
    examples=(
        ("metasearch works mark relevant k3v9x2m7q4td 10.1000/abc", "two works, by id and DOI"),
        (
            "metasearch works mark excluded --all-matching --text rats --reason population",
            "all that this list shows",
        ),
        (
            "metasearch works mark unavailable pmid:1 --stage fulltext",
            "its whole text could not be had",
        ),
        ("metasearch works mark undecided k3v9x2m7q4td", "take a decision back"),
        ("metasearch works mark relevant k3v9x2m7q4td --by ann", "a vote of the screener ann"),
    ),
)
@click.argument("decision", metavar="VERDICT", type=click.Choice(VERDICTS))
@works_choice
@click.option("--reason", default="", metavar="TEXT", help="Why; reports count reasons.")
@click.option(
    "--by",
    metavar="NAME",
    help="Decide for this user: a vote, where they screen the stage in a team.",
)
@in_project
def mark(
    call: Call,
    /,
    *,
    decision: str,
    ids: tuple[str, ...],
    stage: Stage,
    reason: str,
    by: str | None,
    **options: Any,
) -> int:
    """Decide that works are relevant, maybe (a review's titles alone), close (closely related),
    excluded, or unavailable; undecided takes it back. --stage is that of the decision, and of
    --verdict. `project undo` undoes it. Exit code 1: no work was chosen.

    IDs are any names of works: ids, DOIs, "pmid:1", "source:id"; "-" reads them from standard
    input.
    """
    from metasearch.review.works import decisions

    with call.open() as db:
        project = call.project(db)
        with db.transaction():
            uids = uids_of(project, ids, options | {"stage": stage})
            decided = None if decision == _UNDECIDED else cast("Verdict", decision)
            made = decisions.mark(
                project.as_user(uid_of(db, by)), uids, decided, stage=stage, reason=reason
            )
    return _tell_changes(call, made, f"marked as {decision}")


@click.command(
    "tag",
    cls=ExampleCommand,
    short_help="Give works tags, or take tags from them.",
    examples=(("metasearch works tag k3v9x2m7q4td --add to-read --remove later", "one work"),),
)
@works_choice
@click.option("--add", multiple=True, metavar="TEXT", help="Add this tag. May be repeated.")
@click.option("--remove", multiple=True, metavar="TEXT", help="Remove it. May be repeated.")
@in_project
def tag(
    call: Call,
    /,
    *,
    ids: tuple[str, ...],
    add: tuple[str, ...],
    remove: tuple[str, ...],
    **options: Any,
) -> int:
    """Give works tags, and take tags from them. Exit code 1: no work was chosen."""
    from metasearch.review.works import decisions

    if not add and not remove:
        raise UsageError(
            message("no tag is named"), advice=message("Name one with --add or --remove.")
        )
    with call.open() as db:
        project = call.project(db)
        with db.transaction():
            uids = uids_of(project, ids, options)
            made = decisions.tag(project, uids, add=add, remove=remove)
    return _tell_changes(call, made, "tagged")


@click.command("note", cls=ExampleCommand, short_help="Write a note on a work.")
@click.argument("name", metavar="ID")
@click.argument("text")
@in_project
def note(call: Call, /, *, name: str, text: str) -> int:
    """Write a note on a work, in place of the one before; an empty TEXT removes it."""
    from metasearch.review.works import decisions

    with call.open() as db:
        made = decisions.set_note(call.project(db), name, text)
    return _tell_changes(call, made, "noted")


def _tell_changes(call: Call, made: ChangeResult, what: str) -> Exit:
    call.answer(asdict(made), ())
    undo = f"; `metasearch project undo {made.change}` undoes it" if made.change else ""
    same = f", {made.unchanged:,} were so already" if made.unchanged else ""
    call.tell(f"{quantity(made.works, 'work')} {what}{same}{undo}")
    return Exit.OK if made.works or made.unchanged else Exit.NO_HITS


@click.command(
    "pin",
    cls=ExampleCommand,
    short_help="Say that two works are the same, or different.",
    examples=(
        ("metasearch works pin same k3v9x2m7q4td 10.1000/abc", "two works that are one"),
        (
            "metasearch works pin different pubmed:1 crossref:10.1000/abc",
            "two records that are not the same work",
        ),
    ),
)
@click.argument("verdict", type=click.Choice(("same", "different")))
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@click.option("--note", default="", metavar="TEXT", help="Why.")
@in_project
def pin(
    call: Call,
    /,
    *,
    verdict: Literal["same", "different"],
    first: str,
    second: str,
    note: str,
) -> int:
    """Say of two works, or two records, that they are the same work, or different ones. It comes
    before every rule, now and in later runs.
    """
    from metasearch.review.works import pins

    with call.open() as db:
        made = pins.pin(call.project(db), verdict, first, second, note=note)
    return _tell_works(call, made)


@click.command("unpin", cls=ExampleCommand, short_help="Remove a pin.")
@click.argument("number", type=int)
@in_project
def unpin(call: Call, /, *, number: int) -> int:
    """Remove the pin with this NUMBER of the list; the works are made anew without it."""
    from metasearch.review.works import pins

    with call.open() as db:
        made = pins.unpin(call.project(db), number)
    return _tell_works(call, made)


@click.command("pins", cls=ExampleCommand, short_help="List the pins of the project.")
@in_project
def pins(call: Call, /) -> int:
    """List what was said to be the same or different, the oldest first."""
    from metasearch.review.works import pins as kept

    with call.open() as db:
        listed = kept.of(call.project(db))
    call.table(
        [asdict(each) for each in listed],
        ("", "", "record", "record", "when", "note"),
        [(str(each.id), each.verdict, each.a, each.b, each.at, each.note) for each in listed],
    )
    return Exit.OK


def _tell_works(call: Call, made: WorkChanges) -> Exit:
    from metasearch.review import objects

    call.answer(objects.work_changes(made), ())
    for kept, was in made.joined:
        call.tell(f"{was} is a part of {kept} now")
    for work, part in made.divided:
        call.tell(f"{part} is divided from {work}")
    for uid in made.conflicts:
        call.tell(f"decisions about {uid} contradict one another; look at it", "yellow")
    if not made.joined and not made.divided:
        call.tell("the works stay as they are")
    return Exit.OK


# `metasearch works export|import`: works for other programs, and their decisions back.

#: As `metasearch.review.works.export.EXPORTS`, which help need not load.
TOOLS = ("asreview", "rayyan", "covidence", "eppi")
EXPORTS = (*(name for name in FORMAT_NAMES if name != "table"), *TOOLS)
#: Lines that are shown of those from which nothing came.
_SHOWN = 10


@click.command(
    "export",
    cls=ExampleCommand,
    short_help="Write works for other programs.",
    examples=(
        ("metasearch works export -o screening.ris --verdict undecided", "for a screening tool"),
        ("metasearch works export -f asreview -o asreview.csv", "for ASReview"),
        (
            "metasearch works export -o included.bib --stage fulltext --verdict relevant",
            "what the review includes",
        ),
    ),
)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@works_filters
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(EXPORTS),
    metavar="NAME",
    help=f"The format, or the screening tool ({', '.join(TOOLS)}); without it the ending of FILE "
    "decides, else ris.",
)
@output_option()
@click.option(
    "--bom/--no-bom", default=None, help="Begin CSV with a byte order mark, for Excel, or not."
)
@click.option(
    "--style",
    type=click.Choice(tuple(STYLES)),
    default=DEFAULT_STYLE,
    help="The style of --format citations.",
)
@in_project
def export(
    call: Call,
    /,
    *,
    ids: tuple[str, ...],
    format_: str | None,
    output: Path | None,
    bom: bool | None,
    style: str,
    **options: Any,
) -> int:
    """Write all works of the project, those that the options choose, or those with these IDs. Each
    names its id, by which `works import` finds it again.
    """
    from metasearch.review.works.export import export as exported

    stage = cast("Stage", options["stage"])
    query = query_of(options)
    named = format_ or _format_of(output)
    size = 0
    with call.open() as db:
        project = call.project(db)
        with db.snapshot(), Sink(output) as sink:
            for part in exported(
                project, ids or query, named, stage=stage, style=style, bom=has_bom(bom, output)
            ):
                size += len(part)
                sink.write(part)
    if output is not None:
        call.answer({"file": str(output), "format": named, "bytes": size}, ())
        call.tell(f"{output}: {quantity(size, 'byte')} as {named}")
    return Exit.OK


def _format_of(output: Path | None) -> str:
    """The format that the ending of a file chooses. Raises UsageError: None has it."""
    if output is None or not output.suffix:
        return "ris"
    ending = output.suffix.lower().lstrip(".")
    for name in EXPORTS:
        if name in WRITABLE and WRITABLE[name].extension == ending:
            return name
    raise UsageError(
        message("no format has files that end in .{ending}", ending=ending),
        advice=message("Choose one with --format."),
    )


@click.command(
    "import",
    cls=ExampleCommand,
    short_help="Import decisions from a screening tool.",
    examples=(
        ("metasearch works import screening.csv", "a table with metasearch_id and included"),
        (
            "metasearch works import included.ris --verdict relevant --stage fulltext",
            "a file of what was included",
        ),
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@stage_option("For which the decisions are: title and abstract, or the whole text.")
@click.option(
    "--verdict",
    type=click.Choice(VERDICTS[:-1]),
    help="What is decided on all works of FILE, where it says nothing itself.",
)
@click.option("--reason", default="", metavar="TEXT", help="The reason for --verdict.")
@click.option("--encoding", metavar="NAME", help="The encoding of FILE, instead of detecting it.")
@in_project
def import_(
    call: Call,
    /,
    *,
    file: Path,
    stage: Stage,
    verdict: Verdict | None,
    reason: str,
    encoding: str | None,
) -> int:
    """Import decisions that were made in ASReview, Rayyan, Covidence, EPPI-Reviewer, or a table.
    Works are found by their id, DOI or PMID, else by title, author and year. All is one change,
    which `project undo` undoes. Exit code 3: nothing came of some lines.
    """
    from metasearch import regular_files
    from metasearch.review.works.decisions_file import MOST_BYTES, import_decisions

    content = regular_files.read(file, MOST_BYTES, pipes=True)
    with call.open() as db:
        made = import_decisions(
            call.project(db),
            content,
            file.name,
            stage=stage,
            verdict=verdict,
            reason=reason,
            encoding=encoding,
        )
    call.answer(asdict(made), ())
    for each in made.not_imported[:_SHOWN]:
        call.tell(f"{file.name}:{each.line}: {each.name}: {each.reason}", "yellow")
    more = len(made.not_imported) - _SHOWN
    if more > 0:
        call.tell(f"{quantity(more, 'line')} more, which --json lists", "yellow")
    undo = f"; `metasearch project undo {made.change}` undoes it" if made.change else ""
    call.tell(
        f"{quantity(made.lines, 'line')}: {quantity(made.changed, 'decision')} imported, "
        f"{made.unchanged:,} were so already, {made.undecided:,} undecided, "
        f"{len(made.not_imported):,} not imported{undo}"
    )
    return Exit.PARTIAL if made.not_imported else Exit.OK


#: Characters of a title in the table.
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
@part_options(500)
@click.option("--facets", is_flag=True, help="Count the works by verdict, tag, source, year ...")
@in_project
def list_(call: Call, /, *, count: int, start: int, facets: bool, **options: Any) -> int:
    """List the works that the options choose. Exit code 1: there are none."""
    from metasearch.review import objects
    from metasearch.review.works import lists

    query = replace(query_of(options), start=start, count=count)
    shown = lists.FACETS if facets or call.json else ()
    with call.open() as db:
        page = lists.page(call.project(db), query, facets=shown)
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
    if page.works:
        rows: list[tuple[str, ...]] = [("id", "year", "author", "title", "decided", "sources")]
        rows += [
            (
                work.uid,
                str(work.year or ""),
                work.author[:20],
                work.title[:_WIDTH] + ("…" if len(work.title) > _WIDTH else ""),
                _verdict_words(work),
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


def _verdict_words(work: Work) -> str:
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
    from metasearch.review import objects
    from metasearch.review.works import works as one

    with call.open() as db:
        project = call.project(db)
        work = one.find(project, name)
        findings, links = one.findings_of(db, work), one.links_of(project, work)
    call.answer(objects.work(work, findings, links), _whole(work, findings, links))
    return Exit.OK


def _whole(work: Work, findings: list[Finding], links: list[CitationLink]) -> Iterator[str]:
    authors = "; ".join(author.name for author in work.hit.record.byline[:10])
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
    for link in links:
        way = "cites" if link.direction == "cited_by" else "cited by"
        yield f"{way:<10}{link.title or link.seed}, in {', '.join(link.indexes)}"
    if work.hit.record.abstract:
        yield ""
        yield work.hit.record.abstract


for _command in (mark, tag, note, export, import_, pin, unpin, pins, conflicts, agreement):
    works.add_command(_command)
