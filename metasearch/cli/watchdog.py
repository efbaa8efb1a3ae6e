"""A command in a child process, so that Ctrl-C and deadlines work whatever it computes.

While C code holds the interpreter (a regular expression, a comparison of long strings, a library's
parser) a Python program receives no signal and no timer. So the process that the user started stays
small and idle: it forks before anything is loaded, passes Ctrl-C on, and kills its child if that
does not react in time. The child sends its events (`watchdog_messages.py`), so they are not lost.
Docs: docs/cli.md, reasons: docs/decisions/0020-the-watchdog.md.

There is no child where the system has no fork, and where a program calls `main` with arguments.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from metasearch import garbage_collection
from metasearch.cli import watchdog_messages as messages
from metasearch.cli.output import Console, Exit

#: Seconds between two looks of the parent. Its clock counts looks: no time passes while the parent
#: itself is stopped (Ctrl-Z).
LOOK = 0.1
#: The signal by which the child is told of Ctrl-C. The child blocks SIGINT: a terminal sends it to
#: both processes, `kill` to one.
_RELAY = getattr(signal, "SIGUSR1", None)
_PASSED_ON = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

Why = Literal["interrupted", "late", "crashed"]


@dataclass(slots=True)
class BrokenCommand:
    """A command that did not end by itself.

    `why`: "interrupted": it did not react to Ctrl-C; "late": it passed its limit; "crashed": a
    signal ended it. `output_begun`: whether it had begun to write its results; then they are not
    written again.
    """

    why: Why = "crashed"
    signal: int = 0
    seconds: float = 0.0
    output_begun: bool = False
    pickled: list[bytes] = field(default_factory=list)

    def events(self) -> Iterator[Any]:
        """The events that the command sent with `keep`, in that order."""
        return map(pickle.loads, self.pickled)  # of our own child, over a pipe that only it has


def run_in_child(
    console: Console,
    command: Callable[[], int],
    rescue: Callable[[BrokenCommand], int] | None = None,
) -> int:
    """Run a command in a child process, where this process is the program and the system can fork.

    `rescue`: writes what a broken command had found, and returns the exit code; it runs in the
    parent. Returns the exit code; in the child that of `command`, so that the child ends like any
    program.
    """
    if messages.is_connected() or not (console.program and _can_fork()):
        return command()
    child = _fork()
    if child is None:
        return command()
    code, broken = child.wait()
    garbage_collection.end()  # of this small process, whatever the command was
    if broken is None:
        return code
    if console.live:
        sys.stderr.write(f"\x1b[{child.lines_drawn}F\x1b[J" if child.lines_drawn else "\r\x1b[K")
        sys.stderr.flush()
    if rescue is not None and not broken.output_begun:
        return rescue(broken)
    return _report(broken, console)


def _report(broken: BrokenCommand, console: Console) -> int:
    if broken.why == "interrupted":
        console.say("interrupted; a computation did not stop, and was ended")
        return Exit.INTERRUPTED
    if broken.why == "late":
        console.say(
            f"error: ended after {broken.seconds:.1f} s, because a computation did not stop", "red"
        )
        return Exit.INTERNAL
    console.say(f"internal error: the command was ended by signal {broken.signal}", "red")
    return Exit.INTERNAL


def _can_fork() -> bool:
    # macOS has frameworks that do not survive a fork.
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _fork() -> _Child | None:
    """The child, in the parent; None in the child."""
    assert _RELAY is not None
    sys.stdout.flush()
    sys.stderr.flush()
    read_end, write_end = os.pipe()
    lifeline, held_by_parent = os.pipe()
    ignored = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    before = signal.signal(_RELAY, _interrupt)
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        os.close(held_by_parent)
        messages.connect(write_end)
        _end_with(lifeline)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask if ignored else mask | {signal.SIGINT})
        return None
    os.close(write_end)
    os.close(lifeline)
    signal.signal(_RELAY, before)
    return _Child(pid, (read_end, held_by_parent), mask, ignored)


def _interrupt(_number: int, frame: Any) -> None:
    """Do what Ctrl-C does: asyncio and click have their own handlers for it."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


