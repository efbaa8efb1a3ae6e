"""Searches of the last half hour: another page of one of them is no new search."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

#: Seconds for which a search counts as the same one, and searches that are remembered.
SAME_FOR, MOST = 1_800.0, 20_000


class RecentSearches:
    """Which searches a quota has counted. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: OrderedDict[Hashable, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seen)

    def is_new(self, search: Hashable) -> bool:
        """Whether a search was not seen for half an hour."""
        now = self._clock()
        while self._seen:
            oldest, at = next(iter(self._seen.items()))
            if len(self._seen) < MOST and now - at < SAME_FOR:
                break
            del self._seen[oldest]
        return search not in self._seen

    def remember(self, search: Hashable) -> None:
        """Note that a search is counted."""
        self._seen[search] = self._clock()
        self._seen.move_to_end(search)

    async def close(self) -> None:
        """Forget all."""
        self._seen.clear()
