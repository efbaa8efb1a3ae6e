"""The results of `metasearch sources probe`, as a table and as a report in Markdown."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from metasearch import __version__
from metasearch.cli.sources.probe_run import ProbeResult
from metasearch.cli.terminal.columns import columns
from metasearch.cli.terminal.console import counted
from metasearch.formats.text import line

#: Characters of a problem in the table, and of a text in the report.
IN_TABLE, IN_REPORT = 100, 500
#: Notes of a source that stand in the report.
NOTES = 5


def summary(results: Sequence[ProbeResult]) -> str:
    """How many sources there are of each status: "15 sources: 12 ok, 1 drifted, 2 skipped"."""
    counts = Counter(result.status for result in results)
    return (
        f"{counted(len(results), 'source')}: "
        f"{', '.join(f'{count} {status}' for status, count in counts.items())}"
    )


def table(results: Sequence[ProbeResult]) -> Iterator[str]:
    """A line for each source, with aligned columns."""
    rows: list[tuple[str, ...]] = [("NAME", "STATUS", "RECORDS", "TOTAL", "SECONDS", "WHAT")]
    for result in results:
        what = line(result.problem) or (
            f"not seen: {', '.join(result.missing)}" if result.missing else "-"
        )
        what = what if len(what) <= IN_TABLE else f"{what[: IN_TABLE - 3]}..."
        total = "-" if result.total is None else f"{result.total:,}"
        rows.append(
            (result.source, result.status, str(result.count), total, f"{result.seconds:.2f}", what)
        )
    yield from columns(rows)


def to_markdown(results: Sequence[ProbeResult]) -> str:
    """A report of queries, records and problems, without key, contact address and URL."""
    system = f"metasearch {__version__}, Python {platform.python_version()}, {platform.system()}"
    out = [
        "# Probe of sources",
        "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {system}. {summary(results)}.",
        "",
        "| source | status | records | total | seconds | fields | not seen |",
        "| --- | --- | ---: | ---: | ---: | --- | --- |",
    ]
    for result in results:
        fields = ", ".join(
            name if share == 1 else f"{name} {share:.0%}" for name, share in result.fields.items()
        )
        total = "" if result.total is None else str(result.total)
        cells = (
            result.source,
            result.status,
            str(result.count),
            total,
            f"{result.seconds:.2f}",
            fields,
            ", ".join(result.missing),
        )
        out.append(f"| {' | '.join(map(_cell, cells))} |")
    for result in results:
        if result.problem:
            out += ["", f"## {_cell(result.source)}: {result.status}", "", *_details(result)]
    return "\n".join(out) + "\n"


def _details(result: ProbeResult) -> Iterator[str]:
    facts = [("query", result.query), ("sent", result.sent), ("problem", result.problem)]
    facts.append(("records that could not be read", str(result.unread or "")))
    for name, text in (*facts, *(("note", note) for note in result.notes[:NOTES])):
        if text:
            yield f"- {name}: {_code(text)}"


def _cell(text: str) -> str:
    """Text for a cell, in which nothing is markup: texts of a source are not trusted."""
    return (
        line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
    )


def _code(text: str) -> str:
    """Text as code, on one line: it cannot end the code that it stands in."""
    return f"`{line(text)[:IN_REPORT].replace('`', chr(39))}`"
