"""The configuration of a search beside a hostile page, as a user writes it down."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.pages import PAGES
from benchmarks.pages.made import TYPES
from benchmarks.upstreams import UNLIMITED

#: The sources that are well, and the one that never answers.
HEALTHY, SILENT = ("healthy0", "healthy1", "healthy2"), "silence"
#: Records that each healthy one has for every query.
ROWS = 20
#: Seconds that a source has; the deadline of the search comes first.
TIMEOUT = 30.0
#: What a scraper of the HTML pages needs; the other shapes have specs of their own.
_SCRAPED: Mapping[str, Any] = {
    "request": {"params": {"q": "{query}", "rows": "{size}"}},
    "query": {"style": "expression", "fields": {"any": "{x}"}},
    "parse": {"body": "html", "records": "li"},
    "fields": {"title": "b", "authors": {"at": "i", "as": "names"}},
}


def benign(shape: str) -> str:
    """The name of the source with an ordinary page in that shape."""
    return f"benign-{shape}"


def configuration(hostile: str, healthy: str) -> str:
    """TOML with every page as a source of its own, which is asked only where it is named.

    Args:
        hostile: Base URL of the database that sends the pages.
        healthy: That of the others; another process, so that what one sends costs the others
            nothing.
    """
    allow = [base.removeprefix("http://") for base in (hostile, healthy)]
    lines = [
        "[network]",
        f"allow = {json.dumps(allow)}",
        "[cache]",
        "enabled = false",
        "[server]",
        "rate_limit = 0",
    ]
    tables = {
        name: _table("crossref", f"{healthy}/healthy/{number}")
        for number, name in enumerate(HEALTHY)
    }
    tables |= {benign(shape): _table(shape, f"{healthy}/benign/{shape}") for shape in TYPES}
    tables |= {
        page.name: _table(page.shape, f"{hostile}/hostile/{page.name}") for page in PAGES.values()
    }
    lines += ["[search]", f"sources = {json.dumps(HEALTHY)}"]
    for name, table in tables.items():
        lines += [f"[sources.{name}]", *(f"{key} = {value}" for key, value in _flat(table))]
    return "\n".join((*lines, ""))


def written(folder: Path, hostile: str, healthy: str) -> Path:
    """The same in a file."""
    file = folder / "config.toml"
    file.write_text(configuration(hostile, healthy), encoding="utf-8")
    return file


def _table(shape: str, url: str) -> dict[str, Any]:
    spoken: dict[str, Any] = (
        {**_SCRAPED, "label": "A page"} if shape == "html" else {"extends": shape}
    )
    request = {**spoken.get("request", {}), "url": url}
    return {**spoken, "request": request, "limits": {**UNLIMITED, "timeout": TIMEOUT}}


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Dotted keys and values; JSON writes texts and numbers as TOML does."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, json.dumps(value)
