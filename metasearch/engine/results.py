"""The merged list of one search while it grows: which hits there are, where they stand, what an
answer shows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

from metasearch.dedup import Chain, Fingerprint, OnlineDedup, Strategy
from metasearch.engine.pages import LAST_PLACE, Positions, PositionStore, totals, window
from metasearch.engine.rank import Ranking
from metasearch.events import Answer, Change, NextPage, Paging, SourceReport
from metasearch.query import Query
from metasearch.record import Hit, Record, VersionsMode

#: Hits that are merged and scored at a stretch: a millisecond's worth.
STRETCH = 40


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for, checked.

    Attributes:
        text: The query in its normal spelling.
        sources: Names of those to ask.
        start: Places of the list before the page.
        limit: Most hits of the page; None for all that are known.
        depth: Records of each source that a round holds.
        reach: Records of each source that all rounds together may hold.
        seconds: Until the answer is given, whoever is missing.
        cache: Whether pages, and the whole answer, may come from a cache.
        chain: The matchers of the strategy, under the pins.
        user: Whoever is to have a fair share of a source that is busy; does not shape the list.
        wait: Seconds until whoever awaits the search gets what is there; None for its end. Does not
            shape the list.
        syntax: That the query was read in; does not shape the list.
        notes: What the text of the query says and `query` does not; they do not shape the list.
        files: Path and time of change of each spec file that was named by its path.
        enrich: Names of those who are asked for the works that the page shows; they do not shape
            the list.
    """

    query: Query
    text: str
    sources: tuple[str, ...]
    start: int
    limit: int | None
    depth: int
    reach: int
    seconds: float
    cache: bool
    versions: VersionsMode
    strategy: Strategy
    chain: Chain
    user: Hashable = None
    wait: float | None = None
    syntax: str = "simple"
    notes: tuple[str, ...] = ()
    enrich: tuple[str, ...] = ()
    files: tuple[tuple[str, float], ...] = ()

    @property
    def places(self) -> int:
        """So many places of the list must be known. The first page takes what the first round
        gives.
        """
        return self.start + (self.limit or 1) if self.start else 0

    @property
    def name(self) -> tuple[Hashable, ...]:
        """Everything that shapes the list, but for what the sources say."""
        return (
            self.text,
            self.sources,
            self.files,
            self.depth,
            self.versions,
            self.strategy.name,
            self.cache,
        )

    def page(self, whole: Answer) -> Answer:
        """The page out of all hits. While a source is still running no place is settled, so no page
        follows yet.
        """
        page = replace(window(whole, self.start, self.limit), syntax=self.syntax, notes=self.notes)
        if page.running:
            return replace(page, paging=replace(page.paging, next=None))
        return page

    def holds(self, other: Wanted) -> bool:
        """Whether the whole answer to this will hold the page of the other one.

        A first page comes from a first page only: a list whose end was asked for holds more than it
        would.
        """
        if not (self.cache and self.name == other.name and other.seconds <= self.seconds):
            return False
        if self.enrich != other.enrich or (
            self.enrich and (self.start, self.limit) != (other.start, other.limit)
        ):
            return False  # who is asked for what the one page shows says nothing of another
        return other.places <= max(self.places, self.depth) if other.start else not self.start


