"""A search as a program uses it: iterate it for events, or await it for the answer. `run.py` does
the search.

A search with a soft deadline (`wait`) is answered when that has passed; its run goes on until its
`timeout` and fills the cache. The same search made again joins that run, so no source is asked
twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from metasearch.engine.context import Shared
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.run import BACKLOG, Outbox, Run
from metasearch.events import (
    Added,
    Answer,
    FacetsChanged,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
)

log = logging.getLogger("metasearch")

#: Runs that may go on in the background; those among them that have ended are kept for a caller
#: that comes back.
MOST = 64
#: Seconds for which the answer of such a run is kept.
KEPT = 30.0


class Search(Coroutine[Any, Any, Answer]):
    """One search: iterate it for events, or await it for the answer.

    It is a coroutine as well, because `asyncio.run`, `asyncio.create_task` and a `TaskGroup` take
    nothing else. With a soft deadline (`wait`) the first await returns what is there by then, and a
    second await returns the rest.

    Args:
        shared: Of the engine.
        resolved: What is asked for.
        shared_runs: Of the engine.
        close: Is called at the end, where the engine is this search's own.
    """

    def __init__(
        self,
        shared: Shared,
        resolved: ResolvedSearch,
        shared_runs: SharedRuns,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.query = resolved.text
        self._shared = shared
        self._resolved = resolved
        self._shared_runs = shared_runs
        self._close = close
        self._run = Run(shared, resolved)
        self.id = self._run.id
        self._shared_run: SharedRun | None = None
        self._begun = False
        self._answer: Answer | None = None
        #: Task -> the coroutine that it drives; several tasks may wait for one search.
        self._driven: dict[asyncio.Task[Any] | None, Coroutine[Any, Any, Answer]] = {}

    @property
    def answer(self) -> Answer | None:
        """The finished answer; None until it is there."""
        if self._answer is None and self._run.whole is not None:
            self._answer = self._page(self._run.whole)
        return self._answer

    @property
    def wait(self) -> float | None:
        """Seconds after which an await returns what is there; None for the end of the search."""
        return self._resolved.wait

    @property
    def joins(self) -> bool:
        """Whether an await would ask no source: its answer is in the cache, or another search is
        making it.
        """
        return self._cached() is not None or self._shared_runs.find(self._resolved) is not None

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._finish().__await__()

    def send(self, value: Any) -> Any:
        """Continue until the current task has to wait again; for event loops, as `throw` and
        `close` are.

        Raises:
            StopIteration: With the answer.
        """
        return self._step(lambda driven: driven.send(value))

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None) -> Any:
        """Raise an exception where the current task waits."""
        if isinstance(typ, type):
            typ = typ() if val is None else val if isinstance(val, BaseException) else typ(val)
        error: BaseException = typ if tb is None else typ.with_traceback(tb)
        return self._step(lambda driven: driven.throw(error))

    def close(self) -> None:
        """End what tasks have begun by `send` and will not continue."""
        while self._driven:
            self._driven.popitem()[1].close()

    def _step(self, step: Callable[[Coroutine[Any, Any, Answer]], Any]) -> Any:
        task = asyncio.current_task()
        driven = self._driven.get(task)
        if driven is None:
            driven = self._driven[task] = self._finish()
        try:
            return step(driven)
        except BaseException:  # the coroutine has ended; the next await begins a new one
            self._driven.pop(task, None)
            raise

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        if self._begun:
            raise RuntimeError("a search can be run once")
        self._begun = True
        try:
            self._answer = self._cached()
            if self._answer is not None:
                for event in self._events_of(self._answer):
                    yield event
                return
            out: Outbox = asyncio.Queue(BACKLOG)
            task = self._run.start(out)
            while (sent := await out.get()) is not None:
                yield sent
            await task
        finally:
            await self.aclose()

    async def _finish(self) -> Answer:
        if self.answer is not None:
            return self.answer
        try:
            if not self._begun:
                self._begun = True
                self._answer = self._cached()
                if self._answer is not None:
                    return self._answer
                found = self._shared_runs.find(self._resolved)
                self._shared_run = found or self._shared_runs.begin(self._run)
                self._run = self._shared_run.run
            if self._shared_run is not None:
                whole = await self._shared_runs.answer(self._shared_run, self._resolved)
                return self._page(whole)
            if self._run.task is not None:  # its events are being read
                # Not the task itself: where this await is cancelled, the task must go on.
                await asyncio.wait({self._run.task})
                return self._page(self._run.ended())
            return self.partial()
        finally:
            await self._closed()

    async def aclose(self) -> None:
        """Stop: the run is cancelled, unless other callers wait for it or it goes on in the
        background.
        """
        task = self._run.task
        if self._shared_run is not None:
            await self._shared_runs.leave(self._shared_run)
        elif task is not None and not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._closed()

    async def _closed(self) -> None:
        if self._close is not None:
            await self._close()

    def partial(self) -> Answer:
        """The answer as of now, for a caller that cannot wait for the end."""
        return self.answer or self._page(self._run.so_far())

    def _page(self, whole: Answer) -> Answer:
        return self._run.page(self._resolved, whole)

    def _cached(self) -> Answer | None:
        return self._shared.answer_cache.page(self._resolved)

    def _events_of(self, answer: Answer) -> list[SearchEvent]:
        """The events of an answer that is there already."""
        return [
            self._run.started(),
            *map(SourceProgress, answer.sources),
            *map(Added, answer.hits),
            Order(tuple(hit.id for hit in answer.hits)),
            *([] if answer.facets is None else [FacetsChanged(answer.facets)]),
            Finished(answer),
        ]


# --------------------------------------------------------------------------- shared runs


@dataclass(slots=True, eq=False)
class SharedRun:
    """A run that several callers may wait for.

    Attributes:
        waiting: How many callers wait for it right now.
        background: Whether it goes on without a caller.
        until: Loop time at which its answer is forgotten; None while it runs.
    """

    run: Run
    waiting: int = field(default=0, init=False)
    background: bool = field(default=False, init=False)
    until: float | None = field(default=None, init=False)


class SharedRuns:
    """All runs of one engine that callers wait for, or that go on in the background.

    Args:
        most: So many may go on in the background; a further one ends at its soft deadline.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._all: dict[SharedRun, None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def begin(self, run: Run) -> SharedRun:
        """Start a run."""
        shared = SharedRun(run)
        self._all[shared] = None
        run.start().add_done_callback(lambda task: self._ended(shared, task))
        return shared

    def find(self, resolved: ResolvedSearch) -> SharedRun | None:
        """A run whose answer will hold the page of this search; None where there is none. A run
        that has ended is found until its answer is asked for.
        """
        now = asyncio.get_running_loop().time()
        for shared in list(self._all):
            if shared.until is not None and now >= shared.until:
                self._all.pop(shared)
                continue
            if shared.run.ending:  # its last caller has just left
                continue
            outlasts = shared.background or shared.run.resolved.wait is not None
            if outlasts and shared.run.resolved.holds(resolved):
                return shared
        return None

    async def answer(self, shared: SharedRun, resolved: ResolvedSearch) -> Answer:
        """All hits of a run; where the wait of `resolved` is over before its end, those that are
        there, and the run goes on.

        Raises:
            MetasearchError: The error with which the run failed.
        """
        task = shared.run.task
        assert task is not None
        # A search that joins an earlier run waits no longer than its own timeout.
        patience = resolved.wait or (None if shared.run.resolved is resolved else resolved.seconds)
        shared.waiting += 1
        try:
            await asyncio.wait({task}, timeout=patience)
            if not task.done():
                so_far = await shared.run.soon()
                if not task.done():
                    shared.background = shared.background or self._room()
                    return so_far
            return shared.run.ended()
        finally:
            shared.waiting -= 1
            if task.done():
                self._all.pop(shared, None)
            else:
                await self.leave(shared)

    async def leave(self, shared: SharedRun) -> None:
        """End a run that no caller waits for, unless it goes on in the background."""
        task = shared.run.task
        if task is not None and not (task.done() or shared.background or shared.waiting):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """End all runs."""
        tasks = [shared.run.task for shared in self._all if shared.run.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._all.clear()

    def _room(self) -> bool:
        """Whether one more run may go on in the background; the oldest one that has ended makes
        room.
        """
        background = [shared for shared in self._all if shared.background]
        if len(background) < self._most:
            return True
        finished = next((shared for shared in background if shared.until is not None), None)
        if finished is not None:
            self._all.pop(finished)
        return finished is not None

    def _ended(self, shared: SharedRun, task: asyncio.Task[None]) -> None:
        failed = not task.cancelled() and task.exception() is not None
        if failed and not shared.waiting:
            log.error("search %s failed in the background: %s", shared.run.id, task.exception())
        answered = not failed and not task.cancelled()
        kept = shared.background and shared.run.resolved.options.cache
        if answered and kept and not shared.waiting:
            shared.until = task.get_loop().time() + KEPT
        else:
            self._all.pop(shared, None)
