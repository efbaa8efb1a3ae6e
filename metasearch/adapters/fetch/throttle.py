"""How hard one source is asked: starts per time, requests at once; and whose turn it is."""

from __future__ import annotations

import asyncio
import math
import time
from asyncio import Lock, Semaphore, sleep
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from asyncio_throttle.throttler import Throttler

from metasearch.adapters.spec import Limits


class FairThrottler(Throttler):
    """`asyncio_throttle.Throttler`, first come first served, and sleeping until the next slot is
    free.

    The original polls every 10 ms, and a newcomer can pass the queue. Never more than `rate_limit`
    starts lie in any window of `period` seconds. Belongs to one event loop; waiters may be
    cancelled.

    Args:
        rate_limit: Starts per period. A fraction below 1 is one start in a longer period; above, it
            is rounded down.
        period: Seconds.
    """

    def __init__(self, rate_limit: float, period: float = 1.0) -> None:
        if not (rate_limit > 0 and period >= 0):
            raise ValueError(f"a rate must be positive: {rate_limit} in {period} s")
        if rate_limit < 1:
            period, rate_limit = period / rate_limit, 1
        super().__init__(math.floor(min(rate_limit, 1e9)), period)
        self._turn = Lock()

    @property
    def due(self) -> float:
        """Seconds until the next start is free, if nobody else waits for one."""
        self.flush()  # type: ignore[no-untyped-call]
        if len(self._task_logs) < self.rate_limit:
            return 0.0
        return float(max(0.0, self._task_logs[0] + self.period - time.monotonic()))

    async def acquire(self) -> None:
        """Waits for one's turn and takes a start."""
        async with self._turn:
            while True:
                self.flush()  # type: ignore[no-untyped-call]
                if len(self._task_logs) < self.rate_limit:
                    break
                wait = self._task_logs[0] + self.period - time.monotonic()
                # A millisecond more: flush() drops only what is strictly older than the period.
                await sleep(max(0.0, wait) + 1e-3)
            self._task_logs.append(time.monotonic())


class RoundRobin:
    """A lock that goes from user to user, and within a user from asker to asker; an asker's
    requests keep their order.

    Belongs to one event loop; waiters may be cancelled.
    """

    def __init__(self) -> None:
        self.held = False
        #: User -> asker -> those of its requests that wait; who is next comes first.
        self._lines: dict[Hashable, dict[Hashable, deque[asyncio.Future[None]]]] = {}

    async def acquire(self, asker: Hashable, user: Hashable = None) -> None:
        """Waits until it is this asker's turn.

        Args:
            asker: One search.
            user: Whose search it is; None is a user with this one search.
        """
        if not self.held:
            self.held = True
            return
        turn = asyncio.get_running_loop().create_future()
        user = (asker,) if user is None else user
        self._lines.setdefault(user, {}).setdefault(asker, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the turn came in the moment of leaving: the next one takes it
            else:
                self._forget(user, asker, turn)
            raise

    def release(self) -> None:
        """Hands the lock to the next asker, who goes to the end of its user's round, and the user
        to that of all.
        """
        while self._lines:
            user = next(iter(self._lines))
            askers = self._lines.pop(user)
            asker = next(iter(askers))
            line = askers.pop(asker)
            turn = line.popleft()
            if line:
                askers[asker] = line
            if askers:
                self._lines[user] = askers
            if not turn.done():
                turn.set_result(None)
                return
        self.held = False

    def _forget(self, user: Hashable, asker: Hashable, turn: asyncio.Future[None]) -> None:
        """Takes one who left out of the lines; where it has been taken out, nothing is left to
        do.
        """
        askers = self._lines.get(user, {})
        line = askers.get(asker, deque())
        if turn not in line:
            return
        line.remove(turn)
        if not line:
            del askers[asker]
        if not askers:
            del self._lines[user]


class Turnstile:
    """Lets requests to one source through: at most `concurrency` at once, then at the rate of its
    limits.

    Those who wait are let through user by user and asker by asker, so that one who wants fifty
    pages does not keep out one who wants a single page, nor a user with twenty searches one who has
    a single search. The slot is taken before the start, so that a start is counted when it really
    happens.

    Args:
        limits: The source's.
        patience: Factor on the period; 0 in tests waits for nobody.
    """

    def __init__(self, limits: Limits, *, patience: float = 1.0) -> None:
        self._queue = RoundRobin()
        self._slots = Semaphore(limits.concurrency)
        self._rate = FairThrottler(limits.requests, limits.per * patience)

    @asynccontextmanager
    async def passed(self, asker: Hashable = None, user: Hashable = None) -> AsyncIterator[None]:
        """A request of that asker, from its turn to its end; see `RoundRobin.acquire`."""
        await self._enter(asker, user)
        try:
            yield
        finally:
            self._slots.release()

    @property
    def due(self) -> float:
        """Seconds until the source's rate lets another request start, be there a queue or not."""
        return self._rate.due

    async def _enter(self, asker: Hashable, user: Hashable = None) -> None:
        await self._queue.acquire(asker, user)
        try:
            await self._slots.acquire()
            try:
                await self._rate.acquire()
            except BaseException:
                self._slots.release()
                raise
        finally:
            self._queue.release()
