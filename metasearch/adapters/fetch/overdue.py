"""Waiting for one exchange: `wait_for` until it ends or a moment comes, and `in_usual_time`, which
gives up an exchange that is far past its usual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from metasearch.adapters.fetch.history import Times
from metasearch.adapters.request import Page
from metasearch.loop.lag import lag

#: The loop may call a timer this many seconds before its moment.
EARLY = 1e-3


class Overdue(Exception):
    """No answer came within `seconds`, where 95 % of the source's answers come within `usual`."""

    def __init__(self, seconds: float, usual: float) -> None:
        super().__init__(f"{seconds:.1f} s, usually {usual:.2g} s")
        self.seconds = seconds
        self.usual = usual


async def wait_for(task: asyncio.Task[Page], until: float | None) -> None:
    """Waits until the task is done, or until a moment; leaves the task running if cancelled.

    This is `asyncio.wait` for a single task, at half its cost. `until`: latest moment in
    `loop.time()` seconds; None waits without end.
    """
    if task.done():
        return
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not waiting.done():
            waiting.set_result(None)

    timer = None if until is None else loop.call_at(until, wake)
    task.add_done_callback(wake)
    try:
        await waiting
    finally:
        if timer is not None:
            timer.cancel()
        task.remove_done_callback(wake)


async def in_usual_time(sending: Coroutine[Any, Any, Page], times: Times) -> Page:
    """Returns the answer, unless it takes far longer than such answers usually take.

    The limit is looked up again when it is reached: where another exchange was found late
    meanwhile, this one goes on. Raises Overdue: the exchange was given up; SourceError: as raised
    by `sending`.
    """
    if times.longest is None:
        return await sending
    loop = asyncio.get_running_loop()
    began, lost = loop.time(), lag().lost
    task = loop.create_task(sending)
    try:
        while not task.done():
            longest = times.longest
            # While the loop stood still, nothing could see whether an answer had come.
            stood_still = lag().lost - lost
            await wait_for(task, None if longest is None else began + stood_still + longest)
            passed = loop.time() - began - (lag().lost - lost) + EARLY
            longest = times.longest
            if not task.done() and longest is not None and passed >= longest:
                times.late()  # at once, so that of several late exchanges only one is given up
                raise Overdue(longest, times.usual or 0.0)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        elif not task.cancelled():
            task.exception()  # counts as seen where the caller was cancelled meanwhile
