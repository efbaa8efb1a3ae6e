"""Answers that were given a moment ago: the same search again, and the next page of it, costs
nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace

from metasearch.events import Answer

#: Seconds that an answer is given again.
FRESH = 60.0
#: Answers, and hits in all of them, that are kept at most.
MOST_ANSWERS, MOST_HITS = 128, 5_000


class AnswerCache:
    """Whole answers by search, whatever page of them was asked for; the oldest going first.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Hashable, tuple[float, Answer]] = {}
        self._hits = 0

    def get(self, search: Hashable) -> Answer | None:
        """The answer, its sources marked as cached; None where there is none, or an old one."""
        until, answer = self._kept.get(search, (0.0, None))
        if answer is None or self._clock() >= until:
            self.drop(search)
            return None
        sources = tuple(replace(it, cached=True) for it in answer.sources)
        return replace(answer, seconds=0.0, merge_seconds=0.0, sources=sources)

    def keep(self, search: Hashable, answer: Answer) -> None:
        """Keep an answer, if it is whole: a source that failed may do better the next time."""
        self.drop(search)
        if not answer.complete or len(answer.hits) > MOST_HITS:
            return
        self._kept[search] = (self._clock() + FRESH, answer)
        self._hits += len(answer.hits)
        while len(self._kept) > MOST_ANSWERS or self._hits > MOST_HITS:
            self.drop(next(iter(self._kept)))

    def drop(self, search: Hashable) -> None:
        """Forget an answer, if there is one."""
        kept = self._kept.pop(search, None)
        if kept is not None:
            self._hits -= len(kept[1].hits)
