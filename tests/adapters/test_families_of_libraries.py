"""The families that a library or a site of one's own extends: Primo, VuFind, OpenSearch,
SearXNG."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.errors import AccessDenied, SourceSaysError
from metasearch.query.simple import parse as parse_query
from metasearch.record import Author, Record
from metasearch.settings import Settings
from tests.cases import each

FAMILIES = ("primo", "vufind", "opensearch", "searxng")
REGISTRY = Registry(
    Settings(
        sources={f"my-{it}": {"extends": it, "url": "http://127.0.0.1/find"} for it in FAMILIES}
    )
)


def asked(family: str, query: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The parameters of the request, and what could not be said."""
    spec = REGISTRY.spec(f"my-{family}")
    planned = plan(parse_query(query), spec, 20, {"METASEARCH_PRIMO_KEY": "dummy-key"})
    return dict(public(planned.request.params)), planned.notes


def read(family: str, body: Any, status: int = 200) -> PageContent:
    raw = body if isinstance(body, str) else json.dumps(body)
    request = Request(source=f"my-{family}", url="http://127.0.0.1/find", size=20, wanted=20)
    return parse(
        Page(request=request, status=status, body=raw.encode()), REGISTRY.spec(f"my-{family}")
    )


def only(family: str, body: Any) -> Record:
    (record,) = read(family, body).records
    return record


# --------------------------------------------------------------------------- Primo


def test_primo_looks_everywhere_and_filters() -> None:
    """Operators stand inside one field; years and types are facets."""
    params, notes = asked(
        "primo", 'title:bells ("church tower" OR belfr*) NOT rust year:1990- type:dataset'
    )

    assert 'any,contains,bells AND ("church tower" OR belfr*) NOT rust' == params["q"]
    assert "facet_searchcreationdate,exact,[1990 TO *]" == params["qInclude"]
    assert (
        "facet_rtype,include,datasets|,|facet_rtype,include,research_datasets"
        == params["multiFacets"]
    )
    assert ["title:bells" in note for note in notes] == [True]


def test_primo_subfields_are_plain() -> None:
    """Behind "$$Q" is what is searched for, in "$$U" an address; the rest of the string is for the
    page."""
    pnx = {
        "control": {"recordid": ["alma1"]},
        "display": {
            "title": ['Bells : "a <b>guide</b>" / by A. Byron'],
            "creator": ["Byron, Ada$$QByron, A. ; Tanaka, Ken$$QTanaka, K."],
            "type": ["book_chapter"],
        },
        "links": {"linktorsrc": ['$$Uhttps://a.example/full?x=1;y=2$$EView "it"']},
        "addata": {
            "date": ["199403"],
            "pub": ["Belfry Books,"],
            "oclcid": ["(ocolc)28000001"],
            "oa": ["free_for_read"],
        },
    }
    record = only("primo", {"info": {"total": 1}, "docs": [{"pnx": pnx}]})

    assert "https://a.example/full?x=1;y=2" == record.url
    assert 'Bells : "a guide"' == record.title
    assert ["Ada Byron", "Ken Tanaka"] == [author.name for author in record.authors]
    assert ("1994-03", "chapter", "open") == (record.date, record.type, record.open_access)
    assert {"oclc": "28000001"} == record.ids


def test_primo_without_hits_is_empty_and_an_error_is_none() -> None:
    assert read("primo", {"docs": [], "info": {"total": 0, "first": "1"}}) == PageContent(total=0)
    with pytest.raises(AccessDenied):
        read(
            "primo",
            {"errorsExist": True, "errorList": {"error": [{"errorMessage": "Invalid API Key"}]}},
            400,
        )


