"""Requests of look-ups as databases document them: of each kind of identifier, several in one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Page, Request
from metasearch.engine.engine import Engine
from metasearch.engine.lookup import LookedUp, LookupOptions, WantedWork
from metasearch.references.reader import read_references
from metasearch.settings import Settings
from tests.cases import each

ONE, TWO = "a" * 40, "b" * 40
ENV = {"METASEARCH_CONTACT": "reader@library.example", "METASEARCH_NASA_ADS_KEY": "k"}


class _Database:
    """Answers each request with what `answer` makes of it, nothing otherwise; `asked`: all."""

    def __init__(self, answer: Callable[[Request], tuple[int, Any]]) -> None:
        self.asked: list[Request] = []
        self._answer = answer

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(request)
        status, body = self._answer(request)
        return Page(request=request, status=status, body=json.dumps(body).encode())

    async def close(self) -> None:
        """Nothing to close."""


async def looked_up(
    listed: str,
    sources: str | None = None,
    answer: Callable[[Request], tuple[int, Any]] = lambda request: (400, {"message": "odd"}),
) -> tuple[LookedUp, list[Request]]:
    """What was found of a list of lines, and the requests that were made."""
    references = read_references(listed.encode(), "list.txt").references
    works = [WantedWork(each.record.source_id or each.key, each.record) for each in references]
    database = _Database(answer)
    async with Engine(Settings(env=ENV)) as engine:
        engine._fetcher = Fetcher(database, None, patience=0)
        looking = engine.lookup(works, LookupOptions(sources=sources))
        async for _ in looking:
            pass
    return looking.result(), database.asked


BATCH = "https://api.semanticscholar.org/graph/v1/paper/batch"
DOIS = "10.1000/a\n10.1000/b"
ISBNS = "9780306406157\n9783161484100"


@each(
    ("source", "listed", "wanted"),
    [
        ("openalex", "W12\nhttps://openalex.org/W34", "filter=ids.openalex%3AW12%7CW34&per_page=2"),
        ("openalex", DOIS, "filter=doi%3A10.1000%2Fa%7C10.1000%2Fb&"),
        ("crossref", DOIS, "filter=doi%3A10.1000%2Fa%2Cdoi%3A10.1000%2Fb&"),
        ("datacite", DOIS, "query=doi%3A%2210.1000%5C%2Fa%22%20OR%20doi%3A%2210.1000%5C%2Fb%22&"),
        ("europepmc", DOIS, "query=DOI%3A%2210.1000%2Fa%22%20OR%20DOI%3A%2210.1000%2Fb%22&"),
        ("europepmc", "PMC12\nPMC34", "query=PMCID%3APMC12%20OR%20PMCID%3APMC34&"),
        ("pubmed", "PMID 12\nPMID 34", "term=12%5Bpmid%5D%20OR%2034%5Bpmid%5D&"),
        ("arxiv", "2001.01234\narXiv:2002.01234", "id_list=2001.01234%2C2002.01234&"),
        ("opencitations", DOIS, "/metadata/doi:10.1000%2Fa__doi%3A10.1000%2Fb"),
        ("unpaywall", "10.1000/a", "https://api.unpaywall.org/v2/10.1000%2Fa"),
        ("k10plus", ISBNS, "query=pica.isb%20%3D%20%229780306406157%22%20or%20pica.isb%20%3D%20"),
        ("dnb", ISBNS, "query=NUM%20%3D%20%229780306406157%22%20or%20NUM%20%3D%20%229783161484"),
        ("openlibrary", "9780306406157", "q=isbn%3A9780306406157&"),
        ("dblp", "Salt marshes of the northern coast", "q=Salt%20marshes%20the%20northern%20coast"),
    ],
)
async def test_several_works_in_one_request(source: str, listed: str, wanted: str) -> None:
    """How many, [lookup] of the spec says."""
    _, asked = await looked_up(listed, source)

    assert any(wanted in request.log_url for request in asked), [each.log_url for each in asked]


@each(
    ("listed", "ids"),
    [
        (f"{ONE}\nhttps://www.semanticscholar.org/paper/Salt-Marshes/{TWO}", [ONE, TWO]),
        (
            "CorpusID:12\nhttps://api.semanticscholar.org/CorpusID:34",
            ["CorpusId:12", "CorpusId:34"],
        ),
        (DOIS, ["DOI:10.1000/a", "DOI:10.1000/b"]),
        ("PMID 12\nPMID 34", ["PMID:12", "PMID:34"]),
        ("2001.01234\narXiv:2002.01234", ["ARXIV:2001.01234", "ARXIV:2002.01234"]),
    ],
)
async def test_identifiers_in_the_body(listed: str, ids: list[str]) -> None:
    """Semantic Scholar's batch, and nothing of the other kinds."""
    _, asked = await looked_up(listed, "semanticscholar")

    assert {(request.method, request.url) for request in asked} == {("POST", BATCH)}
    assert {"ids": ids} in [json.loads(request.content) for request in asked]
    assert dict(asked[0].params)["fields"].startswith("title,")  # type: ignore[union-attr]


