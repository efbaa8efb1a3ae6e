"""`metasearch sources probe`: sends each source one query, and reports which ones have changed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.common_options import common, complete_source
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import SpecError, UsageError

if TYPE_CHECKING:
    from metasearch.adapters.spec import AdapterSpec
    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.probe_run import ProbeResult

#: Seconds for one source without `--timeout`: longer than most specs allow a search.
SECONDS = 30.0


@click.command("probe", short_help="Send each source one query, and report what has changed.")
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
    help="Write a report in Markdown, to paste into an issue; - is stdout, instead of the table.",
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
    """Send each source one real query, and compare its answer with its spec and its cases.

    Without names the default sources are asked. The query is that of the spec (`probe`), or a
    common word. Each source is asked once, within its limits, with its key. Neither the table nor
    the report contains a key or your address. Exit code 3: a source failed, found nothing or has
    drifted; 4: none answered. Sources without their key do not count.
    """
    import asyncio

    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.probe_report import summary, table, to_markdown
    from metasearch.cli.sources.probe_run import probe as ask
    from metasearch.cli.terminal.progress_line import ProgressLine
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
    line = ProgressLine(console)
    try:
        probed = asyncio.run(
            ask(
                specs,
                transport_of(settings),
                settings.env,
                seconds=timeout,
                progress=lambda done: line("asking sources", done, len(specs)),
            )
        )
    finally:
        line.clear()
    results = sorted([*probed, *broken], key=lambda result: chosen.index(result.source))
    if as_json:
        import orjson

        with Sink() as sink:
            rows = [result.plain() for result in results]
            sink.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    elif not to_stdout:
        for text in table(results):
            click.echo(text)
    if report is not None:
        with Sink(report) as sink:
            sink.write(to_markdown(results).encode())
    if not console.quiet:
        console.say(summary(results))
    return exit_for(results)


def _chosen(names: Sequence[str], registry: Registry) -> list[str]:
    """The sources to ask; collections of this machine only if they are named. Raises UsageError:
    there is none, or a name is unknown.
    """
    asked = [part for name in names for part in name.split(",") if part]
    chosen = registry.expand(asked) if asked else registry.default()
    collections = set(registry.collections) - set(asked)
    chosen = [name for name in chosen if name not in collections]
    if not chosen:
        raise UsageError("there is no source to ask", advice="Name some, or a group such as `all`.")
    return chosen


def _specs(names: Sequence[str], registry: Registry) -> tuple[list[AdapterSpec], list[ProbeResult]]:
    """(specs that can be used, results of the others). Raises UnknownSource: with near names."""
    from metasearch.cli.sources.probe_run import ProbeResult

    specs: list[AdapterSpec] = []
    broken: list[ProbeResult] = []
    for name in names:
        try:
            specs.append(registry.spec(name))
        except SpecError as exc:
            broken.append(
                ProbeResult(
                    name,
                    name,
                    "failed",
                    "",
                    problem=f"its spec is wrong: {'; '.join(exc.problems[:3])}",
                )
            )
    return specs, broken


def exit_for(results: Sequence[ProbeResult]) -> Exit:
    """The exit code: all sources are fine, some are not, or none answered."""
    if not any(result.status in ("ok", "empty", "drifted") for result in results):
        return Exit.NO_ANSWER
    return Exit.OK if all(result.fine for result in results) else Exit.PARTIAL
