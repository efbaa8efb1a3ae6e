"""`Search.follow`: the page of a search anew whenever something has changed, and the finished one
last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import pytest

from metasearch.adapters.request import Request
from metasearch.engine import facets, run
from metasearch.engine.engine import Engine
from metasearch.engine.run import Growth
from metasearch.engine.search import KEPT, Search
from metasearch.errors import UsageError
from metasearch.events import Answer, FacetsChanged, Finished, SearchEvent
from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object, fold
from metasearch.record import Hit
from tests.adapters.fetch.timeless import timeless
from tests.answers import untimed
from tests.cases import each
from tests.engine.test_engine import item, works
from tests.stalls import Calls
from tests.test_waiting import (
    FAST,
    after,
    asked,
    crowd,
    engine,
    marshes,
    some_turns,
    statuses,
    titles,
)

Seen = list[tuple[float, Answer]]


async def seen_of(search: Search, every: float = 0.25) -> Seen:
    """All answers of a reader, and when each came."""
    now = asyncio.get_running_loop().time
    return [(now(), answer) async for answer in search.follow(every)]


def times(seen: Seen) -> list[float]:
    return [round(when, 3) for when, _ in seen]


def document(answer: Answer) -> Any:
    """What a reader gets of it, but for times, and whether it came from a cache."""
    written = untimed(answer_object(answer))
    for source in written["sources"]:
        source.pop("cached", None)
    return written


def marsh(word: str) -> bytes:
    """The answer of a database that has one work."""
    return works(item(f"Marsh {uuid5(NAMESPACE_DNS, word).hex}", family=word))


def many(count: int, word: str = "marsh") -> bytes:
    """The answer of a database that has so many works, all different."""
    return works(
        *(
            item(f"Marsh {uuid5(NAMESPACE_DNS, f'{word} {number}').hex}", family=f"Berg{number}")
            for number in range(count)
        )
    )


# ------------------------------------------------------------------------------------ while it runs


@timeless
async def test_each_answer_is_the_page_as_of_then() -> None:
    """The first one comes with the first hits; it is not complete and names who is running. The
    last one is what an await returns."""
    async with marshes() as (made, _):
        search = made.search("marsh")
        seen = await seen_of(search)
        awaited = await made.search("marsh")

    (first, last) = [answer for _, answer in seen]
    assert times(seen) == [0, 5]
    assert titles(first) == {"Salt marsh birds", "Reeds"}
    assert [hit.rank for hit in first.hits] == [1, 2]
    assert (first.complete, first.running, first.paging.next) == (False, ("beta",), None)
    assert (last.complete, last.running) == (True, ())
    assert search.answer is last
    assert document(last) == document(awaited)


@timeless
async def test_answers_keep_their_distance() -> None:
    """What comes within it is in the next answer; after a quiet time a change is shown at once, and
    the last answer waits for nothing."""
    late = {"a": 0.0, "b": 0.05, "c": 0.1, "d": 2.0, "e": 2.05}
    made, _ = engine({name: after(seconds, marsh(name)) for name, seconds in late.items()})
    async with made:
        seen = await seen_of(made.search("marsh"), 0.25)

    assert times(seen) == [0, 0.25, 2, 2.05]
    assert [len(answer.hits) for _, answer in seen] == [1, 3, 4, 5]


@timeless
async def test_the_first_hits_wait_for_nothing() -> None:
    """Although an answer without any has just come, because a source has failed."""
    bodies = {"a": after(0, b"no JSON"), "b": after(0.01, marsh("b")), "c": after(1, marsh("c"))}
    made, _ = engine(bodies)
    async with made:
        seen = await seen_of(made.search("marsh"), 10)

    assert times(seen) == [0, 0.01, 1]
    assert [len(answer.hits) for _, answer in seen] == [0, 1, 2]
    assert statuses(seen[0][1]) == {"a": "error", "b": "running", "c": "running"}


@timeless
async def test_longer_lists_are_read_less_often() -> None:
    """In proportion to their works, once there are many."""
    late = {"a": 0.0, "b": 0.01, "c": 1.5, "d": 9.0}
    made, _ = engine({name: after(seconds, many(10, name)) for name, seconds in late.items()})
    async with made:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run, "ORDERED_AT_ONCE", 10)
            seen = await seen_of(made.search("marsh"), 1)

    assert times(seen)[:3] == [0, 1, 3]
    assert [len(answer.hits) for _, answer in seen[:3]] == [10, 20, 30]
    assert (times(seen)[-1], len(seen[-1][1].hits)) == (9, 40)


@timeless
async def test_nothing_has_changed_and_nothing_is_said() -> None:
    """Until the one database answers there is one answer for its beginning, at most."""
    async with marshes() as (made, _):
        seen = await seen_of(made.search("marsh", sources=["beta"]))

    assert times(seen) == [5]


@timeless
async def test_the_deadline_ends_it() -> None:
    """The last answer says who was late; it is the only one that does."""
    async with marshes(slow=100) as (made, upstreams):
        seen = await seen_of(made.search("marsh", timeout=6))

    assert times(seen) == [0, 6]
    assert [statuses(answer)["beta"] for _, answer in seen] == ["running", "timeout"]
    assert upstreams.cancelled == ["beta"]


@timeless
async def test_pages_of_the_list_and_several_rounds() -> None:
    """Answers to a later page hold its places only, whichever round they come from."""

    async def beta(_: Request) -> bytes:
        await asyncio.sleep(1)
        return works()

    made, upstreams = engine({"alpha": many(40), "beta": beta}, per_source=20)
    async with made:
        first = await made.search("marsh", limit=10)
        seen = await seen_of(made.search("marsh", limit=10, start=10))
        deep = await seen_of(made.search("marsh", limit=10, start=20))

    answers = [answer for _, answer in seen]
    assert all(hit.rank > 10 for answer in answers for hit in answer.hits)
    assert [hit.rank for hit in answers[-1].hits] == list(range(11, 21))
    assert not titles(answers[-1]) & titles(first)
    assert [hit.rank for hit in deep[-1][1].hits] == list(range(21, 31))
    assert all(not answer.complete and answer.running for _, answer in deep[:-1])
    assert len(deep) > 1
    assert asked(upstreams)["alpha"] >= 2


@timeless
@pytest.mark.parametrize("joins", [False, True])
async def test_filters_and_facets_are_those_of_the_page(joins: bool) -> None:
    """Of each answer, be the run the search's own or that of another one; a hit that has not
    changed is read once for the facets of all answers but the last."""
    dated = {
        "a": after(0, works(item("Reeds", year=2001), item("Peat", year=2002))),
        "b": after(1, works(item("Birds", year=2002), item("Reeds", year=2001))),
        "c": after(2, works(item("Terns", year=2002))),
    }
    options: dict[str, Any] = {"filter": "year:2002", "facets": "year", "limit": 2}
    made, upstreams = engine(dated)
    async with made:
        if joins:
            await made.search("marsh", wait=0.5)
        search = made.search("marsh", **options)
        with ReadHits() as read:
            seen = await seen_of(search)
        awaited = await made.search("marsh", **options)

    answers = [answer for _, answer in seen]
    assert [[hit.record.title for hit in answer.hits] for answer in answers][:2] == [
        ["Peat"],
        ["Birds", "Peat"],
    ]
    assert all(answer.filter == "year:2002" for answer in answers)
    years = [
        {value.value: value.count for value in answer.facets.facets[0].values}
        for answer in answers
        if answer.facets is not None
    ]
    assert years == [{"2002": 1, "2001": 1}, {"2002": 2, "2001": 1}, {"2002": 3, "2001": 1}]
    assert document(answers[-1]) == document(awaited)
    assert asked(upstreams)["a"] == 2 if not joins else 1
    # Peat, Reeds twice because it has grown, Birds, and the four works of the last answer, which
    # are ranked.
    assert len(read) <= 4 + 4 + 1


class ReadHits:
    """The hits that facets are read from, inside the block."""

    def __enter__(self) -> list[Hit]:
        read: list[Hit] = []
        self._values = facets.FacetCounts._values

        def values(counts: facets.FacetCounts, hit: Hit) -> tuple[dict[str, str] | None, ...]:
            read.append(hit)
            return self._values(counts, hit)

        facets.FacetCounts._values = values
        return read

    def __exit__(self, *_: object) -> None:
        facets.FacetCounts._values = self._values


@timeless
async def test_an_unfinished_answer_names_who_is_running() -> None:
    """Also between two rounds and while the list is being ranked at the end."""
    made, _ = engine({"alpha": many(100)}, per_source=40)
    async with made, crowd(made):
        await made.search("marsh", limit=10)
        seen = await seen_of(made.search("marsh", limit=10, start=70), 0.001)

    assert len(seen) > 2
    assert all(answer.running == ("alpha",) for _, answer in seen[:-1])
    assert not any(answer.complete for _, answer in seen[:-1])
    assert [hit.rank for hit in seen[-1][1].hits] == list(range(71, 81))


@timeless
async def test_an_unfinished_answer_settles_no_numbers() -> None:
    """What passes the filters is numbered at the end, whoever has looked before."""
    dated = {
        "a": works(item("Zebra mussels of a marsh", year=2002)),
        "b": after(1, works(item("Marsh", year=2002), item("Marsh birds", year=2002))),
    }

    async def pages(growing: bool) -> list[list[str]]:
        made, _ = engine(dated)
        listed = []
        async with made:
            for start in (0, 1):
                search = made.search("marsh", filter="year:2002", limit=1, start=start)
                answer = (await seen_of(search))[-1][1] if growing else await search
                listed.append([hit.record.title for hit in answer.hits])
        return listed

    assert await pages(True) == await pages(False)


# ------------------------------------------------------------------------------------ joining a run


@timeless
async def test_it_continues_the_run_of_an_await() -> None:
    """The page is sent at the soft deadline; who follows it gets what is there at once, then the
    rest, and no source is asked twice."""
    async with marshes() as (made, upstreams):
        page = await made.search("marsh", wait=1)
        seen = await seen_of(made.search("marsh", wait=1))
        assert asked(upstreams) == {"alpha": 1, "beta": 1}
        assert len(made._shared_runs) == 0

    assert page.running == ("beta",)
    assert times(seen) == [1, 5]
    assert titles(seen[0][1]) == titles(page)
    assert seen[1][1].complete


@timeless
@pytest.mark.parametrize("later", [10, 3 + KEPT])
async def test_after_the_end_there_is_one_answer(later: float) -> None:
    """The finished one, for as long as it is kept; then the sources are asked anew."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)
        await asyncio.sleep(later)
        seen = await seen_of(made.search("marsh", wait=2))
        sent = asked(upstreams)["alpha"]

    assert seen[-1][1].complete
    assert (len(seen), sent) == ((1, 1) if later == 10 else (2, 2))


