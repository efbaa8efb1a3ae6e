"""Dublin Core: a hit as the fifteen elements, in the wrapper that SRU has for them.

https://www.dublincore.org/specifications/dublin-core/dces/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metasearch.formats.reference import full_title, inverted
from metasearch.formats.text import line, web_url
from metasearch.formats.xml_elements import one
from metasearch.record import Hit, Record

NAMESPACE = "http://purl.org/dc/elements/1.1/"
#: Of the wrapper.
SRW_DC = "info:srw/schema/1/dc-schema"


def element(hit: Hit) -> str:
    """The merged record as an element, with every field that Dublin Core has a place for."""
    inner = "".join(
        one(f"dc:{name}", line(text)) for name, texts in _elements(hit.record) for text in texts
    )
    declared = f'xmlns:srw_dc="{SRW_DC}" xmlns:dc="{NAMESPACE}"'
    return f"<srw_dc:dc {declared}>{inner}</srw_dc:dc>"


def _elements(record: Record) -> Iterator[tuple[str, Iterable[str | None]]]:
    year = str(record.year) if record.year else None
    yield "title", (full_title(record), record.original_title, record.translated_title)
    yield "title", record.titles
    yield "creator", map(inverted, record.authors)
    yield "contributor", map(inverted, record.editors)
    yield "subject", (*record.subjects, *record.keywords)
    yield "description", (record.abstract,)
    yield "publisher", (record.publisher, record.institution)
    yield "date", (record.date or year,)
    yield "type", (record.type,)
    yield "identifier", _identifiers(record)
    yield "source", (_host(record),)
    yield "language", (record.language,)
    yield "rights", (record.licence,)


def _identifiers(record: Record) -> Iterator[str | None]:
    if record.doi:
        yield f"doi:{record.doi}"
    yield from (f"ISBN {number}" for number in record.isbn)
    yield from (f"ISSN {number}" for number in record.issn)
    yield from (f"{scheme}:{value}" for scheme, value in sorted(record.ids.items()))
    yield from (web_url(record.url), web_url(record.pdf_url))


def _host(record: Record) -> str:
    """What contains the work, and where: "Journal of Islands 12(3), 101-110"."""
    volume = line(record.volume) + (f"({line(record.issue)})" if record.issue else "")
    place = ", ".join(filter(None, (volume, line(record.pages))))
    return " ".join(filter(None, (line(record.venue), place)))
