"""Reading a merged list page after page: nothing twice, nothing lost, nobody asked for more than it
takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request
from metasearch.cache import MemoryStore
from metasearch.dedup import STRATEGIES, Chain, Fingerprint
from metasearch.dedup.matchers import verdict
from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.engine.options import LAST_PLACE
from metasearch.engine.resolve import MAX_ROUNDS
from metasearch.errors import ConnectFailed, UsageError
from metasearch.events import Answer, Finished, Order
from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object, fold
from metasearch.record import Match
from tests import unlike
from tests.answers import untimed
from tests.cases import each, sample
from tests.engine.test_engine import Body, Upstreams, engine, item, works
from tests.examples import examples
from tests.strategies import same_title

Number = int
Libraries = dict[str, list[Number]]


def work(number: Number, **more: Any) -> dict[str, Any]:
    """A work that resembles no other."""
    title = f"Work number {number} {unlike.words(number)}"
    return item(title, f"10.1000/{number}", year=1900 + number % 100, **more)


def library(held: Sequence[Number], total: int | None = None) -> Callable[[Request], bytes]:
    """A source that gives what it holds as it is asked for it: from `offset` on, `rows` at a
    time."""

    def answer(request: Request) -> bytes:
        asked = dict(request.params)
        start = int(str(asked["offset"]))
        return works(
            *map(work, held[start : start + int(str(asked["rows"]))]), total=total or len(held)
        )

    return answer


def numbers(answer: Answer) -> list[Number]:
    """The works of a page."""
    return [int(hit.record.title.split()[2]) for hit in answer.hits]


async def pages(made: Engine, count: int | None, **options: Any) -> list[Answer]:
    """All pages of a list, following what each says of the next."""
    read = [await made.search("work", limit=count, **options)]
    while (following := read[-1].paging.next) is not None:
        assert following.count is None or following.count <= (count or LAST_PLACE)
        assert following.start > read[-1].paging.start
        read.append(await made.search("work", start=following.start, limit=count, **options))
    return read


def read_from(made: Engine) -> list[Number]:
    """Which offsets were asked for."""
    upstreams = made._fetcher._transport
    assert isinstance(upstreams, Upstreams)
    return [int(str(dict(request.params)["offset"])) for request in upstreams.asked]


LIBRARIES = st.dictionaries(
    st.sampled_from(["alpha", "beta", "gamma"]),
    st.lists(st.integers(0, 30), unique=True, max_size=25),
    min_size=1,
)


@examples(0.25)
@given(LIBRARIES, st.integers(1, 7), st.integers(1, 6), st.booleans())
def test_every_work_comes_once(held: Libraries, count: int, depth: int, kept: bool) -> None:
    """Whatever the sources hold, and how large pages and rounds are: all pages together have every
    work once."""

    async def run() -> None:
        made, upstreams = engine({name: library(works_) for name, works_ in held.items()})
        if kept:
            made._fetcher = Fetcher(upstreams, MemoryStore(), patience=0)
        found = [
            number
            for page in await pages(made, count, per_source=depth)
            for number in numbers(page)
        ]

        assert sorted(found) == sorted(set().union(*held.values()))

    asyncio.run(run())


@examples(0.15)
@given(LIBRARIES, st.integers(1, 7), st.integers(1, 6))
def test_pages_are_the_list_in_pieces(held: Libraries, count: int, depth: int) -> None:
    """Each page holds what stands at its places in the list that is read in one go; and so does any
    other window."""

    async def run() -> None:
        made, _ = engine({name: library(works_) for name, works_ in held.items()})
        first = await made.search("work", per_source=depth)
        rest = await made.search("work", start=1, limit=9000, per_source=depth)
        whole = dict(zip([hit.rank for hit in rest.hits], numbers(rest), strict=True))
        whole |= {
            hit.rank: number
            for hit, number in zip(first.hits, numbers(first), strict=True)
            if hit.rank == 1
        }

        for page in await pages(made, count, per_source=depth):
            for hit, number in zip(page.hits, numbers(page), strict=True):
                assert whole.pop(hit.rank) == number
                assert page.paging.start < hit.rank <= page.paging.start + count
        assert whole == {}

    asyncio.run(run())


@examples(0.15)
@given(LIBRARIES, st.integers(1, 7), st.integers(1, 6))
def test_every_process_sees_the_same_list(held: Libraries, count: int, depth: int) -> None:
    """A page of an engine that has seen none before it is that of one that has shown them all."""

    async def run() -> None:
        bodies = {name: library(works_) for name, works_ in held.items()}
        for page in await pages(engine(bodies)[0], count, per_source=depth):
            start = page.paging.start
            alone = await engine(bodies)[0].search(
                "work", start=start, limit=count, per_source=depth
            )

            assert [(hit.rank, hit.id) for hit in alone.hits] == [
                (hit.rank, hit.id) for hit in page.hits
            ]
            assert alone.paging == page.paging

    asyncio.run(run())


@examples(0.15)
@given(LIBRARIES, st.integers(1, 6), st.integers(0, 40), st.integers(1, 9))
def test_the_stream_of_a_page_folds_to_the_page(
    held: Libraries, depth: int, start: int, count: int
) -> None:
    """From wherever it starts."""

    async def run() -> None:
        bodies = {name: library(works_) for name, works_ in held.items()}
        options: dict[str, Any] = {"start": start, "limit": count, "per_source": depth}
        answer = answer_object(await engine(bodies)[0].search("work", **options))
        events = [event async for event in engine(bodies)[0].search("work", **options)]
        told = fold(map(event_object, events))

        assert untimed(told) == untimed(answer)
        (end,) = [event.answer for event in events if isinstance(event, Finished)]
        ordered = [event.ids for event in events if isinstance(event, Order)][-1]
        shown = [hit.id for hit in end.hits]
        assert [name for name in ordered if name in set(shown)] == shown

    asyncio.run(run())


async def test_counting_on_by_pages_loses_nothing() -> None:
    """Also where the first round has fewer works than a page: whoever adds `count` again and again
    gets them all."""
    same = [*range(5), *range(20, 60)]
    made, _ = engine({"alpha": library(same), "beta": library(same), "gamma": library([])})
    found = []
    for start in range(0, 200, 20):
        found += numbers(await made.search("work", start=start, limit=20))

    assert sorted(found) == same


@pytest.mark.parametrize("query", sample(["machine learning", "psilocybin"], 2))
async def test_every_kind_of_paging_goes_deep(query: str) -> None:
    """Over real sockets, by cursor, offset, page number, in two steps: small rounds bring what one
    large one does."""
    async with DemoDatabases(latency=0, faults=False) as demo, Engine(demo.settings()) as made:
        large = await made.search(query, per_source=500)
        deep = await made.search(query, start=1, limit=5000, per_source=4)
        page, shown = await made.search(query, limit=6, per_source=4), set()
        while page.paging.next is not None:
            shown |= {record.key for hit in page.hits for record in hit.records}
            page = await made.search(query, start=page.paging.next.start, limit=6, per_source=4)

    assert deep.counts == large.counts
    assert [(it.source, it.count, it.total) for it in deep.sources] == [
        (it.source, it.count, it.total) for it in large.sources
    ]
    assert len(deep.hits) == large.counts.unique - 1
    assert max(it.count for it in large.sources) > 12
    assert shown <= {record.key for hit in large.hits for record in hit.records}


# --------------------------------------------------------------------------- what is asked


async def test_the_first_page_asks_for_nothing_more() -> None:
    """Although it has fewer hits than were asked for, and the source has more."""
    made, _ = engine({"alpha": library(range(100))})
    answer = await made.search("work", limit=50, per_source=20)

    assert len(answer.hits) == 20
    assert read_from(made) == [0]
    assert answer.paging.next is not None
    assert (answer.paging.next.start, answer.paging.next.count) == (20, 50)


async def test_a_page_asks_for_what_it_needs() -> None:
    """Nothing within the first round, one round for the next page, and only of those that have
    more."""
    made, upstreams = engine({"alpha": library(range(100)), "beta": library(range(100, 120))})
    made._fetcher = Fetcher(upstreams, MemoryStore(), patience=0)
    asked = []
    for start in (0, 20, 40, 60, 80):
        await made.search("work", start=start, limit=20)
        asked.append(
            [
                (it.source, dict(it.params)["offset"], dict(it.params)["rows"])
                for it in upstreams.asked
            ]
        )
        upstreams.asked.clear()

    assert asked == [
        [("alpha", "0", "20"), ("beta", "0", "20")],
        [],
        [("alpha", "20", "20")],
        [("alpha", "40", "20")],
        [("alpha", "60", "20")],
    ]


async def test_within_a_search_no_page_is_asked_for_again() -> None:
    """Also without a cache: going deeper goes on."""
    made, _ = engine({"alpha": library(range(1000))})
    answer = await made.search("work", start=90, limit=10, per_source=20)

    assert read_from(made) == [0, 20, 40, 60, 80]
    assert numbers(answer) == list(range(90, 100))


async def test_the_next_page_within_a_minute_costs_nothing(tmp_path: Path) -> None:
    """Where there is a cache, and all of it was among what was received; another one asks."""
    made, upstreams = engine(
        {"alpha": library(range(100)), "beta": library(range(100, 200))}, cache_dir=tmp_path
    )
    await made.search("work", limit=10)
    asked = len(upstreams.asked)
    second = await made.search("work", start=10, limit=10)

    assert len(upstreams.asked) == asked
    assert [hit.rank for hit in second.hits] == list(range(11, 21))
    assert all(report.cached for report in second.sources)
    await made.search("work", start=40, limit=10)
    assert len(upstreams.asked) > asked


async def test_the_first_page_is_the_same_whoever_read_deeper(tmp_path: Path) -> None:
    """Without a limit it holds the hits of the first round, also after a later page has brought
    more."""
    made, _ = engine(
        {"alpha": library(range(100)), "beta": library(range(100, 200))}, cache_dir=tmp_path
    )
    first = await made.search("work")
    await made.search("work", start=70)
    again = await made.search("work")

    assert again.hits == first.hits
    assert again.counts == first.counts


async def test_records_that_came_early_wait_for_their_ask_round() -> None:
    """A server that gives more than it was asked for is not asked for them again."""
    made, _ = engine({"alpha": lambda _: works(*map(work, range(50)))})
    first = await made.search("work", limit=20)
    third = await made.search("work", start=40, limit=20)

    assert numbers(first) == list(range(20))
    assert numbers(third) == list(range(40, 50))
    assert third.paging.next is None
    assert len(read_from(made)) == 2


async def test_a_server_that_ignores_paging_is_left_alone() -> None:
    """It gives the same page for ever; that is noticed and told."""
    made, _ = engine({"alpha": lambda _: works(*map(work, range(20)), total=9_000)})
    answer = await made.search("work", start=500, limit=20)

    assert answer.hits == ()
    assert answer.paging.next is None
    assert len(read_from(made)) == 2
    assert "the same records again" in " ".join(answer.sources[0].notes)


async def test_depth_has_an_end() -> None:
    """A list has so many rounds, however much the source has."""
    made, _ = engine({"alpha": library(range(5000), total=10**9)})
    answer = await made.search("work", start=MAX_ROUNDS - 5, limit=20, per_source=1)

    assert numbers(answer) == list(range(MAX_ROUNDS - 5, MAX_ROUNDS))
    assert answer.paging.next is None
    assert len(read_from(made)) == MAX_ROUNDS


@each(
    ("options", "word"),
    [
        ({"start": -1}, "start"),
        ({"start": LAST_PLACE}, "start"),
        ({"start": 9_990, "limit": 11}, "start and limit"),
    ],
)
async def test_beyond_the_last_place(options: dict[str, int], word: str) -> None:
    """It is refused with the bounds."""
    made, upstreams = engine({"alpha": library([])})
    with pytest.raises(UsageError, match=rf"^{word} .*must be between 0 and"):
        made.search("work", **options)  # type: ignore[arg-type]
    assert upstreams.asked == []


# --------------------------------------------------------------------- what changes while one reads


def failing_from(held: Sequence[Number], offset: int) -> Callable[[Request], bytes]:
    """A source that breaks where it is asked for more."""
    answer = library(held)

    def play(request: Request) -> bytes:
        if int(str(dict(request.params)["offset"])) >= offset:
            raise ConnectFailed("beta", "no connection")
        return answer(request)

    return play


async def test_a_source_that_fails_deeper_costs_the_others_nothing() -> None:
    """What it gave stays, the page is incomplete, and the list goes on without it."""
    made, _ = engine({"alpha": library(range(60)), "beta": failing_from(range(100, 160), 20)})
    answer = await made.search("work", start=40, limit=20)

    assert numbers(answer) == list(range(20, 40))
    assert not answer.complete
    assert {report.source: (report.status, report.count) for report in answer.sources} == {
        "alpha": ("ok", 40),
        "beta": ("error", 20),
    }
    assert answer.paging.next is not None
    assert not answer.totals.reliable if answer.totals else False


@pytest.mark.parametrize("count", sample([10, 20], 2))
async def test_a_source_that_recovers_shifts_nothing(count: int) -> None:
    """It failed while the first page was read; then its hits come behind all that was shown, and
    none is lost."""
    bodies: dict[str, Body] = {
        "alpha": library(range(40)),
        "beta": ConnectFailed("beta", "no connection"),
    }
    made, _ = engine(bodies)
    first = await made.search("work", limit=count)
    bodies["beta"] = library(range(100, 130))
    found = numbers(first)
    following = first.paging.next
    while following is not None:
        page = await made.search("work", start=following.start, limit=count)
        found += numbers(page)
        following = page.paging.next

    assert len(found) == len(set(found))
    assert set(found) == {*range(40), *range(100, 130)}
    assert found[:20] == list(range(20))


async def test_a_page_that_has_changed_shifts_nothing() -> None:
    """The source puts new records before those that were shown: they come at the end."""
    bodies: dict[str, Body] = {"alpha": library(range(40)), "beta": library(range(100, 140))}
    made, _ = engine(bodies)
    found = numbers(await made.search("work", limit=20))
    bodies["alpha"] = library([*range(200, 205), *range(40)])
    for start in (20, 40, 60, 80):
        found += numbers(await made.search("work", start=start, limit=20))

    assert len(found) == len(set(found))
    assert set(found) == {*range(40), *range(100, 140), *range(200, 205)}


async def test_who_reads_the_first_page_again_begins_anew() -> None:
    """It is ranked as if nothing had been shown."""
    bodies: dict[str, Body] = {
        "alpha": library(range(20)),
        "beta": ConnectFailed("beta", "no connection"),
    }
    made, _ = engine(bodies)
    await made.search("work", limit=20)
    bodies["beta"] = library(range(100, 120))
    again = await made.search("work", limit=20)
    fresh = await engine(bodies)[0].search("work", limit=20)

    assert again.hits == fresh.hits


def joining(last: Mapping[str, Any]) -> dict[str, Body]:
    """Two records that only a third one, two rounds deeper, shows to be one work."""
    one = item("Salt marsh birds of the north", "10.1000/a", **{"alternative-id": ["a"]})
    other = item("A very different preprint title", "10.1000/b", **{"alternative-id": ["b"]})
    rows = [one, other, *map(work, range(2)), *map(work, range(2, 4))]

    def alpha(request: Request) -> bytes:
        start = int(str(dict(request.params)["offset"]))
        return works(*rows[start : start + 2], total=len(rows))

    def beta(request: Request) -> bytes:
        start = int(str(dict(request.params)["offset"]))
        return works(
            *[work(10), work(11), work(12), work(13), dict(last), work(14)][start : start + 2],
            total=6,
        )

    return {"alpha": alpha, "beta": beta}


async def test_a_record_that_comes_late_enriches_its_hit() -> None:
    """The hit of page one stays at its place, whoever else says later that it has it, and comes no
    second time."""
    late = item("Salt marsh birds of the north", "10.1000/a", **{"alternative-id": ["late"]})
    made, _ = engine(joining(late))
    read = await pages(made, 2, per_source=2)
    titles = [hit.record.title for page in read for hit in page.hits]
    whole = await made.search("work", start=1, limit=50, per_source=2)

    assert len(titles) == len(set(titles))
    assert titles.count("Salt marsh birds of the north") == 1
    assert len(titles) == 11
    assert whole.counts.duplicates == 1


@dataclass(frozen=True)
class SharedWord:
    """Records that share a word of their titles are one work."""

    name: ClassVar[str] = "shared-word"
    exact: ClassVar[bool] = True

    def keys(self, it: Fingerprint) -> list[str]:
        return it.record.title.split()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        shared = set(self.keys(a)) & set(self.keys(b))
        return verdict(self.name, "same", 1.0, ["a word is shared"], a, b) if shared else None


async def test_hits_that_become_one_leave_an_empty_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one keeps its place, the other is dropped, and nothing moves up; nor when only page
    one is read on."""
    chosen = same_title(name="shared-word", chain=Chain((SharedWord(),)))
    monkeypatch.setitem(STRATEGIES, chosen.name, chosen)  # type: ignore[arg-type]
    titles = ["red", "green", "blue", "grey", "black", "red blue", "white", "pink"]
    rows = [item(title, **{"alternative-id": [title]}) for title in titles]

    def answer(request: Request) -> bytes:
        start = int(str(dict(request.params)["offset"]))
        return works(*rows[start : start + 4], total=len(rows))

    made, _ = engine({"alpha": answer})
    options: dict[str, Any] = {"per_source": 4, "dedup": chosen.name}
    first = await made.search("work", limit=2, **options)
    second = await made.search("work", start=2, limit=2, **options)
    third = await made.search("work", start=4, limit=4, **options)
    deep = await made.search("work", start=1, limit=50, **options)
    back = await made.search("work", start=2, limit=2, **options)
    shown = [
        [(hit.rank, sorted(r.source_id for r in hit.records)) for hit in page.hits]
        for page in (first, second)
    ]
    (red,) = [rank for page in shown for rank, ids in page if ids == ["red"]]
    (blue,) = [rank for page in shown for rank, ids in page if ids == ["blue"]]
    kept, gone = sorted((red, blue))

    assert third.counts.unique == 6
    assert {hit.rank for page in (first, second) for hit in page.hits} == {1, 2, 3, 4}
    assert [hit.rank for hit in third.hits] == [5, 6, 7]
    assert gone not in [hit.rank for hit in deep.hits]
    assert [len(hit.records) for hit in deep.hits if hit.rank == kept] == ([3] if kept > 1 else [])
    assert [(hit.rank, hit.id) for hit in back.hits] == [(hit.rank, hit.id) for hit in second.hits]


async def test_totals_follow_what_is_known() -> None:
    """An estimate from the claims at first; once everything is read, the number itself."""
    made, _ = engine({"alpha": library(range(40)), "beta": library(range(20, 60))})
    first = (await made.search("work", limit=20)).totals
    last = (await pages(made, 20))[-1].totals

    assert first is not None
    assert last is not None
    assert (first.seen, first.most, first.reliable) == (40, 80, True)
    assert first.least <= 60 <= (first.most or 0)
    assert (last.seen, last.estimate, last.reliable) == (60, 60, True)