@timeless
async def test_the_answer_of_the_cache_is_the_only_one() -> None:
    """And it can be followed again by the same search, which has its answer by then."""
    async with marshes() as (made, upstreams):
        search = made.search("marsh")
        answer = await search
        assert [seen for _, seen in await seen_of(search)] == [answer]
        made.answer_cache = type(made.answer_cache)(asyncio.get_running_loop().time)
        await made.search("marsh")
        cached = await seen_of(made.search("marsh"))

    assert [answer.sources[0].cached for _, answer in cached] == [True]
    assert asked(upstreams) == {"alpha": 2, "beta": 2}


@timeless
async def test_two_readers_of_one_run() -> None:
    """Each gets its own page; one that leaves takes nothing from the other."""
    async with marshes() as (made, upstreams):
        whole = asyncio.ensure_future(seen_of(made.search("marsh", wait=1)))
        await some_turns()
        first = asyncio.ensure_future(seen_of(made.search("marsh", limit=1)))
        await some_turns()
        async with aclosing(made.search("marsh").follow(0.25)) as leaving:
            assert titles(await anext(leaving)) == {"Salt marsh birds", "Reeds"}
        seen, firsts = await whole, await first

    assert [len(answer.hits) for _, answer in seen] == [2, 3]
    assert [len(answer.hits) for _, answer in firsts] == [1, 1]
    assert firsts[-1][1].paging.next is not None
    assert (asked(upstreams), upstreams.cancelled) == ({"alpha": 1, "beta": 1}, [])


