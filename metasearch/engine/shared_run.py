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

from metasearch.engine.results import Wanted
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
        it = SharedRun(run)
        self._all[it] = None
        run.start().add_done_callback(lambda task: self._ended(it, task))
        return it

    def find(self, wanted: Wanted) -> SharedRun | None:
        """A search whose answer will hold what is wanted; one that has ended is found until it is
        asked for.
        """
        now = asyncio.get_running_loop().time()
        for it in list(self._all):
            if it.until is not None and now >= it.until:
                self._all.pop(it)
            elif it.run.ending:  # whoever waited for it has just left
                continue
            elif (it.adopted or it.run.wanted.wait is not None) and it.run.wanted.holds(wanted):
                return it
        return None

    async def answer(self, it: SharedRun, wanted: Wanted) -> Answer:
        """All hits of a search; those that are there when the wait of `wanted` is over, and then it
        goes on.
        """
        task = it.run.task
        assert task is not None
        # Whoever joins a search that began earlier is not to be kept longer than its own timeout
        # says.
        patience = wanted.wait or (None if it.run.wanted is wanted else wanted.seconds)
        it.waiting += 1
        try:
            await asyncio.wait({task}, timeout=patience)
            if not task.done():
                found = await it.run.soon()
                if not task.done():
                    it.adopted = it.adopted or self._room()
                    return found
            return it.run.ended()  # or what went wrong, for everybody who waits
        finally:
            it.waiting -= 1
            if task.done():
                self._all.pop(it, None)
            else:
                await self.leave(it)

    async def leave(self, it: SharedRun) -> None:
        """End a search that nobody waits for, unless it is to go on."""
        task = it.run.task
        if task is not None and not (task.done() or it.adopted or it.waiting):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """End all."""
        tasks = [it.run.task for it in self._all if it.run.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._all.clear()

    def _room(self) -> bool:
        adopted = [it for it in self._all if it.adopted]
        if len(adopted) < self._most:
            return True
        finished = next((it for it in adopted if it.until is not None), None)
        if finished is not None:
            self._all.pop(finished)
        return finished is not None

    def _ended(self, it: SharedRun, task: asyncio.Task[None]) -> None:
        failed = not task.cancelled() and task.exception() is not None
        if failed and not it.waiting:
            log.error("search %s failed in the background: %s", it.run.id, task.exception())
        if failed or task.cancelled() or it.waiting or not (it.adopted and it.run.wanted.cache):
            self._all.pop(it, None)
        else:
            it.until = task.get_loop().time() + KEPT
