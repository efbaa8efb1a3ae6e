"""How the time of a piece of work grows with its size: measured so that a busy machine does not
fail a test."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Half of a size is compared with four times that size: linear work takes eight times as long,
#: quadratic work sixty-four times, and what lies between the two is three times either at least.
#: With a size against four times that size, what a busy machine adds made one run of a thousand
#: fail.
TIMES, MOST = 4, 24.0
#: Seconds of CPU below which a run says nothing about growth.
FLOOR = 0.004
ROUNDS = 16
#: Seconds between two of the later rounds: what disturbs the machine may end meanwhile.
PAUSE = 0.1
#: Runs of the smaller size in a round: a single one that is slow by chance, or that fills a table
#: at first, would hide the growth.
REPEATS = 3


#: Whether the test that runs is marked `slow`; tests/conftest.py sets it before each.
allowed = False


def check_may_measure() -> None:
    assert allowed, "a test that measures time depends on the machine: mark it `slow`"


def seconds(run: Callable[[], object]) -> float:
    """CPU time of a call."""
    check_may_measure()
    began = time.process_time()
    run()
    return time.process_time() - began


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times as long the work takes at four times the size as at half of it; below `MOST`
    for linear work.

    Args:
        work: Size -> the call to measure; what it needs is made before.
        size: That which lies between the two.
    """
    shorter, longer = least(work(size // 2), work(TIMES * size))
    return longer / max(shorter, FLOOR / MOST)


def least(small: Callable[[], object], large: Callable[[], object]) -> tuple[float, float]:
    """The least CPU time of either call.

    Both are measured in turn, and the least of all rounds counts: what disturbs the machine makes
    single runs slower, none faster. Rounds end where the work is linear, so that only what seems
    not to be so is measured long.
    """
    shorter = longer = float("inf")
    for number in range(ROUNDS):
        if number >= ROUNDS // 2:
            time.sleep(PAUSE)
        shorter = min(shorter, *(seconds(small) for _ in range(REPEATS)))
        longer = min(longer, seconds(large))
        if longer <= MOST * max(shorter, FLOOR / MOST):
            break
    return shorter, longer
