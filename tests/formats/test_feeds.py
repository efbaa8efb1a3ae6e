"""RSS and JSON Feed: what feed readers need, beside Atom."""

from __future__ import annotations

import json
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

from hypothesis import given
from lxml import etree

from metasearch.events import Paging
from metasearch.formats import feeds
from metasearch.record import Hit
from tests import cases
from tests.formats.samples import MERGED, answer, hit, hostile_hits, properties

NS = {"os": feeds.OPENSEARCH, "a": feeds.ATOM, "dc": feeds.DC, "prism": feeds.PRISM}
LINKS = {
    "self": "https://example.org/search?q=a&format=x",
    "alternate": "https://example.org/search?q=a&format=html",
    "next": "https://example.org/search?q=a&start=20&format=x",
    "search": "https://example.org/opensearch.xml",
}


def channel_of(body: bytes) -> etree._Element:
    channel = etree.fromstring(body).find("channel")
    assert channel is not None
    return channel


def feed_of(body: bytes) -> dict[str, Any]:
    feed: dict[str, Any] = json.loads(body)
    return feed


def test_the_channel_of_rss_describes_the_search() -> None:
    """It has what RSS requires, links to its neighbours, and how many hits there are."""
    channel = channel_of(
        feeds.write_rss(replace(answer(MERGED, complete=False), paging=Paging(20, 20)), links=LINKS)
    )

    assert channel.findtext("title") == "metasearch: attention"
    assert channel.findtext("link") == LINKS["alternate"]
    assert channel.findtext("description") == "1 work from 2 sources"
    links = {each.get("rel"): each.get("href") for each in channel.findall("a:link", NS)}
    assert links == {name: LINKS[name] for name in ("self", "next", "search")}
    counts = ("os:totalResults", "os:startIndex", "os:itemsPerPage")
    assert [channel.findtext(name, None, NS) for name in counts] == ["1", "21", "20"]


def test_an_item_of_rss() -> None:
    """Bibliography in elements that others know; the id is that of the Atom feed."""
    item = channel_of(feeds.write_rss(answer(MERGED))).find("item")
    assert item is not None
    guid = item.find("guid")
    assert guid is not None

    assert item.findtext("title") == "Toward unique identifiers"
    assert item.findtext("link") == "https://example.org/works/5.771073"
    assert (guid.text, guid.get("isPermaLink")) == (
        "urn:metasearch:hit:arxiv:9907.00001",
        "false",
    )
    assert item.findtext("description") == "Names for things,\nand things that last."
    date = parsedate_to_datetime(item.findtext("pubDate") or "")
    assert date.isoformat() == "1999-07-01T00:00:00+00:00"
    creators = [each.text for each in item.findall("dc:creator", NS)]
    assert creators == ["Norman Paskin", "IEEE Standards Committee"]
    assert [each.text for each in item.findall("category")] == ["identifiers", "DOI & handles"]
    assert item.findtext("dc:identifier", None, NS) == "doi:10.1109/5.771073"
    assert item.findtext("prism:publicationName", None, NS) == "Proceedings of the IEEE"


def test_a_json_feed() -> None:
    """The members of version 1.1, and what it has none for in a member of our own."""
    feed = feed_of(feeds.write_json_feed(answer(MERGED, complete=False), links=LINKS))
    (item,) = feed["items"]

    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"] == "metasearch: attention"
    assert (feed["home_page_url"], feed["feed_url"], feed["next_url"]) == tuple(
        LINKS[name] for name in ("alternate", "self", "next")
    )
    assert feed["_metasearch"]["complete"] is False
    assert feed["_metasearch"]["sources"][1] == {
        "source": "dblp",
        "status": "timeout",
        "error": "no whole answer within 8 s",
    }
    ours = item.pop("_metasearch")
    assert item == {
        "id": "urn:metasearch:hit:arxiv:9907.00001",
        "url": "https://example.org/works/5.771073",
        "title": "Toward unique identifiers",
        "content_text": "Names for things,\nand things that last.",
        "date_published": "1999-07-01T00:00:00Z",
        "authors": [
            {"name": "Norman Paskin", "url": "https://orcid.org/0000-0002-1825-0097"},
            {"name": "IEEE Standards Committee"},
        ],
        "tags": ["identifiers", "DOI & handles"],
        "language": "en",
        "attachments": [
            {"url": "https://example.org/works/5.771073.pdf", "mime_type": "application/pdf"}
        ],
    }
    assert (ours["doi"], ours["sources"]) == ("10.1109/5.771073", ["arxiv", "crossref"])


@cases.each("fields", [{"venue": "Nature", "year": 1953}, {"url": "javascript:x"}])
def test_an_item_without_abstract_has_content(fields: dict[str, Any]) -> None:
    """JSON Feed requires `content_text`; a member that is empty otherwise is left out."""
    (item,) = feed_of(feeds.write_json_feed(answer(hit(**fields))))["items"]

    assert item["content_text"] == ("Nature 1953" if "venue" in fields else "")
    assert item.keys() >= {"id", "content_text"}
    assert "url" not in item
    assert "language" not in item


def test_a_language_that_is_a_word_is_left_out() -> None:
    """A feed names languages by their codes."""
    (item,) = feed_of(feeds.write_json_feed(answer(hit(language="old norse"))))["items"]

    assert "language" not in item


@properties
@given(hostile_hits())
def test_hostile_text_breaks_no_feed(found: Hit) -> None:
    """Whatever a database sends, there is one item, and each address is one of the web."""
    (item,) = channel_of(feeds.write_rss(answer(found))).findall("item")
    (entry,) = feed_of(feeds.write_json_feed(answer(found)))["items"]

    for url in (item.findtext("link"), entry.get("url")):
        assert url is None or url.startswith(("http://", "https://"))
