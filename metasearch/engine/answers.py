"""Answers of the last minute: the same search again, and the next page of it, asks no source."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from metasearch.engine.resolved import ResolvedSearch
from metasearch.events import Answer

#: Seconds for which an answer is returned again; one that is not for every search, for repeats.
FRESH, FOR_REPEATS = 60.0, 20.0
#: Answers, and hits in all of them, that are kept at most.
MOST_ANSWERS, MOST_HITS = 128, 5_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """An answer that is kept. `until`: when it is too old, by the clock of the cache.
    `for_repeats`: whether it is for repeats alone.
    """

    until: float
    answer: Answer
    for_repeats: bool


class AnswerCache:
    """Whole answers by search, whatever page of them was asked for; the oldest is forgotten first.

    A search that is a repeat (`SearchOptions.repeat`) gets the list of the search before it, also
    where a source failed: the works that a client asks for one by one are those of one list. Other
    searches ask again then, because the source may do better. `clock`: monotonic seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, repeats_only: bool = False
    ) -> None:
        self._clock = clock
        self._repeats_only = repeats_only
        self._kept: dict[Hashable, _Kept] = {}
        self._hits = 0

    def page(self, resolved: ResolvedSearch) -> Answer | None:
        """The page that a search asks for, where an answer holds all of it.

        A first page comes from a first page only: a list whose end was asked for holds more than
        the first page would.
        """
        if not resolved.options.cache or resolved.enrichers:
            return None
        for deep in (True, False) if resolved.options.start else (False,):
            whole = self.get((resolved.name, deep), repeat=resolved.options.repeat)
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

        `whole`: all hits, without what enrichers know of them: they are asked for one page only.
        `fresh`: whether every page of a source was in its time; else the answer is kept for repeats
        alone.
        """
        if not resolved.options.cache:
            return
        deep = resolved.options.start > 0
        if not deep:
            self.drop((resolved.name, True))  # it continued another first page
        repeat = resolved.options.repeat
        if fresh or repeat:
            self.keep((resolved.name, deep), whole, fresh=fresh, repeat=repeat)

    def get(self, search: Hashable, *, repeat: bool = False) -> Answer | None:
        """The answer, its sources marked as cached; None where there is none, it is too old, or it
        is kept for repeats and this is none.
        """
        kept = self._kept.get(search)
        if kept is None or self._clock() >= kept.until:
            self.drop(search)
            return None
        if kept.for_repeats and not repeat:
            return None
        answer = kept.answer
        sources = tuple(replace(report, cached=True) for report in answer.sources)
        return replace(answer, seconds=0.0, merge_seconds=0.0, sources=sources)

    def keep(
        self, search: Hashable, answer: Answer, *, fresh: bool = True, repeat: bool = False
    ) -> None:
        """Keep an answer: for all searches if it is whole, else for repeats alone. `repeat`:
        whether the search may be repeated; else only a whole answer is kept.
        """
        self.drop(search)
        for_repeats = self._repeats_only or not (answer.complete and fresh)
        # Without a hit there is no list to go on with, and a source may answer when asked again.
        if for_repeats and not (repeat and answer.hits):
            return
        if len(answer.hits) > MOST_HITS:
            return
        seconds = FOR_REPEATS if for_repeats else FRESH
        self._kept[search] = _Kept(self._clock() + seconds, answer, for_repeats)
        self._hits += len(answer.hits)
        while len(self._kept) > MOST_ANSWERS or self._hits > MOST_HITS:
            self.drop(next(iter(self._kept)))

    def drop(self, search: Hashable) -> None:
        """Forget an answer, if there is one."""
        kept = self._kept.pop(search, None)
        if kept is not None:
            self._hits -= len(kept.answer.hits)
