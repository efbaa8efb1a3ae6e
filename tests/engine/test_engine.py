"""The straight path, with everything real but the socket: plan, fetch, parse, dedup, rank,
events."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metasearch
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.parse.bodies import LIGHT_BYTES
from metasearch.adapters.request import Page, Request
from metasearch.adapters.translate.plan import Plan
from metasearch.dedup import STRATEGIES, DedupStrategy
from metasearch.dedup.pins import Pins
from metasearch.engine import scheduler as scheduler_module
from metasearch.engine import source as source_module
from metasearch.engine.engine import Engine
from metasearch.errors import (
    MetasearchError,
    PinsError,
    QuerySyntaxError,
    UnknownSource,
    UsageError,
)
from metasearch.events import (
    Added,
    Answer,
    Finished,
    Grown,
    Joined,
    Order,
    SearchEvent,
    SourceProgress,
    Started,
)
from metasearch.formats.answer import answer_object
from metasearch.formats.events import event_object, fold
from metasearch.query import Or, Query, Years
from metasearch.record import VersionsMode
from metasearch.settings import Settings
from tests import unlike
from tests.adapters.fetch.timeless import timeless
from tests.answers import untimed
from tests.cases import each
from tests.examples import examples
from tests.strategies import same_title

Body = bytes | Exception | Callable[[Request], Any]


class Upstreams:
    """A transport that answers from a table, source by source, after a number of turns of the
    loop."""

    def __init__(self, bodies: Mapping[str, Body], turns: Mapping[str, int] | None = None) -> None:
        self.bodies = bodies
        self.turns = turns or {}
        self.asked: list[Request] = []
        self.cancelled: list[str] = []

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(request)
        body = self.bodies[request.source]
        try:
            for _ in range(self.turns.get(request.source, 0)):
                await asyncio.sleep(0)
            if callable(body):
                body = body(request)
                if asyncio.iscoroutine(body):
                    body = await body
        except asyncio.CancelledError:
            self.cancelled.append(request.source)
            raise
        if isinstance(body, Exception):
            raise body
        assert isinstance(body, bytes)
        return Page(request=request, body=body)

    async def close(self) -> None:
        """Nothing to close."""


def works(*items: dict[str, Any], total: int | None = None) -> bytes:
    """A Crossref answer."""
    return json.dumps({"message": {"total-results": total or len(items), "items": items}}).encode()


def item(
    title: str, doi: str | None = None, year: int = 2020, family: str = "Berg", **more: Any
) -> dict[str, Any]:
    """A work as Crossref gives it."""
    found = {
        "title": [title],
        "author": [{"family": family, "given": "Anna"}],
        "issued": {"date-parts": [[year]]},
        "container-title": ["Journal of Soil Science"],
        "alternative-id": [f"{title} {year}"],
        **more,
    }
    return found | ({"DOI": doi} if doi else {})


def engine(
    bodies: Mapping[str, Body], turns: Mapping[str, int] | None = None, **overrides: Any
) -> tuple[Engine, Upstreams]:
    """An engine whose sources are Crossrefs answering these bodies."""
    sources = {
        name: {
            "extends": "crossref",
            "url": f"https://{name}.example/works",
            "fields": {"source_id": '"alternative-id"[0]'},
        }
        for name in bodies
    }
    made = Engine(Settings(sources=sources, default_sources=tuple(bodies), **overrides))
    upstreams = Upstreams(bodies, turns)
    made._fetcher = Fetcher(upstreams, None, patience=0)
    return made, upstreams


_REVIEW, _SHOUTED = "alpha:Soilcarboninmarshes:areview2020", "beta:SOILCARBONINMARSHES2020"
SOIL = {
    "alpha": works(
        item("Soil carbon in marshes: a review", "10.1000/one"), item("Peat and carbon")
    ),
    "beta": works(item("SOIL CARBON IN MARSHES", "10.1000/one"), item("Salt marsh birds")),
    "gamma": works(item("Salt marsh birds"), item("Peat and carbon", year=2021)),
}


async def test_one_query_one_list() -> None:
    """Three sources, six records, three works, each hit with its sources and their ranks."""
    made, _ = engine(SOIL)

    answer = await made.search("soil carbon")

    assert answer.complete
    assert (answer.counts.received, answer.counts.unique, answer.counts.duplicates) == (6, 3, 3)
    first = answer.hits[0]
    assert first.record.title == "Soil carbon in marshes: a review"
    assert {(r.source, r.position) for r in first.records} == {("alpha", 1), ("beta", 1)}
    assert [h.rank for h in answer.hits] == [1, 2, 3]
    assert all(report.status == "ok" and report.query for report in answer.sources)


async def events_of(made: Engine, **options: Any) -> list[SearchEvent]:
    """All events of a search for soil."""
    return [event async for event in made.search("soil carbon", **options)]


@examples(0.3)
@given(
    st.fixed_dictionaries({name: st.integers(0, 6) for name in SOIL}), st.sampled_from([None, 1, 2])
)
def test_the_stream_folds_to_the_answer(turns: dict[str, int], limit: int | None) -> None:
    """Whoever answers first, folding the events gives the plain answer: same ids, order, fields and
    evidence."""

    async def run() -> None:
        plain, _ = engine(SOIL)
        streamed, _ = engine(SOIL, turns)
        answer = answer_object(await plain.search("soil carbon", limit=limit))
        told = fold(event_object(event) for event in await events_of(streamed, limit=limit))

        assert untimed(told) == untimed(answer)

    asyncio.run(run())


@pytest.mark.parametrize("limit", [None, 1])
async def test_the_same_search_again_is_answered_at_once(tmp_path: Path, limit: int | None) -> None:
    """Within a minute and where there is a cache: nobody is asked, plainly or as a stream, and it
    is said."""
    made, upstreams = engine(SOIL, cache_dir=tmp_path)
    first = await made.search("soil carbon", limit=limit)
    asked = len(upstreams.asked)

    again = await made.search("soil carbon", limit=limit)
    told = fold(event_object(event) for event in await events_of(made, limit=limit))

    assert len(upstreams.asked) == asked
    assert (again.hits, again.counts) == (first.hits, first.counts)
    assert all(report.cached for report in again.sources)
    assert json.loads(json.dumps(told, default=str)) == json.loads(
        json.dumps(answer_object(again), default=str)
    )


async def test_another_search_is_asked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other words, a limit that goes deeper, another mode, strategy or source; and whoever wants no
    cache."""
    monkeypatch.setitem(STRATEGIES, "same-title", same_title())
    made, upstreams = engine(SOIL, cache_dir=tmp_path)
    others: list[dict[str, Any]] = [
        {},
        {"limit": 30},
        {"versions": "merge"},
        {"dedup": "same-title"},
        {"sources": ["alpha"]},
    ]
    counts = []
    for options in [*others, {"cache": False}]:
        await made.search("soil carbon", **options)
        counts.append(len(upstreams.asked))
    await made.search("soil")

    assert len(set(counts)) == len(counts)
    assert len(upstreams.asked) > counts[-1]


