"""A search as its users have it: iterate it for events, or await it for the answer. What it does is
in `run.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from types import TracebackType
from typing import Any

from metasearch.engine.context import Shared
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.run import BACKLOG, Outbox, Run, known
from metasearch.engine.shared_run import SharedRun, SharedRuns
from metasearch.events import Added, Answer, Finished, Order, SearchEvent, SourceProgress


class Search(Coroutine[Any, Any, Answer]):
    """One search: iterate it for events, or await it for the answer.

    It is a coroutine as well, for what takes nothing else: `asyncio.run`, `asyncio.create_task`, a
    `TaskGroup`. With a soft deadline (`wait`) awaiting it gives what is there by then, and
    awaiting it again gives the rest.

    Args:
        shared: Of the engine.
        resolved: What is asked for.
        shared_runs: Of the engine.
        close: Called at the end, where the engine is this search's own.
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
        #: Task -> what it drives; several tasks may wait for one search, each at a place of its
        #: own.
        self._driven: dict[asyncio.Task[Any] | None, Coroutine[Any, Any, Answer]] = {}

    @property
    def answer(self) -> Answer | None:
        """The finished answer; None until it is there."""
        if self._answer is None and self._run.whole is not None:
            self._answer = self._resolved.page(self._run.whole)
        return self._answer

    @property
    def wait(self) -> float | None:
        """Seconds until whoever awaits it gets what is there; None for the end of the search."""
        return self._resolved.wait

    @property
    def joins(self) -> bool:
        """Whether awaiting it would ask no source: its answer is there, or being made for somebody
        else.
        """
        if known(self._shared.answer_cache, self._resolved) is not None:
            return True
        return self._shared_runs.find(self._resolved) is not None

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._finish().__await__()

    def send(self, value: Any) -> Any:
        """Go on to where the task that runs has to wait next; for event loops, as `throw` and
        `close` are.

        Raises:
            StopIteration: With the answer.
        """
        return self._step(lambda driven: driven.send(value))

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None) -> Any:
        """Raise an exception where the task that runs waits."""
        if isinstance(typ, type):
            typ = typ() if val is None else val if isinstance(val, BaseException) else typ(val)
        error: BaseException = typ if tb is None else typ.with_traceback(tb)
        return self._step(lambda driven: driven.throw(error))

    def close(self) -> None:
        """End what tasks have begun by `send` and will not go on with."""
        while self._driven:
            self._driven.popitem()[1].close()

    def _step(self, step: Callable[[Coroutine[Any, Any, Answer]], Any]) -> Any:
        task = asyncio.current_task()
        driven = self._driven.get(task)
        if driven is None:
            driven = self._driven[task] = self._finish()
        try:
            return step(driven)
        except BaseException:  # it has ended; whoever awaits the search again begins anew
            self._driven.pop(task, None)
            raise

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        if self._begun:
            raise RuntimeError("a search can be run once")
        self._begun = True
        try:
            if (again := known(self._shared.answer_cache, self._resolved)) is not None:
                self._answer = again
                for event in self._told(again):
                    yield event
                return
            out: Outbox = asyncio.Queue(BACKLOG)
            task = self._run.start(out)
            while (told := await out.get()) is not None:
                yield told
            await task
        finally:
            await self.aclose()

    async def _finish(self) -> Answer:
        if self.answer is not None:
            return self.answer
        try:
            if not self._begun:
                self._begun = True
                self._answer = known(self._shared.answer_cache, self._resolved)
                if self._answer is not None:
                    return self._answer
                self._shared_run = self._shared_runs.find(
                    self._resolved
                ) or self._shared_runs.begin(self._run)
                self._run = self._shared_run.run
            if self._shared_run is not None:
                return self._resolved.page(
                    await self._shared_runs.answer(self._shared_run, self._resolved)
                )
            if self._run.task is not None:  # somebody reads its events
                await asyncio.wait(
                    {self._run.task}
                )  # not the task itself: whoever leaves here must not end it
                return self._resolved.page(self._run.ended())
            return self.partial()
        finally:
            await self._closed()

    async def aclose(self) -> None:
        """Stop: everything that is still being asked is cancelled, unless others wait for it or it
        was let go on.
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
        """The answer as of now, for whoever cannot wait for the end."""
        return self.answer or self._resolved.page(self._run.so_far())

    def _told(self, answer: Answer) -> list[SearchEvent]:
        """The answer of a moment ago, as a stream tells it."""
        return [
            self._run.started(),
            *map(SourceProgress, answer.sources),
            *map(Added, answer.hits),
            Order(tuple(hit.id for hit in answer.hits)),
            Finished(answer),
        ]
