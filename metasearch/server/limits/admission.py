"""Admission control: under overload new requests wait or are refused, and running searches go on.

A search takes a permit before any source is asked. `AdaptiveLimit` says how many permits there are.
If none is free, the search waits for a short time in a short queue; if that does not help, it is
refused with 503 and `Retry-After`. A request that computes only for a moment (a list of sources,
completions, an answer that is there already) needs no permit, but waits for its turn on the loop.
See docs/decisions/0022-admission.md.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self, TypeVar

from metasearch.engine.scheduler import FairScheduler
from metasearch.message import message_n
from metasearch.server.limits.adaptive_limit import AdaptiveLimit
from metasearch.server.limits.computing import Computing
from metasearch.server.limits.fair_queue import FairQueue
from metasearch.server.problem import Problem

T = TypeVar("T")

#: Seconds between two measurements, while anything runs.
TICK = 0.05
#: Seconds that a search may wait for a permit, and how many may wait, as a share of the permits.
PATIENCE, WAITING = 0.5, 0.25
#: Requests without a permit that run at once.
MOST_BRIEF = 32
#: Seconds after which a refused client may try again: while nothing is known yet, at least, and at
#: most.
RETRY_AFTER, SOONEST, LATEST = 2, 1, 30
#: Weight of the last search in the smoothed duration of a search.
_NEW = 0.1
#: Refused clients that are expected to return.
_MOST_EXPECTED = 10_000


def _now() -> float:
    return asyncio.get_running_loop().time()


class Permit:
    """Allows one search; released at the block's end, or by what `transfer` returned."""

    def __init__(self, released: Callable[[float], None]) -> None:
        self._released: Callable[[float], None] | None = released
        self._transferred = False
        self._began = _now()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        if not self._transferred:
            self.release()

    def transfer(self) -> Callable[[], None]:
        """Keeps the permit after the block; returns the function that releases it."""
        self._transferred = True
        return self.release

    def release(self) -> None:
        """Ends the permit; a second call does nothing."""
        if self._released is not None:
            released, self._released = self._released, None
            released(_now() - self._began)


class Admission:
    """The permits of one process. `computing`: computes from long texts, off the loop."""

    def __init__(self, most: int, scheduler: FairScheduler) -> None:
        self.limit = AdaptiveLimit(most)
        self._scheduler = scheduler
        self._running = 0
        self._brief = 0
        self._writing = asyncio.Lock()
        self.computing = Computing()
        self._queue = FairQueue()
        self._expected: deque[float] = deque(maxlen=_MOST_EXPECTED)
        self._takes: float | None = None  # seconds of a search
        self._timer: asyncio.TimerHandle | None = None
        self._looked = 0.0

    @property
    def running(self) -> int:
        """Searches that run now."""
        return self._running

    async def enter(self, user: Hashable) -> Permit:
        """Returns a permit for a search of this user, after a short wait if necessary. Raises
        Problem: 503 with `Retry-After`.
        """
        if len(self._queue) or not self._free:
            await self._wait(user)
        else:
            self._running += 1
        self._watch()
        return Permit(self._released)

    @asynccontextmanager
    async def brief(self) -> AsyncIterator[None]:
        """Runs the block after a turn, without a permit. Raises Problem: 503 with `Retry-After`."""
        # One search or brief request may always run: otherwise a loop that was late for another
        # reason would refuse every one of them.
        closed = self.limit.closed and (self._running or self._brief)
        if closed or self._brief >= MOST_BRIEF:
            raise self._refusal()
        self._brief += 1
        self._watch()
        try:
            await self._scheduler.turns().next()
            yield
        finally:
            self._brief -= 1

    async def written(self, write: Callable[[], T], *, large: bool) -> T:
        """Returns what `write` computes: in a turn on the loop, or in a thread if it is large, one
        such at a time.
        """
        if not large:
            await self._scheduler.turns().next()
            return write()
        async with self._writing:
            return await asyncio.to_thread(write)

    def close(self) -> None:
        """Refuses all that waits."""
        self._queue.refuse_all()
        self.computing.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ---------------------------------------------------------------- permits

    @property
    def _free(self) -> bool:
        # One search may always run, as above.
        return self._running < self.limit.value and not (self.limit.closed and self._running)

    async def _wait(self, user: Hashable) -> None:
        full = len(self._queue) >= max(1, math.ceil(self.limit.value * WAITING))
        if full and not self._queue.make_room(user):
            raise self._refusal()
        admitted = self._queue.join(user)
        try:
            async with asyncio.timeout(PATIENCE):
                if await admitted:
                    return
        except BaseException as exc:
            self._queue.leave(user, admitted)
            if admitted.done() and not admitted.cancelled() and admitted.result():
                self._running -= 1  # the permit came at the same moment: the next search takes it
                self._fill()
            if not isinstance(exc, TimeoutError):
                raise
        raise self._refusal()

    def _fill(self) -> None:
        while self._free and self._queue.next():
            self._running += 1

    def _released(self, seconds: float) -> None:
        self._running -= 1
        self._takes = (
            seconds if self._takes is None else self._takes + (seconds - self._takes) * _NEW
        )
        self._fill()

    def _refusal(self) -> Problem:
        seconds = self._retry_after()
        self._expected.append(_now() + seconds)
        return Problem(
            503,
            "busy",
            message_n(
                "{running} searches are running, which is what this server can do now. "
                "Try again in {count} second.",
                "{running} searches are running, which is what this server can do now. "
                "Try again in {count} seconds.",
                seconds,
                running=self._running,
            ),
            headers={"Retry-After": str(seconds)},
        )

    def _retry_after(self) -> int:
        """Whole seconds until the searches that wait, or were refused before, have run."""
        now = _now()
        while self._expected and self._expected[0] <= now:
            self._expected.popleft()
        if self._takes is None:
            return RETRY_AFTER
        ahead = len(self._queue) + len(self._expected) + 1
        return min(LATEST, max(SOONEST, math.ceil(ahead * self._takes / self.limit.value)))

    # ---------------------------------------------------------------- measuring

    def _watch(self) -> None:
        """Starts the measurements, which go on while anything runs."""
        if self._timer is None:
            self._next()

    def _next(self) -> None:
        self._looked = _now()
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def _tick(self) -> None:
        """Measures how long work waits: for the loop, and then for its turn."""
        now = _now()
        late = max(0.0, now - self._looked - TICK)
        self.limit.measured(late, self._scheduler.wait, now - self._looked, self._running)
        self._fill()
        if self._running or self._brief or len(self._queue):
            self._next()
        else:
            self._timer = None
            self.limit.rest()