async def test_without_a_cache_every_search_is_asked_anew() -> None:
    """An engine of a program that configured none."""
    made, upstreams = engine(SOIL)
    for _ in range(2):
        await made.search("soil carbon")

    assert len(upstreams.asked) == 6


async def test_events_come_in_a_sensible_order() -> None:
    """First the start, then hits as pages come, an order after them, and the finished answer
    last."""
    made, _ = engine(SOIL, {"beta": 5, "gamma": 10})
    events = await events_of(made)
    kinds = [type(event) for event in events]

    assert kinds[0] is Started
    assert kinds[-1] is Finished
    assert kinds[-2] is Order
    assert {Added, SourceProgress} <= set(kinds)
    assert kinds.index(Added) < kinds.index(SourceProgress)
    assert any(isinstance(event, (Grown, Joined)) for event in events)


async def test_pins_of_the_settings_win(tmp_path: Path) -> None:
    """The file that the settings name parts what the rules join, and joins what they part; the
    reason is told."""
    pins = tmp_path / "pins.txt"
    pins.write_text(
        f"different {_REVIEW} {_SHOUTED}\nsame alpha:Peatandcarbon2020 beta:Saltmarshbirds2020  # "
        f"one book\n"
    )
    made, _ = engine(SOIL, pins=pins)

    answer = await made.search("soil carbon")

    together = [{record.key for record in hit.records} for hit in answer.hits]
    assert not any({_REVIEW, _SHOUTED} <= keys for keys in together)
    (joined,) = [
        hit for hit in answer.hits if "alpha:Peatandcarbon2020" in {r.key for r in hit.records}
    ]
    assert "beta:Saltmarshbirds2020" in {r.key for r in joined.records}
    assert "pinned as the same (pins.txt line 2: one book)" in {
        match.because for match in joined.matches
    }


