"""`sort=date` over the simulated databases: those that can are asked for their newest records, and
the others say that they cannot.
"""

from __future__ import annotations

from collections.abc import Callable

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request, public
from metasearch.adapters.translate.plan import NOT_BY_DATE
from metasearch.demo.catalogue import works
from metasearch.demo.databases import SOUND, all_holdings
from metasearch.demo.databases.database import SimulatedDatabase
from metasearch.engine.engine import Engine
from metasearch.engine.facets import Sort
from metasearch.events import Answer
from metasearch.record import Hit
from metasearch.settings import Settings
from tests.cases import each
from tests.engine.test_engine import Upstreams

HOLDINGS = all_holdings(works())
#: A source that can sort by date -> the parameters with which it does.
BY_DATE = {
    "demo-crossref": {"sort": "published", "order": "desc"},
    "demo-openalex": {"sort": "publication_date:desc"},
    "demo-arxiv": {"sortBy": "submittedDate", "sortOrder": "descending"},
    "demo-pubmed": {"sort": "pub_date"},
}


def demo_engine() -> tuple[Engine, Upstreams]:
    """An engine whose sources are the sound databases of the demo, without sockets."""

    def answering(database: SimulatedDatabase) -> Callable[[Request], bytes]:
        def body(request: Request) -> bytes:
            path = "/" + request.url.split("/", 3)[3]
            params = dict(public(request.params)) | dict(public(request.body))
            return database.answer(path, params, HOLDINGS[database.name]).body

        return body

    sources = {
        database.name: {
            "extends": database.extends,
            "url": f"https://{database.name}.example{database.path}",
            "limits": {"requests": 1000},
        }
        for database in SOUND
    }
    made = Engine(Settings(shipped=False, sources=sources, default_sources=tuple(sources)))
    upstreams = Upstreams({database.name: answering(database) for database in SOUND})
    made._fetcher = Fetcher(upstreams, None, patience=0)
    return made, upstreams


def searched(upstreams: Upstreams) -> dict[str, dict[str, str]]:
    """Source -> the parameters of its first request."""
    first: dict[str, dict[str, str]] = {}
    for request in upstreams.asked:
        first.setdefault(request.source, dict(public(request.params)))
    return first


def years(hits: tuple[Hit, ...]) -> list[int]:
    return [hit.record.year or 0 for hit in hits]


async def test_sources_are_asked_for_their_newest_records() -> None:
    """Each with its own parameters; the one that cannot says so, and only that one."""
    made, upstreams = demo_engine()

    answer = await made.search("gambling", sort="date")

    asked = searched(upstreams)
    for source, params in BY_DATE.items():
        assert params.items() <= asked[source].items()
    notes = {report.source: NOT_BY_DATE in report.notes for report in answer.sources}
    assert notes == {**dict.fromkeys(BY_DATE, False), "demo-library": True}


async def test_what_is_newest_is_found_though_it_is_not_the_most_relevant() -> None:
    """The answer is newest first, and holds newer works than the most relevant ones."""
    newest = await answered("date")
    relevant = await answered("relevance")

    assert newest.sort == "date"
    assert years(newest.hits) == sorted(years(newest.hits), reverse=True)
    assert len(newest.hits) == len(relevant.hits) == 5
    held = sorted((work.year for work in HOLDINGS["demo-openalex"].works), reverse=True)
    assert sum(years(newest.hits)) > sum(years(relevant.hits))
    assert years(newest.hits)[0] in held[: len(held) // 4]


async def answered(sort: Sort) -> Answer:
    """Five records of one database, in this order."""
    made, _ = demo_engine()
    return await made.search("the", sort=sort, sources=["demo-openalex"], per_source=5)


@each("sort", ["relevance", "-date", "title", "citations", "first-seen"])
async def test_other_orders_are_made_here(sort: Sort) -> None:
    """For any order but newest first the sources are asked as ever, and none has a note."""
    made, upstreams = demo_engine()
    usual_engine, usual = demo_engine()

    answer = await made.search("gambling", sort=sort)
    await usual_engine.search("gambling")

    assert searched(upstreams) == searched(usual)
    assert not any(NOT_BY_DATE in report.notes for report in answer.sources)


async def test_the_next_page_repeats_nothing() -> None:
    """Pages of ten follow one another as the list of one search has them, also where the sources
    are asked for older records.
    """
    made, upstreams = demo_engine()
    pages = [
        await made.search("gambling", sort="date", start=start, limit=10, per_source=10)
        for start in range(0, 60, 10)
    ]

    ids = [hit.id for page in pages for hit in page.hits]
    assert len(ids) == len(set(ids)) > 30
    deeper = [
        dict(public(request.params))
        for request in upstreams.asked
        if request.source == "demo-crossref" and request.start > 0
    ]
    assert deeper
    assert all(BY_DATE["demo-crossref"].items() <= params.items() for params in deeper)
