"""Keys that stay: many sources and files give no identifiers, and a position is none."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import orjson

from metasearch.record import Record

#: Hexadecimal digits of an identifier that is made of what a record says: 64 bits.
_DIGITS = 16
#: What such an identifier begins with.
_MADE = "~"


def named(record: Record) -> Record:
    """The record, with an identifier that is made of what it says where its source gives none.

    The same description of a work has the same identifier in every answer and file.
    """
    return record if record.source_id else replace(record, source_id=_MADE + _content(record))


def all_named(records: Sequence[Record]) -> list[Record]:
    """The records of a file, each with a key of its own; what is twice in it is kept twice."""
    seen: Counter[str] = Counter()
    kept: list[Record] = []
    for record in map(named, records):
        seen[record.key] += 1
        times = seen[record.key]
        again = record if times == 1 else replace(record, source_id=f"{record.source_id}~{times}")
        kept.append(again)
    return kept


def _content(record: Record) -> str:
    said = [
        record.title,
        record.subtitle,
        [author.name for author in record.authors],
        record.year,
        record.date,
        record.venue,
        record.publisher,
        record.institution,
        record.edition,
        record.volume,
        record.issue,
        record.pages,
        record.doi,
        sorted(record.ids.items()),
        record.version,
        record.isbn,
        record.issn,
        record.type,
        record.url,
    ]
    return hashlib.sha256(orjson.dumps(said)).hexdigest()[:_DIGITS]