async def test_null_stands_for_what_is_not_known() -> None:
    """Which is no failure, also where nothing is known."""

    def answer(request: Request) -> tuple[int, Any]:
        known = {"paperId": ONE, "title": "Salt", "externalIds": {"CorpusId": 12}}
        return 200, [known if name == ONE else None for name in json.loads(request.content)["ids"]]

    some, _ = await looked_up(f"{ONE}\n{TWO}", "semanticscholar", answer)
    none, _ = await looked_up(f"{TWO}\nCorpusID:34", "semanticscholar", answer)

    assert [hit.record.title for hit in some.answer.hits] == ["Salt"]
    assert [state.asked["semanticscholar"].status for state in some.missing] == ["empty"]
    assert [state.asked["semanticscholar"].status for state in none.missing] == ["empty"] * 2


async def test_an_error_that_says_that_nothing_is_known() -> None:
    """It is no failure; another one is."""
    statuses = []
    for text in ("No valid paper ids given", "Unrecognized or unsupported fields"):
        found, _ = await looked_up(
            f"{ONE}\n{TWO}", "semanticscholar", lambda request, text=text: (400, {"error": text})
        )
        statuses.append({state.asked["semanticscholar"].status for state in found.missing})

    assert statuses == [{"empty"}, {"failed"}]


async def test_an_identifier_that_was_merged_into_another() -> None:
    """Its record has the other one; asked for alone, the answer tells whose it is."""

    def answer(request: Request) -> tuple[int, Any]:
        return 200, [
            {"paperId": "c" * 40 if name == TWO else name, "title": f"Salt {name[0]}"}
            for name in json.loads(request.content)["ids"]
        ]

    found, _ = await looked_up(f"{ONE}\n{TWO}", "semanticscholar", answer)

    assert [hit.record.title for hit in found.answer.hits] == ["Salt a", "Salt b"]


async def test_a_404_of_a_single_work_is_no_failure() -> None:
    """The database does not know it."""
    found, _ = await looked_up("10.1000/a", "unpaywall", lambda request: (404, {"error": True}))

    assert [state.asked["unpaywall"].status for state in found.missing] == ["empty"]


@each(
    ("listed", "is_asked"),
    [(ONE, True), (f"CorpusID:12\n{DOIS}", True), (DOIS, False), ("W12", False)],
)
async def test_a_database_that_is_asked_for_its_own_identifiers(
    listed: str, is_asked: bool
) -> None:
    """Where no source is named: of the works that others find it is asked for none."""
    _, asked = await looked_up(listed)
    bodies = [request.content for request in asked if request.source == "semanticscholar"]

    assert bool(bodies) is is_asked
    assert "DOI" not in "".join(bodies)
