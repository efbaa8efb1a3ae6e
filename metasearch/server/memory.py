"""What a server process keeps of the memory that it has freed.

Thirty-two searches at once over pages of a megabyte take some 200 MiB. All of it is freed when they
end, and yet glibc keeps most: it learns from the first large page that large pieces come, and from
then on takes them from a heap that never shrinks. So its thresholds are fixed, and when a server
has become idle its heap is trimmed. One that is never idle has it trimmed every few seconds:
between what stays, searches leave free pages that hardly any later one uses, 4 MiB after some
hundred searches. Other C libraries have neither function, and nothing is done.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from metasearch import garbage_collection

#: glibc's M_MMAP_THRESHOLD: bytes from which on each piece is given back as soon as it is freed.
_LARGE = (-3, 256 * 1024)
#: M_TRIM_THRESHOLD: free bytes at the end of the heap from which on they are given back.
_FREE_END = (-1, 1024 * 1024)
#: M_ARENA_MAX: heaps, of which threads that read large pages would have one each.
_HEAPS = (-8, 2)
#: Seconds between two looks at the time that the process has computed; share of them below which it
#: is idle; and seconds of computing after which there is something to give back.
LOOK, IDLE, WORTH = 10.0, 0.02, 0.5
#: Seconds of computing after which garbage is collected although the server is not idle.
BUSY = 20.0


@asynccontextmanager
async def sparing() -> AsyncIterator[None]:
    """For a process that only serves, from when it is ready: garbage is collected rarely, and freed
    memory is given back.
    """
    garbage_collection.settle()
    libc = _glibc()
    if libc is not None:
        for parameter, value in (_LARGE, _FREE_END, _HEAPS):
            libc.mallopt(parameter, value)
    task = asyncio.create_task(tidying(lambda: libc and libc.malloc_trim(0)), name="memory")
    try:
        yield
    finally:
        task.cancel()


async def tidying(
    give_back: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> None:
    """Collect all garbage and call `give_back` whenever the process has computed and is idle now.
    While it computes, call `give_back` as well, and collect garbage where that goes on for long.

    `give_back`: takes less than a millisecond for a heap of some 20 MiB. `clock`: seconds that this
    process has computed.
    """
    looked = given = collected = clock()
    while True:
        await asyncio.sleep(LOOK)
        now = clock()
        idle, computed = now - looked < LOOK * IDLE, now - looked >= WORTH
        if idle and now - given >= WORTH:
            garbage_collection.collect()
            give_back()
            given = collected = clock()
        elif now - collected >= BUSY and garbage_collection.collect():
            collected = clock()
        if computed:
            give_back()
        looked = clock()


def _glibc() -> ctypes.CDLL | None:
    """The C library of this process; None where it is another one."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None
