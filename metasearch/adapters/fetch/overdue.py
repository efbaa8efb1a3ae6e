"""One exchange that may be late: given up far past its usual time, or joined by a second request
like it.

`ended` is how everybody waits here: `asyncio.wait` for the few tasks of one exchange, at half its
price.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from metasearch.adapters.fetch.history import Times
from metasearch.adapters.request import Page
from metasearch.loop.lag import lag

#: A loop may wake this many seconds before the moment that it was told.
EARLY = 1e-3


class Overdue(Exception):
    """No answer came within `seconds`, where 95 % of the source's answers come within `usual`."""

    def __init__(self, seconds: float, usual: float) -> None:
        super().__init__(f"{seconds:.1f} s, usually {usual:.2g} s")
        self.seconds = seconds
        self.usual = usual


class _Bell:
    """Rung by whatever comes first, and by what comes after in vain."""

    __slots__ = ("rung",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.rung: asyncio.Future[None] = loop.create_future()

    def ring(self, _: object = None) -> None:
        if not self.rung.done():
            self.rung.set_result(None)


async def ended(tasks: Sequence[asyncio.Task[Page]], until: float | None) -> None:
    """Waits until one of the tasks is done, or until a moment in `loop.time()` seconds; cancelled,
    it leaves them.
    """
    if any(task.done() for task in tasks):
        return
    loop = asyncio.get_running_loop()
    bell = _Bell(loop)
    ring = bell.ring
    timer = None if until is None else loop.call_at(until, ring)
    for task in tasks:
        task.add_done_callback(ring)
    try:
        await bell.rung
    finally:
        if timer is not None:
            timer.cancel()
        for task in tasks:
            task.remove_done_callback(ring)


async def raced(
    first: Coroutine[Any, Any, Page],
    second: Callable[[float], Awaitable[asyncio.Task[Page] | None]],
    times: Times,
    is_answer: Callable[[Page], bool],
) -> tuple[Page, Page | None]:
    """The first answer of one request, or of two where the first is slow; what has not come by then
    is cancelled.

    How long is too long is looked up again at that moment: where another exchange was found late
    meanwhile, this one goes on. An error, or a page that is no answer, waits for the other request
    to do better.

    Args:
        first: Sends the request.
        second: Sends it again, after so many seconds; gives None where that may not be.
        times: How long such requests take.
        is_answer: Whether a page may be one.

    Returns:
        The page, and that of the other request if it had come and was none.

    Raises:
        Overdue: It is far past the usual time.
        SourceError: What the first request failed with, if no page came at all.
    """
    loop = asyncio.get_running_loop()
    began, lost = loop.time(), lag().lost
    tasks = [loop.create_task(first)]
    hedge_at = times.hedge_after
    try:
        while True:
            late = lag().lost - lost  # for so long nobody looked whether an answer was there
            moments = [
                began + late + moment for moment in (hedge_at, times.longest) if moment is not None
            ]
            await ended([task for task in tasks if not task.done()], min(moments, default=None))
            if found := _found(tasks, is_answer):
                return found
            passed = loop.time() - began - (lag().lost - lost) + EARLY
            if hedge_at is not None and passed >= hedge_at:
                hedge_at = None
                if (another := await second(passed)) is not None:
                    tasks.append(another)
            if (longest := times.longest) is not None and passed >= longest:
                times.late()  # at once, so that of several that are late only one is given up
                raise Overdue(longest, times.usual or 0.0)
    finally:
        await _left_behind(tasks)


async def _left_behind(tasks: Sequence[asyncio.Task[Page]]) -> None:
    """Cancels what is still under way; every error counts as seen."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.gather(*running, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            task.exception()


def _found(
    tasks: list[asyncio.Task[Page]], is_answer: Callable[[Page], bool]
) -> tuple[Page, Page | None] | None:
    """The page to take and the one that was none; None as long as something better may come.

    Raises:
        SourceError: That of the first, if all have failed.
    """
    pages = [task.result() for task in tasks if task.done() and task.exception() is None]
    if len(tasks) == 1 and pages:
        return pages[0], None
    answers = [page for page in pages if is_answer(page)]
    if answers or all(task.done() for task in tasks):
        if not pages:
            tasks[0].result()
        best = (answers or pages)[0]
        return best, next(
            (page for page in pages if page is not best and not is_answer(page)), None
        )
    return None
