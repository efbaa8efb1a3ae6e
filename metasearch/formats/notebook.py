"""An answer where people look at it in Python: a table of its first hits for a notebook, and rows
for pandas.

The text of others stands in the HTML only escaped, and no address that a browser may not be sent
to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from metasearch.formats.csv import COLUMNS, cells
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import clean, line
from metasearch.record import Hit

#: Hits in the table, authors of each, and characters of a cell.
HITS, AUTHORS, LONGEST = 20, 3, 300
_HEAD = ("", "Title", "Authors", "Year", "In", "Sources")


def html(
    query: str, summary: str, hits: Sequence[Hit], reports: Iterable[str], applied: str = ""
) -> str:
    """The first hits as a table, and the reports as a list; plain HTML without styles or scripts.

    `hits`: in the order of the list. `applied`: the filters and the order of the list, plain text;
    a line of its own.
    """
    head = "".join(f"<th>{cell}</th>" for cell in _HEAD)
    rows = "".join(_row(hit) for hit in hits[:HITS])
    more = len(hits) - HITS
    return (
        f"<p>{_text(query)}: {_text(summary)}</p>"
        f"{f'<p>{_text(applied)}</p>' if applied else ''}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        + (f"<p>and {more:,} more</p>" if more > 0 else "")
        + f"<ul>{''.join(f'<li>{_text(report)}</li>' for report in reports)}</ul>"
    )


def _row(hit: Hit) -> str:
    record = hit.record
    title, url = _text(full_title(record) or "[no title]"), link(record)
    if url:
        title = f'<a href="{escape(url)}" rel="noreferrer">{title}</a>'
    if record.retracted:
        title = f"<b>RETRACTED</b> {title}"
    names = [line(author.name) for author in record.authors[:AUTHORS]]
    if len(record.authors) > AUTHORS:
        names.append(f"and {len(record.authors) - AUTHORS:,} more")
    columns = (
        str(hit.rank or ""),
        title,
        _text(", ".join(names)),
        str(record.year or ""),
        _text(line(record.venue)),
        _text(", ".join(hit.sources)),
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in columns)}</tr>"


def _text(value: str) -> str:
    shown = line(value)
    return escape(shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…")


def rows(hits: Iterable[Hit]) -> Iterator[dict[str, Any]]:
    """One table a hit: the columns of CSV, with numbers as numbers and None for nothing."""
    for hit in hits:
        row: dict[str, Any] = {}
        for name, value in zip(COLUMNS, cells(hit), strict=True):
            row[name] = (clean(value) or None) if isinstance(value, str) else value
        yield row | {"retracted": hit.record.retracted}
