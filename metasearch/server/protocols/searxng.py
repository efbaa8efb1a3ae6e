"""SearXNG's interface under `/searxng/`, for Open WebUI, LangChain and scripts, with SearXNG's own
errors. `docs/searxng.md` describes it from outside.
"""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict
from urllib.parse import urlsplit

import orjson
from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch import __version__
from metasearch.engine.options import LAST_PLACE, MIN_SECONDS
from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    Blocked,
    ConnectFailed,
    KeyMissing,
    NotRead,
    RateLimited,
    ServerFault,
    SourceSaysError,
    TimedOut,
    UsageError,
)
from metasearch.events import Answer, SourceReport
from metasearch.formats import feeds
from metasearch.formats.csv import guard_formula
from metasearch.formats.feeds import publication_date
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import ascii_url, clean, clean_all, line, web_url
from metasearch.query.tree import Years
from metasearch.query.values import years_text
from metasearch.record import Hit, Record
from metasearch.server.forms import parameters_so_far, read_parameters
from metasearch.server.limits import Options
from metasearch.server.opensearch import SUGGESTIONS_TYPE
from metasearch.server.parameters import DECIMAL, Parameters, names, read
from metasearch.server.problem import Problem
from metasearch.server.protocols.assistant_questions import Wish, narrower, relax, wish
from metasearch.server.search_answers import answer_of, file_name, server_timing
from metasearch.server.short_answers import completions_of
from metasearch.server.site import NAME, SHARED, Site, site_of
from metasearch.server.sources import SourceView, view
from metasearch.server.suggest import as_query

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry


# What a client of SearXNG asks for, as the parameters of a search. Parameters that are empty or
# unknown here are ignored, as SearXNG ignores them. A value that cannot be is refused in SearXNG's
# words.

#: Hits of one page; SearXNG has no parameter for it.
PAGE = 20
#: Categories that clients send by default, and for which the default sources are asked.
EVERYTHING = ("general", "science", "scientific publications")
#: Groups of sources that are no categories.
NO_CATEGORIES = frozenset({"all", "default", "general"})
#: SearXNG's names of engines that are called otherwise here, squeezed.
_ENGINES = {
    "astrophysicsdatasystem": "nasa-ads",
    "coreacuk": "core",
    "openairedatasets": "openaire",
    "openairepublications": "openaire",
    "springernature": "springer",
}
#: Unknown engines that an answer names, and characters of each value in an error.
_MOST_UNKNOWN, _LONGEST = 20, 40
_RANGES = {"day": 1, "week": 7, "month": 31, "year": 366}
_NOTHING = ("", "None")
_language = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,4}){0,2}|auto", re.ASCII)
_whole = re.compile(r"[0-9]{1,9}", re.ASCII)
_bang = re.compile(r"(?<!\S)!([\w.-]{1,40})(?!\S)")
_not_alphanumeric = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class SearxngRequest:
    """A request of a client of SearXNG.

    Attributes:
        search: The search; its `start` and `limit` are those of the page.
        unknown_engines: Names of engines that are no sources here, a few of them.
        notes: What the client is told of its own parameters, a sentence each.
        wish: What the query was read as, for where nothing is found.
    """

    search: Parameters
    unknown_engines: tuple[str, ...]
    notes: tuple[str, ...]
    wish: Wish


def form_of(given: MultiMapping[str]) -> str:
    """What `format` names: "json", "csv", "rss", or "html" for anything else, as in SearXNG."""
    named = given.get("format", "")
    return named if named in ("json", "csv", "rss") else "html"


