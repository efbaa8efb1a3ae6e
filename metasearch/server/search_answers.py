"""How a search is answered: with one document, or as it runs; and what an answer means over
HTTP.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import aiohttp
from aiohttp import web

from metasearch.engine.options import search_options
from metasearch.errors import TimedOut
from metasearch.events import Answer, Finished
from metasearch.formats import WRITABLE
from metasearch.formats.answer import facets_object, paging_object, report_object, totals_object
from metasearch.formats.events import ndjson
from metasearch.formats.failures import reasons
from metasearch.message import join_texts
from metasearch.server.identity import owner
from metasearch.server.limits.admission import RETRY_AFTER, SHORT, Permit
from metasearch.server.limits.client_limits import USER
from metasearch.server.live import Events, LiveSearch
from metasearch.server.parameters import Parameters
from metasearch.server.problem import Problem
from metasearch.server.process import places_of
from metasearch.server.site import SHARED
from metasearch.server.visit import with_sources

if TYPE_CHECKING:
    from metasearch.engine.dry_run import QueryPlan
    from metasearch.engine.options import SearchKeywords, SearchOptions
    from metasearch.engine.search import Search
    from metasearch.server.site import ServerContext


_NOT_TOKEN = re.compile(r"[^!#$%&'*+.^_`|~0-9A-Za-z-]")


def stable_parts(answer: Answer) -> list[Any]:
    """All but the hits that is equal when the same search gets the same answers again."""
    changing = ("seconds", "cached")
    reports = [
        {name: value for name, value in report_object(report).items() if name not in changing}
        for report in answer.sources
    ]
    counts = answer.counts
    pages = paging_object(answer.paging), totals_object(answer.totals)
    return [
        answer.query,
        counts.received,
        counts.unique,
        reports,
        answer.dedup,
        pages,
        answer.syntax,
        answer.notes,
        answer.sort,
        answer.filter,
        facets_object(answer.facets),
    ]


def status_of(answer: Answer) -> int:
    """200 if any source has answered or may still answer.

    Else 422 if none could be asked, 503 if this server was too late to read all that failed, 504 if
    all timed out, and 502 otherwise.
    """
    answered = any(report.answered for report in answer.sources)
    if answer.hits or answer.running or answered:
        return 200
    failed = [report for report in answer.sources if report.failed]
    if not failed:
        return 422
    if all(report.status == "late" for report in failed):
        return 503
    timed_out = (
        report.status == "timeout" or isinstance(report.error, TimedOut) for report in failed
    )
    return 504 if all(timed_out) else 502


def no_answer_problem(answer: Answer, status: int, headers: Mapping[str, str]) -> Problem:
    """The problem of an answer without hits from any source; `status` is that of `status_of`."""
    reports = [report_object(report) for report in answer.sources]
    words = join_texts("; ", reasons(answer.sources))
    kind = "no-source-asked" if status == 422 else "no-source-answered"
    if status == 503:
        headers = {**headers, "Retry-After": str(RETRY_AFTER)}
    return Problem(
        status, kind, words, headers=headers, query=answer.query, complete=False, sources=reports
    )


def server_timing(answer: Answer) -> str:
    """The Server-Timing header in milliseconds: each source, merging and ranking, the whole."""
    parts = [
        f"{_NOT_TOKEN.sub('_', report.source)};dur={report.seconds * 1000:.1f};"
        f'desc="{report.status}"'
        for report in answer.sources
    ]
    merging = f"dedup;dur={answer.merge_seconds * 1000:.1f}"
    return ", ".join([*parts, merging, f"total;dur={answer.seconds * 1000:.1f}"])


def file_name(query: str) -> str:
    """A file name of letters and digits: "metasearch-gene-drive" for "Gene drive?"."""
    words = re.findall(r"[a-z0-9]+", query.lower())
    return "-".join(["metasearch", *words])[:60].rstrip("-")


# Documents that stay the same for long: with an entity tag, and sent to a client once.

#: Seconds that a client may use one again without asking.
MAX_AGE = 3600


def tag_of(body: bytes) -> str:
    """Names the content; without quotes."""
    return hashlib.sha256(body).hexdigest()[:20]


def cacheable_response(
    request: web.Request,
    body: bytes,
    media_type: str,
    *,
    charset: str | None = None,
    etag: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """The document, or a 304 where `If-None-Match` names it.

    `etag`: its tag where it is known, without quotes; None makes it from the body. `headers`:
    further ones; they may replace `Cache-Control`.
    """
    tag = etag or tag_of(body)
    sent = {"ETag": f'"{tag}"', "Cache-Control": f"public, max-age={MAX_AGE}", **(headers or {})}
    if any(known.value in (tag, "*") for known in request.if_none_match or ()):
        return web.Response(status=304, headers=sent)
    return web.Response(body=body, content_type=media_type, charset=charset, headers=sent)


# Searches as they run: NDJSON lines and server-sent events.

#: Names of the forms that tell a search while it runs.
FORMS = frozenset(name for name, format_ in WRITABLE.items() if not format_.whole)

logger = logging.getLogger("metasearch.server")

#: The form in which a search is answered, for the log; other protocols are named after their paths.
FACE = web.RequestKey("face", str)
#: The id of the search that a request has started, for the log.
SEARCH_ID = web.RequestKey("search_id", str)
#: What a silent stream sends now and then: a comment. No empty line follows, because that would end
#: an event, and many clients hand an event on that has no data.
PING = b": ping\n"
#: Proxies must pass each event on as it comes.
_HEADERS = {"Vary": "Accept", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}

_SSE = WRITABLE["sse"].media_type


def head(form: str) -> web.Response:
    """The head of a stream, for those who ask for no more."""
    return web.Response(headers=_HEADERS, content_type=WRITABLE[form].media_type)


async def events(
    request: web.Request, prepared: Events, query: str, form: str, permit: Permit
) -> web.StreamResponse:
    """The events of a search as they happen; `form` is one of `FORMS`."""
    request[SEARCH_ID] = prepared.id
    shared = request.app[SHARED]
    if form == "ndjson":
        return await send(request, _lines(request, prepared, query), WRITABLE[form].media_type)
    user = owner(request)

    def learn(answer: Answer) -> None:
        shared.suggestions.learn(query, answer, user)

    live = shared.hub.start(prepared, permit.transfer(), learn)
    return await send(request, _event_bytes(request, live, 0))


async def resume(request: web.Request, last_event_id: str) -> web.StreamResponse:
    """The rest of a broken stream; 204, after which no browser asks again, for none."""
    shared = request.app[SHARED]
    found = shared.hub.find(last_event_id)
    if found is None:
        if (elsewhere := await shared.peers.continue_stream(last_event_id)) is not None:
            search_id = last_event_id.rpartition("-")[0]
            return await relay(request, elsewhere, search_id, _retry(request))
        return web.Response(status=204, headers=_HEADERS)
    live, seen = found
    request[SEARCH_ID] = live.id
    if request.method == "HEAD":
        return head("sse")
    return await send(request, _event_bytes(request, live, seen))


async def relay(
    request: web.Request,
    elsewhere: aiohttp.ClientResponse,
    search_id: str,
    before: bytes = b"",
) -> web.StreamResponse:
    """Pass on the event stream that another worker of this server makes.

    `elsewhere`: the stream; it is closed at the end. `search_id`: of the search, for the log; ""
    where it is not known.
    """
    request[SEARCH_ID] = search_id
    try:
        if request.method == "HEAD":
            return head("sse")
        return await send(request, _from_elsewhere(request, elsewhere, before))
    finally:
        elsewhere.close()


async def _from_elsewhere(
    request: web.Request, elsewhere: aiohttp.ClientResponse, before: bytes
) -> AsyncGenerator[bytes]:
    if before:
        yield before
    try:
        async for piece in elsewhere.content.iter_any():
            yield piece
    except aiohttp.ClientError:
        logger.warning("search %s ended with the worker that made it", request[SEARCH_ID])


async def _lines(request: web.Request, prepared: Events, query: str) -> AsyncGenerator[bytes]:
    # Written by the request itself: a slow reader makes the search wait, one that leaves cancels
    # it.
    async with aclosing(prepared):
        async for event in prepared:
            yield ndjson(event)
            if isinstance(event, Finished):
                request.app[SHARED].metrics.count_search(event.answer)
                request.app[SHARED].suggestions.learn(query, event.answer, owner(request))


async def _event_bytes(request: web.Request, live: LiveSearch, seen: int) -> AsyncGenerator[bytes]:
    shared = request.app[SHARED]
    yield _retry(request)
    async with aclosing(shared.hub.follow(live, seen)) as written:
        async for event in written:
            yield event or PING


def _retry(request: web.Request) -> bytes:
    """When to come back to a broken stream: a field of the next event, and no event."""
    return b"retry: %d\n" % request.app[SHARED].options.retry


async def send(
    request: web.Request, pieces: AsyncGenerator[bytes], media_type: str = _SSE
) -> web.StreamResponse:
    """Sends the pieces of a stream as they come; a reader that has left ends it."""
    response = web.StreamResponse(headers=_HEADERS)
    response.content_type = media_type
    if media_type == "text/html":
        response.charset = "utf-8"
    async with aclosing(pieces):
        await response.prepare(request)
        try:
            async for piece in pieces:
                await response.write(piece)
            await response.write_eof()
        except ConnectionResetError:
            pass
        except Exception as error:
            # Too late for an error answer: a stream that is cut off is the only honest one.
            name, places = request.get(SEARCH_ID, ""), places_of(error)
            logger.error("search %s failed while it was sent\n%s", name, places)
            if request.transport:
                request.transport.abort()
    return response


# A search that is answered with one document: admitted, run to its end, counted; or only planned.
# `/search` and the faces of other protocols share it; each reads its own parameters before, and
# writes its own document after.

T = TypeVar("T")


async def prepare(
    request: web.Request, parameters: Parameters, page_wait: float | None = None
) -> Search:
    """The search of a request, with the times that the server allows; it has not begun.

    `page_wait`: seconds after which what is there is given, where neither the request nor the
    configuration says; None for the end of the search. Raises UsageError: the query cannot be read,
    or there is no such source; Problem: 429 where a quota of the user is used up.
    """
    shared = request.app[SHARED]
    settings = shared.engine.settings
    parameters = with_sources(request, parameters)
    await shared.engine.ready(parameters.sources or ())
    timeout = min(parameters.timeout or settings.timeout, shared.options.max_timeout)
    wait = parameters.wait or settings.wait or page_wait
    prepared = await search_of(
        shared,
        parameters.query,
        parameters,
        timeout=timeout,
        wait=None if wait is None else min(wait, timeout),
        user=request[USER],
    )
    if not prepared.joins:
        await shared.wing.count_search(request, parameters)
    return prepared


async def search_of(
    shared: ServerContext, text: str, options: SearchOptions, **more: Unpack[SearchKeywords]
) -> Search:
    """The search with these options, `more` of them beside; it has not begun. The query of a long
    text is read off the loop. The sources must be ready. Raises UsageError: the query cannot be
    read, or there is no such source; Problem: 429 or 503 where too many long queries wait.
    """
    engine = shared.engine
    if len(text) <= SHORT:
        return engine.search(options, **more)
    whole = search_options(options, more)
    asked = await shared.admission.computing.done(whole.user, lambda: engine.resolve(whole))
    return engine.search(asked)


async def compute_text(request: web.Request, text: str, compute: Callable[[], T]) -> T:
    """Returns what `compute` makes of a text of the client, in a thread: of long ones one at a
    time, the users in turns. Raises Problem: 503 where too much is computed, 429 where too many
    long texts of the user wait.
    """
    admission = request.app[SHARED].admission
    if len(text) > SHORT:
        return await admission.computing.done(request[USER], compute)
    async with admission.brief():
        return await asyncio.to_thread(compute)


async def answer_of(request: web.Request, parameters: Parameters) -> Answer:
    """The answer of a search, as `/search` returns it for the same parameters. Raises Problem: 503
    where too many searches run; UsageError: the query cannot be read, or there is no such source.
    """
    shared = request.app[SHARED]
    prepared = await prepare(request, parameters)
    if prepared.joins:  # nothing is asked of any source
        async with shared.admission.brief():
            pass
        return await finish_search(request, prepared, parameters)
    with await shared.admission.enter(request[USER]):
        return await finish_search(request, prepared, parameters)


async def finish_search(request: web.Request, prepared: Search, parameters: Parameters) -> Answer:
    """The answer of a search that is admitted; a whole one is counted and learned for
    suggestions.
    """
    shared = request.app[SHARED]
    request[SEARCH_ID] = prepared.id
    async with aclosing(prepared):
        answer = await prepared
    if not answer.running:  # else the later request for the whole answer counts
        shared.metrics.count_search(answer)
        shared.suggestions.learn(parameters.query, answer, owner(request))
    return answer


async def plan_of(request: web.Request, parameters: Parameters) -> QueryPlan:
    """What a search with these parameters would ask of each source; nothing is sent. Raises
    Problem: 503 where too many searches run, 429 or 503 where too many long queries wait;
    UsageError: the query cannot be read, or there is no such source.
    """
    from metasearch.engine.dry_run import explain_plan, plan_search

    shared = request.app[SHARED]
    parameters = with_sources(request, parameters)
    await shared.engine.ready(parameters.sources or ())
    settings, registry = shared.engine.settings, shared.engine.registry
    if len(parameters.query) > SHORT:
        return await shared.admission.computing.done(
            request[USER], lambda: explain_plan(parameters, settings=settings, registry=registry)
        )
    turns = shared.engine.scheduler.turns()
    # A hundred sources take a third of a second to compute.
    with await shared.admission.enter(request[USER]):
        await turns.next()
        dry_run = plan_search(parameters, settings=settings, registry=registry)
        for _ in dry_run.steps:
            await turns.next()
    return dry_run.plan
