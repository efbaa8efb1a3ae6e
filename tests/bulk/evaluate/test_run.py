"""A set is clustered in its own order and in others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.bulk.evaluate import run
from metasearch.bulk.evaluate.datasets import read
from metasearch.bulk.evaluate.run import cluster, evaluate
from metasearch.dedup import DEFAULT, Chain, Fingerprint, OnlineDedup, fingerprint
from metasearch.record import Record
from tests.bulk.evaluate.samples import write


def test_figures_of_a_set(tmp_path: Path) -> None:
    """The default chain on five records of three works."""
    it = evaluate(read(write(tmp_path)), DEFAULT)

    assert sorted(map(tuple, it.clusters)) == [(0, 2), (1, 4), (3,)]
    assert it.score.tally.f1 == 1.0
    assert it.shuffled is None


def test_the_chain_decides(tmp_path: Path) -> None:
    """Another chain, other clusters."""
    labelled = read(write(tmp_path))

    assert len(evaluate(labelled, Chain(())).clusters) == 5
    assert len(evaluate(labelled, DEFAULT).clusters) == 3


def test_speed_is_cpu_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Records per CPU second, and nothing for a clock that has not moved."""
    times = iter([10.0, 12.5])
    monkeypatch.setattr(run.time, "process_time", lambda: next(times))

    it = evaluate(read(write(tmp_path)), DEFAULT)

    assert (it.seconds, it.rate) == (2.5, 2.0)
    assert replace(it, seconds=0.0).rate == 0.0


def test_shuffled_orders_that_agree(tmp_path: Path) -> None:
    """Other orders give the same clusters: all are told to be alike."""
    it = evaluate(read(write(tmp_path)), DEFAULT, shuffles=3)

    assert it.shuffled is not None
    assert (it.shuffled.runs, it.shuffled.alike, it.shuffled.lowest, it.shuffled.highest) == (
        3,
        3,
        1.0,
        1.0,
    )


def test_shuffled_orders_that_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dedup that merges whatever comes first shows in the range, which is about the records and
    not their places."""

    class FirstTwo(OnlineDedup):
        def clusters(self) -> list[list[int]]:
            found = [n for cluster in super().clusters() for n in cluster]
            return [sorted(found)[:2]]

    monkeypatch.setattr(run, "OnlineDedup", FirstTwo)
    labelled = read(write(tmp_path, truth=[{"cluster": ["A1", "B1"]}]))

    it = evaluate(labelled, DEFAULT, shuffles=20)

    assert it.shuffled is not None
    assert (it.shuffled.lowest, it.shuffled.highest) == (0.0, 1.0)
    assert 0 < it.shuffled.alike < 20


def test_seed_chooses_the_orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed, the same orders."""
    seen: list[list[str]] = []
    original = cluster

    def watched(records: list[Record], *how: Any) -> tuple[OnlineDedup, list[list[int]], float]:
        seen.append([record.source_id for record in records])
        return original(records, *how)

    monkeypatch.setattr(run, "cluster", watched)
    labelled = read(write(tmp_path))
    for seed in (7, 7, 8):
        evaluate(labelled, DEFAULT, shuffles=2, seed=seed)

    one, same, other = seen[:3], seen[3:6], seen[6:]
    assert one == same != other
    assert one[0] == other[0] == ["A1", "B1", "A2", "C", "B2"]


def test_fingerprints_that_are_there_are_used(tmp_path: Path) -> None:
    """Fingerprints may be kept from one run to the next: no record is taken apart again."""
    labelled = read(write(tmp_path))
    prints = [fingerprint(record) for record in labelled.records]

    it = evaluate(labelled, Chain((Seen(prints),)), prints=prints)

    assert len(it.clusters) == 5
    assert it.kinds is None


class Seen:
    """A matcher that insists on certain fingerprints."""

    name, exact = "seen", False

    def __init__(self, prints: list[Fingerprint]) -> None:
        self.prints = prints

    def keys(self, it: Fingerprint) -> list[str]:
        assert any(it is known for known in self.prints)
        return []

    def compare(self, a: Fingerprint, b: Fingerprint) -> None:
        return None


def test_what_was_capped_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparisons that dedup passes over are counted."""

    class Capped(OnlineDedup):
        passed_over = 7

    labelled = read(write(tmp_path))
    assert evaluate(labelled, DEFAULT).passed_over == 0

    monkeypatch.setattr(run, "OnlineDedup", Capped)
    assert evaluate(labelled, DEFAULT).passed_over == 7
