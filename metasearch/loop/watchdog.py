"""A watchdog for programs that use the library: it reports where an event loop hangs, and can end
the process.

Nothing else in the library touches what belongs to the whole process; this does, because it is
asked to.
"""

from __future__ import annotations

import asyncio
import faulthandler
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TextIO


@asynccontextmanager
async def watchdog(
    seconds: float, *, file: TextIO | None = None, end: bool = False
) -> AsyncIterator[None]:
    """Watches the running loop for as long as the block lasts.

    Once the loop has stopped for `seconds`, the stacks of all threads are written: files, lines and
    names of functions, no values. This holds even while C code keeps the interpreter to itself (a
    regular expression, a comparison of long strings), when no thread, signal handler or timer of
    Python runs. One silence is reported once.

    It uses `faulthandler.dump_traceback_later`, of which a process has one: other users of it are
    disturbed. `seconds`: longer than any pause of the loop that is acceptable; above 0. `file`:
    with a file descriptor, and open for as long as the block lasts; None is the standard error that
    the process began with. `end`: whether the process then ends, at once and with exit code 1: no
    block is left in order, no buffer flushed. Raises ValueError: `seconds` is not above 0, or the
    file has no descriptor.
    """
    if not seconds > 0:
        raise ValueError(f"seconds must be above 0, are {seconds}")
    stream = file or sys.__stderr__
    if stream is None:
        raise ValueError("there is no standard error")
    loop = asyncio.get_running_loop()
    stream.fileno()
    timer: asyncio.TimerHandle

    def alive() -> None:
        nonlocal timer
        faulthandler.dump_traceback_later(seconds, file=stream, exit=end)
        timer = loop.call_later(seconds / 4, alive)

    alive()
    try:
        yield
    finally:
        timer.cancel()
        faulthandler.cancel_dump_traceback_later()
