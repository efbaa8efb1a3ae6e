"""`metasearch report`: reports of a project, made from its runs and never typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.output import Exit, Sink
from metasearch.errors import UsageError
from metasearch.language import CODES
from metasearch.message import message
from metasearch.review.commands import Call, in_project, output_option

if TYPE_CHECKING:
    from metasearch.review.projects.projects import Project
    from metasearch.review.reports.document import Document, Language
    from metasearch.review.reports.reports import Report

#: As `metasearch.review.reports.reports.KINDS`, which help need not load -> what it is.
REPORTS = {
    "prisma-s": "How the literature was searched, by the 16 items of PRISMA-S.",
    "prisma-flow": "The PRISMA 2020 flow diagram, with a table of its numbers.",
    "included": "The table of the included studies.",
    "chaxin": "The report of a novelty search (科技查新报告).",
    "appendix": "The search appendix: each strategy as each source was sent it.",
}
#: Those that say which works are included.
INCLUDING = frozenset({"prisma-flow", "included", "chaxin"})
#: As `metasearch.review.reports.render.FORMATS`.
FORMATS = ("html", "docx", "md", "json", "svg", "csv")


@click.group(
    cls=CommandGroup,
    short_help="Write the reports of a project.",
    examples=(
        ("metasearch report prisma-flow -o flow.html", "the flow diagram as it is now"),
        ("metasearch report prisma-s -o search.docx", "for a word processor"),
        ("metasearch report prisma-flow --freeze -o flow.svg", "finish it: it stays as it is"),
        ("metasearch report prisma-flow --continues last", "of the update, since the last one"),
    ),
)
def report() -> None:
    """Write reports from what the runs and the decisions of a project are: as HTML, Word, Markdown,
    JSON, diagrams as SVG, and tables as CSV.
    """


def _command(kind: str, about: str) -> click.Command:
    @click.command(kind, cls=ExampleCommand, short_help=about, help=_HELP.format(about=about))
    @output_option(f"Write to FILE; its ending chooses the format: .{', .'.join(FORMATS)}.")
    @click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        help="The format, whatever the ending; without both Markdown.",
    )
    @click.option("--language", type=click.Choice(CODES), help="Without it that of the report.")
    @click.option("--freeze", is_flag=True, help="Finish it: it stays as it is, with a digest.")
    @click.option(
        "--draft", is_flag=True, help="With --freeze: although something is still missing in it."
    )
    @click.option(
        "--number", metavar="N", help="Write the finished report N (or the last), as it was."
    )
    @click.option(
        "--continues",
        metavar="N",
        help="Count what was found since the finished report N (or the last): an update.",
    )
    @in_project
    def written(call: Call, /, **how: Any) -> int:
        return _write(call, kind, **how)

    return written


_HELP = """{about}

