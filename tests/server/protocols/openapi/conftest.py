"""A server in front of the demo, as schemas are tried on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from metasearch.demo import EXAMPLE_QUERIES, DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.protocols.openapi.operation import Chapter
from metasearch.server.site import SHARED
from metasearch.settings import Settings

OPTIONS = Options(suggest=True)


def app(settings: Settings | None = None) -> web.Application:
    """A server whose databases answer at once; one of them fails."""

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with (
            DemoDatabases(0.0, faults=True) as databases,
            Engine(databases.settings(settings)) as running,
        ):
            yield running

    return make_app(engine, options=OPTIONS, examples=EXAMPLE_QUERIES)


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[TestClient]:
    """A client of that server, which has a workspace."""
    settings = Settings(workspace=tmp_path / "workspace.sqlite3", serve_workspace=True)
    async with TestClient(TestServer(app(settings))) as client:
        yield client


@pytest.fixture
def chapter(demo: TestClient) -> Chapter:
    """What the document of that server says of its wing."""
    assert demo.app is not None
    return demo.app[SHARED].wing.chapter()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _document(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("openapi")
    settings = Settings(workspace=folder / "workspace.sqlite3", serve_workspace=True)
    async with TestClient(TestServer(app(settings))) as client:
        return await (await client.get("/openapi.json")).read()


@pytest.fixture
def document(_document: bytes) -> dict[str, Any]:
    """The OpenAPI document of that server."""
    return orjson.loads(_document)
