"""Work in a thread that delays neither a caller that was cancelled nor the end of the program.

A thread cannot be cancelled. A loop that closes waits for the threads of its executor, and so does
the program when it exits; one that hangs would hold up both, and every other user of that executor.
Here each piece of work has a daemon thread of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_daemon_thread(
    work: Callable[[], T], name: str, ended: Callable[[], None] = lambda: None
) -> T:
    """What the work returns. A caller that is cancelled goes on at once; the thread ends by itself.

    `ended`: called in the loop when the thread has ended, also if its caller was cancelled. Raises
    RuntimeError: no more threads can be started; `ended` is called all the same. Raises Exception:
    what the work raises.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def finish(set_answer: Callable[[], None]) -> None:
        ended()
        if not answer.done():
            set_answer()

    def run() -> None:
        try:
            value = work()
        except Exception as exc:  # raised again in the caller
            error = exc
            outcome: Callable[[], None] = lambda: answer.set_exception(error)  # noqa: E731
        else:
            outcome = lambda: answer.set_result(value)  # noqa: E731
        try:
            loop.call_soon_threadsafe(finish, outcome)
        except RuntimeError:
            return  # the loop has been closed in the meantime: no caller waits

    try:
        threading.Thread(target=run, name=name, daemon=True).start()
    except RuntimeError:
        ended()
        raise
    return await answer