async def test_pins_can_be_given() -> None:
    """They are taken instead of those of the settings."""
    bodies, _ = engine(SOIL)
    given_pins = Pins.read(f"different {_REVIEW} {_SHOUTED}", "mine")
    made = Engine(replace(bodies.settings, pins=Path("/no/such/file")), pins=given_pins)
    made._fetcher = bodies._fetcher

    assert (await made.search("soil carbon")).counts.unique == 4


def test_pins_that_cannot_be_used() -> None:
    """No engine is made, so nothing is asked."""
    with pytest.raises(PinsError):
        Engine(Settings(pins=Path("/no/such/file")))


@each(("mode", "hits", "versions"), [("group", 1, 2), ("separate", 2, 0), ("merge", 1, 0)])
async def test_versions(mode: VersionsMode, hits: int, versions: int) -> None:
    """A preprint and its article: one hit that lists both, a hit each, or one hit; asked for or
    configured."""
    title = "Soil carbon in marshes of the northern coast: a review"
    preprint = {"type": "posted-content", "subtype": "preprint", "container-title": ["bioRxiv"]}
    bodies = {
        "alpha": works(item(title, "10.1000/one")),
        "beta": works(item(title, "10.1101/2020.01.01", **preprint)),
    }
    asked = await engine(bodies)[0].search("soil carbon", versions=mode)
    configured = await engine(bodies, versions=mode)[0].search("soil carbon")

    for answer in (asked, configured):
        assert len(answer.hits) == hits
        assert len(answer.hits[0].versions) == versions


async def test_a_failing_source_is_a_status() -> None:
    """One source breaks: it is named with a reason and advice, the answer is incomplete, the others
    are all there."""
    made, _ = engine(
        {**SOIL, "delta": b"<html>no</html>", "epsilon": RuntimeError("a fault of ours")}
    )

    answer = await made.search("soil carbon")

    status = {report.source: report for report in answer.sources}
    assert not answer.complete
    assert answer.counts.received == 6
    assert status["delta"].status == "error"
    assert status["delta"].error is not None
    assert status["delta"].error.advice
    assert status["epsilon"].status == "error"


@timeless
async def test_the_deadline_answers_with_what_is_there() -> None:
    """A hanging source costs the deadline and nothing else; it is reported as timed out and its
    request cancelled."""
    made, upstreams = engine({**SOIL, "delta": lambda _: asyncio.Event().wait()})

    answer = await made.search("soil carbon", timeout=1.0)

    assert answer.counts.received == 6
    assert not answer.complete
    assert {r.source: r.status for r in answer.sources}["delta"] == "timeout"
    assert upstreams.cancelled == ["delta"]


async def test_leaving_cancels_what_is_asked() -> None:
    """A client that stops reading stops the requests."""
    made, upstreams = engine({**SOIL, "delta": lambda _: asyncio.Event().wait()})

    async with aclosing(made.search("soil carbon").__aiter__()) as events:
        async for event in events:
            if isinstance(event, Added):
                break

    assert upstreams.cancelled == ["delta"]


async def test_pages_are_asked_until_there_is_enough() -> None:
    """A limit above one page makes further requests, and what is beyond the limit is cut."""

    def page(request: Request) -> bytes:
        start = int(dict(request.params)["offset"])
        rows = int(dict(request.params)["rows"])
        return works(
            *(item(unlike.words(n), f"10.1000/{n}") for n in range(start, start + rows)),
            total=1000,
        )

    made, upstreams = engine({"alpha": page})
    answer = await made.search("work", limit=105)

    assert [dict(r.params)["offset"] for r in upstreams.asked] == ["0", "100"]
    assert len(answer.hits) == 105
    assert answer.counts.received == 105
    assert sorted(r.position for h in answer.hits for r in h.records) == list(range(1, 106))
    assert answer.sources[0].total == 1000


async def test_what_a_source_cannot_express_is_filtered_and_said() -> None:
    """Crossref has no NOT: the records that match the negated word are left out, and the report
    says so."""
    made, _ = engine({"alpha": works(item("Soil carbon"), item("Peat carbon"))})

    answer = await made.search("carbon NOT title:peat")

    assert [h.record.title for h in answer.hits] == ["Soil carbon"]
    notes = " ".join(answer.sources[0].notes)
    assert "NOT" in notes
    assert "1 record(s) were left out" in notes


