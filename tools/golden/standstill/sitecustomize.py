"""Makes two runs of a Python process equal: with this folder on `PYTHONPATH`, the calendar stands
still, chance is drawn from a seed, and seconds pass only while the event loop waits for a timer.

- `time.time` and `datetime.now` are always `NOW`.
- `os.urandom`, and with it `secrets` and `uuid`, gives bytes that depend on `STANDSTILL_SEED` and
  on how many were drawn before. A request to a server with the header `X-Standstill` has a seed of
  its own, so that one request does not change the ids of the next.
- `time.monotonic` and `time.perf_counter` stand still while anything of the process has something
  to do. Where all its threads and children wait, and the event loop waits for a timer, they jump to
  that timer. What answers first thus depends on timers alone, not on how busy the machine is. A
  server (`STANDSTILL_SERVES`) has no time between two such requests: what still runs then goes on
  with the next.
- A port that the system chooses is called 20001, 20002, ... inside the process. With
  `STANDSTILL_PORTS`, a file, a line for each tells the real one.
- A request for `/standstill/routes` answers with all methods and paths of the server.

`tools/golden/tree.py` uses it; metasearch knows nothing of it. It needs `/proc` (Linux) to see what
threads and children do.
"""

from __future__ import annotations

# All modules that keep `time.monotonic` under a name of their own come first: they go on with real
# seconds, which is right for what waits for threads and processes.
import asyncio
import concurrent.futures
import contextvars
import datetime as dt
import hashlib
import os
import queue
import selectors
import socket
import subprocess
import threading
import time
import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

_REAL_TIME = (concurrent.futures, queue, subprocess, threading)
#: Seconds since 1970; a Thursday, 2026-01-15 12:00 UTC.
NOW = 1_768_478_400
SERVES = bool(os.environ.get("STANDSTILL_SERVES"))
SEED = os.environ.get("STANDSTILL_SEED", "")
PORTS = os.environ.get("STANDSTILL_PORTS", "")
HEADER, ROUTES = "X-Standstill", "/standstill/routes"
#: Real seconds in which what was sent arrives.
QUIET = 0.001
#: Real seconds that a thread may seem idle before what the loop awaits from it is not waited for.
LONGEST = 0.5


def replace(owner: object, **values: object) -> None:
    """Put other values in the place of attributes."""
    for name, value in values.items():
        setattr(owner, name, value)


# --------------------------------------------------------------------------- the calendar


class _Standing(type):
    """Real dates and times are instances of the classes below."""

    real: type

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.real)


