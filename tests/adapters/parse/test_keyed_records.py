"""JSON whose records, or whose names, are the members of an object and not of a list."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.specfile import build
from tests.cases import each


def read(records: str, body: Any) -> PageContent:
    spec = build(
        tomllib.loads(f"""
name = "made"
[request]
url = "https://x.example"
[query]
style  = "params"
fields = {{ any = "{{x}}" }}
[parse]
body    = "json"
records = "{records}"
total   = "count"
[fields]
title     = "title"
authors   = "keys(authors.primary)"
publisher = {{ at = "values(publishers)[0]" }}
"""),
        "made.toml",
    )
    return parse(
        Page(
            request=Request(source="made", url="https://x.example"), body=json.dumps(body).encode()
        ),
        spec,
    )


RECORDS = {
    "7": {
        "title": "Seven",
        "authors": {"primary": {"Tanaka, Ken": {"role": ["-"]}, "Doe, Jane": []}},
    },
    "3": {"title": "Three", "authors": {"primary": []}, "publishers": {"a": "Marsh Press"}},
}


@each(
    ("records", "body"),
    [
        ("values(records)", {"records": RECORDS}),
        ("records.*", {"records": RECORDS}),
        ("values(@)", RECORDS),
        ("*", RECORDS),
    ],
)
def test_records_are_members_of_an_object(records: str, body: Any) -> None:
    """In the order of the body, whatever their keys; names that are keys are read, and an empty
    list has none."""
    parsed = read(records, body)

    assert [(record.title, record.position) for record in parsed.records] == [
        ("Seven", 1),
        ("Three", 2),
    ]
    assert [author.name for author in parsed.records[0].authors] == ["Ken Tanaka", "Jane Doe"]
    assert parsed.records[1].authors == ()
    assert parsed.records[1].publisher == "Marsh Press"


@each("nothing", [{}, [], None])
def test_no_records_under_any_key(nothing: Any) -> None:
    """An empty object, PHP's empty list in its place, or null, beside a count of 0: no hits and no
    error."""
    parsed = read("values(records)", {"records": nothing, "count": 0})

    assert (parsed.records, parsed.total, parsed.unread) == ((), 0, ())


def test_odd_members_cost_only_themselves() -> None:
    """A member that is no record is counted and told."""
    parsed = read("values(records)", {"records": {"1": "odd", "2": {"title": "Two"}}})

    assert [record.title for record in parsed.records] == ["Two"]
    assert [unread.position for unread in parsed.unread] == [1]
