"""`metasearch serve`: serves searches in a browser and as an HTTP API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common, dedup_options, demo_options
from metasearch.cli.output import Console, Exit
from metasearch.record import VersionsMode

_MOST_WORKERS = 256


def _processes(ctx: click.Context, param: click.Parameter, value: str) -> int:
    number: int = click.IntRange(0, _MOST_WORKERS)(
        _cores() if value == "auto" else value, param, ctx
    )
    return number


def _cores() -> int:
    import os

    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(cores, _MOST_WORKERS)


@click.command(
    cls=ExampleCommand,
    in_child=False,  # it starts its own workers
    examples=(
        (
            "metasearch serve --demo --open",
            "try it offline, on simulated databases, in the browser",
        ),
        ("metasearch serve --config my.toml --port 9000", "with your own sources"),
        ("metasearch serve --log json 2>> access.log", "a line of JSON for each request"),
        ("metasearch serve --workers auto", "with a process for each core"),
        ("metasearch serve --workspace --open", "with the projects of your workspace"),
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="0 takes any free one.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="Base of the addresses in answers, if the server is behind a proxy.",
)
@click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    help="Write a line for each request to stderr, without queries and addresses; json writes "
    "all log messages as JSON lines.",
)
@click.option(
    "--workers",
    metavar="N|auto",
    default="1",
    show_default=True,
    callback=_processes,
    help="Processes that answer; auto starts one for each core, 0 answers in this process, "
    "without a watchdog.",
)
@click.option(
    "--loop",
    type=click.Choice(["auto", "asyncio", "uvloop"]),
    default="auto",
    show_default=True,
    help="Event loop; auto uses uvloop if it is installed.",
)
@demo_options()
@click.option(
    "--workspace",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Serve the projects of the workspace, too: pages and /api/projects.",
)
@click.option("--open", "open_", is_flag=True, help="Open the start page in the browser.")
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
    workers: int,
    loop: Literal["auto", "asyncio", "uvloop"],
    demo: bool,
    demo_catalogue: Path | None,
    workspace: str | None,
    open_: bool,
    log: Literal["text", "json"] | None,
    pins: Path | None,
    versions: VersionsMode | None,
    dedup: str | None,
    config: Path | None,
) -> int:
    """Serve searches over HTTP until interrupted."""
    import os

    from metasearch.server.supervisor import serve as run
    from metasearch.settings import Settings, web_address

    settings = Settings.load(config, os.environ).with_demo(demo_catalogue)
    settings = settings.with_dedup(pins, versions, dedup)
    if public_url:
        try:
            settings = replace(settings, public_url=web_address(public_url))
        except ValueError as exc:
            raise click.BadParameter(str(exc), param_hint="--public-url") from exc
    if workspace is not None:
        file = Path(workspace) if workspace else settings.workspace
        settings = replace(settings, workspace=file, serve_workspace=True)
    with _log(console, log) as arguments:
        if open_:
            arguments = {"announce": _open_in_browser(arguments.get("announce"))}
        logged = WorkerLog(log, console.quiet, console.verbose, console.no_color)
        run(
            settings,
            host=host,
            port=port,
            demo=demo,
            workers=workers,
            loop=loop,
            prepare=logged,
            **arguments,
        )
    return Exit.OK


def _open_in_browser(announce: Callable[[str], None] | None) -> Callable[[str], None]:
    """Announces the address, and has the browser open it. `announce`: says where the server
    listens; None for the usual way.
    """

    def announce_address(address: str) -> None:
        import webbrowser

        from metasearch.server.supervisor import say

        (announce or say)(address)
        if not webbrowser.open(address):
            click.echo(f"No browser could be opened; open {address} yourself.", err=True)

    return announce_address


@dataclass(frozen=True, slots=True)
class WorkerLog:
    """The log of this command, as each worker sets it up for itself."""

    form: Literal["text", "json"] | None
    quiet: bool
    verbose: bool
    no_color: bool

    def __call__(self) -> AbstractContextManager[object]:
        return _log(Console(self.quiet, self.verbose, self.no_color), self.form)


@contextmanager
def _log(
    console: Console, form: Literal["text", "json"] | None
) -> Iterator[dict[str, Callable[[str], None]]]:
    """Log while the block runs. Yields arguments of `serve`: with JSON logs, `announce`."""
    import logging
    import sys

    from metasearch.cli.progress import logs_to
    from metasearch.server.process import JsonLines
    from metasearch.server.process import access_logger as access

    handler = logging.StreamHandler(sys.stderr)
    root, own = logging.getLogger(), logging.getLogger("metasearch")
    levels = own.level, access.level
    try:
        if form == "json":
            handler.setFormatter(JsonLines())
            root.addHandler(handler)
            own.setLevel(logging.DEBUG if console.verbose else logging.INFO)
            yield {"announce": lambda address: own.info("listening on %s", address)}
        else:
            with logs_to(console, None):
                if form == "text":
                    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
                    access.addHandler(handler)
                    access.setLevel(logging.INFO)
                    access.propagate = False
                yield {}
    finally:
        root.removeHandler(handler)
        access.removeHandler(handler)
        access.propagate = True
        own.setLevel(levels[0])
        access.setLevel(levels[1])
