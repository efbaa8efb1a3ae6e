"""MARCXML: a collection with a MARC 21 record a hit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from metasearch.formats.marc.fields import MarcData, marc_data
from metasearch.formats.origins import BesideHits, with_beside
from metasearch.record import Hit

NAMESPACE = "http://www.loc.gov/MARC21/slim"
_BEGIN = f"""<?xml version="1.0" encoding="UTF-8"?>
<collection xmlns={quoteattr(NAMESPACE)}>
""".encode()
_END = b"</collection>\n"


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """The collection in UTF-8, a record after another, in the order given. `hits`: in the order of
    the records. `beside`: what files say beside the records, by `Hit.id`.
    """
    yield _BEGIN
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
