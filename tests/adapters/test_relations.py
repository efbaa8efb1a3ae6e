"""How each source is asked which works cite others, and what its answer, in the shape of the real
one, is read as."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec, Direction, Relation
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan_relation
from metasearch.record import Record
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())
ENV = {"METASEARCH_NASA_ADS_KEY": "secret"}


class Case(NamedTuple):
    """One relation. `works`: what identifies some works, each by a kind. `asks`: the address, and
    what stands in it. `answer`: a body. `reads`: (DOI, title, first identifier, references) each.
    """

    source: str
    relation: Direction
    works: list[tuple[str, str]]
    asks: tuple[str, ...]
    answer: Any
    reads: list[tuple[str | None, str, str, tuple[str, ...]]]

    @property
    def spec(self) -> AdapterSpec:
        return REGISTRY.spec(self.source)

    @property
    def how(self) -> Relation:
        return self.spec.citations[self.relation]


CASES = [
    Case(
        "openalex",
        "references",
        [("openalex", "W1"), ("openalex", "W2")],
        ("https://api.openalex.org/works?", "filter=ids.openalex:W1|W2", "referenced_works"),
        {
            "meta": {"count": 1, "page": 1, "per_page": 100},
            "results": [
                {
                    "id": "https://openalex.org/W1",
                    "doi": "https://doi.org/10.5555/one",
                    "title": "One",
                    "referenced_works": ["https://openalex.org/W3", "https://openalex.org/W4"],
                }
            ],
        },
        [
            (
                "10.5555/one",
                "One",
                "W1",
                ("https://openalex.org/W3", "https://openalex.org/W4"),
            )
        ],
    ),
    Case(
        "openalex",
        "cited_by",
        [("openalex", "W1"), ("openalex", "W2")],
        ("https://api.openalex.org/works?", "filter=cites:W1|W2", "per_page=100"),
        {
            "meta": {"count": 1},
            "results": [
                {
                    "id": "https://openalex.org/W9",
                    "title": "Nine",
                    "referenced_works": ["https://openalex.org/W2"],
                }
            ],
        },
        [(None, "Nine", "W9", ("https://openalex.org/W2",))],
    ),
    Case(
        "semanticscholar",
        "references",
        [("doi", "10.5555/one")],
        ("https://api.semanticscholar.org/graph/v1/paper/DOI:10.5555/one/references?", "offset=0"),
        {
            "offset": 0,
            "citingPaperInfo": {"openAccessPdf": {"url": ""}},
            "data": [
                {
                    "citedPaper": {
                        "paperId": "a1",
                        "externalIds": {"DOI": "10.5555/TWO", "CorpusId": 7},
                        "title": "Two",
                        "authors": [],
                    }
                },
                {"citedPaper": {"paperId": None, "title": "Only a title", "externalIds": None}},
            ],
        },
        [("10.5555/two", "Two", "a1", ()), (None, "Only a title", "", ())],
    ),
    Case(
        "semanticscholar",
        "references",
        [("arxiv", "2101.00001")],
        ("https://api.semanticscholar.org/graph/v1/paper/ARXIV:2101.00001/references?",),
        # A publisher keeps them to itself.
        {"citingPaperInfo": {"openAccessPdf": None}, "data": None},
        [],
    ),
    Case(
        "semanticscholar",
        "cited_by",
        [("pmid", "12")],
        ("https://api.semanticscholar.org/graph/v1/paper/PMID:12/citations?", "limit=1000"),
        {"offset": 0, "next": 1, "data": [{"citingPaper": {"paperId": "b2", "title": "Three"}}]},
        [(None, "Three", "b2", ())],
    ),
    Case(
        "opencitations",
        "references",
        [("doi", "10.5555/one")],
        ("https://api.opencitations.net/index/v2/references/doi:10.5555/one",),
        [
            {
                "oci": "061-062",
                "citing": "omid:br/061 doi:10.5555/one pmid:1",
                "cited": "omid:br/062 doi:10.5555/two openalex:W2 pmid:2",
                "creation": "2020",
                "timespan": "P1Y",
                "journal_sc": "no",
                "author_sc": "no",
            }
        ],
        [("10.5555/two", "", "br/062", ())],
    ),
    Case(
        "opencitations",
        "cited_by",
        [("pmid", "1")],
        ("https://api.opencitations.net/index/v2/citations/pmid:1",),
        [{"oci": "063-061", "citing": "omid:br/063", "cited": "omid:br/061 pmid:1"}],
        [(None, "", "br/063", ())],
    ),
    Case(
        "opencitations",
        "cited_by",
        [("doi", "10.5555/none")],
        ("https://api.opencitations.net/index/v2/citations/doi:10.5555/none",),
        [],
        [],
    ),
    Case(
        "europepmc",
        "references",
        [("pmid", "123")],
        (
            "https://www.ebi.ac.uk/europepmc/webservices/rest/MED/123/references?",
            "format=json",
            "pageSize=1000",
            "page=1",
        ),
        {
            "version": "6.9",
            "hitCount": 2,
            "request": {"id": "123", "source": "MED", "offSet": 0, "pageSize": 1000},
            "referenceList": {
                "reference": [
                    {
                        "id": "7",
                        "source": "MED",
                        "citationType": "JOURNAL ARTICLE",
                        "title": "Seven",
                        "authorString": "Doe J.",
                        "journalAbbreviation": "J Seven",
                        "pubYear": 2001,
                        "doi": "10.5555/seven",
                        "citedOrder": 1,
                        "match": "Y",
                    },
                    {"title": "A book", "authorString": "Roe R.", "citedOrder": 2, "match": "N"},
                ]
            },
        },
        [("10.5555/seven", "Seven", "7", ()), (None, "A book", "", ())],
    ),
    Case(
        "europepmc",
        "cited_by",
        [("pmid", "123")],
        ("https://www.ebi.ac.uk/europepmc/webservices/rest/MED/123/citations?", "page=1"),
        {
            "version": "6.9",
            "hitCount": 1,
            "citationList": {
                "citation": [
                    {
                        "id": "16615087",
                        "source": "MED",
                        "citationType": "Journal Article; Review",
                        "title": "The evolving role of an example.",
                        "authorString": "Doe J, Roe R.",
                        "journalAbbreviation": "Bioessays",
                        "pubYear": 2006,
                        "citedByCount": 13,
                    }
                ]
            },
        },
        [(None, "The evolving role of an example", "16615087", ())],
    ),
    Case(
        "crossref",
        "references",
        [("doi", "10.5555/one"), ("doi", "10.5555/two")],
        ("https://api.crossref.org/works?", "filter=doi:10.5555/one,doi:10.5555/two"),
        {
            "status": "ok",
            "message-type": "work-list",
            "message": {
                "total-results": 1,
                "items": [
                    {
                        "DOI": "10.5555/one",
                        "title": ["One"],
                        "reference-count": 4,
                        "reference": [
                            {"key": "1", "doi-asserted-by": "publisher", "DOI": "10.5555/three"},
                            {"key": "2", "unstructured": "Doe, J. (1999). A letter."},
                            {
                                "key": "3",
                                "author": "Roe",
                                "year": "2001",
                                "journal-title": "J Three",
                                "volume": "3",
                            },
                            {"key": "4", "isbn-type": "print"},
                        ],
                    }
                ],
            },
        },
        [
            (
                "10.5555/one",
                "One",
                "",
                ("10.5555/three", "Doe, J. (1999). A letter.", "Roe. J Three. 2001"),
            )
        ],
    ),
    Case(
        "datacite",
        "references",
        [("doi", "10.5555/one"), ("doi", "10.5555/two")],
        ("https://api.datacite.org/dois?", 'query=doi:"10.5555/one" OR doi:"10.5555/two"'),
        {
            "data": [
                {
                    "id": "10.5555/one",
                    "type": "dois",
                    "attributes": {
                        "doi": "10.5555/one",
                        "titles": [{"title": "One"}],
                        "relatedIdentifiers": [
                            {
                                "relationType": "References",
                                "relatedIdentifier": "10.5555/three",
                                "relatedIdentifierType": "DOI",
                            },
                            {
                                "relationType": "IsPartOf",
                                "relatedIdentifier": "10.5555/four",
                                "relatedIdentifierType": "DOI",
                            },
                        ],
                    },
                }
            ],
            "meta": {"total": 1},
        },
        [("10.5555/one", "One", "", ("10.5555/three",))],
    ),
    Case(
        "datacite",
        "cited_by",
        [("doi", "10.5555/three")],
        (
            "https://api.datacite.org/dois?",
            'relatedIdentifiers.relatedIdentifier:"10.5555/three"',
            "AND relatedIdentifiers.relationType:(Cites OR References)",
        ),
        {
            "data": [
                {
                    "id": "10.5555/one",
                    "type": "dois",
                    "attributes": {
                        "doi": "10.5555/one",
                        "titles": [{"title": "One"}],
                        "relatedIdentifiers": [
                            {"relationType": "Cites", "relatedIdentifier": "10.5555/three"}
                        ],
                    },
                }
            ],
            "meta": {"total": 1},
        },
        [("10.5555/one", "One", "", ("10.5555/three",))],
    ),
    Case(
        "inspire",
        "references",
        [("inspire", "77")],
        ("https://inspirehep.net/api/literature?", "q=citedby:recid:77"),
        {
            "hits": {
                "total": 1,
                "hits": [
                    {"id": "78", "metadata": {"control_number": 78, "titles": [{"title": "Two"}]}}
                ],
            }
        },
        [(None, "Two", "78", ())],
    ),
    Case(
        "inspire",
        "cited_by",
        [("inspire", "77")],
        ("https://inspirehep.net/api/literature?", "q=refersto:recid:77"),
        {"hits": {"total": 0, "hits": []}},
        [],
    ),
    Case(
        "nasa-ads",
        "references",
        [("bibcode", "2020A&A...1D")],
        ("https://api.scixplorer.org/v1/search/query?", "q=references(bibcode:2020A&A...1D)"),
        {
            "responseHeader": {"status": 0},
            "response": {
                "numFound": 1,
                "start": 0,
                "docs": [{"bibcode": "1999A&A...9D", "title": ["Nine"], "doi": ["10.5555/nine"]}],
            },
        },
        [("10.5555/nine", "Nine", "1999A&A...9D", ())],
    ),
    Case(
        "nasa-ads",
        "cited_by",
        [("doi", "10.5555/one")],
        ("https://api.scixplorer.org/v1/search/query?", 'q=citations(doi:"10.5555/one")'),
        {"response": {"numFound": 0, "start": 0, "docs": []}},
        [],
    ),
]


def _texts(case: Case) -> str:
    return case.how.join.join(case.how.by[kind].format(x=value) for kind, value in case.works)


def _request(case: Case) -> Any:
    spec = replace(case.how.spec, limits=case.spec.limits)
    return plan_relation(_texts(case), 2_000, spec, ENV).request


def _first_id(record: Record) -> str:
    return next(iter(record.ids.values()), "")


@each("case", CASES, ids=lambda case: f"{case.source}, {case.relation}")
def test_works_are_named_as_the_source_wants(case: Case) -> None:
    """As many in one request as it takes."""
    shown = unquote(_request(case).log_url).replace("+", " ")

    assert len(case.works) <= case.how.size
    assert shown.startswith(case.asks[0])
    assert all(part in shown for part in case.asks[1:]), shown


@each("case", CASES, ids=lambda case: f"{case.source}, {case.relation}")
def test_answers_are_read(case: Case) -> None:
    """Works at the other end, or lists of references."""
    spec = replace(case.how.spec, limits=case.spec.limits)
    parsed = parse(Page(request=_request(case), body=json.dumps(case.answer).encode()), spec)

    found = [(each.doi, each.title, _first_id(each), each.references) for each in parsed.records]
    assert found == case.reads
    assert parsed.drifted is None


@each("linkname", ["pubmed_pubmed_refs", "pubmed_pubmed_citedin"])
def test_pubmed_answers_with_numbers_whose_records_follow(linkname: str) -> None:
    """elink names the works, and efetch gives their records."""
    spec = REGISTRY.spec("pubmed")
    direction = "references" if linkname.endswith("refs") else "cited_by"
    relation = replace(spec.citations[direction].spec, limits=spec.limits)  # type: ignore[index]
    request = plan_relation("12", 2_000, relation, {}).request
    shown = unquote(request.log_url)
    links = {
        "header": {"type": "elink", "version": "0.3"},
        "linksets": [
            {
                "dbfrom": "pubmed",
                "ids": ["12"],
                "linksetdbs": [{"dbto": "pubmed", "linkname": linkname, "links": ["34", "56"]}],
            }
        ],
    }

    parsed = parse(Page(request=request, body=json.dumps(links).encode()), relation)

    assert shown.startswith("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/elink.fcgi?")
    assert f"dbfrom=pubmed&linkname={linkname}&id=12" in shown
    assert parsed.next is not None
    assert "efetch.fcgi?" in parsed.next.log_url
    assert "id=34%2C56" in parsed.next.log_url
    del links["linksets"][0]["linksetdbs"]  # type: ignore[index]
    none = parse(Page(request=request, body=json.dumps(links).encode()), relation)
    assert (none.next, none.total) == (None, 0)


def test_every_source_of_the_group_knows_citations() -> None:
    """None is asked for nothing."""
    members = REGISTRY.group("citations")

    assert len(members) >= 7
    assert all(REGISTRY.spec(name).citations for name in members)


@pytest.mark.parametrize("source", ["openalex", "crossref"])
def test_a_further_address_is_beside_the_one_of_a_configuration(source: str) -> None:
    """A mirror is asked for citations, too."""
    tables = {source: {"url": "https://mirror.example/api/works"}}
    spec = Registry(Settings(sources=tables)).spec(source)

    for relation in spec.citations.values():
        assert relation.spec.request.url == "https://mirror.example/api/works"