def _end_with(lifeline: int) -> None:
    """Make the kernel end this process when the parent is killed, which closes the other end of the
    pipe.

    Only Linux has a signal for that; elsewhere the child of a killed parent goes on to its end.
    """
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(
            lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC
        )  # SIGIO, unhandled


class _Child:
    """The command, as its parent sees it.

    `pipes`: the end from which its messages are read, and the end that the parent holds open as
    long as it lives. `mask`: the signals that were blocked before the fork. `set_drawing`: lines of
    stderr that the command drew and did not erase.
    """

    def __init__(
        self, pid: int, pipes: tuple[int, int], mask: Iterable[int], ignored: bool
    ) -> None:
        self.lines_drawn = 0
        self._pid = pid
        self._read_end, self._lifeline = pipes
        self._mask = mask
        self._ignored = ignored
        self._buffer = bytearray()
        self._signals: list[int] = []
        self._drafts: list[Path] = []
        self._broken = BrokenCommand()
        self._code: int | None = None
        #: Seconds that the child had. Less than real time if a reader is slow, or if all was
        #: stopped.
        self._clock = 0.0
        self._limit: float | None = None
        self._paused = False

    def wait(self) -> tuple[int, BrokenCommand | None]:
        """Wait for the end of the command: (its exit code, None), or how it was ended."""
        before = {
            number: signal.signal(number, self._note)
            for number in _PASSED_ON
            if not self._skips(number)
        }
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        began = time.monotonic()
        try:
            killed = self._follow()
            status = os.waitstatus_to_exitcode(self._exit_status())
        finally:
            os.close(self._read_end)
            os.close(self._lifeline)
            for number, handler in before.items():
                signal.signal(number, handler)
        if status >= 0:
            return status, None
        if not killed and -status in self._signals:
            # The signal was passed on and has ended the child; it ends this process, too.
            signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        if killed and self._code is not None:
            return self._code, None
        for path in self._drafts:
            with suppress(OSError):
                path.unlink()
        self._broken.signal, self._broken.seconds = -status, time.monotonic() - began
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
        """Read until the child closes its end or is killed at its limit; returns whether it was."""
        killed = False
        passed, last = 0, time.monotonic()
        while True:
            ready, _, _ = select.select([self._read_end], [], [], LOOK)
            if ready:
                piece = os.read(self._read_end, 1 << 16)
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
                self._kill(signal.SIGKILL)

    def _pass_on(self, number: int) -> None:
        if number != signal.SIGINT:
            self._kill(number)
            return
        assert _RELAY is not None
        self._kill(_RELAY)
        self._paused = False
        latest = self._clock + messages.REACTION
        self._limit = min(latest, self._limit or latest)

    def _kill(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def _exit_status(self) -> int:
        _, status = os.waitpid(self._pid, 0)
        return status

    def _take(self, piece: bytes) -> None:
        self._buffer += piece
        while len(self._buffer) >= messages.HEADER.size:
            kind, length = messages.HEADER.unpack_from(self._buffer)
            end = messages.HEADER.size + length
            if len(self._buffer) < end:
                return
            content = bytes(self._buffer[messages.HEADER.size : end])
            del self._buffer[:end]
            self._handle(kind, content)

    def _handle(self, kind: bytes, content: bytes) -> None:
        match kind:
            case messages.LIMIT:
                self._limit = self._clock + float(content) if content else None
            case messages.WRITING | messages.WRITTEN:
                self._paused = kind == messages.WRITING
            case messages.OUTPUT_BEGINS:
                self._broken.output_begun = True
            case messages.ONLY_CLOSING:
                self._code = int(content)
            case messages.EVENT:
                self._broken.pickled.append(content)
            case messages.DRAFT:
                self._drafts.append(Path(os.fsdecode(content)))
            case messages.LINES_DRAWN:
                self.lines_drawn = int(content)
