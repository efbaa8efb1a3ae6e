"""RIS, the tagged format of reference managers (Research Information Systems, 2011 revision of the
tags).

Every line is `XX - value` and ends in CRLF; no value holds a line break, so no upstream text can
open a field or end a record. Beyond the work itself each record says which databases hold it (DB
and DP, one of each a source) and, where that is asked for, which of them gave which field (N1:
Zotero makes a note of it beside each record). What files were made one, and what they say beside
the fields of a record, follows at its end, an origin a record in M2, which Zotero shows under
"Extra".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import worktypes
from metasearch.formats.reference import (
    date_parts,
    field_sources,
    full_title,
    identifiers,
    inverted,
    issuing_body,
    journal_like,
    link,
    page_range,
    standard_numbers,
)
from metasearch.formats.ris.types import RIS_TYPES
from metasearch.formats.tagged_lines import SECOND_WORDS, general_type
from metasearch.formats.text import line, web_url
from metasearch.record import Hit, Record

#: What a note with the provenance of the fields begins with.
FIELDS_BY_SOURCE = "Fields by source: "
#: Types whose edition is a version, to EndNote and Zotero.
_WITH_VERSION = frozenset({"dataset", "software"})


def write(
    hits: Iterable[Hit], *, provenance: bool = False, beside: BesideHits | None = None
) -> bytes:
    """The hits as RIS in UTF-8, in the order given; b"" for none.

    `hits`: in the order of the records. `provenance`: say in N1 which source gave which field.
    `beside`: what files say beside the records, by `Hit.id`; their databases take the place of the
    sources.
    """
    return b"".join(parts(hits, provenance=provenance, beside=beside))


def parts(
    hits: Iterable[Hit], *, provenance: bool = False, beside: BesideHits | None = None
) -> Iterator[bytes]:
    """The same bytes, a record after another."""
    for hit, found in with_beside(hits, beside):
        lines = _lines(hit, provenance, found)
        yield "".join(f"{tag}  - {value}\r\n" for tag, value in lines).encode()


def _lines(hit: Hit, provenance: bool, beside: Beside | None) -> Iterator[tuple[str, str]]:
    yield "TY", _type(hit.record)
    written: set[tuple[str, str]] = set()
    for tag, value in _fields(hit):
        if value:
            written.add((tag, value))
            yield tag, value
    if beside is None:
        for source in hit.sources:
            yield "DB", line(source)
            yield "DP", line(source)
    else:
        yield from _beside(beside, written)
    told = "; ".join(field_sources(hit)) if provenance else ""
    if told:
        yield "N1", f"{FIELDS_BY_SOURCE}{told}"
    yield "ER", ""


def _beside(beside: Beside, written: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    fields = list(
        dict.fromkeys((tag, shown) for tag, value in beside.fields if (shown := line(value)))
    )
    if not any(tag == "DB" for tag, _ in fields):
        fields = [("DB", name) for name in beside.databases] + fields
    yield from (name for name in fields if name not in written)
    for text in texts(beside.origins):
        yield "M2", text


def _type(record: Record) -> str:
    if record.type is None and journal_like(record):
        return "JOUR"
    return RIS_TYPES.get(record.type or "other", "GEN")


def _fields(hit: Hit) -> Iterator[tuple[str, str]]:
    record = hit.record
    first, last = page_range(record.pages)
    yield "ID", line(hit.id)
    yield "TI", full_title(record)
    translated = record.translated_title or next(iter(record.titles), None)
    yield "TT", line(translated)
    yield "OP", line(record.original_title)
    for author in record.authors:
        yield "AU", inverted(author)
    for editor in record.editors:
        yield "A2" if record.type == "chapter" else "ED", inverted(editor)
    yield "T2", line(record.venue)
    yield "PY", f"{record.year:04d}" if record.year is not None and 0 < record.year < 10_000 else ""
    yield "DA", _slashed(record.date)
    yield "VL", line(record.volume)
    yield "IS", line(record.issue)
    yield "SP", first
    yield "EP", last
    is_versioned = record.type in _WITH_VERSION
    yield "ET", line(record.edition) or (line(record.version) if is_versioned else "")
    yield "M3", _second_type(record)
    # A thesis has its university for publisher, as reference managers expect.
    yield "PB", issuing_body(record)
    for number in standard_numbers(record):
        yield "SN", number
    yield "DO", line(record.doi)
    yield "AN", "; ".join(identifiers(record))
    yield "UR", _address(record)
    yield "L1", web_url(record.pdf_url) or ""
    yield "LA", line(record.language)
    yield "AB", line(record.abstract)
    for keyword in dict.fromkeys(record.keywords + record.subjects):
        yield "KW", line(keyword)
    yield "C1", "Retracted" if record.retracted else ""


def _address(record: Record) -> str:
    """Where a reader is sent. A semicolon of a DOI is escaped, because one parts two addresses."""
    address = link(record) or ""
    return address.replace(";", "%3B") if address.startswith("https://doi.org/") else address


def _second_type(record: Record) -> str:
    """A word for a type that the tag TY does not tell."""
    kind = general_type(record)
    if kind in ("preprint", "other"):
        return SECOND_WORDS.get(kind, "")
    is_part = bool(record.pages or record.venue or record.authors)
    read = worktypes.conference(worktypes.RIS.get(_type(record)), is_part=is_part)
    if read == kind and not (kind == "webpage" and record.venue):
        return ""
    word = SECOND_WORDS.get(kind, "")
    is_understood = bool(word) and worktypes.refined(read, [word]) == kind
    return word if is_understood else f"{worktypes.OWN_MARK}{kind}"


def _slashed(date: str | None) -> str:
    """Year, month, day and other information: "2020-03" as "2020/03//"."""
    year, month, day = date_parts(date)
    return f"{year}/{month}/{day}/" if year else ""
