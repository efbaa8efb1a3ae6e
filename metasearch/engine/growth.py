"""What has changed in a search, for those who wait for it."""

from __future__ import annotations

import asyncio


class Growth:
    """Counts the changes of a search, and wakes all who wait for one. `changes`: how many changes
    there were. `records`: whether records have been received.
    """

    def __init__(self) -> None:
        self.changes = 0
        self.records = False
        self._awaited: asyncio.Event | None = None  # while somebody waits

    def changed(self, *, records: bool = False) -> None:
        """Count a change."""
        self.changes += 1
        self.records = self.records or records
        if self._awaited is not None:
            self._awaited.set()
            self._awaited = None

    async def after(self, changes: int, until: float | None) -> None:
        """Wait until there are more changes than these, or until a loop time; None is never."""
        try:
            async with asyncio.timeout_at(until):
                while self.changes <= changes:
                    if self._awaited is None:
                        self._awaited = asyncio.Event()
                    await self._awaited.wait()
        except TimeoutError:
            pass
