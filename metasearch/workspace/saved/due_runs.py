"""Runs all saved searches that are due, a few at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from metasearch.engine.engine import Engine
from metasearch.errors import UsageError, WorkspaceError
from metasearch.workspace.saved import due
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.quotas import count_run
from metasearch.workspace.saved.running import run_saved
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.workspace import Workspace

#: Saved searches that one process runs at once.
AT_ONCE = 2

log = logging.getLogger("metasearch.saved")


async def run_due(
    workspace: Workspace,
    engine: Engine,
    holder: str,
    *,
    most: int | None = None,
    at_once: int = AT_ONCE,
    ended: Callable[[SavedSearch, SavedRun], None] | None = None,
) -> int:
    """Run what is due, and what falls due meanwhile; returns how many were run. Other processes may
    do the same: each saved search is run by one of them.

    `holder`: of `leases.new_holder`. `most`: at most so many; None runs all. `ended`: is called
    with each saved search and its run.
    """
    count = 0
    hours, admit = engine.settings.alerts.hours, count_run(engine.settings)

    async def some() -> None:
        nonlocal count
        while most is None or count < most:
            count += 1
            saved = await workspace.write(due.claim, holder)
            if saved is None:
                count -= 1
                return
            try:
                run = await run_saved(
                    workspace, engine, saved, holder=holder, hours=hours, admit=admit
                )
            except WorkspaceError:
                raise
            except UsageError as exc:  # it was removed meanwhile
                log.info("saved search %s: %s", saved.uid, exc)
                continue
            if ended is not None:
                ended(saved, run)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(some(), name="saved searches")
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    return count
