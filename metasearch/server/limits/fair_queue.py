"""Who waits to be let in: user by user, so that one who sends much does not keep out one who sends
little.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable


class FairQueue:
    """Those who wait, in one line a user. Belongs to one event loop."""

    def __init__(self) -> None:
        #: User -> those of its requests that wait, the oldest first; whose turn is next comes
        #: first.
        self._lines: dict[Hashable, deque[asyncio.Future[bool]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def join(self, user: Hashable) -> asyncio.Future[bool]:
        """Stand at the end of one's line; the future says whether one is let in."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(user, deque()).append(future)
        return future

    def leave(self, user: Hashable, future: asyncio.Future[bool]) -> None:
        """Wait no longer; where one has been taken out already, nothing is left to do."""
        line = self._lines.get(user, deque())
        if future in line:
            line.remove(future)
            if not line:
                del self._lines[user]

    def next(self) -> bool:
        """Let the next one in; its user goes to the end of the round. False where nobody waits."""
        while self._lines:
            user = next(iter(self._lines))
            line = self._lines.pop(user)
            future = line.popleft()
            if line:
                self._lines[user] = line
            if not future.done():
                future.set_result(True)
                return True
        return False

    def make_room(self, user: Hashable) -> bool:
        """Send away the last of the user who has most waiting, if that leaves them no worse off
        than this one.
        """
        longest = max(self._lines, key=lambda it: len(self._lines[it]), default=None)
        if longest is None or len(self._lines[longest]) <= len(self._lines.get(user, ())) + 1:
            return False
        future = self._lines[longest].pop()
        if not future.done():
            future.set_result(False)
        return True

    def dismiss(self) -> None:
        """Send everybody away."""
        for line in self._lines.values():
            for future in line:
                if not future.done():
                    future.set_result(False)
        self._lines.clear()
