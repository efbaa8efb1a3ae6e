"""The result page: every hit with its origin, and every source with its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metasearch.engine.pages import held_back
from metasearch.events import Answer, SourceReport
from metasearch.formats import WRITABLE
from metasearch.formats.failures import NAMED_FIRST, alike, as_line
from metasearch.formats.text import line
from metasearch.server.pages.environment import many
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.narrowing import Narrowing
from metasearch.server.pages.page import Form, page
from metasearch.server.pages.work_links import work_address
from metasearch.server.site import Site
from metasearch.server.sources import SourceView
from metasearch.server.visit import Visit

if TYPE_CHECKING:
    from metasearch.server.pages.coins import Resolver

#: Seconds after which a page that lacks sources asks for itself again.
REFRESH = 2

#: What a status means, for people.
STATUS_WORDS: Mapping[str, str] = {
    "running": "still running",
    "ok": "answered",
    "empty": "nothing found",
    "timeout": "timed out",
    "error": "failed",
    "limited": "rate limit reached",
    "blocked": "blocked this server",
    "drifted": "unknown answer format",
    "late": "not read in time",
    "skipped": "not asked",
}
#: Formats that the page links to, with the words of the link.
EXPORTS = (
    ("ris", "RIS"),
    ("bibtex", "BibTeX"),
    ("csv", "CSV"),
    ("json", "JSON"),
    ("atom", "Atom feed"),
)


@dataclass(frozen=True, slots=True)
class Results:
    """What a result page is made from.

    Attributes:
        labels: Source name -> what people call it.
        parameters: Of the search, without `format`, for links to it in other formats.
        resolver: The library's link resolver; None for none.
    """

    answer: Answer
    form: Form
    labels: Mapping[str, str]
    parameters: Mapping[str, str | int]
    resolver: Resolver | None = None

    def label(self, source: str) -> str:
        """What people call a source."""
        return self.labels.get(source, source)

    def address(self, site: Site, **changes: str | int | None) -> str:
        """The local address of the same search with other parameters, without those that are
        None.
        """
        parameters = {**self.parameters, **changes}
        kept = {name: value for name, value in parameters.items() if value is not None}
        return site.path("/search", **kept)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that the page offers.

    Attributes:
        rel: How the target relates to this page; "" for nothing special.
        media_type: Of the target; "" for a page.
    """

    text: str
    address: str
    rel: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Why an answer is incomplete.

    Attributes:
        reasons: A line for each group of equal failures; empty where no source has failed.
        some_answered: Whether any source has answered or may still answer.
    """

    reasons: Sequence[str]
    some_answered: bool


@dataclass(frozen=True, slots=True)
class ReportView:
    """A source of the answer, as text for people.

    Attributes:
        css_class: "good", "off" or "bad".
        numbers: Records, seconds, and whether they come from the cache.
        open: Whether its details are shown without a click.
    """

    label: str
    status: str
    css_class: str
    numbers: str
    query: str
    notes: Sequence[str]
    error: str
    advice: str
    open: bool


def results_page(visit: Visit, results: Results, sources: Sequence[SourceView]) -> str:
    """The whole page."""
    answer, site = results.answer, visit.site

    def narrowed(filters: str) -> str:
        return results.address(site, start=None, filter=filters or None, format="html")

    narrowing = Narrowing(answer.filter, narrowed, results.label)
    return page(
        "results.html",
        visit,
        results.form.query,
        results.form,
        answer=answer,
        refresh=REFRESH,
        chips=narrowing.chips(),
        facets=narrowing.facets(answer.facets),
        summary=_summary(answer),
        expected=_expected(answer),
        incomplete=_incomplete(results),
        running=[results.label(name) for name in answer.running],
        reload=results.address(site, start=answer.paging.start, format="html"),
        hits=[
            hit_view(
                hit,
                results.labels,
                site.base,
                page=work_address(site, hit.id, results.parameters),
                resolver=results.resolver,
            )
            for hit in answer.hits
        ],
        nothing_found=_nothing_found(answer),
        pager=_pager(site, results),
        exports=[
            Link(text, results.address(site, format=name), media_type=WRITABLE[name].media_type)
            for name, text in EXPORTS
        ],
        reports=_reports(results),
    )


def _summary(answer: Answer) -> str:
    counts = answer.counts
    answered = sum(report.answered for report in answer.sources)
    listed = answer.passing
    shown = f"{len(answer.hits)} of " if len(answer.hits) < listed else ""
    if shown and answer.hits and answer.paging.start:
        shown = f"{answer.hits[0].rank} to {answer.hits[-1].rank} of "
    if answer.filter:
        shown += f"{listed:,} that pass the filters, of "
    return (
        f"{shown}{many(counts.unique, 'work')} from {many(counts.received, 'record')}, "
        f"{many(counts.duplicates, 'duplicate')} merged; "
        f"{answered} of {many(len(answer.sources), 'source')} answered in {answer.seconds:.1f} s."
    )


def _expected(answer: Answer) -> str:
    """How many works there may be in all; "" where there are no more than were received."""
    totals = answer.totals
    if totals is None or answer.expected <= answer.passing:
        return ""
    most = f", at most {totals.most:,}" if totals.most is not None else ""
    uncertain = "" if totals.reliable else " (uncertain)"
    return (
        f"About {answer.expected:,} works in all{uncertain}, at least {totals.least:,}{most}: "
        f"{line(totals.basis)}."
    )


def _nothing_found(answer: Answer) -> str:
    if answer.running:
        return "No work has arrived yet."
    further = "; further pages may have some" if answer.paging.next is not None else ""
    if answer.paging.start and further:
        return f"No work on this page passes the filters{further}."
    if answer.paging.start and answer.counts.unique:
        return f"The list ends before place {answer.paging.start + 1}."
    if answer.filter and answer.counts.unique:
        works = many(answer.counts.unique, "work")
        return f"None of the {works} received passes the filters{further}."
    if any(report.answered for report in answer.sources):
        return "The sources that answered have no work for this query."
    if any(report.failed for report in answer.sources):
        return "No source answered."
    return "No source could be asked."


def _pager(site: Site, results: Results) -> list[Link]:
    """Links to the page before this one, to the next one, and to a longer list."""
    paging = results.answer.paging
    before = max(0, paging.start - paging.count) if paging.count else 0
    links = []
    if paging.start:
        links.append(
            Link(
                "Previous works" if before else "First works",
                results.address(site, start=before, format="html"),
                rel="prev" if before else "first",
            )
        )
    if paging.next is not None:
        address = results.address(site, start=paging.next.start, format="html")
        links.append(Link("More works", address, rel="next"))
    deeper = _deeper(results.answer) if held_back(results.answer) else None
    if deeper is not None:
        address = results.address(site, start=0, per_source=deeper, format="html")
        links.append(Link(f"Ask each source for {deeper} records", address))
    return links


def _deeper(answer: Answer) -> int | None:
    """Records of each source for a longer list, a round number; None where no more can be asked
    for.
    """
    received = max(report.count + report.filtered + report.unread for report in answer.sources)
    return next((number for number in (100, 500, 1000) if number >= 2 * received), None)


def _incomplete(results: Results) -> Incomplete | None:
    answer = results.answer
    failed = [report for report in answer.sources if report.failed]
    if answer.complete or (answer.running and not failed):
        return None
    some_answered = any(
        report.status in ("ok", "empty", "running") or report.count for report in answer.sources
    )
    reasons = [
        as_line([results.label(report.source) for report in group], _why(group[0]))
        for group in alike(failed)
    ]
    return Incomplete(reasons, some_answered)


def _why(report: SourceReport) -> str:
    words = STATUS_WORDS.get(report.status, report.status)
    return f"{words} ({line(str(report.error))})" if report.error else words


def _reports(results: Results) -> list[ReportView]:
    reports = results.answer.sources
    # The reason that many sources share stands above the hits, and is not repeated for each.
    explained = {
        report.source for group in alike(reports) if len(group) > NAMED_FIRST for report in group
    }
    return [
        _report_view(report, results.label(report.source), explained=report.source in explained)
        for report in reports
    ]


def _report_view(report: SourceReport, label: str, *, explained: bool) -> ReportView:
    answered = report.answered
    pending = report.status in ("skipped", "running")
    total = f" of {report.total:,}" if report.total is not None else ""
    cached = ", cached" if report.cached else ""
    error = report.error
    return ReportView(
        label=label,
        status=STATUS_WORDS.get(report.status, report.status),
        css_class="good" if answered else "off" if pending else "bad",
        numbers=f"{report.count}{total}, {report.seconds:.2f} s{cached}"
        if report.count or answered
        else "",
        query=line(report.query),
        notes=[line(note) for note in report.notes],
        error=line(str(error)) if error else "",
        advice=line(error.advice) if error else "",
        open=not explained and not answered and report.status != "running",
    )
