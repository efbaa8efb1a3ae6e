"""`/updates`: what a result page still lacks, as server-sent events, while its search goes on.

The page began the search and was sent after a moment; this continues the same search. It runs in
one worker of the server, which the address names.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

import orjson
from aiohttp import web

from metasearch.errors import MetasearchError
from metasearch.message import message
from metasearch.server.answering import prepare
from metasearch.server.identity import IDENTITY, Identity, identity_of, owner
from metasearch.server.limits.clients import USER
from metasearch.server.page_links import linked
from metasearch.server.pages.differences import Differences
from metasearch.server.parameters import Parameters, read
from metasearch.server.problem import Problem
from metasearch.server.result_page import for_page, results_of
from metasearch.server.site import SHARED, SITE, Site, site_of
from metasearch.server.stream import PING, SEARCH_ID, head, relay, send
from metasearch.server.visit import visit_of

if TYPE_CHECKING:
    from metasearch.engine.search import Search

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


async def updates(request: web.Request) -> web.StreamResponse:
    """The states of a page, from now to the end of its search. Raises Problem: 400 without a query;
    503 where too many searches run.
    """
    peers = request.app[SHARED].peers
    number = request.query.get("worker", "")
    if number.isascii() and number.isdigit() and len(number) < 4 and int(number) != peers.number:
        sent = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        sent[_SITE_HEADER] = site_of(request).base
        if (identity := identity_of(request)) is not None:
            sent[_IDENTITY_HEADER] = identity.dumped()
        elsewhere = await peers.streamed(
            int(number), f"/updates?{request.rel_url.raw_query_string}", sent, str(request[USER])
        )
        if elsewhere is not None:
            return await relay(request, elsewhere, "")
    return await _answered(request)


async def peer_updates(request: web.Request) -> web.StreamResponse:
    """The same for another worker, to whose client it is passed on."""
    request[SITE] = Site(request.headers[_SITE_HEADER])
    if request.app[SHARED].wing.users != "none":
        request[IDENTITY] = Identity.loaded(request.headers[_IDENTITY_HEADER])
    return await _answered(request)


async def _answered(request: web.Request) -> web.StreamResponse:
    shared = request.app[SHARED]
    asked = read(request.query, shared.options)
    if not asked.query:
        reason = message("missing; give a query")
        raise Problem.bad_parameters([{"parameter": "q", "reason": reason}])
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
    answers = prepared.growing(EVERY)
    seen = request.query.get("seen", "")[:_LONGEST_SEEN].split(".")
    differences = Differences(frozenset(seen))
    yield b"retry: %d\n" % shared.options.retry  # a field of the event that follows
    try:
        async with aclosing(answers):
            async for answer in pinged(answers, shared.options.ping):
                if answer is None:
                    yield PING
                    continue
                if not answer.running:
                    shared.metrics.searched(answer)
                    shared.suggestions.learn(parameters.query, answer, owner(request))
                whole = linked(answer, parameters, visit_of(request).site)
                results = await results_of(request, whole, parameters, asked)
                for name, data in differences.events(results):
                    yield b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))
                    await shared.engine.scheduler.turns().next()
    except MetasearchError as exc:
        said = visit_of(request).language.said
        data = {"title": said(message("The search failed.")), "detail": said(exc.message)}
        yield b"event: failed\ndata: %s\n\n" % orjson.dumps(data)


async def pinged(values: AsyncGenerator[T], seconds: float) -> AsyncGenerator[T | None]:
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