def test_the_x_service_of_primo() -> None:
    """Namespaces and marked words are no part of what a record says; facets repeat its journal in
    capitals."""
    record = only(
        "primo",
        """<s:SEGMENTS xmlns:s="urn:s" xmlns:p="urn:p"><s:JAGROOT><s:RESULT>
        <s:DOCSET TOTALHITS="7"><s:DOC><p:PrimoNMBib><p:record>
        <p:control><p:recordid>TN1</p:recordid></p:control><p:display><p:type>article</p:type>
        <p:title>The &lt;span class="searchword"&gt;bell&lt;/span&gt;</p:title></p:display>
        <p:links><p:backlink>$$Uhttp://a.example/?a=1&amp;b=2$$EView</p:backlink></p:links>
        <p:facets><p:jtitle>News Of Bells</p:jtitle></p:facets>
        <p:addata><p:au>Byron, Ada</p:au><p:jtitle>News of bells</p:jtitle>
        <p:risdate>20020500</p:risdate><p:spage>4</p:spage><p:epage>9</p:epage></p:addata>
        </p:record></p:PrimoNMBib></s:DOC></s:DOCSET></s:RESULT>
        </s:JAGROOT></s:SEGMENTS>""",
    )

    assert ("The bell", "News of bells", "4-9") == (record.title, record.venue, record.pages)
    assert ("http://a.example/?a=1&b=2", "2002-05") == (record.url, record.date)


# --------------------------------------------------------------------------- VuFind


def test_vufind_is_asked_in_the_names_of_its_index() -> None:
    params, notes = asked(
        "vufind", "title:bells author:byron isbn:9780306406157 language:de year:1990-1999"
    )

    assert (
        'title:bells AND author:byron AND isbn:9780306406157 AND language:"German"'
        == params["lookfor"]
    )
    assert "publishDate:[1990 TO 1999]" == params["filter[]"]
    assert ("1", "20") == (params["page"], params["limit"])
    assert notes == ()


def test_vufind_names_authors_by_members() -> None:
    """An author is the name of a member, in order; an object without members is an array."""
    record = only(
        "vufind",
        {
            "resultCount": 1,
            "status": "OK",
            "records": [
                {
                    "id": "1",
                    "title": "Bells : a guide /",
                    "authors": {
                        "primary": {"Byron, Ada, 1815-1852": {"role": ["-"]}},
                        "corporate": {"Belfry Society.": []},
                        "secondary": [],
                    },
                    "publicationDates": ["c1994."],
                    "formats": ["Journal Article"],
                    "languages": ["Italian", "English"],
                    "subjects": [["Bells", "History"], ["Towers"]],
                }
            ],
        },
    )

    assert (Author("Ada Byron", "Byron", "Ada"), Author("Belfry Society")) == record.authors
    assert ("Bells : a guide", 1994, "article", "it") == (
        record.title,
        record.year,
        record.type,
        record.language,
    )
    assert ("Bells -- History", "Towers") == record.subjects


def test_vufind_says_what_is_wrong() -> None:
    assert read("vufind", {"resultCount": 0, "status": "OK"}).records == ()
    with pytest.raises(SourceSaysError, match="Invalid search"):
        read("vufind", {"status": "ERROR", "statusMessage": "Invalid search"}, 400)


# --------------------------------------------------------------------------- OpenSearch


