"""Sorts, filters and facets of a merged list: pages are the list in pieces, filters take nothing
else away, facets are counted exactly, and no source is asked for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request
from metasearch.cache import MemoryStore
from metasearch.engine.engine import Engine
from metasearch.engine.facets import SORTS, Sort
from metasearch.engine.results import FRUITLESS_ROUNDS
from metasearch.engine.run import EVERY as FACETS_EVERY
from metasearch.events import Answer, FacetsChanged, Finished, Order
from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object, fold
from metasearch.record import Hit
from tests import cases, unlike
from tests.adapters.fetch.timeless import timeless
from tests.answers import untimed
from tests.engine.test_engine import engine, item, works
from tests.examples import examples

#: A source -> the works that it holds, in its order, each with a number that decides what it says
#: of the work.
World = Mapping[str, Sequence[tuple[int, int]]]

#: Facets that the records of these tests have.
COUNTED = ("source", "only", "type", "year", "language", "venue", "author", "subject")

_TYPES = ("journal-article", "book", None)
_LANGUAGES = ("en", None, "de")


def work(number: int, variant: int) -> dict[str, Any]:
    """A work that resembles no other, with fields in which sources differ."""
    kind, language = _TYPES[variant % 3], _LANGUAGES[variant // 3 % 3]
    more: dict[str, Any] = {
        "is-referenced-by-count": (variant * 7 + number) % 5,
        "container-title": [("Nature", "NATURE", "The Lancet")[number % 3]],
        "subject": ["Iron", "Lakes"][: variant % 3],
    }
    if kind:
        more["type"] = kind
    if language:
        more["language"] = language
    title = f"Work number {number} {unlike.words(number)}"
    return item(title, f"10.1000/{number}", year=1990 + number % 7, **more)


def sources(world: World) -> dict[str, Callable[[Request], bytes]]:
    """Sources that return what they hold, from `offset` on, `rows` at a time."""

    def source(held: Sequence[tuple[int, int]]) -> Callable[[Request], bytes]:
        def answer(request: Request) -> bytes:
            asked = {name: str(value) for name, value in dict(request.params).items()}
            start = int(asked["offset"])
            page = held[start : start + int(asked["rows"])]
            return works(*(work(*each) for each in page), total=len(held))

        return answer

    return {name: source(held) for name, held in world.items()}


def number_of(hit: Hit) -> int:
    """The number of its work."""
    return int(hit.record.title.split()[2])


def numbers(answer: Answer) -> list[int]:
    """The works of a page."""
    return [number_of(hit) for hit in answer.hits]


async def pages(made: Engine, count: int | None, **options: Any) -> list[Answer]:
    """All pages of a list, each as the one before it names it."""
    read = [await made.search("work", limit=count, **options)]
    while (following := read[-1].paging.next) is not None:
        assert following.start > read[-1].paging.start
        read.append(await made.search("work", start=following.start, limit=count, **options))
    return read


# --------------------------------------------------------------------- filters, by hand

#: A filter -> its name, and which works have its value. Some works begin or cease to pass with a
#: record of a later round: "source:beta" and "-source:beta", "only:alpha", "type:book".
FILTERS: Mapping[str, tuple[str, Callable[[Hit], bool]]] = {
    "source:beta": ("source", lambda hit: "beta" in {r.source for r in hit.records}),
    "source:alpha": ("source", lambda hit: "alpha" in {r.source for r in hit.records}),
    "-source:gamma": ("-source", lambda hit: "gamma" not in {r.source for r in hit.records}),
    "only:alpha": ("only", lambda hit: {r.source for r in hit.records} == {"alpha"}),
    "type:article": ("type", lambda hit: hit.record.type == "article"),
    "type:book": ("type", lambda hit: hit.record.type == "book"),
    "-type:book": ("-type", lambda hit: hit.record.type != "book"),
    "year:1991-1994": ("year", lambda hit: 1991 <= (hit.record.year or 0) <= 1994),
    "language:en": ("language", lambda hit: hit.record.language in ("en", "eng")),
    "venue:nature": ("venue", lambda hit: (hit.record.venue or "").lower() == "nature"),
}


def passing(hits: Iterable[Hit], texts: Iterable[str], *, without: str = "") -> list[Hit]:
    """The hits that pass filters: one of each name, and all with a hyphen.

    Args:
        hits: All.
        texts: Keys of `FILTERS`.
        without: A name whose filters are left out, but for those with a hyphen.
    """
    groups: dict[str, list[Callable[[Hit], bool]]] = {}
    for text in texts:
        name, holds = FILTERS[text]
        if name != without:
            groups.setdefault(text if name.startswith("-") else name, []).append(holds)
    return [
        hit for hit in hits if all(any(holds(hit) for holds in group) for group in groups.values())
    ]


WORLDS = st.dictionaries(
    st.sampled_from(["alpha", "beta", "gamma"]),
    st.lists(
        st.tuples(st.integers(0, 24), st.integers(0, 8)),
        unique_by=lambda each: each[0],
        max_size=20,
    ),
    min_size=1,
)
FILTERED = st.lists(st.sampled_from(sorted(FILTERS)), unique=True, min_size=1, max_size=3)
REPEATABLE = st.sampled_from([sort for sort in SORTS if sort != "first-seen"])
#: With three records a round no list of these has more than seven rounds.
DEPTHS = st.integers(3, 8)


# ------------------------------------------------------------------------------ pages


@examples(0.3)
@given(WORLDS, st.sampled_from(SORTS), st.integers(1, 7), st.integers(1, 6))
def test_with_every_sort_each_work_comes_once(
    world: World, sort: Sort, count: int, depth: int
) -> None:
    """All pages together hold all works, at the places that the list has in one piece."""

    async def run() -> None:
        made, _ = engine(sources(world))
        read = await pages(made, count, per_source=depth, sort=sort)
        found = [number for page in read for number in numbers(page)]
        places = {hit.rank: number_of(hit) for page in read for hit in page.hits}
        rest = await made.search("work", start=1, limit=9000, per_source=depth, sort=sort)

        assert sorted(found) == sorted({number for held in world.values() for number, _ in held})
        assert all(page.sort == sort for page in read)
        assert {hit.rank: number_of(hit) for hit in rest.hits} == {
            place: number for place, number in places.items() if place > 1
        }

    asyncio.run(run())


@examples(0.5)
@given(WORLDS, FILTERED, st.sampled_from(SORTS), st.integers(1, 7), DEPTHS)
def test_pages_of_a_filtered_list_are_the_filtered_list(
    world: World, texts: list[str], sort: Sort, count: int, depth: int
) -> None:
    """No work comes twice, each one passes as it is shown, and none that passes in the end is
    missing. Of works that do not change, the pages are the list without those that do not pass."""

    async def run() -> None:
        made, _ = engine(sources(world))
        options: dict[str, Any] = {"per_source": depth, "sort": sort}
        plain = [hit for page in await pages(made, count, **options) for hit in page.hits]
        rest = await made.search("work", start=1, limit=9000, **options)
        ended = {number_of(hit): hit for hit in [*plain[:1], *rest.hits]}
        read = await pages(made, count, filter=",".join(texts), **options)
        shown = [hit for page in read for hit in page.hits]
        found = list(map(number_of, shown))
        assert len(found) == len(set(found))
        assert passing(shown, texts) == shown
        if plain:  # the first hit is on no page of the rest
            ended.pop(number_of(plain[0]))
        assert {number_of(hit) for hit in passing(ended.values(), texts)} <= set(found)
        rounds: dict[int, set[int]] = {}
        for held in world.values():
            for place, (number, _) in enumerate(held):
                rounds.setdefault(number, set()).add(place // depth)
        # Works of which all records come in one round pass or not from then on.
        stable = {number for number, read_in in rounds.items() if len(read_in) == 1}
        assert [number for number in found if number in stable] == [
            number for number in map(number_of, passing(plain, texts)) if number in stable
        ]
        for page in read:
            start = page.paging.start
            assert all(start < hit.rank <= start + count for hit in page.hits)

    asyncio.run(run())


@examples(0.3)
@given(WORLDS, FILTERED, REPEATABLE, st.integers(1, 7), DEPTHS)
def test_every_process_shows_the_same_page_of_a_filtered_list(
    world: World, texts: list[str], sort: Sort, count: int, depth: int
) -> None:
    """Also where a later round changes what passes: numbers depend on rounds, not on the pages that
    were read before."""

    async def run() -> None:
        options: dict[str, Any] = {
            "per_source": depth, "sort": sort, "filter": ",".join(texts), "facets": "all",
        }  # fmt: skip
        for page in await pages(engine(sources(world))[0], count, **options):
            start = page.paging.start
            alone = await engine(sources(world))[0].search(
                "work", start=start, limit=count, **options
            )

            assert [(hit.rank, hit.id) for hit in alone.hits] == [
                (hit.rank, hit.id) for hit in page.hits
            ]
            assert (alone.paging, alone.totals) == (page.paging, page.totals)
            assert alone.facets == page.facets

    asyncio.run(run())


@examples(0.3)
@given(WORLDS, FILTERED, st.integers(0, 60), st.integers(1, 7), DEPTHS)
def test_totals_and_the_end_of_a_filtered_list(
    world: World, texts: list[str], start: int, count: int, depth: int
) -> None:
    """Totals count the works that pass; beyond the end a page is empty and no other follows."""

    async def run() -> None:
        made, _ = engine(sources(world))
        options: dict[str, Any] = {"per_source": depth, "filter": ",".join(texts)}
        page = await made.search("work", start=start, limit=count, **options)
        everything = await made.search("work", start=1, limit=9000, **options)
        last = everything.hits[-1].rank if everything.hits else 1
        beyond = await made.search("work", start=last + 7, limit=count, **options)

        assert (beyond.hits, beyond.paging.next) == ((), None)
        assert page.totals is not None
        assert page.totals.seen == page.totals.least <= page.counts.unique
        if page.totals.estimate is not None:
            assert page.totals.seen <= page.totals.estimate
        assert page.filter == ",".join(sorted(texts))
        if page.paging.next is not None:
            assert page.paging.next.start > start
        if start > last:
            assert (page.hits, page.paging.next) == ((), None)

    asyncio.run(run())


async def test_a_work_that_ceases_to_pass_and_one_that_begins_to() -> None:
    """The second round brings a record of beta for the first and the third work of alpha. The place
    of the third one stays empty where it does not pass; no work is shown twice or lost."""
    alpha = [(number, 0) for number in range(9)]
    beta = [(20, 0), (21, 0), (22, 0), (0, 0), (2, 0), (23, 0)]
    world = {"alpha": alpha, "beta": beta}
    options: dict[str, Any] = {"per_source": 3, "sort": "title"}
    made, _ = engine(sources(world))
    only = await pages(made, 2, filter="only:alpha", **options)
    both = await pages(made, 2, filter="source:beta", **options)

    assert [numbers(page) for page in only] == [[0, 1], [3], [4, 5], [6, 7], [8]]
    assert [hit.rank for page in only for hit in page.hits] == [1, 2, *range(4, 10)]
    assert [numbers(page) for page in both] == [[20, 21], [22, 0], [2, 23], []]


async def test_a_long_list_is_narrowed_to_its_end() -> None:
    """Many more rounds than may pass without a work that is looked for."""
    held = [(number, 0) for number in range(3 * FRUITLESS_ROUNDS * 5)]
    made, upstreams = engine(sources({"alpha": held}), timeout=60.0)
    made._fetcher = Fetcher(upstreams, MemoryStore(), patience=0)
    found = []
    for page in await pages(made, 10, per_source=5, filter="year:1991"):
        found += numbers(page)

    assert found == [number for number, _ in held if number % 7 == 1]


async def test_works_that_hardly_any_passes_are_not_looked_for_without_end() -> None:
    """After so many rounds without one more the page ends, and the answer notes that the sources
    have further records."""
    held = [(number, 0) for number in range(500)]
    made, upstreams = engine(sources({"alpha": held}), timeout=60.0)
    page = await made.search("work", start=1, limit=10, per_source=7, filter="year:1900")

    assert page.hits == ()
    assert page.paging.next is not None
    assert len(upstreams.asked) == FRUITLESS_ROUNDS
    assert any("the sources have further records" in note for note in page.notes)
    whole = await made.search("work", per_source=500, filter="year:1900")
    assert not any("further records" in note for note in whole.notes)


@cases.each(("place", "count"), [(0, 3), (30, 20), (119, 3)])
async def test_a_page_without_works_that_pass_names_the_next_one(place: int, count: int) -> None:
    """The only work that passes may stand far down: the pages before it are empty, and say so."""
    held = [(number, int(number == place)) for number in range(120)]
    made, upstreams = engine(sources({"alpha": held}), timeout=60.0)
    made._fetcher = Fetcher(upstreams, MemoryStore(), patience=0)
    read = await pages(made, count, per_source=5, filter="type:book")

    assert [number for page in read for number in numbers(page)] == [place]
    for page in read[:-1]:
        assert any("the sources have further records" in note for note in page.notes)
    assert len(set(map(repr, upstreams.asked))) == 120 // 5


async def test_a_client_that_counts_places_itself_misses_no_work() -> None:
    """An empty first page stands for as many places as a round has records."""
    held = [(number, int(number >= 20)) for number in range(30)]
    made, _ = engine(sources({"alpha": held}))
    found = []
    for start in range(0, 60, 10):
        page = await made.search("work", start=start, limit=10, per_source=10, filter="type:book")
        found += numbers(page)

    assert found == list(range(20, 30))


async def test_reading_a_page_again_and_again_keeps_the_store_small(tmp_path: Path) -> None:
    """The numbers of a filtered list take no more room with every answer."""
    made, _ = engine(sources({"alpha": [(number, 0) for number in range(60)]}), cache_dir=tmp_path)
    options: dict[str, Any] = {"limit": 5, "filter": "year:1991", "start": 1, "per_source": 60}
    await made.search("work", **options)
    size = made._position_store.size
    for _ in range(20):
        await made.search("work", **options)

    assert made._position_store.size == size
    await made.close()


# ------------------------------------------------------------------------------ arrival


def without_evidence(answer: dict[str, Any]) -> Any:
    """A JSON answer without times, and without the pairs of records that make a hit: which pair of
    three equal records stands for the third depends on who came first.
    """
    read = untimed(answer)
    for hit in read["hits"]:
        hit.pop("matches")
    return read


@examples(0.3)
@given(
    WORLDS,
    st.fixed_dictionaries({name: st.integers(0, 9) for name in ("alpha", "beta", "gamma")}),
    st.none() | FILTERED,
    REPEATABLE,
    st.integers(0, 8),
)
def test_the_order_of_arrival_has_no_effect(
    world: World, turns: dict[str, int], texts: list[str] | None, sort: Sort, start: int
) -> None:
    """On one page, its facets and its totals."""

    async def run() -> None:
        options: dict[str, Any] = {
            "per_source": 4, "start": start, "limit": 6, "sort": sort, "facets": "all",
            "filter": texts and ",".join(texts),
        }  # fmt: skip
        one = await engine(sources(world))[0].search("work", **options)
        other = await engine(sources(world), turns)[0].search("work", **options)

        assert without_evidence(answer_object(other)) == without_evidence(answer_object(one))

    asyncio.run(run())


# ------------------------------------------------------------------------------ facets


def values_by_hand(hit: Hit, name: str) -> set[str]:
    """What a work counts as in a facet, read from its record."""
    record, there = hit.record, {each.source for each in hit.records}
    found: Mapping[str, Iterable[str | None]] = {
        "source": there,
        "only": there if len(there) == 1 else (),
        "type": (record.type,),
        "year": (record.year and str(record.year),),
        "language": (record.language,),
        "venue": ((record.venue or "").lower().replace("the ", ""),),
        "author": ("berg, anna" for _ in record.authors[:1]),
        "subject": (subject.lower() for subject in (*record.subjects, *record.keywords)),
    }
    return {value for value in found[name] if value}


@examples(0.4)
@given(WORLDS, st.none() | FILTERED, DEPTHS, st.integers(1, 4))
def test_facets_are_what_a_count_by_hand_finds(
    world: World, texts: list[str] | None, depth: int, limit: int
) -> None:
    """Of all works seen; with filters a work counts where it passes those of the other names."""

    async def run() -> None:
        made, _ = engine(sources(world))
        plain = await made.search("work", per_source=depth)
        answer = await made.search(
            "work", per_source=depth, facets=COUNTED, facet_limit=limit,
            filter=texts and ",".join(texts),
        )  # fmt: skip

        assert answer.facets is not None
        assert answer.facets.works == len(plain.hits) == answer.counts.unique
        assert tuple(facet.name for facet in answer.facets.facets) == COUNTED
        for facet in answer.facets.facets:
            counted = passing(plain.hits, texts or (), without=facet.name)
            by_hand = Counter(value for hit in counted for value in values_by_hand(hit, facet.name))
            key = str.lower if facet.name != "venue" else _bare
            shown = {key(value.value): value.count for value in facet.values}
            assert all(by_hand[value] == count for value, count in shown.items())
            assert len(shown) + facet.more == len(by_hand)
            if facet.name != "year":
                assert len(facet.values) == min(limit, len(by_hand))
                hidden = [count for value, count in by_hand.items() if value not in shown]
                assert max(hidden, default=0) <= min(shown.values(), default=0)
            assert facet.missing == sum(not values_by_hand(hit, facet.name) for hit in counted)

    asyncio.run(run())


def _bare(venue: str) -> str:
    return venue.lower().replace("the ", "")


# ------------------------------------------------------------------------------ streams


@examples(0.5)
@given(
    WORLDS,
    st.fixed_dictionaries({name: st.integers(0, 9) for name in ("alpha", "beta", "gamma")}),
    st.none() | FILTERED,
    REPEATABLE,
    st.integers(0, 20),
    st.integers(1, 9),
)
def test_the_stream_folds_to_the_answer(
    world: World, turns: dict[str, int], texts: list[str] | None, sort: Sort, start: int, count: int
) -> None:
    """With filters, facets and every sort; every hit of an order was sent before, the last order is
    that of the page, and the last facets are those of the answer."""

    async def run() -> None:
        options: dict[str, Any] = {
            "per_source": 4, "start": start, "limit": count, "sort": sort, "facets": "all",
            "filter": texts and ",".join(texts),
        }  # fmt: skip
        answer = answer_object(await engine(sources(world))[0].search("work", **options))
        made, _ = engine(sources(world), turns)
        events = [event async for event in made.search("work", **options)]
        lines = [event_object(event) for event in events]
        (end,) = [event.answer for event in events if isinstance(event, Finished)]

        folded = fold(lines)
        assert folded == answer_object(end)
        assert without_evidence(folded) == without_evidence(answer)
        there: set[str] = set()
        for line in lines:
            if line["event"] in ("hit", "update"):
                there.add(line["id"])
            elif line["event"] == "merge":
                there = there.difference(line["absorbed"]) | {line["id"]}
            elif line["event"] == "order":
                assert there.issuperset(line["ids"])
                assert len(line["ids"]) == len(set(line["ids"]))
        ordered = [event.ids for event in events if isinstance(event, Order)][-1]
        shown = [hit.id for hit in end.hits]
        assert [name for name in ordered if name in set(shown)] == shown
        assert end.totals is not None
        assert len(ordered) == end.totals.seen
        counted = [event.facets for event in events if isinstance(event, FacetsChanged)]
        assert counted[-1] == end.facets

    asyncio.run(run())


@timeless
async def test_facets_are_sent_four_times_a_second_at_most() -> None:
    """Over several rounds, with a source that is slow and others that are not; the last ones are
    sent whenever they are known."""
    world = {name: [(number, 0) for number in range(40)] for name in ("alpha", "beta", "gamma")}
    quick = sources(world)
    slow = {"alpha": 0.03, "beta": 0.05, "gamma": 0.07}

    def after(name: str) -> Callable[[Request], Any]:
        async def answer(request: Request) -> bytes:
            await asyncio.sleep(slow[name])
            return quick[name](request)

        return answer

    made, _ = engine({name: after(name) for name in world})
    loop = asyncio.get_running_loop()
    began, times, last = loop.time(), [], None
    async for event in made.search("work", start=30, limit=10, per_source=4, facets="source"):
        if isinstance(event, FacetsChanged):
            times.append(loop.time())
            last = event.facets
        elif isinstance(event, Finished):
            assert event.answer.facets == last

    assert loop.time() - began > 2 * FACETS_EVERY
    gaps = [later - sooner for sooner, later in pairwise(times[:-1])]
    assert len(times) >= 3
    assert all(gap > FACETS_EVERY - 0.1 for gap in gaps), gaps


# ---------------------------------------------------------------------- who is asked

NARROWED: list[dict[str, Any]] = [
    {"filter": "type:article"},
    {"filter": "source:beta,-type:book"},
    {"facets": "all"},
    {"facets": "year", "facet_limit": 1},
    {"filter": "only:alpha", "facets": "type,source", "facet_limit": 3},
]
TWO: World = {
    "alpha": [(number, number % 3) for number in range(20)],
    "beta": [(number, number % 2) for number in range(10, 30)],
}


def narrowed(plain: Answer, options: Mapping[str, Any]) -> list[int]:
    """The works that the options leave of an answer."""
    texts = str(options.get("filter") or "").split(",")
    return [number_of(hit) for hit in passing(plain.hits, filter(None, texts))]


@pytest.mark.parametrize("options", NARROWED, ids=str)
async def test_narrowing_asks_no_source(tmp_path: Path, options: dict[str, Any]) -> None:
    """The answer of the last minute has all that is needed, also as a stream."""
    made, upstreams = engine(sources(TWO), cache_dir=tmp_path)
    plain = await made.search("work")
    asked = len(upstreams.asked)
    answer = await made.search("work", **options)
    events = [event async for event in made.search("work", **options)]

    assert asked == 2
    assert len(upstreams.asked) == asked
    assert numbers(answer) == narrowed(plain, options)
    assert all(report.cached for report in answer.sources)
    assert untimed(fold(map(event_object, events))) == untimed(answer_object(answer))
    if "filter" in options:
        assert any("no source was asked for it" in note for note in answer.notes)
    await made.close()


async def test_pages_of_a_narrowed_list_ask_for_what_is_not_there(tmp_path: Path) -> None:
    """A page within what was received costs nothing; one that goes beyond it asks."""
    made, upstreams = engine(
        sources({"alpha": [(number, 0) for number in range(100)]}), cache_dir=tmp_path
    )
    await made.search("work", limit=2)
    asked = len(upstreams.asked)
    options: dict[str, Any] = {"limit": 2, "filter": "year:1990"}
    first = await made.search("work", **options)
    assert first.paging.next is not None
    assert numbers(first) == [0, 7]
    assert len(upstreams.asked) == asked
    second = await made.search("work", start=2, **options)
    assert numbers(second) == [14, 21]
    assert len(upstreams.asked) > asked
    await made.close()


@cases.each("options", NARROWED, ids=str)
async def test_narrowing_joins_a_search_that_goes_on(options: dict[str, Any]) -> None:
    """While the first one waits for a source in the background, and after that."""
    quick = sources(TWO)
    gate = asyncio.Event()

    async def beta(request: Request) -> bytes:
        await gate.wait()
        return quick["beta"](request)

    made, upstreams = engine({"alpha": quick["alpha"], "beta": beta})
    early = await made.search("work", wait=0.5)
    narrow = await made.search("work", wait=0.5, **options)
    assert early.running == narrow.running == ("beta",)
    assert numbers(narrow) == narrowed(early, options)
    gate.set()
    answer = await made.search("work", wait=5, **options)

    assert not answer.running
    assert [request.source for request in upstreams.asked] == ["alpha", "beta"]
    plain, _ = engine(quick)
    assert numbers(answer) == narrowed(await plain.search("work"), options)
    await plain.close()
    await made.close()


async def test_other_hits_are_not_enriched_for_a_search_with_other_filters() -> None:
    """An enricher is asked for the hits of one page; with another filter the page has others."""
    made, _ = engine(sources(TWO))
    plain, same = made.search("work")._resolved, made.search("work", filter="type:book")._resolved
    assert plain.holds(same)
    enrichers = plain.sources[:1]
    enriched = replace(plain, enrichers=enrichers), replace(same, enrichers=enrichers)
    assert enriched[0].holds(enriched[0])
    assert not enriched[0].holds(enriched[1])
    await made.close()


async def test_without_the_answers_of_the_last_minute_sources_are_asked(tmp_path: Path) -> None:
    """As for any search."""
    made, upstreams = engine(sources(TWO), cache_dir=tmp_path)
    plain = await made.search("work", cache=False)
    answer = await made.search("work", cache=False, filter="type:article")

    assert len(upstreams.asked) == 4
    assert numbers(answer) == narrowed(plain, {"filter": "type:article"})
    await made.close()
    bare, again = engine(sources(TWO))
    await bare.search("work")
    await bare.search("work", filter="type:article")
    assert len(again.asked) == 4
    await bare.close()
