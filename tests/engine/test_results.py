"""The list of a search: new hits get places in steps, and no other search comes between."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.specs.registry import Registry
from metasearch.dedup import fingerprint, strategy
from metasearch.dedup.pins import Pins
from metasearch.engine.options import SearchOptions
from metasearch.engine.pages import PositionStore
from metasearch.engine.resolve import ResolvedSearch, resolve_options
from metasearch.engine.results import Listing
from metasearch.engine.scores import STRETCH, all_at_once
from metasearch.record import Hit, Record
from metasearch.settings import Settings
from tests import unlike
from tests.cases import sample
from tests.examples import examples

T = TypeVar("T")

REGISTRY = Registry(Settings())
COUNT = 2 * STRETCH


def asked(store: PositionStore, start: int, **options: object) -> ResolvedSearch:
    chosen = SearchOptions(query="soil", sources=["crossref"], start=start, **options)  # type: ignore[arg-type]
    return resolve_options(chosen, REGISTRY, Settings(), strategy("default"), Pins(), store)


def record(number: int) -> Record:
    return Record(
        source="crossref",
        position=number + 1,
        title=f"Soil {unlike.words(number)}",
        source_id=str(number),
        year=1900 + number % 90,
    )


def filled(store: PositionStore, start: int, numbers: Iterable[int], **options: object) -> Listing:
    listing = Listing(asked(store, start, **options), {}, store)
    listing.insert((one, fingerprint(one)) for one in map(record, numbers))
    return listing


def steps_of(steps: Generator[None, None, T], most: int) -> T | None:
    """Take so many steps; the result, where they are all."""
    for _ in range(most):
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
    return None


def told(hits: Iterable[Hit]) -> list[tuple[int, str, float]]:
    return [(hit.rank, hit.id, hit.score) for hit in hits]


@examples(0.3)
@given(first=st.integers(0, COUNT), second=st.integers(1, COUNT), steps=st.integers(0, 30))
@pytest.mark.parametrize("options", sample([{"filter": ["year:1930.."]}, {}], 2))
def test_two_searches_for_pages_of_one_list(
    options: dict[str, object], first: int, second: int, steps: int
) -> None:
    """Wherever the first one waits for its turn while the second one gives its hits their places,
    it finds what it would have found after the second one."""
    results = []
    for most in (0, steps):
        store = PositionStore()
        all_at_once(filled(store, 0, range(first), **options).snapshot((), settle=True))
        one = filled(store, 20, range(COUNT), **options)
        other = filled(store, 20, range(second), **options)
        settling = one.snapshot((), settle=True)
        begun = steps_of(settling, most)
        if begun is not None:  # it has ended before the other one
            return
        others = all_at_once(other.snapshot((), settle=True)).hits
        results.append((told(others), told(all_at_once(settling).hits), len(store)))

    assert results[0] == results[1]


def test_a_long_list_is_settled_in_steps() -> None:
    """Each has a stretch of hits at most."""
    listing = filled(PositionStore(), 0, range(COUNT))

    assert sum(1 for _ in listing.snapshot((), settle=True)) >= 3 * COUNT / STRETCH