class datetime_(datetime, metaclass=_Standing):  # noqa: N801 - named like the class that it is
    """`datetime.datetime` whose `now` stands; it makes real ones."""

    real = datetime

    def __new__(cls, *values: Any, **named: Any) -> Any:
        return datetime(*values, **named)  # noqa: DTZ001

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        return datetime.fromtimestamp(NOW, tz)

    @classmethod
    def utcnow(cls) -> Any:
        return datetime.fromtimestamp(NOW, dt.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> Any:
        return cls.now()


class date_(date, metaclass=_Standing):  # noqa: N801
    """The same of `datetime.date`."""

    real = date

    def __new__(cls, *values: Any, **named: Any) -> Any:
        return date(*values, **named)

    @classmethod
    def today(cls) -> Any:
        return date.fromtimestamp(NOW)  # noqa: DTZ012


for _standing, _name in ((datetime_, "datetime"), (date_, "date")):
    _standing.__name__ = _standing.__qualname__ = _name
    _standing.__module__ = "datetime"
    setattr(dt, _name, _standing)

_gmtime, _localtime, _strftime = time.gmtime, time.localtime, time.strftime
replace(
    time,
    time=lambda: float(NOW),
    time_ns=lambda: NOW * 10**9,
    gmtime=lambda seconds=None: _gmtime(NOW if seconds is None else seconds),
    localtime=lambda seconds=None: _localtime(NOW if seconds is None else seconds),
    strftime=lambda form, moment=None: _strftime(form, moment or time.localtime()),
)


_from_file = zipfile.ZipInfo.from_file


def from_file(*values: Any, **named: Any) -> zipfile.ZipInfo:
    """A member of an archive; its file was made now, too."""
    member = _from_file(*values, **named)
    member.date_time = time.gmtime()[:6]
    return member


replace(zipfile.ZipInfo, from_file=from_file)

# --------------------------------------------------------------------------- chance


class Draws:
    """Bytes of chance that depend on a seed and on how many were drawn before."""

    def __init__(self, seed: str) -> None:
        self._seed, self._drawn = seed, 0

    def take(self, size: int) -> bytes:
        """So many bytes."""
        self._drawn += 1
        return hashlib.shake_256(f"{self._seed} {self._drawn}".encode()).digest(size)


_PROCESS = Draws(SEED)
_DRAWS: contextvars.ContextVar[Draws] = contextvars.ContextVar("draws", default=_PROCESS)
os.urandom = lambda size: _DRAWS.get().take(size)

import random  # noqa: E402 - it keeps `os.urandom` under a name of its own

random.seed(SEED)


# --------------------------------------------------------------------------- seconds


class Clock:
    """Seconds that pass only when this is told to let them pass."""

    def __init__(self) -> None:
        self._value = 1000.0
        self.stopped, self.sent, self.pending = False, True, 0

    def now(self) -> float:
        """Seconds."""
        return self._value

    def jump(self, seconds: float) -> None:
        """Let so many seconds pass at once."""
        self._value += seconds

    def serve(self) -> None:
        """Stop from now on between requests; before, nothing has lasted longer than this."""
        self._value, self.stopped = max(2000.0, self._value), True


CLOCK = Clock()
_real = time.monotonic
_SECONDS = ("monotonic", "perf_counter", "process_time")
replace(time, **dict.fromkeys(_SECONDS, CLOCK.now))
replace(time, **{f"{name}_ns": lambda: int(CLOCK.now() * 10**9) for name in _SECONDS})
_select = selectors.EpollSelector.select


def select(self: selectors.EpollSelector, timeout: float | None = None) -> Any:
    """Wait for events; without any, let the time pass when nothing else is being done."""
    if timeout is None or timeout <= 0:
        return _select(self, timeout)
    if CLOCK.stopped:  # until somebody asks
        return _select(self, None)
    quiet_since = 0.0
    while True:
        # Where nothing was sent since all was quiet, nothing can come.
        sent, CLOCK.sent = CLOCK.sent, False
        if found := _select(self, QUIET if sent else 0):
            CLOCK.sent = True
            return found
        if busy():
            quiet_since = 0.0
        else:
            # A thread that has a task of the loop may wait for the interpreter; one that waits for
            # something else waits longer.
            quiet_since = quiet_since or _real()
            if not CLOCK.pending or _real() - quiet_since > LONGEST:
                CLOCK.jump(timeout)
                return []
        CLOCK.sent = True


replace(selectors.EpollSelector, select=select)
_send, _sendmsg = socket.socket.send, socket.socket.sendmsg


def send(self: socket.socket, *values: Any) -> int:
    """Send; then there is something to wait for."""
    CLOCK.sent = True
    return _send(self, *values)


def sendmsg(self: socket.socket, *values: Any) -> int:
    """The same of many buffers."""
    CLOCK.sent = True
    return _sendmsg(self, *values)


replace(socket.socket, send=send, sendmsg=sendmsg)


_wrap_future = asyncio.wrap_future


def wrap_future(*values: Any, **named: Any) -> Any:
    """Await what a thread does; until then the loop has something to wait for."""
    future = _wrap_future(*values, **named)
    CLOCK.pending += 1
    future.add_done_callback(lambda _: setattr(CLOCK, "pending", CLOCK.pending - 1))
    return future


replace(asyncio, wrap_future=wrap_future)
replace(asyncio.futures, wrap_future=wrap_future)


def busy() -> bool:
    """Whether a child or another thread of this process is at work."""
    me = threading.get_native_id()
    return any(task != me and state in "RD" for task, state in tasks(os.getpid()))


def tasks(process: int) -> Iterator[tuple[int, str]]:
    """(number, state) of the threads of a process and of its children."""
    for folder in Path(f"/proc/{process}/task").glob("*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            children = (folder / "children").read_text().split()
        except OSError:  # it has ended
            continue
        yield int(folder.name), state
        for child in children:
            yield from tasks(int(child))


# --------------------------------------------------------------------------- ports

_real_ports: dict[int, int] = {}
_named_ports: dict[int, int] = {}
_bind, _connect = socket.socket.bind, socket.socket.connect
_connect_ex, _getsockname = socket.socket.connect_ex, socket.socket.getsockname


def bind(self: socket.socket, address: Any) -> None:
    """Bind; a port that the system chooses gets the next name."""
    _bind(self, address)
    if isinstance(address, tuple) and address[1] == 0 and self.type & socket.SOCK_STREAM:
        real = _getsockname(self)[1]
        named = 20_001 + len(_real_ports)
        _real_ports[named], _named_ports[real] = real, named
        if SERVES:
            CLOCK.serve()
        if PORTS:
            with Path(PORTS).open("a") as file:
                file.write(f"{named} {real}\n")


def really(address: Any) -> Any:
    """An address with the real port."""
    if not isinstance(address, tuple):
        return address
    return (address[0], _real_ports.get(address[1], address[1]), *address[2:])


def getsockname(self: socket.socket) -> Any:
    """The address of a socket, with the name of its port."""
    found = _getsockname(self)
    if not isinstance(found, tuple):
        return found
    return (found[0], _named_ports.get(found[1], found[1]), *found[2:])


replace(
    socket.socket,
    bind=bind,
    getsockname=getsockname,
    connect=lambda self, address: _connect(self, really(address)),
    connect_ex=lambda self, address: _connect_ex(self, really(address)),
)


# --------------------------------------------------------------------------- a server

if SERVES:
    from aiohttp import web

    _handle = web.Application._handle
    _in_flight = 0

    async def handle(self: web.Application, request: web.Request) -> web.StreamResponse:
        """Answer a request, with a seed of its own."""
        global _in_flight
        if request.path == ROUTES:
            return web.json_response(sorted(routes(self)))
        label = request.headers.get(HEADER)
        if label is None:  # not one of `goldens.py`
            return await _handle(self, request)
        _DRAWS.set(Draws(f"{SEED} {label}"))
        _in_flight += 1
        CLOCK.stopped = False
        try:
            # What the request before has left to do without waiting is done first.
            await asyncio.sleep(0.001)
            return await _handle(self, request)
        finally:
            _in_flight -= 1
            CLOCK.stopped = not _in_flight

    def routes(app: web.Application) -> Iterator[tuple[str, str]]:
        """Methods and paths of a server."""
        for route in app.router.routes():
            if route.resource is not None and route.method != "HEAD":
                info = cast("dict[str, Any]", route.resource.get_info())
                pattern = info.get("formatter") or info.get("path") or ""
                yield route.method, str(pattern)

    replace(web.Application, _handle=handle)
