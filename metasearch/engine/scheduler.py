"""When and where searches compute: fair turns on the loop, and threads for what takes long.

Reading a page takes milliseconds, and thirty searches bring three hundred pages at once. Read one
after the other as they come, each would stall the loop, and the last search would show nothing
until the others are done. So a page is read in stretches, one in each turn. A page that takes
longer is read in a thread, and so is what a strategy has to load: a dictionary takes seconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from metasearch.dedup import Chain, Fingerprint, Strategy
from metasearch.errors import MetasearchError
from metasearch.loop.threads import in_daemon_thread

T = TypeVar("T")

#: Threads that compute at once: they share one interpreter with the loop, and each may hold a large
#: page.
THREADS = 2
#: Names of the strategies that have loaded what they need, in this process; two must not load at
#: once.
_LOADED: set[str] = set()
_LOADING = threading.Lock()
#: Records that are prepared on the loop, in less than the milliseconds for which a thread would
#: keep the interpreter.
AT_ONCE = 20


class _Waiting(NamedTuple):
    turns: Turns
    future: asyncio.Future[None]
    since: float


class Turns:
    """The turns of one search; from `FairScheduler.turns`."""

    __slots__ = ("_scheduler", "begun", "hurried")

    def __init__(self, scheduler: FairScheduler) -> None:
        self._scheduler = scheduler
        self.begun = False
        self.hurried = False

    async def next(self) -> None:
        """Wait for a turn: a millisecond or two of computing, until the next `await`."""
        await self._scheduler.queue(self)

    async def apart(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """Have a thread do it, as soon as one is free. Whoever stops waiting is not kept until it
        has ended.

        Args:
            work: Is given a function that tells whether somebody still waits.
        """
        await self._scheduler.thread(work)

    def hurry(self) -> None:
        """From now on these turns come before all others: their search has reached its deadline."""
        self._scheduler.hurry(self)


class FairScheduler:
    """Gives one turn in each cycle of the loop, so that sockets, timers and readers are served
    between two.

    A search at its deadline goes first, then one that has had no turn; apart from that it goes by
    the order of coming.
    """

    def __init__(self) -> None:
        self._last: deque[_Waiting] = deque()
        self._first: deque[_Waiting] = deque()
        self._rest: deque[_Waiting] = deque()
        self._serving = False
        self._threads = asyncio.Semaphore(THREADS)

    async def thread(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """See `Turns.apart`. The place of a thread is free when it has ended, not when nobody waits
        for it any more.
        """
        await self._threads.acquire()
        given_up = threading.Event()
        try:
            await in_daemon_thread(lambda: work(given_up.is_set), "read", self._threads.release)
        finally:
            given_up.set()

    def turns(self) -> Turns:
        """Of a search that begins."""
        return Turns(self)

    @property
    def wait(self) -> float:
        """Seconds for which whoever is next has waited; 0 where nobody waits."""
        heads = [line[0].since for line in (self._last, self._first, self._rest) if line]
        return asyncio.get_running_loop().time() - min(heads) if heads else 0.0

    def queue(self, turns: Turns) -> asyncio.Future[None]:
        """Stand in line; the future is done when it is this search's turn."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        line = self._last if turns.hurried else self._rest if turns.begun else self._first
        line.append(_Waiting(turns, future, loop.time()))
        if not self._serving:
            self._serving = True
            loop.call_soon(self._serve, loop)
        return future

    def hurry(self, turns: Turns) -> None:
        """Let a search pass all others, with what it has waiting, too."""
        turns.hurried = True
        for line in (self._first, self._rest):
            for _ in range(len(line)):
                waiting = line.popleft()
                (self._last if waiting.turns is turns else line).append(waiting)

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._last or self._first or self._rest:
            turns, future, _ = (self._last or self._first or self._rest).popleft()
            if future.done():  # whoever waited has been cancelled
                continue
            turns.begun = True
            future.set_result(None)
            break
        while (
            self._first and self._first[0].turns.begun
        ):  # another page of a search that has just had its first turn
            self._rest.append(self._first.popleft())
        self._serving = bool(self._last or self._first or self._rest)
        if self._serving:
            loop.call_soon(self._serve, loop)


# --------------------------------------------------------------------------- strategies


class Warmup:
    """Where all searches of an engine have loaded and computed what their strategies need; made
    inside the loop.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._warm = False  # whether what the default strategy computes with has been imported

    async def load(self, chosen: Strategy) -> None:
        """Load what a strategy needs, off the loop; at once where that is done or nothing is
        needed.

        Raises:
            MetasearchError: It cannot be loaded.
        """
        if chosen.loads and chosen.name not in _LOADED:
            await self._in_thread(_load, chosen)

    async def prepare(self, chosen: Strategy, chain: Chain, prints: Sequence[Fingerprint]) -> None:
        """Compute what comparing these records takes long to compute; the fingerprints keep it.

        Raises:
            MetasearchError: What the strategy needs cannot be loaded.
        """
        if chosen.loads and prints:
            await self.load(chosen)
            await self._in_thread(_compute, chain, prints)
        elif chain.has_work(prints):
            if self._warm and len(prints) <= AT_ONCE:
                chain.prepare(prints)
                return
            await self._in_thread(chain.prepare, prints)
            self._warm = True

    async def _in_thread(self, do: Callable[..., T], *args: Any) -> T:
        """Let a thread do it: one at a time, because they would share one interpreter."""
        async with self._turn:
            return await asyncio.to_thread(do, *args)


def _load(chosen: Strategy) -> None:
    """Load what a strategy needs, once a process; may take a second or two, so it runs in a thread.

    Raises:
        MetasearchError: It cannot be loaded.
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
                f"the strategy {chosen.name!r} cannot load what it needs: {type(exc).__name__}: "
                f"{exc}",
                advice="Choose another one; `metasearch strategies` lists all.",
            ) from exc
        _LOADED.add(chosen.name)


def _compute(chain: Chain, prints: Iterable[Fingerprint]) -> None:
    """Compute all that a chain compares of records; fingerprints keep it, so that it can be done in
    a thread.

    Whoever compares a record with itself has looked at everything that is compared with another
    one.
    """
    for it in prints:
        for matcher in chain.matchers:
            list(matcher.keys(it))
            matcher.compare(it, it)
