"""Soft deadlines: what is there is given in time, and the rest to whoever comes back for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request
from metasearch.engine.engine import Engine
from metasearch.engine.results import AnswerCache
from metasearch.engine.search import KEPT, SharedRuns
from metasearch.errors import UsageError
from metasearch.events import Answer, Finished, SearchEvent
from metasearch.settings import Settings
from tests.adapters.fetch.timeless import TimelessLoop, timeless, took
from tests.cases import each
from tests.engine.test_engine import Body, Upstreams, item, works

FAST, SLOW = (
    works(item("Salt marsh birds"), item("Reeds")),
    works(item("Salt marsh birds"), item("Peat")),
)


def after(seconds: float, body: bytes = SLOW) -> Callable[[Request], Coroutine[Any, Any, bytes]]:
    """A database that takes so long."""

    async def answer(_: Request) -> bytes:
        await asyncio.sleep(seconds)
        return body

    return answer


def engine(bodies: Mapping[str, Body], **settings: Any) -> tuple[Engine, Upstreams]:
    """An engine whose sources may be asked as often as one likes, so that searches never wait for
    one another."""
    limits = {"requests": 1000, "per": 1, "concurrency": 100}
    sources = {
        name: {"extends": "crossref", "url": f"https://{name}.example/works", "limits": limits}
        for name in bodies
    }
    made = Engine(Settings(sources=sources, default_sources=tuple(bodies), **settings))
    upstreams = Upstreams(bodies)
    made._fetcher = Fetcher(upstreams, None, patience=0)
    return made, upstreams


@asynccontextmanager
async def marshes(slow: float = 5.0, **settings: Any) -> AsyncIterator[tuple[Engine, Upstreams]]:
    """An engine with a database that answers at once and one that does not; at the end no task is
    left."""
    made, upstreams = engine({"alpha": FAST, "beta": after(slow)}, **settings)
    async with made:
        yield made, upstreams
    assert asyncio.all_tasks() == {asyncio.current_task()}


def titles(answer: Answer) -> set[str]:
    return {hit.record.title for hit in answer.hits}


def statuses(answer: Answer) -> dict[str, str]:
    return {report.source: report.status for report in answer.sources}


def asked(upstreams: Upstreams) -> Mapping[str, int]:
    names = [request.source for request in upstreams.asked]
    return {name: names.count(name) for name in names}


# ----------------------------------------------------------------------------- at the soft deadline


@timeless
async def test_the_answer_is_what_is_there() -> None:
    """All of the source that is done, nothing of the other, which is said to be running and is no
    failure."""
    async with marshes() as (made, _):
        search = made.search("marsh", wait=2)
        assert await took(search) == 2
        answer = await made.search("marsh", wait=0.001)

    assert titles(answer) == {"Salt marsh birds", "Reeds"}
    assert statuses(answer) == {"alpha": "ok", "beta": "running"}
    assert not answer.complete
    assert not any(report.failed for report in answer.sources)
    assert answer.running == ("beta",)
    assert answer.totals is not None
    assert (answer.totals.reliable, answer.totals.most) == (False, None)
    assert search.answer is None


@timeless
async def test_no_page_follows_what_may_still_change() -> None:
    """Places are given when the layer is read, so until then there is no next page; then there is
    one."""
    async with marshes() as (made, _):
        first = await made.search("marsh", limit=1, wait=2)
        last = await made.search("marsh", limit=1)

    assert (len(first.hits), first.paging.next) == (1, None)
    assert last.paging.next is not None


@timeless
async def test_who_has_all_by_then_is_not_kept() -> None:
    """The whole answer is given as soon as it is there."""
    async with marshes(slow=1.5) as (made, _):
        search = made.search("marsh", wait=2)
        assert await took(search) == 1.5
        assert search.answer is not None
        assert search.answer.complete
        assert len(made._shared_runs) == 0


@timeless
async def test_nothing_at_all_is_an_answer_too() -> None:
    """Nobody has answered yet: no hits, and all are running."""
    async with marshes() as (made, _):
        answer = await made.search("marsh", sources=["beta"], wait=2)

    assert (answer.hits, statuses(answer)) == ((), {"beta": "running"})
    assert not answer.complete


@timeless
async def test_a_stream_knows_no_soft_deadline() -> None:
    """It tells everything as it comes."""
    async with marshes() as (made, _):
        events = [event async for event in made.search("marsh", wait=2)]

    assert isinstance(events[-1], Finished)
    assert events[-1].answer.complete


@timeless
async def test_settings_say_how_long_to_wait() -> None:
    """Where a search does not; it may, up to its timeout, which is no soft deadline."""
    async with marshes(wait=3.0) as (made, _):
        assert await took(made.search("marsh")) == 3
        assert await took(made.search("birds", wait=1)) == 1
        assert await took(made.search("reeds", timeout=2)) == 2
        late = await made.search("peat", timeout=4, wait=4)

    assert statuses(late)["beta"] == "timeout"


@each("wait", [0, -1, 15.5])
async def test_a_wait_that_cannot_be(wait: float) -> None:
    """It is longer than nothing and no longer than the timeout."""
    async with Engine(Settings()) as made:
        with pytest.raises(UsageError, match=r"wait must be between 0\.001 and 15"):
            made.search("marsh", wait=wait)


@timeless
async def test_hits_that_were_shown_keep_their_places() -> None:
    """What is there of a later page does not repeat the first one."""
    many = works(*(item(f"Marsh number {number}") for number in range(40)))

    async def beta(request: Request) -> bytes:
        await asyncio.sleep(5 if len(upstreams.asked) > 2 else 0)
        return works()

    made, upstreams = engine({"alpha": many, "beta": beta}, per_source=20)
    async with made:
        first = await made.search("marsh", limit=10)
        second = await made.search("marsh", limit=10, start=10, wait=2)

    assert second.running == ("beta",)
    assert titles(second)
    assert not titles(first) & titles(second)


# ----------------------------------------------------------------------------------------- the rest


@timeless
async def test_the_same_search_again_has_the_rest() -> None:
    """It joins the one that goes on: nobody is asked twice, and it ends when that ends."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)
        again = made.search("marsh")
        assert await took(again) == 3
        assert again.answer is not None
        assert again.answer.complete
        assert titles(again.answer) == {"Salt marsh birds", "Reeds", "Peat"}
        assert again.answer.seconds == 5
        assert asked(upstreams) == {"alpha": 1, "beta": 1}


