"""A run while it goes on: it gives signs of life, and sees that a person wants it stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from metasearch.errors import RunClash, WorkspaceError
from metasearch.message import message
from metasearch.workspace.runs import carriers, runs
from metasearch.workspace.runs.runs import Run
from metasearch.workspace.workspace import Workspace

#: Seconds between two looks whether the run is to be stopped.
LOOKED = 1.0


@asynccontextmanager
async def going_on(workspace: Workspace, run: Run) -> AsyncIterator[None]:
    """A block in which a run goes on: it is done at the end. Where the block is left by an error or
    is cancelled, the run is interrupted, or stopped where a person wanted that. Raises RunClash:
    the run was stopped, resumed or ended by somebody else.
    """
    task = asyncio.current_task()
    assert task is not None
    watching = asyncio.create_task(_watched(workspace, run, task), name=f"run {run.number}")
    cancelled = task.cancelling()
    status: runs.RunStatus = "interrupted"
    try:
        yield
        status = "done"
    except asyncio.CancelledError:
        if watching.done() and task.uncancel() <= cancelled:
            raise watching.result() from None
        raise
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        ending = asyncio.ensure_future(workspace.write(runs.finish, run, status))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:  # once more, while the end is written
            await asyncio.wait({ending})
            raise


async def _watched(workspace: Workspace, run: Run, task: asyncio.Task[object]) -> RunClash:
    """Cancel the task of a run that is not to go on; returns why."""
    renewed = time.monotonic()
    while True:
        await asyncio.sleep(min(LOOKED, carriers.RENEWED))
        try:
            if await workspace.look(carriers.is_to_stop, run.id):
                text = message("Run {number} was stopped", number=run.number)
                break
            if time.monotonic() - renewed < carriers.RENEWED:
                continue
            if not await workspace.write(runs.renew, run):
                text = message("Run {number} was resumed or ended elsewhere", number=run.number)
                break
            renewed = time.monotonic()
        except WorkspaceError:  # another process is writing; the next time may do
            continue
    task.cancel()
    return RunClash(text, kind="not-running", advice=message("What was answered is kept."))
