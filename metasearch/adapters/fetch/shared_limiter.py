"""The rate limiter of a source that several replicas ask; see `metasearch.sharing`.

The turns are this replica's own, as in throttle.py. Whoever has the turn takes a place and a start
from the server that the replicas share. While that cannot be used, this replica takes its part of
the limits.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from math import inf

from metasearch.adapters.fetch.throttle import FairThrottler, NotInTime, RequestLimiter, RoundRobin
from metasearch.adapters.spec import Limits
from metasearch.sharing import Away, SharedLimits, Sharing, Start

#: Seconds for which a start is taken in advance, at most: whoever dies meanwhile has wasted it.
AHEAD = 1.0
#: Seconds between two questions for a place while all are taken: the first pause, the longest.
SHORTEST_ASK, LONGEST_ASK = 0.01, 0.1
#: Seconds after its moment at which a start is used at most: half of what the server allows for
#: (`sharing.scripts.MARGIN`), as the way to the database takes its time, too. A later one would be
#: among those of the next period.
LATE = 0.05
#: How often a start is asked for that comes too late each time; the last one is used all the same,
#: for a machine that is always late would never ask a source.
MOST_LATE = 3
#: Seconds for which nothing starts after the server went away, at most: what the other replicas
#: have begun in this period is not known.
HOLD = 1.0
#: Seconds after the server came back in which replicas may not have noticed.
UNNOTICED = 5.0


class SharedLimiter(RequestLimiter):
    """Admits requests to one source, as `RequestLimiter`, for all replicas together."""

    def __init__(
        self, source: str, limits: Limits, sharing: Sharing, *, patience: float = 1.0
    ) -> None:
        self._source = source
        self._sharing = sharing
        self._shared = SharedLimits(limits.requests, limits.per * patience, limits.concurrency)
        self._part = limits.part(sharing.replicas)
        self._per = self._part.per * patience
        self._queue = RoundRobin()
        #: Counts the starts that go through the server, too: they belong to our part when it goes.
        self._rate = FairThrottler(self._part.requests, self._per)
        self._running = 0
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def passed(
        self, asker: Hashable = None, user: Hashable = None, left: Callable[[], float] = lambda: inf
    ) -> AsyncIterator[None]:
        """See `RequestLimiter.passed`."""
        lease = await self._begun(asker, user, left)
        try:
            yield
        finally:
            self._running -= 1
            self._freed.set()
            if lease:
                self._sharing.finished(self._source, lease)

    @property
    def due(self) -> float:
        """See `RequestLimiter.due`; 0.0 while the server knows."""
        return self._rate.due if self._sharing.away else 0.0

    async def _begun(self, asker: Hashable, user: Hashable, left: Callable[[], float]) -> str:
        """Waits until a request may start; its lease, or "" where no server gave one."""
        await self._queue.acquire(asker, user)
        try:
            while self._running >= self._places:
                self._freed.clear()
                await self._freed.wait()
            self._running += 1
            try:
                return await self._admitted(left)
            except BaseException:
                self._running -= 1
                self._freed.set()
                raise
        finally:
            self._queue.release()

    @property
    def _places(self) -> int:
        return self._part.concurrency if self._sharing.away else self._shared.concurrency

    async def _admitted(self, left: Callable[[], float]) -> str:
        """The request with the turn, until it may start."""
        ask = SHORTEST_ASK
        counted = False
        while not self._sharing.away:
            if self._settling and not counted:
                await self._within_part(left)
                counted = True
            try:
                start = await self._started(left)
            except Away:
                break
            if start.lease:
                if not counted:
                    self._rate.count()
                return start.lease
            if start.busy:
                # Not at the same moments as the other replicas.
                await asyncio.sleep(ask * random.uniform(0.5, 1.0))  # noqa: S311
                ask = min(2 * ask, LONGEST_ASK)
            elif start.wait > left():
                raise NotInTime(start.wait)
            else:
                await asyncio.sleep(max(SHORTEST_ASK, start.wait - AHEAD / 2))
        if not counted:
            await self._within_part(left)
        return ""

    async def _started(self, left: Callable[[], float]) -> Start:
        """What the server says; a start whose moment passed in the waiting is exchanged."""
        clock = asyncio.get_running_loop().time
        missed = None
        for _ in range(MOST_LATE):
            asked = clock()  # the server names its moment after this one
            start = await self._sharing.start(
                self._source, self._shared, min(AHEAD, max(0.0, left())), missed
            )
            if not start.lease:
                break
            try:
                if start.wait > 0:
                    await asyncio.sleep(start.wait)
            except BaseException:
                self._sharing.finished(self._source, start.lease)
                raise
            if clock() - asked - start.wait <= LATE:
                break
            missed = start
        return start

    async def _within_part(self, left: Callable[[], float]) -> None:
        """Takes a start of our part of the limits."""
        hold = self._sharing.left + min(self._per, HOLD) - asyncio.get_running_loop().time()
        if (due := max(self._rate.due, hold)) > left():
            raise NotInTime(due)
        if hold > 0:
            await asyncio.sleep(hold)
        await self._rate.acquire()

    @property
    def _settling(self) -> bool:
        """Whether starts of other replicas, while the server was away, may still count."""
        since = asyncio.get_running_loop().time() - self._sharing.returned
        return since < self._per + UNNOTICED
