"""`metasearch mcp`: searches for an assistant that starts this command, over stdin and stdout."""

from __future__ import annotations

from pathlib import Path

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import common, dedup_options
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.record import VersionsMode


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
@click.option(
    "--demo", is_flag=True, help="Search simulated databases on this machine; nothing is sent."
)
@dedup_options
@common
@click.pass_obj
def mcp(
    console: Console,
    /,
    *,
    demo: bool,
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

    from metasearch.cli.terminal.logs import logs_to
    from metasearch.server.faces.mcp import check_extra
    from metasearch.settings import Settings

    check_extra()
    from metasearch.cli.mcp_run import run

    settings = Settings.load(config, os.environ).deduplicated(pins, versions, dedup)
    if sys.stdin.isatty():
        console.say("waiting for an MCP host on stdin; Ctrl-D ends it")
    # A thread waits for stdin, and no exception reaches it: Ctrl-C ends the process as it is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with logs_to(console, None):
        asyncio.run(run(settings, demo=demo))
    return Exit.OK
