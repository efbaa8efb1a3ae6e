"""The JSON answer: its shape is an interface."""

from __future__ import annotations

from dataclasses import replace

import orjson
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import AccessDenied, TimedOut
from metasearch.events import SourceReport
from metasearch.formats.answer import (
    answer_json,
    answer_object,
    hit_json,
    hit_object,
    report_object,
    write,
)
from metasearch.record import Author, Hit
from tests.formats.careful_hit import careful_hit
from tests.formats.samples import MERGED, answer, hit, hostile_hits, properties

HIT_KEYS = [
    "id",
    "rank",
    "score",
    "reasons",
    "title",
    "subtitle",
    "original_title",
    "translated_title",
    "titles",
    "authors",
    "editors",
    "translators",
    "year",
    "date",
    "venue",
    "publisher",
    "place",
    "institution",
    "edition",
    "volume",
    "issue",
    "pages",
    "doi",
    "ids",
    "version",
    "isbn",
    "issn",
    "url",
    "pdf_url",
    "type",
    "language",
    "abstract",
    "keywords",
    "subjects",
    "citations",
    "open_access",
    "licence",
    "retracted",
    "funders",
    "references",
    "notices",
    "sources",
    "provenance",
    "matches",
    "versions",
]


def test_keys_of_the_answer() -> None:
    """The keys of answer, counts and reports are those that are documented."""
    document = orjson.loads(write(answer(MERGED, complete=False)))

    begins = ["query", "complete", "counts", "hits", "sources", "seconds", "merge_seconds"]
    ends = ["dedup", "paging", "totals", "syntax", "notes", "sort", "filter", "facets"]
    assert list(document) == [*begins, *ends]
    assert document["counts"] == {"received": 3, "unique": 1, "duplicates": 2}
    assert document["complete"] is False
    assert document["sources"][1] == {
        "source": "dblp",
        "status": "timeout",
        "count": 0,
        "total": None,
        "seconds": 8.0,
        "query": None,
        "notes": [],
        "error": {
            "type": "TimedOut",
            "message": "no whole answer within 8 s",
            "advice": TimedOut.advice,
        },
        "cached": False,
        "unread": 0,
        "filtered": 0,
        "more": False,
    }


def test_a_merged_hit_says_where_it_comes_from() -> None:
    """Sources, provenance, matches, versions and reasons stand beside the bibliographic fields."""
    document = hit_object(MERGED)

    assert list(document) == HIT_KEYS
    assert document["authors"][0] == {
        "name": "Norman Paskin",
        "family": "Paskin",
        "given": "Norman",
        "orcid": "0000-0002-1825-0097",
        "affiliation": None,
        "collective": False,
        "suffix": None,
    }
    assert document["sources"] == [
        {
            "source": "arxiv",
            "position": 1,
            "id": "9907.00001",
            "url": "https://arxiv.org/abs/9907.00001",
        },
        {
            "source": "crossref",
            "position": 3,
            "id": "10.1109/5.771073",
            "url": "https://example.org/works/5.771073",
        },
    ]
    assert document["provenance"] == {"title": "crossref", "ids.arxiv": "arxiv", "year": "crossref"}
    assert document["matches"] == [
        {
            "matcher": "title",
            "verdict": "version",
            "score": 0.93,
            "because": "titles agree 0.93",
            "left": "arxiv:9907.00001",
            "right": "crossref:10.1109/5.771073",
        }
    ]
    assert document["versions"][0] == {"kind": "preprint", "records": ["arxiv:9907.00001"]}
    assert document["reasons"][0] == {
        "text": "crossref ranks it 3",
        "points": 0.0159,
        "source": "crossref",
    }


def test_absent_values_are_null_and_absent_lists_are_empty() -> None:
    """Every key is there even where the source gave nothing."""
    document = hit_object(hit())

    assert list(document) == HIT_KEYS
    assert {
        document[k]
        for k in ("title", "year", "doi", "url", "pdf_url", "type", "abstract", "citations")
    } == {None}
    assert [
        document[k]
        for k in ("titles", "authors", "isbn", "issn", "keywords", "matches", "versions", "reasons")
    ] == [[]] * 8
    assert document["ids"] == {}


def test_unsafe_addresses_are_null() -> None:
    """Only http and https addresses reach a client."""
    document = hit_object(hit(url="javascript:alert(1)", pdf_url="file:///etc/passwd"))

    assert (document["url"], document["pdf_url"], document["sources"][0]["url"]) == (
        None,
        None,
        None,
    )


def test_numbers_that_json_cannot_carry_are_null() -> None:
    """A number of citations beyond 64 bits does not cost the answer."""
    assert (
        orjson.loads(write(answer(hit(citations=10**30, year=2**80))))["hits"][0]["citations"]
        is None
    )


def test_upstream_text_is_cleaned() -> None:
    """Control characters, lone surrogates and bidi overrides are gone; newlines of an abstract
    stay."""
    document = hit_object(
        hit(title="A\x1b[31m\ud800B\u202e", abstract="one\r\ntwo", authors=(Author("X\x00Y"),))
    )

    assert (document["title"], document["abstract"]) == ("A[31mB", "one\ntwo")
    assert document["authors"][0]["name"] == "XY"


def test_a_failed_source_says_what_to_do() -> None:
    """The error's type, message and advice are told."""
    report = report_object(
        SourceReport("scopus", "error", error=AccessDenied("scopus", 401, env_name="SCOPUS_KEY"))
    )

    assert report["error"] == {
        "type": "AccessDenied",
        "message": "access denied (401)",
        "advice": "Set SCOPUS_KEY to a valid key.",
    }


@properties
@given(st.lists(hostile_hits(), max_size=2))
def test_any_answer_can_be_written_and_read_back(hits: list[Hit]) -> None:
    """Nothing from upstream makes the encoder fail, and the document is the object."""
    found = answer(*hits)

    assert orjson.loads(write(found)) == answer_object(found)


@properties
@given(st.lists(hostile_hits(), max_size=3), st.text())
def test_the_hits_are_a_part_of_the_document(hits: list[Hit], query: str) -> None:
    """The document is what orjson writes at once, and the part is what it writes of the hits."""
    found = replace(answer(*hits), query=query)
    document, part = answer_json(found)

    assert document == orjson.dumps(answer_object(found)) + b"\n"
    assert part == orjson.dumps([hit_object(each) for each in hits])


@properties
@given(hostile_hits())
def test_a_hit_is_written_as_if_each_text_were_cleaned_by_itself(hit: Hit) -> None:
    """To look at a hit as a whole gives the same bytes, whatever is in it."""
    written = orjson.dumps(careful_hit(hit))

    assert hit_json(hit) == written
    assert orjson.dumps(hit_object(hit)) == written


def test_an_ordinary_hit_is_written_the_same() -> None:
    """So it is for hits in which there is nothing to clean."""
    for whole in (MERGED, hit(title='Ünï – 中文\n"quoted" a\\b'), hit()):
        assert hit_json(whole) == orjson.dumps(careful_hit(whole))
