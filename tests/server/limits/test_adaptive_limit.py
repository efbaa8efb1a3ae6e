"""The number of searches that may run at once follows how long work waits, and bursts do not move
it."""

from __future__ import annotations

from metasearch.server.limits.admission import CLOSED, FIRST, INTERVAL, LEAST, TARGET, AdaptiveLimit

TICK = INTERVAL / 7.9


def passes(
    limit: AdaptiveLimit,
    intervals: int,
    turn: float,
    *,
    running: int | None = None,
    late: float = 0.0,
) -> AdaptiveLimit:
    """So many intervals in which work always waits for so long; by default as many run as may."""
    for _ in range(intervals * 8):
        limit.adjust(late, turn, TICK, limit.value if running is None else running)
    return limit


def test_it_falls_while_work_waits_too_long():
    """Down to those that always may run, and no further."""
    assert passes(AdaptiveLimit(64), 1, 2 * TARGET).value < FIRST
    assert passes(AdaptiveLimit(64), 100, 2 * TARGET).value == LEAST


def test_it_falls_from_what_runs_and_not_from_what_might():
    """Where twelve searches are too many, it is below twelve at once."""
    assert passes(AdaptiveLimit(64), 2, 2 * TARGET, running=12).value < 12


def test_it_grows_while_work_hardly_waits():
    """By one a while, up to the most."""
    assert passes(AdaptiveLimit(64), 5, 0.0).value == FIRST + 5
    assert passes(AdaptiveLimit(64), 200, 0.0).value == 64


def test_it_does_not_grow_unused():
    """Where few search, nothing is learned about many."""
    assert passes(AdaptiveLimit(64), 50, 0.0, running=3).value == FIRST


def test_it_stays_in_between():
    """Between half of what work may wait and that, nothing changes: it does not go up and down."""
    assert passes(AdaptiveLimit(64), 50, 0.75 * TARGET).value == FIRST


def test_bursts_are_no_overload():
    """Pages that come together wait for one another; what counts is whether the line ever gets
    short."""
    limit = AdaptiveLimit(64)
    for number in range(400):
        limit.adjust(0.0, 0.0 if number % 8 == 0 else 20 * TARGET, TICK, FIRST)

    assert limit.value >= FIRST


def test_a_loop_that_stood_still_once_is_no_overload():
    """One callback of three seconds costs no permits; it lets nobody in for a moment."""
    limit = AdaptiveLimit(64)
    limit.adjust(3.0, 0.0, 3.05, 10)

    assert limit.closed
    assert limit.wait == 0.0
    passes(limit, 3, 0.0, running=10)
    assert not limit.closed
    assert limit.value == FIRST


def test_a_loop_that_is_always_late_lets_nobody_in():
    """Whatever it is that keeps it."""
    assert passes(AdaptiveLimit(64), 10, 0.0, late=2 * CLOSED).closed


def test_few_are_few():
    """A worker that may run two searches has two permits, always."""
    assert (
        AdaptiveLimit(2).value
        == passes(AdaptiveLimit(2), 50, 10 * TARGET).value
        == passes(AdaptiveLimit(2), 50, 0.0).value
        == 2
    )


def test_rest():
    """When nothing runs nothing is late any more; what was learned stays."""
    limit = passes(AdaptiveLimit(64), 10, 0.0, late=2 * CLOSED)
    learned = limit.value
    limit.rest()

    assert not limit.closed
    assert limit.value == learned
