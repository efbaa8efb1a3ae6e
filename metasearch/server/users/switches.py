"""What administrators have switched on or off, told to the searches of this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from aiohttp import web

from metasearch.errors import MetasearchError
from metasearch.workspace import source_switches
from metasearch.workspace.workspace import Workspace

logger = logging.getLogger("metasearch.server")

#: Seconds after which every worker knows of a switch.
EVERY = 2.0


class Switches:
    """Reads the switches of sources now and then, because another worker may have set them. `tell`:
    called with all of them whenever they have changed: `Registry.switch`.
    """

    def __init__(self, workspace: Workspace, tell: Callable[[Mapping[str, bool]], None]) -> None:
        self._workspace = workspace
        self._tell = tell
        self._known: Mapping[str, bool] = {}
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Read them, and go on reading."""
        await self.read()
        self._task = asyncio.create_task(self._repeat(), name="switches of sources")

    async def read(self) -> None:
        """Read them now."""
        found = await self._workspace.read(source_switches.every)
        switches = {name: each.enabled for name, each in found.items()}
        if switches != self._known:
            self._known = switches
            self._tell(switches)

    async def close(self) -> None:
        """End the reading."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.read()
            except MetasearchError as exc:  # it is tried again; what is known stays
                logger.warning("the switches of sources cannot be read: %s", exc)


#: Those of a server with users.
SWITCHES = web.AppKey("switches", Switches)
