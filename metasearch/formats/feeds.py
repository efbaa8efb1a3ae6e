"""A search as a feed: Atom, RSS and JSON Feed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote

import orjson
from lxml import etree

from metasearch.events import Answer
from metasearch.formats.answer import counts_object
from metasearch.formats.reference import date_parts, full_title, link, page_range
from metasearch.formats.text import (
    ascii_url,
    clean,
    clean_all,
    clean_or_none,
    exact_number,
    line,
    web_url,
)
from metasearch.record import Author, Hit, Record

# Atom 1.0 (RFC 4287) with OpenSearch 1.1 response elements: a search as a feed. Each entry carries
# the relevance extension's score, bibliographic elements of PRISM and Dublin Core, and, in a
# namespace of our own, which source holds the work at which place, which gave which field, and why
# records were taken for one work.

ATOM = "http://www.w3.org/2005/Atom"
OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
RELEVANCE = "http://a9.com/-/opensearch/extensions/relevance/1.0/"
DC = "http://purl.org/dc/elements/1.1/"
PRISM = "http://prismstandard.org/namespaces/basic/2.0/"
#: Our own elements: complete, report, also, source, provenance, match.
METASEARCH = "urn:metasearch:atom:1"

_NAMESPACES = {
    None: ATOM,
    "opensearch": OPENSEARCH,
    "relevance": RELEVANCE,
    "dc": DC,
    "prism": PRISM,
    "metasearch": METASEARCH,
}
#: What a feed link leads to, where it is not another page of the feed.
_LINK_TYPES = {"alternate": "text/html", "search": "application/opensearchdescription+xml"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_orcid = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")


def write_atom(
    answer: Answer,
    *,
    updated: datetime | None = None,
    links: Mapping[str, str] | None = None,
) -> bytes:
    """The answer as an Atom feed in UTF-8.

    `updated`: when the search was made, with a time zone; without it the date of the newest hit, so
    that the writer needs no clock. `links`: absolute URLs by relation: "self", "alternate",
    "search", "first", "previous", "next", "last".
    """
    dates = [publication_date(hit.record) for hit in answer.hits]
    feed_date = updated or max((d for d in dates if d), default=_EPOCH)
    query = line(answer.query)
    feed = head(f"metasearch: {query}", search_urn(answer), feed_date, links or {})
    start, size = answer.paging.start + 1, answer.paging.count or len(answer.hits)
    _add(feed, OPENSEARCH, "totalResults", str(answer.expected))
    _add(feed, OPENSEARCH, "startIndex", str(start))
    _add(feed, OPENSEARCH, "itemsPerPage", str(size))
    _add(
        feed,
        OPENSEARCH,
        "Query",
        role="request",
        searchTerms=query,
        startIndex=str(start),
        count=str(size) if size else None,
    )
    _add(feed, METASEARCH, "complete", "true" if answer.complete else "false")
    for report in answer.sources:
        _add(
            feed,
            METASEARCH,
            "report",
            line(str(report.error)) if report.error else None,
            source=report.source,
            status=report.status,
            count=str(report.count),
            total=None if report.total is None else str(report.total),
        )
    best = max((hit.score for hit in answer.hits), default=0.0)
    for hit, date in zip(answer.hits, dates, strict=True):
        add_entry(
            feed,
            hit,
            title=full_title(hit.record),
            name=urn(hit.id),
            updated=date or feed_date,
            relevance=hit.score / best if best > 0 else 0.0,
        )
    return atom_bytes(feed)


def head(title: str, name: str, updated: datetime, links: Mapping[str, str]) -> etree._Element:
    """A feed without entries. `updated`: when something in it changed last, with a time zone.
    `links`: absolute URLs by relation.
    """
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap=_NAMESPACES)  # type: ignore[arg-type]  # the stubs know no None prefix
    _add(feed, ATOM, "title", title)
    _add(feed, ATOM, "id", name)
    _add(feed, ATOM, "updated", timestamp(updated))
    author = _add(feed, ATOM, "author")
    _add(author, ATOM, "name", "metasearch")
    _add(feed, ATOM, "generator", "metasearch")
    for relation, url in links.items():
        _add(
            feed,
            ATOM,
            "link",
            rel=relation,
            type=_LINK_TYPES.get(relation, "application/atom+xml"),
            href=url,
        )
    return feed


def atom_bytes(feed: etree._Element) -> bytes:
    return etree.tostring(feed, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def add_entry(
    feed: etree._Element,
    hit: Hit,
    *,
    title: str,
    name: str,
    updated: datetime,
    relevance: float | None = None,
) -> None:
    """Add a hit to a feed. `feed`: made by `head`. `updated`: when it changed last, with a time
    zone. `relevance`: 0 to 1; None where the feed is not in an order of relevance.
    """
    record = hit.record
    date = publication_date(record)
    entry = _add(feed, ATOM, "entry")
    _add(entry, ATOM, "title", title)
    _add(entry, ATOM, "id", name)
    _add(entry, ATOM, "updated", timestamp(updated))
    if date:
        _add(entry, ATOM, "published", timestamp(date))
    for person in record.byline:
        author = _add(entry, ATOM, "author")
        _add(author, ATOM, "name", line(person.name))
        if person.orcid and _orcid.fullmatch(person.orcid):
            _add(author, ATOM, "uri", f"https://orcid.org/{person.orcid}")
    _links(entry, record)
    if record.abstract:
        _add(entry, ATOM, "summary", clean(record.abstract))
    for keyword in filter(None, map(line, record.keywords)):
        _add(entry, ATOM, "category", term=keyword)
    if relevance is not None:
        _add(entry, RELEVANCE, "score", f"{min(1.0, max(0.0, relevance)):.4f}")
    _bibliographic(entry, record)
    for other in hit.also:
        _add(entry, METASEARCH, "also", id=urn(other))
    _provenance(entry, hit)


def search_urn(answer: Answer) -> str:
    """The id of a feed: the same for every answer to one query."""
    digest = hashlib.sha256(line(answer.query).encode()).hexdigest()
    return f"urn:metasearch:search:{digest[:32]}"


def urn(hit_id: str) -> str:
    return f"urn:metasearch:hit:{quote(clean(hit_id), safe=':/')}"


def _links(entry: etree._Element, record: Record) -> None:
    url, pdf = link(record), web_url(record.pdf_url)
    if url:
        _add(entry, ATOM, "link", rel="alternate", href=ascii_url(url))
    else:
        # RFC 4287, 4.1.2: an entry without an alternate link must have content.
        _add(entry, ATOM, "content", _where(record))
    if pdf:
        _add(entry, ATOM, "link", rel="enclosure", type="application/pdf", href=ascii_url(pdf))


def _bibliographic(entry: etree._Element, record: Record) -> None:
    first, last = page_range(record.pages)
    for namespace, name, value in (
        (DC, "identifier", f"doi:{line(record.doi)}" if record.doi else ""),
        (DC, "publisher", line(record.publisher)),
        (DC, "language", line(record.language)),
        (DC, "type", line(record.type)),
        (PRISM, "doi", line(record.doi)),
        (PRISM, "publicationName", line(record.venue)),
        (PRISM, "volume", line(record.volume)),
        (PRISM, "number", line(record.issue)),
        (PRISM, "startingPage", first),
        (PRISM, "endingPage", last),
    ):
        if value:
            _add(entry, namespace, name, value)


def _provenance(entry: etree._Element, hit: Hit) -> None:
    for record in hit.records:
        _add(
            entry,
            METASEARCH,
            "source",
            name=line(record.source),
            position=str(record.position),
            id=line(record.source_id) or None,
            href=web_url(record.url),
        )
    for field, source in hit.provenance.items():
        _add(entry, METASEARCH, "provenance", field=line(field), source=line(source))
    for match in hit.matches:
        _add(
            entry,
            METASEARCH,
            "match",
            line(match.because),
            matcher=match.matcher,
            verdict=match.verdict,
            score=f"{match.score:.4f}",
            left=line(match.left),
            right=line(match.right),
        )


def _add(
    parent: etree._Element,
    namespace: str,
    name: str,
    text: str | None = None,
    /,
    **attributes: str | None,
) -> etree._Element:
    """A child with the attributes that are there."""
    child = etree.SubElement(
        parent, f"{{{namespace}}}{name}", {k: v for k, v in attributes.items() if v is not None}
    )
    child.text = text
    return child


def publication_date(record: Record) -> datetime | None:
    """The date of publication, the first day of a month or year where no more is known."""
    year, month, day = date_parts(record.date)
    try:
        return datetime(int(year or record.year or 0), int(month or 1), int(day or 1), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


# RSS 2.0 with OpenSearch 1.1 response elements: a search for feed readers that know no Atom.
# Authors, identifiers and journals are elements of Dublin Core and PRISM, because RSS has none.
# What the Atom feed says beyond these (which source gave which field, why records were merged) is
# not in it.

_RSS_NAMESPACES = {"opensearch": OPENSEARCH, "atom": ATOM, "dc": DC, "prism": PRISM}
_RSS_LINK_TYPES = {"search": "application/opensearchdescription+xml"}
#: Relations of links that a channel may have; "alternate" is its `link`.
_FEED_RELATIONS = ("self", "first", "previous", "next", "last", "search")


def write_rss(answer: Answer, *, links: Mapping[str, str] | None = None) -> bytes:
    """The answer as an RSS feed in UTF-8. `links`: absolute URLs by relation, as for the Atom feed;
    "alternate" becomes the `link` of the channel.
    """
    known = links or {}
    query = line(answer.query)
    works = "1 work" if answer.counts.unique == 1 else f"{answer.counts.unique:,} works"
    root, channel = document(
        f"metasearch: {query}",
        known.get("alternate", search_urn(answer)),
        f"{works} from {len(answer.sources)} sources",
    )
    for relation in _FEED_RELATIONS:
        if relation in known:
            media_type = _RSS_LINK_TYPES.get(relation, "application/rss+xml")
            etree.SubElement(
                channel,
                f"{{{ATOM}}}link",
                {"rel": relation, "type": media_type, "href": known[relation]},
            )
    start, size = answer.paging.start + 1, answer.paging.count or len(answer.hits)
    _add_to_rss(channel, f"{{{OPENSEARCH}}}totalResults", str(answer.expected))
    _add_to_rss(channel, f"{{{OPENSEARCH}}}startIndex", str(start))
    _add_to_rss(channel, f"{{{OPENSEARCH}}}itemsPerPage", str(size))
    etree.SubElement(channel, f"{{{OPENSEARCH}}}Query", {"role": "request", "searchTerms": query})
    for hit in answer.hits:
        _item(channel, hit)
    return rss_bytes(root)


def document(title: str, link: str, description: str) -> tuple[etree._Element, etree._Element]:
    """A feed without items: its root and its channel, to which items are added."""
    root = etree.Element("rss", {"version": "2.0"}, nsmap=_RSS_NAMESPACES)
    channel = etree.SubElement(root, "channel")
    _add_to_rss(channel, "title", title)
    _add_to_rss(channel, "link", link)
    _add_to_rss(channel, "description", description)
    return root, channel


def message(channel: etree._Element, title: str, text: str) -> None:
    """Add an item that is no work: an error that a feed reader shows."""
    item = etree.SubElement(channel, "item")
    _add_to_rss(item, "title", line(title))
    _add_to_rss(item, "description", clean(text))


def rss_bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _item(channel: etree._Element, hit: Hit) -> None:
    record = hit.record
    item = etree.SubElement(channel, "item")
    _add_to_rss(item, "title", full_title(record))
    if url := link(record):
        _add_to_rss(item, "link", ascii_url(url))
    guid = etree.SubElement(item, "guid", {"isPermaLink": "false"})
    guid.text = urn(hit.id)
    _add_to_rss(item, "description", clean(record.abstract or ""))
    if date := publication_date(record):
        _add_to_rss(item, "pubDate", format_datetime(date, usegmt=True))
    for person in record.byline:
        _add_to_rss(item, f"{{{DC}}}creator", line(person.name))
    for keyword in filter(None, map(line, record.keywords)):
        _add_to_rss(item, "category", keyword)
    for name, value in (
        (f"{{{DC}}}identifier", f"doi:{line(record.doi)}" if record.doi else ""),
        (f"{{{DC}}}publisher", line(record.publisher)),
        (f"{{{DC}}}language", line(record.language)),
        (f"{{{DC}}}type", line(record.type)),
        (f"{{{PRISM}}}publicationName", line(record.venue)),
        (f"{{{PRISM}}}volume", line(record.volume)),
        (f"{{{PRISM}}}number", line(record.issue)),
        (f"{{{PRISM}}}url", ascii_url(web_url(record.pdf_url) or "")),
    ):
        if value:
            _add_to_rss(item, name, value)


def _add_to_rss(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = text


# JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/): a search for feed readers in browsers. What
# JSON Feed has no member for stands in `_metasearch`, of the feed and of each item: custom members
# begin with an underscore.

VERSION = "https://jsonfeed.org/version/1.1"
_language = re.compile(r"[a-z]{2,3}")


def write_json_feed(answer: Answer, *, links: Mapping[str, str] | None = None) -> bytes:
    """The answer as a JSON Feed in UTF-8. `links`: absolute URLs by relation: "alternate" becomes
    `home_page_url`, "self" `feed_url`, "next" `next_url`.
    """
    known = links or {}
    addresses = {
        "home_page_url": known.get("alternate"),
        "feed_url": known.get("self"),
        "next_url": known.get("next"),
    }
    feed = {
        "version": VERSION,
        "title": f"metasearch: {line(answer.query)}",
        **{name: url for name, url in addresses.items() if url},
        "items": [item(hit) for hit in answer.hits],
        "_metasearch": {
            "complete": answer.complete,
            "counts": counts_object(answer.counts),
            "expected": exact_number(answer.expected),
            "sources": [
                {
                    "source": report.source,
                    "status": report.status,
                    "error": line(str(report.error)) if report.error else None,
                }
                for report in answer.sources
            ],
        },
    }
    return orjson.dumps(feed, option=orjson.OPT_APPEND_NEWLINE)


def item(hit: Hit) -> dict[str, Any]:
    record = hit.record
    date, url, pdf = publication_date(record), link(record), web_url(record.pdf_url)
    members = {
        "id": urn(hit.id),
        "url": url,
        "title": full_title(record),
        "content_text": clean(record.abstract or "") or _where(record),
        "date_published": timestamp(date) if date else None,
        "authors": [_author(author) for author in record.byline],
        "tags": clean_all(record.keywords),
        "language": _language_of(record),
        "attachments": [{"url": pdf, "mime_type": "application/pdf"}] if pdf else [],
        "_metasearch": {
            "rank": hit.rank,
            "score": hit.score,
            "doi": clean_or_none(record.doi),
            "venue": clean_or_none(record.venue),
            "type": clean_or_none(record.type),
            "sources": clean_all(hit.sources),
        },
    }
    needed = ("id", "content_text")
    return {name: value for name, value in members.items() if value or name in needed}


def _where(record: Record) -> str:
    """Journal and year, for an item of which no more is known: an item must have content."""
    return " ".join(filter(None, (line(record.venue), str(record.year or ""))))


def _author(author: Author) -> dict[str, str]:
    known = {"name": line(author.name)}
    if author.orcid and _orcid.fullmatch(author.orcid):
        known["url"] = f"https://orcid.org/{author.orcid}"
    return known


def _language_of(record: Record) -> str | None:
    """The language where it is a code; a feed knows no words for languages."""
    code = record.language or ""
    return code if _language.fullmatch(code) else None
