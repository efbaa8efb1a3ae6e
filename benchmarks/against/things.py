"""What is compared of a checkout, thing by thing; and what records change in a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from metasearch.dedup import DEFAULT, OnlineDedup, fingerprint
from metasearch.record import Record


class Outcome(NamedTuple):
    """One thing that was computed: what it is called, and its value as JSON."""

    name: str
    value: bytes


def changes(records: Iterable[Record], at_once: int = 1) -> list[list[Any]]:
    """What each so many records change in the list of a search."""
    dedup, told, coming = OnlineDedup(DEFAULT), [], iter(records)
    while some := list(islice(coming, at_once)):
        for record in some:
            dedup.insert(record, fingerprint(record))
        told.append(dedup.changes())
    return told


def pieces(values: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """The values, so many at a time."""
    for begin in range(0, len(values), size):
        yield values[begin : begin + size]
