"""What a hostile page is, and how the bodies of each shape are written around a field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

#: What a database sends: bytes, or seconds in which it sends nothing. It may never end.
Pieces = Iterator[bytes | float]
#: How many records an ordinary page of a hostile source holds.
FEW = 20


@dataclass(frozen=True, slots=True)
class Page:
    """One thing that a database can send.

    Attributes:
        name: Of the page, and of the source that sends it.
        shape: What the source speaks: a key of `TYPES`.
        what: In words.
        kind: Which kind of harm it tries; the quick selection of the tests takes the worst of each.
        pieces: Makes what is sent, from the first byte after the request on.
    """

    name: str
    shape: str
    what: str
    kind: str
    pieces: Callable[[], Pieces]


#: Shape -> the type of its bodies.
TYPES = {
    "crossref": "application/json",
    "arxiv": "application/atom+xml",
    "sru": "text/xml",
    "html": "text/html; charset=utf-8",
}


def head(shape: str, *lines: str, status: str = "200 OK") -> bytes:
    """Status line and headers; the connection is closed where the body ends."""
    told = (f"HTTP/1.1 {status}", f"Content-Type: {TYPES[shape]}", "Connection: close", *lines)
    return "\r\n".join((*told, "", "")).encode()


def answered(shape: str, body: Callable[[], bytes]) -> Callable[[], Pieces]:
    """An answer with this body."""

    def pieces() -> Pieces:
        made = body()
        yield head(shape, f"Content-Length: {len(made)}")
        yield made

    return pieces


# --------------------------------------------------------------------------- bodies, from records


def works(*items: dict[str, Any]) -> bytes:
    """Crossref's list of works."""
    return works_raw(json.dumps(items).encode(), len(items))


def works_raw(items: bytes, total: int) -> bytes:
    """The same around a list that is JSON already."""
    return (
        b'{"status":"ok","message-type":"work-list","message":{"total-results":%d,"items":%s}}'
        % (total, items)
    )


def work(number: int, **fields: Any) -> dict[str, Any]:
    """An ordinary work of Crossref's; fields given by name lie over it."""
    return {
        "DOI": f"10.5555/hostile.{number}",
        "title": [f"Nitrogen in field number {number} of the southern province"],
        "author": [{"family": f"Grower{number}", "given": "Ada"}],
        "issued": {"date-parts": [[2001 + number % 20]]},
        "container-title": ["Journal of Fields"],
        "type": "journal-article",
        **fields,
    }


def catalogue(*records: bytes) -> bytes:
    """SRU's answer around MARCXML records."""
    each = b"".join(
        b"<record><recordSchema>marcxml</recordSchema><recordPacking>xml</recordPacking><recordData>%s</recordData>"
        b"</record>" % one
        for one in records
    )
    return (
        b'<?xml version="1.0"?><searchRetrieveResponse '
        b'xmlns="http://www.loc.gov/zing/srw/"><version>1.2</version>'
        b"<numberOfRecords>%d</numberOfRecords><records>%s</records></searchRetrieveResponse>"
        % (len(records), each)
    )


def marc(number: int, title: bytes | None = None, more: bytes = b"") -> bytes:
    """A MARCXML record; `more` is further XML in it."""
    told = title if title is not None else b"Soils of the province, volume %d /" % number
    return (
        b'<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader>'
        b'<controlfield tag="001">h%d</controlfield><datafield tag="245" ind1="1" ind2="0">'
        b'<subfield code="a">%s</subfield></datafield>%s</record>' % (number, told, more)
    )


def feed(*entries: bytes) -> bytes:
    """arXiv's feed."""
    return (
        b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">'
        b'<totalResults xmlns="http://a9.com/-/spec/opensearch/1.1/">%d</totalResults>%s</feed>'
        % (len(entries), b"".join(entries))
    )


def entry(
    number: int, title: bytes | None = None, address: bytes | None = None, more: bytes = b""
) -> bytes:
    """An entry of arXiv's; `more` is further XML in it."""
    told = title if title is not None else b"Soil carbon, part %d" % number
    return (
        b"<entry><id>%s</id><title>%s</title><published>2020-01-01T00:00:00Z</published>"
        b"<author><name>Ada Grower%d</name></author>%s</entry>"
        % (address or b"http://arxiv.org/abs/2001.%05d" % number, told, number, more)
    )


def listed(*items: bytes) -> bytes:
    """A list in HTML, as a scraper reads it."""
    each = b"".join(b"<li><b>%s</b><i>Ada Grower</i></li>" % item for item in items)
    return b"<!doctype html><html><body><ul>%s</ul></body></html>" % each


#: Shape -> an ordinary page, beside which the hostile ones are measured.
BENIGN: dict[str, Callable[[], bytes]] = {
    "crossref": lambda: works(*(work(number) for number in range(FEW))),
    "arxiv": lambda: feed(*(entry(number) for number in range(FEW))),
    "sru": lambda: catalogue(*(marc(number) for number in range(FEW))),
    "html": lambda: listed(*(b"Soils, part %d" % number for number in range(FEW))),
}
