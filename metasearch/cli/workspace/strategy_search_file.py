"""`metasearch strategy search-file`: JSON search files after Haddaway 2022, as searchRxiv has."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.strategy_options import found, strategy_option

#: Bytes of a search file.
_LARGEST = 5_000_000


def _complete_syntax(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from metasearch.query.writing import TARGETS

    return [CompletionItem(name) for name in TARGETS if name.startswith(incomplete)]


@click.group(
    "search-file",
    cls=CommandGroup,
    examples=(
        ("metasearch strategy search-file write --syntax pubmed -o search.json", "for others"),
        ("metasearch strategy search-file read search.json", "a strategy of somebody else"),
    ),
)
def search_file() -> None:
    """Read and write strategies as JSON search files, which search-query and searchRxiv use."""


@search_file.command("read", short_help="Make strategies of a search file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", metavar="NAME", help="The name of the strategy; without it the file's.")
@in_project
def read(call: Call, /, *, file: Path, name: str | None) -> int:
    """Make a strategy of each search in FILE, all or none."""
    from metasearch import opening
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import search_file as files

    content = opening.read(file, _LARGEST, pipes=True)
    with call.open() as db:
        made = files.add(db, call.project(db), content, file.name, strategy=name)
    call.answer(objects.search_file(made), ())
    for note in made.notes:
        call.tell(note, "yellow")
    call.tell(f"made {', '.join(each.name for each in made.strategies)}")
    return Exit.OK


@search_file.command("write", short_help="Write a strategy as a search file.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE, not to standard output.",
)
@click.option(
    "--syntax",
    default="pubmed",
    show_default=True,
    metavar="NAME",
    shell_complete=_complete_syntax,
    help="The syntax of the search string; search-query reads pubmed, wos and ebsco.",
)
@click.option("--step", type=int, metavar="N", help="The step; without it the last one.")
@click.option("--searched", default="", metavar="YYYY-MM-DD", help="The day of the search.")
@strategy_option
@in_project
def write(
    call: Call,
    /,
    *,
    output: Path | None,
    syntax: str,
    step: int | None,
    searched: str,
    name: str | None,
) -> int:
    """Write a strategy for others: as one search string, and with its steps as they are."""
    from metasearch.workspace.strategies import search_file as files
    from metasearch.workspace.strategies import steps

    with call.open() as db:
        _, chosen = found(call, db, name)
        content = files.write(
            chosen, steps.of(db, chosen), syntax=syntax, step=step, searched=searched
        )
    with Sink(output) as sink:
        sink.write(content)
    if output is not None:
        call.answer({"strategy": chosen.name, "file": str(output), "bytes": len(content)}, ())
        call.tell(f"{chosen.name} is in {output}")
    return Exit.OK
