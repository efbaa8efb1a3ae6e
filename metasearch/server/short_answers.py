"""Short answers of a server: sources, plans, translations, suggestions, its health and metrics,
static files; and the requests that one worker answers for the others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson
from aiohttp import web
from multidict import MultiDict

from metasearch import __version__
from metasearch.engine.dry_run import plan_object, targets, translations, translations_object
from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message
from metasearch.server import problem
from metasearch.server.forms import read_parameters
from metasearch.server.identity import owner
from metasearch.server.limits.client_limits import USER
from metasearch.server.metrics import MEDIA_TYPE as METRICS_TYPE
from metasearch.server.metrics import MetricsPage
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.opensearch import SUGGESTIONS_TYPE, describe_search
from metasearch.server.pages.environment import ASSETS, Asset
from metasearch.server.pages.hit import plain_name, read_or_fault
from metasearch.server.pages.page import help_page, page_response, see_other
from metasearch.server.pages.sources import (
    ALL,
    NONE,
    group_sources,
    read_choice,
    sources_page,
)
from metasearch.server.parameters import names, read
from metasearch.server.peers import (
    Peers,
    WorkerSnapshot,
    load_pause,
    user_of_peer,
)
from metasearch.server.problem import Problem
from metasearch.server.process import running_loop_name
from metasearch.server.route import TABLE, LaterModule, crawler_exclusions
from metasearch.server.search import answer_peer_updates
from metasearch.server.search_answers import (
    PING,
    cacheable_response,
    compute_text,
    plan_of,
)
from metasearch.server.site import SHARED, ServerContext, site_of
from metasearch.server.sources import SourceView, join_states, source_object, view
from metasearch.server.suggest import Completion
from metasearch.server.suggest import join_completions as completed
from metasearch.server.visit import visit_of

if TYPE_CHECKING:
    from metasearch.server.protocols.pazpar2 import handler as pazpar2
else:
    pazpar2 = LaterModule("metasearch.server.protocols.pazpar2.handler")

#: Seconds that requests of other workers have when this one stops.
_PATIENCE = 0.2
#: Bytes of the body of a request, at most.
_LONGEST_BODY = 16_384


async def all_workers(shared: ServerContext, *, counted: bool = False) -> list[WorkerSnapshot]:
    """The state of all workers now, this one first.

    `counted` says that the counts are shown to a client; they are saved then, so that they never
    decrease when a worker ends.
    """
    return [_snapshot(shared, counted), *await shared.peers.snapshots(counted)]


@asynccontextmanager
async def answer_peers(shared: ServerContext, peers: Peers) -> AsyncIterator[None]:
    """Answers the other workers, and sends them the pauses of sources, while the block lasts."""

    async def snapshot(request: web.Request) -> web.Response:
        return web.Response(body=_snapshot(shared, "counted" in request.query).dump())

    async def take(request: web.Request) -> web.Response:
        if shared.limiter is None:
            raise web.HTTPNotFound
        return _json_peer_app(asdict(shared.limiter.take(await request.text())))

    async def pause(request: web.Request) -> web.Response:
        try:
            shared.engine.pause(load_pause(await request.read()))
        except (ValueError, MetasearchError) as exc:
            raise web.HTTPBadRequest from exc
        return web.Response(status=204)

    async def suggest(request: web.Request) -> web.Response:
        user = request.query["user"] or None
        completions = shared.suggestions.complete(request.query["q"], user)
        return _json_peer_app([asdict(completion) for completion in completions])

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

    async def updates(request: web.Request) -> web.StreamResponse:
        request[USER] = user_of_peer(request.headers)
        try:
            return await answer_peer_updates(request)
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
    app.router.add_post("/pazpar2", pazpar2.answer_peer)
    # A client that reads a stream through another worker, and disconnects, cancels the handler.
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=_PATIENCE
    )
    await runner.setup()
    try:
        peers.socket.unlink(missing_ok=True)  # left by a worker that was killed
        await web.UnixSite(runner, str(peers.socket)).start()
        shared.engine.on_pause(peers.send_pause)
        yield
    finally:
        shared.engine.on_pause(None)
        await runner.cleanup()
        peers.socket.unlink(missing_ok=True)


def _snapshot(shared: ServerContext, counted: bool) -> WorkerSnapshot:
    states = tuple(shared.engine.source_states())
    counts = shared.metrics.dump()
    if counted:
        shared.peers.save(counts)
    away = shared.engine.sharing.mode == "away"
    return WorkerSnapshot(counts, states, shared.admission.running, away)


def _json_peer_app(content: object) -> web.Response:
    return web.Response(body=orjson.dumps(content), content_type="application/json")


# The routes besides searches: sources, suggestions, the description document, health, files.

#: Searched for in the description document where the server has no examples of its own.
_EXAMPLE = "gene drive"
_LONGEST_PREFIX = 200
#: Sources whose page is written on the loop; that of a hundred takes a tenth of a second.
_FEW_SOURCES = 20


async def answer_sources(request: web.Request) -> web.Response:
    """`/sources`: every source, its limits, keys and state."""
    offered = (("json", "application/json"), ("html", "text/html"))
    named = request.query.get("format")
    chosen = named or problem.choose(request.headers.get("Accept", ""), offered)
    if chosen not in ("json", "html"):
        raise Problem.unacceptable(
            message("The list of sources is available as JSON and as a page."), offered
        )
    async with request.app[SHARED].admission.brief():
        return await _sources(request, chosen)


async def _sources(request: web.Request, form: str) -> web.Response:
    views = await _views(request.app[SHARED])
    if form == "html":
        return await _sources_page(request, views)
    return _json([source_object(source) for source in views], "application/json", Vary="Accept")


async def _sources_page(request: web.Request, views: Sequence[SourceView]) -> web.Response:
    """The list as a form: its buttons lead back to it, or on to a search."""
    shared, visit = request.app[SHARED], visit_of(request)
    registry = shared.engine.registry
    choice = read_choice(
        request.query,
        registry.names(),
        visit.preferences.sources or registry.default(),
        registry.expand,
        shared.options.max_sources,
    )
    if choice.search and choice.query and choice.ticked:
        usual = choice.ticked == {*registry.default()}
        named = "default" if usual else ",".join(sorted(choice.ticked))
        return see_other(
            request, visit.site.path("/search", q=choice.query, sources=named, format="html")
        )
    groups = group_sources(registry, views)
    for parameter, ticked in ((ALL, True), (NONE, False)):
        for group in groups:
            if group.name == request.query.get(parameter):
                choice = choice.changed(group.name, group.sources, ticked=ticked)
    body = await shared.admission.written(
        lambda: sources_page(visit, groups, choice).encode(), large=len(views) > _FEW_SOURCES
    )
    return page_response(request, body)


async def answer_plan(request: web.Request) -> web.Response:
    """`/plan?q=`: the requests that a search with these parameters would send; none is sent."""
    shared = request.app[SHARED]
    parameters = read(request.query, shared.options)
    if not parameters.query:
        raise Problem.bad_parameter("q", message("missing; give a query"))
    return _json(plan_object(await plan_of(request, parameters)), "application/json")


async def answer_translate(request: web.Request) -> web.Response:
    """`/translate?q=`: the query in the syntaxes of databases that people search by hand; no source
    is asked.
    """
    options = request.app[SHARED].options
    parameters = await read_parameters(request, options)
    # Here `to` names syntaxes; on a page it is the last year.
    wanted = read(MultiDict(pair for pair in parameters.items() if pair[0] != "to"), options)
    if not wanted.query:
        raise Problem.bad_parameter("q", message("missing; give a query to translate"))
    named = names(parameters, "to") or ()
    try:
        targets(named)
    except UsageError as exc:
        raise Problem.bad_parameter(
            "to", message("{error}. {advice}", error=str(exc), advice=exc.advice)
        ) from exc
    made = await compute_text(
        request,
        wanted.query,
        lambda: translations_object(translations(wanted.query, named, wanted.syntax)),
    )
    return _json(made, "application/json")


async def answer_help(request: web.Request) -> web.Response:
    """`/help`: how queries are write, and how one is read that the reader types."""
    wanted = read(request.query, request.app[SHARED].options)
    text, syntax = wanted.query, plain_name(wanted.syntax)
    visit = visit_of(request)

    def write() -> str:
        return help_page(visit, text, syntax, read_or_fault(text, syntax) if text else None)

    return page_response(request, await compute_text(request, text, write))


async def answer_suggest(request: web.Request) -> web.Response:
    """`/suggest?q=`: completions from the queries of the operator and of this user; 404
    unless enabled.
    """
    prefix = request.query.get("q", "")
    site = site_of(request)
    if not request.app[SHARED].options.suggest:
        raise web.HTTPNotFound
    completions = await completions_of(request, prefix)
    texts = [completion.text for completion in completions]
    urls = [site.url("/search", q=completion.text, format="html") for completion in completions]
    descriptions = [completion.description for completion in completions]
    return _json([prefix, texts, descriptions, urls], SUGGESTIONS_TYPE)


async def completions_of(request: web.Request, prefix: str) -> list[Completion]:
    """The completions that this user may see, of all workers."""
    shared, user = request.app[SHARED], owner(request)
    typed = prefix[:_LONGEST_PREFIX]
    async with shared.admission.brief():
        own = shared.suggestions.complete(typed, user)
        return completed([own, *(await shared.peers.completions(typed, user) if user else ())])


async def answer_opensearch(request: web.Request) -> web.Response:
    shared = request.app[SHARED]
    example = shared.examples[0] if shared.examples else _EXAMPLE
    async with shared.admission.brief():
        document = describe_search(site_of(request), example, suggests=shared.options.suggest)
    # A browser stores this type as a file; for a person who opens the address it is displayed.
    opened = request.headers.get("Sec-Fetch-Dest") == "document"
    media_type = "application/xml" if opened else OPENSEARCH_TYPE
    return cacheable_response(request, document, media_type, headers={"Vary": "Sec-Fetch-Dest"})


async def answer_healthz(request: web.Request) -> web.Response:
    """`/healthz`: the process is alive; nothing else is checked."""
    return web.Response(text="OK\n", headers={"Cache-Control": "no-store"})


async def answer_readyz(request: web.Request) -> web.Response:
    """`/readyz`: whether a search would find a usable source."""
    views = [source for source in await _views(request.app[SHARED]) if source.default]
    usable = [source.name for source in views if source.usable]
    if not usable:
        raise Problem(
            503,
            "not-ready",
            "; ".join(f"{source.name}: {source.status}" for source in views)
            or message("no source is asked by default"),
            headers={"Cache-Control": "no-store"},
            sources=[{"source": source.name, "status": source.status} for source in views],
        )
    ready: dict[str, object] = {"ready": True, "sources": usable}
    if (mode := request.app[SHARED].engine.sharing.mode) != "alone":
        ready["sharing"] = mode  # a server that is away does not make a replica less ready
    return _json(ready, "application/json")


async def answer_metrics(request: web.Request) -> web.Response:
    """`/metrics`: the counts of all workers, for Prometheus."""
    shared = request.app[SHARED]
    snapshots = await all_workers(shared, counted=True)
    page = MetricsPage(
        [*(snapshot.metrics for snapshot in snapshots), shared.peers.parent_counts()],
        join_states(snapshot.states for snapshot in snapshots),
        sum(snapshot.running for snapshot in snapshots),
        __version__,
        running_loop_name(),
        shared.peers.workers,
        sum(snapshot.away for snapshot in snapshots),
    )
    return web.Response(
        body=page.text(), headers={"Content-Type": METRICS_TYPE, "Cache-Control": "no-store"}
    )


async def _views(shared: ServerContext) -> list[SourceView]:
    """The sources, as all workers together know them."""
    await shared.engine.ready()
    snapshots = await all_workers(shared)
    return view(shared.engine, join_states(snapshot.states for snapshot in snapshots))


async def answer_static(request: web.Request) -> web.Response:
    """`/static/NAME`: one of the files that pages need."""
    asset = ASSETS.get(request.match_info["name"])
    if asset is None:
        raise web.HTTPNotFound
    return _file(request, asset)


async def answer_robots(request: web.Request) -> web.Response:
    """`/robots.txt`: the start page and the list of databases may be visited, searches may not.

    A crawler that follows links would search without end, at the cost of every source.
    """
    site = site_of(request)
    paths = (*crawler_exclusions(request.app[TABLE].values()), "/?q=")
    lines = (f"Disallow: {site.path(path)}\n" for path in paths)
    text = "".join(("User-agent: *\n", *lines, "Allow: /\n"))
    return web.Response(text=text, headers={"Cache-Control": "public, max-age=3600"})


async def answer_favicon(request: web.Request) -> web.Response:
    return _file(request, ASSETS["favicon.ico"])


def _file(request: web.Request, asset: Asset) -> web.Response:
    charset = "utf-8" if asset.is_text else None
    headers = {}
    body, etag = asset.body, asset.etag
    if asset.gzip_body is not None:
        headers["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            body, etag = asset.gzip_body, f"{etag}-gzip"
    if request.query.get("v") and asset.etag.startswith(request.query["v"]):
        headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return cacheable_response(
        request, body, asset.media_type, charset=charset, etag=etag, headers=headers
    )


def _json(content: object, media_type: str, **headers: str) -> web.Response:
    body = orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)
    return web.Response(
        body=body, content_type=media_type, headers={"Cache-Control": "no-store", **headers}
    )
