"""`metasearch strategy known|validate`: works that the searches are expected to find."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.strategy_options import found, strategy_option

if TYPE_CHECKING:
    from metasearch.workspace.runs.validation import Validated

#: Bytes of a file of known works.
_LARGEST = 20_000_000


@click.group(
    "known",
    cls=CommandGroup,
    examples=(
        ("metasearch strategy known add 10.1000/abc 'Gambling and debt (2019)'", "two of them"),
        ("metasearch strategy known add --from included.ris", "those of an earlier review"),
    ),
)
def known() -> None:
    """Works that the searches are expected to find; `strategy validate` says which they do."""


@known.command("add", short_help="Add known works.")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--from",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file of a reference manager, or a text with a name a line (.txt).",
)
@in_project
def add(call: Call, /, *, names: tuple[str, ...], file: Path | None) -> int:
    """Add works by NAME: a DOI, a PMID, "arxiv:" or "isbn:" with a number, or a title with its year
    in brackets.
    """
    from metasearch import opening
    from metasearch.errors import UsageError
    from metasearch.message import message
    from metasearch.workspace import objects
    from metasearch.workspace.runs import known as known_works

    if not names and file is None:
        raise UsageError(message("no work is named"), advice=message("Name a DOI, or --from FILE."))
    content = opening.read(file, _LARGEST, pipes=True) if file else b""
    with call.open() as db:
        project = call.project(db)
        with db.transaction():
            made = known_works.add_lines(db, project, "\n".join(names)) if names else []
            if file and file.suffix.lower() == ".txt":
                text = content.decode("utf-8-sig", "replace")
                made += known_works.add_lines(db, project, text)
            elif file:
                made += known_works.add_file(db, project, content, file.name)
    call.answer([objects.known(each) for each in made], (each.name for each in made))
    call.tell(f"{counted(len(made), 'known work')} added")
    return Exit.OK


@known.command("list", short_help="List the known works.")
@in_project
def list_(call: Call, /) -> int:
    """List the known works of the project."""
    from metasearch.workspace import objects
    from metasearch.workspace.runs import known as known_works

    with call.open() as db:
        listed = known_works.of(db, call.project(db))
    call.answer([objects.known(each) for each in listed], (each.name for each in listed))
    return Exit.OK


@known.command("remove", short_help="Remove known works.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@in_project
def remove(call: Call, /, *, names: tuple[str, ...]) -> int:
    """Remove known works by their names, as the list writes them."""
    from metasearch.workspace.runs import known as known_works

    with call.open() as db:
        known_works.remove(db, call.project(db), names)
    call.answer({"removed": list(names)}, ())
    call.tell(f"{counted(len(names), 'known work')} removed")
    return Exit.OK


@click.command(
    "validate",
    cls=ExampleCommand,
    short_help="Show which step and source finds or misses each known work.",
)
@strategy_option
@in_project
def validate(call: Call, /, *, name: str | None) -> int:
    """Show for each known work which runs, steps and sources found it, and what of the query it
    does not fit where none did. Exit code 1: some were not found.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.runs import validation

    with call.open() as db:
        project, chosen = found(call, db, name)
        made = validation.validate(db, project, chosen)
    call.answer(
        objects.validation(chosen, made),
        (line for each in made.works for line in _lines(each)),
    )
    call.tell(
        f"{made.found} of {counted(len(made.works), 'known work')} found"
        if made.works
        else "no work is known; `metasearch strategy known add` names some"
    )
    return Exit.OK if made.found == len(made.works) else Exit.NO_HITS


def _lines(each: Validated) -> Iterator[str]:
    yield f"{'found ' if each.found else 'MISSED'}  {each.known.name}"
    for finder in each.finders:
        yield f"          run {finder.run}, #{finder.step}, {finder.source}"
    if not each.found:
        for step in each.steps:
            if step.lacks:
                yield f"          #{step.step} does not fit: {'; '.join(step.lacks)}"
