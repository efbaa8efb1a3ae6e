"""What the dedup stage keeps of a record."""

from __future__ import annotations

import tracemalloc

from metasearch.bulk.evaluate import compare as memory
from metasearch.bulk.evaluate.compare import memory_per_record
from metasearch.dedup import Chain, Fingerprint
from metasearch.record import Match, Record


class Keeps:
    """A matcher that keeps so many bytes of each record."""

    name, exact = "keeps", False

    def __init__(self, size: int) -> None:
        self.size = size

    def keys(self, it: Fingerprint) -> list[str]:
        it.once("bytes", lambda _: bytes(self.size))
        return []

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        return None


RECORDS = [
    Record(source="s", source_id=str(number), title=f"Title {number}") for number in range(100)
]


def test_signatures_are_counted() -> None:
    """Ten thousand bytes more in each signature are ten thousand bytes more a record."""
    small, large = (memory_per_record(RECORDS, Chain((Keeps(size),))) for size in (1_000, 11_000))

    assert 9_500 < large - small < 10_500
    assert 1_000 < small < 5_000


def test_records_themselves_are_not_counted() -> None:
    """The records were there before."""
    long = [
        Record(source="s", source_id=str(number), abstract="x" * 100_000) for number in range(20)
    ]

    assert memory_per_record(long, Chain(())) < 10_000


def test_nothing_goes_on_afterwards() -> None:
    """Tracing ends; and where somebody traces already, that goes on."""
    memory_per_record(RECORDS, Chain(()))
    assert not tracemalloc.is_tracing()

    tracemalloc.start()
    try:
        memory_per_record(RECORDS, Chain(()))
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_a_few_records_are_enough(monkeypatch) -> None:
    """Of a large set only the first ones are looked at; of an empty one nothing is kept."""
    monkeypatch.setattr(memory, "TRACED", 10)
    untouched = [*RECORDS[:10], None]

    assert memory_per_record(untouched, Chain(())) > 0
    assert memory_per_record([], Chain(())) == 0.0