@timeless
async def test_a_search_can_be_awaited_again() -> None:
    """Each time for as long as it waits, until all is there; then at once."""
    async with marshes() as (made, upstreams):
        search = made.search("marsh", wait=2)
        seen = [statuses(await search)["beta"] for _ in range(4)]
        assert await took(search) == 0

    assert seen == ["running", "running", "ok", "ok"]
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


@timeless
async def test_without_the_cache_too() -> None:
    """The search itself has its rest; others never join it."""
    async with marshes() as (made, upstreams):
        search = made.search("marsh", wait=2, cache=False)
        await search
        await made.search("marsh", wait=2, cache=False)
        assert asked(upstreams)["alpha"] == 2
        assert (await search).complete


@timeless
async def test_the_rest_waits_for_whoever_comes_back() -> None:
    """Also where there is no cache, and once; later the sources are asked anew."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)
        await asyncio.sleep(10)
        answer = await made.search("marsh", wait=2)
        assert answer.complete
        assert asked(upstreams) == {"alpha": 1, "beta": 1}
        await made.search("marsh", wait=2)
        assert asked(upstreams) == {"alpha": 2, "beta": 2}


@timeless
async def test_the_rest_does_not_wait_for_long() -> None:
    """What was found then is old."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)
        await asyncio.sleep(3 + KEPT)
        await made.search("marsh", wait=2)
        assert asked(upstreams) == {"alpha": 2, "beta": 2}


@timeless
async def test_who_failed_in_the_end_is_told() -> None:
    """The hard deadline holds in the background; whoever comes back later learns of it without a
    new request."""
    async with marshes(slow=100) as (made, upstreams):
        await made.search("marsh", wait=2, timeout=6)
        await asyncio.sleep(10)
        answer = await made.search("marsh", wait=2, timeout=6)

    assert statuses(answer) == {"alpha": "ok", "beta": "timeout"}
    assert asked(upstreams) == {"alpha": 1, "beta": 1}
    assert upstreams.cancelled == ["beta"]


@timeless
async def test_it_fills_the_answers_of_the_last_minute() -> None:
    """Where there are any, everybody has it from there."""
    async with marshes() as (made, upstreams):
        made.answer_cache = AnswerCache(asyncio.get_running_loop().time)
        await made.search("marsh", wait=2)
        await asyncio.sleep(10)
        answers = [await made.search("marsh", wait=2) for _ in range(3)]

    assert [answer.complete for answer in answers] == [True] * 3
    assert all(report.cached for answer in answers for report in answer.sources)
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