class _Watch:
    """Adds up the seconds that blocks took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += perf_counter() - self._began


class Listing:
    """The list: synchronous, owned by one task.

    Args:
        wanted: What is asked for.
        weights: Of the sources.
        position_store: Where lists are remembered from search to search.
    """

    def __init__(
        self, wanted: Wanted, weights: Mapping[str, float], position_store: PositionStore
    ) -> None:
        self._wanted = wanted
        self._position_store = position_store
        self._dedup = OnlineDedup(wanted.chain, weights, wanted.versions)
        self._ranking = Ranking(wanted.query, weights)
        self._positions = Positions()
        self._rounds = 0
        self._resumed = False  # whether the list was begun by an earlier search
        self._watch = _Watch()  # for merging and ranking

    def insert(self, found: Iterable[tuple[Record, Fingerprint]]) -> None:
        """Take in records."""
        with self._watch:
            for record, print_ in found:
                self._dedup.insert(record, print_)

    def preparing(self) -> Iterator[None]:
        """Merge and score what is new, ahead of `settle`; yields after each stretch of that."""
        making = self._dedup.making()
        while self._scored(islice(making, STRETCH)) == STRETCH:
            yield

    def _scored(self, hits: Iterable[Hit]) -> int:
        with self._watch:
            return sum(1 for _ in map(self._ranking.score, hits))

    def changes(self) -> list[Change]:
        """What happened to the hits since the last call."""
        with self._watch:
            return self._dedup.changes()

    def hits(self) -> list[Hit]:
        """The list as it would be if no more came: who has a place keeps it, the others follow by
        rank.
        """
        positions = self._positions
        if (
            self._wanted.start and not self._rounds
        ):  # what was shown before this page has its places already
            positions = self._position_store.get(self._wanted.name) or positions
        seated, fresh = positions.seat(self._dedup.making())
        return self._arranged(
            seated | dict(enumerate(self._ranking.ranked(fresh), len(positions))), len(fresh)
        )

    def order(self) -> list[str]:
        """The ids of that list."""
        with self._watch:
            seated, fresh = self._positions.seat(self._dedup.making())
            return [seated[place].id for place in sorted(seated)] + self._ranking.ids(fresh)

    def settle(self) -> list[Hit]:
        """The list, once a round is read: all that is new gets its place behind all that has one.

        This is one step for the loop, so searches for pages of one list write its places one after
        the other.
        """
        wanted, position_store = self._wanted, self._position_store
        with self._watch:
            if wanted.start:
                known = position_store.get(wanted.name)
                self._resumed = known is not None if self._rounds == 0 else self._resumed
                self._positions = known or self._positions
            seated, fresh = self._positions.seat(self._dedup.making())
            # The first round has as many places as it has records: whoever counts on by pages loses
            # nothing then.
            least = 0 if self._rounds else wanted.depth
            self._positions.settle(self._rounds, seated, self._ranking.ranked(fresh), least)
            self._rounds += 1
            if wanted.start:
                position_store.keep(wanted.name, self._positions)
            else:
                position_store.begin(wanted.name, self._positions)
            return self._arranged(seated, len(fresh))

    def reaches(self) -> bool:
        """Whether all places of the page are known."""
        return self._positions.covered(self._rounds) >= self._wanted.places

    def slid(self, hits: Sequence[Hit]) -> bool:
        """Whether what stood on this page when the list was begun is missing; it may be in the next
        round then.

        That is tried once: at the second call nothing is missing.
        """
        resumed, self._resumed = self._resumed, False
        end = self._wanted.start + (self._wanted.limit or LAST_PLACE)
        return resumed and self._positions.lacks(self._wanted.start, end, hits)

    def whole(
        self,
        hits: Sequence[Hit],
        reports: tuple[SourceReport, ...],
        seconds: float,
        *,
        over: bool = True,
    ) -> Answer:
        """The answer with all hits, as if the page were the whole list.

        Args:
            hits: The list.
            reports: How the sources fared.
            seconds: Wall time of the search.
            over: Whether the search is; before that nobody knows where the list goes on.
        """
        counts = self._dedup.counts
        goes_on = over and any(report.more for report in reports)
        return Answer(
            query=self._wanted.text,
            complete=not any(report.failed or report.status == "running" for report in reports),
            counts=counts,
            hits=tuple(hits),
            sources=reports,
            seconds=round(seconds, 4),
            merge_seconds=round(self._watch.seconds, 4),
            dedup=self._wanted.strategy.name,
            paging=Paging(
                next=NextPage(self._positions.covered(self._rounds)) if goes_on else None
            ),
            totals=totals(counts, reports),
        )

    def _arranged(self, seated: dict[int, Hit], fresh: int) -> list[Hit]:
        """The hits by place, each with its place as its rank; `fresh` of them are ranked
        already.
        """
        if fresh < len(seated):
            ranked = {hit.id: hit for hit in self._ranking.ranked(seated.values())}
            seated = {place: ranked[hit.id] for place, hit in seated.items()}
        return [
            hit if hit.rank == place + 1 else replace(hit, rank=place + 1)
            for place, hit in sorted(seated.items())
        ]
