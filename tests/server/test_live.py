"""The register of searches that can be continued is bounded."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from dataclasses import dataclass, fields

import orjson

from metasearch.events import (
    Added,
    Answer,
    Facet,
    Facets,
    FacetsChanged,
    FacetValue,
    Finished,
    Order,
    SearchEvent,
)
from metasearch.formats.events import sse
from metasearch.server.limits import Options
from metasearch.server.live import Hub, LiveSearch
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
    async with asyncio.timeout(60):
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


async def test_what_is_not_kept_is_gone():
    """No timer, task or reader holds a search that has been forgotten: of a hundred streams only
    two stay."""
    hub = Hub(Options(max_streams=2, keep=60.0, grace=60.0))
    held: list[weakref.ref[LiveSearch]] = []
    for number in range(100):
        live = hub.start(FakeSearch(f"s{number}", answer(hit())))  # type: ignore[arg-type]
        assert [it async for it in hub.follow(live)]
        held.append(weakref.ref(live))
    del live
    await asyncio.sleep(0)
    gc.collect()

    assert sum(it() is not None for it in held) == 2
    await hub.close()


class Weak(Answer):
    """An answer of which can be seen whether it is still there."""

    __slots__ = ("__weakref__",)


async def test_an_answer_is_not_kept_beside_its_events():
    """The events say all of it; as objects it would take many times their bytes."""
    hub = Hub(Options())
    plain = answer(hit())
    told = Weak(**{it.name: getattr(plain, it.name) for it in fields(plain)})
    gone = weakref.ref(told)
    live = hub.start(FakeSearch("a", told))  # type: ignore[arg-type]
    assert [it async for it in hub.follow(live)]
    del told
    await asyncio.sleep(0)
    gc.collect()

    assert hub.find("a-1") is not None
    assert gone() is None
    await hub.close()


def long(hits: int) -> FakeSearch:
    """A search with an event for each of so many hits, more than a kilobyte each."""
    return FakeSearch(
        "long", answer(*(hit(number + 1, abstract="x" * 1000) for number in range(hits)))
    )


async def test_a_running_search_waits_for_a_slow_reader():
    """What it holds for one who does not read is bounded; one who reads gets everything all the
    same."""
    hub = Hub(Options(max_running_bytes=20_000))
    live = hub.start(long(100))  # type: ignore[arg-type]
    reading = hub.follow(live)
    events = [await anext(reading)]
    for _ in range(500):
        await asyncio.sleep(0)
        assert live.size < 40_000
    assert live.state == "running"
    async for event in reading:
        assert live.state == "finished" or live.size < 40_000
        events.append(event)

    assert live.state == "finished"
    numbers = [
        int(line[len(b"id: long-") :])
        for event in events
        for line in event.splitlines()
        if line[:3] == b"id:"
    ]
    assert numbers == list(range(1, len(live) + 1))
    await hub.close()


def counted(works: int) -> FacetsChanged:
    """Facets that take about a kilobyte."""
    value = FacetValue("x" * 1000, works, "venue:x")
    return FacetsChanged(Facets(works, (Facet("venue", (value,)),)))


def kinds(written: list[bytes]) -> list[str]:
    """The kind and number of each event, and the works that facets speak of."""
    shown = []
    for event in written:
        kind, number, data = (line.partition(b": ")[2].decode() for line in event.splitlines()[:3])
        works = f" of {orjson.loads(data)['works']}" if kind == "facets" else ""
        shown.append(f"{kind} {number}{works}")
    return shown


async def after(live: LiveSearch, seen: int) -> list[str]:
    """What a reader gets that comes back to a search that has ended."""
    return kinds([event async for event in live.after(seen, 1.0)])


async def test_newer_facets_take_the_place_of_older_ones():
    """One who reads late, or comes back, gets the newest; numbers stay as they were."""
    live = LiveSearch("a")
    for event in (counted(1), Order(("x",)), counted(2), Order(("y",)), counted(3), Order(())):
        live.publish(event)
    live.close()

    assert await after(live, 0) == ["order a-2", "order a-4", "facets a-5 of 3", "order a-6"]
    assert await after(live, 3) == ["order a-4", "facets a-5 of 3", "order a-6"]
    assert await after(live, 5) == ["order a-6"]


async def test_a_reader_that_keeps_up_gets_all_facets():
    """Each as it comes, with the next number."""
    live = LiveSearch("a")
    reading = live.after(0, 1.0)
    got = []
    for works in range(1, 4):
        live.publish(counted(works))
        got.append(await anext(reading))
    await reading.aclose()

    assert kinds(got) == [f"facets a-{works} of {works}" for works in range(1, 4)]


async def test_facets_do_not_add_up():
    """A thousand of them take the bytes of one, also where those before are gone already."""
    live = LiveSearch("a")
    for works in range(1000):
        live.publish(counted(works))
    assert live.size == len(sse(counted(999), "a-1000"))

    reading = live.after(0, 1.0)
    assert kinds([await anext(reading)]) == ["facets a-1000 of 999"]
    waiting = asyncio.ensure_future(anext(reading))
    await asyncio.sleep(0)  # it asks for the next one, so the last one has been read
    await live.fit(lambda: 0)
    assert (live.size, live.gone) == (0, 1000)
    live.publish(counted(1000))
    assert live.size == len(sse(counted(1000), "a-1001"))
    await waiting
    await reading.aclose()


@dataclass
class CountingSearch:
    """A search that sends facets behind each of so many hits."""

    hits: int
    id: str = "a"

    async def __aiter__(self) -> AsyncIterator[SearchEvent]:
        for number in range(self.hits):
            yield Added(hit(number + 1))
            yield counted(number)
        yield Finished(answer())

    async def aclose(self) -> None:
        pass


async def test_a_slow_reader_gets_facets_once_for_all_that_waited():
    """While it sleeps the search goes on; then it gets every hit, and the newest facets."""
    hub = Hub(Options())
    live = hub.start(CountingSearch(40))
    reading = hub.follow(live)
    got = [await anext(reading)]
    while live.state == "running":
        await asyncio.sleep(0)
    got += [event async for event in reading]

    shown = kinds(got)
    assert sum(event.startswith("hit") for event in shown) == 40
    assert [event for event in shown if event.startswith("facets")] == ["facets a-80 of 39"]
    assert shown[-1] == "done a-81"
    await hub.close()


async def test_what_is_gone_cannot_be_continued():
    """One who comes back too late for the beginning starts anew."""
    hub = Hub(Options(max_running_bytes=20_000))
    live = hub.start(long(100))  # type: ignore[arg-type]
    assert [it async for it in hub.follow(live)]

    assert live.gone > 1
    assert hub.find("long-1") is None
    assert hub.find(f"long-{live.gone + 1}") is not None
    await hub.close()


async def test_running_searches_share_the_bytes():
    """With four of them each may hold a quarter."""
    hub = Hub(Options(max_running_bytes=40_000))
    lives = []
    for name in "abcd":
        search = long(100)
        search.id = name
        lives.append(hub.start(search))  # type: ignore[arg-type]
    readers = [hub.follow(live) for live in lives]
    for reader in readers:
        await anext(reader)
    for _ in range(500):
        await asyncio.sleep(0)

    assert sum(live.size for live in lives) < 60_000
    for reader in readers:
        await reader.aclose()
    await hub.close()


async def test_a_search_that_nobody_begins_to_read_ends():
    """Its reader left before the first event."""
    hub = Hub(Options(grace=0.0))
    search = FakeSearch("a", answer(hit()), asyncio.Event())
    hub.start(search)  # type: ignore[arg-type]
    async with asyncio.timeout(60):
        await search.closed.wait()

    await hub.close()
