"""The result page: every hit with where it came from, and every source with how it fared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.engine.pages import held_back
from metasearch.events import Answer, SourceReport
from metasearch.formats import FORMATS
from metasearch.formats.failures import NAMED_FIRST, alike, as_line
from metasearch.formats.reference import doi_url, field_sources, full_title
from metasearch.formats.text import line, web_url
from metasearch.record import Hit, Record
from metasearch.server import coins
from metasearch.server.markup import Content, Markup, tag
from metasearch.server.page import Form, frame, search_form
from metasearch.server.site import Site
from metasearch.server.sources import SourceView

_AUTHORS_SHOWN = 8
_EXCERPT = 320
#: Seconds after which a page that lacks sources asks for itself again.
REFRESH = 2
_language = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*")

#: What a status means, for people.
STATUS_WORDS: Mapping[str, str] = {
    "running": "still running",
    "ok": "answered",
    "empty": "nothing found",
    "timeout": "too slow",
    "error": "failed",
    "limited": "rate limit",
    "blocked": "blocked us",
    "drifted": "changed its form",
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
    """

    answer: Answer
    form: Form
    labels: Mapping[str, str]
    parameters: Mapping[str, str | int]


def results_page(site: Site, results: Results, sources: Sequence[SourceView]) -> str:
    """The whole page."""
    answer = results.answer
    shown = len(answer.hits)
    return frame(
        site,
        results.form.query,
        search_form(site, sources, results.form),
        tag("h1", "Results for ", tag("q", results.form.query), class_="hidden"),
        tag("p", _summary(answer), class_="summary", role="status"),
        _read_as(answer),
        tag("p", _expected(answer), class_="dim")
        if answer.expected > answer.counts.unique
        else None,
        _incomplete(results),
        _running(site, results),
        tag(
            "div",
            tag(
                "section",
                tag("h2", "Works", id="works", class_="hidden"),
                tag("ol", [_hit(hit, site, results) for hit in answer.hits], class_="hits")
                if shown
                else tag("p", _nothing(answer)),
                _pager(site, results),
                aria_labelledby="works",
            ),
            tag("aside", _exports(site, results), _sources(results)),
            class_="columns",
        ),
        metas={
            "robots": "noindex, nofollow",
            "totalResults": answer.expected,
            "startIndex": answer.paging.start + 1,
            "itemsPerPage": shown,
        },
        refresh=REFRESH if answer.running else None,
    )


def _summary(answer: Answer) -> str:
    counts = answer.counts
    answered = sum(report.status in ("ok", "empty") for report in answer.sources)
    shown = f"{len(answer.hits)} of " if len(answer.hits) < counts.unique else ""
    if shown and answer.hits and answer.paging.start:
        shown = f"{answer.hits[0].rank} to {answer.hits[-1].rank} of "
    return (
        f"{shown}{_many(counts.unique, 'work')} out of {_many(counts.received, 'record')}, "
        f"{_many(counts.duplicates, 'duplicate')} merged; "
        f"{answered} of {_many(len(answer.sources), 'database')} answered in {answer.seconds:.1f} "
        f"s."
    )


def _read_as(answer: Answer) -> Content:
    """How a query in another syntax than ours was understood, and what of it was not."""
    if answer.syntax == "simple" and not answer.notes:
        return None
    said = tag("p", f"Read as {answer.syntax}: ", tag("code", line(answer.query)), class_="dim")
    return [
        said,
        tag("ul", [tag("li", line(note)) for note in answer.notes], class_="dim")
        if answer.notes
        else None,
    ]


def _expected(answer: Answer) -> str:
    it = answer.totals
    assert it is not None
    most = f", {it.most:,} at most" if it.most is not None else ""
    unsure = "" if it.reliable else " (not sure)"
    return (
        f"About {answer.expected:,} works in all{unsure}, {it.least:,} at least{most}: "
        f"{line(it.basis)}."
    )


def _nothing(answer: Answer) -> str:
    if answer.running:
        return "No work has come yet."
    if answer.paging.start and answer.counts.unique:
        return f"The list ends before its place {answer.paging.start + 1}."
    if not any(report.status in ("ok", "empty") for report in answer.sources):
        return (
            "No source answered."
            if any(report.failed for report in answer.sources)
            else "No source could be asked."
        )
    return "No database that answered has a work for this query."


