"""Searches as they run: NDJSON lines and server-sent events."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

import aiohttp
from aiohttp import web

from metasearch.events import Answer, Finished
from metasearch.formats import WRITABLE
from metasearch.formats.events import ndjson
from metasearch.server.access_log import places_of
from metasearch.server.identity import owner
from metasearch.server.limits.admission import Permit
from metasearch.server.live import Events, LiveSearch
from metasearch.server.site import SHARED

#: Names of the forms that tell a search while it runs.
FORMS = frozenset(name for name, format_ in WRITABLE.items() if not format_.whole)

logger = logging.getLogger("metasearch.server")

#: The id of the search that a request has started, for the log.
SEARCH_ID = web.RequestKey("search_id", str)
#: What a silent stream sends now and then: a comment. No empty line follows, because that would end
#: an event, and many clients hand an event on that has no data.
PING = b": ping\n"
#: Proxies must pass each event on as it comes.
_HEADERS = {"Vary": "Accept", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}


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
        return await send(request, _lines(request, prepared, query), form)
    user = owner(request)

    def learn(answer: Answer) -> None:
        shared.suggestions.learn(query, answer, user)

    live = shared.hub.start(prepared, permit.transfer(), learn)
    return await send(request, _server_sent(request, live, 0), form)


async def resume(request: web.Request, last_event_id: str) -> web.StreamResponse:
    """The rest of a broken stream; 204, after which no browser asks again, for none."""
    shared = request.app[SHARED]
    found = shared.hub.find(last_event_id)
    if found is None:
        if (elsewhere := await shared.peers.continued(last_event_id)) is not None:
            search_id = last_event_id.rpartition("-")[0]
            return await relay(request, elsewhere, search_id, _retry(request))
        return web.Response(status=204, headers=_HEADERS)
    live, seen = found
    request[SEARCH_ID] = live.id
    if request.method == "HEAD":
        return head("sse")
    return await send(request, _server_sent(request, live, seen), "sse")


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
        return await send(request, _from_elsewhere(request, elsewhere, before), "sse")
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
                request.app[SHARED].metrics.searched(event.answer)
                request.app[SHARED].suggestions.learn(query, event.answer, owner(request))


async def _server_sent(request: web.Request, live: LiveSearch, seen: int) -> AsyncGenerator[bytes]:
    shared = request.app[SHARED]
    yield _retry(request)
    async with aclosing(shared.hub.follow(live, seen)) as written:
        async for event in written:
            yield event or PING


def _retry(request: web.Request) -> bytes:
    """When to come back to a broken stream: a field of the next event, and no event."""
    return b"retry: %d\n" % request.app[SHARED].options.retry


async def send(
    request: web.Request, pieces: AsyncGenerator[bytes], form: str = "sse"
) -> web.StreamResponse:
    """Sends the pieces of a stream as they come; a reader that has left ends it."""
    response = web.StreamResponse(headers=_HEADERS)
    response.content_type = WRITABLE[form].media_type
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
