"""One process of a server: its event loop, its memory, its sockets, its sign of life and its log.

The parent of the workers loads this, too, so it imports little.
"""

from __future__ import annotations

import asyncio
import ctypes
import faulthandler
import json
import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from metasearch import garbage_collection
from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed

if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket
    from multiprocessing.connection import Connection


#: One record a request, at INFO; its fields are in the record's `request`.
access_logger = logging.getLogger("metasearch.access")


def places_of(error: BaseException) -> str:
    """The kinds and places of an error and of what led to it, without their words, which may repeat
    the body of a request.
    """
    chain: list[str] = []
    now: BaseException | None = error
    while now is not None:
        chain.append(f"{''.join(traceback.format_tb(now.__traceback__))}{type(now).__qualname__}")
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    return "\n".join(reversed(chain))


class JsonLines(logging.Formatter):
    """Every record as a line of JSON: time, level, message, a request's fields, the error."""

    def format(self, record: logging.LogRecord) -> str:
        """One object, without a line end."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        request = getattr(record, "request", None)
        fields |= request if isinstance(request, dict) else {"message": record.getMessage()}
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str, ensure_ascii=False, separators=(",", ":"))


LoopName = Literal["auto", "asyncio", "uvloop"]


def loop_factory(name: LoopName) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The factory of the loop, for `asyncio.Runner`; None for asyncio's own. Raises UsageError:
    uvloop is asked for by name and not installed.
    """
    if name == "asyncio":
        return None
    if not is_installed("uvloop"):
        if name == "uvloop":
            raise UsageError(
                "uvloop is not installed",
                advice=f"{how_to_install('uvloop')} Or leave --loop away.",
            )
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def running_loop_name() -> str:
    """The name of the running loop: "asyncio" or "uvloop"."""
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def supervisable() -> bool:
    """Whether this system can run workers under a parent; Windows cannot."""
    return hasattr(socket, "AF_UNIX") and hasattr(signal, "pthread_sigmask")


# What a server process keeps of the memory that it has freed. Thirty-two searches at once over
# pages of a megabyte take some 200 MiB. All of it is freed when they end, and yet glibc keeps most:
# it learns from the first large page that large pieces come, and from then on takes them from a
# heap that never shrinks. So its thresholds are fixed, and when a server has become idle its heap
# is trimmed. One that is never idle has it trimmed every few seconds: between what stays, searches
# leave free pages that hardly any later one uses, 4 MiB after some hundred searches. Other C
# libraries have neither function, and nothing is done.

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
async def spare_memory() -> AsyncIterator[None]:
    """For a process that only serves, from when it is ready: garbage is collected rarely, and freed
    memory is given back.
    """
    garbage_collection.settle()
    libc = _glibc()
    if libc is not None:
        for parameter, value in (_LARGE, _FREE_END, _HEAPS):
            libc.mallopt(parameter, value)
    task = asyncio.create_task(tidy(lambda: libc and libc.malloc_trim(0)), name="memory")
    try:
        yield
    finally:
        task.cancel()


async def tidy(
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


#: Connections that wait to be accepted.
BACKLOG = 128


async def listen(
    protocol: Callable[[], asyncio.BaseProtocol],
    host: str,
    port: int,
    *,
    shared: bool = False,
    serve: bool = True,
) -> asyncio.Server:
    """The sockets of an address.

    `port`: 0 takes any free one. `shared`: whether several may take the same address, and the
    system divides connections between them. Raises UsageError: the address cannot be taken.
    """
    try:
        return await asyncio.get_running_loop().create_server(
            protocol, host, port, backlog=BACKLOG, reuse_port=shared or None, start_serving=serve
        )
    except (OSError, OverflowError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise UsageError(
            f"cannot listen on {host}:{port}: {reason}", advice="Choose another --port or --host."
        ) from exc


def address(listener: socket.socket | TransportSocket) -> str:
    """Where a socket is reached by HTTP."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


# How a worker shows its parent that its event loop runs, and how it can be made to say what it does
# instead. The worker writes a byte into a pipe from its loop, a few times a second. Nothing in a
# worker whose loop has stopped can be asked for help: while C code holds the interpreter (a regular
# expression, a comparison of long strings) neither Python's signal handlers nor other threads run.
# So the parent judges, faulthandler writes the stacks without the interpreter, and only SIGKILL
# ends it. Docs: docs/server.md, why: docs/decisions/0020-the-watchdog.md.

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
def write_stacks_on_signal(file: Path) -> Iterator[None]:
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


def has_beaten(told: Connection) -> bool:
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
        before, size = size, len(read_stacks(file))
        if before == size > 0:  # it writes line by line: all is there when it grows no more
            break
    return read_stacks(file)


def read_stacks(file: Path) -> str:
    """The stacks that a process has written, cut to what a log can take."""
    try:
        with file.open("rb") as stream:
            return stream.read(LONGEST_STACKS).decode("utf-8", "replace").rstrip()
    except OSError:
        return ""
