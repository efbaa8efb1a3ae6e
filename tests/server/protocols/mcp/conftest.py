"""An engine over the demo's databases, which answer at once, and clients of its tools."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestServer

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ApiKeys
from metasearch.settings import Settings

MODES = ("auto", "legacy")
Call = Callable[..., Any]


@asynccontextmanager
async def demo_engine(
    cache_dir: Path | None = None, latency: Any = 0, public_url: str | None = None
) -> AsyncIterator[Engine]:
    async with DemoDatabases(latency=latency) as databases:
        settings = replace(databases.settings(), cache_dir=cache_dir, public_url=public_url)
        async with Engine(settings, spec_files=False) as engine:
            yield engine


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with demo_engine() as running:
        yield running


@pytest.fixture
def client(engine: Engine) -> LocalClient:
    """A client of the tools, in this process."""
    return LocalClient(engine)


class LocalClient:
    """Connects for each call: a client of the package must end in the task in which it began, and
    fixtures end in another one."""

    def __init__(self, engine: Engine) -> None:
        from metasearch.server.protocols.mcp.arguments import Caller
        from metasearch.server.protocols.mcp.protocol import protocol_server

        caller = Caller(engine, Options.of(Settings()))
        self._server = protocol_server(lambda _ctx: caller)

    async def list_tools(self) -> Any:
        from mcp import Client

        async with Client(self._server) as client:
            return await client.list_tools()

    async def call_tool(self, *arguments: Any, **options: Any) -> Any:
        from mcp import Client

        async with Client(self._server) as client:
            return await client.call_tool(*arguments, **options)


@asynccontextmanager
async def server(
    engine: Callable[[], AbstractAsyncContextManager[Engine]] = demo_engine,
    keys: tuple[str, ...] = (),
    **options: Any,
) -> AsyncIterator[TestServer]:
    """A server on a socket; its options are those of `Options`."""
    app = make_app(engine, options=Options(**options), keys=ApiKeys(keys))
    async with TestServer(app) as running:
        yield running


@asynccontextmanager
async def connected(running: TestServer, mode: str = "auto") -> AsyncIterator[Any]:
    """A client of the package `mcp` over HTTP."""
    from mcp import Client

    async with Client(str(running.make_url("/mcp")), mode=mode) as client:
        yield client
