"""Searches that go on although whoever asked has been given what was there, and those who come back
for the rest.

A search with a soft deadline (`wait`) is answered when that has passed; it goes on until its
`timeout`, fills the cache and the states of the sources, and the same search made again joins it,
so that no source is asked twice.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.run import Run
from metasearch.events import Answer

log = logging.getLogger("metasearch")

#: Searches that may go on in the background, and finished ones among them whose rest nobody has
#: come back for.
MOST = 64
#: Seconds that the rest of a search waits for whoever comes back for it.
KEPT = 30.0


@dataclass(slots=True, eq=False)
class SharedRun:
    """A search and who waits for it.

    Attributes:
        waiting: How many wait for it right now.
        adopted: Whether it goes on when nobody does.
        until: Loop time at which its answer is forgotten; None while it runs.
    """

    run: Run
    waiting: int = field(default=0, init=False)
    adopted: bool = field(default=False, init=False)
    until: float | None = field(default=None, init=False)


class SharedRuns:
    """All searches of one engine that somebody awaits, or nobody does any more.

    Args:
        most: So many may go on in the background. Those that do go on; the next one ends with its
            soft deadline.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._all: dict[SharedRun, None] = {}

    def __len__(self) -> int:
        return len(self._all)

    def begin(self, run: Run) -> SharedRun:
        """Start a search."""
        shared = SharedRun(run)
        self._all[shared] = None
        run.start().add_done_callback(lambda task: self._ended(shared, task))
        return shared

    def find(self, resolved: ResolvedSearch) -> SharedRun | None:
        """A search whose answer will hold the page of this one. A search that has ended is found
        until its rest is asked for.
        """
        now = asyncio.get_running_loop().time()
        for shared in list(self._all):
            if shared.until is not None and now >= shared.until:
                self._all.pop(shared)
            elif shared.run.ending:  # whoever waited for it has just left
                continue
            elif (
                shared.adopted or shared.run.resolved.wait is not None
            ) and shared.run.resolved.holds(resolved):
                return shared
        return None

    async def answer(self, shared: SharedRun, resolved: ResolvedSearch) -> Answer:
        """All hits of a search; where the wait of `resolved` is over before, those that are there,
        and the search continues.
        """
        task = shared.run.task
        assert task is not None
        # Whoever joins a search that began earlier is not to be kept longer than its own timeout
        # says.
        patience = resolved.wait or (None if shared.run.resolved is resolved else resolved.seconds)
        shared.waiting += 1
        try:
            await asyncio.wait({task}, timeout=patience)
            if not task.done():
                found = await shared.run.soon()
                if not task.done():
                    shared.adopted = shared.adopted or self._room()
                    return found
            return shared.run.ended()  # or what went wrong, for everybody who waits
        finally:
            shared.waiting -= 1
            if task.done():
                self._all.pop(shared, None)
            else:
                await self.leave(shared)

    async def leave(self, shared: SharedRun) -> None:
        """End a search that nobody waits for, unless it is to go on."""
        task = shared.run.task
        if task is not None and not (task.done() or shared.adopted or shared.waiting):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """End all."""
        tasks = [shared.run.task for shared in self._all if shared.run.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._all.clear()

    def _room(self) -> bool:
        adopted = [shared for shared in self._all if shared.adopted]
        if len(adopted) < self._most:
            return True
        finished = next((shared for shared in adopted if shared.until is not None), None)
        if finished is not None:
            self._all.pop(finished)
        return finished is not None

    def _ended(self, shared: SharedRun, task: asyncio.Task[None]) -> None:
        failed = not task.cancelled() and task.exception() is not None
        if failed and not shared.waiting:
            log.error("search %s failed in the background: %s", shared.run.id, task.exception())
        if (
            failed
            or task.cancelled()
            or shared.waiting
            or not (shared.adopted and shared.run.resolved.options.cache)
        ):
            self._all.pop(shared, None)
        else:
            shared.until = task.get_loop().time() + KEPT
