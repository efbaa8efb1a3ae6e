"""Parameters that are none of ours."""

from __future__ import annotations

from html import unescape

import pytest
from multidict import MultiDict

from metasearch.server.limits import Options
from metasearch.server.parameters import KNOWN, not_used, read, refusal_of
from metasearch.server.problem import Problem
from tests.cases import each
from tests.growth import MOST, growth


@each(
    ("name", "use"),
    [
        ("pageno", "start=N"),
        ("page", "start=N"),
        ("startPage", "start=N"),
        ("offset", "start=N"),
        ("startRecord", "start=N"),
        ("rows", "count=N"),
        ("size", "count=N"),
        ("per_page", "count=N"),
        ("limit", "count=N"),
        ("maximumRecords", "count=N"),
        ("sort_by", "sort=date"),
        ("order_by", "sort=date"),
        ("filters", "filter=NAME:VALUE"),
        ("fq", "filter=NAME:VALUE"),
        ("facet", "facets=NAME"),
        ("from_year", "year=2019-2024"),
        ("source", "sources=NAME"),
    ],
)
async def test_issue_14_10_parameters_of_other_programs_that_would_mislead_are_refused(
    client, engine, name, use
):
    """400, with what to use instead, and nothing is asked."""
    response = await client.get(f"/search?q=mice&{name}=2&format=json")
    problem = await response.json()

    assert (response.status, problem["type"]) == (400, "urn:metasearch:problem:parameters")
    assert [it["parameter"] for it in problem["errors"]] == [name]
    assert use in problem["errors"][0]["reason"]
    assert engine.searches == []


@each("form", ["json", "ndjson", "sse", "html"])
async def test_issue_14_10_unknown_parameters_are_named_in_the_notes(client, form):
    """Whatever the form; the search is made all the same."""
    response = await client.get(f"/search?q=mice&utm_source=mail&zanzibar=1&format={form}")

    assert response.status == 200
    note = "'utm_source', 'zanzibar' are no parameters of a search and changed nothing"
    text = await response.text()
    assert note in (unescape(text) if form == "html" else text)


@each("address", ["/search?q=mice&count=5&start=&format=atom", "/search?q=mice&page=&rows="])
async def test_issue_14_10_holes_of_a_template_are_no_parameters(client, address):
    """What OpenSearch clients leave empty is neither refused nor told."""
    response = await client.get(address)

    assert response.status == 200
    assert "no parameter" not in await response.text()


def test_no_parameter_of_ours_is_refused():
    """What a search takes, and what the description document fills in, is none of them."""
    assert [name for name in KNOWN if refusal_of(name)] == []


def test_a_refusal_stands_beside_other_mistakes():
    """All are told at once."""
    with pytest.raises(Problem) as raised:
        read(MultiDict([("page", "2"), ("count", "x")]), Options())

    assert ["page", "count"] == [it["parameter"] for it in raised.value.members["errors"]]


def test_many_and_long_names_are_bounded():
    """A few are named, each cut; control characters are taken out."""
    note = not_used([f"x\x1b{number}" + "y" * 5000 for number in range(2000)])

    assert len(note) < 400
    assert "and 1995 more" in note
    assert "\x1b" not in note


@pytest.mark.slow
def test_reading_takes_linear_time():
    """Four times as many unknown parameters take about four times as long."""

    def reading(count):
        given = MultiDict((f"a{number}", "1") for number in range(count))
        return lambda: not_used(read(given, Options()).unknown)

    assert growth(reading, 1_000) <= MOST
