"""How long a loop was kept from its other work, told so that a busy machine does not look like a
stall.

A task wakes up in each round of the loop. Between two of its beats, wall time passes for many
reasons; CPU time of the process passes only where something of ours computes, be it on the loop or
in a thread that keeps the interpreter. What counts is the smaller of the two: a thread that lets
the loop run adds CPU time to short beats, and a machine that is busy with others adds wall time
without CPU time.
"""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self


class Stalls:
    """`async with Stalls() as stalls: ...`, and then `stalls.longest`, in seconds.

    Attributes:
        longest: The longest time between two rounds in which something of this process computed.
        on_the_loop: The most CPU time that the loop's own thread took in a round.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self.on_the_loop = 0.0

    async def __aenter__(self) -> Self:
        self._beating = asyncio.create_task(self._beat())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._beating.cancel()
        await asyncio.gather(self._beating, return_exceptions=True)

    async def _beat(self) -> None:
        wall, process, own = time.perf_counter(), time.process_time(), time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter(), time.process_time(), time.thread_time()
            self.longest = max(self.longest, min(now[0] - wall, now[1] - process))
            self.on_the_loop = max(self.on_the_loop, now[2] - own)
            wall, process, own = now