def read_request(
    given: MultiMapping[str], options: Options, registry: Registry, today: date | None = None
) -> SearxngRequest:
    """What a request asks for. `today`: `time_range` counts from it; None is today in UTC."""
    text, banged = _without_bangs(given.get("q", ""), registry)
    wished = wish(text, registry.default(), today)
    if not (query := wished.query.strip()):
        raise Problem(400, None, "; ".join(("No query", *wished.notes)))
    if _value(given, "safesearch") not in (*_NOTHING, "0", "1", "2"):
        raise _invalid(given, "safesearch")
    if (language := _value(given, "language")) and not _language.fullmatch(language):
        raise _invalid(given, "language")
    engines = (*(names(given, "engines") or ()), *banged, *wished.sources)
    sources, unknown = _sources(engines, names(given, "categories") or (), registry)
    count = min(PAGE, options.max_records)
    ours = MultiDict({"q": query, "count": str(count), "start": str(_start(given, count))})
    if sources:
        ours["sources"] = ",".join(sources)
    notes, years = wished.notes, wished.years
    if (first_year := _first_year(given, today)) is not None:
        years = narrower(years, Years(first_year, None))
        notes += (f"time_range is applied in whole years: works of {first_year} and later",)
    if years is not None:
        ours["year"] = years_text(years)
    if (seconds := _value(given, "timeout_limit")) not in _NOTHING:
        if not DECIMAL.fullmatch(seconds) or float(seconds) < MIN_SECONDS:
            raise _invalid(given, "timeout_limit")
        ours["timeout"] = seconds
    return SearxngRequest(read(ours, options), unknown[:_MOST_UNKNOWN], notes, wished)


def _value(given: MultiMapping[str], name: str) -> str:
    return given.get(name, "").strip()


def _invalid(given: MultiMapping[str], name: str) -> Problem:
    value = line(given.get(name, ""))[:_LONGEST]
    return Problem(400, None, f"Invalid value {value} for parameter {name}")


def _start(given: MultiMapping[str], count: int) -> int:
    """Hits before the page."""
    page = _value(given, "pageno") or "1"
    if not _whole.fullmatch(page) or not 1 <= int(page) <= LAST_PLACE // count:
        raise _invalid(given, "pageno")
    return (int(page) - 1) * count


def _first_year(given: MultiMapping[str], today: date | None) -> int | None:
    """The year in which the range of time begins: most sources know no more than years."""
    named = _value(given, "time_range")
    if named in _NOTHING:
        return None
    if named not in _RANGES:
        raise _invalid(given, "time_range")
    now = today or datetime.now(UTC).date()
    return (now - timedelta(days=_RANGES[named])).year


def _without_bangs(query: str, registry: Registry) -> tuple[str, tuple[str, ...]]:
    """The query without the words ("!crossref") that name an engine; and those engines."""
    known = _squeeze_names(registry)
    banged: list[str] = []

    def engine_of(match: re.Match[str]) -> str:
        source = known.get(_squeeze(match[1]))
        if source is None:
            return match[0]
        banged.append(source)
        return ""

    return (_bang.sub(engine_of, query) if "!" in query else query), tuple(banged)


