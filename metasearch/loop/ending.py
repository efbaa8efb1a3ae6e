"""Ending tasks of which one may lose a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
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
            if not task.cancelled():
                task.exception()  # else the loop logs that nobody asked for it
