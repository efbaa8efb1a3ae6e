"""How the time of a piece of work grows with its size: measured so that a busy machine does not
fail a test."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Linear work of four times the size takes four times as long; quadratic work takes sixteen times
#: as long.
TIMES, MOST = 4, 8.0
#: Seconds of CPU below which a run says nothing about growth.
FLOOR = 0.002
ROUNDS = 16
#: Seconds between two of the later rounds: what disturbs the machine may end meanwhile.
PAUSE = 0.1
#: Runs of the smaller size in a round: a single one that is slow by chance, or that fills a table
#: at first, would hide the growth.
REPEATS = 3


#: Whether the test that runs is marked `slow`; tests/conftest.py sets it before each.
allowed = False


def seconds(run: Callable[[], object]) -> float:
    """CPU time of a call."""
    assert allowed, "a test that measures time depends on the machine: mark it `slow`"
    began = time.process_time()
    run()
    return time.process_time() - began


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times as long the work takes at four times the size; below `MOST` for linear work.

    Both sizes are measured in turn, and the round in which they differ least counts: what disturbs
    the machine makes single runs slower, but rarely the three smaller ones of a round and not the
    larger one.

    Args:
        work: Size -> the call to measure; what it needs is made before.
        size: The smaller of the two sizes.
    """
    small, large = work(size), work(TIMES * size)
    least = float("inf")
    for number in range(ROUNDS):
        if number >= ROUNDS // 2:
            time.sleep(PAUSE)
        shorter, longer = min(seconds(small) for _ in range(REPEATS)), seconds(large)
        least = min(least, longer / max(shorter, FLOOR / MOST))
        if least <= MOST:
            break
    return least
