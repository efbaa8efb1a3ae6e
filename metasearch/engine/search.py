"""A search as a program uses it: iterate it for events, await it for the answer, or follow how the
answer grows. `run.py` does the search.

A search with a soft deadline (`wait`) is answered when that has passed; its run goes on until its
`timeout` and fills the cache. The same search made again joins that run, so no source is asked
twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
)
from contextlib import aclosing, nullcontext
from types import TracebackType
from typing import Any

from metasearch.engine.context import Shared
from metasearch.engine.growing import GrowingPage
from metasearch.engine.options import MIN_SECONDS, check
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.run import BACKLOG, Outbox, Run
from metasearch.engine.shared_runs import SharedRun, SharedRuns
from metasearch.events import (
    Added,
    Answer,
    FacetsChanged,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
)

#: The longest interval between two answers of `growing`, in seconds.
LONGEST_INTERVAL = 60.0


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
            self._begin()
            if self._answer is not None:
                return self._answer
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

    def _begin(self) -> None:
        """Unless this is done: take the answer from the cache, join a run, or begin one."""
        if self._begun:
            return
        self._begun = True
        self._answer = self._cached()
        if self._answer is None:
            found = self._shared_runs.find(self._resolved)
            self._shared_run = found or self._shared_runs.begin(self._run)
            self._run = self._shared_run.run

    def growing(self, every: float) -> AsyncGenerator[Answer]:
        """The answer as of now whenever something has changed, and the finished one last.

        It joins a run, or begins one, as an await does; no source is asked twice. The first answer
        comes at once where something is there already, the first one with hits as soon as there are
        any. An answer that is not the last has `complete=False`. Close the iterator (`aclose`) to
        leave; the run then ends as it does where an await is cancelled.

        Args:
            every: Seconds between two answers; with more than 500 works in proportion more, and
                more where the process is busy. The last one does not wait.

        Raises:
            UsageError: `every` is outside its limits.
            MetasearchError: The error with which the search failed; raised by the iterator.
        """
        check("every", every, MIN_SECONDS, LONGEST_INTERVAL)
        return self._growing(every)

    async def _growing(self, every: float) -> AsyncGenerator[Answer]:
        try:
            if self.answer is None:
                self._begin()
            run, shared_run = self._run, self._shared_run
            if self.answer is not None or run.task is None:
                yield self.partial()
                return
            turns = self._shared.scheduler.readers_turns()
            page = GrowingPage(run, self._resolved, turns, every)
            async with (
                nullcontext() if shared_run is None else self._shared_runs.waiting(shared_run)
            ):
                async with aclosing(page.so_far()) as pages:
                    async for answer in pages:
                        yield answer
                if not run.over:
                    yield self._page(await run.soon())
                    return
                # Where it has no shared run, its events are being read.
                whole = run.ended() if shared_run is None else self._shared_runs.ended(shared_run)
                last = await page.last(whole)
                if run.whole is not None:
                    last = self._answer = self._answer or last
                yield last
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
