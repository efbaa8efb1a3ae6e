"""The rate limiter of one source: starts per time, requests at once, and the order of those who
wait; that of one replica, and that of several.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from asyncio import Lock, Semaphore, sleep
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import replace
from enum import Enum
from math import inf

from asyncio_throttle.throttler import Throttler

from metasearch.adapters.request import Rate
from metasearch.adapters.spec import Limits
from metasearch.replicas import Away, SharedLimits, Sharing, Start


class NotInTime(Exception):
    """The rate lets a request start only after its deadline. `wait`: seconds until then."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


class FairThrottler:
    """`asyncio_throttle.Throttler`, first come first served, and without polling.

    The original alone polls every 10 ms, and a newcomer can pass the queue. Here callers come to it
    one by one, each when a start is free. Never more than `rate_limit` starts lie in any window of
    `period` seconds. Belongs to one event loop; waiters may be cancelled. `rate_limit`: starts per
    period. A fraction below 1 is one start in a longer period; above, it is rounded down. `period`:
    seconds. Raises ValueError: the rate is not positive.
    """

    def __init__(self, rate_limit: float, period: float = 1.0) -> None:
        if not (rate_limit > 0 and period >= 0):
            raise ValueError(f"a rate must be positive: {rate_limit} in {period} s")
        if rate_limit < 1:
            period, rate_limit = period / rate_limit, 1
        self._own = self._most, self._period = math.floor(min(rate_limit, 1e9)), period
        self._throttler = Throttler(self._most, period)
        #: Moments of the starts within the last period, the oldest first.
        self._starts: deque[float] = deque(maxlen=self._most)
        self._turn = Lock()

    def obey(self, requests: float, period: float) -> None:
        """Takes a rate that the source states from now on, where that is slower than ours."""
        most, own = self._own
        if requests * own < most * period:
            most, own = max(1, math.floor(requests)), period * max(1.0, 1 / requests)
        if (most, own) != (self._most, self._period):
            self._most, self._period = most, own
            self._throttler = Throttler(most, own)
            self._starts = deque(self._starts, maxlen=most)

    @property
    def due(self) -> float:
        """Seconds until the next start is free, if no other request waits for one."""
        return max(0.0, self._free_at() - time.monotonic())

    async def acquire(self) -> None:
        """Waits for the caller's turn and takes a start."""
        async with self._turn:
            while True:
                wait = self._free_at() - time.monotonic()
                if wait < 0:
                    break
                # A millisecond more: a start is free only when the period is over.
                await sleep(wait + 1e-3)
            await self._throttler.acquire()  # type: ignore[no-untyped-call]  # it has no types
            self.count()

    def count(self) -> None:
        """Counts a start that happens now; also one that has not been waited for."""
        starts, now = self._starts, time.monotonic()
        starts.append(now)
        # Where a source permits 100,000 starts, those of many hours would be kept.
        while starts[0] + self._period < now:
            starts.popleft()

    def _free_at(self) -> float:
        """When the next start is free, in monotonic seconds; it may be over."""
        full = len(self._starts) == self._most
        return self._starts[0] + self._period if full else -math.inf


class Behind(Enum):
    """The one user of all searches that nobody waits for."""

    ALL = "all"


#: A user who has a turn where no other user waits.
BEHIND = Behind.ALL


class RoundRobin:
    """A lock that goes from user to user, and within a user from asker to asker; an asker's
    requests keep their order. The user `BEHIND` comes after all others.

    Belongs to one event loop; waiters may be cancelled.
    """

    def __init__(self) -> None:
        self.held = False
        #: User -> asker -> those of its requests that wait; who is next comes first.
        self._lines: dict[Hashable, dict[Hashable, deque[asyncio.Future[None]]]] = {}

    async def acquire(self, asker: Hashable, user: Hashable = None) -> None:
        """Waits for this asker's turn. `user`: whose search it is; None is a user of its own."""
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
        """Passes the lock to the next request. Its asker goes to the end of the user's line, and
        the user to the end of the line of users.
        """
        while self._lines:
            user = next((user for user in self._lines if user is not BEHIND), BEHIND)
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
        """Takes a request that was cancelled out of the lines, if it still stands in one."""
        askers = self._lines.get(user, {})
        line = askers.get(asker, deque())
        if turn not in line:
            return
        line.remove(turn)
        if not line:
            del askers[asker]
        if not askers:
            del self._lines[user]


class RequestLimiter:
    """Admits requests to one source: at most `concurrency` at once, at the rate of its limits.

    Waiting requests are admitted user by user and asker by asker: a search for fifty pages does not
    keep out a search for a single page, nor a user with twenty searches a user with one. The slot
    is taken before the start, so that a start is counted when it happens. `patience`: factor on the
    period; with 0, as in tests, nothing waits for the rate.
    """

    def __init__(self, limits: Limits, *, patience: float = 1.0) -> None:
        self._patience = patience
        self._queue = RoundRobin()
        self._slots = Semaphore(limits.concurrency)
        self._rate = FairThrottler(limits.requests, limits.per * patience)

    @asynccontextmanager
    async def passed(
        self,
        asker: Hashable = None,
        user: Hashable = None,
        left: Callable[[], float] = lambda: math.inf,
    ) -> AsyncIterator[None]:
        """Holds a place for a request of that asker, from its turn to its end; see
        `RoundRobin.acquire`.

        `left` returns the seconds until its deadline. Here it is not asked, as `due` says it
        before; where replicas share a limit, `NotInTime` is raised when its turn has come.
        """
        await self._enter(asker, user)
        try:
            yield
        finally:
            self._slots.release()

    @property
    def due(self) -> float:
        """Seconds until the source's rate lets another request start, be there a queue or not."""
        return self._rate.due

    def obey(self, rate: Rate) -> None:
        """Takes a rate that the source states, where that is slower than its limits."""
        self._rate.obey(rate.requests, rate.per * self._patience)

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


# The rate limiter of a source that several replicas ask; see `metasearch.replicas`. The turns are
# this replica's own, as above. Whoever has the turn takes a place and a start from the server that
# the replicas share. While that cannot be used, this replica takes its part of the limits.

#: Seconds for which a start is taken in advance, at most: whoever dies meanwhile has wasted it.
AHEAD = 1.0
#: Seconds between two questions for a place while all are taken: the first pause, the longest.
SHORTEST_ASK, LONGEST_ASK = 0.01, 0.1
#: Seconds after its moment at which a start is used at most: half of what the server allows for
#: (`replicas.redis.MARGIN`), as the way to the database takes its time, too. A later one would be
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
        self._patience = patience
        self._own = self._shared = SharedLimits(
            limits.requests, limits.per * patience, limits.concurrency
        )
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

    def obey(self, rate: Rate) -> None:
        """See `RequestLimiter.obey`; the rate is that of all replicas together."""
        requests, per, own = rate.requests, rate.per * self._patience, self._own
        slower = requests * own.per < own.requests * per
        self._shared = replace(own, requests=requests, per=per) if slower else own
        self._rate.obey(requests / self._sharing.replicas, per)

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
