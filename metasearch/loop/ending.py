"""The end of tasks: of those of which one may lose a cancellation, and of what a task holds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

#: Seconds after which a task that still runs is cancelled again.
AGAIN = 0.5


async def ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels tasks until all have ended, however they do.

    Once is not always enough: a library that closes its connection when it is cancelled, and
    catches what goes wrong then, may go on as if nothing had been asked.
    """
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        done, running = await asyncio.wait(running, timeout=AGAIN)
        for task in done:
            seen(task)


def seen(task: asyncio.Task[Any]) -> None:
    """Count the failure of a task that has ended as seen, so that the loop does not log that nobody
    asked for it; a callback for `add_done_callback`.

    A cancelled task keeps the error, with all that its functions held, until it is asked for. Where
    one of them held the task's owner, only the garbage collector would free both.
    """
    with suppress(asyncio.CancelledError):
        task.exception()
