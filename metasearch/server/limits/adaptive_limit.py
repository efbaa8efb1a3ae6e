"""How many searches may run at once, measured by how long work that is ready has to wait.

A search mostly waits for sources, so many may run at once. But one loop reads all answers, and
above some number each further search only makes all others slower. That number depends on the
machine, the sources and the queries, so it is measured. Pages arrive in bursts, and a burst is no
overload: the shortest wait of an interval counts, because a long one shows that the queue never got
short (as CoDel judges a queue). The limit grows by one after an interval in which the shortest wait
was less than half of `TARGET`, stays between half of it and `TARGET`, and falls by a tenth above it
(as TCP adjusts its window).
"""

from __future__ import annotations

import math

#: Seconds that work which is ready may wait for its turn.
TARGET = 0.05
#: Seconds of an interval, and the measurements that it needs: a loop that stopped once is no
#: overload.
INTERVAL, ENOUGH = 0.4, 4
#: The limit before anything was measured, and its lower bound: fewer searches would leave the
#: processor idle while they wait for sources.
FIRST, LEAST = 24, 8
#: Seconds that the loop is late, averaged over an interval, above which no search is admitted.
CLOSED = 0.5


class AdaptiveLimit:
    """The number of searches that may run at once.

    `most`: its upper bound. `wait`: seconds that work which is ready waited at least, in the last
    interval. `late`: seconds that the loop is late, smoothed.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(min(most, FIRST))
        self._least = min(most, LEAST)
        self.wait = self.late = 0.0
        self._shortest, self._passed, self._count = math.inf, 0.0, 0

    @property
    def value(self) -> int:
        """Searches that may run at once."""
        return int(self._limit)

    @property
    def closed(self) -> bool:
        """Whether one more search is too much, however few run."""
        return self.late >= CLOSED

    def measured(self, late: float, turn: float, passed: float, running: int) -> None:
        """Adjusts the limit to a measurement.

        `late`: seconds that the loop is late. `turn`: seconds that the next in the queue has waited
        for a turn. `passed`: seconds since the last measurement.
        """
        self.late += (late - self.late) * (1.0 - math.exp(-passed / INTERVAL))
        self._shortest = min(self._shortest, late + turn)
        self._passed += passed
        self._count += 1
        if self._passed < INTERVAL or self._count < ENOUGH:
            return
        self.wait = self._shortest
        self._begin()
        if self.wait > TARGET:
            self._limit = max(self._least, min(self._limit, running) * 0.9)
        elif self.wait < TARGET / 2 and running >= self.value:
            self._limit = min(self._most, self._limit + 1)

    def rest(self) -> None:
        """Forgets the waits, because nothing runs any more."""
        self.wait = self.late = 0.0
        self._begin()

    def _begin(self) -> None:
        """Begins another interval."""
        self._shortest, self._passed, self._count = math.inf, 0.0, 0
