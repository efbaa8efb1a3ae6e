"""A command in a process of its own, so that Ctrl-C and deadlines hold whatever it computes.

While C code holds the interpreter (a regular expression, a comparison of long strings, a library's
parser) a Python program hears no signal and no timer. So the process that the user has started
stays small and idle: it forks before anything is loaded, passes Ctrl-C on, and kills its child when
that says nothing in time. The child forwards what it finds, so that it is not lost with it. Docs:
docs/cli.md, why: docs/decisions/0020-the-watchdog.md.

Inside a program that calls `main` with arguments nothing of this happens, nor where there is no
fork.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit

#: Seconds that a command has to say that it has heard Ctrl-C, and then again for each step of its
#: end.
HEARD = 1.0
#: Seconds between two looks of the parent. It counts time in looks: while it was stopped itself
#: (Ctrl-Z) none passed.
LOOK = 0.1
#: By which the child is told of Ctrl-C. It does not hear SIGINT itself: a terminal sends that to
#: both, others to one.
_RELAY = getattr(signal, "SIGUSR1", None)
_PASSED_ON = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_HEAD = struct.Struct("!cI")
_LIMIT, _WRITING, _WRITTEN, _ANSWERING, _ENDING, _FOUND, _DRAFT, _DRAWN = (
    bytes([it]) for it in b"LPRAXFDH"
)

Why = Literal["interrupted", "late", "crashed"]


@dataclass(slots=True)
class Broken:
    """A command that did not end by itself.

    Attributes:
        why: "late" where it was ended at its deadline.
        by: The signal that ended it.
        seconds: How long it ran.
        answering: Whether it was about to write its results, or had done so: then they are not to
            be written again.
        pickled: What it has found.
    """

    why: Why = "crashed"
    by: int = 0
    seconds: float = 0.0
    answering: bool = False
    pickled: list[bytes] = field(default_factory=list)

    def found(self) -> Iterator[Any]:
        """What the command has told of by `found`, in that order."""
        return map(pickle.loads, self.pickled)  # of our own child, over a pipe that nobody else has


# --------------------------------------------------------------------------- the child

#: Where the parent listens; None where there is none.
_parent: int | None = None


def within(seconds: float | None) -> None:
    """Has the command ended unless it says something else within so many seconds; None takes that
    back.
    """
    _tell(_LIMIT, b"" if seconds is None else repr(seconds).encode())


@contextmanager
def writing() -> Iterator[None]:
    """The command writes to somebody who may read slowly: meanwhile no time passes, until Ctrl-C
    comes.
    """
    _tell(_WRITING)
    try:
        yield
    finally:
        _tell(_WRITTEN)


def answering() -> None:
    """The command has what it wants to write, and begins."""
    _tell(_ANSWERING)


def ending(code: int) -> None:
    """The command has done what it was to do, and would end with this code; what is left is to
    close what is open.
    """
    _tell(_ENDING, str(code).encode())


def found(thing: object) -> None:
    """Something that is not to be lost if the command has to be ended."""
    if _parent is not None:
        _tell(_FOUND, pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))


def draft(path: Path) -> None:
    """A file that is nothing without the end of the command."""
    _tell(_DRAFT, os.fsencode(path))


def drawn(lines: int) -> None:
    """So many lines of stderr are a picture that is to be wiped."""
    _tell(_DRAWN, str(lines).encode())


def _tell(kind: bytes, what: bytes = b"") -> None:
    if _parent is None:
        return
    rest = memoryview(_HEAD.pack(kind, len(what)) + what)
    while rest:
        rest = rest[os.write(_parent, rest) :]


def _interrupt(_number: int, frame: Any) -> None:
    """Does what Ctrl-C does: asyncio and click have handlers of their own for it."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


# --------------------------------------------------------------------------- the parent


def apart(
    console: Console, command: Callable[[], int], rescue: Callable[[Broken], int] | None = None
) -> int:
    """Runs a command in a child, where this process is the program and the system can fork.

    Args:
        console: Says why a command was ended.
        command: Gives an exit code, in the child.
        rescue: Makes of a command that was ended what can be made of it, in the parent, and gives
            the exit code.

    Returns:
        The exit code; in the child that of `command`, so that it goes on to its end as any program
        does.
    """
    if _parent is not None or not (console.program and _can_fork()):
        return command()
    child = _forked()
    if child is None:
        return command()
    code, broken = child.wait()
    if broken is None:
        return code
    if console.live:
        sys.stderr.write(f"\x1b[{child.drawn}F\x1b[J" if child.drawn else "\r\x1b[K")
        sys.stderr.flush()
    if rescue is not None and not broken.answering:
        return rescue(broken)
    return told(broken, console)


def told(broken: Broken, console: Console) -> int:
    """Says why a command was ended; gives the exit code."""
    if broken.why == "interrupted":
        console.say("interrupted; what it computed did not stop by itself and was ended")
        return Exit.INTERRUPTED
    if broken.why == "late":
        console.say(
            f"error: no end after {broken.seconds:.1f} s: something it computed did not stop", "red"
        )
        return Exit.INTERNAL
    console.say(f"internal error: ended by signal {broken.by}", "red")
    return Exit.INTERNAL


