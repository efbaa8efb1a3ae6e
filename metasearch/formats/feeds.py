"""Atom 1.0 (RFC 4287) with OpenSearch 1.1 response elements: a search as a feed.

Each entry carries the relevance extension's score, bibliographic elements of PRISM and Dublin Core,
and, in a namespace of our own, which source holds the work at which place, which gave which field,
and why records were taken for one work.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote

from lxml import etree

from metasearch.events import Answer
from metasearch.formats.reference import date_parts, full_title, link, page_range
from metasearch.formats.text import ascii_url, clean, line, web_url
from metasearch.record import Hit, Record

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


def write(
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
    dates = [published(hit.record) for hit in answer.hits]
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
    return written(feed)


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


def written(feed: etree._Element) -> bytes:
    """The feed in UTF-8."""
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
    date = published(record)
    entry = _add(feed, ATOM, "entry")
    _add(entry, ATOM, "title", title)
    _add(entry, ATOM, "id", name)
    _add(entry, ATOM, "updated", timestamp(updated))
    if date:
        _add(entry, ATOM, "published", timestamp(date))
    for person in record.authors:
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
    """The id of a hit as feeds write it."""
    return f"urn:metasearch:hit:{quote(clean(hit_id), safe=':/')}"


def _links(entry: etree._Element, record: Record) -> None:
    url, pdf = link(record), web_url(record.pdf_url)
    if url:
        _add(entry, ATOM, "link", rel="alternate", href=ascii_url(url))
    else:
        # RFC 4287, 4.1.2: an entry without an alternate link must have content.
        _add(
            entry,
            ATOM,
            "content",
            " ".join(filter(None, (line(record.venue), str(record.year or "")))),
        )
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


def published(record: Record) -> datetime | None:
    """The date of publication, the first day of a month or year where no more is known."""
    year, month, day = date_parts(record.date)
    try:
        return datetime(int(year or record.year or 0), int(month or 1), int(day or 1), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
