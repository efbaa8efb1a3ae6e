"""Forms that the JSON sources have beside the answer to a search: single works, batches, dumps,
older versions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metasearch import errors
from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.record import Record
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())


def read(source: str, body: Any, status: int = 200) -> tuple[Record, ...]:
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    request = Request(source=source, url=f"https://{source}.example.org/", wanted=100)
    return parse(Page(request=request, body=raw, status=status), REGISTRY.spec(source)).records


WORK = {"DOI": "10.5555/A", "title": ["A"], "issued": {"date-parts": [[2001, 2]]}}
PAPER = {"paperId": "p1", "title": "A", "externalIds": {"DOI": "10.5555/a"}}
ARTICLE = {
    "id": "1",
    "bibjson": {
        "title": "A",
        "journal": {"title": "J"},
        "identifier": [{"type": "doi", "id": "10.5555/a"}],
    },
}
DOI = {
    "doi": "10.5555/a",
    "titles": [{"title": "A"}],
    "creators": [{"name": "Doe, Jane"}],
    "publicationYear": 2001,
}
RESULT = {"id": "1", "source": "MED", "title": "A.", "doi": "10.5555/a"}


@each(
    ("source", "body"),
    [
        ("crossref", WORK),
        ("crossref", [WORK]),
        ("crossref", {"message": WORK}),
        ("crossref", {"message": {"items": [WORK], "total-results": 1}}),
        ("crossref", {"DOI": "10.5555/a", "title": "A", "issued": {"date-parts": [["2001"]]}}),
        (
            "crossref",
            [
                {
                    "doi": "http://dx.doi.org/10.5555/a",
                    "title": "A",
                    "fullCitation": "A",
                    "year": "2001",
                }
            ],
        ),
        (
            "openalex",
            {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.5555/a", "title": "A"},
        ),
        (
            "openalex",
            [
                {
                    "id": "https://openalex.org/W1",
                    "doi": "https://doi.org/10.5555/a",
                    "display_name": "A",
                }
            ],
        ),
        (
            "openalex",
            {
                "results": [
                    {"id": "https://openalex.org/W1", "ids": {"doi": "10.5555/a"}, "title": "A"}
                ]
            },
        ),
        ("europepmc", {"hitCount": 1, "resultList": {"result": [RESULT]}}),
        ("europepmc", {"hitCount": 1, "resultList": {"result": RESULT}}),
        ("europepmc", {"version": "6.9", "request": {}, "result": RESULT}),
        ("europepmc", {"hitCount": 1, "referenceList": {"reference": [RESULT]}}),
        (
            "europepmc",
            "<responseWrapper><referenceList><reference><title>A</title><doi>10.5555/a</doi></reference></referenceList></responseWrapper>",
        ),
        ("semanticscholar", PAPER),
        ("semanticscholar", [PAPER]),
        ("semanticscholar", {"data": [{"citedPaper": PAPER, "isInfluential": False}]}),
        (
            "semanticscholar",
            {
                "data": [
                    {
                        "snippet": {"text": "..."},
                        "paper": {"corpusId": "1", "title": "A", "doi": "10.5555/a"},
                    }
                ]
            },
        ),
        ("semanticscholar", {"recommendedPapers": [PAPER]}),
        ("semanticscholar", {"authorId": "1", "papers": [PAPER]}),
        (
            "semanticscholar",
            {"paperId": "p1", "title": "A", "doi": "10.5555/A", "arxivId": None, "authors": []},
        ),
        (
            "dblp",
            {
                "result": {
                    "hits": {
                        "@total": "1",
                        "hit": [{"info": {"title": "A.", "ee": "https://doi.org/10.5555/a"}}],
                    }
                }
            },
        ),
        (
            "dblp",
            {
                "result": {
                    "hits": {
                        "@total": "1",
                        "hit": {
                            "info": {"title": {"@ee": "http://dx.doi.org/10.5555/a", "text": "A."}}
                        },
                    }
                }
            },
        ),
        (
            "dblp",
            (
                "<result><hits "
                "total='1'><hit><info><title>A.</title><doi>10.5555/A</doi></info></hit></hits></result>"
            ),
        ),
        (
            "dblp",
            (
                "<dblpperson name='X'><r><article "
                "key='j/1'><title>A.</title><ee>https://doi.org/10.5555/a</ee></article></r></dblpperson>"
            ),
        ),
        ("doaj", ARTICLE),
        ("doaj", [ARTICLE]),
        ("doaj", {"total": 1, "results": [ARTICLE]}),
        ("datacite", DOI),
        ("datacite", [DOI]),
        ("datacite", {"id": "10.5555/a", "attributes": DOI}),
        ("datacite", {"data": {"id": "10.5555/a", "type": "dois", "attributes": DOI}}),
        ("datacite", {"data": [{"id": "10.5555/a", "type": "dois", "attributes": DOI}]}),
        (
            "datacite",
            {
                "data": {
                    "works": {
                        "totalCount": 1,
                        "nodes": [{"id": "https://doi.org/10.5555/a", "titles": [{"title": "A"}]}],
                    }
                }
            },
        ),
        (
            "datacite",
            {
                "data": [
                    {
                        "id": "10.5555/a",
                        "type": "works",
                        "attributes": {"doi": "10.5555/a", "title": "A"},
                    }
                ]
            },
        ),
        (
            "datacite",
            {
                "id": "https://doi.org/10.5555/A",
                "creators": {"name": "Doe, Jane"},
                "titles": {"title": "A"},
            },
        ),
        ("datacite", {"id": "https://doi.org/10.5555/a", "creators": "Doe, Jane", "titles": ["A"]}),
    ],
)
def test_forms(source: str, body: Any) -> None:
    """The one work in it is found in every form, with its title and DOI."""
    (record,) = read(source, body)

    assert ("A", "10.5555/a") == (record.title, record.doi)


@each("source", ["crossref", "openalex", "semanticscholar", "doaj", "datacite"])
def test_json_lines(source: str) -> None:
    """A dump with one work a line is read like a list."""
    works: dict[str, Any] = {
        "crossref": WORK,
        "openalex": {"title": "A", "doi": "10.5555/a"},
        "semanticscholar": PAPER,
        "doaj": ARTICLE,
        "datacite": DOI,
    }

    assert 2 == len(read(source, f"{json.dumps(works[source])}\n{json.dumps(works[source])}\n"))


def test_batch_with_holes() -> None:
    """A batch answers null for what it does not know; the others are read."""
    assert ["A"] == [record.title for record in read("semanticscholar", [None, PAPER])]


@each(
    ("source", "body"),
    [
        ("crossref", {"message": {"items": [], "total-results": 0}}),
        ("openalex", {"meta": {"count": 0}, "results": [], "group_by": []}),
        ("europepmc", {"hitCount": 0, "resultList": {"result": []}}),
        ("europepmc", {"hitCount": 0}),
        ("semanticscholar", {"total": 0, "offset": 0, "data": []}),
        ("semanticscholar", {"offset": 0, "data": []}),
        ("dblp", {"result": {"status": {"@code": "200", "text": "OK"}, "hits": {"@total": "0"}}}),
        (
            "dblp",
            (
                "<result><status code='200'>OK</status><hits total='0' computed='0' sent='0' "
                "first='0'/></result>"
            ),
        ),
        ("doaj", {"total": 0, "results": []}),
        ("datacite", {"data": [], "meta": {"total": 0}}),
    ],
)
def test_nothing_found(source: str, body: Any) -> None:
    """No hits are no records and no error."""
    assert () == read(source, body)


@each(
    ("source", "body", "status", "error"),
    [
        ("crossref", "Resource not found.", 404, errors.SourceSaysError),
        (
            "crossref",
            {"status": "ok", "message-type": "member-list", "message": {"items": [{"id": 1}]}},
            200,
            errors.NotParsable,
        ),
        (
            "openalex",
            {"error": "Invalid query parameters error.", "message": "search is wrong"},
            400,
            errors.SourceSaysError,
        ),
        ("openalex", {"error": "Invalid API key"}, 401, errors.AccessDenied),
        (
            "openalex",
            {"meta": {}, "results": [{"id": "https://openalex.org/I1", "display_name": "X"}]},
            200,
            errors.NotParsable,
        ),
        ("europepmc", {"errCode": 400, "errMsg": "bad query"}, 400, errors.SourceSaysError),
        (
            "europepmc",
            "<responseWrapper><errCode>404</errCode><errMsg>no</errMsg></responseWrapper>",
            404,
            errors.SourceSaysError,
        ),
        ("semanticscholar", {"message": "Too Many Requests."}, 200, errors.RateLimited),
        (
            "semanticscholar",
            {"error": "Unrecognized or unsupported fields: [x]"},
            400,
            errors.SourceSaysError,
        ),
        (
            "semanticscholar",
            {"total": 1, "data": [{"authorId": "1", "name": "X"}]},
            200,
            errors.NotParsable,
        ),
        (
            "dblp",
            {"result": {"hits": {"@total": "1", "hit": [{"info": {"author": "X", "url": "u"}}]}}},
            200,
            errors.NotParsable,
        ),
        (
            "dblp",
            {"result": {"status": {"@code": "500", "text": "broken"}}},
            500,
            errors.SourceSaysError,
        ),
        ("doaj", {"status": "not_found", "error": "not found"}, 404, errors.SourceSaysError),
        (
            "datacite",
            {"errors": [{"status": "400", "title": "malformed"}]},
            400,
            errors.SourceSaysError,
        ),
        (
            "datacite",
            {"data": {"id": "x", "type": "clients", "attributes": {"name": "X"}}},
            200,
            errors.NotParsable,
        ),
    ],
)
def test_errors(source: str, body: Any, status: int, error: type[errors.SourceError]) -> None:
    """What is no answer to a search is an error that says what it is."""
    with pytest.raises(error):
        read(source, body, status)