async def test_years_are_anded() -> None:
    """The years option becomes part of the query and of what is sent."""
    made, upstreams = engine({"alpha": works(item("Soil"))})

    answer = await made.search("soil", years=Years(2019, 2021))

    assert answer.query == "soil AND year:2019-2021"
    assert dict(upstreams.asked[0].params)["filter"] == "from-pub-date:2019,until-pub-date:2021"


async def test_an_odd_record_is_counted() -> None:
    """A record that cannot be read is reported; its neighbours are kept."""
    body = json.dumps(
        {"message": {"total-results": 3, "items": [item("One"), 17, item("Two")]}}
    ).encode()
    made, _ = engine({"alpha": body})

    answer = await made.search("x")

    assert answer.counts.received == 2
    assert answer.sources[0].unread == 1
    assert "1 record(s) could not be read" in answer.sources[0].notes


@each("padding", [0, LIGHT_BYTES])
async def test_however_large_a_body_is_each_record_is_taken_once(padding: int) -> None:
    """What is read in a thread may be mostly white space."""
    made, _ = engine({"alpha": works(*(item(unlike.words(n)) for n in range(20))) + b" " * padding})

    answer = await made.search("work")

    assert sorted(hit.record.title for hit in answer.hits) == sorted(map(unlike.words, range(20)))
    assert answer.counts.received == 20


async def test_specs_are_built_off_the_loop() -> None:
    """Whoever shows all sources, or searches many, has their specs built in a thread; after that
    they are there."""
    made = Engine(Settings())
    here = threading.get_ident()
    built: list[int] = []
    original = made.registry._build
    made.registry._build = lambda name: built.append(threading.get_ident()) or original(name)  # type: ignore[method-assign]

    await made.ready(["physics"])
    await made.ready()

    assert made.registry.lacks(made.registry.names()) == []
    assert here not in built
    assert len(built) == len(made.registry.names())
    await made.close()


async def test_a_long_query_is_translated_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand terms take many milliseconds a source; a short query is translated at once."""
    threads: dict[str, threading.Thread] = {}
    planned = source_module.plan

    def plan(query: Query, *args: Any) -> Plan:
        threads["long" if isinstance(query, Or) else "short"] = threading.current_thread()
        return planned(query, *args)

    monkeypatch.setattr(source_module, "plan", plan)
    made, upstreams = engine({"alpha": works(item("Gene drives", "10.1000/one"))})

    await made.search(" OR ".join(f"g{number}" for number in range(900)))
    await made.search("gene")

    assert [request.source for request in upstreams.asked] == ["alpha", "alpha"]
    assert threads["short"] is threading.main_thread()
    assert threads["long"] is not threading.main_thread()


async def test_a_wrong_spec_is_told_when_it_is_asked_for() -> None:
    """To build specs ahead raises nothing."""
    made = Engine(
        Settings(sources={name: {"extends": "nothing-of-the-kind"} for name in ("a1", "b2", "c3")})
    )

    await made.ready(["a1", "b2", "c3", "unheard-of"])

    assert made.registry.lacks(["a1", "b2", "c3"]) == ["a1", "b2", "c3"]
    await made.close()


async def test_drift_is_told_and_costs_no_records() -> None:
    """When most records lack a title the status names the field; what there is is kept."""
    bare = [{"DOI": f"10.1000/{n}", "alternative-id": [str(n)]} for n in range(6)]
    made, _ = engine({"alpha": works(*bare)})

    answer = await made.search("x")

    assert answer.sources[0].status == "drifted"
    assert "title" in str(answer.sources[0].error)
    assert answer.counts.received == 6


async def test_nothing_found_is_complete() -> None:
    """Zero hits from healthy sources is an answer."""
    made, _ = engine({"alpha": json.dumps({"message": {"total-results": 0, "items": []}}).encode()})

    answer = await made.search("x")

    assert answer.complete
    assert answer.hits == ()
    assert answer.sources[0].status == "empty"


async def test_a_group_whose_sources_are_all_off() -> None:
    """Nobody is asked, and the error names them."""
    made = Engine(Settings())

    with pytest.raises(UsageError, match="no source") as raised:
        made.search("水质", sources=["chinese"])
    assert "These are off" in (raised.value.advice or "")
    assert "cnki" in (raised.value.advice or "")
    await made.close()


async def test_bad_input_is_refused_at_once() -> None:
    """Query syntax, unknown sources and impossible limits raise before anything is asked."""
    made, upstreams = engine(SOIL)

    with pytest.raises(QuerySyntaxError):
        made.search("(soil")
    with pytest.raises(UnknownSource, match="alfa") as unknown:
        made.search("soil", sources=["alfa"])
    with pytest.raises(UsageError, match="limit"):
        made.search("soil", limit=0)
    with pytest.raises(UsageError, match="no source"):
        made.search("soil", sources=[])
    assert unknown.value.near_misses[0] == "alpha"
    assert upstreams.asked == []


async def test_partial_is_what_is_there() -> None:
    """An interrupted search can be rendered at any time."""
    made, _ = engine({**SOIL, "delta": lambda _: asyncio.Event().wait()})
    search = made.search("soil carbon")

    async with aclosing(search.__aiter__()) as events:
        async for event in events:
            if isinstance(event, SourceProgress) and event.report.source == "gamma":
                break
        partial = search.partial()

    assert isinstance(partial, Answer)
    assert partial.hits
    assert not partial.complete


async def test_the_public_function_closes_what_it_opened() -> None:
    """`metasearch.search` makes an engine of its own and closes it; a key that is missing skips the
    source, unasked."""
    sources = {
        "keyed": {
            "extends": "crossref",
            "url": "https://keyed.example/works",
            "auth": {"token": {"env": "METASEARCH_TEST_KEY", "required": True}},
        }
    }
    answer = await metasearch.search(
        "soil", settings=Settings(sources=sources, default_sources=("keyed",))
    )

    (report,) = answer.sources
    assert report.status == "skipped"
    assert report.error is not None
    assert "METASEARCH_TEST_KEY" in report.error.advice
    assert answer.complete


# --------------------------------------------------------------------------- strategies


Choose = Callable[[DedupStrategy], DedupStrategy]


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Adds a strategy that can be chosen by its name; none has loaded anything."""
    monkeypatch.setattr(scheduler_module, "_LOADED", set())

    def add(chosen: DedupStrategy) -> DedupStrategy:
        monkeypatch.setitem(STRATEGIES, chosen.name, chosen)  # type: ignore[arg-type]
        return chosen

    return add


