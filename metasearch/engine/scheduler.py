"""When and where searches compute: fair turns on the loop, threads for what takes long, and tasks
until a deadline.

Reading a page takes milliseconds, and thirty searches bring three hundred pages at once. Read one
after the other as they come, each would stall the loop, and the last search would show nothing
until the others are done. So a page is read in stretches, one in each turn. A turn costs as much as
reading a record, so a stretch is as long as the loop can bear, by the clock: slow records make it
shorter. A page that takes longer is read in a thread, and so is what a strategy has to load: a
dictionary takes seconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from metasearch.dedup import Chain, DedupStrategy, Fingerprint
from metasearch.errors import MetasearchError
from metasearch.loop import in_daemon_thread
from metasearch.message import message

T = TypeVar("T")

#: Seconds for which records are read in one turn, and how many are read at most: to compare and
#: merge twenty takes another three milliseconds, in the next cycle of the loop.
SECONDS, MOST = 0.005, 20
#: Threads that compute at once: they share one interpreter with the loop, and each may hold a large
#: page.
THREADS = 2
#: Names of the strategies that have loaded what they need, in this process; two must not load at
#: once.
_LOADED: set[str] = set()
_LOADING = threading.Lock()
#: Records that are prepared on the loop, in less than the milliseconds for which a thread would
#: keep the interpreter: those of a turn.
AT_ONCE = MOST


class _Place(NamedTuple):
    """A place in a line, for whichever page of a search is the next one."""

    turns: Turns
    since: float


class Turns:
    """The turns of one search, or of one reader; from `FairScheduler`."""

    __slots__ = (
        *("_given", "_new", "_scheduler", "_since", "_under_way"),
        *("begun", "behind", "hurried", "reads"),
    )

    def __init__(
        self, scheduler: FairScheduler, *, reads: bool = False, behind: bool = False
    ) -> None:
        self._scheduler = scheduler
        self.reads = reads
        self.behind = behind
        self.begun = False
        self.hurried = False
        self._given = False  # whether a turn was over with records
        self._since = float("-inf")  # loop time at which the last turn began
        self._under_way: deque[asyncio.Future[None]] = deque()  # of pages that are being read
        self._new: deque[asyncio.Future[None]] = deque()

    async def next(self, *, under_way: bool = False) -> None:
        """Wait for a turn: some milliseconds of computing, until `over`.

        `under_way`: whether it is for a page of which a part is read. Such a page comes before the
        other pages of its search: what is made of a page is many times its bytes, and should be
        alive for few pages at a time.
        """
        await self._scheduler.queue(self, under_way=under_way)
        self._since = asyncio.get_running_loop().time()

    def over(self, records: int = 0) -> bool:
        """Whether this turn is over, so that the caller should wait for the next one.

        `records`: how many were read in it. A search's first ones are enough for a turn, because
        somebody waits for the first hit.
        """
        if records and not self._given:
            self._given = True
            return True
        return records >= MOST or asyncio.get_running_loop().time() - self._since >= SECONDS

    async def apart(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """Have a thread do the work, as soon as one is free. A caller that is cancelled does not
        wait for the thread.

        `work`: is called with a function that returns whether the caller was cancelled.
        """
        await self._scheduler.thread(work)

    def line_up(self, future: asyncio.Future[None], *, under_way: bool) -> None:
        """Note who waits for a turn; for the scheduler, which keeps a place for it."""
        (self._under_way if under_way else self._new).append(future)

    def foremost(self) -> asyncio.Future[None] | None:
        """Who waits and gets the turn; None where those who waited were cancelled."""
        for waiting in (self._under_way, self._new):
            while waiting:
                future = waiting.popleft()
                if not future.done():
                    return future
        return None

    def hurry(self) -> None:
        """Put these turns before all others: their search has reached its deadline."""
        self._scheduler.hurry(self)


class FairScheduler:
    """Grants one turn in every second cycle of the loop, so that sockets, timers and readers are
    served between two. In the cycle between, what was read in a turn is merged, which takes as long
    as the turn.

    A search at its deadline goes first, then one that has had no turn; the others go in the order
    in which they came. Those who read lists that grow have a line of their own, which gets every
    second turn at most: however many they are, searches keep half of the turns. A search that
    nobody waits for has a turn where no other search wants one, until its deadline.
    """

    def __init__(self) -> None:
        self._last: deque[_Place] = deque()
        self._first: deque[_Place] = deque()
        self._rest: deque[_Place] = deque()
        self._readers: deque[_Place] = deque()
        self._behind: deque[_Place] = deque()
        self._read = False  # whether the last turn was a reader's
        self._serving = False
        self._threads = asyncio.Semaphore(THREADS)

    async def thread(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """See `Turns.apart`. A thread counts until it ends, even when its caller was cancelled."""
        await self._threads.acquire()
        given_up = threading.Event()
        try:
            await in_daemon_thread(lambda: work(given_up.is_set), "read", self._threads.release)
        finally:
            given_up.set()

    def turns(self, *, behind: bool = False) -> Turns:
        """The turns of a search that begins; `behind`: nobody waits for it."""
        return Turns(self, behind=behind)

    def readers_turns(self) -> Turns:
        """The turns of one who reads a list that grows."""
        return Turns(self, reads=True)

    @property
    def wait(self) -> float:
        """Seconds for which the first in line has waited; 0 where none waits, or nobody waits for
        those who do.
        """
        lines = (self._last, self._first, self._rest, self._readers)
        heads = [line[0].since for line in lines if line]
        return asyncio.get_running_loop().time() - min(heads) if heads else 0.0

    def queue(self, turns: Turns, *, under_way: bool = False) -> asyncio.Future[None]:
        """Stand in line; the future is done when it is this search's turn."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        turns.line_up(future, under_way=under_way)
        self._line(turns).append(_Place(turns, loop.time()))
        if not self._serving:
            self._serving = True
            loop.call_soon(self._serve, loop)
        return future

    def _line(self, turns: Turns) -> deque[_Place]:
        if turns.hurried:
            return self._last
        if turns.reads:
            return self._readers
        if turns.behind:
            return self._behind
        return self._rest if turns.begun else self._first

    def hurry(self, turns: Turns) -> None:
        """Put a search before all others, with the turns that it waits for already."""
        turns.hurried = True
        for line in (self._first, self._rest, self._readers, self._behind):
            for _ in range(len(line)):
                place = line.popleft()
                (self._last if place.turns is turns else line).append(place)

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        while line := self._next_line():
            turns = line.popleft().turns
            future = turns.foremost()
            if future is None:
                continue
            turns.begun = True
            self._read = turns.reads
            future.set_result(None)
            break
        # Another page of a search that has just had its first turn.
        while self._first and self._first[0].turns.begun:
            self._rest.append(self._first.popleft())
        self._serving = bool(self._next_line())
        if self._serving:
            loop.call_soon(loop.call_soon, self._serve, loop)  # in the cycle after the next one

    def _next_line(self) -> deque[_Place]:
        """The line whose turn it is; an empty one where nobody waits."""
        if self._last:
            return self._last
        searches = self._first or self._rest or self._behind
        return self._readers if self._readers and not (self._read and searches) else searches


