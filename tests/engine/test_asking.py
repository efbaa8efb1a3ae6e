"""Sources that are asked one by one: their records with positions, or the number of their hits."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters import request as request_module
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Budget, Page, Request
from metasearch.cache import MemoryStore
from metasearch.demo import DemoDatabases, replay_settings
from metasearch.engine import inquiry as asking_module
from metasearch.engine.engine import Engine
from metasearch.engine.options import SearchOptions
from metasearch.errors import ConnectFailed, UsageError
from metasearch.settings import Settings
from tests import cases, unlike
from tests.engine.test_engine import Upstreams, engine, item, works

OPTIONS = SearchOptions(query="soil", timeout=5)


def paged(total: int, *, sent: int | None = None) -> Any:
    """A Crossref with so many works, which sends no more than `sent` of them at a time."""

    def page(request: Request) -> bytes:
        params = dict(request.params)
        start, rows = int(str(params["offset"])), int(str(params["rows"]))
        last = min(total, start + min(rows, sent or rows))
        found = [item(f"Soil {unlike.words(number)}") for number in range(start + 1, last + 1)]
        return works(*found, total=total)

    return page


async def test_all_records_of_a_source_with_their_positions() -> None:
    """Page after page up to the number that is wanted, each record once, in the source's order."""
    made, upstreams = engine({"alpha": paged(450)})

    async with made:
        answer = await made.inquiry(OPTIONS).records("alpha", 250)

    assert [record.position for record in answer.records] == list(range(1, 251))
    assert answer.records[249].title == f"Soil {unlike.words(250)}"
    assert (answer.report.status, answer.report.total, answer.report.count) == ("ok", 450, 250)
    assert len(upstreams.asked) == len(answer.requests) == 3


