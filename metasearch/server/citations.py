"""`/cite`: the works that some works cite, and those that cite them, as one document, as a stream,
and as a page.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from markupsafe import Markup
from multidict import MultiMapping

from metasearch.bib.work_ids import is_hit_id, read_name
from metasearch.engine.citation_result import RelatedWork
from metasearch.engine.citations import CitationOptions, CitationSearch, record_of_name
from metasearch.engine.lookup import WantedWork
from metasearch.formats.reference import full_title
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.record import Hit
from metasearch.references.citations import (
    CHOICES,
    WAYS,
    citations_object,
    related_works,
    relations_of,
    report_object,
    seed_names,
    seeds_of,
)
from metasearch.server.forms import only
from metasearch.server.limits.client_limits import USER
from metasearch.server.pages.environment import render
from metasearch.server.pages.hit import HitView, hit_view
from metasearch.server.pages.page import page, page_response
from metasearch.server.pages.work import LONGEST_ID
from metasearch.server.parameters import not_used
from metasearch.server.problem import Problem
from metasearch.server.references import (
    OFFERED,
    count_list,
    event_line,
    json_response,
    named_sources,
    problem_objects,
    read_list,
)
from metasearch.server.search import choose_form
from metasearch.server.search_answers import send
from metasearch.server.site import SHARED, work_path
from metasearch.server.sources import labels
from metasearch.server.visit import visit_of

#: Works that one request begins with, its rounds, works that a further round begins with, and
#: records of citations that are received in all.
MOST_SEEDS, MOST_ROUNDS, MOST_FOLLOWED, MOST_RECEIVED = 50, 3, 50, 20_000
#: What a request may have; of a list in a body, and of a page.
_PARAMETERS = frozenset(
    ("id", "direction", "rounds", "sources", "count", "format", "from", "name", "lang")
)
#: Works of one answer; and of a page, where it does not say how many.
MOST_HITS, ON_PAGE = 2_000, 100
#: Related works, seeds of one work, and names of works without a record, that a page shows.
_RELATED, _SEEDS, _NAMES = 20, 5, 100
#: Where reports and works stand in the page that is rendered around them.
_REPORTS, _WORKS = Markup("<!--reports-->"), Markup("<!--works-->")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a request asks for. `problems`: parts of it that were not understood."""

    seeds: Sequence[WantedWork]
    way: str
    rounds: int
    most: int
    problems: Sequence[Mapping[str, Any]] = ()


async def answer_cite(request: web.Request) -> web.StreamResponse:
    """`/cite`: the form, and with works what they cite and what cites them."""
    given, shared = request.query, request.app[SHARED]
    is_asked = request.method == "POST" or any(map(str.strip, given.getall("id", [])))
    form = choose_form(request, OFFERED, starting=not is_asked)
    if not is_asked:
        way, rounds = _way(given), _number(given, "rounds", 1, MOST_ROUNDS)
        _number(given, "count", ON_PAGE, MOST_HITS)
        if form != "html":
            raise Problem.bad_parameter("id", message("missing; name a work, such as a DOI"))
        async with shared.admission.brief():
            return page_response(request, _page(request, way, rounds, ""))
    asked = await _read(request, form)
    if request.method == "HEAD":  # who asks for no more makes no search
        return web.Response(content_type=OFFERED[form])
    options = CitationOptions(
        sources=named_sources(request),
        directions=CHOICES[asked.way],
        rounds=asked.rounds,
        most_followed=MOST_FOLLOWED,
        most_records=MOST_RECEIVED,
        user=request[USER],
    )
    await shared.engine.ready(options.sources or ())
    search = shared.engine.cite(asked.seeds, options)
    await count_list(request, asked.seeds, search.sources)
    with await shared.admission.enter(request[USER]):
        if form == "ndjson":
            return await send(request, _lines(search, asked), OFFERED[form])
        if form == "html":
            return await send(request, _pieces(request, search, asked), OFFERED[form])
        async for _ in search:
            pass
        document = await to_thread(_document, search, asked)
    return json_response(document | {"problems": list(asked.problems)})


def _document(search: CitationSearch, asked: _Asked) -> dict[str, Any]:
    return citations_object(search.result(), asked.seeds, asked.most)


async def _read(request: web.Request, form: str) -> _Asked:
    """What a request asks for. Raises Problem: 400 or 413, see `read_list`."""
    given = request.query
    way = _way(given)
    problems: list[dict[str, Any]] = []
    if request.method == "POST":
        listed = await read_list(request)
        seeds, problems = seeds_of(listed.references), problem_objects(listed)
    else:
        seeds = await _seeds(request)
    unknown = [name for name, value in given.items() if name not in _PARAMETERS and value.strip()]
    if unknown:
        problems = [*problems, {"line": None, "message": not_used(dict.fromkeys(unknown))}]
    if not 0 < len(seeds) <= MOST_SEEDS:
        reason = message(
            "names {count} works; give 1 to {most}", count=f"{len(seeds):,}", most=MOST_SEEDS
        )
        raise Problem.bad_parameter("list" if request.method == "POST" else "id", reason)
    return _Asked(
        seeds,
        way,
        rounds=_number(given, "rounds", 1, MOST_ROUNDS),
        most=_number(given, "count", ON_PAGE if form == "html" else MOST_HITS, MOST_HITS),
        problems=problems,
    )


def _way(given: MultiMapping[str]) -> str:
    way = only(given, "direction") or "both"
    if way not in CHOICES:
        reason = message("one of {names}", names=", ".join(CHOICES))
        raise Problem.bad_parameter("direction", reason)
    return way


