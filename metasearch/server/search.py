"""`/search`: one query in, the answer out, in whatever form the client asked for; and `/updates`,
what its page still lacks while the search goes on.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import orjson
from aiohttp import web

from metasearch.engine.pages import sources_with_more
from metasearch.errors import MetasearchError
from metasearch.events import Answer, Finished, SearchEvent
from metasearch.formats import WRITABLE, write
from metasearch.formats.answer import answer_json
from metasearch.message import message
from metasearch.server import problem, search_answers
from metasearch.server.forms import (
    only,
    parameters_so_far,
    read_parameters,
)
from metasearch.server.identity import IDENTITY, Identity, identity_of, owner
from metasearch.server.limits.client_limits import USER
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.pages.facets_panel import PAGE_FACETS
from metasearch.server.pages.hit import Marker, names_search
from metasearch.server.pages.page import VARY, SearchForm, page_response, start_page
from metasearch.server.pages.results import Differences, Results, query_marker, results_page
from metasearch.server.parameters import Parameters, more_records, not_used, read
from metasearch.server.problem import Problem
from metasearch.server.search_answers import (
    FACE,
    PING,
    SEARCH_ID,
    file_name,
    finish_search,
    head,
    no_answer_problem,
    prepare,
    relay,
    send,
    server_timing,
    stable_parts,
    status_of,
)
from metasearch.server.site import SHARED, SITE, Site, site_of
from metasearch.server.sources import labels, view
from metasearch.server.visit import SIZES, Visit, visit_of, with_sources, with_style

if TYPE_CHECKING:
    from metasearch.adapters.specs.registry import Registry
    from metasearch.engine.search import Search


class SearchWithLinks:
    """The events of a search, its answer with the address of its next page."""

    def __init__(self, search: Search, parameters: Parameters, site: Site) -> None:
        self.id = search.id
        self._search = search
        self._parameters = parameters
        self._site = site

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        async with aclosing(self._search):
            async for event in self._search:
                yield (
                    Finished(with_next_address(event.answer, self._parameters, self._site))
                    if isinstance(event, Finished)
                    else event
                )

    async def aclose(self) -> None:
        await self._search.aclose()


def with_next_address(
    answer: Answer, parameters: Parameters, site: Site, *, page: bool = False
) -> Answer:
    """The answer with the address of its next page, without host and format, which
    stay the same.

    Its notes name the parameters that had no effect, and, but on a page, which has a link for it,
    the one that makes the list longer.
    """
    answer = replace(answer, notes=(*answer.notes, *_notes(answer, parameters, page=page)))
    following = answer.paging.next
    if following is None:
        return answer
    link = site.path("/search", **parameters.pairs(following.start))
    return replace(answer, paging=replace(answer.paging, next=replace(following, link=link)))


def _notes(answer: Answer, parameters: Parameters, *, page: bool) -> Iterator[str]:
    if parameters.unknown:
        yield not_used(parameters.unknown)
    if not page and (names := sources_with_more(answer)):
        yield more_records(names)


def for_page(parameters: Parameters, visit: Visit) -> Parameters:
    """The parameters of a page: what the address leaves open is as the reader prefers."""
    return replace(
        parameters,
        limit=parameters.limit or visit.preferences.page_size,
        sources=parameters.sources or visit.preferences.sources or None,
        facets=parameters.facets or ",".join(PAGE_FACETS),
    )


async def results_of(
    request: web.Request, answer: Answer, parameters: Parameters, asked: Parameters
) -> Results:
    """What the page of an answer is made from. `asked`: as the address has them, for links."""
    from metasearch.server.pages.metadata import resolver_of  # which loads formats

    shared, visit = request.app[SHARED], visit_of(request)
    updates = ""
    if answer.running:
        given = {**asked.pairs(), "worker": shared.peers.number, "lang": visit.language.tag}
        updates = visit.site.path("/updates", **given)
    try:
        marker = await shared.admission.computing.read(
            request[USER], answer.query, lambda: query_marker(answer.query)
        )
    except Problem:  # too many long queries wait: the answer is there, and is shown unmarked
        marker = Marker(None)
    return Results(
        visit,
        answer,
        labels(shared.engine, (source.source for source in answer.sources), visit.language),
        asked.pairs(),
        parameters.limit or SIZES[0],
        updates,
        resolver_of(shared.engine.settings.server),
        marker,
        shared.wing.save_address(request, asked),
        shared.suggestions.spelling,
        0 if answer.hits or answer.running else _not_asked(shared.engine.registry, answer),
    )


def _not_asked(registry: Registry, answer: Answer) -> int:
    """How many sources could be asked besides those of the answer."""
    return len({*registry.expand(["all"])} - {report.source for report in answer.sources})


#: Name in `format=` -> media type. A client that does not say what it likes gets the first.
OFFERED: Mapping[str, str] = {
    "json": "application/json",
    "html": "text/html",
    **{name: format_.media_type for name, format_ in WRITABLE.items() if name != "table"},
}
#: Those that have links to the page, to the feed itself and to its next part.
FEEDS = frozenset({"atom", "rss", "jsonfeed"})
#: Hits that are written on the loop; a page of them takes some milliseconds, a thousand up to a
#: second.
WRITTEN_AT_ONCE = 50
#: Bytes of a body that is not copied once more.
LARGE_BODY = 1 << 18
_WITH_CHARSET = frozenset({"html", "csv", "citations"})


async def answer_search(request: web.Request) -> web.StreamResponse:
    shared = request.app[SHARED]
    sent = await read_parameters(request, shared.options)
    form = request[FACE] = format_of(request)
    asked = parameters = read(sent, shared.options)
    if form == "html":
        parameters = for_page(asked, visit_of(request))
    else:
        parameters = with_style(request, with_sources(request, asked), sent)
    if not parameters.query:
        if form == "html":
            await shared.engine.ready()  # the page counts those that are asked
            async with shared.admission.brief():
                page = start_page(
                    visit_of(request), view(shared.engine), shared.examples, shared.notice
                )
            return page_response(request, page, headers={"Link": descriptions(site_of(request))})
        raise Problem.bad_parameter("q", message("missing; give a query"))
    if form == "sse" and request.headers.get("Last-Event-ID"):
        return await search_answers.resume(request, request.headers["Last-Event-ID"])
    # People who look at a page are not kept waiting.
    page_wait = shared.options.page_wait if form == "html" else None
    prepared = await prepare(request, parameters, page_wait)
    if form in search_answers.FORMS and request.method == "HEAD":
        return search_answers.head(form)
    if form not in search_answers.FORMS and prepared.joins:  # nothing is asked of any source
        async with shared.admission.brief():
            pass
        return await _whole(request, prepared, parameters, asked, form)
    with await shared.admission.enter(request[USER]) as permit:
        if form in search_answers.FORMS:
            told = SearchWithLinks(prepared, parameters, site_of(request))
            return await search_answers.events(request, told, parameters.query, form, permit)
        return await _whole(request, prepared, parameters, asked, form)


def format_of(request: web.Request) -> str:
    """What `format=` says, else what the client likes best of what we have. Raises Problem: 406,
    with everything that there is; 400 where `format` is repeated. Raises UsageError: what writes
    the format is not installed.
    """
    starting = request.path == "/" and not request.query.get("q")
    return choose_form(request, OFFERED, starting=starting)


def choose_form(request: web.Request, offered: Mapping[str, str], *, starting: bool = False) -> str:
    """As `chosen_format`, of the forms that are offered.

    `request`: its `format` and its Accept header decide. `offered`: name -> media type, the first
    for a client that does not say what it likes. `starting`: whether nothing is asked yet, so that
    such a client wants the page with the form.
    """
    if starting:
        offered = {"html": offered["html"], **offered}
    if form := only(parameters_so_far(request), "format"):
        if form not in offered:
            raise Problem.unacceptable(
                message("There is no format {name}.", name=repr(form[:40])), _usable(offered)
            )
        chosen: str | None = form
    else:
        accept = request.headers.get("Accept", "")
        chosen = problem.choose(accept, offered.items())
        if chosen and not is_usable(chosen):
            chosen = problem.choose(accept, _usable(offered)) or chosen
    if chosen is None:
        raise Problem.unacceptable(
            message("The server has none of the media types in Accept."), _usable(offered)
        )
    if chosen in WRITABLE:
        WRITABLE[chosen].require()
    return chosen


def _usable(offered: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, media_type) for name, media_type in offered.items() if is_usable(name)]


def is_usable(name: str) -> bool:
    """Whether what writes a form is installed; where nothing need be, it is."""
    return name not in WRITABLE or WRITABLE[name].usable


async def _whole(
    request: web.Request, prepared: Search, parameters: Parameters, asked: Parameters, form: str
) -> web.Response:
    """The answer as one document: the finished one, or what is there at the soft deadline."""
    shared, visit = request.app[SHARED], visit_of(request)
    site = visit.site
    answer = await finish_search(request, prepared, parameters)
    status = status_of(answer)
    headers = {"Vary": "Accept", "Cache-Control": "no-store"}
    if shared.options.server_timing:
        headers["Server-Timing"] = server_timing(answer)
    if status != 200 and form != "html":
        raise no_answer_problem(answer, status, headers)
    began = time.perf_counter()
    answer = with_next_address(answer, parameters, site, page=form == "html")
    if form == "html" and not names_search(site, parameters.pairs()):
        await shared.engine.works.keep(answer.hits)  # else no link to their pages would work
    if (following := _next_address(answer, parameters, form, site)) is not None:
        headers["Link"] = f'<{following}>; rel="next"'
    large = len(answer.hits) > WRITTEN_AT_ONCE
    body: bytes | bytearray
    if form == "html":
        results = await results_of(request, answer, parameters, asked)
        body = await shared.admission.written(lambda: results_page(results).encode(), large=large)
        content: Sequence[bytes | memoryview] = (
            body if answer.running else _stable(answer),
            visit.state.encode(),
        )
    else:
        content, body = await shared.admission.written(
            lambda: _body(answer, parameters, form, site), large=large
        )
    if "Server-Timing" in headers:
        headers["Server-Timing"] += f", render;dur={(time.perf_counter() - began) * 1000:.1f}"
    if form == "html":
        headers |= {"Vary": VARY, "Cache-Control": "private, no-cache"}
    if answer.complete and status == 200:
        if form != "html":
            headers["Cache-Control"] = f"private, max-age={shared.options.max_age}"
        etag = _tag(form, content)
        headers["ETag"] = f'W/"{etag}"'
        if any(known.value in (etag, "*") for known in request.if_none_match or ()):
            unchanged = web.Response(status=304, headers=headers)
            if form == "html":  # the address may say what the reader prefers
                visit.remember(unchanged)
            return unchanged
    if form in WRITABLE and WRITABLE[form].download:
        headers["Content-Disposition"] = (
            f'attachment; filename="{file_name(parameters.query)}.{WRITABLE[form].extension}"'
        )
    if form == "html":
        return page_response(request, body, status, headers)
    kind = _LargeResponse if len(body) >= LARGE_BODY else web.Response
    return kind(
        body=body,
        status=status,
        headers=headers,
        content_type=OFFERED[form],
        charset="utf-8" if form in _WITH_CHARSET else None,
    )


class _LargeResponse(web.Response):
    """An answer whose head is sent before its body, which aiohttp would copy otherwise to send both
    at once.
    """

    _send_headers_immediately = True


def _body(
    answer: Answer, parameters: Parameters, form: str, site: Site
) -> tuple[Sequence[bytes | memoryview], bytes | bytearray]:
    """(what the entity tag is made from, the body); the first contains no times."""
    if form == "json":
        document, hits = answer_json(answer)
        return (hits, orjson.dumps(stable_parts(answer))), document
    if form in FEEDS:
        here = parameters.pairs()
        links = {
            "self": site.url("/search", **here, format=form),
            "alternate": site.url("/search", **here, format="html"),
            "search": site.url("/opensearch.xml"),
        }
        if answer.paging.start:
            links["first"] = site.url("/search", **parameters.pairs(0), format=form)
        if (following := _next_address(answer, parameters, form, site)) is not None:
            links["next"] = following
        body = WRITABLE[form].write(answer, links=links)
    else:
        body = write(
            form,
            answer,
            bom=parameters.bom,
            provenance=parameters.provenance,
            style=parameters.style,
        )
    return (body,), body


def _tag(form: str, content: Iterable[bytes | memoryview]) -> str:
    """The entity tag of an answer in this form."""
    digest = hashlib.sha256(form.encode())
    for part in content:
        digest.update(part)
    return digest.hexdigest()[:32]


def _next_address(answer: Answer, parameters: Parameters, form: str, site: Site) -> str | None:
    """The absolute address of the next page in the same format, or None where the list ends."""
    following = answer.paging.next
    return (
        site.url("/search", **parameters.pairs(following.start), format=form)
        if following is not None
        else None
    )


def _stable(answer: Answer) -> bytes:
    """What a page shows, without the times."""
    return orjson.dumps([orjson.Fragment(bytes(answer_json(answer)[1])), *stable_parts(answer)])


def descriptions(site: Site) -> str:
    """The `Link` header of the start page: where a program reads what this server can do."""
    links = (
        ("/openapi.json", "service-desc", "application/json"),
        ("/docs", "service-doc", "text/html"),
        ("/opensearch.xml", "search", OPENSEARCH_TYPE),
        ("/.well-known/api-catalog", "api-catalog", "application/linkset+json"),
    )
    return ", ".join(
        f'<{site.path(path)}>; rel="{relation}"; type="{media_type}"'
        for path, relation, media_type in links
    )


def form_again(request: web.Request) -> SearchForm:
    """The search form with what was typed, for pages about an error in it."""
    query = parameters_so_far(request)
    return SearchForm(query.get("q", ""))


# `/updates`: what a result page still lacks, as server-sent events, while its search goes on. The
# page began the search and was sent after a moment; this continues the same search. It runs in one
# worker of the server, which the address names.

#: Seconds between two states of a page.
EVERY = 0.25
#: Headers of a client on which the states depend; and what names the address of the server to the
#: worker that makes them.
_PASSED_ON = ("Accept-Language", "Cookie")
_LONGEST_SEEN = 1_000  # characters
_SITE_HEADER = "X-Metasearch-Site"
#: Who asks, on a server with users: the account has the databases and the language of the page.
_IDENTITY_HEADER = "X-Metasearch-Identity"
T = TypeVar("T")


async def answer_updates(request: web.Request) -> web.StreamResponse:
    """The states of a page, from now to the end of its search. Raises Problem: 400 without a query;
    503 where too many searches run.
    """
    peers = request.app[SHARED].peers
    number = request.query.get("worker", "")
    if number.isascii() and number.isdigit() and len(number) < 4 and int(number) != peers.number:
        sent = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        sent[_SITE_HEADER] = site_of(request).base
        if (identity := identity_of(request)) is not None:
            sent[_IDENTITY_HEADER] = identity.dump()
        elsewhere = await peers.open_stream(
            int(number), f"/updates?{request.rel_url.raw_query_string}", sent, str(request[USER])
        )
        if elsewhere is not None:
            return await relay(request, elsewhere, "")
    return await _answer_updates(request)


async def answer_peer_updates(request: web.Request) -> web.StreamResponse:
    """The same for another worker, to whose client it is passed on."""
    request[SITE] = Site(request.headers[_SITE_HEADER])
    if request.app[SHARED].wing.users != "none":
        request[IDENTITY] = Identity.load(request.headers[_IDENTITY_HEADER])
    return await _answer_updates(request)


async def _answer_updates(request: web.Request) -> web.StreamResponse:
    shared = request.app[SHARED]
    asked = read(request.query, shared.options)
    if not asked.query:
        reason = message("missing; give a query")
        raise Problem.bad_parameter("q", reason)
    parameters = for_page(asked, visit_of(request))
    prepared = await prepare(request, parameters, shared.options.page_wait)
    if request.method == "HEAD":
        return head("sse")
    if prepared.joins:  # nothing is asked of any source
        async with shared.admission.brief():
            pass
        return await send(request, _states(request, prepared, parameters, asked))
    with await shared.admission.enter(request[USER]):
        return await send(request, _states(request, prepared, parameters, asked))


async def _states(
    request: web.Request, prepared: Search, parameters: Parameters, asked: Parameters
) -> AsyncGenerator[bytes]:
    shared = request.app[SHARED]
    request[SEARCH_ID] = prepared.id
    answers = prepared.follow(EVERY)
    seen = request.query.get("seen", "")[:_LONGEST_SEEN].split(".")
    differences = Differences(frozenset(seen))
    yield b"retry: %d\n" % shared.options.retry  # a field of the event that follows
    try:
        async with aclosing(answers):
            async for answer in with_pings(answers, shared.options.ping):
                if answer is None:
                    yield PING
                    continue
                if not answer.running:
                    shared.metrics.count_search(answer)
                    shared.suggestions.learn(parameters.query, answer, owner(request))
                site = visit_of(request).site
                whole = with_next_address(answer, parameters, site, page=True)
                results = await results_of(request, whole, parameters, asked)
                for name, data in differences.events(results):
                    yield b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))
                    await shared.engine.scheduler.turns().next()
    except MetasearchError as exc:
        said = visit_of(request).language.phrase
        data = {"title": said(message("The search failed.")), "detail": said(exc.message)}
        yield b"event: failed\ndata: %s\n\n" % orjson.dumps(data)


async def with_pings(values: AsyncGenerator[T], seconds: float) -> AsyncGenerator[T | None]:
    """The values of a generator, and None after each stretch of so many seconds without one."""
    waiting: asyncio.Task[T] | None = None
    try:
        while True:
            if waiting is None:
                waiting = asyncio.ensure_future(anext(values))
            done, _ = await asyncio.wait({waiting}, timeout=seconds)
            if not done:
                yield None
                continue
            ended, waiting = waiting, None
            try:
                value = ended.result()
            except StopAsyncIteration:
                return
            yield value
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
