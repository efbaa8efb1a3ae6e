from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import fakeredis
import pytest
import pytest_asyncio
from fakeredis._socket import _base
from fakeredis.commands_mixins import server_mixin

from metasearch.replicas.redis import RedisSharing
from tests.replicas.servers import Server, in_memory, replica, running


class ServerClock:
    """The clock of a server in memory, which moves when a test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ServerClock:
    """Time in the server stands still but for what the test adds."""
    it = ServerClock()
    names = {name: getattr(time, name) for name in dir(time) if not name.startswith("_")}
    stopped = SimpleNamespace(**(names | {"time": it.time}))
    monkeypatch.setattr(server_mixin, "time", stopped)
    monkeypatch.setattr(_base, "time", stopped)
    return it


@pytest_asyncio.fixture
async def two() -> AsyncIterator[tuple[RedisSharing, RedisSharing]]:
    """Two replicas and one server in memory, which began long ago."""
    memory = fakeredis.FakeServer()
    both = replica(in_memory(memory)), replica(in_memory(memory))
    await both[0].connection.command("SET", both[0].names.of("began"), "1")
    yield both
    for one in both:
        await one.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A process; skips where no server is installed."""
    with running(tmp_path) as it:
        yield it