async def test_more_records_than_a_round_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a source is asked for at once is bounded; more is asked for in rounds, and the records
    on both sides of a round are there."""
    monkeypatch.setattr(asking_module, "MAX_PER_SOURCE", 40)
    made, _ = engine({"alpha": paged(500)})

    async with made:
        answer = await made.inquiry(OPTIONS).records("alpha", 130)

    assert [record.position for record in answer.records] == list(range(1, 131))


async def test_one_request_counts_the_hits() -> None:
    """The source is asked for a single record, and for nothing after it."""
    made, upstreams = engine({"alpha": paged(450)})

    async with made:
        answer = await made.inquiry(OPTIONS).count("alpha")

    assert (answer.report.total, answer.records) == (450, ())
    assert [dict(request.params)["rows"] for request in upstreams.asked] == ["1"]


async def test_ids_are_enough_to_count() -> None:
    """A source that gives ids first and records by a second request is asked for ids alone."""
    async with DemoDatabases(latency=0, faults=False) as demo, Engine(demo.settings()) as made:
        asking = made.inquiry(SearchOptions(query="gambling harms"))
        counted = await asking.count("demo-pubmed")
        fetched = await asking.records("demo-pubmed", 5)

    assert counted.report.status == "ok"
    assert counted.report.total == fetched.report.total == 12
    assert [request.url.partition("?")[0].rpartition("/")[2] for request in counted.requests] == [
        "esearch.fcgi"
    ]
    assert len(fetched.requests) == 2


async def test_a_count_that_fails_is_not_asked_for_again() -> None:
    """A search tries once more where a source cannot be reached; a count does not."""

    def gone(request: Request) -> bytes:
        raise ConnectFailed(request.source, "no route")

    made, upstreams = engine({"alpha": gone})

    async with made:
        counted = await made.inquiry(OPTIONS).count("alpha")
        asked = len(upstreams.asked)
        await made.inquiry(OPTIONS).records("alpha", 10)

    assert (counted.report.status, counted.report.total, asked) == ("error", None, 1)
    assert len(upstreams.asked) > 2


async def test_an_empty_answer_is_zero_hits_and_a_failed_one_is_not() -> None:
    """The number of hits is 0 where a source says so or sends nothing, None where it failed."""
    made, _ = engine({"none": works(), "broken": b"<html>no</html>"})

    async with made:
        asking = made.inquiry(OPTIONS)
        none, broken = await asking.count("none"), await asking.count("broken")

    assert (none.report.status, none.report.total) == ("empty", 0)
    assert broken.report.failed
    assert broken.report.total is None


async def test_records_before_a_failure_stay() -> None:
    """The first page is kept where the second one fails, and the failure is told."""

    def page(request: Request) -> bytes:
        if dict(request.params)["offset"] != "0":
            raise ConnectFailed(request.source, "no route")
        return works(*(item(f"Soil {unlike.words(number)}") for number in range(100)), total=300)

    made, _ = engine({"alpha": page})

    async with made:
        answer = await made.inquiry(OPTIONS).records("alpha", 300)

    assert (answer.report.status, len(answer.records), answer.report.total) == ("error", 100, 300)


async def test_a_source_that_is_too_late() -> None:
    """Each source has its own time, from the moment at which it is asked."""

    async def never(_request: Request) -> bytes:
        await asyncio.sleep(60)
        return b""

    made, _ = engine({"alpha": never, "beta": works(item("Soil"))})

    async with made:
        asking = made.inquiry(SearchOptions(query="soil", timeout=0.05))
        late, soon = await asking.records("alpha", 10), await asking.records("beta", 10)

    assert late.report.status == "timeout"
    assert late.asked_at is None
    assert late.requests[0].fetched_at is None
    assert soon.report.status == "ok"


async def test_what_a_source_cannot_search_makes_its_number_inexact() -> None:
    """The claim is of a wider query where clauses are applied here to the records."""
    made, _ = engine({"alpha": works(item("Soil"), item("Peat"))})

    async with made:
        wide = await made.inquiry(SearchOptions(query="title:soil NOT peat")).records("alpha", 10)
        whole = await made.inquiry(OPTIONS).records("alpha", 10)

    assert (wide.exact, wide.report.filtered, len(wide.records)) == (False, 1, 1)
    assert whole.exact


async def test_a_source_that_leaves_out_a_phrase_says_so() -> None:
    """PubMed searches without what it does not know: its number is that of a wider query."""
    result = {
        "count": "12",
        "idlist": ["1"],
        "errorlist": {"phrasesnotfound": ["xyzzy"], "fieldsnotfound": []},
    }
    table = {"extends": "pubmed", "url": "https://pm.example/esearch.fcgi"}
    made = Engine(Settings(sources={"pm": table}, default_sources=("pm",)))
    body = json.dumps({"esearchresult": result}).encode()
    made._fetcher = Fetcher(Upstreams({"pm": body}), None, patience=0)

    async with made:
        counted = await made.inquiry(OPTIONS).count("pm")

    assert (counted.report.total, counted.exact) == (12, False)


async def test_a_long_query_filters_the_same_records() -> None:
    """What the source cannot search is applied in a thread where there are many words, and not at
    all to the one record of a count."""
    words = " OR ".join(f"title:word{number}" for number in range(40))
    options = SearchOptions(query=f"({words} OR title:soil) NOT peat", timeout=5)
    made, _ = engine({"alpha": works(item("Soil"), item("Soil and peat"), item("Birds"))})

    async with made:
        fetched = await made.inquiry(options).records("alpha", 10)
        counted = await made.inquiry(options).count("alpha")

    assert [record.title for record in fetched.records] == ["Soil", "Birds"]
    assert fetched.report.filtered == 1
    assert (counted.report.status, counted.report.total, counted.exact) == ("ok", 3, False)


async def test_a_cached_page_has_the_date_at_which_it_was_fetched() -> None:
    """What the cache holds is not asked for again, and its date is told."""
    made, _ = engine({"alpha": paged(5)})
    clock = [1_000_000.0]

    class Dated(Upstreams):
        async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
            page = await super().send(request, timeout=timeout, max_bytes=max_bytes)
            return replace(page, fetched_at=clock[0])

    upstreams = Dated({"alpha": paged(5)})
    made._fetcher = Fetcher(upstreams, MemoryStore(), clock=lambda: clock[0], patience=0)

    async with made:
        first = await made.inquiry(OPTIONS).count("alpha")
        await made._fetcher.finish_writes()
        clock[0] += 600
        again = await made.inquiry(OPTIONS).count("alpha")

    assert len(upstreams.asked) == 1
    assert (first.report.cached, again.report.cached) == (False, True)
    assert again.asked_at == first.asked_at == 1_000_000.0
    assert again.requests[0].cached


async def test_requests_are_shown_without_keys() -> None:
    """Address and body as they were sent, and no secret in them."""
    sources = {
        "alpha": {
            "extends": "crossref",
            "url": "https://alpha.example/works",
            "auth": {"key": {"env": "ALPHA_KEY", "in": "params"}},
        }
    }
    made = Engine(
        Settings(sources=sources, default_sources=("alpha",), env={"ALPHA_KEY": "s3cr3t"})
    )
    made._fetcher = Fetcher(Upstreams({"alpha": works(item("Soil"))}), None, patience=0)

    async with made:
        answer = await made.inquiry(OPTIONS).records("alpha", 10)

    assert answer.requests[0].method == "GET"
    assert answer.requests[0].url.startswith("https://alpha.example/works?")
    assert "s3cr3t" not in repr(answer)


async def test_the_digest_is_that_of_the_spec() -> None:
    """The same tables have the same digest, others have another one."""
    made, _ = engine({"alpha": works(item("Soil")), "beta": works(item("Soil"))})
    same, _ = engine({"alpha": works(item("Soil"))})

    async with made, same:
        alpha = await made.inquiry(OPTIONS).count("alpha")
        beta = await made.inquiry(OPTIONS).count("beta")
        again = await same.inquiry(OPTIONS).count("alpha")

    assert len(alpha.spec) == 64
    assert alpha.spec == again.spec
    assert alpha.spec != beta.spec


async def test_kept_pages_answer_again(tmp_path: Path) -> None:
    """What was asked with a folder is answered from it, with the dates of the pages."""
    options = SearchOptions(query="gambling harms")
    async with DemoDatabases(latency=0, faults=False) as demo:
        settings = demo.settings()
        async with Engine(settings, recorded_as=demo.recorded_as) as made:
            asking = made.inquiry(options, record=tmp_path)
            before = [await asking.records(name, 30) for name in asking.sources]
    facts = json.loads(next(tmp_path.rglob("page.json")).read_text())

    async with Engine(replay_settings(), replay=tmp_path) as again:
        asking = again.inquiry(options)
        after = [await asking.records(answer.source, 30) for answer in before]

    assert [answer.records for answer in after] == [answer.records for answer in before]
    assert [answer.asked_at for answer in after] == [answer.asked_at for answer in before]
    assert facts["fetched_at"] > 1.7e9


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The source fails, because a run that is to be recorded must not lack a page."""
    (tmp_path / "alpha").write_text("a file in the place of the folder")
    made, _ = engine({"alpha": works(item("Soil"))})

    async with made:
        answer = await made.inquiry(OPTIONS, record=tmp_path).records("alpha", 10)

    assert answer.report.failed
    assert "cannot be recorded" in str(answer.report.error)


