"""How long a loop was kept from its other work, told so that neither a busy machine nor a slow one
looks like a stall.

A task wakes up in each round of the loop. Between two of its beats work is counted, in calls of
functions; or it is measured, as the CPU time of the loop's own thread, which means something only
beside that of other work of the same run.
"""

from __future__ import annotations

import asyncio
import sys
import time
from types import FrameType
from typing import Self

from tests.adapters.fetch.timeless import TimelessLoop
from tests.growth import check_may_measure


class _Rounds:
    """`async with` it round what is looked at."""

    #: Seconds between two beats; none: one in each round of the loop, which then never rests.
    every = 0.0

    async def __aenter__(self) -> Self:
        self._beating = asyncio.create_task(self._beat())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._beating.cancel()
        await asyncio.gather(self._beating, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            self.begin()
            await asyncio.sleep(self.every)
            self.end()

    def begin(self) -> None:
        """A round begins."""

    def end(self) -> None:
        """A round is over."""


class Stalls(_Rounds):
    """Measures, in tests that are marked `slow`.

    Attributes:
        longest: The most CPU time, in seconds, that the loop's thread took in a round.
        rounds: How many there were; an idle one takes a millisecond.
    """

    every = 0.001

    def __init__(self) -> None:
        check_may_measure()
        self.longest, self.rounds, self._began = 0.0, 0, 0.0

    def begin(self) -> None:
        self._began = time.thread_time()

    def end(self) -> None:
        self.longest = max(self.longest, time.thread_time() - self._began)
        self.rounds += 1


class Calls(_Rounds):
    """Counts, so that all machines come to the same; on a timeless loop, a call takes a
    microsecond, and a turn of five milliseconds some five thousand calls.

    Attributes:
        most: The most calls of functions on the loop's thread in a round.
    """

    def __init__(self) -> None:
        self.most = self._calls = 0

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._pass_by = loop.pass_by if isinstance(loop, TimelessLoop) else None
        sys.setprofile(self._count)
        return await super().__aenter__()

    async def __aexit__(self, *raised: object) -> None:
        await super().__aexit__(*raised)
        sys.setprofile(None)

    def begin(self) -> None:
        self._calls = 0

    def end(self) -> None:
        self.most = max(self.most, self._calls)

    def _count(self, frame: FrameType, event: str, arg: object) -> None:
        if event in ("call", "c_call"):
            self._calls += 1
            if self._pass_by is not None:
                self._pass_by(1e-6)


def unit_of_work() -> float:
    """CPU seconds, some ten milliseconds, that a piece of work takes on this machine just now."""
    check_may_measure()
    began = time.thread_time()
    sum(number % 7 for number in range(200_000))
    return time.thread_time() - began
