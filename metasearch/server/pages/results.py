"""The result page: what was found so far, the panel that narrows it, and the works."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

from markupsafe import Markup

from metasearch.engine.resolved import is_filter_note
from metasearch.errors import MetasearchError
from metasearch.events import Answer
from metasearch.formats.citations.styles import STYLES
from metasearch.formats.text import line
from metasearch.listing.filters import parse_filters
from metasearch.query import read
from metasearch.record import Hit
from metasearch.server.pages.environment import macro
from metasearch.server.pages.facets_panel import Panel, PanelMaker
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.list_links import deeper, exports, pages, size_links, sort_links
from metasearch.server.pages.marking import Marker
from metasearch.server.pages.page import Form, page
from metasearch.server.pages.summary import Summary, summary
from metasearch.server.pages.work_links import work_address
from metasearch.server.visit import Visit

if TYPE_CHECKING:
    from metasearch.server.pages.coins import Resolver

#: Parameters that a new search from the form of the head does not repeat.
_NOT_REPEATED = frozenset({"q", "start", "filter"})
#: Cards whose marks an address has; of more, all are sent again.
_MOST_MARKS = 100


@dataclass(frozen=True)
class Results:
    """What a result page is made from.

    Attributes:
        parameters: Of the search as the address names them, without `format`.
        updates: Address of the stream that continues a search that is running; "" for none.
        save: Address of the form that saves the search; "" where it cannot be saved.
    """

    visit: Visit
    answer: Answer
    labels: Mapping[str, str]
    parameters: Mapping[str, str | int]
    size: int
    updates: str = ""
    resolver: Resolver | None = None
    marker: Marker = field(default_factory=lambda: Marker(None))
    save: str = ""

    def label(self, source: str) -> str:
        """What people call a source."""
        return line(self.labels.get(source, source))

    def address(self, **changes: str | int | None) -> str:
        """The local address of the same search with other parameters; None removes one."""
        parameters = {**self.parameters, "format": "html", **changes}
        kept = {name: value for name, value in parameters.items() if value is not None}
        return self.visit.site.path("/search", **kept)

    @cached_property
    def summary(self) -> Summary:
        """The head of the page."""
        return summary(self.answer, self.label, self.visit.language)

    @cached_property
    def panel(self) -> Panel:
        """The panel of the facets."""
        filters = parse_filters(self.answer.filter).filters

        def narrowed(written: str) -> str:
            return self.address(start=None, filter=written or None)

        given = {**self.parameters, "format": "html"}
        kept = {name: value for name, value in given.items() if name not in ("start", "filter")}
        maker = PanelMaker(filters, narrowed, self.label, self.visit.language)
        return maker.panel(self.answer.facets, kept)

    def card(self, hit: Hit) -> Markup:
        """The HTML of a work of the list."""
        visit = self.visit
        view = hit_view(
            hit,
            self.labels,
            visit.site.base,
            page=work_address(visit.site, hit.id, self.parameters),
            resolver=self.resolver,
            marker=self.marker,
        )
        today = dt.datetime.now(dt.UTC).date()
        citation = STYLES[visit.style].citation(hit.record, today)
        return macro("_hit.html", "article", visit.language)(view, citation)

    def around(self) -> dict[str, Any]:
        """What the template uses besides the works."""
        answer = self.answer
        running = bool(answer.running)
        return {
            "answer": answer,
            "query": str(self.parameters.get("q", "")),
            "summary": self.summary,
            "running": running,
            "sorts": sort_links(answer.sort, self.address),
            "sizes": size_links(self.size, self.address),
            "pages": None if running else pages(answer, self.size, self.address),
            "deeper": None if running else deeper(answer, self.address),
            "exports": exports(self.address),
            "save": self.save,
            "reload": self.address(),
            "wait_for_all": self.address(wait=60),
            "notes": [note for note in answer.notes if not is_filter_note(note)],
            "chips": self.panel.chips,
            "clear": self.panel.clear,
            "nothing": self._nothing_found(),
        }

    def _nothing_found(self) -> str:
        """Why the list is empty, to be translated; "" where it is not."""
        answer = self.answer
        if answer.hits:
            return ""
        if answer.running:
            return "running"
        if answer.paging.start and answer.counts.unique:
            return "end"
        if answer.filter and answer.counts.unique:
            return "filters"
        if any(report.answered for report in answer.sources):
            return "none"
        return "failed" if any(report.failed for report in answer.sources) else "not asked"


@lru_cache(maxsize=32)  # a page that is brought up to date has the same query again and again
def query_marker(text: str) -> Marker:
    """The marker of a query in normal spelling; it marks nothing where that is unreadable."""
    try:
        return Marker(read(text, syntax="simple").query)
    except MetasearchError:
        return Marker(None)


def results_page(results: Results) -> str:
    """The whole page."""
    visit = results.visit
    query = str(results.parameters.get("q", ""))
    hidden = [
        (name, str(value))
        for name, value in results.parameters.items()
        if name not in _NOT_REPEATED
    ]
    cards = [results.card(hit) for hit in results.answer.hits]
    return page(
        "results.html",
        visit,
        query,
        Form(query, hidden),
        panel=results.panel,
        cards=cards,
        updates=_with_marks(results.updates, cards),
        search=visit.site.path("", **results.parameters).removeprefix(visit.site.root)[1:],
        back=results.address(),
        **results.around(),
    )


def mark(card: str) -> str:
    """A short name of the HTML of a card: a reader who has it is not sent it again."""
    return f"{crc32(card.encode()):x}"


def _with_marks(updates: str, cards: Sequence[str]) -> str:
    """The address of the stream, with the marks of the cards that the page has."""
    if not updates or not cards or len(cards) > _MOST_MARKS:
        return updates
    return f"{updates}&seen={'.'.join(map(mark, cards))}"
