from __future__ import annotations

from metasearch.adapters.fetch.health import ENOUGH, KEPT, LATE_FACTOR, LATE_FLOOR, History, Times
from metasearch.adapters.request import Request


def times(*seconds: float) -> Times:
    it = Times()
    for one in seconds:
        it.add(one)
    return it


def asked(size: int = 20, step: str = "") -> Request:
    return Request(source="db", url="https://x.example/", size=size, step=step)


def test_nothing_follows_from_a_few_answers() -> None:
    """Until enough have come, no exchange is late; people see the figures at once."""
    assert times().quantile(0.5) is None
    few = times(*[1.0] * (ENOUGH - 1))

    assert (few.usual, few.longest) == (None, None)
    assert few.quantile(0.5) == 1.0
    few.add(1.0)
    assert (few.usual, few.longest) == (1.0, LATE_FACTOR)


def test_the_usual_time_is_that_of_95_in_100() -> None:
    """By nearest rank; one odd answer in twenty does not move it, however odd."""
    assert times(*(number / 100 for number in range(100, 0, -1))).usual == 0.95
    assert times(*[0.5] * 19, 600.0).usual == 0.5


def test_only_the_last_answers_count() -> None:
    """What is remembered is bounded; a source that has become slow is soon known as slow."""
    it = times(*[0.1] * 1000, *[3.0] * KEPT)

    assert it.quantile(0.0) == 3.0
    assert len(it._sorted) == len(it._arrived) == KEPT


def test_a_quick_source_gets_more_than_a_multiple_of_nothing() -> None:
    """Floors: below them nobody notices."""
    it = times(*[0.001] * ENOUGH)

    assert it.longest == LATE_FLOOR


def test_the_first_late_exchange_gives_time_to_the_next_ones() -> None:
    """After it only the source's own timeout counts, until enough answers have told how things are
    now."""
    it = times(*[0.1] * KEPT)
    it.late()
    for _ in range(ENOUGH):
        assert it.longest is None
        it.add(6.0)

    assert it.longest == LATE_FACTOR * 6.0


def test_pages_of_another_size_are_another_matter() -> None:
    """A page of a thousand records takes longer than one of twenty, and so may the second step of a
    search."""
    it = History()
    for _ in range(ENOUGH):
        it.add(asked(20), 0.1)

    assert it.of(asked(25)).usual == 0.1
    assert it.of(asked(1000)).usual is None
    assert it.of(asked(20, "efetch")).usual is None
    assert it.times.usual == 0.1
