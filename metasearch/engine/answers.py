"""Answers of the last minute: the same search again, and the next page of it, asks no source."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace

from metasearch.engine.resolved import ResolvedSearch
from metasearch.events import Answer

#: Seconds for which an answer is returned again.
FRESH = 60.0
#: Answers, and hits in all of them, that are kept at most.
MOST_ANSWERS, MOST_HITS = 128, 5_000


class AnswerCache:
    """Whole answers by search, whatever page of them was asked for; the oldest is forgotten first.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Hashable, tuple[float, Answer]] = {}
        self._hits = 0

    def page(self, resolved: ResolvedSearch) -> Answer | None:
        """The page that a search asks for, where an answer holds all of it.

        A first page comes from a first page only: a list whose end was asked for holds more than
        the first page would.
        """
        if not resolved.options.cache or resolved.enrichers:
            return None
        for deep in (True, False) if resolved.options.start else (False,):
            whole = self.get((resolved.name, deep))
            if whole is None:
                continue
            further = whole.paging.next
            known = further.start if further is not None else resolved.places
            if resolved.filters and further is not None:
                known = sum(map(resolved.filters.passes(), whole.hits))
            if resolved.places <= known:
                return resolved.page(whole)
        return None

    def keep_answer(self, resolved: ResolvedSearch, whole: Answer, *, fresh: bool) -> None:
        """Keep the answer to a search for its other pages.

        Args:
            resolved: The search.
            whole: All hits, without what enrichers know of them: they are asked for one page only.
            fresh: Whether every page of a source was in its time; else the answer is not kept.
        """
        if not resolved.options.cache:
            return
        deep = resolved.options.start > 0
        if not deep:
            self.drop((resolved.name, True))  # it continued another first page
        if fresh:
            self.keep((resolved.name, deep), whole)

    def get(self, search: Hashable) -> Answer | None:
        """The answer, its sources marked as cached; None where there is none, or it is too old."""
        until, answer = self._kept.get(search, (0.0, None))
        if answer is None or self._clock() >= until:
            self.drop(search)
            return None
        sources = tuple(replace(report, cached=True) for report in answer.sources)
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
