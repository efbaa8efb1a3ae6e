"""RSS 2.0 with OpenSearch 1.1 response elements: a search for feed readers that know no Atom.

Authors, identifiers and journals are elements of Dublin Core and PRISM, because RSS has none. What
the Atom feed says beyond these (which source gave which field, why records were merged) is not in
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import format_datetime

from lxml import etree

from metasearch.events import Answer
from metasearch.formats.atom import ATOM, DC, OPENSEARCH, PRISM, published, search_urn, urn
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import ascii_url, clean, line, web_url
from metasearch.record import Hit

_NAMESPACES = {"opensearch": OPENSEARCH, "atom": ATOM, "dc": DC, "prism": PRISM}
_LINK_TYPES = {"search": "application/opensearchdescription+xml"}
#: Relations of links that a channel may have; "alternate" is its `link`.
_FEED_RELATIONS = ("self", "first", "previous", "next", "last", "search")


def write(answer: Answer, *, links: Mapping[str, str] | None = None) -> bytes:
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
            media_type = _LINK_TYPES.get(relation, "application/rss+xml")
            etree.SubElement(
                channel,
                f"{{{ATOM}}}link",
                {"rel": relation, "type": media_type, "href": known[relation]},
            )
    start, size = answer.paging.start + 1, answer.paging.count or len(answer.hits)
    _add(channel, f"{{{OPENSEARCH}}}totalResults", str(answer.expected))
    _add(channel, f"{{{OPENSEARCH}}}startIndex", str(start))
    _add(channel, f"{{{OPENSEARCH}}}itemsPerPage", str(size))
    etree.SubElement(channel, f"{{{OPENSEARCH}}}Query", {"role": "request", "searchTerms": query})
    for hit in answer.hits:
        _item(channel, hit)
    return written(root)


def document(title: str, link: str, description: str) -> tuple[etree._Element, etree._Element]:
    """A feed without items: its root and its channel, to which items are added."""
    root = etree.Element("rss", {"version": "2.0"}, nsmap=_NAMESPACES)
    channel = etree.SubElement(root, "channel")
    _add(channel, "title", title)
    _add(channel, "link", link)
    _add(channel, "description", description)
    return root, channel


def message(channel: etree._Element, title: str, text: str) -> None:
    """Add an item that is no work: an error that a feed reader shows."""
    item = etree.SubElement(channel, "item")
    _add(item, "title", line(title))
    _add(item, "description", clean(text))


def written(root: etree._Element) -> bytes:
    """The feed in UTF-8."""
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _item(channel: etree._Element, hit: Hit) -> None:
    record = hit.record
    item = etree.SubElement(channel, "item")
    _add(item, "title", full_title(record))
    if url := link(record):
        _add(item, "link", ascii_url(url))
    guid = etree.SubElement(item, "guid", {"isPermaLink": "false"})
    guid.text = urn(hit.id)
    _add(item, "description", clean(record.abstract or ""))
    if date := published(record):
        _add(item, "pubDate", format_datetime(date, usegmt=True))
    for person in record.authors:
        _add(item, f"{{{DC}}}creator", line(person.name))
    for keyword in filter(None, map(line, record.keywords)):
        _add(item, "category", keyword)
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
            _add(item, name, value)


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = text
