"""A search as a program uses it: iterate it for events, await it for the answer, or follow how the
answer grows. `run.py` does the search.

A search with a soft deadline (`wait`) is answered when that has passed; its run goes on until its
`timeout` and fills the cache. The same search made again joins that run, so no source is asked
twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import aclosing, asynccontextmanager, closing, nullcontext
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Any, TypeVar

from metasearch.engine.options import MIN_SECONDS, check
from metasearch.engine.resolve import ResolvedSearch
from metasearch.engine.results import EngineState, Snapshot
from metasearch.engine.run import BACKLOG, Outbox, SearchRun, longer
from metasearch.engine.scheduler import Turns
from metasearch.engine.scores import all_at_once
from metasearch.events import (
    Added,
    Answer,
    FacetsChanged,
    Finished,
    Order,
    SearchEvent,
    SourceProgress,
)

# Runs that several callers wait for, or that go on in the background of an engine.

log = logging.getLogger("metasearch")

#: Runs that may go on in the background; those among them that have ended are kept for a caller
#: that comes back.
MOST = 64
#: Seconds for which the answer of such a run is kept.
KEPT = 30.0


@dataclass(slots=True, eq=False)
class SharedRun:
    """A run that several callers may wait for.

    Attributes:
        waiting: How many callers wait for it right now.
        background: Whether it goes on without a caller.
        until: Loop time at which its answer is forgotten; None while it runs.
    """

    run: SearchRun
    waiting: int = field(default=0, init=False)
    background: bool = field(default=False, init=False)
    until: float | None = field(default=None, init=False)


class SharedRuns:
    """All runs of one engine that callers wait for, or that go on in the background. `most`: so
    many may go on in the background; a further one ends at its soft deadline.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._all: dict[SharedRun, None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def begin(self, run: SearchRun) -> SharedRun:
        shared = SharedRun(run)
        self._all[shared] = None
        run.start().add_done_callback(lambda task: self._end(shared, task))
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
            if shared.run.is_ending:  # its last caller has just left
                continue
            outlasts = shared.background or shared.run.resolved.wait is not None
            if outlasts and shared.run.resolved.holds(resolved):
                return shared
        return None

    async def answer(self, shared: SharedRun, resolved: ResolvedSearch) -> Snapshot:
        """What a run has found; where the wait of `resolved` is over before its end, what is there,
        and the run goes on. Raises MetasearchError: the error with which the run failed.
        """
        task = shared.run.task
        assert task is not None
        # A search that joins an earlier run waits no longer than its own timeout.
        patience = resolved.wait or (None if shared.run.resolved is resolved else resolved.seconds)
        async with self.hold(shared):
            await asyncio.wait({task}, timeout=patience)
            if not task.done():
                snapshot = await shared.run.soon()
                if not task.done():
                    shared.background = shared.background or self._room()
                    return snapshot
            return self.result(shared)

    @asynccontextmanager
    async def hold(self, shared: SharedRun) -> AsyncIterator[None]:
        """Wait for a run inside the block; then `leave` it."""
        shared.waiting += 1
        try:
            yield
        finally:
            shared.waiting -= 1
            await self.leave(shared)

    def result(self, shared: SharedRun) -> Snapshot:
        """What a run has found that has ended; it is kept no longer for a caller that comes back.
        Raises MetasearchError: the error with which the run failed.
        """
        self._all.pop(shared, None)
        return shared.run.result()

    async def leave(self, shared: SharedRun) -> None:
        """End a run that no caller waits for, unless it goes on in the background."""
        task = shared.run.task
        if task is not None and not (task.done() or shared.background or shared.waiting):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        tasks = [shared.run.task for shared in self._all if shared.run.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._all.clear()

    def _room(self) -> bool:
        """Whether one more run may go on in the background; the oldest ended one makes room."""
        background = [shared for shared in self._all if shared.background]
        if len(background) < self._most:
            return True
        finished = next((shared for shared in background if shared.until is not None), None)
        if finished is not None:
            self._all.pop(finished)
        return finished is not None

    def _end(self, shared: SharedRun, task: asyncio.Task[None]) -> None:
        failed = not task.cancelled() and task.exception() is not None
        if failed and not shared.waiting:
            log.error("search %s failed in the background: %s", shared.run.id, task.exception())
        answered = not failed and not task.cancelled()
        kept = shared.background and shared.run.resolved.options.cache
        if answered and kept:  # a caller that waits now takes it away, unless it leaves before
            shared.until = task.get_loop().time() + KEPT
        else:
            self._all.pop(shared, None)


# The page of a search while its list grows: for a reader who wants the whole page anew, and not the
# single changes. Each page ranks all hits. So pages are made in turns with the searches, in steps,
# and no more often than the reader and the length of the list ask for.

T = TypeVar("T")

#: Seconds of computing in one turn; a step that is begun is done.
TURN = 0.0015
#: After a page there is none for this many times as long as it took, its turns included: where many
#: readers wait for turns, most turns stay free for the searches.
REST = 3.0


class GrowingPage:
    """One reader's page of one run.

    `resolved`: what the reader asks for: the run's own search, or one that has joined it. `every`:
    seconds between two pages; of a long list in proportion more.
    """

    def __init__(
        self, run: SearchRun, resolved: ResolvedSearch, turns: Turns, every: float
    ) -> None:
        self._run = run
        self._resolved = resolved
        self._turns = turns
        self._every = every
        # One for all pages: a hit that has not changed is counted once.
        self._counts = run.facet_counts(resolved)
        self._loop = asyncio.get_running_loop()
        # A search that has joined a run waits no longer than its own timeout.
        own = resolved is run.resolved
        self._until = None if own else self._loop.time() + resolved.seconds

    async def pages(self) -> AsyncGenerator[Answer]:
        """The page as of now, whenever something has changed, until the run is over or the timeout
        has passed.

        The first one comes as soon as something is there, and the first one with records as soon as
        there are records.
        """
        task = self._run.task
        assert task is not None
        task.add_done_callback(self._hurry)
        try:
            seen, due, bare = 0, self._loop.time(), True
            while await self._wait_for_next(seen, due, bare):
                growth, began = self._run.growth, self._loop.time()
                seen, bare = growth.changes, not growth.records
                page = await _in_slices(self._steps(), self._turns.next, self._over)
                if page is None:
                    return
                if not page.running and self._run.is_closing:  # the last one was done meanwhile
                    continue
                now = self._loop.time()
                pause = self._every * longer(page.counts.unique)
                due = now + max(pause, REST * (now - began))
                yield page
        finally:
            task.remove_done_callback(self._hurry)

    async def last(self, end: Snapshot) -> Answer:
        self._turns.hurry()
        page = await _in_slices(self._page(end), self._turns.next, lambda: False)
        assert page is not None
        return page

    def _steps(self) -> Generator[None, None, Answer]:
        return (yield from self._page((yield from self._run.snapshot())))

    def _page(self, snapshot: Snapshot) -> Generator[None, None, Answer]:
        return snapshot.page(self._resolved, self._counts)

    async def _wait_for_next(self, seen: int, due: float, bare: bool) -> bool:
        """Wait until the next page is wanted; returns whether one is.

        `seen`: changes that the last page shows. `due`: loop time from which on it is wanted.
        `bare`: whether the last page showed no records; then it is wanted as soon as there are
        records.
        """
        growth = self._run.growth
        await growth.after(seen, self._until)
        while not self._over():
            if self._run.is_closing:  # the end, or a further round, is a moment away
                await growth.after(growth.changes, self._until)
            elif self._loop.time() < due and not (bare and growth.records):
                ends = due if self._until is None else min(due, self._until)
                await growth.after(growth.changes, ends)
            else:
                return True
        return False

    def _over(self) -> bool:
        timed_out = self._until is not None and self._loop.time() >= self._until
        return self._run.over or timed_out

    def _hurry(self, _: object) -> None:
        """End at once the wait for a turn: there is nothing to compute in it."""
        self._turns.hurry()


async def _in_slices(
    steps: Generator[None, None, T],
    turn: Callable[[], Awaitable[None]],
    given_up: Callable[[], bool],
) -> T | None:
    """The result of steps that compute for a millisecond or less each. `given_up`: whether the
    result is of no use any more; then None is returned.
    """
    with closing(steps):
        while True:
            await turn()
            if given_up():
                return None
            began = perf_counter()
            while perf_counter() - began < TURN:
                try:
                    next(steps)
                except StopIteration as end:
                    result: T = end.value
                    return result


#: The longest interval between two answers of `Search.follow`, in seconds.
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
        shared: EngineState,
        resolved: ResolvedSearch,
        shared_runs: SharedRuns,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.query = resolved.text
        self._shared = shared
        self._resolved = resolved
        self._shared_runs = shared_runs
        self._close = close
        self._run = SearchRun(shared, resolved)
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
            self._answer = self._page(Snapshot(self._run.whole, over=True))
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
        return self._from_cache() is not None or self._shared_runs.find(self._resolved) is not None

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
            self._answer = self._from_cache()
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
                return self._page(await self._shared_runs.answer(self._shared_run, self._resolved))
            if self._run.task is not None:  # its events are being read
                # Not the task itself: where this await is cancelled, the task must go on.
                await asyncio.wait({self._run.task})
                return self._page(self._run.result())
            return self.partial()
        finally:
            await self._close_run()

    def _begin(self) -> None:
        """Unless this is done: take the answer from the cache, join a run, or begin one."""
        if self._begun:
            return
        self._begun = True
        self._answer = self._from_cache()
        if self._answer is None:
            found = self._shared_runs.find(self._resolved)
            self._shared_run = found or self._shared_runs.begin(self._run)
            self._run = self._shared_run.run

    def follow(self, every: float) -> AsyncGenerator[Answer]:
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
        return self._follow(every)

    async def _follow(self, every: float) -> AsyncGenerator[Answer]:
        try:
            if self.answer is None:
                self._begin()
            run, shared_run = self._run, self._shared_run
            if self.answer is not None or run.task is None:
                yield self.partial()
                return
            turns = self._shared.scheduler.readers_turns()
            page = GrowingPage(run, self._resolved, turns, every)
            async with nullcontext() if shared_run is None else self._shared_runs.hold(shared_run):
                async with aclosing(page.pages()) as pages:
                    async for answer in pages:
                        yield answer
                if not run.over:
                    yield self._page(await run.soon())
                    return
                # Where it has no shared run, its events are being read.
                end = run.result() if shared_run is None else self._shared_runs.result(shared_run)
                last = await page.last(end)
                if run.whole is not None:
                    last = self._answer = self._answer or last
                yield last
        finally:
            await self._close_run()

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
        await self._close_run()

    async def _close_run(self) -> None:
        if self._close is not None:
            await self._close()

    def partial(self) -> Answer:
        """The answer as of now, for a caller that cannot wait for the end."""
        return self.answer or self._page(all_at_once(self._run.snapshot()))

    def _page(self, snapshot: Snapshot) -> Answer:
        return all_at_once(snapshot.page(self._resolved, self._run.facet_counts(self._resolved)))

    def _from_cache(self) -> Answer | None:
        return self._shared.answer_cache.page(self._resolved)

    def _events_of(self, answer: Answer) -> list[SearchEvent]:
        """The events of an answer that is there already."""
        return [
            self._run.start_event(),
            *map(SourceProgress, answer.sources),
            *map(Added, answer.hits),
            Order(tuple(hit.id for hit in answer.hits)),
            *([] if answer.facets is None else [FacetsChanged(answer.facets)]),
            Finished(answer),
        ]