def _pager(site: Site, results: Results) -> Content:
    """Links to the page before this one and to the one that follows, where there are any."""
    paging = results.answer.paging
    following = paging.next
    before = max(0, paging.start - paging.count) if paging.count else 0
    links: list[Content] = []
    if paging.start:
        words = "Previous works" if before else "First works"
        links += [
            tag("a", words, href=_from(before, site, results), rel="prev" if before else "first"),
            " ",
        ]
    if following is not None:
        links.append(tag("a", "More works", href=_from(following.start, site, results), rel="next"))
    if held_back(results.answer) and (deeper := _deeper(results.answer)) is not None:
        address = site.path(
            "/search", **{**results.parameters, "start": 0, "per_source": deeper, "format": "html"}
        )
        links += [
            " " if links else None,
            tag("a", f"Ask each database for {deeper} records", href=address),
        ]
    return tag("nav", links, aria_label="Pages", class_="pager") if links else None


def _deeper(answer: Answer) -> int | None:
    """Records of each source for a longer list, a round number; None where no more can be asked
    for.
    """
    given = max(report.count + report.filtered + report.unread for report in answer.sources)
    return next((number for number in (100, 500, 1000) if number >= 2 * given), None)


def _from(start: int, site: Site, results: Results) -> str:
    return site.path("/search", **{**results.parameters, "start": start, "format": "html"})


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _incomplete(results: Results) -> Content:
    failed = [it for it in results.answer.sources if it.failed]
    if results.answer.complete or (results.answer.running and not failed):
        return None
    some = any(it.status in ("ok", "empty", "running") or it.count for it in results.answer.sources)
    because = "The answer is incomplete because" if some or not failed else "No source answered"
    return tag(
        "div",
        tag("p", tag("strong", because), ":" if failed else " not every source has answered."),
        tag(
            "ul",
            [
                tag("li", as_line([_label(it.source, results) for it in group], _why(group[0])))
                for group in alike(failed)
            ],
        )
        if failed
        else None,
        class_="incomplete",
        role="alert",
    )


def _running(site: Site, results: Results) -> Content:
    """Who is still being asked, with a link for browsers that do not ask again by themselves."""
    running = [_label(name, results) for name in results.answer.running]
    if not running:
        return None
    are = "is" if len(running) == 1 else "are"
    return tag(
        "p",
        f"{_many(len(running), 'database')} {are} still being asked: {', '.join(running)}. ",
        tag(
            "a", "Show what has come since", href=_from(results.answer.paging.start, site, results)
        ),
        class_="notice",
        role="status",
    )


def _why(report: SourceReport) -> str:
    word = STATUS_WORDS.get(report.status, report.status)
    return f"{word} ({line(str(report.error))})" if report.error else word


def _label(source: str, results: Results) -> str:
    return results.labels.get(source, source)


# ------------------------------------------------------------------------------------------ one hit


def _hit(hit: Hit, site: Site, results: Results) -> Markup:
    it = hit.record
    address = doi_url(it.doi) or web_url(it.url)
    title = full_title(it) or "[no title]"
    language = it.language if it.language and _language.fullmatch(it.language) else None
    return tag(
        "li",
        tag(
            "article",
            tag(
                "h3",
                tag("a", title, href=address, lang=language)
                if address
                else tag("span", title, lang=language),
            ),
            _people(it),
            _imprint(it),
            tag("p", _excerpt(it.abstract), class_="abstract", lang=language)
            if it.abstract
            else None,
            tag("p", _badges_of(it), _source_badges(hit, results), _links(it), class_="badges"),
            _explanation(hit, results),
            coins.span(hit, site.base),
        ),
        value=hit.rank or None,
        id=f"hit-{hit.rank}" if hit.rank else None,
    )


def _people(it: Record) -> Content:
    names = [line(author.name) for author in it.authors]
    more = len(names) - _AUTHORS_SHOWN
    if not names:
        return None
    shown = (
        ", ".join(names) if more <= 1 else f"{', '.join(names[:_AUTHORS_SHOWN])} and {more} more"
    )
    return tag("p", shown, class_="authors")


def _imprint(it: Record) -> Content:
    volume = line(it.volume)
    issue = f"({line(it.issue)})" if it.issue else ""
    numbers = f"{volume}{issue}"
    pages = line(it.pages)
    parts = [str(it.year) if it.year is not None else "", numbers, pages and f"p. {pages}"]
    rest = ", ".join(filter(None, parts))
    venue = line(it.venue) or line(it.publisher)
    if not venue and not rest:
        return None
    return tag(
        "p",
        tag("cite", venue) if venue else None,
        ", " if venue and rest else None,
        rest,
        class_="imprint",
    )


