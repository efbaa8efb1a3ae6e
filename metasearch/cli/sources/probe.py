"""`metasearch sources probe`: asks each source one real query, and tells which are no longer as
their specs say.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import common, complete_source
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import SpecError, UsageError

if TYPE_CHECKING:
    from metasearch.adapters.spec import AdapterSpec
    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.probe_run import Probe

#: Seconds for one source, if nothing else is said: longer than most specs allow a search.
SECONDS = 30.0


@click.command("probe", short_help="Ask each one query, and see whether it has changed.")
@click.argument("names", nargs=-1, metavar="[NAME|GROUP]...", shell_complete=complete_source)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 600),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="For each source.",
)
@click.option("--json", "as_json", is_flag=True, help="One document: a list of objects.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a report in Markdown, to paste into an issue; - is stdout, in the place of the "
    "table.",
)
@common
@click.pass_obj
def probe(
    console: Console,
    /,
    *,
    names: tuple[str, ...],
    timeout: float,
    as_json: bool,
    report: Path | None,
    config: Path | None,
) -> int:
    """Ask each source one real query, and hold its answer against its spec and its cases.

    Without names those that a search asks by default. The query is that of the spec (`probe`), or a
    word. Each source is asked once, within its limits, with its key. Neither the table nor the
    report holds a key or your address. Exit code 3: a source has failed, found nothing or drifted;
    4: none answered; those that lack a key count for nothing.
    """
    import asyncio

    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.probe_report import summary, table, to_markdown
    from metasearch.cli.sources.probe_run import probe as ask
    from metasearch.cli.terminal.progress_line import LiveLine
    from metasearch.engine.engine import transport_of
    from metasearch.settings import Settings

    to_stdout = report is not None and str(report) == "-"
    if as_json and to_stdout:
        raise UsageError(
            "--json and --report - both write to stdout", advice="Give the report a file."
        )
    settings = Settings.load(config, os.environ)
    registry = Registry(settings)
    chosen = _chosen(names, registry)
    specs, broken = _specs(chosen, registry)
    live = LiveLine(console)
    try:
        told = asyncio.run(
            ask(
                specs,
                transport_of(settings),
                settings.env,
                seconds=timeout,
                told=lambda done: live("asking sources", done, len(specs)),
            )
        )
    finally:
        live.clear()
    found = sorted([*told, *broken], key=lambda it: chosen.index(it.source))
    if as_json:
        import orjson

        with Sink() as sink:
            rows = [it.plain() for it in found]
            sink.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    elif not to_stdout:
        for text in table(found):
            click.echo(text)
    if report is not None:
        with Sink(report) as sink:
            sink.write(to_markdown(found).encode())
    if not console.quiet:
        console.say(summary(found))
    return exit_for(found)


def _chosen(names: Sequence[str], registry: Registry) -> list[str]:
    """The sources that are meant; collections of this machine only where they are named.

    Raises:
        UsageError: There are none, or there is no such source.
    """
    asked = [part for name in names for part in name.split(",") if part]
    chosen = registry.expand(asked) if asked else registry.default()
    collections = set(registry.collections) - set(asked)
    chosen = [name for name in chosen if name not in collections]
    if not chosen:
        raise UsageError("there is no source to ask", advice="Name some, or a group such as `all`.")
    return chosen


def _specs(names: Sequence[str], registry: Registry) -> tuple[list[AdapterSpec], list[Probe]]:
    """The specs that can be used, and what is told of those that cannot.

    Raises:
        UnknownSource: With near misses.
    """
    from metasearch.cli.sources.probe_run import Probe

    specs: list[AdapterSpec] = []
    broken: list[Probe] = []
    for name in names:
        try:
            specs.append(registry.spec(name))
        except SpecError as exc:
            broken.append(
                Probe(
                    name,
                    name,
                    "failed",
                    "",
                    problem=f"its spec is wrong: {'; '.join(exc.problems[:3])}",
                )
            )
    return specs, broken


def exit_for(found: Sequence[Probe]) -> Exit:
    """The code for what came out: all fine, some not, or no answer from anybody."""
    if not any(it.status in ("ok", "empty", "drifted") for it in found):
        return Exit.NO_ANSWER
    return Exit.OK if all(it.fine for it in found) else Exit.PARTIAL
