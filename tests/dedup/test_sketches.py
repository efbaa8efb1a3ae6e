"""Sketches: what they call strangers, no matcher that is not exact makes one work."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given

from benchmarks.generated import Library
from metasearch.dedup import DEFAULT, Fingerprint
from metasearch.dedup.matchers import Chain, Url
from metasearch.dedup.online import has_sketches, sketch, strangers
from metasearch.record import Record
from tests.dedup.records import records


def wrong(rows: list[Record]) -> tuple[int, int]:
    """(pairs that are called strangers, those of them on which a matcher says something)."""
    prints = [(row, sketch(row)) for row in map(Fingerprint, rows)]
    apart = [(a, b) for (a, x), (b, y) in combinations(prints, 2) if strangers(x, y)]
    return len(apart), sum(DEFAULT.judge(a, b, exact=False) is not None for a, b in apart)


@given(records())
def test_near_twins(rows: list[Record]) -> None:
    """Never of those on which the chain has a verdict."""
    assert wrong(rows)[1] == 0


def test_a_library() -> None:
    """Nor in a library, of which they set most pairs apart."""
    rows = [row for _, row in Library(3).records(120)]
    called, errors = wrong(rows)
    assert errors == 0
    assert called > 0.5 * len(rows) * (len(rows) - 1) / 2


def test_only_chains_whose_matchers_are_known() -> None:
    """Exact matchers ask for equal keys and need no sketch; of others nothing is known."""
    assert has_sketches(DEFAULT)
    assert has_sketches(Chain((Url(),)))
