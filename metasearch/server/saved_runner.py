"""Runs the saved searches of a server's workspace when they are due, and sends their e-mails.

Of all workers and servers that have the file open, one does so at a time; where it ends, another
one takes over.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from metasearch.errors import MetasearchError
from metasearch.workspace.saved import due
from metasearch.workspace.saved.due_runs import run_due
from metasearch.workspace.store import leases
from metasearch.workspace.workspace import Workspace

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine

#: The lease of the one that runs them.
LEASE = "saved searches"
#: Seconds between two looks at what is due; after a failure; between two looks at e-mails that are
#: tried again.
POLL, PAUSE, MAILS = 15.0, 300.0, 600.0

logger = logging.getLogger("metasearch.server")


class SavedRunner:
    """The loop of one process. `poll`: seconds between looks; None takes `POLL`."""

    def __init__(self, workspace: Workspace, engine: Engine, *, poll: float | None = None) -> None:
        self._workspace = workspace
        self._engine = engine
        self._poll = POLL if poll is None else poll
        self._holder = leases.new_holder()
        self._mails_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first look comes after `poll` seconds, when the server listens."""
        self._task = asyncio.create_task(self._looking(), name="saved searches")

    async def close(self) -> None:
        """Stop at once; a search that was being run is due again."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def look(self) -> int:
        """Run what is due, unless another process does; returns how many were run."""
        waiting = await self._workspace.read(due.number_due)
        if not waiting and not await self._mails_due():
            return 0  # nothing is written while there is nothing to do
        if not await self._workspace.write(leases.take, LEASE, self._holder, due.LEASE):
            return 0
        async with due.holding(self._workspace, LEASE, self._holder):
            count = await run_due(self._workspace, self._engine, self._holder)
            await self._send()
        return count

    async def _looking(self) -> None:
        while True:
            await asyncio.sleep(self._poll)
            try:
                await self.look()
            except MetasearchError as exc:
                logger.warning("saved searches: %s", exc)
                await asyncio.sleep(PAUSE)
            except Exception:
                logger.exception("saved searches could not be run")
                await asyncio.sleep(PAUSE)

    async def _mails_due(self) -> bool:
        """Whether it is time to look for e-mails, where any are sent; somebody who has typed an
        address waits for the link.
        """
        settings = self._engine.settings
        if not settings.mail.host:
            return False
        if asyncio.get_running_loop().time() >= self._mails_at:
            return True
        if settings.users.mode == "none" or not settings.public_url:
            return False
        from metasearch.workspace.users import addresses

        return await self._workspace.read(addresses.are_due)

    async def _send(self) -> None:
        if not self._engine.settings.mail.host:
            return
        from metasearch.workspace.saved.mail import send_due

        self._mails_at = asyncio.get_running_loop().time() + MAILS
        await send_due(self._workspace, self._engine.settings, dt.datetime.now(dt.UTC))
