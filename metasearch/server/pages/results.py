"""The result page: how the search fared, the works, and the links around the list; and what of the
page has changed since it was sent last.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

from markupsafe import Markup

from metasearch.engine.facets import parse_filters
from metasearch.engine.pages import sources_with_more
from metasearch.engine.resolve import is_filter_note
from metasearch.errors import MetasearchError
from metasearch.events import Answer, SourceReport
from metasearch.formats import WRITABLE
from metasearch.formats.citations import STYLES
from metasearch.formats.failures import alike
from metasearch.formats.text import line
from metasearch.language import ReaderLanguage
from metasearch.query import read
from metasearch.record import Hit
from metasearch.server.pages.environment import (
    FAILED_LOOK,
    SORT_WORDS,
    STATUS_LOOKS,
    STATUS_WORDS,
    macro,
)
from metasearch.server.pages.facets_panel import Panel, PanelMaker
from metasearch.server.pages.hit import Marker, hit_view, work_address
from metasearch.server.pages.page import SearchForm, page
from metasearch.server.parameters import is_for_programs
from metasearch.server.visit import SIZES, Visit

if TYPE_CHECKING:
    from metasearch.server.pages.metadata import Resolver


# The links around a list: its order, its pages, their size, and the list in other formats.

#: Formats that the page links to, with the words of the link.
EXPORTS = (
    ("ris", "RIS"),
    ("bibtex", "BibTeX"),
    ("csv", "CSV"),
    ("json", "JSON"),
    ("atom", "Atom"),
)
#: Orders that the page offers; another one that holds is shown, too.
_SORTS = ("relevance", "date", "citations", "title")
#: Pages that are linked to on each side of this one.
_AROUND = 2

#: Parameters that change -> the local address of the same search with them; None drops one.
Address = Callable[..., str]


@dataclass(frozen=True, slots=True)
class ResultLink:
    """A link that the page offers.

    Attributes:
        text: To be translated, where it is no number and no name.
        address: "" where it is what is shown now.
        media_type: Of the target; "" for a page.
    """

    text: str
    address: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """The links to the pages of the list.

    Attributes:
        numbers: Each with the number as its text; None where some are left out.
        before, after: Addresses of the pages beside this one; "" for none.
        ends: Whether the list is known to end with the last number.
    """

    numbers: Sequence[ResultLink | None]
    before: str
    after: str
    ends: bool


def sort_links(sort: str, address: Address) -> list[ResultLink]:
    """The orders; the one that holds has no address."""
    offered = _SORTS if sort in _SORTS else (*_SORTS, sort)
    words: Mapping[Any, str] = SORT_WORDS
    return [
        ResultLink(
            words[name],
            "" if name == sort else address(sort=None if name == "relevance" else name, start=None),
        )
        for name in offered
    ]


def size_links(size: int, address: Address) -> list[ResultLink]:
    """The sizes of a page; the one that holds has no address."""
    return [
        ResultLink(str(each), "" if each == size else address(count=each, start=None))
        for each in SIZES
    ]


def exports(address: Address) -> list[ResultLink]:
    """The whole list in other formats."""
    return [
        ResultLink(text, address(format=name, start=None, count=None), WRITABLE[name].media_type)
        for name, text in EXPORTS
    ]


def page_numbers(answer: Answer, size: int, address: Address) -> PageNumbers | None:
    """The links to the pages; None for a list of one page."""
    start = answer.paging.start
    here, behind = start // size, bool(start % size)
    known = max(answer.passing, start + len(answer.hits))
    last = max(here, -(-known // size) - 1)
    goes_on = answer.paging.next is not None and answer.paging.next.start >= known
    if last == 0 and not goes_on and not start:
        return None

    def page_address(number: int) -> str:
        return address(start=number * size or None)

    shown = sorted({0, last, *range(max(0, here - _AROUND), min(last, here + _AROUND) + 1)})
    numbers: list[ResultLink | None] = []
    for place, number in enumerate(shown):
        if place and number > shown[place - 1] + 1:
            numbers.append(None)
        is_here = number == here and not behind
        numbers.append(ResultLink(str(number + 1), "" if is_here else page_address(number)))
    following = answer.paging.next
    return PageNumbers(
        numbers,
        address(start=max(0, start - size) or None) if start else "",
        address(start=following.start) if following is not None else "",
        not goes_on,
    )


def deeper(answer: Answer, address: Address) -> ResultLink | None:
    """The link to a longer list; None where no source has more, or no more can be asked for."""
    if not sources_with_more(answer):
        return None
    received = max(report.count + report.filtered + report.unread for report in answer.sources)
    number = next((number for number in (100, 500, 1000) if number >= 2 * received), None)
    return ResultLink(str(number), address(start=None, per_source=number)) if number else None


#: Sources that are named of a group that failed for one reason.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """A source of the answer. `status`: in words, to be translated. `look`: (name of the icon,
    class) of the status.
    """

    label: str
    status: str
    look: tuple[str, str]
    report: SourceReport


@dataclass(frozen=True, slots=True)
class Failure:
    """Sources that failed for one reason.

    Attributes:
        labels: The first ones.
        status: In words, to be translated.
        error: The sentence of the core; "" for none.
    """

    labels: Sequence[str]
    more: int
    status: str
    error: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What was found so far.

    Attributes:
        status: The progress in one sentence.
        ended, asked: Sources; the first with those that failed.
        running: Labels of those that are still being asked.
        none_answered: Whether no source has answered, and none will.
    """

    status: str
    ended: int
    asked: int
    running: Sequence[str]
    failures: Sequence[Failure]
    rows: Sequence[SourceOutcome]
    none_answered: bool


