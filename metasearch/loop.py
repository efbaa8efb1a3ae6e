"""The event loop: the end of tasks, work in threads, how late the loop is, and where it hangs."""

from __future__ import annotations

import asyncio
import faulthandler
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import TracebackType
from typing import Any, TextIO, TypeVar
from weakref import WeakKeyDictionary

# The end of tasks: of those of which one may lose a cancellation, and of what a task holds.

#: Seconds after which a task that still runs is cancelled again.
AGAIN = 0.5


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
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
            ignore_failure(task)


def ignore_failure(task: asyncio.Task[Any]) -> None:
    """Count the failure of a task that has ended as seen, so that the loop does not log that nobody
    asked for it; a callback for `add_done_callback`.

    A cancelled task keeps the error, with all that its functions held, until it is asked for. Where
    one of them held the task's owner, only the garbage collector would free both.
    """
    with suppress(asyncio.CancelledError):
        task.exception()


def keep_running(
    work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]], name: str | None = None
) -> asyncio.Task[None]:
    """Run work beside the caller. A loop alone does not keep its tasks alive, so the set does,
    until the task has ended.
    """
    task = asyncio.get_running_loop().create_task(work, name=name)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


# Work in a thread that delays neither a caller that was cancelled nor the end of the program. A
# thread cannot be cancelled. A loop that closes waits for the threads of its executor, and so does
# the program when it exits; one that hangs would hold up both, and every other user of that
# executor. Here each piece of work has a daemon thread of its own.

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


# How late the event loop is. What judges a database by the clock has to know how late the clock was
# read. A callback that computes for two seconds makes every timer two seconds late. An answer that
# came meanwhile lies in the socket, unread, when the timeout fires.

#: Seconds between two looks at the clock.
TICK = 0.025
#: Timers that are up to so many seconds late are usual.
USUAL = 0.005
#: A timer that is so many seconds late means that the loop stood still.
STALL = 0.05
#: Seconds that are enough to read what has arrived while the loop stood still, and how often they
#: are given.
GRACE, GRACES = 0.2, 3


class Lag:
    """The lateness of one loop, measured while a `watched` block runs. It is made by `lag` and
    holds no reference to its loop.
    """

    __slots__ = ("_due", "_lost", "_stalled", "_timer", "_watchers")

    def __init__(self) -> None:
        self._lost = 0.0
        self._stalled = float("-inf")
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._watchers = 0

    @property
    def now(self) -> float:
        """Seconds for which the loop has been late just now."""
        return (
            0.0 if self._timer is None else max(0.0, asyncio.get_running_loop().time() - self._due)
        )

    @property
    def total(self) -> float:
        """Seconds that the loop has been late in all; only differences mean something."""
        late = self.now
        return self._lost + (late if late > USUAL else 0.0)

    @property
    def is_stalled(self) -> bool:
        """Whether the loop stands still, or did so within the last `GRACE` seconds."""
        return self.now >= STALL or asyncio.get_running_loop().time() - self._stalled < GRACE

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Measures for as long as the block lasts."""
        self._watchers += 1
        if self._timer is None:
            self._next()
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _next(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + TICK
        self._timer = loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        late = self.now
        if late > USUAL:
            self._lost += late
        if late >= STALL:
            self._stalled = asyncio.get_running_loop().time()
        self._next()


_OF_LOOP: WeakKeyDictionary[asyncio.AbstractEventLoop, Lag] = WeakKeyDictionary()


def lag() -> Lag:
    """The lateness of the running loop."""
    loop = asyncio.get_running_loop()
    known = _OF_LOOP.get(loop)
    if known is None:
        known = _OF_LOOP[loop] = Lag()
    return known


class patient:  # noqa: N801  # it is used as `asyncio.timeout` is
    """`asyncio.timeout`, but where the loop has just stood still, what has come meanwhile is read
    first.

    Not a generator with functions in it: a function that names itself is a cycle, and this one
    would keep the page that was waited for until the garbage collector comes. `seconds`: how long
    the block may take; it raises TimeoutError when they are over.
    """

    __slots__ = ("_graces", "_scope", "_seconds", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._graces = GRACES
        self._scope = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> None:
        await self._scope.__aenter__()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._over)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()  # it holds this object no more
        await self._scope.__aexit__(kind, error, trace)

    def _over(self) -> None:
        loop = asyncio.get_running_loop()
        if self._graces and lag().is_stalled:
            self._graces -= 1
            self._timer = loop.call_later(GRACE, self._over)
        else:
            self._scope.reschedule(loop.time())


# A watchdog for programs that use the library: it reports where an event loop hangs, and can end
# the process. Nothing else in the library touches what belongs to the whole process; this does,
# because it is asked to.


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
