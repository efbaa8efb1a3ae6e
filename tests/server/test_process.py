"""Which event loop a server runs on."""

from __future__ import annotations

import asyncio

import pytest

from metasearch.errors import UsageError
from metasearch.server.process import loop_factory, running_loop_name


async def name() -> str:
    return running_loop_name()


def test_asyncio_is_always_there() -> None:
    """It is what a runner takes by itself."""
    with asyncio.Runner(loop_factory=loop_factory("asyncio")) as runner:
        assert runner.run(name()) == "asyncio"


@pytest.mark.parametrize("choice", ["auto", "uvloop"])
def test_uvloop_where_it_is_installed(choice) -> None:
    """By its name, and by itself."""
    pytest.importorskip("uvloop")
    with asyncio.Runner(loop_factory=loop_factory(choice)) as runner:
        assert runner.run(name()) == "uvloop"


def test_without_uvloop(monkeypatch) -> None:
    """Nobody misses it who has not asked for it."""
    monkeypatch.setattr("metasearch.server.process.is_installed", lambda _: False)

    assert loop_factory("auto") is None
    with pytest.raises(UsageError, match="uvloop is not installed") as raised:
        loop_factory("uvloop")
    assert 'pip install ".[uvloop]"' in raised.value.advice
