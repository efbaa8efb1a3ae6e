"""What `metasearch sources probe` shows: a table for the terminal, and a report in Markdown for an
issue.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from metasearch import __version__
from metasearch.cli.sources.probe_run import Probe
from metasearch.cli.terminal.columns import columns
from metasearch.cli.terminal.console import counted
from metasearch.formats.text import line

#: Characters of a problem in the table, and of a text in the report.
IN_TABLE, IN_REPORT = 100, 500
#: Notes of a source that stand in the report.
NOTES = 5


def summary(found: Sequence[Probe]) -> str:
    """How many sources there are of each status: "15 sources: 12 ok, 1 drifted, 2 skipped"."""
    counts = Counter(it.status for it in found)
    return (
        f"{counted(len(found), 'source')}: "
        f"{', '.join(f'{count} {status}' for status, count in counts.items())}"
    )


def table(found: Sequence[Probe]) -> Iterator[str]:
    """A line a source, with its columns aligned."""
    rows: list[tuple[str, ...]] = [("NAME", "STATUS", "RECORDS", "TOTAL", "SECONDS", "WHAT")]
    for it in found:
        what = line(it.problem) or (f"not seen: {', '.join(it.missing)}" if it.missing else "-")
        what = what if len(what) <= IN_TABLE else f"{what[: IN_TABLE - 3]}..."
        total = "-" if it.total is None else f"{it.total:,}"
        rows.append((it.source, it.status, str(it.count), total, f"{it.seconds:.2f}", what))
    yield from columns(rows)


def to_markdown(found: Sequence[Probe]) -> str:
    """A report: what was asked, what came, and what is wrong. It names no key, no address of
    anybody, and no URL.
    """
    system = f"metasearch {__version__}, Python {platform.python_version()}, {platform.system()}"
    out = [
        "# Probe of sources",
        "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {system}. {summary(found)}.",
        "",
        "| source | status | records | total | seconds | fields | not seen |",
        "| --- | --- | ---: | ---: | ---: | --- | --- |",
    ]
    for it in found:
        fields = ", ".join(
            name if share == 1 else f"{name} {share:.0%}" for name, share in it.fields.items()
        )
        total = "" if it.total is None else str(it.total)
        cells = (
            it.source,
            it.status,
            str(it.count),
            total,
            f"{it.seconds:.2f}",
            fields,
            ", ".join(it.missing),
        )
        out.append(f"| {' | '.join(map(_cell, cells))} |")
    for it in found:
        if it.problem:
            out += ["", f"## {_cell(it.source)}: {it.status}", "", *_details(it)]
    return "\n".join(out) + "\n"


def _details(it: Probe) -> Iterator[str]:
    facts = [("query", it.query), ("sent", it.sent), ("problem", it.problem)]
    facts.append(("records that could not be read", str(it.unread or "")))
    for name, text in (*facts, *(("note", note) for note in it.notes[:NOTES])):
        if text:
            yield f"- {name}: {_code(text)}"


def _cell(text: str) -> str:
    """Text for a cell, in which nothing is markup: what a source says may hold anything."""
    return (
        line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
    )


def _code(text: str) -> str:
    """Text as code, on one line: it cannot end the code that it stands in."""
    return f"`{line(text)[:IN_REPORT].replace('`', chr(39))}`"
