"""`metasearch works export|import`: works for other programs, and their decisions back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import FORMAT_NAMES, has_bom
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.works_filters import STAGES, query_of, works_filters
from metasearch.errors import UsageError
from metasearch.formats import WRITABLE
from metasearch.formats.citations.styles import DEFAULT_STYLE, STYLES
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.workspace.works.works import Stage, Verdict

#: As `metasearch.workspace.works.exporting.EXPORTS`, which help need not load.
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
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE, not to standard output.",
)
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
    from metasearch.workspace.works.exporting import export as exported

    stage = cast("Stage", options["stage"])
    query = query_of(options)
    named = format_ or _by_ending(output)
    size = 0
    with call.open() as db:
        project = call.project(db)
        with db.snapshot(), Sink(output) as sink:
            for part in exported(
                db,
                project,
                ids or query,
                named,
                stage=stage,
                style=style,
                bom=has_bom(bom, output),
            ):
                size += len(part)
                sink.write(part)
    if output is not None:
        call.answer({"file": str(output), "format": named, "bytes": size}, ())
        call.tell(f"{output}: {counted(size, 'byte')} as {named}")
    return Exit.OK


def _by_ending(output: Path | None) -> str:
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
@click.option(
    "--stage",
    type=click.Choice(STAGES),
    default="title",
    show_default=True,
    help="For which the decisions are: title and abstract, or the whole text.",
)
@click.option(
    "--verdict",
    type=click.Choice(("relevant", "close", "excluded", "unavailable")),
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
    from metasearch import opening
    from metasearch.workspace.works.decided_lines import MOST_BYTES
    from metasearch.workspace.works.importing import import_decisions

    content = opening.read(file, MOST_BYTES, pipes=True)
    with call.open() as db:
        made = import_decisions(
            db,
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
        call.tell(f"{counted(more, 'line')} more, which --json lists", "yellow")
    undo = f"; `metasearch project undo {made.change}` undoes it" if made.change else ""
    call.tell(
        f"{counted(made.lines, 'line')}: {counted(made.changed, 'decision')} imported, "
        f"{made.unchanged:,} were so already, {made.undecided:,} undecided, "
        f"{len(made.not_imported):,} not imported{undo}"
    )
    return Exit.PARTIAL if made.not_imported else Exit.OK
