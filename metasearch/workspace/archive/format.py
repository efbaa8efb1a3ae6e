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
#: What `change.object` is where it names a row.
_OBJECT = re.compile(r"other_source:(\d{1,18})", re.ASCII)

#: (table, number of a row) -> its other number, or None where there is no such row.
Renumber = Callable[[str, int], int | None]


def table_member(name: str) -> str:
    """The name of the member that holds a table."""
    return f"tables/{name}.jsonl"


def renumbered_object(text: str, renumber: Renumber) -> str:
    """What a line of the log is about, with the row that it names, which only other sources are
    named by, under its other number. 0 stands for a row that is gone.
    """
    found = _OBJECT.fullmatch(text)
    return text if found is None else f"other_source:{renumber('other_source', int(found[1])) or 0}"


def renumbered_numbers(data: str, renumber: Renumber) -> str:
    """The numbers of a finished report (reports/numbers.py), with the rows that they name under
    their other numbers; the report itself names none.
    """
    found: Any = orjson.loads(data)
    counted = found.get("numbers") if isinstance(found, dict) else None
    if not isinstance(counted, dict):
        return data
    _renumber(counted, "last_run_id", "run", renumber)
    for one in _objects(counted.get("other")):
        _renumber(one, "id", "other_source", renumber)
    for previous in _objects([counted.get("previous")]):
        _renumber(previous, "run", "run", renumber)
        others = previous.get("other_sources")
        if isinstance(others, list):
            ids = [one for one in others if type(one) is int]
            previous["other_sources"] = [renumber("other_source", one) or 0 for one in ids]
    return orjson.dumps(found, option=orjson.OPT_SORT_KEYS).decode()


def _objects(found: Any) -> list[dict[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _renumber(found: dict[str, Any], key: str, table: str, renumber: Renumber) -> None:
    if type(found.get(key)) is int:
        found[key] = renumber(table, found[key]) or 0
