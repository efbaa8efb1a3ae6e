"""adapter_specs/families/elasticsearch.toml: what is asked of an index, and what is read from its
answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import SourceSaysError
from metasearch.query import parse as parse_query
from metasearch.record import Author
from metasearch.settings import Settings
from tests.cases import each

URL = "http://127.0.0.1:9200/works/_search"
SPEC = Registry(
    Settings(
        sources={
            "index": {
                "extends": "elasticsearch",
                "url": URL,
                "query": {"fields": {"title": "title:{x}"}},
            }
        }
    )
).spec("index")


def read(body: dict[str, Any]) -> PageContent:
    return parse(
        Page(request=Request(source="index", url=URL), body=json.dumps(body).encode()), SPEC
    )


def found(*sources: dict[str, Any], total: Any = None, **more: Any) -> dict[str, Any]:
    hits = [
        {"_index": "works", "_id": str(number), "_source": it}
        for number, it in enumerate(sources, 1)
    ]
    return {
        "took": 1,
        "timed_out": False,
        "hits": {"total": len(hits) if total is None else total, "hits": hits},
    } | more


def test_the_query_is_posted_as_json() -> None:
    """The body is Elasticsearch's query DSL, with numbers for the paging; what it takes for syntax
    is escaped."""
    planned = plan(parse_query('title:"a b" C++/D wor*'), SPEC, 30)

    assert planned.request.method == "POST"
    assert json.loads(planned.request.content) == {
        "from": 0,
        "size": 30,
        "query": {
            "query_string": {
                "query": r'title:"a b" AND C\+\+\/D AND wor*',
                "default_operator": "AND",
            },
        },
    }


@each("total", [2, {"value": 2, "relation": "gte"}])
def test_totals_of_old_and_new_versions(total: Any) -> None:
    """Version 6 says a number, version 7 an object."""
    parsed = read(found({"title": "A"}, {"title": "B"}, total=total))

    assert parsed.total == 2
    assert [record.source_id for record in parsed.records] == ["1", "2"]


ORCID = "0000-0002-1825-0097"
OBJECT = {"name": "Byron, Ada", "orcid": ORCID}
PARTS = {"last_name": "Byron", "first_name": "Ada", "affiliation": "Lab"}


@each(
    ("source", "author"),
    [
        ({"authors": [OBJECT]}, Author("Ada Byron", "Byron", "Ada", ORCID)),
        ({"author": "Byron, Ada"}, Author("Ada Byron", "Byron", "Ada")),
        ({"creators": [PARTS]}, Author("Ada Byron", "Byron", "Ada", affiliation="Lab")),
        ({"contrib_names": ["Ada Byron"]}, Author("Ada Byron")),
    ],
)
def test_authors_are_strings_or_objects(source: dict[str, Any], author: Author) -> None:
    """Authors lie in members of several names, as strings or in parts."""
    (record,) = read(found({"title": "A"} | source)).records

    assert record.authors == (author,)


def test_nested_journals() -> None:
    """A journal is a name, or an object with its name, volume and issue."""
    (plain, nested) = read(
        found(
            {"title": "A", "journal": "J"}, {"title": "B", "journal": {"title": "J", "volume": 3}}
        )
    ).records

    assert (plain.venue, plain.volume) == ("J", None)
    assert (nested.venue, nested.volume) == ("J", "3")


def test_half_an_answer_is_told() -> None:
    """An index that ran out of time has not been searched whole, and that is said."""
    assert "ran out of time" in read(found({"title": "A"}, timed_out=True)).notes[0]
    assert read(found({"title": "A"})).notes == ()


def test_errors_say_their_root_cause() -> None:
    """ "all shards failed" says nothing: the first cause does."""
    cause = {"type": "query_shard_exception", "reason": "Failed to parse query [a]"}
    body = {
        "error": {"root_cause": [cause], "type": "x", "reason": "all shards failed"},
        "status": 400,
    }

    with pytest.raises(SourceSaysError, match="Failed to parse query"):
        read(body)