@timeless
async def test_who_joins_waits_no_longer_than_its_own_timeout() -> None:
    """The last answer is what is there by then."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=1)
        seen = await seen_of(made.search("marsh", timeout=2))

        assert times(seen) == [1, 3]
        assert seen[-1][1].running == ("beta",)
        assert upstreams.cancelled == []


@timeless
@pytest.mark.parametrize("background", [False, True])
async def test_who_leaves_ends_the_run_as_an_await_does(background: bool) -> None:
    """If nobody else waits for it, and it does not go on in the background."""
    async with marshes() as (made, upstreams):
        if background:
            await made.search("marsh", wait=1)
        search = made.search("marsh", wait=1)
        growing = search.follow(0.25)
        await anext(growing)
        await search.aclose()  # that does not end what is being read
        assert upstreams.cancelled == []
        await growing.aclose()

        assert upstreams.cancelled == ([] if background else ["beta"])
        assert len(made._shared_runs) == background


@timeless
@pytest.mark.parametrize("moment", ["waiting", "at an answer"])
async def test_a_reader_that_is_cancelled_leaves(moment: str) -> None:
    """Wherever it is; no task is left."""
    async with marshes() as (made, upstreams):
        reached = asyncio.Event()

        async def read() -> None:
            async with aclosing(made.search("marsh", wait=1).follow(0.25)) as growing:
                async for _ in growing:
                    reached.set()
                    if moment == "at an answer":
                        await asyncio.sleep(100)

        reader = asyncio.create_task(read())
        await reached.wait()
        await some_turns()
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)

        assert upstreams.cancelled == ["beta"]
        assert len(made._shared_runs) == 0


@timeless
async def test_who_leaves_before_the_last_answer_finds_it_again() -> None:
    """The run has ended while its only reader was busy; it comes back for the rest."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=1)
        async with aclosing(made.search("marsh", wait=1).follow(0.25)) as growing:
            await anext(growing)
            await asyncio.sleep(10)
        again = await seen_of(made.search("marsh", wait=1))

    assert [answer.complete for _, answer in again] == [True]
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


