"""Facets of a running search: not too often, never twice the same, and never behind for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from metasearch.adapters.request import Page, Request
from metasearch.demo import DemoDatabases, replay_settings
from metasearch.demo.server import DemoTransport
from metasearch.engine.engine import Engine
from metasearch.engine.facets import FacetCounts
from metasearch.engine.results import AnswerCache
from metasearch.engine.run import EVERY, FacetEvents
from metasearch.events import (
    Added,
    Answer,
    Facets,
    FacetsChanged,
    Finished,
    Joined,
    SearchEvent,
    SourceProgress,
)
from metasearch.record import Hit
from tests.adapters.fetch.timeless import timeless
from tests.engine.hits import single

WORKS = [single(number, year=2000 + number) for number in range(5)]


@pytest.fixture
def events() -> FacetEvents:
    """Of a search that counts facets."""
    return FacetEvents(wanted=True)


def counting(works: list[Hit]) -> Callable[[], Facets]:
    """Counts the years of these works."""
    return lambda: FacetCounts(["year"]).count(works)


def years(event: FacetsChanged | None) -> list[str] | None:
    """The values of the only facet."""
    return None if event is None else [value.value for value in event.facets.facets[0].values]


def test_a_count_waits_for_its_time(events: FacetEvents) -> None:
    """The first is made at once, the next one after `EVERY` seconds, with all that came."""
    events.request_count()
    first = events.count(counting(WORKS[:1]), 10.0, 0, 0)
    events.request_count()
    early = events.count(counting(WORKS[:2]), 10.0 + EVERY / 2, 1, 1)
    due = events.due
    second = events.count(counting(WORKS[:3]), 10.0 + EVERY, 1, 1)

    assert years(first) == ["2000"]
    assert early is None
    assert due == 10.0 + EVERY
    assert years(second) == ["2002", "2001", "2000"]
    assert events.due is None


def test_equal_facets_are_not_sent_again(events: FacetEvents) -> None:
    """Neither while the search runs nor at its end."""
    events.request_count()
    first = events.count(counting(WORKS), 10.0, 0, 0)
    events.request_count()

    assert first is not None
    assert events.count(counting(WORKS[::-1]), 20.0, 1, 1) is None
    assert events.event_for(first.facets) is None
    assert events.event_for(None) is None
    assert years(events.event_for(FacetCounts(["year"]).count(WORKS[:1]))) == ["2000"]


def test_a_slow_reader_gets_no_second_facets_before_the_first(events: FacetEvents) -> None:
    """The count is put off until the reader has taken them."""
    events.request_count()
    assert events.count(counting(WORKS[:1]), 10.0, 7, 0) is not None  # it is the eighth event
    events.request_count()

    assert events.count(counting(WORKS), 20.0, 300, 7) is None
    assert events.due == 20.0 + EVERY
    assert years(events.count(counting(WORKS), 30.0, 300, 8)) is not None


class Late(DemoTransport):
    """Has seconds to wait for some of its databases."""

    def __init__(self, waits: Mapping[str, float]) -> None:
        super().__init__()
        self.waits = waits

    async def send(self, request: Request, **bounds: Any) -> Page:
        await asyncio.sleep(self.waits.get(request.source, 0))
        return await super().send(request, **bounds)


async def streamed(waits: Mapping[str, float], **options: Any) -> list[SearchEvent]:
    """The events of a search of the demo's databases."""
    async with Engine(replay_settings(), transport=Late(waits)) as engine:
        return [event async for event in engine.search("machine learning", **options)]


def final(events: list[SearchEvent]) -> Answer:
    """The answer at the end."""
    (answer,) = (event.answer for event in events if isinstance(event, Finished))
    return answer


@timeless
async def test_facets_are_not_behind_while_a_slow_source_is_awaited() -> None:
    """What came just after a count is counted as soon as it may be, though no more records come;
    before `Finished` stand the final facets.
    """
    slow = "demo-openalex"
    events = await streamed({slow: 1.2, "demo-arxiv": 0.12}, facets="source,year", timeout=10)
    known: dict[str, Hit] = {}
    counts: list[tuple[int, int]] = []  # works counted, and held by a reader at that moment
    before = 0  # works before those of the slow source
    for event in events:
        if isinstance(event, SourceProgress):
            if event.report.source == slow:
                break
            before = len(known)
        if isinstance(event, Joined):
            for gone in event.absorbed:
                known.pop(gone, None)
        if isinstance(event, Added | Joined):
            known[event.hit.id] = event.hit
        if isinstance(event, FacetsChanged):
            counts.append((event.facets.works, len(known)))
    last = [event for event in events if isinstance(event, FacetsChanged)][-1]

    assert len(counts) > 1
    assert all(counted == held for counted, held in counts)
    assert counts[-1][0] == before
    assert last.facets == final(events).facets
    assert last.facets.works == final(events).counts.unique > before


@timeless
async def test_no_facets_unless_asked() -> None:
    """Neither events nor counts."""
    events = await streamed({})

    assert not any(isinstance(event, FacetsChanged) for event in events)
    assert final(events).facets is None


@timeless
async def test_a_reader_that_sleeps_finds_one_event_of_facets() -> None:
    """However long it slept, with the final ones two."""
    waits = {"demo-openalex": 0.3, "demo-arxiv": 0.6, "demo-library": 0.9}
    async with Engine(replay_settings(), transport=Late(waits)) as engine:
        search = engine.search("machine learning", facets="source", timeout=10)
        reading = aiter(search)
        events = [await anext(reading)]
        await asyncio.sleep(1.2)
        events += [event async for event in reading]

    found = [event for event in events if isinstance(event, FacetsChanged)]
    assert 1 <= len(found) <= 2
    assert found[-1].facets == final(events).facets


async def test_facets_of_an_answer_that_is_there_are_sent_too() -> None:
    """A search of the last minute is not made again; its facets are counted."""
    async with DemoDatabases(0, faults=False) as demo, Engine(demo.settings()) as engine:
        engine.answer_cache = AnswerCache()
        plain = await engine.search("machine learning")
        events = [event async for event in engine.search("machine learning", facets="type")]

    answer = final(events)
    assert all(report.cached for report in answer.sources)
    assert answer.facets == FacetCounts(["type"]).count(plain.hits)
    assert events[-2] == FacetsChanged(answer.facets)
    assert replace(answer, facets=None).hits == plain.hits