Without -o it is written to standard output. What is missing in it is told on standard error, and
makes it a draft.
"""


def _write(
    call: Call,
    kind: str,
    *,
    output: Path | None,
    format_: str | None,
    language: Language | None,
    freeze: bool,
    draft: bool,
    number: str | None,
    continues: str | None,
) -> Exit:
    from metasearch.review import objects
    from metasearch.review.reports import render
    from metasearch.review.works import work_checks

    named = format_ or (render.format_of(output.name) if output else "json" if call.json else "md")
    if number is not None and (freeze or continues or language):
        raise UsageError(
            message("--number names a finished report, which stays as it is"),
            advice=message("Leave the other options away."),
        )
    with call.open() as db:
        project = call.project(db)
        document, finished = _document(
            project,
            kind,
            language=language,
            freeze=freeze,
            draft=draft,
            number=number,
            continues=continues,
            form=named,
        )
        about_works = kind in INCLUDING and number is None
        warning = work_checks.summary(project).warning if about_works else None
    content = render.write(document, named)
    with Sink(output) as sink:
        sink.write(content)
    if output is not None:
        value = {
            "kind": kind,
            "title": document.title,
            "file": str(output),
            "format": named,
            "bytes": len(content),
            "draft": list(document.draft),
            "frozen": objects.report(finished) if finished else None,
        }
        call.answer(value, ())
        call.tell(f"{document.title}: {output}")
    for reason in document.draft:
        call.tell(f"draft: {reason}", "yellow")
    if warning is not None:
        call.tell(f"warning: {warning}", "yellow")
    if finished is not None and freeze:
        call.tell(f"finished as report {finished.number}, SHA-256 {finished.digest}")
    return Exit.OK


def _document(
    project: Project,
    kind: str,
    *,
    language: Language | None,
    freeze: bool,
    draft: bool,
    number: str | None,
    continues: str | None,
    form: str,
) -> tuple[Document, Report | None]:
    """The report as it is now, or was when it was finished; for people with its signatures."""
    from metasearch.review.reports import reports
    from metasearch.review.reports.reports import kind_of

    about = kind_of(kind)
    if number is not None:
        made = reports.find(project, kind, number)
        return reports.with_signatures(project.db, made, form), made
    if freeze:
        made = reports.freeze(project, kind, language=language, previous=continues, draft=draft)
        return reports.document(project.db, made), made
    return about.build(project, language=language, previous=continues), None


for _kind, _about in REPORTS.items():
    report.add_command(_command(_kind, _about))


@report.command("list", short_help="List the finished reports.")
@in_project
def list_(call: Call, /) -> int:
    """List the finished reports of the project, the newest first."""
    from metasearch.review import objects
    from metasearch.review.reports import reports

    with call.open() as db:
        listed = reports.frozen(call.project(db))
    call.table(
        [objects.report(each) for each in listed],
        ("kind", "number", "finished", "", "SHA-256", "title"),
        [
            (
                each.kind,
                each.number,
                each.frozen,
                "draft" if each.data.get("draft") else "",
                each.digest[:12],
                each.title,
            )
            for each in listed
        ],
    )
    if not listed:
        call.tell("no report is finished; --freeze finishes one")
    return Exit.OK


@report.command("verify", short_help="Check that finished reports are as they were.")
@in_project
def verify(call: Call, /) -> int:
    """Compare each finished report with its digest. Exit code 3: one was changed."""
    from metasearch.review import objects
    from metasearch.review.reports import reports

    with call.open() as db:
        listed = [
            (each, reports.is_unchanged(db, each)) for each in reports.frozen(call.project(db))
        ]
    call.table(
        [objects.report(each) | {"unchanged": same} for each, same in listed],
        ("kind", "number", "SHA-256", ""),
        [
            (each.kind, each.number, each.digest, "unchanged" if same else "CHANGED")
            for each, same in listed
        ],
    )
    return Exit.OK if all(same for _, same in listed) else Exit.PARTIAL


@report.command("missed", short_help="Estimate how many works the searches have missed.")
@click.option(
    "--included", is_flag=True, help="Count only works that are relevant as far as it is decided."
)
@in_project
def estimate(call: Call, /, *, included: bool) -> int:
    """Estimate how many works there are that no database found, from the works that several of them
    found: Chao's lower bound, of two databases Chapman's estimator. It assumes that databases find
    works independently, which they do not quite: the report says so.
    """
    from dataclasses import asdict

    from metasearch.review.reports import estimate as estimating

    with call.open() as db:
        overlap = estimating.overlap(call.project(db), included=included)
    made = estimating.estimate(overlap)
    value = {
        "databases": dict(overlap.databases),
        "found_by": [
            {"databases": number, "works": works}
            for number, works in sorted(overlap.counts.items())
        ],
        "found": overlap.found,
        "estimate": asdict(made) if made else None,
    }
    lines = [f"{name}: {works:,} works" for name, works in overlap.databases.items()]
    if made is None:
        call.answer(value, lines)
        call.tell("the databases share too few works for an estimate")
        return Exit.OK
    least = "at least " if made.method == "chao" else ""
    interval = f"95 % interval {made.low:,.0f} to {made.high:,.0f}"
    lacking = max(0.0, made.total - made.found)
    lines += [
        f"found: {made.found:,} works, {made.once:,} by one database, {made.twice:,} by two",
        f"estimated: {least}{made.total:,.0f} works ({interval}), so {least}{lacking:,.0f} missed",
    ]
    call.answer(value, lines)
    return Exit.OK
