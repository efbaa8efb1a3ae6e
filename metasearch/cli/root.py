"""The command `metasearch`: all commands, and the search that needs no name."""

from __future__ import annotations

from typing import Any

import click

from metasearch import __version__
from metasearch.cli.command_group import CommandGroup, Commands
from metasearch.cli.search import EXAMPLES
from metasearch.wing import wings

#: Module of `metasearch.cli` -> the commands in it; each wing has its own. A command line loads
#: those that it names.
_COMMANDS = {
    "search": ("search",),
    "translate": ("translate",),
    "sources.commands": ("sources",),
    "cache": ("cache",),
    "serve": ("serve",),
    "mcp": ("mcp",),
    "parse": ("parse",),
    "explain": ("explain",),
    "collections": (
        "harvest",
        "index",
        "collections",
    ),
    "completion": ("completion",),
}


def _of_wings() -> dict[str, str]:
    """Name -> place of the commands that wings add."""
    return {name: place for wing in wings() for name, place in wing.commands.items()}


def _version(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"metasearch {__version__}")
        ctx.exit()


@click.group(
    cls=CommandGroup,
    commands=Commands(
        {
            name: f"metasearch.cli.{home}:{name}"
            for home, names in _COMMANDS.items()
            for name in names
        },
        _of_wings,
    ),
    default="search",
    subcommand_metavar="COMMAND [OPTIONS] [ARGS]...",
    examples=(
        *EXAMPLES,
        ("metasearch sources list", "all sources"),
        ("metasearch serve --demo", "the same in a browser and as an HTTP API"),
    ),
    epilog="Exit codes: 0 hits, 1 no hits, 2 usage, 3 a source failed, 4 no source answered, 130 "
    "interrupted.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
def root() -> None:
    """Search many scholarly databases at once; the answer is one ranked list, which names the
    sources of each hit.
    """
