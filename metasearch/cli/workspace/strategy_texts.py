"""`metasearch strategy paste|write`: strategies as text of other databases."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.strategy_options import found, strategy_option, syntax_option
from metasearch.cli.workspace.strategy_steps import FIRST

#: Bytes of a text of lines.
_LARGEST = 2_000_000


def _complete_target(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from metasearch.query.writing import TARGETS

    return [CompletionItem(name) for name in TARGETS if name.startswith(incomplete)]


@click.command(
    "paste",
    cls=ExampleCommand,
    short_help="Add the lines of a strategy of another database.",
    examples=(
        ("metasearch strategy paste ovid.txt", "the search history that Ovid exports"),
        ("metasearch strategy paste - < history.txt", "from standard input"),
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@syntax_option
@strategy_option
@in_project
def paste(call: Call, /, *, file: Path, syntax: str | None, name: str | None) -> int:
    """Add a step for each line of FILE, copied out of Ovid, PubMed, Web of Science and others, with
    their numbers, and the hits that they showed. All lines are added, or none where one cannot be
    read.
    """
    import sys

    from metasearch import opening
    from metasearch.formats.reading.encodings import decode
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import lines, strategies

    content = (
        sys.stdin.buffer.read(_LARGEST)
        if str(file) == "-"
        else opening.read(file, _LARGEST, pipes=True)
    )
    text = decode(content, file.name).text
    with call.open() as db:
        project = call.project(db)
        if name is None and not strategies.of(db, project):
            strategies.create(db, project, FIRST)
        chosen = strategies.find(db, project, name)
        made = lines.copy_in(db, chosen, text, syntax=syntax or "auto")
    call.answer(
        objects.copied_in(chosen, made), (f"#{step.number}  {step.text}" for step in made.steps)
    )
    for note in made.notes:
        call.tell(note, "yellow")
    call.tell(f"{counted(len(made.steps), 'step')} added to {chosen.name}")
    return Exit.OK


@click.command(
    "write",
    cls=ExampleCommand,
    short_help="Write a strategy in the syntax of another database.",
    examples=(
        ("metasearch strategy write --syntax ovid", "lines to be typed in Ovid"),
        ("metasearch strategy write --syntax cnki", "for a search by hand in CNKI"),
    ),
)
@click.option(
    "--syntax",
    required=True,
    metavar="NAME",
    shell_complete=_complete_target,
    help="The syntax: ovid, pubmed, scopus, wos, ebsco, embase, proquest, cnki, wanfang, cql, "
    "simple.",
)
@strategy_option
@in_project
def write(call: Call, /, *, syntax: str, name: str | None) -> int:
    """Write the steps for a database that is searched by hand; standard error tells what its syntax
    cannot say.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import steps, writing

    with call.open() as db:
        _, chosen = found(call, db, name)
        made = writing.written(steps.of(db, chosen), syntax, years=chosen.years)
    call.answer(objects.written(chosen, made), made.text.splitlines())
    for note in made.notes:
        call.tell(note, "yellow")
    return Exit.OK
