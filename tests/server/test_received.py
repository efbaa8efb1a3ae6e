"""Queries that no address can hold: POST to `/search`, as a form or as JSON, with bodies that have
an end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from multidict import MultiDict

from metasearch.query.tree import MAX_LENGTH
from metasearch.server.limits import Options
from metasearch.server.parameters import read
from metasearch.server.problem import Problem
from tests.cases import each

LONG = " OR ".join(f'"gambling harm {number}"' for number in range(700))


@each("body", [{"data": {"q": LONG, "count": "7"}}, {"json": {"q": LONG, "count": 7}}])
async def test_a_long_strategy_is_posted(client, engine, body):
    """The parameters are those of a GET."""
    response = await client.post("/search?format=json", **body)

    assert response.status == 200
    assert (engine.asked[0]["query"], engine.asked[0]["limit"]) == (LONG, 7)


async def test_lists_and_format_in_a_json_body(client, engine):
    """Arrays are parameters that are given several times; null is none."""
    posted = {"q": "gene", "sources": ["alpha", "beta"], "format": "ris", "year": None}
    response = await client.post("/search", json=posted)

    assert response.content_type == "application/x-research-info-systems"
    assert engine.asked[0]["sources"] == ("alpha", "beta")


async def test_whole_numbers_in_json(client, engine):
    """Some programs write all numbers with a point."""
    response = await client.post("/search", json={"q": "gene", "count": 7.0, "timeout": 1.5})

    assert response.status == 200
    assert (engine.asked[0]["limit"], engine.asked[0]["timeout"]) == (7, 1.5)


@pytest.mark.parametrize(
    "body",
    [
        {
            "data": [
                ("q", "gene"),
                ("filter", "type:article"),
                ("filter", "oa:yes"),
                ("facets", "year,type"),
                ("facet_limit", "3"),
                ("sort", "date"),
            ]
        },
        {
            "json": {
                "q": "gene",
                "filter": ["type:article", "oa:yes"],
                "facets": ["year", "type"],
                "facet_limit": 3,
                "sort": "date",
            }
        },
    ],
)
async def test_filters_and_facets_are_posted(client, engine, body):
    """As fields of a form that are repeated, or as arrays."""
    response = await client.post("/search?format=json", **body)
    (asked,) = engine.asked

    assert response.status == 200
    assert [asked[name] for name in ("filter", "facets", "facet_limit", "sort")] == [
        "oa:yes,type:article",
        "year,type",
        3,
        "date",
    ]


@each(
    ("body", "kind", "status"),
    [
        (b"[1]", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"q": {"a": 1}}', "application/json", 400),
        (b"q=%ff", "application/x-www-form-urlencoded", 400),
        (b"q=%ff" + b"&a=1" * 600, "application/x-www-form-urlencoded", 400),
        (b"gene", "text/plain", 415),
        (b"q=" + b"a" * (12 * MAX_LENGTH + 20_000), "application/x-www-form-urlencoded", 413),
        (b"q=" + b"a" * (MAX_LENGTH + 1), "application/x-www-form-urlencoded", 400),
    ],
)
async def test_bodies_that_are_no_search(client, engine, body, kind, status):
    """Each gets a problem document, and no source is asked."""
    response = await client.post("/search?format=json", data=body, headers={"Content-Type": kind})

    assert response.status == status
    assert response.content_type == "application/problem+json"
    assert engine.asked == []


@each("values", [["gene", None], [None], [None, "gene"]])
async def test_null_in_a_list_is_refused(client, engine, values):
    """A program that builds a list has lost a value there; it learns in which parameter."""
    response = await client.post("/search?format=json", json={"q": "gene", "sources": values})

    assert response.status == 400
    (error,) = (await response.json())["errors"]
    assert error == {"parameter": "sources", "reason": "has null in its list; leave it out"}
    assert engine.asked == []


async def test_an_object_with_too_many_members(client):
    """The refusal states how many there may be."""
    body = {f"name{number}": 1 for number in range(501)}
    response = await client.post("/search?format=json", json=body)

    assert response.status == 400
    assert "at most 500 members" in (await response.json())["detail"]


async def test_a_server_may_take_shorter_queries_only() -> None:
    """`[server] max_query` holds for GET and POST alike."""
    options = replace(Options(), max_query=10)

    for given in (MultiDict(q="a" * 11), MultiDict(q="a b c d e f g")):
        with pytest.raises(Problem) as caught:
            read(given, options)
        assert caught.value.status == 400
    assert read(MultiDict(q="a" * 10), options).query == "a" * 10