async def collect_until(
    deadline: float,
    asking: Mapping[str, Coroutine[Any, Any, None]],
    collect: Coroutine[Any, Any, None],
    late: Callable[[], Awaitable[None]],
) -> None:
    """Run tasks that fill an inbox, and empty the inbox, until the deadline; then cancel the tasks
    that are left.

    `deadline`: in `loop.time()` seconds. `asking`: name of a task -> what it does. `late`: is
    awaited where the deadline came first, before the tasks are cancelled. Raises ExceptionGroup: a
    task failed.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asks, name=name) for name, asks in asking.items()]
        try:
            async with asyncio.timeout_at(deadline):
                await collect
        except TimeoutError:
            await late()
        for task in tasks:
            task.cancel()


class Warmup:
    """Loads and computes in threads what the strategies of an engine's searches need.

    Made inside the loop.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._warm = False  # whether what the default strategy computes with has been imported

    async def load(self, chosen: DedupStrategy) -> None:
        """Load what a strategy needs, off the loop; returns at once where that is done or nothing
        is needed. Raises MetasearchError: it cannot be loaded.
        """
        if chosen.loads and chosen.name not in _LOADED:
            await self._in_thread(_load, chosen)

    async def prepare(
        self, chosen: DedupStrategy, chain: Chain, prints: Sequence[Fingerprint]
    ) -> None:
        """Compute what takes long when these records are compared; the fingerprints keep it.

        To be called where the strategy loads something or the chain has work for these records.
        Raises MetasearchError: what the strategy needs cannot be loaded.
        """
        if chosen.loads:
            await self.load(chosen)
            await self._in_thread(_compute, chain, prints)
        elif self._warm and len(prints) <= AT_ONCE:
            chain.prepare(prints)
        else:
            await self._in_thread(chain.prepare, prints)
            self._warm = True

    async def _in_thread(self, do: Callable[..., T], *args: Any) -> T:
        """Call a function in a thread: one at a time, because threads share one interpreter."""
        async with self._turn:
            return await asyncio.to_thread(do, *args)


def _load(chosen: DedupStrategy) -> None:
    """Load what a strategy needs, once a process; may take a second or two, so it runs in a thread.
    Raises MetasearchError: it cannot be loaded.
    """
    with _LOADING:
        if chosen.name in _LOADED:
            return
        try:
            chosen.load()
        except MetasearchError:
            raise
        except Exception as exc:  # a dictionary or a compiled library of others
            raise MetasearchError(
                message(
                    "the strategy {name} cannot load what it needs: {kind}: {error}",
                    name=repr(chosen.name),
                    kind=type(exc).__name__,
                    error=str(exc),
                ),
                advice=message("Choose another one; `metasearch strategies` lists all."),
            ) from exc
        _LOADED.add(chosen.name)


def _compute(chain: Chain, prints: Iterable[Fingerprint]) -> None:
    """Compute all that a chain compares of records; fingerprints keep it, so that it can be done in
    a thread.

    To compare a record with itself computes everything that is compared with another record.
    """
    for record_print in prints:
        for matcher in chain.matchers:
            list(matcher.keys(record_print))
            matcher.compare(record_print, record_print)
