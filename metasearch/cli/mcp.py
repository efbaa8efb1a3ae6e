"""`metasearch mcp`: searches for an assistant that starts this command, over stdin and stdout."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common, dedup_options, demo_options
from metasearch.cli.output import Console, Exit
from metasearch.record import VersionsMode
from metasearch.settings import Settings


@click.command(
    cls=ExampleCommand,
    in_child=False,  # the host that starts it ends it, too
    short_help="Search for an assistant (Model Context Protocol).",
    examples=(
        ("metasearch mcp", "what a host such as Claude Desktop starts"),
        ("metasearch mcp --demo", "the same offline, on simulated databases"),
        ("claude mcp add metasearch -- metasearch mcp", "add it to Claude Code"),
    ),
)
@demo_options()
@dedup_options
@common
@click.pass_obj
def mcp(
    console: Console,
    /,
    *,
    demo: bool,
    demo_catalogue: Path | None,
    pins: Path | None,
    versions: VersionsMode | None,
    dedup: str | None,
    config: Path | None,
) -> int:
    """Serve the Model Context Protocol over stdin and stdout, for an assistant that starts this
    command. Messages go to stderr.
    """
    import asyncio
    import os
    import signal
    import sys

    from metasearch.cli.progress import logs_to
    from metasearch.server.protocols.mcp import check_extra

    check_extra()

    settings = Settings.load(config, os.environ).with_demo(demo_catalogue)
    settings = settings.with_dedup(pins, versions, dedup)
    if sys.stdin.isatty():
        console.say("waiting for an MCP host on stdin; Ctrl-D ends it")
    # A thread waits for stdin, and no exception reaches it: Ctrl-C ends the process as it is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with logs_to(console, None):
        asyncio.run(run(settings, demo=demo))
    return Exit.OK


# Runs `metasearch mcp`: the engine, and MCP over stdin and stdout around it. Nothing but the
# protocol is written to stdout: the package sends what else is printed there to stderr.


async def run(settings: Settings, *, demo: bool) -> None:
    """Answers until stdin is closed."""
    from mcp.server.stdio import stdio_server

    from metasearch.engine.engine import Engine
    from metasearch.server.limits import Options
    from metasearch.server.protocols.mcp.arguments import Caller
    from metasearch.server.protocols.mcp.protocol import protocol_server

    async with AsyncExitStack() as stack:
        if demo:
            from metasearch.demo import DemoDatabases

            databases = await stack.enter_async_context(
                DemoDatabases(catalogue=settings.demo_catalogue)
            )
            settings = databases.settings(settings)
        # Names of sources come from a model: a path among them must not make this machine read it.
        engine = await stack.enter_async_context(Engine(settings, spec_files=False))
        caller = Caller(engine, Options.of(settings))
        server = protocol_server(lambda _ctx: caller)
        incoming, outgoing = await stack.enter_async_context(stdio_server())
        await server.run(incoming, outgoing, server.create_initialization_options())