def summary(answer: Answer, label: Callable[[str], str], language: ReaderLanguage) -> Summary:
    reports = answer.sources
    failed = [report for report in reports if report.failed]
    return Summary(
        status=_status(answer, language),
        ended=sum(report.status != "running" for report in reports),
        asked=len(reports),
        running=[label(name) for name in answer.running],
        failures=[_failure(group, label) for group in alike(failed)],
        rows=[_row(report, label(report.source)) for report in reports],
        none_answered=bool(failed)
        and not answer.running
        and not any(report.answered or report.count for report in reports),
    )


def _status(answer: Answer, language: ReaderLanguage) -> str:
    counts, asked = answer.counts, len(answer.sources)
    number, ngettext = language.number, language.ngettext
    # Each number has its own noun, since a sentence can be plural in one and singular in another.
    works = ngettext("%(works)s work", "%(works)s works", counts.unique)
    records = ngettext("%(records)s record", "%(records)s records", counts.received)
    passing = ngettext(
        "%(passing)s passes the filters", "%(passing)s pass the filters", answer.passing
    )
    values = {
        "answered": number(sum(report.answered for report in answer.sources)),
        "asked": number(asked),
        "works": works % {"works": number(counts.unique)},
        "records": records % {"records": number(counts.received)},
        "passing": passing % {"passing": number(answer.passing)},
    }
    if answer.running:
        text = ngettext(
            "%(answered)s of %(asked)s database has answered: %(works)s so far.",
            "%(answered)s of %(asked)s databases have answered: %(works)s so far.",
            asked,
        )
    elif answer.filter:
        text = ngettext(
            "%(answered)s of %(asked)s database has answered: %(works)s from %(records)s; "
            "%(passing)s.",
            "%(answered)s of %(asked)s databases have answered: %(works)s from %(records)s; "
            "%(passing)s.",
            asked,
        )
    else:
        text = ngettext(
            "%(answered)s of %(asked)s database has answered: %(works)s from %(records)s.",
            "%(answered)s of %(asked)s databases have answered: %(works)s from %(records)s.",
            asked,
        )
    return text % values


def _failure(group: Sequence[SourceReport], label: Callable[[str], str]) -> Failure:
    first = group[0]
    labels = [label(report.source) for report in group]
    return Failure(
        labels[:_NAMED],
        max(0, len(labels) - _NAMED),
        STATUS_WORDS.get(first.status, first.status),
        first.error.message if first.error else "",
    )


def _row(report: SourceReport, label: str) -> SourceOutcome:
    status = report.status
    look = STATUS_LOOKS.get(status, FAILED_LOOK)
    return SourceOutcome(label, STATUS_WORDS.get(status, status), look, report)


# The result page: what was found so far, the panel that narrows it, and the works.

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
        return line(self.labels.get(source, source))

    def address(self, **changes: str | int | None) -> str:
        """The local address of the same search with other parameters; None removes one."""
        parameters = {**self.parameters, "format": "html", **changes}
        kept = {name: value for name, value in parameters.items() if value is not None}
        return self.visit.site.path("/search", **kept)

    @cached_property
    def summary(self) -> Summary:
        return summary(self.answer, self.label, self.visit.language)

    @cached_property
    def panel(self) -> Panel:
        filters = parse_filters(self.answer.filter).filters

        def address_with(written: str) -> str:
            return self.address(start=None, filter=written or None)

        given = {**self.parameters, "format": "html"}
        kept = {name: value for name, value in given.items() if name not in ("start", "filter")}
        maker = PanelMaker(filters, address_with, self.label, self.visit.language)
        return maker.panel(self.answer.facets, kept)

    def card(self, hit: Hit) -> Markup:
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
            "pages": None if running else page_numbers(answer, self.size, self.address),
            "deeper": None if running else deeper(answer, self.address),
            "exports": exports(self.address),
            "save": self.save,
            "reload": self.address(),
            "wait_for_all": self.address(wait=60),
            "notes": [
                note for note in answer.notes if not (is_filter_note(note) or is_for_programs(note))
            ],
            "chips": self.panel.chips,
            "clear": self.panel.clear,
            "nothing": self._reason_for_none(),
        }

    def _reason_for_none(self) -> str:
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
        SearchForm(query, hidden),
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