@timeless
async def test_the_same_search_is_followed_after_its_await() -> None:
    """Its run goes on in the background."""
    async with marshes() as (made, upstreams):
        search = made.search("marsh", wait=1, cache=False)
        await search
        seen = await seen_of(search)

    assert times(seen) == [1, 5]
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


# ------------------------------------------------------------------------------------------ the end


@timeless
async def test_a_fault_is_raised() -> None:
    """To each reader, after what it has been shown."""
    async with marshes() as (made, _):

        def fail(*_: object) -> None:
            raise RuntimeError("store lost")

        made._position_store.begin = fail  # type: ignore[method-assign]
        shown: list[Answer] = []

        async def read() -> None:
            async for answer in made.search("marsh", wait=10).follow(0.25):
                shown.append(answer)  # noqa: PERF401 - what was shown before the fault counts

        faults = await asyncio.gather(read(), read(), return_exceptions=True)
        assert len(made._shared_runs) == 0

    assert [str(fault) for fault in faults] == ["store lost", "store lost"]
    assert [titles(answer) for answer in shown] == [{"Salt marsh birds", "Reeds"}] * 2


@timeless
async def test_closing_the_engine_ends_it() -> None:
    """With what was there; nobody is said to be running."""
    async with marshes() as (made, _):
        reader = asyncio.ensure_future(seen_of(made.search("marsh")))
        await asyncio.sleep(1)
        await made.close()
        seen = await reader

    assert statuses(seen[-1][1]) == {"alpha": "ok", "beta": "timeout"}
    assert not seen[-1][1].complete


@each("every", [0, -1, 61, float("nan")])
async def test_an_interval_that_cannot_be(every: float) -> None:
    """It is refused before anything runs."""
    made, upstreams = engine({"alpha": FAST})
    async with made:
        with pytest.raises(UsageError, match="every must be between"):
            made.search("marsh").follow(every)

    assert upstreams.asked == []


