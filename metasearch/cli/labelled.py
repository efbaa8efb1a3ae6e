"""The rows of a labelled set (docs/evaluation.md) as one file among others, so that `dedup` can be scored on it."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from metasearch.bulk.inputs import STDIN, Input
from metasearch.bulk.job import ROWS
from metasearch.evaluate.rows import RowReader
from metasearch.files import FORMATS, MOST_BYTES, Reading
from metasearch.files.json_items import load
from metasearch.files.shelf import TELLING, Shelf
from metasearch.normalise import plain

#: Bytes of a first line that are looked at.
_HEAD = 1_000_000
_ENDINGS = (".jsonl", ".ndjson", ".json")
#: Keys of what we write ourselves, which no row has.
_OURS = frozenset({"event", "rank", "position", "hits"})


def read_rows(it: Input) -> Reading | None:
    """The rows of a file; None where its first line is no row, or the file cannot be read: others tell why."""
    name = it.path.name.lower().removesuffix(".gz")
    if it.path == STDIN or not name.endswith(_ENDINGS) or not it.path.is_file():  # a pipe can be read only once
        return None
    try:
        with it.path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(it.path) if packed else it.path.open("rb") as stream:
            head = stream.readline(_HEAD)
            line = head.decode("utf-8-sig", "replace")
            if not _is_row(_object(line)) or FORMATS["csl-json"].looks_like(line):
                return None
            data = head + stream.read(MOST_BYTES)
    except (OSError, EOFError, zlib.error):
        return None
    return None if len(data) > MOST_BYTES else _reading(data.decode("utf-8-sig", "replace"), it.name)


def _reading(text: str, name: str) -> Reading:
    reading = Reading(name, ROWS, "utf-8")
    shelf = Shelf(reading)
    reader = RowReader(name)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        row = _object(line)
        if row is None or not _is_row(row):
            shelf.lose(number, "the line is no row of a labelled set and was left out: no JSON object with an id")
            continue
        record = reader.record(row)
        if not any(getattr(record, field) for field in TELLING):
            shelf.lose(number, "the row is left out: it says nothing that tells a work")
            continue
        own = shelf.own(record.source_id)
        if not own:
            shelf.remark(number, f"an earlier row has the id {record.source_id[:100]!r}, too; the record was kept")
        database = plain(str(row.get("source") or ""))
        shelf.keep(number, replace(record, source_id=own, position=shelf.position + 1), database or None)
    for note in reader.notes():
        shelf.remark(0, note)
    return reading


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        found = load(line)
    except ValueError:
        return None
    return found if isinstance(found, Mapping) else None


def _is_row(row: Mapping[str, Any] | None) -> bool:
    return row is not None and type(row.get("id")) in (str, int) and row["id"] != "" and not _OURS & row.keys()
