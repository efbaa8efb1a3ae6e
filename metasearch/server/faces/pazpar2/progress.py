"""The state of a session's search: the list so far, the sources' reports, and who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from metasearch.events import (
    Added,
    Answer,
    Facet,
    FacetsChanged,
    Finished,
    Grown,
    Joined,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.listing.sort import Sort
from metasearch.record import Hit
from metasearch.server.faces.pazpar2.sorting import SortKey


class Progress:
    """What the events of a search have reported so far.

    Attributes:
        facets: By name; none until they are counted.
        answer: None until the search has finished.
        over: Whether no more will come: the search has finished, failed, or was stopped.
        failed: Whether it ended by an error of ours.
        keys: The order that was shown last.
        version: Grows with each event; what was computed of an earlier one is old.
    """

    def __init__(self, sort: Sort = "relevance") -> None:
        self.sort = sort
        self.reports: dict[str, SourceReport] = {}
        self.facets: dict[str, Facet] = {}
        self.answer: Answer | None = None
        self.over = False
        self.failed = False
        self._hits: dict[str, Hit] = {}
        self._order: tuple[str, ...] | None = None
        self._renamed: dict[str, str] = {}
        self._changed = asyncio.Event()
        self.keys: tuple[SortKey, ...] = (SortKey(sort),)
        self.version = 0
        #: The list in the order of the search, and in the one that was shown last.
        self._listed: list[Hit] | None = None
        self._ordered: list[Hit] | None = None

    def __len__(self) -> int:
        """Works that are held."""
        return len(self._hits)

    # ---------------------------------------------------------------- events

    def take(self, event: SearchEvent) -> None:
        """Take the next event of the search."""
        match event:
            case Started():
                self.reports = {name: SourceReport(name) for name in event.sources}
            case SourceProgress():
                self.reports[event.report.source] = event.report
            case Added() | Grown():
                self._hits[event.hit.id] = event.hit
            case Joined():
                for name in event.absorbed:
                    self._hits.pop(name, None)
                    self._renamed[name] = event.hit.id
                self._hits[event.hit.id] = event.hit
            case Order():
                self._order = event.ids
            case FacetsChanged():
                self.facets = {facet.name: facet for facet in event.facets.facets}
            case Finished():
                self._finish(event.answer)
        self._wake()

    def _finish(self, answer: Answer) -> None:
        arrived = {name: number for number, name in enumerate(self._hits)}
        hits = sorted(answer.hits, key=lambda hit: arrived.get(hit.id, len(arrived)))
        self._hits = {hit.id: hit for hit in hits}
        self._order = tuple(hit.id for hit in answer.hits)
        self.reports = {report.source: report for report in answer.sources}
        self.answer, self.over = answer, True
        if answer.facets is not None:
            self.facets = {facet.name: facet for facet in answer.facets.facets}

    def end(self, *, failed: bool = False) -> None:
        """Nothing more will come."""
        self.over = True
        self.failed = self.failed or failed
        self._wake()

    def _wake(self) -> None:
        self.version += 1
        self._listed = self._ordered = None
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, ready: Callable[[], bool]) -> None:
        """Wait until `ready`, or until the search is over."""
        while not (self.over or ready()):
            await self._changed.wait()

    # ---------------------------------------------------------------- views

    @property
    def shows_works(self) -> bool:
        """Whether the list has a work."""
        if self._order is None:
            return bool(self._hits)
        return any(self._now(name) in self._hits for name in self._order)

    @property
    def active(self) -> int:
        """Sources that are still asked, 0 only when the list is final: clients stop asking then."""
        if self.over:
            return 0
        return max(1, sum(report.status == "running" for report in self.reports.values()))

    @property
    def total(self) -> int:
        """Records that the sources hold; of a source that sends no total, those that came."""
        return sum(claimed(report) for report in self.reports.values())

    def listed(self) -> list[Hit]:
        """The works so far in the order of the search."""
        if self._listed is None:
            order = self._hits if self._order is None else map(self._now, self._order)
            self._listed = [self._hits[name] for name in dict.fromkeys(order) if name in self._hits]
        return self._listed

    def arrival(self) -> Mapping[str, int]:
        """Id of a work -> number of its arrival."""
        return {name: place for place, name in enumerate(self._hits)}

    def known(self, keys: tuple[SortKey, ...]) -> list[Hit] | None:
        """The works so far in an order, where this needs no sorting; None where it does."""
        if keys == (SortKey(self.sort),):
            self.keys = keys
            return self.listed()
        return self._ordered if keys == self.keys else None

    def keep(self, version: int, keys: tuple[SortKey, ...], hits: list[Hit]) -> None:
        """Keep the list of a version in an order: polls ask for the same one again."""
        self.keys = keys
        self._ordered = hits if version == self.version else None

    def lists(self, name: str) -> bool:
        """Whether a work is in the list."""
        now = self._now(name)
        return now in self._hits and self.place(now, self.listed()) is not None

    def place(self, name: str, hits: Sequence[Hit]) -> int | None:
        """The place, from 0, of a work in a list; None where it is not there."""
        name = self._now(name)
        return next((place for place, hit in enumerate(hits) if hit.id == name), None)

    def _now(self, name: str) -> str:
        """The id that a hit has now, of one that it had before more was known of it."""
        for _ in range(len(self._renamed)):
            if name in self._hits or name not in self._renamed:
                break
            name = self._renamed[name]
        return name


def claimed(report: SourceReport) -> int:
    """Records that a source holds for the query."""
    return report.count if report.total is None else max(report.total, report.count)