# ------------------------------------------------------------------------------------ beside others


@timeless
async def test_it_takes_no_event_from_a_stream() -> None:
    """Of the same search: the events alone make the same list and the same facets."""
    bodies = {name: after(number, many(30, name)) for number, name in enumerate("abc")}
    made, _ = engine(bodies | {"late": after(9.9, many(200, "late"))}, per_source=200)
    async with made, crowd(made):  # so the last page is read at the deadline
        search = made.search("marsh", facets="year", timeout=10)

        async def read() -> list[SearchEvent]:
            return [event async for event in search]

        reader = asyncio.ensure_future(read())
        await some_turns()
        watching = asyncio.ensure_future(seen_of(search, 0.001))
        while not reader.done():  # nobody reads as often
            for _ in search._run.snapshot():
                await asyncio.sleep(0)
                if search._run.over:
                    break
            await asyncio.sleep(0)
        seen, events = await watching, await reader

    assert isinstance(events[-1], Finished)
    folded = fold([event_object(event) for event in events])
    assert [hit["id"] for hit in folded["hits"]] == [hit.id for hit in events[-1].answer.hits]
    shown = [event.facets.works for event in events if isinstance(event, FacetsChanged)]
    assert shown == sorted(shown)
    assert seen[-1][1] == events[-1].answer
    assert len(seen) >= 5


@timeless
async def test_readers_wait_for_turns_and_for_no_end() -> None:
    """Where others compute and read all the time, the last answer comes with the end of the run."""
    late = []
    for moment in (0.1, 9.5, 9.8, 9.85, 9.9, 9.95):
        made, _ = engine({"alpha": after(moment, many(100)), "beta": after(100)}, per_source=100)
        async with made, crowd(made), reading_crowd(made):
            began = asyncio.get_running_loop().time()
            seen = await seen_of(made.search("marsh", timeout=10), 0.001)
            late.append(times(seen)[-1] - began - 10)

    assert max(late) <= 0.1


@asynccontextmanager
async def reading_crowd(made: Engine, readers: int = 40) -> AsyncIterator[None]:
    """So many read their lists all the time; each turn takes them five milliseconds."""
    loop: Any = asyncio.get_running_loop()

    async def read() -> None:
        turns = made.scheduler.readers_turns()
        while True:
            await turns.next()
            loop.pass_by(0.005)

    tasks = [asyncio.ensure_future(read()) for _ in range(readers)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.slow
@timeless
async def test_a_long_list_does_not_stall_the_loop() -> None:
    """Neither its answers nor the last of them; all facets are counted. A list whose reader had no
    turns would take 56,000 calls in a round."""
    made, _ = engine({"alpha": many(1000), "beta": after(0.5)}, per_source=1000)
    async with made:
        await made.search("peat")  # everything is imported
        async with Calls() as calls:
            seen = await seen_of(made.search("marsh", facets="all", limit=20), 0.05)

    assert [answer.counts.unique for _, answer in seen][-1] == 1002
    assert len(seen) >= 2
    assert calls.most < 40_000


@timeless
async def test_the_first_hits_come_at_once() -> None:
    """After the first batch was merged, whatever the interval."""
    made, _ = engine({"alpha": FAST, "beta": after(1)})
    loop, merged = asyncio.get_running_loop(), [0.0]
    async with made:
        search = made.search("marsh")
        take = search._run._take

        def taking(*args: Any) -> None:
            merged[0] = merged[0] or loop.time()
            take(*args)

        search._run._take = taking  # type: ignore[method-assign]
        async with aclosing(search.follow(10)) as growing:
            first = await anext(growing)
            waited = loop.time() - merged[0]

    assert first.hits
    assert waited == 0


async def test_waiting_for_a_change() -> None:
    """All who wait are woken; a time may end the wait."""
    growth = Growth()
    waiting = [asyncio.ensure_future(growth.after(0, None)) for _ in range(3)]
    await asyncio.sleep(0)
    growth.count_change(records=True)
    await asyncio.gather(*waiting)
    await growth.after(1, asyncio.get_running_loop().time() + 0.01)
    growth.count_change()

    assert (growth.changes, growth.records) == (2, True)
