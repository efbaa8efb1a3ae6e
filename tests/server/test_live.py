"""The register of searches that can be continued is bounded."""

from __future__ import annotations

import asyncio

from metasearch.server.live import Hub
from metasearch.server.options import Options
from tests.server.fake import FakeSearch, answer, hit


async def finished(hub: Hub, name: str) -> None:
    """A search that has run to its end."""
    live = hub.start(FakeSearch(name, answer(hit())))  # type: ignore[arg-type]
    assert [it async for it in hub.follow(live)]


async def test_oldest_finished_search_is_forgotten_first():
    """Only so many finished searches are kept."""
    hub = Hub(Options(max_streams=2))
    for name in ("a", "b", "c"):
        await finished(hub, name)

    assert [hub.find(f"{it}-1") is not None for it in "abc"] == [False, True, True]
    await hub.close()


async def test_bytes_are_bounded():
    """A search whose events alone are too large is not kept at all."""
    hub = Hub(Options(max_stream_bytes=10))
    await finished(hub, "a")

    assert hub.find("a-1") is None
    await hub.close()


async def test_finished_searches_are_forgotten_after_a_while():
    """What has been kept long enough goes."""
    hub = Hub(Options(keep=0.0))
    await finished(hub, "a")
    async with asyncio.timeout(5):
        while hub.find("a-1"):
            await asyncio.sleep(0)

    await hub.close()


async def test_running_searches_are_never_forgotten():
    """A search with a reader stays, however many have finished since."""
    hub = Hub(Options(max_streams=0))
    gate = asyncio.Event()
    live = hub.start(FakeSearch("running", answer(hit()), gate))  # type: ignore[arg-type]
    reading = hub.follow(live)
    await anext(reading)
    await finished(hub, "a")

    assert hub.find("running-1") is not None
    gate.set()
    await reading.aclose()
    await hub.close()


async def test_a_reader_that_comes_back_in_time_keeps_the_search_alive():
    """Only when nobody has come back is a search closed."""
    hub = Hub(Options(grace=0.0))
    gate = asyncio.Event()
    search = FakeSearch("a", answer(hit()), gate)
    live = hub.start(search)  # type: ignore[arg-type]
    first = hub.follow(live)
    await anext(first)
    await first.aclose()
    second = hub.follow(live, 1)
    waiting = asyncio.ensure_future(anext(second))
    for _ in range(10):
        await asyncio.sleep(0)

    assert not search.closed.is_set()
    gate.set()
    await waiting
    await second.aclose()
    await hub.close()


async def test_closing_ends_searches_and_readers():
    """When the server stops, nobody is left waiting."""
    hub = Hub(Options())
    search = FakeSearch("a", answer(hit()), asyncio.Event())
    live = hub.start(search)  # type: ignore[arg-type]
    reading = hub.follow(live)
    await anext(reading)
    await hub.close()

    assert [it async for it in reading] == []
    assert search.closed.is_set()
