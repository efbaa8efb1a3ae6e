"""Atom: a valid feed that readers and OpenSearch clients understand."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.events import Paging
from metasearch.formats import feeds
from metasearch.record import Hit
from tests.cases import each
from tests.formats.samples import MERGED, answer, hit, hostile_hits, properties

NS = {
    "a": feeds.ATOM,
    "os": feeds.OPENSEARCH,
    "r": feeds.RELEVANCE,
    "m": feeds.METASEARCH,
    "dc": feeds.DC,
    "prism": feeds.PRISM,
}
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def read(body: bytes) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False
    )
    return etree.fromstring(body, parser)


def texts(node: etree._Element, path: str) -> list[str]:
    return [
        str(it if isinstance(it, str) else it.text or "") for it in node.xpath(path, namespaces=NS)
    ]


def test_the_feed_describes_the_search() -> None:
    """It has what Atom requires and the OpenSearch elements that tell how many hits there are."""
    feed = read(
        feeds.write_atom(
            replace(answer(MERGED, complete=False), paging=Paging(20, 20)),
            updated=datetime(2026, 11, 21, 9, 0, tzinfo=timezone(timedelta(hours=1))),
            links={
                "self": "https://example.org/search?q=a&format=atom",
                "search": "https://example.org/opensearch.xml",
            },
        )
    )

    assert texts(feed, "a:title") == ["metasearch: attention"]
    assert texts(feed, "a:updated") == ["2026-11-21T08:00:00Z"]
    assert texts(feed, "a:author/a:name") == ["metasearch"]
    assert texts(feed, "a:link[@rel='self']/@href") == [
        "https://example.org/search?q=a&format=atom"
    ]
    assert texts(feed, "a:link[@rel='search']/@type") == ["application/opensearchdescription+xml"]
    assert texts(feed, "os:totalResults | os:startIndex | os:itemsPerPage") == ["1", "21", "20"]
    assert texts(feed, "os:Query[@role='request']/@searchTerms") == ["attention"]
    assert texts(feed, "m:complete") == ["false"]
    assert texts(feed, "m:report[@source='dblp' and @status='timeout']") == [
        "no whole answer within 8 s"
    ]


def test_an_entry_describes_the_work_and_its_sources() -> None:
    """Bibliography in elements that others know, provenance in our own namespace."""
    entry = read(feeds.write_atom(answer(MERGED))).find("a:entry", NS)

    assert texts(entry, "a:title") == ["Toward unique identifiers"]
    assert texts(entry, "a:id") == ["urn:metasearch:hit:arxiv:9907.00001"]
    assert texts(entry, "a:published") == ["1999-07-01T00:00:00Z"]
    assert texts(entry, "a:author/a:name") == ["Norman Paskin", "IEEE Standards Committee"]
    assert texts(entry, "a:author/a:uri") == ["https://orcid.org/0000-0002-1825-0097"]
    assert texts(entry, "a:link[@rel='alternate']/@href") == ["https://example.org/works/5.771073"]
    assert texts(entry, "a:link[@rel='enclosure']/@href") == [
        "https://example.org/works/5.771073.pdf"
    ]
    assert texts(entry, "a:summary") == ["Names for things,\nand things that last."]
    assert texts(entry, "a:category/@term") == ["identifiers", "DOI & handles"]
    assert texts(entry, "dc:identifier") == ["doi:10.1109/5.771073"]
    assert texts(entry, "prism:publicationName") == ["Proceedings of the IEEE"]
    assert texts(entry, "prism:startingPage | prism:endingPage") == ["1208", "1227"]
    assert texts(entry, "m:source/@name") == ["arxiv", "crossref"]
    assert texts(entry, "m:source/@position") == ["1", "3"]
    assert texts(entry, "m:provenance[@field='ids.arxiv']/@source") == ["arxiv"]
    assert texts(entry, "m:match[@matcher='title']") == ["titles agree 0.93"]


def test_relevance_is_relative_to_the_best_hit() -> None:
    """The best hit has 1, the others their share, hits without a score 0."""
    feed = read(feeds.write_atom(answer(hit("a", score=0.04), hit("b", score=0.01), hit("c"))))

    assert texts(feed, "a:entry/r:score") == ["1.0000", "0.2500", "0.0000"]


def test_the_writer_needs_no_clock() -> None:
    """Without a time the feed is as new as its newest hit, and the same answer gives the same
    bytes."""
    found = answer(MERGED, hit("b", year=2021), hit("c", date="2020-02-31"))
    feed = read(feeds.write_atom(found))

    assert texts(feed, "a:updated") == ["2021-01-01T00:00:00Z"]
    assert texts(feed, "a:entry/a:updated") == [
        "1999-07-01T00:00:00Z",
        "2021-01-01T00:00:00Z",
        "2021-01-01T00:00:00Z",
    ]
    assert len(texts(feed, "a:entry/a:published")) == 2
    assert feeds.write_atom(found) == feeds.write_atom(found)


def test_ids_depend_on_query_and_hit_alone() -> None:
    """A reader that polls the feed recognises what it has seen."""
    first, second = (
        read(feeds.write_atom(it))
        for it in (answer(MERGED), answer(replace(MERGED, score=9.0), complete=False))
    )

    assert texts(first, "//a:id") == texts(second, "//a:id")


@each("fields", [{"venue": "Nature", "year": 1953}, {"url": "javascript:alert(1)"}])
def test_an_entry_without_address_has_content(fields: dict[str, object]) -> None:
    """RFC 4287 asks for content where there is no alternate link."""
    entry = read(feeds.write_atom(answer(hit(**fields)))).find("a:entry", NS)

    assert texts(entry, "a:link") == []
    assert len(entry.findall("a:content", NS)) == 1


def test_an_empty_answer_is_a_feed() -> None:
    """No hits, but all that Atom requires."""
    feed = read(feeds.write_atom(answer()))

    assert texts(feed, "a:entry") == []
    assert texts(feed, "a:updated") == [
        datetime(1970, 1, 1, tzinfo=UTC).isoformat().replace("+00:00", "Z")
    ]


@properties
@given(st.lists(hostile_hits(), max_size=2))
def test_any_answer_is_a_valid_feed(hits: list[Hit]) -> None:
    """Strict XML with every required element once, dates as RFC 3339 has them, web addresses only,
    scores in 0..1."""
    feed = read(feeds.write_atom(answer(*hits)))
    entries = feed.findall("a:entry", NS)

    assert len(entries) == len(hits)
    for node in (feed, *entries):
        assert [len(node.findall(f"a:{name}", NS)) for name in ("title", "id", "updated")] == [
            1,
            1,
            1,
        ]
        assert (
            node.findall("a:link[@rel='alternate']", NS)
            or node.tag.endswith("feed")
            or texts(node, "a:content")
        )
    assert all(RFC3339.fullmatch(it) for it in texts(feed, "//a:updated | //a:published"))
    assert all(
        re.match("https?://[!-~]+$", it, re.IGNORECASE) for it in texts(feed, "//a:link/@href")
    )
    assert all(0 <= float(it) <= 1 for it in texts(feed, "//r:score"))
