"""Whose turn it is to compute on the loop: pages are read a stretch at a time, and no search waits long for its first.

Reading a page takes milliseconds, and thirty searches bring three hundred pages at once. Read one after the other as
they come, each would stall the loop, and the last search would show nothing until the others are done.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """The turns of one search; from `Desk.turns`."""

    __slots__ = ("_desk", "begun")

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.begun = False

    async def next(self) -> None:
        """Wait for a turn: a millisecond or two of computing, until the next `await`."""
        await self._desk.queue(self)


class Desk:
    """Gives one turn in each round of the loop, so that sockets, timers and readers are served between two.

    A search that has had none goes first; apart from that it goes by the order of coming.
    """

    def __init__(self) -> None:
        self._first: deque[tuple[Turns, asyncio.Future[None]]] = deque()
        self._rest: deque[tuple[Turns, asyncio.Future[None]]] = deque()
        self._serving = False

    def turns(self) -> Turns:
        """Of a search that begins."""
        return Turns(self)

    def queue(self, turns: Turns) -> asyncio.Future[None]:
        """Stand in line; the future is done when it is this search's turn."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        (self._rest if turns.begun else self._first).append((turns, future))
        if not self._serving:
            self._serving = True
            loop.call_soon(self._serve, loop)
        return future

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._first or self._rest:
            turns, future = (self._first or self._rest).popleft()
            if future.done():  # whoever waited has been cancelled
                continue
            turns.begun = True
            future.set_result(None)
            break
        while self._first and self._first[0][0].begun:  # another page of a search that has just had its first turn
            self._rest.append(self._first.popleft())
        self._serving = bool(self._first or self._rest)
        if self._serving:
            loop.call_soon(self._serve, loop)
