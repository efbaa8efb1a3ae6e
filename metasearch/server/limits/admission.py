"""Who is let in: overload costs the newcomer a moment, not everybody their answers.

Before anything is asked of a database a search takes a seat; there are as many as `AdaptiveLimit`
finds that this process can serve. If none is free it waits, shortly and in a short line, else it
is told to come back. What computes for a moment only (a list of sources, completions, a page of an
answer that is there) takes no seat, but a turn. See docs/decisions/0022-admission.md.
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
from metasearch.server.limits.adaptive_limit import AdaptiveLimit
from metasearch.server.limits.fair_queue import FairQueue
from metasearch.server.problem import Problem

T = TypeVar("T")

#: Seconds between two measurements, while anything runs.
TICK = 0.05
#: Seconds that a search may wait for a seat, and the searches that may, as a share of the seats.
PATIENCE, WAITING = 0.5, 0.25
#: Things that compute for a moment, at once.
MOST_BRIEF = 32
#: Seconds after which a client that was turned away may try again: where nothing is known yet, at
#: least, and at most.
RETRY_AFTER, SOONEST, LATEST = 2, 1, 30
#: Share of the last search in what a search is known to take.
_NEW = 0.1
#: Clients who were turned away, that are expected back.
_MOST_EXPECTED = 10_000


def _now() -> float:
    return asyncio.get_running_loop().time()


class Permit:
    """One search's; left at the end of the block, or by whoever it was handed on to."""

    def __init__(self, left: Callable[[float], None]) -> None:
        self._left: Callable[[float], None] | None = left
        self._handed_on = False
        self._began = _now()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        if not self._handed_on:
            self.leave()

    def hand_on(self) -> Callable[[], None]:
        """The search outlives the block: what is given is to be called at its end."""
        self._handed_on = True
        return self.leave

    def leave(self) -> None:
        """The search has ended; once is enough."""
        if self._left is not None:
            left, self._left = self._left, None
            left(_now() - self._began)


class Admission:
    """The seats of one process.

    Args:
        most: There are never more.
        scheduler: Where everything that computes waits for its turn.
    """

    def __init__(self, most: int, scheduler: FairScheduler) -> None:
        self.pace = AdaptiveLimit(most)
        self._scheduler = scheduler
        self._running = 0
        self._brief = 0
        self._writing = asyncio.Lock()
        self._line = FairQueue()
        self._expected: deque[float] = deque(maxlen=_MOST_EXPECTED)
        self._takes: float | None = None  # seconds of a search
        self._timer: asyncio.TimerHandle | None = None
        self._looked = 0.0

    @property
    def running(self) -> int:
        """Searches that run now."""
        return self._running

    async def enter(self, user: Hashable) -> Permit:
        """A seat for a search of this user, after waiting for a moment where that helps.

        Raises:
            Problem: 503 with `Retry-After`.
        """
        if len(self._line) or not self._free:
            await self._wait(user)
        else:
            self._running += 1
        self._watch()
        return Permit(self._left)

    @asynccontextmanager
    async def brief(self) -> AsyncIterator[None]:
        """What computes for a moment: after its turn.

        Raises:
            Problem: 503 with `Retry-After`.
        """
        if self._brief >= MOST_BRIEF or self.pace.closed:
            raise self._refusal()
        self._brief += 1
        self._watch()
        try:
            await self._scheduler.turns().next()
            yield
        finally:
            self._brief -= 1

    async def written(self, write: Callable[[], T], *, large: bool) -> T:
        """What `write` computes: in a turn, or in a thread, one at a time, where it is large."""
        if not large:
            await self._scheduler.turns().next()
            return write()
        async with self._writing:
            return await asyncio.to_thread(write)

    def close(self) -> None:
        """Sends those away who wait."""
        self._line.dismiss()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ---------------------------------------------------------------- letting in

    @property
    def _free(self) -> bool:
        # One search may always run: otherwise a loop that is late for another reason would serve
        # nobody.
        return self._running < self.pace.limit and not (self.pace.closed and self._running)

    async def _wait(self, user: Hashable) -> None:
        full = len(self._line) >= max(1, math.ceil(self.pace.limit * WAITING))
        if full and not self._line.make_room(user):
            raise self._refusal()
        let_in = self._line.join(user)
        try:
            async with asyncio.timeout(PATIENCE):
                if await let_in:
                    return
        except BaseException as exc:
            self._line.leave(user, let_in)
            if let_in.done() and not let_in.cancelled() and let_in.result():
                self._running -= 1  # the seat came in the moment of leaving: the next one takes it
                self._fill()
            if not isinstance(exc, TimeoutError):
                raise
        raise self._refusal()

    def _fill(self) -> None:
        while self._free and self._line.next():
            self._running += 1

    def _left(self, seconds: float) -> None:
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
            f"{self._running} searches are running, which is what this server can do now. "
            f"Try again in {seconds} second{'' if seconds == 1 else 's'}.",
            headers={"Retry-After": str(seconds)},
        )

    def _retry_after(self) -> int:
        """Whole seconds until all will have had their turn who wait, or were told to come back
        before.
        """
        now = _now()
        while self._expected and self._expected[0] <= now:
            self._expected.popleft()
        if self._takes is None:
            return RETRY_AFTER
        ahead = len(self._line) + len(self._expected) + 1
        return min(LATEST, max(SOONEST, math.ceil(ahead * self._takes / self.pace.limit)))

    # ---------------------------------------------------------------- measuring

    def _watch(self) -> None:
        """Look again and again, while anything runs."""
        if self._timer is None:
            self._next()

    def _next(self) -> None:
        self._looked = _now()
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)

    def _tick(self) -> None:
        """Measure how long work waits: for the loop, and then for its turn."""
        now = _now()
        late = max(0.0, now - self._looked - TICK)
        self.pace.measured(late, self._scheduler.wait, now - self._looked, self._running)
        self._fill()
        if self._running or self._brief or len(self._line):
            self._next()
        else:
            self._timer = None
            self.pace.rest()
