"""One exchange that may be late: given up far past its usual time, or joined by a second request like it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from metasearch.adapters.history import Times
from metasearch.adapters.request import Page

#: A loop may wake this many seconds before the moment that it was told.
EARLY = 1e-3


class Overdue(Exception):
    """No answer came within `seconds`, where 95 % of the source's answers come within `usual`."""

    def __init__(self, seconds: float, usual: float) -> None:
        super().__init__(f"{seconds:.1f} s, usually {usual:.2g} s")
        self.seconds = seconds
        self.usual = usual


async def raced(
    first: Coroutine[Any, Any, Page],
    second: Callable[[float], Awaitable[asyncio.Task[Page] | None]],
    times: Times,
    is_answer: Callable[[Page], bool],
) -> tuple[Page, Page | None]:
    """The first answer of one request, or of two where the first is slow; what has not come by then is cancelled.

    How long is too long is looked up again at that moment: where another exchange was found late meanwhile, this one
    goes on. An error, or a page that is no answer, waits for the other request to do better.

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
    began = loop.time()
    tasks = [loop.create_task(first)]
    hedge_at = times.hedge_after
    try:
        while True:
            moments = [moment for moment in (hedge_at, times.longest) if moment is not None]
            wait = max(0.0, began + min(moments) - loop.time()) if moments else None
            await asyncio.wait([t for t in tasks if not t.done()], timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            if found := _found(tasks, is_answer):
                return found
            passed = loop.time() - began + EARLY
            if hedge_at is not None and passed >= hedge_at:
                hedge_at = None
                if (another := await second(passed)) is not None:
                    tasks.append(another)
            if (longest := times.longest) is not None and passed >= longest:
                times.late()  # at once, so that of several that are late only one is given up
                raise Overdue(longest, times.usual or 0.0)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _found(tasks: list[asyncio.Task[Page]], is_answer: Callable[[Page], bool]) -> tuple[Page, Page | None] | None:
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
        return best, next((page for page in pages if page is not best and not is_answer(page)), None)
    return None
