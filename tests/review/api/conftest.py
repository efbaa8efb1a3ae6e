"""A server with a workspace, in front of the demo's databases, which answer at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from metasearch import demo
from metasearch.demo import DemoDatabases
from metasearch.server.app import open_server
from metasearch.settings import Settings


@dataclass(frozen=True)
class Api:
    """A client of `/api/projects`."""

    session: aiohttp.ClientSession
    base: str
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def get(self, path: str = "", status: int = 200, **parameters: str) -> Any:
        """The JSON answer to a GET, which must have this status."""
        async with self.session.get(f"{self.base}{path}", params=parameters) as response:
            assert response.status == status, await response.text()
            return await response.json(content_type=None)

    async def post(self, path: str = "", status: int = 200, /, **members: Any) -> Any:
        """The JSON answer to a POST of these members."""
        async with self.session.post(f"{self.base}{path}", json=members) as response:
            assert response.status == status, await response.text()
            return await response.json(content_type=None)

    async def shut(self) -> None:
        """End the server, as a signal has it end."""
        await self.stack.aclose()

    async def ended(self, path: str) -> Any:
        """A run at its end."""
        while (run := await self.get(path))["status"] == "running":
            await asyncio.sleep(0.02)
        return run

    async def answered(self, path: str) -> None:
        """Wait until a source's answer to a run is stored whole."""
        while all(answer["status"] == "running" for answer in (await self.get(path))["answers"]):
            await asyncio.sleep(0.02)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of a server with a workspace of its own."""
    return Settings(workspace=tmp_path / "workspace.sqlite3", serve_workspace=True)


@pytest.fixture
def latency() -> Mapping[str, float]:
    """Name of a database -> the seconds that it takes; the others answer at once."""
    return {}


@pytest.fixture
async def api(
    settings: Settings, latency: Mapping[str, float], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Api]:
    """The interface of such a server."""
    monkeypatch.setattr(
        demo, "DemoDatabases", lambda **more: DemoDatabases(latency=latency, **more)
    )
    async with second(settings) as made:
        yield made


@asynccontextmanager
async def second(settings: Settings) -> AsyncIterator[Api]:
    """The interface of a further server on the same file."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(open_server(settings, demo=True))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        yield Api(session, f"{url.rstrip('/')}/api/projects", stack)
