"""The server: its routes, its life from start-up to clean-up, and `serve`, which the command line calls."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.server import api, routes
from metasearch.server.gate import Gate
from metasearch.server.live import Hub
from metasearch.server.middleware import LONGEST_LINE, errors, security_headers
from metasearch.server.options import Options
from metasearch.server.site import SHARED, Shared
from metasearch.server.suggest import Suggestions
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.engine import Engine

#: Makes the engine inside the running loop, and closes it.
EngineFactory = Callable[[], AbstractAsyncContextManager["Engine"]]

ROUTES = (
    ("/", api.search),
    ("/search", api.search),
    ("/sources", routes.sources),
    ("/opensearch.xml", routes.opensearch),
    ("/suggest", routes.suggest),
    ("/healthz", routes.healthz),
    ("/readyz", routes.readyz),
    ("/favicon.ico", routes.favicon),
    ("/static/{name}", routes.static),
)
#: Seconds that requests in flight have when the server is told to stop.
_PATIENCE = 2.0


def make_app(
    engine: EngineFactory, *, options: Options | None = None, examples: Sequence[str] = (), notice: str = ""
) -> web.Application:
    """The web application.

    Args:
        engine: `lambda: Engine(settings)`; called at start-up, its result is closed at clean-up. Start-up fails with
            SpecError or UnknownSource where a source that is asked by default cannot be used.
        options: Limits; None takes the usual ones.
        examples: Queries that find something, for the start page, the description document and suggestions.
        notice: What visitors should know about this server, for the start page.
    """
    limits = options or Options()

    async def lifespan(app: web.Application) -> AsyncIterator[None]:
        async with engine() as running:
            for name in running.registry.default():
                running.registry.spec(name)
            hub = Hub(limits)
            gate = Gate(limits.max_searches, elsewhere=lambda: hub.running)
            app[SHARED] = Shared(running, limits, hub, gate, Suggestions(examples), tuple(examples), notice)
            yield
            await app[SHARED].hub.close()

    async def end_streams(app: web.Application) -> None:
        await app[SHARED].hub.close()

    app = web.Application(middlewares=[errors])
    app.cleanup_ctx.append(lifespan)
    app.on_shutdown.append(end_streams)
    app.on_response_prepare.append(security_headers)
    for path, handler in ROUTES:
        app.router.add_get(path, handler)
    return app


def serve(settings: Settings, *, host: str = "127.0.0.1", port: int = 8080, demo: bool = False) -> None:
    """Serves until SIGINT or SIGTERM comes; says on stderr where, once it listens.

    Args:
        settings: The configuration.
        host: A name or address of this machine; those beyond loopback are reachable from outside.
        port: 0 takes any free one.
        demo: Answers from the embedded demo databases instead of the configured sources.

    Raises:
        UsageError: It cannot listen there.
        SpecError: A source that is asked by default has a wrong spec.
    """
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(settings, host, port, demo))


async def _serve(settings: Settings, host: str, port: int, demo: bool) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C arrives as KeyboardInterrupt
            loop.add_signal_handler(name, stopped.set)
    async with listening(settings, host=host, port=port, demo=demo) as url:
        sys.stderr.write(f"metasearch is listening on {url} (press Ctrl-C to stop)\n")
        sys.stderr.flush()
        await stopped.wait()


@asynccontextmanager
async def listening(
    settings: Settings, *, host: str = "127.0.0.1", port: int = 0, demo: bool = False
) -> AsyncIterator[str]:
    """A running server, for as long as the block lasts; gives its address.

    Raises:
        UsageError: It cannot listen there.
    """
    factory, examples, notice = _demo(settings) if demo else (_engine(settings), (), "")
    # A client that goes away cancels its handler, and with it the requests to the sources.
    runner = web.AppRunner(
        make_app(factory, examples=examples, notice=notice),
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=_PATIENCE,
        # Longer than what the middleware lets pass: what aiohttp itself refuses gets no problem document.
        max_line_size=8 * LONGEST_LINE,
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except (OSError, OverflowError) as exc:
            reason = getattr(exc, "strerror", None) or str(exc)
            raise UsageError(
                f"cannot listen on {host}:{port}: {reason}", advice="Choose another --port or --host."
            ) from exc
        address, number = runner.addresses[0][:2]
        yield f"http://{f'[{address}]' if ':' in address else address}:{number}/"
    finally:
        await runner.cleanup()


def _engine(settings: Settings) -> EngineFactory:
    from metasearch.engine import Engine

    return lambda: Engine(settings)


def _demo(settings: Settings) -> tuple[EngineFactory, Sequence[str], str]:
    from metasearch.demo import EXAMPLE_QUERIES, NOTICE, DemoDatabases
    from metasearch.engine import Engine

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with DemoDatabases() as demo, Engine(demo.settings(settings)) as running:
            yield running

    return engine, EXAMPLE_QUERIES, NOTICE
