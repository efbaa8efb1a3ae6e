"""How late the event loop is. What judges a database by the clock has to know how late the clock
was read.

A callback that computes for two seconds makes every timer two seconds late. An answer that came
meanwhile lies in the socket, unread, when the timeout fires.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
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
        """Seconds that the loop has been late in all; only differences mean something."""
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


class patient:  # noqa: N801  # it is used as `asyncio.timeout` is
    """`asyncio.timeout`, but where the loop has just stood still, what has come meanwhile is read
    first.

    Not a generator with functions in it: a function that names itself is a cycle, and this one
    would keep the page that was waited for until the garbage collector comes. `seconds`: how long
    the block may take; it raises TimeoutError when they are over.
    """

    __slots__ = ("_graces", "_scope", "_seconds", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._graces = GRACES
        self._scope = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> None:
        await self._scope.__aenter__()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._over)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()  # it holds this object no more
        await self._scope.__aexit__(kind, error, trace)

    def _over(self) -> None:
        loop = asyncio.get_running_loop()
        if self._graces and lag().stalled:
            self._graces -= 1
            self._timer = loop.call_later(GRACE, self._over)
        else:
            self._scope.reschedule(loop.time())
