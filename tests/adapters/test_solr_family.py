"""adapter_specs/families/solr.toml and hooks/solr.py: what is read from the answers of a Solr
index, JSON or XML."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import NotParsable, SourceSaysError
from metasearch.query import parse as parse_query
from metasearch.record import Author
from metasearch.settings import Settings
from tests.cases import each

URL = "http://127.0.0.1:8983/solr/works/select"
SPEC = Registry(
    Settings(
        sources={
            "index": {
                "extends": "solr",
                "url": URL,
                "query": {"fields": {"title": "title_t:{x}"}},
                "request": {"params": {"fq": "kind:work"}},
            }
        }
    )
).spec("index")


def read(body: str | dict[str, Any]) -> PageContent:
    raw = body if isinstance(body, str) else json.dumps(body)
    return parse(Page(request=Request(source="index", url=URL), body=raw.encode()), SPEC)


def found(*docs: dict[str, Any]) -> dict[str, Any]:
    return {
        "responseHeader": {"status": 0},
        "response": {"numFound": len(docs), "start": 0, "docs": list(docs)},
    }


def test_four_lines_make_a_source() -> None:
    """The index is asked in Lucene's syntax, with its own fields and filter; what Solr takes for
    syntax is escaped."""
    planned = plan(parse_query('title:"a b" C++ wor* (-d)'), SPEC)

    assert dict(planned.request.params) == {
        "q": r'title_t:"a b" AND C\+\+ AND wor* NOT d',
        "rows": "20",
        "start": "0",
        "wt": "json",
        "fq": "kind:work",
    }


@each("suffix", ["", "_s", "_ss", "_t", "_txt", "_display", "_tesim"])
def test_fields_are_known_by_their_usual_names(suffix: str) -> None:
    """The suffixes of dynamic fields make no difference, nor whether a field is one string or
    several."""
    (record,) = read(
        found({"id": "1", f"title{suffix}": ["A title"], f"author{suffix}": "Byron, Ada"})
    ).records

    assert record.source_id == "1"
    assert record.title == "A title"
    assert record.authors == (Author("Ada Byron", "Byron", "Ada"),)


def test_dublin_core_and_typed_fields() -> None:
    """Dublin Core with a dot or a colon, numbers and dates are read as well."""
    doc = {"id": 7, "dc.title": "T", "dc:creator": ["Tanaka, Ken"], "dc.type": "Book"}
    dated = {"year_i": 1999, "publication_date_dt": "1999-05-06T00:00:00Z"}
    (record,) = read(found(doc | dated)).records

    assert (record.title, record.year, record.date, record.type) == (
        "T",
        1999,
        "1999-05-06",
        "book",
    )
    assert record.authors[0].name == "Ken Tanaka"


XML = """<?xml version="1.0"?><response><lst name="responseHeader"><int name="status">0</int></lst>
<result name="response" numFound="12" start="0"><doc>
<str name="id">1</str><arr name="title"><str>A &amp; B</str></arr>
<arr name="author"><str>Byron, Ada</str><str>Tanaka, Ken</str></arr><int name="year">2001</int>
<bool name="is_oa">true</bool></doc><doc>
<str name="id">2</str><str name="title">C</str></doc></result></response>"""


def test_xml_is_read_as_json_is() -> None:
    """wt=xml gives the same records, by the same rules."""
    docs = found(
        {
            "id": "1",
            "title": ["A & B"],
            "author": ["Byron, Ada", "Tanaka, Ken"],
            "year": 2001,
            "is_oa": True,
        },
        {"id": "2", "title": "C"},
    )
    parsed = read(XML)

    assert parsed.records == read(docs).records
    assert parsed.total == 12


def test_an_error_beside_records_is_an_error() -> None:
    """Solr may answer half of a question and fail in the rest, as JSON and as XML."""
    message = 'the database reports: undefined field: "x"'
    body = found({}, {}) | {"error": {"msg": 'undefined field: "x"', "code": 400}}
    in_xml = XML.replace(
        "<result", '<lst name="error"><str name="msg">undefined field: "x"</str></lst><result'
    )

    for answer in (body, in_xml):
        with pytest.raises(SourceSaysError, match=message):
            read(answer)


def test_what_is_not_solr() -> None:
    """No hits are no error; other XML, and XML that breaks off, is none of Solr's answers."""
    assert read(found()).total == 0
    for body in ("<response><item/></response>", XML[:200]):
        with pytest.raises(NotParsable):
            read(body)


def test_issue_14_19_issns_of_print_and_online_are_both_read() -> None:
    """An index has a field for each."""
    both = read(found({"id": "1", "title": "A", "issn": "2049-3630", "eissn": ["2049-3649"]}))

    assert both.records[0].issn == ("2049-3630", "2049-3649")
