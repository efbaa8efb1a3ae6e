from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from metasearch.engine.engine import Engine
from metasearch.settings import Settings, SharedSettings
from tests.replicas.servers import SECRET, running


def settings(url: str, workers: int = 1) -> Settings:
    """Of a replica."""
    return Settings(shared=SharedSettings(url, 2, SECRET.decode()), workers=workers)


@pytest.mark.redis
async def test_engines_tell_one_another_of_pauses(tmp_path: Path) -> None:
    """What one has to wait for, the others wait for, also one that begins later."""
    with running(tmp_path) as server:
        async with Engine(settings(server.url)) as one, Engine(settings(server.url)) as other:
            one._fetcher.sharing.tell("crossref", "limited", 30.0)
            async with asyncio.timeout(60):
                while _state(other) != "paused":
                    await asyncio.sleep(0.02)
            assert _state(one) == "ok"  # it has paused the source itself, before it told
            async with Engine(settings(server.url)) as late, asyncio.timeout(60):
                while _state(late) != "paused":
                    await asyncio.sleep(0.02)
            assert one.sharing.mode == "shared"


def _state(engine: Engine) -> str:
    return next(it.state for it in engine.source_states() if it.source == "crossref")


async def test_words_that_no_replica_sends_pause_nothing() -> None:
    """A cause that is not known, and a source that is not there."""
    async with Engine(Settings()) as engine:
        engine._begin_pause("crossref", "nonsense", 30.0)
        engine._begin_pause("nowhere", "limited", 30.0)
        assert {it.state for it in engine.source_states()} == {"ok"}

        engine._begin_pause("crossref", "limited", 1e9)
        assert _state(engine) == "paused"


async def test_workers_of_a_replica_divide_nothing_but_its_part() -> None:
    """Limits are whole while the server can be used; each worker of each replica has its part when
    it cannot."""
    async with (
        Engine(Settings(workers=2)) as divided,
        Engine(settings("redis://127.0.0.1:1", workers=2)) as shared,
    ):
        whole = shared.registry.limits("crossref")
        assert divided.registry.spec("crossref").limits == whole.part(2)
        assert shared.registry.spec("crossref").limits == whole
        assert shared._fetcher.sharing.replicas == 4


async def test_without_a_server_nothing_is_shared() -> None:
    """As it always was."""
    async with Engine(Settings()) as engine:
        assert engine.sharing.mode == "alone"
