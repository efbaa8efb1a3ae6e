"""The server: its routes, and its life from start-up to clean-up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from metasearch.server import routes
from metasearch.server import search as api
from metasearch.server.cookies import Cookies, kept_key
from metasearch.server.limits import Options
from metasearch.server.limits.admission import Admission
from metasearch.server.limits.clients import ApiKeys, Clients, Connection, Connections, RateLimiter
from metasearch.server.live import Hub
from metasearch.server.metrics import Metrics
from metasearch.server.middleware import (
    admitted,
    cors_headers,
    errors,
    observed,
    preflights,
    security_headers,
)
from metasearch.server.pages.advanced import advanced
from metasearch.server.peers import Peers
from metasearch.server.process import address, listen
from metasearch.server.route import Route, add, on_first_request
from metasearch.server.search import updates
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.suggest import Suggestions
from metasearch.server.wing import server_wing
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine

#: Makes the engine inside the running loop, and closes it.
EngineFactory = Callable[[], AbstractAsyncContextManager["Engine"]]

#: Those of a wing stand behind them.
ROUTES = (
    Route(path="/", handler=api.search),
    Route(path="/search", handler=api.search, posts=True, listed=False),
    Route(path="/updates", handler=updates, listed=False),
    Route(path="/plan", handler=routes.plan, listed=False),
    Route(path="/advanced", handler=advanced, listed=False),
    Route(path="/help", handler=routes.help_),
    Route(path="/translate", handler=routes.translate, posts=True),
    Route(path="/sources", handler=routes.sources),
    Route(path="/opensearch.xml", handler=routes.opensearch),
    Route(path="/suggest", handler=routes.suggest, listed=False),
    Route(path="/healthz", handler=routes.healthz, keyless=True, counted="none"),
    Route(path="/readyz", handler=routes.readyz, keyless=True, counted="none"),
    Route(
        path="/metrics",
        handler=routes.metrics,
        action="administer",
        local=True,
        counted="none",
        listed=False,
    ),
    Route(path="/robots.txt", handler=routes.robots, keyless=True, counted="none"),
    Route(path="/favicon.ico", handler=routes.favicon, keyless=True, counted="none"),
    Route(path="/static/{name}", handler=routes.static, keyless=True, counted="none"),
    *(
        Route(
            path=path,
            handler=on_first_request("protocols.searxng", "search"),
            posts=True,
            listed=False,
        )
        for path in ("/searxng", "/searxng/", "/searxng/search")
    ),
    Route(
        path="/searxng/config",
        handler=on_first_request("protocols.searxng", "config"),
        listed=False,
    ),
    Route(
        path="/searxng/autocompleter",
        handler=on_first_request("protocols.searxng", "autocompleter"),
        posts=True,
        listed=False,
    ),
    Route(
        path="/pazpar2/search.pz2",
        handler=on_first_request("protocols.pazpar2.handler", "answer"),
        posts=True,
        counted="by the handler",
        listed=False,
    ),
    Route(path="/work/{id:.+}", handler=on_first_request("pages.work", "work"), listed=False),
    Route(
        path="/basket", handler=on_first_request("pages.basket", "basket"), posts=True, listed=False
    ),
    Route(
        path="/settings",
        handler=on_first_request("pages.settings", "settings"),
        posts=True,
        listed=False,
    ),
    Route(
        path="/unapi", handler=on_first_request("pages.work", "unapi"), counted="none", listed=False
    ),
    Route(
        path="/mcp",
        handler=on_first_request("protocols.mcp.http", "answer"),
        posts=True,
        counted="by the handler",
        listed=False,
    ),
    Route(
        path="/sru",
        handler=on_first_request("protocols.sru.handler", "answer"),
        posts=True,
        listed=False,
    ),
    Route(
        path="/sru/{database}",
        handler=on_first_request("protocols.sru.handler", "answer"),
        posts=True,
        listed=False,
    ),
    Route(
        path="/openapi.json",
        handler=on_first_request("protocols.openapi.routes", "document"),
        keyless=True,
    ),
    Route(path="/docs", handler=on_first_request("protocols.openapi.routes", "docs"), keyless=True),
    Route(
        path="/.well-known/api-catalog",
        handler=on_first_request("protocols.openapi.routes", "api_catalog"),
        keyless=True,
    ),
)
#: Seconds that requests in flight have when the server stops; aiohttp waits for them twice. A
#: server ends within two seconds.
_PATIENCE = 0.6


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
            hub = Hub(limits, metrics.searched)
            limited = limits.rate_limit > 0
            app[SHARED] = ServerContext(
                engine=running,
                options=limits,
                hub=hub,
                admission=Admission(limits.max_searches, running.scheduler),
                suggestions=Suggestions((*running.settings.server.suggestions, *examples)),
                metrics=metrics,
                clients=Clients(limits.trusted_proxies, secret),
                limiter=RateLimiter(
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

    app = web.Application(middlewares=[observed, errors, preflights, admitted])
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
async def listening(
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
    factory, examples, notice = searching(settings, demo=demo)
    app = make_app(
        factory,
        options=limits,
        keys=keys,
        examples=examples,
        notice=notice,
        cookie_key=None if demo else kept_key(settings.cache_dir),
        users=settings.users.mode != "none",
    )
    async with _bound(app, limits, host, port) as url:
        yield url


@asynccontextmanager
async def _bound(app: web.Application, limits: Options, host: str, port: int) -> AsyncIterator[str]:
    """The application behind a socket."""
    async with started(app, limits) as protocol:
        listener = await listen(protocol, host, port)
        try:
            yield address(listener.sockets[0])
        finally:
            listener.close()


@asynccontextmanager
async def started(app: web.Application, limits: Options) -> AsyncIterator[Callable[[], Connection]]:
    """Runs the application for as long as the block lasts; yields the factory of the protocol for
    each connection.
    """
    # A client that disconnects cancels its handler, and with it the requests to the sources.
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=_PATIENCE
    )
    await runner.setup()
    try:
        server = runner.server
        assert server is not None
        connections = Connections(limits, app[SHARED].clients)
        yield lambda: connections.make(server)
    finally:
        await runner.cleanup()


def searching(settings: Settings, *, demo: bool) -> tuple[EngineFactory, Sequence[str], str]:
    """Returns the factory of the engine, example queries, and a notice for the start page."""
    return _demo(settings) if demo else (_engine(settings), (), "")


def _engine(settings: Settings) -> EngineFactory:
    from metasearch.engine.engine import Engine

    return lambda: Engine(settings, spec_files=False)


def _demo(settings: Settings) -> tuple[EngineFactory, Sequence[str], str]:
    from metasearch.demo import EXAMPLE_QUERIES, NOTICE, DemoDatabases
    from metasearch.engine.engine import Engine

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases() as demo,
            Engine(demo.settings(settings), spec_files=False) as running,
        ):
            yield running

    return engine, EXAMPLE_QUERIES, NOTICE