@cases.each("most", [0, 10_001])
async def test_bounds(most: int) -> None:
    """A number of records that is out of bounds is refused before anything is sent."""
    made, upstreams = engine({"alpha": works(item("Soil"))})

    async with made:
        with pytest.raises(UsageError, match="per_source"):
            await made.inquiry(OPTIONS).records("alpha", most)

    assert not upstreams.asked


def with_budget(upstreams: Upstreams, left: float) -> None:
    """So much of a dollar a day is left after every answer."""
    send = upstreams.send

    async def counted(request: Request, **rest: Any) -> Page:
        page = await send(request, **rest)
        return replace(page, budget=Budget(left=left, of=1.0, unit="USD", renewed=40000.0))

    upstreams.send = counted  # type: ignore[method-assign]


async def test_a_budget_that_is_nearly_used_up_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all pages of a search; none while much is left."""
    # A minute that begins between two pages would make two notes of one.
    monkeypatch.setattr(request_module, "moment_in", lambda _: "2026-12-01 00:00 UTC")
    notes = []
    for left in (0.5, 0.05):
        made, upstreams = engine({"alpha": paged(450)})
        with_budget(upstreams, left)
        async with made:
            answer = await made.search("soil", limit=101)
        notes.append([note for note in answer.sources[0].notes if "USD" in note])

    assert [len(each) for each in notes] == [0, 1]
    assert notes[1][0].startswith("less than a tenth of its 1 USD is left until 2026-12-01")


async def test_a_source_whose_budget_is_used_up_is_skipped_until_it_is_renewed() -> None:
    """The answer says so at once, with the moment; the others answer."""
    made, upstreams = engine({"alpha": paged(50), "beta": works(item("Soil of beta"))})
    with_budget(upstreams, 0.0)

    async with made:
        await made.search("soil", sources=["alpha"], timeout=60)
        answer = await made.search("soil carbon", timeout=60)
    alpha, beta = answer.sources

    assert (alpha.status, beta.status) == ("limited", "ok")
    assert str(alpha.error).startswith("what it allows is used up: asked to wait until 2")
    assert answer.seconds < 30
