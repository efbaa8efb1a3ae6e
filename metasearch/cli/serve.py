"""`metasearch serve`: the same search in a browser and as an HTTP API."""

from __future__ import annotations

from pathlib import Path

import click

from metasearch.cli.console import Console
from metasearch.cli.exits import Exit
from metasearch.cli.group import ExampleCommand, common, dedup_options
from metasearch.record import VersionsMode


@click.command(
    cls=ExampleCommand,
    examples=(
        ("metasearch serve --demo", "try it offline, on simulated databases"),
        ("metasearch serve --config my.toml --port 9000", "with your own sources"),
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes any free one.")
@click.option("--public-url", metavar="URL", help="Base of the addresses that are handed out, if behind a proxy.")
@click.option("--demo", is_flag=True, help="Search simulated databases on this machine; nothing is sent.")
@dedup_options
@common
@click.pass_obj
def serve(
    console: Console,
    /,
    *,
    host: str,
    port: int,
    public_url: str | None,
    demo: bool,
    pins: Path | None,
    versions: VersionsMode | None,
    dedup: str | None,
    config: Path | None,
) -> int:
    """Serve searches over HTTP until interrupted."""
    import os
    from dataclasses import replace

    from metasearch.cli.logs import logs_to
    from metasearch.server.app import serve as run
    from metasearch.settings import Settings, web_address

    settings = Settings.load(config, os.environ).deduplicated(pins, versions, dedup)
    if public_url:
        try:
            settings = replace(settings, public_url=web_address(public_url))
        except ValueError as exc:
            raise click.BadParameter(str(exc), param_hint="--public-url") from exc
    with logs_to(console, None):
        run(settings, host=host, port=port, demo=demo)
    return Exit.OK
