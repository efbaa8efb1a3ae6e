"""Searches of one engine over one cache: what they share, and what they are told about old
pages."""

from __future__ import annotations

import asyncio
from typing import Any

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.cache import MemoryStore
from metasearch.engine.engine import Engine
from metasearch.engine.results import AnswerCache
from metasearch.errors import ConnectFailed
from metasearch.events import Finished
from tests.engine.test_engine import Upstreams, engine, item, works

FOUND = works(item("Salt marsh birds"))


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def cached(bodies: dict[str, Any], **rest: Any) -> tuple[Engine, Upstreams, Clock]:
    """An engine whose fetcher keeps pages in memory."""
    made, upstreams = engine(bodies, **rest)
    clock = Clock()
    made._fetcher = Fetcher(upstreams, MemoryStore(), clock=clock, patience=0)
    return made, upstreams, clock


async def test_two_searches_at_once_ask_once() -> None:
    """The same page, wanted by two searches of one engine, is one request; both have the hits."""
    made, upstreams, _ = cached({"alpha": FOUND, "beta": FOUND}, turns={"alpha": 50})
    one = made.search("marsh", sources=["alpha", "beta"], limit=5)
    other = made.search("marsh", sources=["alpha"], limit=10)
    answers = await asyncio.gather(
        asyncio.ensure_future(one._finish()), asyncio.ensure_future(other._finish())
    )
    await made.close()

    assert [request.source for request in upstreams.asked].count("alpha") == 1
    assert [len(answer.hits) for answer in answers] == [1, 1]
    assert not any(report.cached for answer in answers for report in answer.sources)


async def test_a_search_that_leaves_does_not_cost_the_other_its_page() -> None:
    """The one that shares a request with it goes on."""
    made, upstreams, _ = cached({"alpha": FOUND}, turns={"alpha": 200})
    one = asyncio.ensure_future(made.search("marsh", limit=5)._finish())
    other = asyncio.ensure_future(made.search("marsh", limit=10)._finish())
    while not upstreams.asked:
        await asyncio.sleep(0)
    one.cancel()
    answer = await other
    await made.close()

    assert len(answer.hits) == 1
    assert (len(upstreams.asked), upstreams.cancelled) == (1, [])


async def test_the_report_tells_of_an_old_page() -> None:
    """A source that is down is answered for by its old page, marked and with the reason; the other
    is as ever."""
    bodies: dict[str, Any] = {"alpha": FOUND, "beta": FOUND}
    made, _, clock = cached(bodies)
    await made.search("marsh")
    clock.now += 3 * 3600
    bodies["alpha"] = ConnectFailed("alpha", "no connection")
    answer = await made.search("marsh")
    alpha, beta = answer.sources
    await made.close()

    assert (alpha.status, alpha.count, alpha.cached) == ("ok", 1, True)
    assert "from the cache, 3 h old, because no connection" in alpha.notes
    assert (alpha.spared, beta.spared) == ("from the cache, 3 h old, because no connection", "")
    assert not any("cache" in note for note in beta.notes)
    assert not beta.cached
    assert len(answer.hits) == 1
    assert made._fetcher.state("alpha").last_error == "no connection"


async def test_no_hits_are_soon_asked_for_again() -> None:
    """An empty answer holds for a minute, one with hits for the source's hour."""
    bodies: dict[str, Any] = {"alpha": works(), "beta": FOUND}
    made, upstreams, clock = cached(bodies)
    await made.search("marsh")
    clock.now += 30
    await made.search("marsh")
    assert len(upstreams.asked) == 2
    bodies["alpha"] = FOUND
    clock.now += 30
    alpha, beta = (await made.search("marsh")).sources
    await made.close()

    assert (alpha.status, alpha.cached) == ("ok", False)
    assert (beta.status, beta.cached) == ("ok", True)


async def test_a_search_without_the_cache_leaves_no_trace_in_it() -> None:
    """Also where it finds nothing."""
    made, upstreams, _ = cached({"alpha": works()})
    for _ in range(2):
        await made.search("marsh", cache=False)
    store = made._fetcher._cache._store
    assert store is not None

    assert len(upstreams.asked) == 2
    assert (await store.stats()).entries == 0
    await made.close()


async def test_the_time_of_merging_is_told() -> None:
    """Of the search that has merged, be it streamed or not; one that is given again has merged
    nothing."""
    made, _, _ = cached(
        {"alpha": works(*(item(f"Salt marsh bird {number}") for number in range(20)))}
    )
    made.answer_cache = AnswerCache()
    first = await made.search("marsh")
    again = await made.search("marsh")
    streamed = [event async for event in made.search("marsh", per_source=50)][-1]
    await made.close()

    assert 0 < first.merge_seconds <= first.seconds
    assert (again.merge_seconds, again.seconds) == (0.0, 0.0)
    assert isinstance(streamed, Finished)
    assert 0 < streamed.answer.merge_seconds <= streamed.answer.seconds


async def test_a_repeat_gets_the_list_of_the_search_before_it() -> None:
    """Also where a source failed: hit by hit no source is asked again, and each answer names the
    one that failed. A search that is no repeat asks again."""
    made, upstreams = engine(
        {
            "alpha": works(*(item(f"Salt marsh bird {number}") for number in range(5))),
            "beta": ConnectFailed("beta", "refused"),
        }
    )
    made._fetcher = Fetcher(upstreams, None, patience=0)
    counted = await made.search("marsh", limit=1, per_source=20, repeat=True)
    asked = len(upstreams.asked)
    pages = [
        await made.search("marsh", start=start, limit=1, per_source=20, repeat=True)
        for start in range(5)
    ]
    assert len(upstreams.asked) == asked
    plain = await made.search("marsh", limit=1, per_source=20)
    await made.close()

    assert len(upstreams.asked) > asked
    assert [hit.rank for page in pages for hit in page.hits] == [1, 2, 3, 4, 5]
    assert len({hit.id for page in pages for hit in page.hits}) == 5
    for page in (counted, *pages, plain):
        assert not page.complete
        assert [(report.source, report.failed) for report in page.sources] == [
            ("alpha", False),
            ("beta", True),
        ]
