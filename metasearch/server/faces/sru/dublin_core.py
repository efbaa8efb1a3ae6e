"""A hit in Dublin Core, in the wrapper that SRU has for it."""

from __future__ import annotations

from lxml import etree

from metasearch.formats.reference import full_title, inverted
from metasearch.formats.text import line, web_url
from metasearch.record import Hit, Record
from metasearch.server.faces.sru.xml import add

DC = "http://purl.org/dc/elements/1.1/"
SRW_DC = "info:srw/schema/1/dc-schema"


def record_element(hit: Hit) -> etree._Element:
    """The merged record; every field that Dublin Core has a place for."""
    record = hit.record
    root = etree.Element(f"{{{SRW_DC}}}dc", nsmap={"srw_dc": SRW_DC, "dc": DC})

    def put(name: str, *texts: str | None) -> None:
        for text in texts:
            if shown := line(text):
                add(root, DC, name, shown)

    put("title", full_title(record), record.original_title, record.translated_title)
    put("title", *record.titles)
    put("creator", *map(inverted, record.authors))
    put("contributor", *map(inverted, record.editors))
    put("subject", *record.subjects, *record.keywords)
    put("description", record.abstract)
    put("publisher", record.publisher, record.institution)
    put("date", record.date or (str(record.year) if record.year else None))
    put("type", record.type)
    put("identifier", *_identifiers(record))
    put("source", host(record))
    put("language", record.language)
    put("rights", record.licence)
    return root


def _identifiers(record: Record) -> list[str]:
    found = [f"doi:{record.doi}"] if record.doi else []
    found += [f"ISBN {number}" for number in record.isbn]
    found += [f"ISSN {number}" for number in record.issn]
    found += [f"{scheme}:{value}" for scheme, value in sorted(record.ids.items())]
    return found + [url for url in map(web_url, (record.url, record.pdf_url)) if url]


def host(record: Record) -> str:
    """What contains the work, and where: "Journal of Islands 12(3), 101-110"."""
    volume = line(record.volume) + (f"({line(record.issue)})" if record.issue else "")
    place = ", ".join(filter(None, (volume, line(record.pages))))
    return " ".join(filter(None, (line(record.venue), place)))
