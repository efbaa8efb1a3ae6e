"""The shipped adapter specs read the simulated databases as they read the real ones."""

from __future__ import annotations

import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.demo.catalogue import EXAMPLE_QUERIES, works
from metasearch.demo.databases import FAULTY, SOUND, all_holdings
from metasearch.errors import SourceError
from metasearch.query import parse as parse_query
from metasearch.query.match import matches
from metasearch.record import Record
from metasearch.settings import Settings
from tests.cases import each

DATABASES = {database.name: database for database in SOUND + FAULTY}
ANSWERING = [name for name in DATABASES if name != "demo-failing"]
HOLDINGS = all_holdings(works())
REGISTRY = Registry(
    Settings(
        sources={
            database.name: {
                "extends": database.extends,
                "url": f"http://127.0.0.1:9{database.path}",
            }
            for database in DATABASES.values()
        }
    )
)


def answer(request: Request) -> Page:
    """What the simulated database answers, without a socket between."""
    path = "/" + request.url.split("/", 3)[3]
    params = dict(public(request.params)) | dict(public(request.body))
    reply = DATABASES[request.source].answer(path, params, HOLDINGS[request.source])
    return Page(
        request=request, status=reply.status, content_type=reply.content_type, body=reply.body
    )


def ask(name: str, query: str, wanted: int = 200) -> tuple[list[Record], int | None]:
    """All records over all pages, and the total that the database tells."""
    spec = REGISTRY.spec(name)
    request: Request | None = plan(parse_query(query), spec, wanted).request
    records: list[Record] = []
    total = None
    while request is not None:
        parsed = parse(answer(request), spec)
        assert parsed.unread == ()
        assert parsed.drifted is None
        records += parsed.records
        total = parsed.total if parsed.total is not None else total
        request = parsed.next
    return records, total


@each(
    ("name", "query"),
    [
        ("demo-crossref", "gambling"),
        ("demo-openalex", "gambling"),
        ("demo-arxiv", "machine learning"),
        ("demo-pubmed", "magic mushrooms"),
        ("demo-library", "jazz"),
        ("demo-slow", "information systems"),
    ],
)
def test_every_record_is_read_whole(name: str, query: str):
    """All hits come once, each with a title, authors, a year and the source's id, and their number
    is the total."""
    records, total = ask(name, query)

    assert len({record.source_id for record in records}) == len(records) == total >= 15
    for record in records:
        assert record.title
        assert record.authors
        assert record.year
    assert any(record.abstract for record in records) == (
        name != "demo-slow"
    )  # dblp has no abstracts


@each("name", ANSWERING)
def test_paging_gives_what_one_page_gives(name: str):
    """Twenty-five records are the first twenty-five of all."""
    query = (
        "jazz"
        if name == "demo-library"
        else "learning"
        if name != "demo-pubmed"
        else "psychedelics"
    )

    records, _ = ask(name, query, 15)

    assert [record.source_id for record in records[:15]] == [
        record.source_id for record in ask(name, query)[0][:15]
    ]


@each("query", EXAMPLE_QUERIES)
def test_example_queries_survive_translation(query: str):
    """In each database's own dialect, too, each example finds works in at least two databases, and
    errors in none."""
    finders = [name for name in ANSWERING if name != "demo-slow" and ask(name, query)[0]]

    assert len(finders) >= 2


def test_the_failing_database_is_a_source_error():
    """The failing database is told as an error of one source."""
    spec = REGISTRY.spec("demo-failing")

    with pytest.raises(SourceError):
        parse(answer(plan(parse_query("jazz"), spec).request), spec)


@each("name", ANSWERING)
@each(
    ("wider", "narrower"),
    [
        ("gambl* OR betting", "gambling"),
        ("psilocyb* OR mushroom*", "psilocybin"),
        ('"machine learn*"', '"machine learning"'),
        ("(improvis* OR jazz) AND music*", "jazz AND musicians"),
    ],
)
def test_a_beginning_finds_at_least_what_its_words_find(
    name: str, wider: str, narrower: str
) -> None:
    """Whether a database knows beginnings of words or not."""
    found = {record.ids.get("doi") or record.title for record in kept(name, wider)}

    assert {record.ids.get("doi") or record.title for record in kept(name, narrower)} <= found


def kept(name: str, query: str) -> list[Record]:
    """The records that a search shows: those that the rest of the query holds for."""
    residual = plan(parse_query(query), REGISTRY.spec(name), 200).residual
    return [
        record
        for record in ask(name, query)[0]
        if residual is None or matches(residual, record) is not False
    ]
