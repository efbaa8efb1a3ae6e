"""How hard one source is asked: starts per time, requests at once."""

from __future__ import annotations

import math
import time
from asyncio import Lock, Semaphore, sleep
from types import TracebackType

from asyncio_throttle.throttler import Throttler

from metasearch.adapters.spec import Limits


class FairThrottler(Throttler):
    """`asyncio_throttle.Throttler`, first come first served, and sleeping until the next slot is free.

    The original polls every 10 ms, and a newcomer can pass the queue. Never more than `rate_limit` starts lie in any
    window of `period` seconds. Belongs to one event loop; waiters may be cancelled.

    Args:
        rate_limit: Starts per period. A fraction below 1 is one start in a longer period; above, it is rounded down.
        period: Seconds.
    """

    def __init__(self, rate_limit: float, period: float = 1.0) -> None:
        if not (rate_limit > 0 and period >= 0):
            raise ValueError(f"a rate must be positive: {rate_limit} in {period} s")
        if rate_limit < 1:
            period, rate_limit = period / rate_limit, 1
        super().__init__(math.floor(min(rate_limit, 1e9)), period)
        self._turn = Lock()

    async def acquire(self) -> None:
        """Waits for one's turn and takes a start."""
        async with self._turn:
            while True:
                self.flush()  # type: ignore[no-untyped-call]
                if len(self._task_logs) < self.rate_limit:
                    break
                wait = self._task_logs[0] + self.period - time.monotonic()
                # A millisecond more: flush() drops only what is strictly older than the period.
                await sleep(max(0.0, wait) + 1e-3)
            self._task_logs.append(time.monotonic())


class Turnstile:
    """Lets requests to one source through: at most `concurrency` at once, then at the rate of its limits.

    The slot is taken before the start, so that a start is counted when it really happens.

    Args:
        limits: The source's.
        patience: Factor on the period; 0 in tests waits for nobody.
    """

    def __init__(self, limits: Limits, *, patience: float = 1.0) -> None:
        self._slots = Semaphore(limits.concurrency)
        self._rate = FairThrottler(limits.requests, limits.per * patience)

    async def __aenter__(self) -> None:
        await self._slots.acquire()
        try:
            await self._rate.acquire()
        except BaseException:
            self._slots.release()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._slots.release()
