"""The number of searches that may run at once follows how long work waits, and bursts do not move
it."""

from __future__ import annotations

from metasearch.server.limits.adaptive_limit import (
    CLOSED,
    FIRST,
    LEAST,
    TARGET,
    WHILE,
    AdaptiveLimit,
)

TICK = WHILE / 7.9


def passes(
    pace: AdaptiveLimit, whiles: int, turn: float, *, running: int | None = None, late: float = 0.0
) -> AdaptiveLimit:
    """So many whiles in which work always waits for so long; by default as many run as may."""
    for _ in range(whiles * 8):
        pace.measured(late, turn, TICK, pace.limit if running is None else running)
    return pace


def test_it_falls_while_work_waits_too_long():
    """Down to those that always may run, and no further."""
    assert passes(AdaptiveLimit(64), 1, 2 * TARGET).limit < FIRST
    assert passes(AdaptiveLimit(64), 100, 2 * TARGET).limit == LEAST


def test_it_falls_from_what_runs_and_not_from_what_might():
    """Where twelve searches are too many, it is below twelve at once."""
    assert passes(AdaptiveLimit(64), 2, 2 * TARGET, running=12).limit < 12


def test_it_grows_while_work_hardly_waits():
    """By one a while, up to the most."""
    assert passes(AdaptiveLimit(64), 5, 0.0).limit == FIRST + 5
    assert passes(AdaptiveLimit(64), 200, 0.0).limit == 64


def test_it_does_not_grow_unused():
    """Where few search, nothing is learned about many."""
    assert passes(AdaptiveLimit(64), 50, 0.0, running=3).limit == FIRST


def test_it_stays_in_between():
    """Between half of what work may wait and that, nothing changes: it does not go up and down."""
    assert passes(AdaptiveLimit(64), 50, 0.75 * TARGET).limit == FIRST


def test_bursts_are_no_overload():
    """Pages that come together wait for one another; what counts is whether the line ever gets
    short."""
    pace = AdaptiveLimit(64)
    for number in range(400):
        pace.measured(0.0, 0.0 if number % 8 == 0 else 20 * TARGET, TICK, FIRST)

    assert pace.limit >= FIRST


def test_a_loop_that_stood_still_once_is_no_overload():
    """One callback of three seconds costs no seats; it lets nobody in for a moment."""
    pace = AdaptiveLimit(64)
    pace.measured(3.0, 0.0, 3.05, 10)

    assert pace.closed
    assert pace.wait == 0.0
    passes(pace, 3, 0.0, running=10)
    assert not pace.closed
    assert pace.limit == FIRST


def test_a_loop_that_is_always_late_lets_nobody_in():
    """Whatever it is that keeps it."""
    assert passes(AdaptiveLimit(64), 10, 0.0, late=2 * CLOSED).closed


def test_few_are_few():
    """A worker that may run two searches has two seats, always."""
    assert (
        AdaptiveLimit(2).limit
        == passes(AdaptiveLimit(2), 50, 10 * TARGET).limit
        == passes(AdaptiveLimit(2), 50, 0.0).limit
        == 2
    )


def test_rest():
    """When nothing runs nothing is late any more; what was learned stays."""
    pace = passes(AdaptiveLimit(64), 10, 0.0, late=2 * CLOSED)
    learned = pace.limit
    pace.rest()

    assert not pace.closed
    assert pace.limit == learned
