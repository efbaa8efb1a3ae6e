"""A queue with fair turns for users: a user with many requests does not keep out one with few."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable


class FairQueue:
    """Requests that wait, in one queue for each user. Belongs to one event loop."""

    def __init__(self) -> None:
        #: User -> its requests that wait, the oldest first; the user whose turn is next comes
        #: first.
        self._queues: dict[Hashable, deque[asyncio.Future[bool]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def of(self, user: Hashable) -> int:
        """How many requests of a user wait."""
        return len(self._queues.get(user, ()))

    def join(self, user: Hashable) -> asyncio.Future[bool]:
        """Adds a request; its future is True when it is admitted, False when it is refused."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(user, deque()).append(future)
        return future

    def leave(self, user: Hashable, future: asyncio.Future[bool]) -> None:
        """Removes a request, if it still waits."""
        queue = self._queues.get(user, deque())
        if future in queue:
            queue.remove(future)
            if not queue:
                del self._queues[user]

    def next(self) -> bool:
        """Admits the next request; its user goes to the end. Returns False if none waits."""
        while self._queues:
            user = next(iter(self._queues))
            queue = self._queues.pop(user)
            future = queue.popleft()
            if queue:
                self._queues[user] = queue
            if not future.done():
                future.set_result(True)
                return True
        return False

    def make_room(self, user: Hashable) -> bool:
        """Refuses the last request of the busiest user, unless this one would have as many."""
        longest = max(self._queues, key=lambda name: len(self._queues[name]), default=None)
        if longest is None or len(self._queues[longest]) <= len(self._queues.get(user, ())) + 1:
            return False
        future = self._queues[longest].pop()
        if not future.done():
            future.set_result(False)
        return True

    def refuse_all(self) -> None:
        """Refuses every request that waits."""
        for queue in self._queues.values():
            for future in queue:
                if not future.done():
                    future.set_result(False)
        self._queues.clear()
