"""The server: its routes, and its life from start-up to clean-up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import web

from metasearch.server import search as api
from metasearch.server import short_answers
from metasearch.server.cookies import Cookies, load_key
from metasearch.server.limits import Options
from metasearch.server.limits.admission import Admission
from metasearch.server.limits.client_limits import (
    ApiKeys,
    ClientConnection,
    ClientConnections,
    ClientRateLimiter,
    Clients,
)
from metasearch.server.live import Hub
from metasearch.server.metrics import Metrics
from metasearch.server.middleware import (
    admit,
    cors_headers,
    errors,
    observe,
    preflights,
    security_headers,
)
from metasearch.server.pages.advanced import answer_advanced
from metasearch.server.peers import Peers
from metasearch.server.process import address, listen
from metasearch.server.route import LaterModule, Route, add
from metasearch.server.search import answer_updates
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.suggest import Suggestions
from metasearch.server.wing import server_wing
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine
    from metasearch.server import citations, references
    from metasearch.server.pages import basket as basket_page
    from metasearch.server.pages import settings as settings_page
    from metasearch.server.pages import work as work_page
    from metasearch.server.protocols import searxng
    from metasearch.server.protocols.mcp import http as mcp
    from metasearch.server.protocols.openapi import routes as openapi
    from metasearch.server.protocols.pazpar2 import handler as pazpar2
    from metasearch.server.protocols.sru import handler as sru
else:
    basket_page = LaterModule("metasearch.server.pages.basket")
    settings_page = LaterModule("metasearch.server.pages.settings")
    work_page = LaterModule("metasearch.server.pages.work")
    mcp = LaterModule("metasearch.server.protocols.mcp.http")
    openapi = LaterModule("metasearch.server.protocols.openapi.routes")
    citations = LaterModule("metasearch.server.citations")
    references = LaterModule("metasearch.server.references")
    pazpar2 = LaterModule("metasearch.server.protocols.pazpar2.handler")
    searxng = LaterModule("metasearch.server.protocols.searxng")
    sru = LaterModule("metasearch.server.protocols.sru.handler")

#: Makes the engine inside the running loop, and closes it.
EngineFactory = Callable[[], AbstractAsyncContextManager["Engine"]]

#: What search engines leave aside; what needs no key; and what no quota counts either.
_aside = partial(Route, listed=False)
_open = partial(Route, keyless=True)
_free = partial(_open, counted="none")
#: Those of a wing stand behind them.
ROUTES = (
    Route(path="/", handler=api.answer_search),
    _aside("/search", api.answer_search, posts=True),
    _aside("/updates", answer_updates),
    _aside("/plan", short_answers.answer_plan),
    _aside("/advanced", answer_advanced),
    Route(path="/help", handler=short_answers.answer_help),
    Route(path="/translate", handler=short_answers.answer_translate, posts=True),
    Route(path="/sources", handler=short_answers.answer_sources),
    Route(path="/opensearch.xml", handler=short_answers.answer_opensearch),
    _aside("/suggest", short_answers.answer_suggest),
    _free("/healthz", short_answers.answer_healthz),
    _free("/readyz", short_answers.answer_readyz),
    _aside(
        "/metrics", short_answers.answer_metrics, action="administer", local=True, counted="none"
    ),
    _free("/robots.txt", short_answers.answer_robots),
    _free("/favicon.ico", short_answers.answer_favicon),
    _free("/static/{name}", short_answers.answer_static),
    *(
        _aside(path, searxng.answer_search, posts=True)
        for path in ("/searxng", "/searxng/", "/searxng/search")
    ),
    _aside("/searxng/config", searxng.answer_config),
    _aside(
        "/searxng/autocompleter",
        searxng.answer_autocompleter,
        posts=True,
    ),
    _aside(
        "/pazpar2/search.pz2",
        pazpar2.answer,
        posts=True,
        counted="by the handler",
    ),
    _aside("/work/{id:.+}", work_page.answer_work),
    _aside("/lookup", references.answer_lookup, posts=True),
    _aside("/check", references.answer_check, posts=True),
    _aside("/cite", citations.answer_cite, posts=True),
    _aside("/basket", basket_page.answer_basket, posts=True),
    _aside("/settings", settings_page.answer_settings, posts=True),
    _aside("/unapi", work_page.answer_unapi, counted="none"),
    _aside(
        "/mcp",
        mcp.answer,
        posts=True,
        counted="by the handler",
    ),
    *(_aside(path, sru.answer, posts=True) for path in ("/sru", "/sru/{database}")),
    _open("/openapi.json", openapi.answer_document),
    _open("/docs", openapi.answer_docs),
    _open("/.well-known/api-catalog", openapi.answer_catalog),
)
#: Seconds that requests in flight have when the server stops; aiohttp waits for them twice. A
#: server ends within two seconds.
_PATIENCE = 0.6
#: Seconds until a connection that was accepted just now has said what it asks for.
_FIRST_REQUEST = 0.5


def make_app(
    engine: EngineFactory,
    *,
    options: Options | None = None,
    keys: ApiKeys | None = None,
    examples: Sequence[str] = (),
    notice: str = "",
    peers: Peers | None = None,
    secret: bytes | None = None,
    cookie_key: bytes | None = None,
    users: bool = False,
) -> web.Application:
    """The web application.

    Args:
        engine: `lambda: Engine(settings)`; called at start-up, its result is closed at clean-up.
            Start-up fails with SpecError or UnknownSource where a source that is asked by default
            cannot be used.
        options: Limits; None takes the defaults of `Options`.
        keys: The API keys; None if everyone may ask.
        examples: Queries that find something, for the start page, the description document and
            suggestions.
        peers: The other workers of the server; None if there are none.
        secret: Key of the pseudonyms of clients, equal for all workers; None draws one.
        cookie_key: What cookies are signed with, equal for all workers; None draws one.
    """
    limits = options or Options()
    others = peers or Peers()
    wing = server_wing()

    async def lifespan(app: web.Application) -> AsyncIterator[None]:
        async with engine() as running:
            for name in running.registry.default():
                running.registry.spec(name)
            await wing.open(app, running)
            metrics = Metrics(running.source_states, others.saved(), lambda: running.sharing)
            hub = Hub(limits, metrics.count_search)
            limited = limits.rate_limit > 0
            app[SHARED] = ServerContext(
                engine=running,
                options=limits,
                hub=hub,
                admission=Admission(limits.max_searches, running.scheduler),
                suggestions=Suggestions((*running.settings.server.suggestions, *examples)),
                metrics=metrics,
                clients=Clients(limits.trusted_proxies, secret),
                limiter=ClientRateLimiter(
                    _part(limits.rate_limit, running), limits.rate_window, limits.max_clients
                )
                if limited
                else None,
                keys=keys or ApiKeys(),
                peers=others,
                cookies=Cookies(cookie_key),
                examples=tuple(examples),
                notice=notice,
                wing=wing,
            )
            yield
            await app[SHARED].close_faces()
            await wing.close()
            await app[SHARED].hub.close()
            app[SHARED].admission.close()
            await others.close()

    async def end_streams(app: web.Application) -> None:
        await app[SHARED].close_faces()
        await app[SHARED].hub.close()

    app = web.Application(middlewares=[observe, errors, preflights, admit])
    app.cleanup_ctx.append(lifespan)
    app.on_shutdown.append(end_streams)
    app.on_response_prepare.append(security_headers)
    app.on_response_prepare.append(cors_headers)
    add(app, (*ROUTES, *wing.routes(users=users)))
    return app


def _part(limit: int, engine: Engine) -> int:
    """What this replica allows a client while it cannot ask the others."""
    shared = engine.settings.shared
    return max(1, limit // shared.replicas) if shared.url else limit


@asynccontextmanager
async def open_server(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    demo: bool = False,
    options: Options | None = None,
) -> AsyncIterator[str]:
    """Runs a server for as long as the block lasts; yields its address. `options` of None are as
    configured. Raises UsageError: it cannot listen there; SettingsError: as `serve`.
    """
    limits = options or Options.of(settings)
    keys = ApiKeys.load(settings)
    factory, examples, notice = engine_and_examples(settings, demo=demo)
    app = make_app(
        factory,
        options=limits,
        keys=keys,
        examples=examples,
        notice=notice,
        cookie_key=None if demo else load_key(settings.cache_dir),
        users=settings.users.mode != "none",
    )
    async with _bind(app, limits, host, port) as url:
        yield url


@asynccontextmanager
async def _bind(app: web.Application, limits: Options, host: str, port: int) -> AsyncIterator[str]:
    async with run_app(app, limits) as protocol:
        listener = await listen(protocol, host, port)
        try:
            yield address(listener.sockets[0])
        finally:
            listener.close()


@asynccontextmanager
async def run_app(
    app: web.Application, limits: Options, patience: Callable[[], float] = lambda: 0
) -> AsyncIterator[Callable[[], ClientConnection]]:
    """Runs the application for as long as the block lasts; yields the factory of the protocol for
    each connection. `patience`: asked at the end of the block for the seconds that running requests
    have, beside those of every end.
    """
    # A client that disconnects cancels its handler, and with it the requests to the sources.
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=_PATIENCE
    )
    await runner.setup()
    try:
        server = runner.server
        assert server is not None
        connections = ClientConnections(limits, app[SHARED].clients)
        yield lambda: connections.make(server)
        await _finish_requests(server, patience())
    finally:
        await runner.cleanup()


async def _finish_requests(server: web.Server, seconds: float) -> None:
    """Waits until no request runs, for so many seconds at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.sleep(_FIRST_REQUEST)
            server.pre_shutdown()  # idle connections are closed
            while server.connections:  # noqa: ASYNC110 - aiohttp has no event for it
                await asyncio.sleep(0.05)


def engine_and_examples(
    settings: Settings, *, demo: bool
) -> tuple[EngineFactory, Sequence[str], str]:
    """Returns the factory of the engine, example queries, and a notice for the start page."""
    return _demo(settings) if demo else (_engine(settings), (), "")


def _engine(settings: Settings) -> EngineFactory:
    from metasearch.engine.engine import Engine

    return lambda: Engine(settings, spec_files=False)


def _demo(settings: Settings) -> tuple[EngineFactory, Sequence[str], str]:
    from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases, notice
    from metasearch.engine.engine import Engine

    catalogue = settings.demo_catalogue

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(catalogue=catalogue) as demo,
            Engine(demo.settings(settings), spec_files=False) as running,
        ):
            yield running

    return engine, () if catalogue else EXAMPLE_QUERIES, notice(catalogue)
