"""What computes long from the text of a client is computed off the loop: in one thread, because
threads share one interpreter, one text at a time, the users in turns.

A query of a thousand terms takes a tenth of a second to read, and longer to write in other
syntaxes. On the loop nobody would be served meanwhile; in many threads the loop would be one of
many that want the interpreter.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from metasearch.message import message
from metasearch.server.limits.fair_queue import FairQueue
from metasearch.server.problem import Problem

T = TypeVar("T")

#: Characters of a text that is read on the loop, which takes a millisecond or two.
SHORT = 400
#: Texts that wait, of all users and of one.
MOST_WAITING, MOST_OF_USER = 64, 8
#: Seconds after which a refused client may try again at least and at most, and what a text takes
#: while nothing is known yet.
SOONEST, LATEST, USUAL = 1, 30, 0.2
#: Weight of the last text in the smoothed duration of one.
_NEW = 0.1


class Computing:
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

        def ended(_: object) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._ended, began)

        # Also where the request is gone by then: the thread is busy until it is done.
        computed.add_done_callback(ended)
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

    def _ended(self, began: float) -> None:
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
