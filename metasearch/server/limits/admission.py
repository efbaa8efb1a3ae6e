"""Admission control: how many searches may run at once, who waits and in which turn, and what is
computed off the loop. Under overload new requests wait or are refused, and running searches go
on.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Self, TypeVar

from metasearch.engine.scheduler import FairScheduler
from metasearch.message import message, message_n
from metasearch.server.problem import Problem

# How many searches may run at once, measured by how long work that is ready has to wait. A search
# mostly waits for sources, so many may run at once. But one loop reads all answers, and above some
# number each further search only makes all others slower. That number depends on the machine, the
# sources and the queries, so it is measured. Pages arrive in bursts, and a burst is no overload:
# the shortest wait of an interval counts, because a long one shows that the queue never got short
# (as CoDel judges a queue). The limit grows by one after an interval in which the shortest wait was
# less than half of `TARGET`, stays between half of it and `TARGET`, and falls by a tenth above it
# (as TCP adjusts its window).

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
        return int(self._limit)

    @property
    def closed(self) -> bool:
        """Whether one more search is too much, however few run."""
        return self.late >= CLOSED

    def adjust(self, late: float, turn: float, passed: float, running: int) -> None:
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
        self._shortest, self._passed, self._count = math.inf, 0.0, 0


# A queue with fair turns for users: a user with many requests does not keep out one with few.


class FairQueue:
    """Requests that wait, in one queue for each user. Belongs to one event loop."""

    def __init__(self) -> None:
        #: User -> its requests that wait, the oldest first; the user whose turn is next comes
        #: first.
        self._queues: dict[Hashable, deque[asyncio.Future[bool]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def of(self, user: Hashable) -> int:
        """How many requests of a user wait."""
        return len(self._queues.get(user, ()))

    def join(self, user: Hashable) -> asyncio.Future[bool]:
        """Adds a request; its future is True when it is admitted, False when it is refused."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(user, deque()).append(future)
        return future

    def leave(self, user: Hashable, future: asyncio.Future[bool]) -> None:
        """Removes a request, if it still waits."""
        queue = self._queues.get(user, deque())
        if future in queue:
            queue.remove(future)
            if not queue:
                del self._queues[user]

    def next(self) -> bool:
        """Admits the next request; its user goes to the end. Returns False if none waits."""
        while self._queues:
            user = next(iter(self._queues))
            queue = self._queues.pop(user)
            future = queue.popleft()
            if queue:
                self._queues[user] = queue
            if not future.done():
                future.set_result(True)
                return True
        return False

    def make_room(self, user: Hashable) -> bool:
        """Refuses the last request of the busiest user, unless this one would have as many."""
        longest = max(self._queues, key=lambda name: len(self._queues[name]), default=None)
        if longest is None or len(self._queues[longest]) <= len(self._queues.get(user, ())) + 1:
            return False
        future = self._queues[longest].pop()
        if not future.done():
            future.set_result(False)
        return True

    def refuse_all(self) -> None:
        for queue in self._queues.values():
            for future in queue:
                if not future.done():
                    future.set_result(False)
        self._queues.clear()


# What computes long from the text of a client is computed off the loop: in one thread, because
# threads share one interpreter, one text at a time, the users in turns. A query of a thousand terms
# takes a tenth of a second to read, and longer to write in other syntaxes. On the loop nobody would
# be served meanwhile; in many threads the loop would be one of many that want the interpreter.

T = TypeVar("T")

#: Characters of a text that is read on the loop, which takes a millisecond or two.
SHORT = 400
#: Texts that wait, of all users and of one.
MOST_WAITING, MOST_OF_USER = 64, 8
#: Seconds that a text takes while nothing is known yet.
USUAL = 0.2
#: Weight of the last text in the smoothed duration of one.
_NEW = 0.1


class TextQueue:
    """Computes one thing after the other. Belongs to one event loop."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="computing")
        self._queue = FairQueue()
        self._busy = False
        self._takes = USUAL

    async def read(self, user: Hashable, text: str, compute: Callable[[], T]) -> T:
        """Returns what `compute` makes of a text of this user: at once where the text is short,
        else in the thread. Raises Problem: as of `done`.
        """
        return compute() if len(text) <= SHORT else await self.done(user, compute)

    async def done(self, user: Hashable, compute: Callable[[], T]) -> T:
        """Returns what `compute` computes, in the thread, when it is the turn of this user. Raises
        Problem: 429 where too many texts of the user wait, 503 where too many of all do; both with
        `Retry-After`.
        """
        await self._turn(user)
        loop = asyncio.get_running_loop()
        began = loop.time()
        computed = self._pool.submit(compute)

        def note_end(_: object) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._note_end, began)

        # Also where the request is gone by then: the thread is busy until it is done.
        computed.add_done_callback(note_end)
        return await asyncio.shield(asyncio.wrap_future(computed))

    def close(self) -> None:
        """Refuse what waits; what is being computed is not waited for."""
        self._queue.refuse_all()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _turn(self, user: Hashable) -> None:
        if not self._busy:
            self._busy = True
            return
        if self._queue.of(user) >= MOST_OF_USER:
            raise self._refusal(429, "rate-limited")
        if len(self._queue) >= MOST_WAITING and not self._queue.make_room(user):
            raise self._refusal(503, "busy")
        admitted = self._queue.join(user)
        try:
            turn = await admitted
        except asyncio.CancelledError:
            self._queue.leave(user, admitted)
            if admitted.done() and not admitted.cancelled() and admitted.result():
                self._next()  # its turn came at the same moment
            raise
        if not turn:
            raise self._refusal(503, "busy")

    def _next(self) -> None:
        self._busy = self._queue.next()

    def _note_end(self, began: float) -> None:
        took = asyncio.get_running_loop().time() - began
        self._takes += (took - self._takes) * _NEW
        self._next()

    def _refusal(self, status: int, kind: str) -> Problem:
        seconds = math.ceil((len(self._queue) + 1) * self._takes)
        return Problem(
            status,
            kind,
            message("Long queries of yours are waiting already. Try again in a moment.")
            if status == 429
            else message("Many long queries are waiting. Try again in a moment."),
            headers={"Retry-After": str(min(LATEST, max(SOONEST, seconds)))},
        )


# Admission control: under overload new requests wait or are refused, and running searches go on. A
# search takes a permit before any source is asked. `AdaptiveLimit` says how many permits there are.
# If none is free, the search waits for a short time in a short queue; if that does not help, it is
# refused with 503 and `Retry-After`. A request that computes only for a moment (a list of sources,
# completions, an answer that is there already) needs no permit, but waits for its turn on the loop.
# See docs/decisions/0022-admission.md.

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
        self.computing = TextQueue()
        self._queue = FairQueue()
        self._expected: deque[float] = deque(maxlen=_MOST_EXPECTED)
        self._takes: float | None = None  # seconds of a search
        self._timer: asyncio.TimerHandle | None = None
        self._looked = 0.0

    @property
    def running(self) -> int:
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
        return Permit(self._note_release)

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

    def _note_release(self, seconds: float) -> None:
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
        self.limit.adjust(late, self._scheduler.wait, now - self._looked, self._running)
        self._fill()
        if self._running or self._brief or len(self._queue):
            self._next()
        else:
            self._timer = None
            self.limit.rest()