@timeless
async def test_another_page_of_the_list_joins_too() -> None:
    """As far as the list will reach for sure."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", limit=2, wait=2)
        rest = await made.search("marsh", start=2, limit=2)

    assert [hit.rank for hit in rest.hits] == [3]
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


@timeless
@pytest.mark.parametrize(
    "other", [{"timeout": 20}, {"per_source": 30}, {"start": 20}, {"cache": False}]
)
async def test_another_search_does_not_join(other: dict[str, Any]) -> None:
    """One that is more patient, deeper, further than that list may reach, or wants no cache, asks
    for itself."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)
        await made.search("marsh", wait=2, **other)

    assert (
        asked(upstreams)["alpha"] == 2
    )  # what beta is still being asked is shared all the same, where it may be


@timeless
async def test_a_first_page_does_not_join_a_later_one() -> None:
    """A list whose end was asked for holds more than a first page would."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", start=1, wait=2)
        await made.search("marsh", wait=2)

    assert asked(upstreams)["alpha"] == 2


@timeless
async def test_who_joins_waits_no_longer_than_its_own_timeout() -> None:
    """Although what it joined goes on."""
    async with marshes() as (made, _):
        await made.search("marsh", wait=1)
        assert await took(made.search("marsh", timeout=2)) == 2


# ------------------------------------------------------------------------------- leaving and ending


async def some_turns() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


@timeless
async def test_who_leaves_ends_the_search() -> None:
    """If nobody else waits for it."""
    async with marshes() as (made, upstreams):
        one = asyncio.ensure_future(made.search("marsh", wait=2)._finish())
        await some_turns()
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        assert upstreams.cancelled == ["beta"]
        assert len(made._shared_runs) == 0


@timeless
async def test_who_leaves_takes_nothing_from_others() -> None:
    """The one that has joined gets all, whoever began."""
    async with marshes() as (made, upstreams):
        one = asyncio.ensure_future(made.search("marsh", wait=2)._finish())
        await some_turns()
        other = asyncio.ensure_future(made.search("marsh")._finish())
        await some_turns()
        one.cancel()
        assert (await other).complete

    assert (asked(upstreams), upstreams.cancelled) == ({"alpha": 1, "beta": 1}, [])


@timeless
async def test_what_was_let_go_on_goes_on() -> None:
    """Closing the search that was answered, and one that joined and left, end nothing."""
    async with marshes() as (made, upstreams):
        search = made.search("marsh", wait=2)
        await search
        await search.aclose()
        joined = asyncio.ensure_future(made.search("marsh")._finish())
        await some_turns()
        joined.cancel()
        await asyncio.sleep(10)
        assert (await made.search("marsh", wait=2)).complete

    assert (asked(upstreams), upstreams.cancelled) == ({"alpha": 1, "beta": 1}, [])


@timeless
async def test_closing_the_engine_ends_all() -> None:
    """Those in the background, and those that somebody waits for, who then has what was there."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)
        waiting = asyncio.ensure_future(made.search("reeds")._finish())
        await some_turns()
        await made.close()
        answer = await waiting

    assert statuses(answer) == {"alpha": "ok", "beta": "timeout"}
    assert sorted(upstreams.cancelled) == ["beta", "beta"]


@timeless
async def test_so_many_go_on_and_no_more() -> None:
    """Those that do go on; the next one ends when it is answered, until one has finished."""
    async with marshes() as (made, upstreams):
        made._shared_runs = SharedRuns(most=2)
        for word in ("one", "two", "three"):
            assert (await made.search(word, wait=1)).running == ("beta",)
        assert upstreams.cancelled == ["beta"]
        await asyncio.sleep(10)
        assert (await made.search("four", wait=1)).running == ("beta",)
        assert upstreams.cancelled == ["beta"]
        assert len(made._shared_runs) == 2


@timeless
async def test_who_waits_for_all_to_end_does_not_wait_for_ever() -> None:
    """A search that could not go on has ended: awaited again it says so, and names nobody as
    running."""
    async with marshes() as (made, upstreams):
        made._shared_runs = SharedRuns(most=0)
        search = made.search("marsh", wait=1)
        assert (await search).running == ("beta",)
        answer = await search

    assert statuses(answer) == {"alpha": "ok", "beta": "timeout"}
    assert titles(answer) == {"Salt marsh birds", "Reeds"}
    assert asked(upstreams) == {"alpha": 1, "beta": 1}