def _excerpt(abstract: str) -> str:
    text = line(abstract)
    if len(text) <= _EXCERPT:
        return text
    cut = text[:_EXCERPT]
    # Text without blanks (Chinese, Japanese) is cut where it stands.
    return (cut[: cut.rfind(" ")] if " " in cut[_EXCERPT // 2 :] else cut) + "…"


def _badges_of(it: Record) -> Content:
    """What kind of work it is, whether it may be read freely, and, before all, whether it was
    retracted.
    """
    free = it.open_access not in (None, "closed")
    return [
        tag("strong", "Retracted", class_="retracted") if it.retracted else None,
        tag("span", it.type.replace("-", " "), class_="type") if it.type else None,
        tag("span", "open access", class_="type") if free else None,
    ]


def _source_badges(hit: Hit, results: Results) -> Content:
    ranked = sorted(hit.records, key=lambda record: (record.position or 10**9, record.source))
    badges: list[Content] = []
    for record in ranked:
        label = line(_label(record.source, results))
        shown = f"{label} #{record.position}" if record.position else label
        address = web_url(record.url)
        badges.append(tag("a", shown, href=address) if address else tag("span", shown))
        badges.append(" · ")
    return tag("span", badges[:-1], class_="found") if badges else None


def _links(it: Record) -> Content:
    pdf, doi = web_url(it.pdf_url), doi_url(it.doi)
    return [
        [" ", tag("a", f"doi:{line(it.doi)}", href=doi)] if doi else None,
        [" ", tag("a", "PDF", href=pdf)] if pdf else None,
    ]


def _explanation(hit: Hit, results: Results) -> Markup:
    reasons = [
        tag(
            "li",
            _with_label(line(it.text), it.source, results),
            tag("span", f" {it.points:+.4f}", class_="dim"),
        )
        for it in hit.reasons
    ]
    merged = [
        tag(
            "li",
            f"{line(it.because)} ",
            tag(
                "span", f"({line(it.matcher)}: {line(it.left)} and {line(it.right)})", class_="dim"
            ),
        )
        for it in hit.matches
    ]
    versions = [
        tag("li", f"{line(it.kind)}: {', '.join(line(key) for key in it.records)}")
        for it in hit.versions
    ]
    return tag(
        "details",
        tag("summary", "Why it is here, and where from"),
        _part(f"Score {hit.score:.4f}", reasons),
        _part(f"Why {_many(len(hit.records), 'record')} became one", merged),
        _part("Versions", versions),
        _part(
            "Which source gave what", [tag("li", it) for it in field_sources(hit, results.labels)]
        ),
    )


def _with_label(text: str, source: str | None, results: Results) -> str:
    """A reason that begins with the name of its source ("crossref ranks it 3"), with what people
    call that source.
    """
    return (
        _label(source, results) + text.removeprefix(source)
        if source and text.startswith(f"{source} ")
        else text
    )


def _part(heading: str, items: Sequence[Markup]) -> Content:
    return [tag("h4", heading), tag("ul", items)] if items else None


# ---------------------------------------------------------------------------------- beside the hits


def _exports(site: Site, results: Results) -> Content:
    if not results.answer.hits:
        return None
    links = [
        tag(
            "li",
            tag(
                "a",
                words,
                href=site.path("/search", **{**results.parameters, "format": name}),
                type=FORMATS[name].media_type,
                rel="alternate",
            ),
        )
        for name, words in EXPORTS
    ]
    return tag(
        "nav",
        tag("h2", "Take these along"),
        tag("ul", links),
        aria_label="Exports",
        class_="exports",
    )


def _sources(results: Results) -> Markup:
    # What is told above of all of them lies open here for none.
    many = {
        it.source
        for group in alike(results.answer.sources)
        if len(group) > NAMED_FIRST
        for it in group
    }
    reports = results.answer.sources
    return tag(
        "section",
        tag("h2", "Databases", id="databases"),
        tag(
            "ul",
            [_source(it, results, lies_open=it.source not in many) for it in reports],
            class_="reports",
        ),
        aria_labelledby="databases",
    )


def _source(report: SourceReport, results: Results, *, lies_open: bool) -> Markup:
    good = report.status in ("ok", "empty")
    calm = report.status in ("skipped", "running")
    total = f" of {report.total:,}" if report.total is not None else ""
    error = report.error
    return tag(
        "li",
        tag(
            "details",
            tag(
                "summary",
                tag("strong", _label(report.source, results)),
                " ",
                tag(
                    "span",
                    STATUS_WORDS.get(report.status, report.status),
                    class_=f"status {'good' if good else 'off' if calm else 'bad'}",
                ),
                tag(
                    "span",
                    f" {report.count}{total}, {report.seconds:.2f} "
                    f"s{', cached' if report.cached else ''}",
                    class_="dim",
                )
                if report.count or good
                else None,
            ),
            tag("p", "Asked: ", tag("code", line(report.query))) if report.query else None,
            tag("ul", [tag("li", line(note)) for note in report.notes]) if report.notes else None,
            tag("p", line(str(error)), class_="problem") if error else None,
            tag("p", line(error.advice)) if error and error.advice else None,
            open=lies_open and not good and report.status != "running",
        ),
    )
