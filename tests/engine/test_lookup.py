"""Lists of works that are looked up: by identifiers in large requests, by titles where that leaves
a work open, and what of a failure is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import Page, Request
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import WantedWork
from metasearch.errors import UsageError
from metasearch.record import Author, Record
from metasearch.settings import Settings
from tests.cases import each

#: What the two databases hold: DOI -> title.
WORKS = {f"10.1000/{number}": f"Salt marsh birds number {number}" for number in range(60)}


class _Databases:
    """Two databases in Crossref's shape, of which one holds even DOIs and one odd ones, and which
    may fail.

    `asked`: every request, in order.
    """

    def __init__(self, fails: Callable[[Request], bool] = lambda request: False) -> None:
        self.asked: list[Request] = []
        self._fails = fails

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(request)
        if self._fails(request):
            return Page(request=request, status=400, body=b'{"message":"odd"}')
        values = {name: str(value) for name, value in request.params}
        wanted = {part.removeprefix("doi:") for part in values.get("filter", "").split(",")}
        held = [
            {"title": [title], "DOI": doi, "issued": {"date-parts": [[2020]]}}
            for number, (doi, title) in enumerate(WORKS.items())
            if (number % 2 == 0) == (request.source == "even")
            and (doi in wanted or title == values.get("query.title"))
        ]
        body = {"message": {"total-results": len(held), "items": held}}
        return Page(request=request, body=json.dumps(body).encode())

    async def close(self) -> None:
        """Nothing to close."""


@asynccontextmanager
async def databases(fails: Callable[[Request], bool] = lambda request: False) -> Any:
    limits = {"requests": 1000, "per": 1, "concurrency": 4}
    sources = {
        name: {"extends": "crossref", "url": f"https://{name}.example/works", "limits": limits}
        for name in ("even", "odd")
    }
    upstream = _Databases(fails)
    async with Engine(Settings(sources=sources, default_sources=("even", "odd"))) as engine:
        engine._fetcher = Fetcher(upstream, None, patience=0)
        yield engine, upstream


def of_doi(doi: str) -> WantedWork:
    return WantedWork(doi, Record(source="list", doi=doi))


def of_title(title: str, **known: Any) -> WantedWork:
    return WantedWork(title, Record(source="list", title=title, **known))


async def found(engine: Engine, works: Sequence[WantedWork], **how: Any) -> tuple[Any, Any]:
    """What was found of the works, and the lookup."""
    looking = engine.lookup(works, **how)
    states = [state async for state in looking]
    assert len(states) == len(works) == looking.done
    return looking.result(), looking


async def test_dois_are_asked_for_many_at_once() -> None:
    """As many in a request as the spec says; the second database is asked for the rest alone."""
    async with databases() as (engine, upstream):
        result, looking = await found(engine, list(map(of_doi, WORKS)))

    assert [hit.record.doi for hit in result.answer.hits] == list(WORKS)
    assert result.missing == ()
    assert looking.requests == len(upstream.asked) == 6


async def test_a_work_that_is_found_is_asked_for_no_further() -> None:
    """Databases whose requests name one work are asked one after the other."""
    async with databases() as (engine, upstream):
        titles = [of_title(title) for title in list(WORKS.values())[:10:2]]
        result, _ = await found(engine, titles)

    assert len(result.answer.hits) == 5
    assert {request.source for request in upstream.asked} == {"even"}


async def test_without_a_hit_by_its_identifier_a_work_is_asked_for_by_title() -> None:
    """A DOI may be mistaken."""
    async with databases() as (engine, _):
        wanted = WantedWork("a", Record(source="list", doi="10.9/x", title=WORKS["10.1000/7"]))
        result, _ = await found(engine, [wanted])

    assert result.answer.hits[0].record.doi == "10.1000/7"
    assert result.hits == {"a": result.answer.hits[0].id}


async def test_what_nobody_knows_is_missing_with_who_was_asked() -> None:
    """Each database answered that it has nothing."""
    async with databases() as (engine, _):
        result, _ = await found(engine, [of_doi("10.9/none")])

    (missing,) = result.missing
    assert {name: each.status for name, each in missing.asked.items()} == {
        "even": "empty",
        "odd": "empty",
    }


async def test_a_database_that_fails_is_told_as_that() -> None:
    """Whether it knows the work is not known."""
    async with databases(lambda request: request.source == "odd") as (engine, _):
        result, _ = await found(engine, [of_doi("10.1000/1"), of_doi("10.1000/2")])

    (missing,) = result.missing
    assert missing.work.key == "10.1000/1"
    assert missing.asked["odd"].status == "failed"
    assert "odd" in str(missing.asked["odd"].error)
    assert not result.answer.complete


async def test_one_odd_work_costs_no_other() -> None:
    """What is refused together is asked for in halves."""

    def has_odd_one(request: Request) -> bool:
        return "10.1000/14" in str(dict(request.params)["filter"])

    async with databases(has_odd_one) as (engine, _):
        result, _ = await found(engine, [of_doi(doi) for doi in list(WORKS)[:20:2]])

    assert [state.work.key for state in result.missing] == ["10.1000/14"]


async def test_a_database_that_is_down_is_not_asked_for_each_work() -> None:
    """Once nothing of a half was answered, the other one is not asked for."""
    async with databases(lambda request: True) as (engine, upstream):
        result, _ = await found(engine, [of_doi(doi) for doi in list(WORKS)[:16]])

    assert len(result.missing) == 16
    assert len(upstream.asked) <= 2 * 6


async def test_a_lookup_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """Nothing that was answered is asked again, and at the end nothing is kept."""
    journal = tmp_path / "lookups" / "one.jsonl"
    works = list(map(of_doi, WORKS))
    async with databases() as (engine, upstream):
        looking = engine.lookup(works, journal=journal)
        steps = aiter(looking)
        await anext(steps)
        await steps.aclose()  # type: ignore[attr-defined]
        before = {page_key(request) for request in upstream.asked}
    with journal.open("ab") as file:
        file.write(b'{"request": "broken o')

    async with databases() as (engine, upstream):
        result, _ = await found(engine, works, journal=journal)

    assert before
    assert before.isdisjoint(page_key(request) for request in upstream.asked)
    assert [hit.record.doi for hit in result.answer.hits] == list(WORKS)
    assert not journal.exists()


@each(
    ("title", "known", "is_it"),
    [
        ("Salt marsh birds number 4", {}, True),
        ("SALT MARSH BIRDS, NUMBER 4", {"year": 2021}, True),
        ("Salt marsh birds number 4", {"year": 2010}, False),
        ("Salt marsh birds number", {}, True),
        ("Salt marsh reeds number 4", {}, False),
    ],
)
async def test_which_records_are_of_a_work(title: str, known: Any, is_it: bool) -> None:
    """Those of its title, as far as both go, of its year but for one, and of its people."""
    from metasearch.engine.lookup import is_same_work

    held = Record(source="even", title="Salt marsh birds number 4", year=2020)

    assert is_same_work(of_title(title, **known).record, held) is is_it


def test_people_of_other_names_wrote_another_work() -> None:
    from metasearch.engine.lookup import is_same_work

    ours, same, other = (
        Record(source="a", title="Salt marshes", authors=(Author(name=name),))
        for name in ("Ada Byron", "Byron, A.", "Grace Hopper")
    )

    assert is_same_work(ours, same)
    assert not is_same_work(ours, other)


async def test_a_list_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told before anything is asked."""
    monkeypatch.setattr("metasearch.engine.lookup.MOST_WORKS", 2)
    async with databases() as (engine, _):
        with pytest.raises(UsageError, match="more than 2 works"):
            engine.lookup(map(of_doi, list(WORKS)[:3]))
