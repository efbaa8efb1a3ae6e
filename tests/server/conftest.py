"""A server on a real socket around an engine that answers from a script, so that every test is fast
and repeatable."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ApiKeys
from tests.server.fake import FakeEngine

Serve = Callable[..., Awaitable[TestClient[web.Request, web.Application]]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a server around an engine and gives a client for it; options are those of
    `Options`."""
    clients: list[TestClient[web.Request, web.Application]] = []

    async def start(
        engine: FakeEngine | None = None,
        *,
        examples: Sequence[str] = (),
        keys: Sequence[str] = (),
        **options: Any,
    ) -> TestClient[web.Request, web.Application]:
        running = engine or FakeEngine()
        app = make_app(  # type: ignore[arg-type,return-value]
            lambda: running, options=Options(**options), keys=ApiKeys(keys), examples=examples
        )
        client = TestClient(TestServer(app))
        await client.start_server()
        clients.append(client)
        return client

    yield start
    for client in clients:
        await client.close()


@pytest.fixture
def engine() -> FakeEngine:
    """An engine with two hits from two sources."""
    return FakeEngine()


@pytest.fixture
async def client(serve: Serve, engine: FakeEngine) -> TestClient[web.Request, web.Application]:
    """A client of a server around `engine`."""
    return await serve(engine)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where workers ask one another; pytest's own folders have names that are too long for
    sockets."""
    with tempfile.TemporaryDirectory(prefix="ms-") as name:
        yield Path(name)
