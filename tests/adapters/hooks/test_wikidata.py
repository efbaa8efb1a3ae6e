"""Wikidata's search is one of items, which are asked for in a second step; the search goes on
behind them."""

from __future__ import annotations

import orjson

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.query.tree import Term
from metasearch.settings import Settings

SPEC = Registry(Settings()).spec("wikidata")


def page(request: Request, body: object) -> Page:
    return Page(request=request, body=orjson.dumps(body), status=200)


def item(number: int, **claims: object) -> dict[str, object]:
    stated = {"P31": [{"mainsnak": {"datavalue": {"value": {"id": "Q571"}}}}], **claims}
    return {"id": f"Q{number}", "labels": {"en": {"value": f"Book {number}"}}, "claims": stated}


def day(time: str, precision: int) -> list[object]:
    return [{"mainsnak": {"datavalue": {"value": {"time": time, "precision": precision}}}}]


def test_items_come_between_two_pages_of_the_search() -> None:
    """The second page of the search is asked when the items of the first are read, and its items
    rank behind them."""
    first = plan(Term("moon"), SPEC, 3, {}, 2).request
    found = {
        "query": {"searchinfo": {"totalhits": 3}, "search": [{"title": "Q8"}, {"title": "Q9"}]}
    }

    items = parse(page(first, found), SPEC).next
    assert items is not None
    assert dict(items.params)["ids"] == "Q8|Q9"
    read = parse(page(items, {"entities": {"Q8": item(8), "Q9": item(9)}}), SPEC)
    assert [(it.position, it.title) for it in read.records] == [(1, "Book 8"), (2, "Book 9")]

    assert read.next is not None
    assert dict(read.next.params)["sroffset"] == "2"
    rest = parse(
        page(read.next, {"query": {"searchinfo": {"totalhits": 3}, "search": [{"title": "Q7"}]}}),
        SPEC,
    ).next
    assert rest is not None
    last = parse(page(rest, {"entities": {"Q7": item(7)}}), SPEC)
    assert [(it.position, it.title) for it in last.records] == [(3, "Book 7")]
    assert last.next is None


def test_a_date_is_as_precise_as_wikidata_says() -> None:
    """What is padded with zeros or ones is left out."""
    request = plan(Term("moon"), SPEC, 5, {}).request
    entities = {
        "Q1": item(1, P577=day("+2015-03-05T00:00:00Z", 11)),
        "Q2": item(2, P577=day("+2015-03-00T00:00:00Z", 10)),
        "Q3": item(3, P577=day("+2015-01-01T00:00:00Z", 9)),
        "Q4": item(4, P577=day("+1900-01-01T00:00:00Z", 7)),
        "Q5": item(5, P577=[{"mainsnak": {"snaktype": "somevalue"}}, None]),
    }

    records = parse(page(request, {"entities": entities}), SPEC).records
    assert [it.date for it in records] == ["2015-03-05", "2015-03", "2015", None, None]
