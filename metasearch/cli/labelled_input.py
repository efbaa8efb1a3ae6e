"""Reads the rows of a labelled set (docs/evaluation.md) as an input file of `metasearch dedup`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from metasearch.bib.markup import plain
from metasearch.bulk.job import ROWS
from metasearch.errors import FileFormatError
from metasearch.evaluate.jsonl import LONGEST_LINE
from metasearch.evaluate.rows import LabelledRowReader
from metasearch.formats import READABLE
from metasearch.formats.reading import FileReading, HandOut, most_bytes
from metasearch.formats.reading.content import content_of
from metasearch.formats.reading.encodings import Found
from metasearch.formats.reading.entries import TELLING, EntryCollector
from metasearch.formats.reading.inputs import STDIN, Input
from metasearch.formats.reading.json_items import load
from metasearch.formats.reading.result import Entry
from metasearch.formats.reading.text_pieces import DecodedText

#: Characters of the first line that are examined.
_HEAD = 1_000_000
_ENDINGS = (".jsonl", ".ndjson", ".json")
#: Keys of the JSON that metasearch writes; no row has them.
_OURS = frozenset({"event", "rank", "position", "hits"})


def read_rows(file: Input, hand_out: HandOut | None = None) -> FileReading | None:
    """The rows of a file; None if its first line is not a row, or if the file cannot be read. Other
    readers then read the file, or report why they cannot.

    `hand_out`: as in `metasearch.formats.reading.read_file`; what was handed out is not valid where
    None is returned. Raises NotTaken: `hand_out` raised an OSError or a MemoryError.
    """
    name = file.path.name.lower().removesuffix(".gz")
    # A pipe can be read only once.
    if file.path == STDIN or not name.endswith(_ENDINGS) or not file.path.is_file():
        return None
    try:
        most = most_bytes(hand_out)
        with content_of(file.path, file.name, most, pipes=False) as content:
            text = DecodedText(content.blocks, file.name, Found("utf-8", legal=True, notes=[]))
            first = next(text.lines(_HEAD))
            if not _is_row(_object(first)) or READABLE["csl-json"].looks_like(first):
                return None
            reading = _reading(text, file.name, hand_out)
            return None if content.problem else reading
    except (FileFormatError, OSError):
        return None


def _reading(text: DecodedText, name: str, hand_out: HandOut | None) -> FileReading:
    reading = FileReading(name, ROWS, "utf-8", hand_out=hand_out)
    collector = EntryCollector(reading)
    reader = LabelledRowReader(name)
    for number, line in enumerate(text.lines(LONGEST_LINE), 1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            collector.lose(
                number, f"the line has more than {LONGEST_LINE:,} characters and was left out"
            )
            continue
        row = _object(line)
        if row is None or not _is_row(row):
            collector.lose(
                number,
                "the line is not a row of a labelled set (an object with an id) and was left out",
            )
            continue
        record = collector.attempt(number, partial(reader.read, row))
        if record is None:
            continue
        if not any(getattr(record, field) for field in TELLING):
            collector.lose(number, "the row is left out: it has no field that identifies a work")
            continue
        own = collector.own(record.source_id)
        if not own:
            collector.remark(
                number,
                f"an earlier row has the id {record.source_id[:100]!r}, too; the record was kept",
            )
        database = plain(str(row.get("source") or ""))
        collector.keep(
            Entry(
                replace(record, source_id=own, position=collector.position + 1),
                number,
                database or None,
            )
        )
    for note in reader.notes():
        collector.remark(0, note)
    reading.finish()
    return reading


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        value = load(line)
    except ValueError:
        return None
    return value if isinstance(value, Mapping) else None


def _is_row(row: Mapping[str, Any] | None) -> bool:
    return (
        row is not None
        and type(row.get("id")) in (str, int)
        and row["id"] != ""
        and not _OURS & row.keys()
    )
