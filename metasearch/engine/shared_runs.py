"""Runs that several callers wait for, or that go on in the background of an engine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.run import Run
from metasearch.events import Answer

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

    run: Run
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
        there, and the run goes on. Raises MetasearchError: the error with which the run failed.
        """
        task = shared.run.task
        assert task is not None
        # A search that joins an earlier run waits no longer than its own timeout.
        patience = resolved.wait or (None if shared.run.resolved is resolved else resolved.seconds)
        async with self.waiting(shared):
            await asyncio.wait({task}, timeout=patience)
            if not task.done():
                so_far = await shared.run.soon()
                if not task.done():
                    shared.background = shared.background or self._room()
                    return so_far
            return self.ended(shared)

    @asynccontextmanager
    async def waiting(self, shared: SharedRun) -> AsyncIterator[None]:
        """Wait for a run inside the block; then `leave` it."""
        shared.waiting += 1
        try:
            yield
        finally:
            shared.waiting -= 1
            await self.leave(shared)

    def ended(self, shared: SharedRun) -> Answer:
        """All hits of a run that has ended; it is kept no longer for a caller that comes back.
        Raises MetasearchError: the error with which the run failed.
        """
        self._all.pop(shared, None)
        return shared.run.ended()

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
        """Whether one more run may go on in the background; the oldest ended one makes room."""
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
        if answered and kept:  # a caller that waits now takes it away, unless it leaves before
            shared.until = task.get_loop().time() + KEPT
        else:
            self._all.pop(shared, None)
