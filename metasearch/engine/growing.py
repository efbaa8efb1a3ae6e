"""The page of a search while its list grows: for a reader who wants the whole page anew, and not
the single changes.

Each page ranks all hits. So pages are made in turns with the searches, in steps, and no more often
than the reader and the length of the list ask for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import closing
from time import perf_counter
from typing import TypeVar

from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.run import Run, longer
from metasearch.engine.scheduler import Turns
from metasearch.events import Answer

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

    def __init__(self, run: Run, resolved: ResolvedSearch, turns: Turns, every: float) -> None:
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

    async def so_far(self) -> AsyncGenerator[Answer]:
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
            while await self._wanted(seen, due, bare):
                growth, began = self._run.growth, self._loop.time()
                seen, bare = growth.changes, not growth.records
                steps = self._run.snapshot(self._resolved, self._counts)
                page = await _in_slices(steps, self._turns.next, self._over)
                if page is None:
                    return
                if not page.running and self._run.closing:  # the last one was done meanwhile
                    continue
                now = self._loop.time()
                pause = self._every * longer(page.counts.unique)
                due = now + max(pause, REST * (now - began))
                yield page
        finally:
            task.remove_done_callback(self._hurry)

    async def last(self, whole: Answer) -> Answer:
        """The page at the end of the run."""
        steps = self._run.paging(self._resolved, whole, self._counts)
        self._turns.hurry()
        page = await _in_slices(steps, self._turns.next, lambda: False)
        assert page is not None
        return page

    async def _wanted(self, seen: int, due: float, bare: bool) -> bool:
        """Wait until the next page is wanted; returns whether one is.

        `seen`: changes that the last page shows. `due`: loop time from which on it is wanted.
        `bare`: whether the last page showed no records; then it is wanted as soon as there are
        records.
        """
        growth = self._run.growth
        await growth.after(seen, self._until)
        while not self._over():
            if self._run.closing:  # the end, or a further round, is a moment away
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
