"""How long a source usually takes, and after how long an exchange is late.

Nothing here waits or reads a clock; nothing outlives the process. Docs: docs/politeness.md.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from math import ceil

from metasearch.adapters.request import Request

#: Answers that are remembered, of each kind; older ones no longer count.
KEPT = 100
#: Answers of a kind before anything follows from them.
ENOUGH = 20
#: An exchange is given up at so many times the p95 of its kind, but never before `LATE_FLOOR`
#: seconds.
LATE_FACTOR, LATE_FLOOR = 5.0, 2.0


class Times:
    """How long the last answers of one kind took.

    After a late exchange, what was known no longer holds: until `ENOUGH` further answers have
    come, nothing is late. A slow day therefore costs one exchange, not one after the other.
    """

    __slots__ = ("_arrived", "_since_late", "_sorted")

    def __init__(self) -> None:
        self._arrived: deque[float] = deque()
        self._sorted: list[float] = []
        self._since_late = ENOUGH

    def add(self, seconds: float) -> None:
        """An answer came after so many seconds."""
        if len(self._arrived) == KEPT:
            del self._sorted[bisect_left(self._sorted, self._arrived.popleft())]
        self._arrived.append(seconds)
        insort(self._sorted, seconds)
        self._since_late += 1

    def late(self) -> None:
        """An exchange was given up, because it was far past the usual time."""
        self._since_late = 0

    def quantile(self, share: float) -> float | None:
        """Seconds within which that share of the answers came (nearest rank); None without any."""
        return self._sorted[max(0, ceil(share * len(self._sorted)) - 1)] if self._sorted else None

    @property
    def usual(self) -> float | None:
        """The p95 in seconds; None until enough is known."""
        return self.quantile(0.95) if len(self._sorted) >= ENOUGH else None

    @property
    def longest(self) -> float | None:
        """Seconds after which an exchange is late; None where only the source's timeout counts."""
        usual = self.usual
        return (
            None
            if usual is None or self._since_late < ENOUGH
            else max(LATE_FLOOR, LATE_FACTOR * usual)
        )


class History:
    """How long the exchanges with one source took."""

    def __init__(self) -> None:
        self.times = Times()
        self._kinds: dict[tuple[str, int], Times] = {}

    def of(self, request: Request) -> Times:
        """The times of requests like this one: same step, about the same size (powers of two)."""
        kind = (request.step, request.size.bit_length())
        times = self._kinds.get(kind)
        if times is None:
            times = self._kinds[kind] = Times()
        return times

    def answered(self, request: Request, seconds: float) -> None:
        """The answer to a request came after so many seconds."""
        self.times.add(seconds)
        self.of(request).add(seconds)
