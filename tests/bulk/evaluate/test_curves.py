"""Other thresholds, and other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metasearch.bulk.evaluate import compare
from metasearch.bulk.evaluate.compare import CurvePoint, GrowthPoint, curve, growth
from metasearch.bulk.evaluate.datasets import read
from metasearch.dedup import Chain, Fingerprint, fingerprint
from metasearch.record import Record
from tests.bulk.evaluate.samples import write_rows
from tests.bulk.evaluate.strategies import SharedWords, fixed, strategy


def test_precision_and_recall_over_the_threshold(tmp_path: Path) -> None:
    """Three words in common, two, one: what is found grows, and so does what is found wrongly."""
    labelled = read(write_rows(tmp_path / "s.jsonl"))
    prints = [fingerprint(record) for record in labelled.records]

    points = curve(labelled, strategy(), prints)

    assert [point.threshold for point in points] == [3.0, 2.0, 1.0]
    # Nobody shares three; with two, {a, cut, x} and {b, cut}; with one, all are one.
    assert [(point.precision, point.recall) for point in points] == [
        (1.0, 0.0),
        (2 / 4, 2 / 4),
        (4 / 15, 1.0),
    ]
    assert points[1] == CurvePoint(2.0, 0.5, 0.5, 0.5)


def test_fingerprints_serve_all_thresholds(tmp_path: Path) -> None:
    """A record is taken apart once, however many thresholds are tried."""
    labelled = read(write_rows(tmp_path / "s.jsonl"))
    matcher = SharedWords()
    prints = [fingerprint(record) for record in labelled.records]

    curve(labelled, strategy(chain=Chain((matcher,))), prints)

    assert sorted(matcher.read) == sorted(record.title for record in labelled.records)


def test_without_a_threshold_there_is_no_curve(tmp_path: Path) -> None:
    """Some strategies have none."""
    labelled = read(write_rows(tmp_path / "s.jsonl"))

    assert curve(labelled, fixed(), []) == ()


RECORDS = [
    Record(source="s", source_id=str(number), title=f"Title {number}") for number in range(50)
]


@pytest.fixture
def clustered(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Record]]:
    """What was clustered; it takes a CPU second for ten records."""
    seen: list[Sequence[Record]] = []

    def fake(records: Sequence[Record], *_: Any) -> tuple[None, list[list[int]], float]:
        seen.append(records)
        return None, [], len(records) / 10

    monkeypatch.setattr(compare, "cluster", fake)
    return seen


def test_time_for_each_size(clustered: list[Sequence[Record]]) -> None:
    """The sizes that are smaller than the set, and the whole; sizes that it does not have are left
    out."""
    points = growth(RECORDS, Chain(()), (20, 10, 50, 1_000))

    assert points == (GrowthPoint(10, 1.0), GrowthPoint(20, 2.0), GrowthPoint(50, 5.0))
    assert list(clustered[-1]) == RECORDS


def test_parts_are_chosen_by_seed(clustered: list[Sequence[Record]]) -> None:
    """A part is in the order of the file and within the next larger one; the seed chooses it."""
    for seed in (1, 1, 2):
        growth(RECORDS, Chain(()), (10, 20), seed)

    small, large, _ = clustered[:3]
    places = [[RECORDS.index(record) for record in part] for part in (small, large)]
    assert set(places[0]) < set(places[1])
    assert places[0] == sorted(places[0])
    assert clustered[:3] == clustered[3:6] != clustered[6:]


def test_small_sizes_are_measured_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes no time is tried again, and the shortest time counts."""
    times = iter([0.2, 0.1, 0.3, 9.0])
    monkeypatch.setattr(compare, "cluster", lambda *_: (None, [], next(times)))

    assert growth(RECORDS, Chain(()), ()) == (GrowthPoint(50, 0.1),)
    assert next(times) == 9.0


def test_time_is_taken_with_new_fingerprints() -> None:
    """Nothing is kept from one size, or one try, to the next."""
    seen: list[Fingerprint] = []

    class Watches(SharedWords):
        def keys(self, it: Fingerprint) -> list[str]:
            seen.append(it)
            return []

    growth(RECORDS, Chain((Watches(),)), (10,))

    assert len(set(map(id, seen))) == len(seen) >= 60