async def _seeds(request: web.Request) -> list[WantedWork]:
    """The works that `id` names: repeated, or with blanks or new lines between."""
    works = request.app[SHARED].engine.works
    names = [name for value in request.query.getall("id", []) for name in value.split()]
    seeds: dict[str, WantedWork] = {}
    for text in names[: MOST_SEEDS + 1]:
        try:
            name = read_name(text[:LONGEST_ID])
        except ValueError as error:
            raise Problem.bad_parameter("id", str(error)) from error
        if not is_hit_id(name):
            key = name.removeprefix("doi:")
            seeds[key] = WantedWork(key, record_of_name(name))
        elif (hit := await works.find(name)) is not None:
            seeds[name] = WantedWork(name, hit.record)
        else:
            reason = message(
                "no work is known here as {name}: ids are known for a day", name=repr(text[:100])
            )
            raise Problem.bad_parameter("id", reason)
    return list(seeds.values())


def _number(given: MultiMapping[str], name: str, usual: int, most: int) -> int:
    written = only(given, name)
    if not written:
        return usual
    if not (written.isascii() and written.isdecimal() and 1 <= int(written[:9]) <= most):
        raise Problem.bad_parameter(name, message("a whole number from 1 to {most}", most=most))
    return int(written)


async def _lines(search: CitationSearch, asked: _Asked) -> AsyncGenerator[bytes]:
    """A line for each report as it comes, then one for each work, and the counts in the last."""
    keys = [seed.key for seed in asked.seeds]
    yield event_line(
        "started", seeds=keys, sources=search.sources, direction=asked.way, rounds=asked.rounds
    )
    async for report in search:
        yield event_line("report", **report_object(report))
    document = await to_thread(_document, search, asked)
    for event, name in (
        ("seed", "seeds"),
        ("hit", "hits"),
        ("related", "related"),
        ("unknown", "unknown"),
        ("text", "texts"),
        ("problem", "problems"),
    ):
        for entry in document.get(name, asked.problems):
            yield event_line(event, **entry)
    told = {name: document[name] for name in ("complete", "lookup_errors", "counts")}
    yield event_line("done", **told)


# The page.


@dataclass(frozen=True, slots=True)
class _Row:
    """A work of the page. `relations`: (way, [(seed, labels of the indexes)], seeds more) of it."""

    hit: HitView
    relations: Sequence[tuple[str, Sequence[tuple[str, Sequence[str]]], int]]


async def _pieces(
    request: web.Request, search: CitationSearch, asked: _Asked
) -> AsyncGenerator[bytes]:
    """The page: its head at once, a row for each report as it comes, then the works."""
    visit, engine = visit_of(request), request.app[SHARED].engine
    named = labels(engine, search.sources, visit.language)
    before, _, rest = _page(
        request,
        asked.way,
        asked.rounds,
        "" if request.method == "POST" else "\n".join(seed.key for seed in asked.seeds),
        sources=list(named.values()),
        problems=asked.problems,
    ).partition(_REPORTS)
    between, _, behind = rest.partition(_WORKS)
    yield before.encode()
    async for report in search:
        yield render(
            "_cited_report.html",
            visit.language,
            report=report,
            way=WAYS[report.direction],
            label=line(named[report.source]),
        ).encode()
    yield between.encode()
    found = await to_thread(search.result)
    shown = found.works[: asked.most]
    related = related_works(found)[:_RELATED]
    seeds = [hit for hit in found.seeds.values() if hit is not None]
    hits = [*seeds, *(work.hit for work in (*shown, *(each.work for each in related)))]
    left_out = {hit.id for hit in await engine.works.keep({hit.id: hit for hit in hits}.values())}
    sources = {record.source for hit in hits for record in hit.records}
    texts = labels(engine, sources.union(found.lookup_errors), visit.language) | named

    def address(hit: Hit) -> str:
        return "" if hit.id in left_out else visit.site.path(work_path(hit.id))

    def render_works() -> bytes:
        names = seed_names(found, asked.seeds)
        return render(
            "_cited.html",
            visit.language,
            site=visit.site,
            counts=found.counts,
            seeds=[
                (key, full_title(hit.record), address(hit)) if hit else (key, "", "")
                for key, hit in found.seeds.items()
            ],
            rows=[_row(work, address(work.hit), names, texts, visit.site.base) for work in shown],
            related=[
                (full_title(each.work.hit.record), address(each.work.hit), each) for each in related
            ],
            unknown=[line(work.name) for work in found.unknown[:_NAMES]],
            texts=[line(work.name) for work in found.texts[:_NAMES]],
            failed=[line(texts[source]) for source in found.lookup_errors],
        ).encode()

    yield await to_thread(render_works)
    yield behind.encode()


def _row(
    work: RelatedWork, address: str, names: Mapping[str, str], texts: Mapping[str, str], base: str
) -> _Row:
    relations = relations_of(work.links)
    ways = []
    for direction, way in WAYS.items():
        some = [each for each in relations if each.direction == direction]
        shown = [
            (names.get(each.seed, line(each.seed)), [line(texts.get(n, n)) for n in each.sources])
            for each in some[:_SEEDS]
        ]
        if some:
            ways.append((way, shown, len(some) - len(shown)))
    return _Row(hit_view(work.hit, texts, base, page=address, described=False), ways)


def _page(request: web.Request, way: str, rounds: int, ids: str, **found: Any) -> str:
    visit = visit_of(request)
    return page(
        "cite.html",
        visit,
        visit.language.gettext("Citations"),
        current="/cite?format=html",
        way=way,
        rounds=rounds,
        ids=ids,
        most=MOST_SEEDS,
        most_rounds=MOST_ROUNDS,
        named=",".join(named_sources(request) or ()),
        reports=_REPORTS if found else "",
        works=_WORKS,
        **found,
    )