def _can_fork() -> bool:
    # macOS has frameworks that do not survive a fork.
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _forked() -> _Child | None:
    """The child, in the parent; None in the child."""
    global _parent
    assert _RELAY is not None
    sys.stdout.flush()
    sys.stderr.flush()
    listen, tell = os.pipe()
    lifeline, held_by_parent = os.pipe()
    ignored = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    before = signal.signal(_RELAY, _interrupt)
    pid = os.fork()
    if pid == 0:
        os.close(listen)
        os.close(held_by_parent)
        _parent = tell
        _end_with(lifeline)
        signal.pthread_sigmask(signal.SIG_SETMASK, held if ignored else held | {signal.SIGINT})
        return None
    os.close(tell)
    os.close(lifeline)
    signal.signal(_RELAY, before)
    return _Child(pid, (listen, held_by_parent), held, ignored)


def _end_with(lifeline: int) -> None:
    """Has the kernel end this process when the other end of a pipe is closed, as it is when the
    parent is killed.

    Where it has no signal for that, a child whose parent was killed goes on to its end.
    """
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(
            lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC
        )  # SIGIO, unhandled


class _Child:
    """The command, as its parent sees it.

    Attributes:
        drawn: Lines that it has drawn and not wiped.
    """

    def __init__(
        self, pid: int, pipes: tuple[int, int], held: Iterable[int], ignored: bool
    ) -> None:
        self.drawn = 0
        self._pid = pid
        self._listen, self._lifeline = pipes
        self._held = held
        self._ignored = ignored
        self._buffer = bytearray()
        self._signals: list[int] = []
        self._drafts: list[Path] = []
        self._broken = Broken()
        self._code: int | None = None
        #: Seconds that the child had; less than have passed while somebody reads slowly, or all was
        #: stopped.
        self._clock = 0.0
        self._limit: float | None = None
        self._paused = False

    def wait(self) -> tuple[int, Broken | None]:
        """Until it ends: its exit code, or how it was ended."""
        before = {
            number: signal.signal(number, self._note)
            for number in _PASSED_ON
            if not self._skips(number)
        }
        signal.pthread_sigmask(signal.SIG_SETMASK, self._held)
        began = time.monotonic()
        try:
            killed = self._follow()
            status = os.waitstatus_to_exitcode(self._reaped())
        finally:
            os.close(self._listen)
            os.close(self._lifeline)
            for number, handler in before.items():
                signal.signal(number, handler)
        if status >= 0:
            return status, None
        if not killed and -status in self._signals:
            # It has ended as it was told to, and so does this one.
            signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        if killed and self._code is not None:
            return self._code, None
        for path in self._drafts:
            with suppress(OSError):
                path.unlink()
        self._broken.by, self._broken.seconds = -status, time.monotonic() - began
        if killed:
            self._broken.why = "interrupted" if signal.SIGINT in self._signals else "late"
        return Exit.INTERNAL, self._broken

    def _skips(self, number: int) -> bool:
        return (number == signal.SIGINT and self._ignored) or signal.getsignal(
            number
        ) == signal.SIG_IGN

    def _note(self, number: int, _frame: Any) -> None:
        self._signals.append(number)

    def _follow(self) -> bool:
        """Listens until the other end is closed; kills the child at its limit, and gives whether
        that was so.
        """
        killed = False
        passed, last = 0, time.monotonic()
        while True:
            ready, _, _ = select.select([self._listen], [], [], LOOK)
            if ready:
                piece = os.read(self._listen, 1 << 16)
                if not piece:
                    return killed
                self._take(piece)
            now = time.monotonic()
            if not self._paused:
                self._clock += min(now - last, 2 * LOOK)
            last = now
            for number in self._signals[passed:]:
                passed += 1
                self._pass_on(number)
            if self._limit is not None and self._clock >= self._limit and not killed:
                killed = True
                self._send(signal.SIGKILL)

    def _pass_on(self, number: int) -> None:
        if number != signal.SIGINT:
            self._send(number)
            return
        assert _RELAY is not None
        self._send(_RELAY)
        self._paused = False
        self._limit = min(self._clock + HEARD, self._limit or self._clock + HEARD)

    def _send(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def _reaped(self) -> int:
        _, status = os.waitpid(self._pid, 0)
        return status

    def _take(self, piece: bytes) -> None:
        self._buffer += piece
        while len(self._buffer) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._buffer)
            end = _HEAD.size + length
            if len(self._buffer) < end:
                return
            what = bytes(self._buffer[_HEAD.size : end])
            del self._buffer[:end]
            self._heard(kind, what)

    def _heard(self, kind: bytes, what: bytes) -> None:
        match kind:
            case b"L":
                self._limit = self._clock + float(what) if what else None
            case b"P" | b"R":
                self._paused = kind == _WRITING
            case b"A":
                self._broken.answering = True
            case b"X":
                self._code = int(what)
            case b"F":
                self._broken.pickled.append(what)
            case b"D":
                self._drafts.append(Path(os.fsdecode(what)))
            case b"H":
                self.drawn = int(what)