#: The same title in other years: two works by the usual rules, one by `same_title`.
TITLES = {
    "alpha": works(item("Soil carbon in marshes", year=1999)),
    "beta": works(item("Soil carbon in marshes", year=2020)),
}


async def test_a_strategy_by_name(choose: Choose) -> None:
    """Asked for or configured it finds the duplicates, and the answer says which it was."""
    choose(same_title())

    usual = await engine(TITLES)[0].search("soil")
    asked = await engine(TITLES)[0].search("soil", dedup="same-title")
    configured = await engine(TITLES, strategy="same-title")[0].search("soil")
    back = await engine(TITLES, strategy="same-title")[0].search("soil", dedup="default")

    assert [(it.dedup, it.counts.unique) for it in (usual, back)] == [("default", 2)] * 2
    for answer in (asked, configured):
        assert (answer.dedup, answer.counts.unique) == ("same-title", 1)
        assert answer.hits[0].matches[0].matcher == "same-title"


async def test_pins_win_over_every_strategy(choose: Choose) -> None:
    """What a person has parted stays apart."""
    choose(same_title())
    bodies, _ = engine(TITLES)
    pins = Pins.read("different alpha:Soilcarboninmarshes1999 beta:Soilcarboninmarshes2020", "mine")
    made = Engine(bodies.settings, pins=pins)
    made._fetcher = bodies._fetcher

    assert (await made.search("soil", dedup="same-title")).counts.unique == 2


async def test_a_strategy_that_is_not_there() -> None:
    """It is refused before anything is asked, with the names of those that are."""
    made, upstreams = engine(SOIL)

    with pytest.raises(UsageError, match="'magic'") as asked:
        made.search("soil", dedup="magic")
    with pytest.raises(UsageError, match="'magic'"):
        Engine(Settings(strategy="magic"))

    assert "default" in asked.value.advice
    assert upstreams.asked == []


