"""Enrichers: the same hits in the same order as without them, and beside that where they can be
read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.cache import MemoryStore
from metasearch.engine.engine import Engine
from metasearch.engine.enrichment import FAILURES, MOST
from metasearch.errors import ConnectFailed, UnknownSource, UsageError
from metasearch.events import Answer, Finished, Grown, SearchEvent, SourceReport, Started
from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object, fold
from metasearch.settings import Settings
from tests.adapters.fetch.timeless import timeless, took
from tests.answers import untimed
from tests.cases import each, sample
from tests.engine.test_engine import Body, Upstreams, item, works
from tests.examples import examples
from tests.test_deep_paging import LIBRARIES, Libraries, library, numbers

NOTHING = b"there is no such work"
CONTACT = {"METASEARCH_CONTACT": "reader@example.org"}

#: What an enricher does when it is asked for a work.
Manner = Literal["open", "closed", "nothing", "other"]
MANNERS: tuple[Manner, ...] = ("open", "closed", "nothing", "other")


class Databases(Upstreams):
    """The same, where a body can say that there is nothing."""

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        page = await super().send(request, timeout=timeout, max_bytes=max_bytes)
        return replace(page, status=404) if page.body == NOTHING else page


def doi_of(request: Request) -> str:
    """The DOI that an enricher is asked for."""
    return unquote(request.url.rpartition("/")[2])


def answer_for(doi: str, manner: Manner = "open") -> bytes:
    """What Unpaywall says of a work, in its manner; its own title and year are never those of the
    hit."""
    if manner == "nothing":
        return NOTHING
    place = (
        {"url_for_pdf": f"https://oa.example/{doi}.pdf", "license": "cc-by"}
        if manner != "closed"
        else None
    )
    found = {
        "doi": "10.9999/another" if manner == "other" else doi,
        "title": "A title of its own",
        "year": 1900,
        "published_date": "1900-01-01",
        "oa_status": "closed" if manner == "closed" else "green",
        "best_oa_location": place,
        "oa_locations": [place] if place else [],
    }
    return json.dumps(found).encode()


def unpaywall(manners: Mapping[str, Manner] | None = None) -> Callable[[Request], bytes]:
    """An enricher that has a manner for each DOI, and knows all others."""
    return lambda request: answer_for(doi_of(request), (manners or {}).get(doi_of(request), "open"))


def engine(
    bodies: Mapping[str, Body],
    enrichers: Mapping[str, Body],
    turns: Mapping[str, int] | None = None,
    **more: Any,
) -> tuple[Engine, Databases]:
    """An engine that searches Crossrefs, and can ask Unpaywalls."""
    searched = {
        name: {"extends": "crossref", "url": f"https://{name}.example/works"} for name in bodies
    }
    asked = {
        name: {
            "extends": "unpaywall",
            "enrich": {"request": {"url": f"https://{name}.example/v2/{{doi}}"}},
        }
        for name in enrichers
    }
    more = {"env": CONTACT, **more}
    made = Engine(Settings(sources=searched | asked, default_sources=tuple(bodies), **more))
    databases = Databases({**bodies, **enrichers}, turns)
    made._fetcher = Fetcher(databases, None, patience=0)
    return made, databases


SOIL = {
    "alpha": works(item("Soil carbon", "10.1000/one"), item("Salt marsh birds")),
    "beta": works(item("Peat")),
}


def report_of(answer: Answer, name: str = "oa") -> SourceReport:
    (found,) = [report for report in answer.sources if report.source == name]
    return found


def order(answer: Answer) -> list[Any]:
    """All of a list that an enricher must leave alone."""
    return [
        (it.id, it.rank, it.score, it.reasons, it.record.title, it.record.year, it.record.doi)
        for it in answer.hits
    ]


def asked(databases: Upstreams, name: str = "oa") -> list[str]:
    """What an enricher was asked for."""
    return [doi_of(request) for request in databases.asked if request.source == name]


# --------------------------------------------------------------------------- what it gives


async def test_hits_learn_where_they_can_be_read() -> None:
    """The hit has the record, says from whom it has what, keeps what it had, and tells why the
    record is there."""
    made, databases = engine(SOIL, {"oa": unpaywall()})
    answer = await made.search("soil", enrich=("oa",))
    (hit,) = [hit for hit in answer.hits if hit.record.doi]

    assert (hit.record.open_access, hit.record.pdf_url) == (
        "green",
        "https://oa.example/10.1000/one.pdf",
    )
    assert (hit.record.title, hit.record.year, hit.record.date) == ("Soil carbon", 2020, "2020")
    assert {hit.provenance[it] for it in ("open_access", "pdf_url", "licence")} == {"oa"}
    assert hit.provenance["title"] == "alpha"
    (record,) = [record for record in hit.records if record.source == "oa"]
    assert (record.key, record.position, record.title) == (
        "oa:10.1000/one",
        0,
        "A title of its own",
    )
    assert hit.matches[-1].because == "asked for by the DOI 10.1000/one"
    assert asked(databases) == ["10.1000/one"]


async def test_its_report_counts_and_the_counts_do_not() -> None:
    """Records received, duplicates and totals are those of the search."""
    made, _ = engine(SOIL, {"oa": unpaywall()})
    answer, plain = await made.search("soil", enrich=("oa",)), await made.search("soil")
    report = report_of(answer)

    assert (report.status, report.count, report.query) == ("ok", 1, "1 work(s) by DOI")
    assert (answer.counts, answer.totals, answer.paging) == (
        plain.counts,
        plain.totals,
        plain.paging,
    )
    assert answer.complete
    assert [it.source for it in answer.sources] == ["alpha", "beta", "oa"]


async def test_only_what_is_shown_and_lacks_it_is_asked_for() -> None:
    """Not what stands on another page, nor what says all already; and each DOI once."""
    found = library(range(10))
    made, databases = engine({"alpha": found, "beta": found}, {"oa": unpaywall()})
    await made.search("work", limit=3, enrich=("oa",))
    await made.search("work", start=3, limit=2, enrich=("oa",))

    assert sorted(asked(databases)) == [f"10.1000/{number}" for number in range(5)]


async def test_a_hit_that_says_all_is_left_alone() -> None:
    """Its status and a PDF are known, so nobody is asked, which is said."""
    whole = {"openalex": json.dumps({"meta": {"count": 1}, "results": [OPEN_WORK]}).encode()}
    made, databases = engine({}, {"oa": unpaywall()})
    databases.bodies = {**databases.bodies, **whole}
    answer = await made.search("soil", sources=["openalex"], enrich=("oa",))

    assert len(answer.hits) == 1
    assert asked(databases) == []
    assert (report_of(answer).status, report_of(answer).notes) == (
        "skipped",
        ("no hit here needs it",),
    )
    assert answer.complete


OPEN_WORK = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1000/w1",
    "display_name": "An open work",
    "title": "An open work",
    "open_access": {"is_oa": True, "oa_status": "gold", "oa_url": "https://oa.example/w1.pdf"},
    "best_oa_location": {"pdf_url": "https://oa.example/w1.pdf"},
    "primary_location": {"pdf_url": "https://oa.example/w1.pdf"},
}


async def test_no_more_than_so_many_are_asked_for() -> None:
    """The first of the list, and the report says so."""
    made, databases = engine({"alpha": library(range(MOST + 20))}, {"oa": unpaywall()})
    answer = await made.search("work", limit=MOST + 20, enrich=("oa",), timeout=60)

    assert len(asked(databases)) == MOST == report_of(answer).count
    assert f"the first {MOST} works only, of {MOST + 20}" in report_of(answer).notes[-1]


@each("first", ["oa", "late"])
async def test_two_enrichers_are_believed_in_the_order_of_naming(first: str) -> None:
    """Whoever answers first; and what tells more is believed whoever says it."""
    enrich = sorted(("oa", "late"), key=lambda name: name != first)
    both, _ = engine(SOIL, {"oa": unpaywall(), "late": unpaywall()}, {"late": 9})
    one, _ = engine(
        SOIL, {"oa": unpaywall({"10.1000/one": "closed"}), "late": unpaywall()}, {"late": 9}
    )
    answer = await both.search("soil", enrich=enrich)
    (hit,) = [hit for hit in answer.hits if hit.record.doi]
    (other,) = [hit for hit in (await one.search("soil", enrich=enrich)).hits if hit.record.doi]

    assert (hit.provenance["open_access"], hit.provenance["pdf_url"]) == (first, first)
    assert hit.sources == ("alpha", "late", "oa")
    assert (report_of(answer).count, report_of(answer, "late").count) == (1, 1)
    assert (other.record.open_access, other.provenance["open_access"]) == ("green", "late")


# --------------------------------------------------------------------------- what it must not do


@examples(0.4)
@given(
    LIBRARIES,
    st.lists(st.sampled_from(MANNERS), min_size=31, max_size=31),
    st.fixed_dictionaries(
        {name: st.integers(0, 6) for name in ("alpha", "beta", "gamma", "oa", "other")}
    ),
    st.integers(0, 12),
    st.sampled_from([None, 1, 5]),
    st.sampled_from([("oa",), ("oa", "other"), ("other", "oa")]),
)
def test_the_list_is_the_same_and_streams_fold_to_it(
    held: Libraries,
    manners: list[Manner],
    turns: dict[str, int],
    start: int,
    limit: int | None,
    enrich: tuple[str, ...],
) -> None:
    """Whatever enrichers say, and whoever is first: same hits, same places; and the stream tells
    the same answer."""

    async def run() -> None:
        bodies = {name: library(found) for name, found in held.items()}
        said: dict[str, Manner] = {
            f"10.1000/{number}": manner for number, manner in enumerate(manners)
        }
        enrichers = {"oa": unpaywall(said), "other": unpaywall(dict.fromkeys(said, "closed"))}
        options: dict[str, Any] = {"start": start, "limit": limit, "per_source": 6}
        plain = await engine(bodies, enrichers)[0].search("work", **options)
        answer = await engine(bodies, enrichers)[0].search("work", enrich=enrich, **options)
        # Which pairs of three records are the evidence may hang on who came first, so both come in
        # the same order.
        again = await engine(bodies, enrichers, turns)[0].search("work", enrich=enrich, **options)
        events = [
            e
            async for e in engine(bodies, enrichers, turns)[0].search(
                "work", enrich=enrich, **options
            )
        ]

        assert order(again) == order(answer) == order(plain)
        assert (answer.counts, answer.totals, answer.paging) == (
            plain.counts,
            plain.totals,
            plain.paging,
        )
        assert answer.complete
        assert untimed(fold(map(event_object, events))) == untimed(answer_object(again))
        for hit, before in zip(answer.hits, plain.hits, strict=True):
            by_oa = [record for record in hit.records if record.source == "oa"]
            assert [it for it in hit.records if it.source not in enrich] == list(before.records)
            assert bool(by_oa) == (said[str(hit.record.doi)] in ("open", "closed"))
            assert all(record.doi == hit.record.doi for record in hit.records)
            assert before.provenance.items() <= hit.provenance.items()

    asyncio.run(run())


@examples(0.15)
@given(LIBRARIES, st.integers(1, 7), st.integers(1, 6), st.booleans())
def test_pages_are_the_same(held: Libraries, count: int, depth: int, kept: bool) -> None:
    """Followed from one to the next, some of them with an enricher and some without."""

    async def run() -> None:
        bodies = {name: library(found) for name, found in held.items()}
        plain, enriched = engine(bodies, {"oa": unpaywall()}), engine(bodies, {"oa": unpaywall()})
        if kept:
            for made, databases in (plain, enriched):
                made._fetcher = Fetcher(databases, MemoryStore(), patience=0)
        start, turn = 0, 0
        while True:
            options: dict[str, Any] = {"start": start, "limit": count, "per_source": depth}
            page = await plain[0].search("work", **options)
            other = await enriched[0].search("work", enrich=("oa",) if turn % 3 else (), **options)

            assert (numbers(other), order(other), other.paging) == (
                numbers(page),
                order(page),
                page.paging,
            )
            if page.paging.next is None:
                return
            start, turn = page.paging.next.start, turn + 1

    asyncio.run(run())


BROKEN: dict[str, Body] = {
    "fails": ConnectFailed("oa", "no connection"),
    "no-json": b"<html>hello</html>",
    "nonsense": b'{"surprise": [1, 2]}',
    "message": b'{"error": true, "message": "Please use your own email address"}',
    "bug": lambda _: RuntimeError("a fault of ours"),
}


@pytest.mark.parametrize("kind", sample(BROKEN, 3))
async def test_one_that_fails_changes_nothing_but_its_report(kind: str) -> None:
    """It is named, the answer is incomplete, and the list is what it is without."""
    made, _ = engine({"alpha": library(range(30))}, {"oa": BROKEN[kind]})
    answer, plain = (
        await made.search("work", limit=30, enrich=("oa",)),
        await made.search("work", limit=30),
    )

    assert answer.hits == plain.hits
    assert report_of(answer).failed
    assert report_of(answer).error is not None
    assert not answer.complete
    assert plain.complete


async def test_one_that_fails_is_soon_left_alone() -> None:
    """After a few works, and those that were asked for at the same time, it is not asked for the
    others."""
    made, databases = engine({"alpha": library(range(30))}, {"oa": BROKEN["no-json"]})
    await made.search("work", limit=30, enrich=("oa",))

    assert FAILURES <= len(asked(databases)) < FAILURES + Limits().concurrency


async def test_one_work_that_fails_costs_the_others_nothing() -> None:
    """What is known of them is in the hits; the failure is told."""
    answers = unpaywall()
    made, _ = engine(
        {"alpha": library(range(5))},
        {"oa": lambda it: b"?" if doi_of(it) == "10.1000/2" else answers(it)},
    )
    answer = await made.search("work", enrich=("oa",))

    assert [hit.record.open_access for hit in answer.hits] == [
        "green",
        "green",
        None,
        "green",
        "green",
    ]
    assert (report_of(answer).count, report_of(answer).failed) == (4, True)


async def test_answers_about_other_works_are_left_out() -> None:
    """They are counted in its notes; and so are the works that it does not know."""
    said: dict[str, Manner] = {"10.1000/0": "other", "10.1000/1": "nothing"}
    made, _ = engine({"alpha": library(range(3))}, {"oa": unpaywall(said)})
    answer = await made.search("work", enrich=("oa",))

    assert [hit.record.open_access for hit in answer.hits] == [None, None, "green"]
    assert report_of(answer).notes == (
        "it knows nothing of 1 of 3 work(s)",
        "1 answer(s) were about another work, and left out",
    )
    assert answer.complete


async def test_without_a_contact_it_is_skipped() -> None:
    """With the reason and what to do; the search is untouched."""
    made, databases = engine(SOIL, {"oa": unpaywall()}, env={})
    answer, plain = await made.search("soil", enrich=("oa",)), await made.search("soil")
    error = report_of(answer).error

    assert report_of(answer).status == "skipped"
    assert error is not None
    assert "METASEARCH_CONTACT" in error.advice
    assert (answer.hits, answer.complete) == (plain.hits, True)
    assert asked(databases) == []


async def test_the_contact_shows_nowhere() -> None:
    """It is sent as the parameter that Unpaywall asks for, and is in no report."""
    made, databases = engine(
        SOIL, {"oa": b'{"message": "reader@example.org is not your own address"}'}
    )
    answer = await made.search("soil", enrich=("oa",))
    sent = [dict(request.params)["email"] for request in databases.asked if request.source == "oa"]

    assert [it.reveal() for it in sent if not isinstance(it, str)] == ["reader@example.org"]
    assert "reader@example.org" not in json.dumps(answer_object(answer), default=str)


# --------------------------------------------------------------------------- time


@asynccontextmanager
async def slow(seconds: float, **more: Any) -> AsyncIterator[tuple[Engine, Databases]]:
    """An enricher that knows one work at once and takes so long for the others; at the end no task
    is left."""

    async def answers(request: Request) -> bytes:
        await asyncio.sleep(0 if doi_of(request) == "10.1000/0" else seconds)
        return answer_for(doi_of(request))

    made, databases = engine({"alpha": library(range(4))}, {"oa": answers}, **more)
    async with made:
        yield made, databases
    assert asyncio.all_tasks() == {asyncio.current_task()}


@timeless
async def test_a_slow_one_is_cut_off_at_the_deadline() -> None:
    """What came before stays; the answer says that it is late, plainly and as a stream."""
    async with slow(60) as (made, _):
        search = made.search("work", enrich=("oa",), timeout=7)
        assert await took(search) == 7
        answer = search.answer
        events = [event async for event in made.search("work", enrich=("oa",), timeout=7)]
        plain = await made.search("work")

    assert answer is not None
    assert [hit.record.open_access for hit in answer.hits] == ["green", None, None, None]
    assert (report_of(answer).status, report_of(answer).count, answer.complete) == (
        "timeout",
        1,
        False,
    )
    assert order(answer) == order(plain)
    assert untimed(fold(map(event_object, events))) == untimed(answer_object(answer))


@timeless
async def test_a_slow_reader_hears_of_all_that_the_answer_says() -> None:
    """Also of what was known at the deadline and not told by then, because nobody read."""
    made, _ = engine({"alpha": library(range(MOST))}, {"oa": unpaywall(), "other": unpaywall()})
    events: list[SearchEvent] = []
    async for event in made.search("work", limit=MOST, enrich=("oa", "other"), timeout=7):
        if isinstance(event, Grown) and not any(isinstance(it, Grown) for it in events):
            await asyncio.sleep(20)
        events.append(event)
    end = events[-1]

    assert isinstance(end, Finished)
    assert 0 < report_of(end.answer).count < MOST
    assert report_of(end.answer).status == "timeout"
    assert untimed(fold(map(event_object, events))) == untimed(answer_object(end.answer))


@timeless
async def test_who_does_not_wait_gets_the_list_as_it_is() -> None:
    """With the enricher still running; whoever comes back gets the rest, and no work is asked for
    twice."""
    async with slow(3) as (made, databases):
        early = await made.search("work", enrich=("oa",), wait=1)
        late = await made.search("work", enrich=("oa",))

    assert early.running == ("oa",)
    assert [hit.record.open_access for hit in early.hits] == ["green", None, None, None]
    assert [hit.record.open_access for hit in late.hits] == ["green"] * 4
    assert order(early) == order(late)
    assert late.complete
    assert sorted(asked(databases)) == [f"10.1000/{number}" for number in range(4)]


@timeless
async def test_a_search_without_it_does_not_join_one_with_it() -> None:
    """Nor does one for another page."""
    async with slow(3) as (made, _):
        await made.search("work", enrich=("oa",), wait=1)
        plain = await made.search("work")
        other = await made.search("work", limit=2, enrich=("oa",))

    assert not any(hit.record.open_access for hit in plain.hits)
    assert len(other.hits) == 2
    assert report_of(other).count == 2


async def test_a_moment_later_it_is_not_mixed_up(tmp_path: Path) -> None:
    """The plain answer is given again to who wants it plain; who wants it enriched gets that."""
    made, databases = engine({"alpha": library(range(4))}, {"oa": unpaywall()}, cache_dir=tmp_path)
    enriched = await made.search("work", enrich=("oa",))
    requests = len(databases.asked)
    plain = await made.search("work")

    assert len(databases.asked) == requests
    assert not any(hit.record.open_access for hit in plain.hits)
    again = await made.search("work", enrich=("oa",))
    assert again.hits == enriched.hits


# --------------------------------------------------------------------------- who is asked


async def test_the_stream_names_it_and_tells_what_grew() -> None:
    """It is among those that are about to be asked, and each hit that learned something is told
    once."""
    made, _ = engine({"alpha": library(range(3))}, {"oa": unpaywall()})
    events = [event async for event in made.search("work", enrich=("oa",))]
    (started,) = [event for event in events if isinstance(event, Started)]

    assert started.sources == ("alpha", "oa")
    assert len([event for event in events if isinstance(event, Grown)]) == 3


async def test_settings_name_the_usual_ones() -> None:
    """A search may name others, or none."""
    made, databases = engine(SOIL, {"oa": unpaywall()}, enrich=("oa",))
    assert report_of(await made.search("soil")).count == 1
    databases.asked.clear()
    for none in ((), ("none",)):
        await made.search("soil", enrich=none)

    assert asked(databases) == []


async def test_a_source_that_is_searched_does_not_enrich() -> None:
    """It has told what it knows, and its report says so."""
    made, _ = engine({"alpha": library(range(3))}, {"oa": b'{"results": []}'})
    answer = await made.search("work", sources=["alpha", "oa"], enrich=("oa",))

    assert "it is searched, so it was not asked for single works as well" in report_of(answer).notes


async def test_not_every_source_can() -> None:
    """The error names those that can; a name that nobody bears is unknown, as everywhere."""
    made, databases = engine(SOIL, {"oa": unpaywall()})
    with pytest.raises(UsageError, match=r"^alpha cannot be asked for single works") as caught:
        made.search("soil", enrich=("alpha",))
    with pytest.raises(UnknownSource):
        made.search("soil", enrich=("nobody",))

    assert "oa" in caught.value.advice
    assert "unpaywall" in caught.value.advice
    assert databases.asked == []


@timeless
async def test_a_growing_page_learns_what_enrichers_know() -> None:
    """Work by work; they are said to be running until all are done."""

    async def slowly(request: Request) -> bytes:
        await asyncio.sleep(1 if doi_of(request).endswith("one") else 2)
        return answer_for(doi_of(request))

    bodies = {"alpha": works(item("Soil", "10.1000/one"), item("Peat", "10.1000/two"))}
    made, _ = engine(bodies, {"oa": slowly})
    async with made:
        answers = [answer async for answer in made.search("soil", enrich=("oa",)).follow(0.1)]

    known = [sum(hit.record.open_access is not None for hit in answer.hits) for answer in answers]
    assert (known[0], known[-1]) == (0, 2)
    assert known == sorted(known)
    assert 1 in known
    assert all(answer.running for answer in answers[:-1])
    assert answers[-1].complete
