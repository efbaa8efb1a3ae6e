"""How late the event loop is. What judges a database by the clock has to know how late the clock
was read.

A callback that computes for two seconds makes every timer two seconds late. An answer that came
meanwhile lies in the socket, unread, when the timeout fires.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from weakref import WeakKeyDictionary

#: Seconds between two looks at the clock.
TICK = 0.025
#: Timers that are up to so many seconds late are usual.
USUAL = 0.005
#: A timer that is so many seconds late means that the loop stood still.
STALL = 0.05
#: Seconds that are enough to read what has arrived while the loop stood still, and how often they
#: are given.
GRACE, GRACES = 0.2, 3


class Lag:
    """The lateness of one loop, measured while a `watched` block runs. It is made by `lag` and
    holds no reference to its loop.
    """

    __slots__ = ("_due", "_lost", "_stalled", "_timer", "_watchers")

    def __init__(self) -> None:
        self._lost = 0.0
        self._stalled = float("-inf")
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._watchers = 0

    @property
    def now(self) -> float:
        """Seconds for which the loop has been late just now."""
        return (
            0.0 if self._timer is None else max(0.0, asyncio.get_running_loop().time() - self._due)
        )

    @property
    def lost(self) -> float:
        """Seconds for which the loop has been late in all; only the difference of two readings
        means something.
        """
        late = self.now
        return self._lost + (late if late > USUAL else 0.0)

    @property
    def stalled(self) -> bool:
        """Whether the loop stands still, or did so within the last `GRACE` seconds."""
        return self.now >= STALL or asyncio.get_running_loop().time() - self._stalled < GRACE

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Measures for as long as the block lasts."""
        self._watchers += 1
        if self._timer is None:
            self._next()
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _next(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + TICK
        self._timer = loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        late = self.now
        if late > USUAL:
            self._lost += late
        if late >= STALL:
            self._stalled = asyncio.get_running_loop().time()
        self._next()


_OF_LOOP: WeakKeyDictionary[asyncio.AbstractEventLoop, Lag] = WeakKeyDictionary()


def lag() -> Lag:
    """The lateness of the running loop."""
    loop = asyncio.get_running_loop()
    known = _OF_LOOP.get(loop)
    if known is None:
        known = _OF_LOOP[loop] = Lag()
    return known


@asynccontextmanager
async def patient(seconds: float) -> AsyncIterator[None]:
    """`asyncio.timeout`, but where the loop has just stood still, what has come meanwhile is read
    first.

    Raises:
        TimeoutError: The time is over.
    """
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as scope:
        timer: asyncio.TimerHandle | None = None

        def over(graces: int) -> None:
            nonlocal timer
            if graces and lag().stalled:
                timer = loop.call_later(GRACE, over, graces - 1)
            else:
                scope.reschedule(loop.time())

        timer = loop.call_later(seconds, over, GRACES)
        try:
            yield
        finally:
            timer.cancel()
