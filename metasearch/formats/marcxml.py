"""MARCXML (.xml): MARC records as XML, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from metasearch.formats.marc_record import MarcData, MarcReader, marc_data
from metasearch.formats.origins import BesideHits, with_beside
from metasearch.formats.reading.items import elements, text_of_file
from metasearch.formats.reading.result import EntryCollector, FileReading
from metasearch.formats.reading.text import Bytes
from metasearch.record import Hit

# MARCXML (.xml): MARC 21 or UNIMARC, bare, in a collection, or in an answer of SRU.

_NAME = r"<(?:[\w.-]{1,40}:)?"
_BEGIN = rf"{_NAME}record(?:\s[^<>]*)?>(?=\s*{_NAME}(?:leader|controlfield|datafield)[\s/>])"
_MARC = re.compile(rf"{_NAME}(?:leader\s*>|(?:control|data)field\s+[^<>]{{0,200}}tag\s*=)")


def looks_like(head: str) -> bool:
    """Whether a text begins as MARCXML does; PICA, whose tags are letters too, is not meant."""
    return (
        "<" in head[:500]
        and _MARC.search(head) is not None
        and not re.search(r"tag\s*=\s*[\"']003@", head)
    )


def read(content: Bytes, reading: FileReading) -> None:
    """Read a MARCXML file into the reading."""
    collector = EntryCollector(reading)
    marc = MarcReader(reading, collector)
    for found in elements(text_of_file(content, reading), _BEGIN, collector):
        marc.put(found.line, found.node, *filter(None, (found.mended,)))


# MARCXML: a collection with a MARC 21 record a hit.

NAMESPACE = "http://www.loc.gov/MARC21/slim"
_COLLECTION_BEGIN = f"""<?xml version="1.0" encoding="UTF-8"?>
<collection xmlns={quoteattr(NAMESPACE)}>
""".encode()
_END = b"</collection>\n"


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """The collection in UTF-8, a record after another, in the order given. `hits`: in the order of
    the records. `beside`: what files say beside the records, by `Hit.id`.
    """
    yield _COLLECTION_BEGIN
    for hit, found in with_beside(hits, beside):
        yield f"{element(marc_data(hit, found))}\n".encode()
    yield _END


def element(record: MarcData, *, namespace: str = "") -> str:
    """A record as an element; `namespace` is declared in it where no collection of ours is."""
    declared = f" xmlns={quoteattr(namespace)}" if namespace else ""
    out = [f"<record{declared}>", f"  <leader>{record.leader}</leader>"]
    for tag, value in record.control:
        out.append(f'  <controlfield tag="{tag}">{escape(value)}</controlfield>')
    for field in record.data:
        first, second = field.indicators[0], field.indicators[1]
        inner = "".join(
            f'<subfield code="{code}">{escape(value)}</subfield>' for code, value in field.subfields
        )
        out.append(
            f'  <datafield tag="{field.tag}" ind1="{first}" ind2="{second}">{inner}</datafield>'
        )
    return "\n".join([*out, "</record>"])
