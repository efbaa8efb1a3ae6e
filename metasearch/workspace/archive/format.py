"""What the writer and the reader of archives share: names, dates, and the numbers in texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import orjson

#: What the manifest says an archive is, and the version of its layout.
FORMAT, VERSION = "metasearch project archive", 1
MANIFEST = "manifest.json"
#: Of every member: an archive of the same project has the same bytes on every day.
DATE = (1980, 1, 1, 0, 0, 0)
#: Where the pages of a run are: "recorded/1/crossref/0123456789abcdef/page.json", of the run with
#: that number, as adapters/fetch/cassette.py names them.
PAGE = re.compile(
    r"recorded/(?P<run>[1-9]\d{0,6})/(?P<path>[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}/[0-9a-f]{16}/"
    r"(?:request\.json|page\.json|body\.(?:json|xml|html|txt)))"
)
#: The beginning of `change.object`, where it names a row -> its table.
_OBJECTS = {
    "strategy": "strategy",
    "step": "strategy",
    "other_source": "other_source",
    "pin": "pin",
    "known_work": "known_work",
    "report": "report",
    "answer": "answer",
    "record": "record",
}
_OBJECT = re.compile(r"([a-z_]+):(\d{1,18})(/.*)?", re.DOTALL)

#: (table, number of a row) -> its other number, or None where there is no such row.
Renumber = Callable[[str, int], int | None]


def table_member(name: str) -> str:
    """The name of the member that holds a table."""
    return f"tables/{name}.jsonl"


def renumbered_object(text: str, renumber: Renumber) -> str:
    """What a line of the log is about, with the row that it names under its other number. 0 stands
    for a row that is gone.
    """
    found = _OBJECT.fullmatch(text)
    if found is None or found[1] not in _OBJECTS:
        return text
    number = renumber(_OBJECTS[found[1]], int(found[2])) or 0
    return f"{found[1]}:{number}{found[3] or ''}"


def renumbered_origin(details: str, renumber: Renumber) -> str:
    """The details of a strategy, with the one that it is a copy of under its other number."""
    if '"derived_from"' not in details:
        return details
    found: Any = orjson.loads(details)
    origin = found.get("derived_from") if isinstance(found, dict) else None
    if not isinstance(origin, dict) or type(origin.get("id")) is not int:
        return details
    origin["id"] = renumber("strategy", origin["id"]) or 0
    return orjson.dumps(found).decode()