def _sources(
    engines: Iterable[str], categories: Iterable[str], registry: Registry
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources to ask, none for the default ones, and the engines that are no sources.

    As in SearXNG, engines and categories add up, unknown categories are ignored, and a request
    without any that is known asks what is asked by default.
    """
    known = _squeeze_names(registry)
    chosen: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for engine in engines:
        source = known.get(_squeeze(engine[:_LONGEST]))
        if source is None:
            unknown[line(engine)[:_LONGEST]] = None
        else:
            chosen[source] = None
    groups = set(registry.groups) - NO_CATEGORIES
    for category in categories:
        if category in EVERYTHING:
            chosen |= dict.fromkeys(registry.default())
        elif category in groups:
            chosen[category] = None
    return tuple(chosen), tuple(unknown)


def _squeeze_names(registry: Registry) -> dict[str, str]:
    """Name of an engine, squeezed -> name of the source."""
    sources = registry.names()
    ours = {_squeeze(name): name for name in sources}
    return {other: name for other, name in _ENGINES.items() if name in sources} | ours


def _squeeze(name: str) -> str:
    """ "Semantic Scholar" as "semanticscholar"."""
    return _not_alphanumeric.sub("", name.lower())


# An answer as SearXNG writes one: JSON with papers, CSV, and why engines are missing. Each list of
# SearXNG's answer is there, also where it is empty: LangChain takes the length of `answers`, and
# returns an entry of it in place of the results.

COLUMNS = ("title", "url", "content", "host", "engine", "score", "type")
#: Authors that stand in the place of an abstract.
_NAMED_AUTHORS = 3
#: SearXNG's words for why an engine gave nothing; the first class that an error belongs to decides.
_REASONS = (
    (TimedOut, "timeout"),
    (NotRead, "timeout"),
    (ConnectFailed, "HTTP connection error"),
    (ServerFault, "HTTP error"),
    (RateLimited, "too many requests"),
    (Blocked, "CAPTCHA"),
    (KeyMissing, "access denied"),
    (AccessDenied, "access denied"),
    (SourceSaysError, "server API error"),
    (BadAnswer, "parsing error"),
)


def json_body(
    answer: Answer,
    site: Site,
    *,
    query: str,
    unknown_engines: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> bytes:
    """The JSON document. `site`: for the address of a work that has none of its own."""
    unknown = [[name, "there is no such engine"] for name in unknown_engines]
    document = {
        "query": clean(query),
        "number_of_results": answer.expected,
        "results": results(answer, site),
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [*unresponsive(answer.sources), *unknown],
        "notes": [clean(note) for note in (*answer.notes, *notes)],
    }
    return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def csv_body(answer: Answer, site: Site) -> bytes:
    """The results as CSV in UTF-8 with a heading; cells that begin as formulas are quoted."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for result in results(answer, site):
        row: dict[str, Any] = {**result, "host": result["parsed_url"][1], "type": "result"}
        writer.writerow([guard_formula(row[name]) for name in COLUMNS])
    return out.getvalue().encode()


def results(answer: Answer, site: Site) -> list[SearxngPaper]:
    """The hits in the order of the list.

    Open WebUI sorts by score, so that no score is larger than one before it.
    """
    written: list[SearxngPaper] = []
    least = float("inf")
    for hit in answer.hits:
        least = min(least, hit.score)
        written.append(_result(hit, least, site))
    return written


def unresponsive(reports: Sequence[SourceReport]) -> list[list[str]]:
    """[name, reason] of each source that gave no answer, or only a part of it."""
    return [[report.source, _reason(report)] for report in reports if not report.answered]


def _reason(report: SourceReport) -> str:
    if report.status == "running":
        return "timeout"
    for kind, words in _REASONS:
        if isinstance(report.error, kind):
            return words
    return line(str(report.error)) if report.error else report.status


class SearxngPaper(TypedDict):
    """A work as a result of SearXNG."""

    id: Annotated[str, "The id of the hit, as in /search."]
    url: str
    title: str
    content: Annotated[str, "The abstract, else who, where, when."]
    engine: Annotated[str, "The source that gave the title."]
    engines: list[str]
    positions: list[int | None]
    score: float
    category: Literal["science"]
    template: Literal["paper.html"]
    parsed_url: list[str]
    publishedDate: str | None
    thumbnail: str
    img_src: str
    authors: list[str]
    journal: str
    volume: str
    number: str
    pages: str
    publisher: str
    editor: str
    doi: str
    issn: list[str]
    isbn: list[str]
    tags: list[str]
    type: str
    comments: str
    pdf_url: str
    html_url: str


def _result(hit: Hit, score: float, site: Site) -> SearxngPaper:
    record = hit.record
    url, date = _address(hit, site), publication_date(record)
    return {
        "id": clean(hit.id),
        "url": url,
        "title": full_title(record) or url,
        "content": clean(record.abstract or "") or _description(record),
        "engine": clean(record.source),
        "engines": clean_all(hit.sources),
        "positions": [each.position for each in hit.records],
        "score": score,
        "category": "science",
        "template": "paper.html",
        "parsed_url": _url_parts(url),
        "publishedDate": date.replace(tzinfo=None).isoformat() if date else None,
        "thumbnail": "",
        "img_src": "",
        "authors": [line(author.name) for author in record.authors],
        "journal": line(record.venue),
        "volume": line(record.volume),
        "number": line(record.issue),
        "pages": line(record.pages),
        "publisher": line(record.publisher),
        "editor": "; ".join(line(editor.name) for editor in record.editors),
        "doi": line(record.doi),
        "issn": clean_all(record.issn),
        "isbn": clean_all(record.isbn),
        "tags": clean_all((*record.keywords, *record.subjects)),
        "type": line(record.type),
        "comments": _comments(record),
        "pdf_url": ascii_url(web_url(record.pdf_url) or ""),
        "html_url": "",
    }


def _address(hit: Hit, site: Site) -> str:
    """Where a reader is sent: the address of the work, of one of its records, or a search for it.

    SearXNG has no result without an address, and its clients read it without a default.
    """
    for record in (hit.record, *hit.records):
        if url := link(record):
            return ascii_url(url)
    query = as_query(full_title(hit.record)) or hit.id
    return site.url("/search", q=query, format="html")


def _url_parts(url: str) -> list[str]:
    """[scheme, host, path, parameters, query, fragment], as `urllib.parse.urlparse` returns it."""
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no IPv6 address
        return ["", "", url, "", "", ""]
    return [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment]


def _description(record: Record) -> str:
    """Who, where, when, in the place of an abstract that is not known."""
    people = [line(author.name) for author in record.byline[:_NAMED_AUTHORS]]
    if len(record.byline) > _NAMED_AUTHORS:
        people.append("et al.")
    parts = (", ".join(people), line(record.venue), str(record.year or ""))
    return ". ".join(filter(None, parts))


def _comments(record: Record) -> str:
    """What SearXNG has no field for and a reader should know."""
    parts = [
        "Retracted" if record.retracted else "",
        f"cited {record.citations:,} times" if record.citations else "",
        f"open access: {line(record.open_access)}" if record.open_access else "",
    ]
    return "; ".join(filter(None, parts))


# The routes of SearXNG's interface: search, configuration, completions.

#: Seconds that all searches for one request take at most.
_MOST_SECONDS = 50.0
_MEDIA_TYPES = {"json": "application/json", "csv": "application/csv", "rss": "text/xml"}
_NOT_ASKED = ("misconfigured", "key missing", "disabled")


async def answer_search(request: web.Request) -> web.StreamResponse:
    """`/searxng/` and `/searxng/search`: the works as SearXNG's results.

    A failure of all sources is a 200 whose `unresponsive_engines` has the reasons, as in SearXNG.
    Other formats than JSON, CSV and RSS lead to our own page.
    """
    try:
        return await _search(request)
    except UsageError as exc:
        return _error(request, Problem.of(exc))
    except Problem as problem:
        return _error(request, problem)


async def _search(request: web.Request) -> web.StreamResponse:
    shared, site = request.app[SHARED], site_of(request)
    sent = await read_parameters(request, shared.options)
    form = form_of(sent)
    if form == "html" and not sent.get("q", "").strip():
        raise web.HTTPSeeOther(site.path("/"))
    asked = read_request(sent, shared.options, shared.engine.registry)
    if form == "html":
        raise web.HTTPSeeOther(site.path("/search", **asked.search.pairs(), format="html"))
    until = time.monotonic() + _MOST_SECONDS
    answer = await answer_of(request, asked.search)
    answer, notes = await relax(
        answer, asked.wish, asked.search, lambda wider: answer_of(request, wider), until
    )
    asked = replace(asked, notes=(*asked.notes, *notes))
    body = await shared.admission.written(lambda: _body(form, answer, asked, site), large=False)
    headers = {"Cache-Control": "no-store"}
    if shared.options.server_timing:
        headers["Server-Timing"] = server_timing(answer)
    if form == "csv":
        headers["Content-Disposition"] = _attachment(asked.search.query)
    return web.Response(body=body, headers=headers, content_type=_MEDIA_TYPES[form])


def _body(form: str, answer: Answer, asked: SearxngRequest, site: Site) -> bytes:
    match form:
        case "csv":
            return csv_body(answer, site)
        case "rss":
            page = asked.search.pairs()
            links = {"search": site.url("/opensearch.xml")}
            links["alternate"] = site.url("/search", **page, format="html")
            return feeds.write_rss(answer, links=links)
        case _:
            return json_body(
                answer,
                site,
                query=asked.search.query,
                unknown_engines=asked.unknown_engines,
                notes=asked.notes,
            )


def _attachment(query: str) -> str:
    return f'attachment; filename="{file_name(query)}.csv"'


def _error(request: web.Request, problem: Problem) -> web.Response:
    """An error as SearXNG writes it in the format that was asked for."""
    form = form_of(parameters_so_far(request))
    reason = problem.detail or problem.title
    headers = {"Cache-Control": "no-store", **problem.headers}
    match form:
        case "html":
            raise problem
        case "csv":
            body, headers["Content-Disposition"] = b"", _attachment("")
        case "rss":
            site = site_of(request)
            root, channel = feeds.document(NAME, site.url("/"), reason)
            feeds.message(channel, "Error", reason)
            body = feeds.rss_bytes(root)
        case _:
            body = _json({"error": reason})
    return web.Response(
        body=body, status=problem.status, headers=headers, content_type=_MEDIA_TYPES[form]
    )


async def answer_autocompleter(request: web.Request) -> web.Response:
    """`/searxng/autocompleter?q=`: completions, none where `[server] suggest` is off.

    A script that says it is one (`X-Requested-With: XMLHttpRequest`) gets the list alone.
    """
    shared = request.app[SHARED]
    try:
        prefix = (await read_parameters(request, shared.options)).get("q", "")
    except Problem as problem:
        body = _json({"error": problem.detail or problem.title})
        return web.Response(body=body, status=problem.status, content_type="application/json")
    completions = await completions_of(request, prefix) if shared.options.suggest else []
    texts = [completion.text for completion in completions]
    by_script = request.headers.get("X-Requested-With") == "XMLHttpRequest"
    return web.Response(
        body=_json(texts if by_script else [clean(prefix), texts]),
        content_type="application/json" if by_script else SUGGESTIONS_TYPE,
        headers={"Cache-Control": "no-store"},
    )


async def answer_config(request: web.Request) -> web.Response:
    """`/searxng/config`: the sources as engines, the groups as categories."""
    shared = request.app[SHARED]
    await shared.engine.ready()
    registry = shared.engine.registry
    async with shared.admission.brief():
        engines = [
            _engine(source, registry.groups_of(source.name)) for source in view(shared.engine)
        ]
    document = {
        "categories": [*EVERYTHING, *_categories(registry.groups)],
        "engines": engines,
        "plugins": [],
        "instance_name": NAME,
        "locales": {"en": "English"},
        "default_locale": "en",
        "autocomplete": NAME if shared.options.suggest else "",
        "safe_search": 0,
        "default_theme": "simple",
        "version": __version__,
        "brand": {},
        "limiter": {
            "enabled": shared.limiter is not None,
            "botdetection.ip_limit.link_token": False,
            "botdetection.ip_lists.pass_searxng_org": False,
        },
        "doi_resolvers": ["doi.org"],
        "default_doi_resolver": "doi.org",
        "public_instance": False,
    }
    return web.Response(
        body=_json(document),
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


class SearxngEngine(TypedDict):
    """A source as an engine of SearXNG."""

    name: str
    categories: list[str]
    shortcut: str
    enabled: bool
    paging: bool
    language_support: bool
    languages: list[str]
    regions: list[str]
    safesearch: bool
    time_range_support: bool
    timeout: float | None


def _engine(source: SourceView, groups: list[str]) -> SearxngEngine:
    usual = EVERYTHING if source.default else ()
    languages = source.spec.languages if source.spec else ()
    return {
        "name": source.name,
        "categories": [*usual, *_categories(groups)],
        "shortcut": source.name,
        "enabled": source.default and source.status not in _NOT_ASKED,
        "paging": True,
        "language_support": False,
        "languages": [line(code) for code in languages if code != "*"],
        "regions": [],
        "safesearch": False,
        "time_range_support": True,
        "timeout": source.limits.timeout if source.limits else None,
    }


def _categories(groups: list[str]) -> list[str]:
    return [group for group in groups if group not in NO_CATEGORIES]


def _json(content: Mapping[str, Any] | list[Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)
