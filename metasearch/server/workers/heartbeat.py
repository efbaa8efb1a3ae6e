"""How a worker shows its parent that its event loop runs, and how it can be made to say what it
does instead.

The worker writes a byte into a pipe from its loop, a few times a second. Nothing in a worker whose
loop has stopped can be asked for help: while C code holds the interpreter (a regular expression, a
comparison of long strings) neither Python's signal handlers nor other threads run. So the parent
judges, faulthandler writes the stacks without the interpreter, and only SIGKILL ends it. Docs:
docs/server.md, why: docs/decisions/0020-the-watchdog.md.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: Seconds between two signs of life, and between two looks of the parent.
EVERY = 0.25
#: What the parent has counted, in the folder that the workers share.
PARENT_FILE = "parent.json"
#: Makes a worker write the stacks of its threads: files, lines and names of functions, no values.
TELL = signal.SIGUSR1 if hasattr(signal, "SIGUSR1") else None
#: Characters of the stacks that are logged.
LONGEST_STACKS = 16_000
#: Seconds that writing them may take.
_PATIENCE = 1.0


def stacks_of(folder: Path, number: int) -> Path:
    """Where a worker writes the stacks of its threads."""
    return folder / f"{number}.stacks"


@contextmanager
def telling_stacks(file: Path) -> Iterator[None]:
    """Has this process write its stacks into a file when it is sent `TELL`, or crashes, as long as
    the block lasts.
    """
    assert TELL is not None
    with file.open("wb") as stream:
        faulthandler.enable(stream)
        faulthandler.register(TELL, stream)
        try:
            yield
        finally:
            faulthandler.unregister(TELL)
            faulthandler.disable()


def beat(told: Connection, silence: float) -> None:
    """Begins to show signs of life from the running loop, and goes on as long as that runs.

    With a `silence` in seconds, the kernel ends this process after twice as long without a sign
    (SIGALRM): a loop that has stopped ends even if the parent is gone.
    """
    loop = asyncio.get_running_loop()
    os.set_blocking(
        told.fileno(), False
    )  # a parent that was stopped does not read, and must not stop the loop

    def sign() -> None:
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(told.fileno(), b"\0")
        if silence:
            signal.setitimer(signal.ITIMER_REAL, 2 * silence)
        loop.call_later(EVERY, sign)

    sign()


def heard(told: Connection) -> bool:
    """Whether there was a sign of life since the last look."""
    with suppress(BlockingIOError):
        return bool(os.read(told.fileno(), 4096))
    return False


async def stacks(pid: int, file: Path) -> str:
    """Makes a process tell what its threads do, and waits for it; "" where it does not."""
    assert TELL is not None
    with suppress(ProcessLookupError):
        os.kill(pid, TELL)
    size = -1
    for _ in range(int(_PATIENCE / 0.05)):
        await asyncio.sleep(0.05)
        before, size = size, len(written(file))
        if before == size > 0:  # it writes line by line: all is there when it grows no more
            break
    return written(file)


def written(file: Path) -> str:
    """The stacks that a process has written, cut to what a log can take."""
    try:
        with file.open("rb") as stream:
            return stream.read(LONGEST_STACKS).decode("utf-8", "replace").rstrip()
    except OSError:
        return ""
