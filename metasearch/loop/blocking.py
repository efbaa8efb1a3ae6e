"""Waiting for a coroutine where nothing can be awaited: in a plain program, and in a notebook that
has a loop.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def completed(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the coroutine returns or raises. It runs in a loop of its own: in this thread or, where
    a loop runs in this thread already, which may not be entered twice, in another one.

    An interrupt (Ctrl-C, or the end of a notebook's cell) ends the coroutine, too.

    Args:
        make: Makes the coroutine, in the thread in which it will run.
    """
    started: list[asyncio.Task[Any]] = []

    async def run() -> T:
        task = asyncio.current_task()
        if task is not None:
            started.append(task)
        return await make()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run())
    with ThreadPoolExecutor(1, "metasearch") as pool:
        waiting = pool.submit(contextvars.copy_context().run, lambda: asyncio.run(run()))
        try:
            return waiting.result()
        except BaseException:
            if not waiting.done():  # this thread was interrupted
                for task in started:
                    task.get_loop().call_soon_threadsafe(task.cancel)
            raise