# What of a result page has changed since it was sent last, as the script of the page reads it. The
# first state that is sent is whole, so that a reader who comes back needs no memory of ours; the
# script passes over what it has already.

#: Works of one event: as many as a browser can read in at a stretch.
AT_ONCE = 20


class Differences:
    """Turns the states of one page into events for one reader."""

    def __init__(self, seen: frozenset[str] = frozenset()) -> None:
        self._seen = seen
        self._hits: dict[str, Hit] = {}
        self._parts: dict[str, str] = {}
        self._panel: tuple[str, ...] = ()
        self._counts: dict[str, str] = {}

    def events(self, results: Results) -> Iterator[tuple[str, dict[str, Any]]]:
        """(name, data) of each event for a state; the last one is "page"."""
        answer = results.answer
        done = not answer.running
        cards = self._cards(results, done=done)
        while len(cards) > AT_ONCE:
            yield "cards", {"cards": cards[:AT_ONCE]}
            cards = cards[AT_ONCE:]
        summary = results.summary
        yield (
            "page",
            {
                "status": summary.status,
                "answered": summary.ended,
                "asked": summary.asked,
                "start": answer.paging.start,
                "parts": self._changed_parts(results),
                **self._facets(results, done=done),
                "cards": cards,
                "order": [hit.id for hit in answer.hits],
                "done": done,
            },
        )

    def _cards(self, results: Results, *, done: bool) -> list[tuple[str, str]]:
        """(id, HTML) of the works whose cards have changed."""
        cards = []
        for hit in results.answer.hits:
            known = self._hits.get(hit.id)
            if known is not None and _shows_same(known, hit, done=done):
                continue
            card = results.card(hit)
            if known is not None or mark(card) not in self._seen:
                cards.append((hit.id, str(card)))
        self._hits = {hit.id: hit for hit in results.answer.hits}
        return cards

    def _changed_parts(self, results: Results) -> dict[str, str]:
        around = results.around()
        answer, summary = around["answer"], around["summary"]
        made = partial(macro, language=results.visit.language)
        parts = {
            "heading": made("_list.html", "heading")(answer, around["query"]),
            "failures": made("_databases.html", "failures")(
                summary.failures, summary.none_answered, around["reload"]
            ),
            "database-rows": made("_databases.html", "rows")(summary.rows),
            "about": made("_list.html", "about")(answer),
            "pages": made("_list.html", "pager")(around["pages"], around["deeper"]),
            "nothing": made("_list.html", "nothing")(around["nothing"], answer),
        }
        texts = {name: str(part).strip() for name, part in parts.items()}
        changed = {name: text for name, text in texts.items() if self._parts.get(name) != text}
        self._parts = texts
        return changed

    def _facets(self, results: Results, *, done: bool) -> dict[str, Any]:
        """The counts that have changed; the whole panel where it has other values, or is final."""
        panel = results.panel
        number = results.visit.language.number
        words = macro("_facets.html", "counted", results.visit.language)(panel, not done)
        counts = {name: number(count) for name, count in panel.counts() if name}
        names = tuple(counts)
        counts["counted"] = str(words).strip()
        changed = {name: count for name, count in counts.items() if self._counts.get(name) != count}
        self._counts = counts
        sent: dict[str, Any] = {"counts": changed}
        if done or names != self._panel:
            self._panel = names
            fields = macro("_facets.html", "fields", results.visit.language)
            sent["facets"] = str(fields(panel, not done, panel.clear)).strip()
        return sent


def _shows_same(left: Hit, right: Hit, *, done: bool) -> bool:
    """Whether two states of a hit look alike; while the search runs, its score may be behind."""
    same = left.record == right.record and left.records == right.records
    if not done:
        return same
    return same and (left.score, left.reasons, left.rank) == (
        right.score,
        right.reasons,
        right.rank,
    )
