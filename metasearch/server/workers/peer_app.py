"""The requests that one worker of a server answers for the others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict

import orjson
from aiohttp import web

from metasearch.errors import MetasearchError
from metasearch.server.answering import PING
from metasearch.server.limits.clients import USER
from metasearch.server.problem import Problem
from metasearch.server.route import on_first_request
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.workers.peers import Peers, Snapshot, asking_user, loaded_pause

#: Seconds that requests of other workers have when this one stops.
_PATIENCE = 0.2
#: Bytes of the body of a request, at most.
_LONGEST_BODY = 16_384


async def all_workers(shared: ServerContext, *, counted: bool = False) -> list[Snapshot]:
    """The state of all workers now, this one first.

    `counted` says that the counts are shown to a client; they are saved then, so that they never
    decrease when a worker ends.
    """
    return [_snapshot(shared, counted), *await shared.peers.snapshots(counted)]


@asynccontextmanager
async def answering(shared: ServerContext, peers: Peers) -> AsyncIterator[None]:
    """Answers the other workers, and sends them the pauses of sources, while the block lasts."""

    async def snapshot(request: web.Request) -> web.Response:
        return web.Response(body=_snapshot(shared, "counted" in request.query).dumped())

    async def take(request: web.Request) -> web.Response:
        if shared.limiter is None:
            raise web.HTTPNotFound
        return _json(asdict(shared.limiter.take(await request.text())))

    async def pause(request: web.Request) -> web.Response:
        try:
            shared.engine.pause(loaded_pause(await request.read()))
        except (ValueError, MetasearchError) as exc:
            raise web.HTTPBadRequest from exc
        return web.Response(status=204)

    async def suggest(request: web.Request) -> web.Response:
        user = request.query["user"] or None
        completions = shared.suggestions.complete(request.query["q"], user)
        return _json([asdict(completion) for completion in completions])

    async def live(request: web.Request) -> web.StreamResponse:
        found = shared.hub.find(request.query["after"])
        if found is None:
            return web.Response(status=204)
        response = web.StreamResponse()
        await response.prepare(request)
        async with aclosing(shared.hub.follow(*found)) as events:
            async for event in events:
                await response.write(event or PING)
        return response

    answer_updates = on_first_request("search", "peer_updates")

    async def updates(request: web.Request) -> web.StreamResponse:
        request[USER] = asking_user(request.headers)
        try:
            return await answer_updates(request)
        except (Problem, MetasearchError) as exc:  # the worker that was asked says why
            raise web.HTTPBadRequest from exc

    app = web.Application(client_max_size=_LONGEST_BODY)
    app.router.add_get("/snapshot", snapshot)
    app.router.add_post("/take", take)
    app.router.add_post("/pause", pause)
    app.router.add_get("/suggest", suggest)
    app.router.add_get("/live", live)
    app.router.add_get("/updates", updates)
    app[SHARED] = shared
    app.router.add_post("/pazpar2", on_first_request("protocols.pazpar2.handler", "answer_peer"))
    # A client that reads a stream through another worker, and disconnects, cancels the handler.
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=_PATIENCE
    )
    await runner.setup()
    try:
        peers.socket.unlink(missing_ok=True)  # left by a worker that was killed
        await web.UnixSite(runner, str(peers.socket)).start()
        shared.engine.when_paused(peers.send_pause)
        yield
    finally:
        shared.engine.when_paused(None)
        await runner.cleanup()
        peers.socket.unlink(missing_ok=True)


def _snapshot(shared: ServerContext, counted: bool) -> Snapshot:
    states = tuple(shared.engine.source_states())
    counts = shared.metrics.dump()
    if counted:
        shared.peers.save(counts)
    away = shared.engine.sharing.mode == "away"
    return Snapshot(counts, states, shared.admission.running, away)


def _json(content: object) -> web.Response:
    return web.Response(body=orjson.dumps(content), content_type="application/json")
