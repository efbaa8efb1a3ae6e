"""The merged list of a search while it grows: hits, their positions, and the answer of them."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import TypeVar

from metasearch.dedup import Fingerprint, OnlineDedup
from metasearch.engine.facets import FacetCounts
from metasearch.engine.filters import arranged
from metasearch.engine.options import LAST_PLACE
from metasearch.engine.pages import (
    Positions,
    PositionStore,
    number_passing,
    passing_name,
    totals,
)
from metasearch.engine.rank import Ranking
from metasearch.engine.resolved import ResolvedSearch
from metasearch.engine.scores import STRETCH, all_at_once, stretches
from metasearch.events import Answer, Change, Facets, NextPage, Paging, SourceReport
from metasearch.message import message
from metasearch.record import Hit, Record

T = TypeVar("T")

#: Rounds of asking without a further work that passes the filters, after which a page ends: few may
#: pass, and every round is a request to each source. The next page goes on from there.
FRUITLESS_ROUNDS = 10


class _Stopwatch:
    """Adds up the seconds that `with` blocks took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += perf_counter() - self._began


class Listing:
    """The list: synchronous, owned by one task; `position_store` remembers lists."""

    def __init__(
        self, resolved: ResolvedSearch, weights: Mapping[str, float], position_store: PositionStore
    ) -> None:
        self._resolved = resolved
        self._position_store = position_store
        self._dedup = OnlineDedup(resolved.chain, weights, resolved.versions)
        self._ranking = Ranking(resolved.query, weights, resolved.options.rank)
        self._sort = resolved.options.sort
        #: Key of a record -> its number among all that were received; for "first-seen" only.
        self._arrival: dict[str, int] = {}
        #: Ids of the hits that `to_rerank` has seen.
        self._seen: set[str] = set()
        self._notes: list[str] = []
        self._positions = Positions()
        self._rounds = 0
        self._resumed = False  # whether the list was begun by an earlier search
        filters = resolved.filters
        self._passing_name = passing_name(resolved.name, filters) if filters else None
        self._passes = filters.passes()
        self._numbers = Positions()  # of the hits that pass the filters
        self._most_passing = 0
        self._fruitless = 0  # rounds in a row without a further hit that passes the filters
        self._given_up = False  # the page ends although it is not full
        #: None where no facet is asked for.
        self.facet_counts = resolved.facet_counts()
        self._watch = _Stopwatch()  # for merging and ranking

    def insert(self, batch: Iterable[tuple[Record, Fingerprint]]) -> None:
        """Merge records into the list."""
        with self._watch:
            for record, print_ in batch:
                self._dedup.insert(record, print_)
                if self._sort == "first-seen":
                    self._arrival.setdefault(record.key, len(self._arrival))

    def preparing(self) -> Generator[None, None, None]:
        """Merge and score what is new, ahead of `settling`; yields after each stretch of that."""
        making = self._dedup.making()
        while self._scored(islice(making, STRETCH)) == STRETCH:
            yield

    def _scored(self, hits: Iterable[Hit]) -> int:
        with self._watch:
            return self._read(list(hits))

    def _read(self, hits: Sequence[Hit]) -> int:
        """Read hits ahead for the ranking and the facets; returns how many hits there were."""
        if self.facet_counts is not None:
            self.facet_counts.add(hits)
        return self._ranking.prepare(hits)

    def changes(self) -> list[Change]:
        """What happened to the hits since the last call; these hits are read ahead, so that `order`
        and `facets` have little left to do.
        """
        with self._watch:
            changes = self._dedup.changes()
            self._read([change.hit for change in changes])
            return changes

    def passes(self, hit: Hit) -> bool:
        """Whether a hit passes the filters."""
        return self._passes(hit)

    def facets(self) -> Facets | None:
        """The facets of all hits; None where none is asked for."""
        if self.facet_counts is None:
            return None
        with self._watch:
            return self.facet_counts.count(self.unordered())

    def hits(self) -> list[Hit]:
        """The list if no more records came: hits with a place keep it, others follow by rank."""
        return all_at_once(self.hits_in_steps())

    def hits_in_steps(self) -> Generator[None, None, list[Hit]]:
        """As `hits`, of the records that are there at the first step; yields after each stretch."""
        positions = self._seats()
        everything = self.unordered()
        seated, fresh = positions.seat(everything)
        ranked = yield from self._ranking.ranking(fresh, everything)
        ordered = arranged(ranked, self._sort, self._arrival)
        seated |= dict(enumerate(ordered, len(positions)))
        return (yield from self._arranging(seated, len(fresh)))

    def _seats(self) -> Positions:
        """The places that hits have by now."""
        if self._resolved.options.start and not self._rounds:
            # Hits on earlier pages of the list have their places already.
            return self._position_store.get(self._resolved.name) or self._positions
        return self._positions

    def unordered(self) -> list[Hit]:
        """All hits, neither ranked nor in the order of the list."""
        return list(self._dedup.making())

    def _sorted(self, fresh: Iterable[Hit], everything: Iterable[Hit]) -> list[Hit]:
        """Hits without a position, in the order in which they get one."""
        return arranged(self._ranking.ranked(fresh, everything), self._sort, self._arrival)

    def order(self) -> list[str]:
        """The ids of that list, of the hits that pass the filters."""
        with self._watch:
            everything = self.unordered()
            seated, fresh = self._seats().seat(everything)
            if self._sort == "relevance":
                ids = self._ranking.ids(fresh, everything)
            else:
                ids = [hit.id for hit in self._sorted(fresh, everything)]
            ids = [seated[place].id for place in sorted(seated)] + ids
            return ids if self._passing_name is None else self._order_of_passing(everything, ids)

    def _order_of_passing(self, everything: Sequence[Hit], ids: Sequence[str]) -> list[str]:
        """The ids of the hits that pass, in the order of their own numbers."""
        passing = {hit.id: hit for hit in everything if self._passes(hit)}
        numbers = None
        if self._resolved.options.start or self._rounds:
            numbers = self._position_store.get(self._passing_name)
        listed = [passing[name] for name in ids if name in passing]
        seated, fresh = (numbers or Positions()).seat(listed)
        return [seated[place].id for place in sorted(seated)] + [hit.id for hit in fresh]

    def to_rerank(self, most: int) -> list[Hit]:
        """The best of the hits that came since the last call, best first, `most` of them."""
        with self._watch:
            everything = self.unordered()
            fresh = [hit for hit in everything if hit.id not in self._seen]
            self._seen.update(hit.id for hit in fresh)
            return self._ranking.ranked(fresh, everything)[:most]

    def rerank(self, nearness: Mapping[str, float] | None) -> None:
        """Have hits score for how near they are to the query; None where that came too late."""
        if nearness is None:
            self._notes.append(message("rerank: not done, because the time of the search was over"))
        else:
            self._ranking.add_nearness(nearness)

    def settling(self) -> Generator[None, None, list[Hit]]:
        """The list after a round: each new hit gets a place behind all hits that have one. Yields
        after each stretch.

        The places are given in one step, so that two searches for pages of one list do not mix
        them.
        """
        return self._timed(self._settling())

    def _settling(self) -> Generator[None, None, list[Hit]]:
        everything = self.unordered()
        _, fresh = self._begun().seat(everything)
        ranked = yield from self._ranking.ranking(fresh, everything)
        self._positions = self._begun()
        seated, unseated = self._positions.seat(everything)
        if unseated != fresh:  # meanwhile another search has given places to some of them
            ranked = self._ranking.ranked(unseated, everything)
        self._settle(seated, arranged(ranked, self._sort, self._arrival))
        return (yield from self._arranging(seated, len(ranked)))

    def _begun(self) -> Positions:
        """The list as the searches for its earlier pages have left it, and those for this page."""
        if not self._resolved.options.start:
            return self._positions
        known = self._position_store.get(self._resolved.name)
        self._resumed = known is not None if self._rounds == 0 else self._resumed
        return known or self._positions

    def _settle(self, seated: dict[int, Hit], fresh: Sequence[Hit]) -> None:
        """Give places to new hits, which are put in order, and remember them."""
        resolved, position_store = self._resolved, self._position_store
        # The first round has as many places as a source has records in it, so a client that adds
        # the size of a page to `start` misses no hit.
        least = 0 if self._rounds else resolved.depth
        self._positions.settle(self._rounds, seated, fresh, least)
        self._rounds += 1
        if resolved.options.start:
            position_store.keep(resolved.name, self._positions)
        else:
            position_store.begin(resolved.name, self._positions)
        if self._passing_name is not None:
            # Now and not with the page: the numbers depend on the rounds that were read, not on the
            # page that a search was for.
            listed = (hit for _, hit in sorted(seated.items()))
            self._number([hit for hit in listed if self._passes(hit)], self._passing_name)

    def _timed(self, steps: Generator[None, None, T]) -> Generator[None, None, T]:
        """The same steps; the seconds that each takes count as merging and ranking."""
        while True:
            with self._watch:
                try:
                    next(steps)
                except StopIteration as end:
                    result: T = end.value
                    return result
            yield

    def _number(self, passing: Sequence[Hit], name: Hashable) -> None:
        """Number the hits that pass the filters after a round.

        A first round without any, and every ten rounds without a further one, take as many numbers
        as a round has records: so a page that stays empty has a page behind it, and the numbers
        are the same in every process.
        """
        resolved = self._resolved
        self._fruitless = 0 if len(passing) > self._most_passing else self._fruitless + 1
        self._most_passing = max(len(passing), self._most_passing)
        fruitless = self._fruitless == FRUITLESS_ROUNDS
        leaves_empty = fruitless or (self._rounds == 1 and not passing)
        self._numbers, _ = number_passing(
            passing,
            name,
            self._position_store,
            anew=not resolved.options.start,
            round_=self._rounds - 1,
            empty=resolved.depth if leaves_empty else 0,
        )
        if fruitless:
            self._fruitless = 0
            self._given_up = self._numbers.covered(self._rounds - 1) >= resolved.options.start

    def needs_round(self, hits: Sequence[Hit], failed: bool) -> bool:
        """Whether the page needs another round. `hits`: the list, as `settle` returned it.
        `failed`: whether a source has failed: what is missing may be missing because of that.
        """
        if self._passing_name is not None:
            known = self._numbers.covered(self._rounds)
            return known < self._resolved.places and not self._given_up
        if self._positions.covered(self._rounds) < self._resolved.places:
            return True
        # A hit that stood on this page when the list was begun may come in the next round; that is
        # tried once.
        resumed, self._resumed = self._resumed, False
        if failed or not resumed:
            return False
        start, limit = self._resolved.options.start, self._resolved.options.limit
        return self._positions.lacks(start, start + (limit or LAST_PLACE), hits)

    def whole(
        self,
        hits: Sequence[Hit],
        reports: tuple[SourceReport, ...],
        seconds: float,
        *,
        over: bool = True,
    ) -> Answer:
        """The answer with all hits, as if the page were the whole list. `over`: whether the search
        is over; before that it is not known where the list goes on.
        """
        counts = self._dedup.counts
        goes_on = over and any(report.more for report in reports)
        return Answer(
            query=self._resolved.text,
            complete=not any(report.failed or report.status == "running" for report in reports),
            counts=counts,
            hits=tuple(hits),
            sources=reports,
            seconds=round(seconds, 4),
            merge_seconds=round(self._watch.seconds, 4),
            dedup=self._resolved.strategy.name,
            sort=self._sort,
            paging=Paging(
                next=NextPage(self._positions.covered(self._rounds)) if goes_on else None
            ),
            totals=totals(counts, reports),
            notes=tuple(dict.fromkeys(self._notes)),
        )

    def _arranging(self, seated: dict[int, Hit], fresh: int) -> Generator[None, None, list[Hit]]:
        """The hits by place, each with its place as its rank; `fresh` of them are ranked already.
        Yields after each stretch.
        """
        if fresh < len(seated):
            again = yield from self._ranking.ranking(seated.values())
            ranked = {hit.id: hit for hit in again}
            seated = {place: ranked[hit.id] for place, hit in seated.items()}
        return [
            hit if hit.rank == place + 1 else replace(hit, rank=place + 1)
            for place, hit in sorted(seated.items())
        ]


def counting(counts: FacetCounts, hits: Sequence[Hit]) -> Iterator[None]:
    """Have the facets of hits counted ahead of `FacetCounts.count`; yields after each stretch."""
    for some in stretches(hits):
        counts.add(some)
        yield
