"""Whose turn it is to compute: pages are read a stretch at a time, and no search waits long for its
first.

Reading a page takes milliseconds, and thirty searches bring three hundred pages at once. Read one
after the other as they come, each would stall the loop, and the last search would show nothing
until the others are done. A page that takes longer is read in a thread, and there are few of those
at a time.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from metasearch.loop.threads import in_daemon_thread

#: Threads that compute at once: they share one interpreter with the loop, and each may hold a large
#: page.
THREADS = 2


class _Waiting(NamedTuple):
    turns: Turns
    future: asyncio.Future[None]
    since: float


class Turns:
    """The turns of one search; from `Desk.turns`."""

    __slots__ = ("_desk", "begun", "hurried")

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.begun = False
        self.hurried = False

    async def next(self) -> None:
        """Wait for a turn: a millisecond or two of computing, until the next `await`."""
        await self._desk.queue(self)

    async def apart(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """Have a thread do it, as soon as one is free. Whoever stops waiting is not kept until it
        has ended.

        Args:
            work: Is given a function that tells whether somebody still waits.
        """
        await self._desk.thread(work)

    def hurry(self) -> None:
        """From now on these turns come before all others: their search has reached its deadline."""
        self._desk.hurry(self)


class Desk:
    """Gives one turn in each round of the loop, so that sockets, timers and readers are served
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
