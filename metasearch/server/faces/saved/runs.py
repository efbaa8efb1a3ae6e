"""Runs of saved searches that somebody has asked for now; they go on in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from metasearch.errors import MetasearchError
from metasearch.message import message
from metasearch.server.limits.shares import Shares
from metasearch.server.workspace_service import WorkspaceService
from metasearch.workspace.saved import due
from metasearch.workspace.saved.running import run_saved
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.saved.schedule import Hours
from metasearch.workspace.store import leases

log = logging.getLogger("metasearch.saved")

#: Runs at once, in a process: each is a search of two minutes at most.
MOST = 4


class RunsNow:
    """The runs of one process that somebody has asked for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._shares = Shares(message("saved searches that are run"), MOST)

    async def begin(
        self,
        service: WorkspaceService,
        saved: SavedSearch,
        hours: Hours,
        admit: Callable[[], Awaitable[None]],
        user: str,
    ) -> None:
        """Begin a run. `admit`: counts the run, or raises what says that there may be none. Raises
        UsageError: it is being run, or was removed.
        """
        give_back = self._shares.take(user)
        holder = leases.new_holder()
        try:
            claimed = await service.workspace.write(due.take, saved, holder)
            try:
                await admit()
            except BaseException:
                await service.workspace.write(leases.release, due.lease_of(saved), holder)
                raise
        except BaseException:
            give_back()
            raise
        task = asyncio.create_task(
            _run(service, claimed, holder, hours), name=f"saved search {saved.uid}"
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: give_back())

    async def close(self) -> None:
        """End the runs; what they have not told is told by the next ones."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _run(service: WorkspaceService, saved: SavedSearch, holder: str, hours: Hours) -> None:
    try:
        await run_saved(service.workspace, service.engine, saved, holder=holder, hours=hours)
    except MetasearchError as exc:  # removed meanwhile, or the file cannot be written
        log.warning("the run of the saved search %s was not kept: %s", saved.uid, exc)