async def test_loading_delays_no_request(choose: Choose) -> None:
    """It is under way while the sources are asked, and no record is read before it is done."""
    all_asked, told = threading.Event(), []
    bodies = {**SOIL, "delta": lambda _: all_asked.set() or SOIL["alpha"]}

    def load() -> None:
        told.append("loaded" if all_asked.wait(20) else "loaded before the sources were asked")

    choose(same_title(lambda: told.append("read"), loads=(load,)))

    answer = await engine(bodies)[0].search("soil", dedup="same-title")

    assert told == ["loaded", *["read"] * 8]
    assert answer.counts.received == 8


async def test_loading_is_done_once(choose: Choose) -> None:
    """However many searches want it at the same time, in however many engines."""
    loaded: list[int] = []
    choose(same_title(loads=(lambda: loaded.append(1),)))
    one, other = engine(SOIL)[0], engine(SOIL)[0]

    await asyncio.gather(*(made.search("soil", dedup="same-title") for made in (one, one, other)))
    await one.search("soil", dedup="same-title")

    assert loaded == [1]


async def test_the_loop_goes_on_while_a_strategy_computes(choose: Choose) -> None:
    """A matcher that is not done before the loop has turned ten times is done, for every record."""
    turns = threading.Semaphore(0)
    waited: list[bool] = []

    def ten_turns() -> None:
        waited.append(all(turns.acquire(timeout=20) for _ in range(10)))

    async def turn() -> None:
        while True:
            turns.release()
            await asyncio.sleep(0)

    choose(same_title(ten_turns, loads=(lambda: None,)))
    turning = asyncio.create_task(turn())

    answer = await engine(SOIL)[0].search("soil", dedup="same-title")
    turning.cancel()

    assert waited == [True] * 6
    assert answer.counts.received == 6


async def test_what_cannot_be_loaded_is_an_error_of_the_search(choose: Choose) -> None:
    """It ends the search at once, says what is missing and what to do; the next search tries
    again."""
    missing = [ImportError("no module named 'oracle'")]

    def load() -> None:
        if missing:
            raise missing[0]

    choose(same_title(loads=(load,)))
    made, upstreams = engine({**SOIL, "delta": lambda _: asyncio.Event().wait()})

    with pytest.raises(
        MetasearchError, match=r"'same-title' cannot load .* ImportError: .*oracle"
    ) as it:
        await made.search("soil", dedup="same-title")
    with pytest.raises(MetasearchError, match="oracle"):
        await events_of(made, dedup="same-title")
    missing.clear()
    answer = await made.search("soil", sources=list(SOIL), dedup="same-title")

    assert "metasearch strategies" in it.value.advice
    assert it.value.__cause__ is not None
    assert upstreams.cancelled == ["delta"] * 2
    assert answer.complete


@pytest.fixture
async def stuck(choose: Choose) -> AsyncIterator[None]:
    """A strategy that never loads, as long as the test lasts."""
    over = threading.Event()
    choose(same_title(loads=(lambda: over.wait(20),)))
    yield
    over.set()


@pytest.mark.usefixtures("stuck")
async def test_who_finds_nothing_waits_for_no_loading() -> None:
    """Without a record there is nothing to compare."""
    made, _ = engine({"alpha": works(), "beta": b"<html>no</html>"})

    answer = await made.search("soil", dedup="same-title")

    assert [report.status for report in answer.sources] == ["empty", "error"]


@pytest.mark.usefixtures("stuck")
async def test_the_deadline_waits_for_no_loading() -> None:
    """What could not be compared in time is told as late: the database had answered."""
    answer = await engine(SOIL)[0].search("soil", dedup="same-title", timeout=1.0)

    assert {report.status for report in answer.sources} == {"late"}
    assert not answer.complete


@pytest.mark.usefixtures("stuck")
async def test_who_leaves_waits_for_no_loading() -> None:
    """A client that goes away ends the search."""
    made, _ = engine({"alpha": SOIL["alpha"]})

    async with aclosing(made.search("soil", dedup="same-title").__aiter__()) as events:
        assert isinstance(await anext(events), Started)


@each("name", STRATEGIES)
async def test_every_strategy_can_be_searched_with(name: str) -> None:
    """Its stream folds to its answer, from the first record to the last."""
    made, _ = engine(SOIL)

    answer = answer_object(await made.search("soil carbon", dedup=name))
    told = fold(event_object(event) for event in await events_of(made, dedup=name))

    assert answer["dedup"] == told["dedup"] == name
    assert answer["counts"] == told["counts"]
    assert [hit["matches"] for hit in answer["hits"]] == [hit["matches"] for hit in told["hits"]]
