"""How many searches may run at once, found out by how long work that is ready has to wait.

A search is mostly waiting for databases, so many may run at once; but what they bring is read by
one loop, and beyond some number each further search only makes all others slower. That number
depends on the machine, on the databases and on what is asked, so it is measured. Pages come in
bursts, and a burst is no overload: what counts is the shortest wait of a while, which says that the
line of those who wait never got short (as CoDel judges a queue). The number grows by one after a
while in which that was less than half of `TARGET`, stays up to that, and falls by a tenth of what
runs beyond (as TCP finds its window).
"""

from __future__ import annotations

import math

#: Seconds that work which is ready may wait for its turn, all the while.
TARGET = 0.05
#: A while, in seconds, and the measurements that it needs: a loop that stood still once is no
#: overload.
WHILE, ENOUGH = 0.4, 4
#: Searches that may run before anything is known; and those that always may, for fewer would leave
#: the processor idle while databases are waited for.
FIRST, LEAST = 24, 8
#: A loop that is so many seconds late, on average over a while, lets nobody in.
CLOSED = 0.5


class AdaptiveLimit:
    """The number of searches that may run at once.

    Args:
        most: It is never larger.

    Attributes:
        wait: Seconds that work which is ready waited at least, in the last while.
        late: Seconds that the loop is late, smoothed.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(min(most, FIRST))
        self._least = min(most, LEAST)
        self.wait = self.late = 0.0
        self._shortest, self._passed, self._count = math.inf, 0.0, 0

    @property
    def limit(self) -> int:
        """Searches that may run at once."""
        return int(self._limit)

    @property
    def closed(self) -> bool:
        """Whether one more search is too much, however few run."""
        return self.late >= CLOSED

    def measured(self, late: float, turn: float, passed: float, running: int) -> None:
        """Take in how long work waits.

        Args:
            late: Seconds that the loop is late.
            turn: Seconds that whoever is next has waited for a turn.
            passed: Seconds since this was called last.
            running: Searches that run.
        """
        self.late += (late - self.late) * (1.0 - math.exp(-passed / WHILE))
        self._shortest = min(self._shortest, late + turn)
        self._passed += passed
        self._count += 1
        if self._passed < WHILE or self._count < ENOUGH:
            return
        self.wait = self._shortest
        self._begin()
        if self.wait > TARGET:
            self._limit = max(self._least, min(self._limit, running) * 0.9)
        elif self.wait < TARGET / 2 and running >= self.limit:
            self._limit = min(self._most, self._limit + 1)

    def rest(self) -> None:
        """Nothing runs any more, so nothing waits."""
        self.wait = self.late = 0.0
        self._begin()

    def _begin(self) -> None:
        """Another while."""
        self._shortest, self._passed, self._count = math.inf, 0.0, 0