def test_an_rss_feed_with_dublin_core_and_prism() -> None:
    record = only(
        "opensearch",
        """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:prism="http://prismstandard.org/namespaces/basic/3.0/" xmlns:os="http://a9.com/-/spec/opensearch/1.1/">
        <channel><title>Found</title><os:totalResults>41</os:totalResults>
        <item><title>Ringing the changes</title><link>https://a.example/12</link>
        <guid isPermaLink="false">urn:x:12</guid><dc:creator>Byron, Ada</dc:creator>
        <dc:creator>Tanaka, Ken</dc:creator><pubDate>Tue, 05 Mar 2019 10:00:00 GMT</pubDate>
        <description>&lt;p&gt;How bells are rung.&lt;/p&gt;</description><category>bells</category>
        <prism:publicationName>The Bell News</prism:publicationName><prism:volume>12</prism:volume>
        <prism:number>3</prism:number><prism:startingPage>4</prism:startingPage><prism:endingPage>9</prism:endingPage>
        <prism:doi>10.1000/BELL.12</prism:doi><prism:issn>0355-0001</prism:issn>
        <enclosure type="application/pdf" url="https://a.example/12.pdf"/></item></channel></rss>""",
    )

    assert ("urn:x:12", "https://a.example/12", "2019-03-05") == (
        record.source_id,
        record.url,
        record.date,
    )
    assert ["Ada Byron", "Ken Tanaka"] == [author.name for author in record.authors]
    assert ("The Bell News", "12", "3", "4-9") == (
        record.venue,
        record.volume,
        record.issue,
        record.pages,
    )
    assert ("10.1000/bell.12", ("0355-0001",), ("bells",)) == (
        record.doi,
        record.issn,
        record.keywords,
    )
    assert ("How bells are rung.", "https://a.example/12.pdf") == (record.abstract, record.pdf_url)


def test_an_atom_feed() -> None:
    found = read(
        "opensearch",
        """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:os="http://a9.com/-/spec/opensearch/1.1/">
        <os:totalResults>2</os:totalResults><entry><id>tag:a.example,2019:1</id><title>Bells</title>
        <link rel="self" href="https://a.example/1.atom"/><link rel="alternate" href="https://a.example/1"/>
        <author><name>Ada Byron</name></author><published>2019-03-05T10:00:00Z</published>
        <summary>Rung.</summary><category term="music" label="Music"/></entry>
        <entry><error>nothing more</error></entry></feed>""",
    )

    (record,) = found.records
    assert found.total == 2
    assert ("https://a.example/1", "2019-03-05", ("Music",)) == (
        record.url,
        record.date,
        record.keywords,
    )
    assert ["Ada Byron"] == [author.name for author in record.authors]


@each(
    "feed",
    [
        "<rss version='2.0'><channel><title>x</title></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title></feed>",
        (
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><channel "
            "xmlns='http://purl.org/rss/1.0/'/></r:RDF>"
        ),
    ],
)
def test_a_feed_of_nothing_need_not_count(feed: str) -> None:
    assert read("opensearch", feed) == PageContent()


# --------------------------------------------------------------------------- SearXNG


def test_searxng_tells_which_engines_failed() -> None:
    """A page without a count; what an engine could not do is a note beside the records."""
    found = read(
        "searxng",
        {
            "query": "bells",
            "number_of_results": 0,
            "results": [
                {
                    "url": "https://arxiv.org/abs/2104.12255",
                    "title": "On bells",
                    "content": "How bells are rung.",
                    "engine": "arxiv",
                    "authors": ["Ada Byron", "Ken Tanaka"],
                    "publishedDate": "2021-01-01T00:00:00",
                    "journal": "The Bell News",
                    "doi": "10.1000/bell.12",
                    "pdf_url": "https://arxiv.org/pdf/2104.12255",
                    "tags": ["bells"],
                    "type": "article",
                },
                {
                    "url": "https://a.example",
                    "title": "Bells",
                    "publishedDate": None,
                    "authors": [],
                },
            ],
            "unresponsive_engines": [["pubmed", "timeout"]],
        },
    )

    first, second = found.records
    assert ("2021", "article", {"arxiv": "2104.12255"}) == (first.date, first.type, first.ids)
    assert (None, ()) == (second.year, second.authors)
    assert ("pubmed: timeout",) == found.notes


def test_searxng_takes_words_and_languages() -> None:
    params, notes = asked("searxng", '"church bells" byron language:de')

    assert ('"church bells" byron', "de", "json") == (
        params["q"],
        params["language"],
        params["format"],
    )
    assert notes == ()
    assert (
        read("searxng", {"query": "zzz", "results": [], "unresponsive_engines": []})
        == PageContent()
    )
