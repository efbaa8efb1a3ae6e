"""The command `metasearch`: all commands, and the search that needs no name."""

from __future__ import annotations

from typing import Any

import click

from metasearch import __version__
from metasearch.cli.cache import cache
from metasearch.cli.collections import collections, shelves
from metasearch.cli.command_group import CommandGroup
from metasearch.cli.completion import completion
from metasearch.cli.dedup import dedup
from metasearch.cli.evaluate import evaluate
from metasearch.cli.explain import explain
from metasearch.cli.harvest import harvest
from metasearch.cli.index import index
from metasearch.cli.mcp import mcp
from metasearch.cli.parse import parse
from metasearch.cli.search import EXAMPLES, search
from metasearch.cli.serve import serve
from metasearch.cli.sources.commands import sources
from metasearch.cli.strategies import strategies
from metasearch.cli.translate import translate
from metasearch.cli.workspace.alerts import alerts
from metasearch.cli.workspace.file import workspace
from metasearch.cli.workspace.project import project
from metasearch.cli.workspace.report import report
from metasearch.cli.workspace.saved import saved
from metasearch.cli.workspace.strategy import strategy
from metasearch.cli.workspace.user import user
from metasearch.cli.workspace.works import works


def _version(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"metasearch {__version__}")
        ctx.exit()


@click.group(
    cls=CommandGroup,
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


_COMMANDS = (
    search,
    translate,
    sources,
    cache,
    serve,
    mcp,
    parse,
    explain,
    dedup,
    strategies,
    evaluate,
    harvest,
    index,
    collections,
    shelves,
    project,
    strategy,
    works,
    report,
    user,
    saved,
    alerts,
    workspace,
    completion,
)
for _command in _COMMANDS:
    root.add_command(_command)