@timeless
async def test_nobody_joins_a_search_that_is_being_ended() -> None:
    """Whoever comes in the moment in which the last one leaves asks anew, and gets all."""
    async with marshes() as (made, upstreams):
        one = asyncio.ensure_future(made.search("marsh", wait=2)._finish())
        await some_turns()
        one.cancel()
        other = asyncio.ensure_future(made.search("marsh")._finish())
        assert (await other).complete

    assert one.cancelled()
    assert (asked(upstreams), upstreams.cancelled) == ({"alpha": 2, "beta": 2}, ["beta"])


@timeless
async def test_who_awaits_what_another_one_reads_may_leave() -> None:
    """The stream goes on to its end."""
    async with marshes() as (made, upstreams):
        search = made.search("marsh")

        async def read() -> list[SearchEvent]:
            return [event async for event in search]

        reader = asyncio.ensure_future(read())
        await some_turns()
        waiting = asyncio.ensure_future(search._finish())
        await some_turns()
        waiting.cancel()
        assert isinstance((await reader)[-1], Finished)

    assert upstreams.cancelled == []


# --------------------------------------------------------------------------------------- under load


@asynccontextmanager
async def crowd(made: Engine, searches: int = 40) -> AsyncIterator[None]:
    """So many others want a turn all the time; each takes five milliseconds."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)

    async def compute() -> None:
        turns = made._scheduler.turns()
        while True:
            await turns.next()
            loop.pass_by(0.005)

    tasks = [asyncio.ensure_future(compute()) for _ in range(searches)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


MANY = works(
    *(
        item(f"Marsh {uuid5(NAMESPACE_DNS, str(number)).hex}", family=f"Berg{number}")
        for number in range(200)
    )
)


@timeless
@pytest.mark.parametrize("options", [{"timeout": 20}, {"wait": 20, "timeout": 200}])
async def test_others_that_compute_delay_no_deadline(options: dict[str, float]) -> None:
    """Be it that pages are still being read, or that the list is being merged and ranked: it stands
    in no line then.

    At the end of a search a page that came in time is read before those of all others, so that it
    is not lost.
    """
    late, seen = [], set()
    for share in (0.1, 0.2, 0.23, 0.24, 0.25, 0.26, 0.5):
        made, _ = engine({"alpha": MANY}, per_source=200)
        async with made, crowd(made):
            options_now = {name: seconds * share for name, seconds in options.items()}
            search = made.search("marsh", **options_now)
            late.append(await took(search) - min(options_now.values()))
            answer = search.partial()
            seen.add((len(answer.hits) == 200, answer.complete))

    assert max(late) <= 0.1
    assert (
        seen == {(True, True)} if "wait" not in options else {(False, False), (True, True)} <= seen
    )


@timeless
@pytest.mark.parametrize(("workers", "most"), [(16, 4), (64, 1), (256, 1)])
async def test_workers_divide_what_may_go_on(workers: int, most: int) -> None:
    """All together no more than one process would, and each at least one."""
    async with marshes(workers=workers) as (made, _):
        for number in range(most + 2):
            await made.search(f"marsh {number}", wait=1)
        assert len(made._shared_runs) == most


@timeless
async def test_a_fault_in_the_background_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """It is not lost, and whoever comes back asks anew."""
    async with marshes() as (made, upstreams):
        await made.search("marsh", wait=2)

        def fail(*_: object) -> None:
            raise RuntimeError("store lost")

        begin, made._position_store.begin = made._position_store.begin, fail  # type: ignore[method-assign]
        await asyncio.sleep(10)
        made._position_store.begin = begin  # type: ignore[method-assign]
        assert (await made.search("marsh")).complete

    assert "failed in the background: store lost" in caplog.text
    assert asked(upstreams) == {"alpha": 2, "beta": 2}


@timeless
async def test_a_fault_is_told_to_all_who_wait() -> None:
    """Also to those who joined."""
    async with marshes() as (made, _):

        def fail(*_: object) -> None:
            raise RuntimeError("store lost")

        made._position_store.begin = fail  # type: ignore[method-assign]
        searches = [made.search("marsh", wait=10)._finish() for _ in range(2)]
        faults = await asyncio.gather(*searches, return_exceptions=True)

    assert [str(fault) for fault in faults] == ["store lost", "store lost"]
