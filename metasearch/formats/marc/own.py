"""What our own writers of MARC put where the general rules for catalogues do not look for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from metasearch.bib import identifier_forms
from metasearch.bib.marc import MarcField, MarcRecord
from metasearch.formats import origins
from metasearch.formats.reading import values
from metasearch.record import OPEN_ACCESS as COLOURS
from metasearch.record import TYPES, Author, Record

#: 003 of a record that we have written.
OWNER = "metasearch"
#: Words before the numbers in 773 $g and 490 $v.
VOLUME, ISSUE, PAGES = "Vol. ", "no. ", "p. "
_PEOPLE = frozenset({"100", "110", "700", "710"})
#: Characters in which an ORCID stands in $0.
_LONGEST_ORCID = 100
#: 856 $q of a file.
PDF = "application/pdf"
#: 245 of a work without a title: catalogues and reference managers fail without the field.
UNTITLED = "[Untitled]"
#: Fields 246 that are read.
_MOST_TITLES = 200
#: 500 of a work that was retracted, and the words of 506 before its colour.
RETRACTED, OPEN_ACCESS = "Retracted", "Open access"


@dataclass(frozen=True, slots=True)
class OwnMarc:
    """A record with all of its fields, its database and its origins."""

    record: Record
    database: str | None
    origins: tuple[origins.Origin, ...]


def own(node: Any, record: Record) -> OwnMarc | None:
    """The record with what only our own writers say; None where the record is not ours."""
    marc = MarcRecord(node)
    if marc.control.get("003") != [OWNER]:
        return None

    def texts(tag: str, code: str) -> list[str]:
        return [text for field in marc.fields(tag) if (text := field.text(code))]

    made_of = origins.read(texts("500", "a"))
    found = replace(record, **_numbers(marc), **_fields(marc, node, record))
    database = origins.named(made_of) or "; ".join(texts("786", "t")) or None
    return OwnMarc(found, database, made_of)


def _numbers(marc: MarcRecord) -> dict[str, Any]:
    hosts = [*marc.fields("773"), *marc.fields("490")]
    said = [text for field in hosts for code, text in field.subfields if code in "gv"]

    def behind(word: str) -> str | None:
        return next((text[len(word) :] for text in said if text.startswith(word)), None)

    return {"volume": behind(VOLUME), "issue": behind(ISSUE), "pages": behind(PAGES)}


def _fields(marc: MarcRecord, node: Any, record: Record) -> dict[str, Any]:
    def first(tag: str, code: str) -> str | None:
        return next((text for field in marc.fields(tag) if (text := field.text(code))), None)

    schemes = dict(_schemes(marc))
    kind = first("380", "a")
    date = first("264", "c")
    links = {field.text("q"): field.text("u") for field in reversed(marc.fields("856"))}
    found = [
        text for tag in ("773", "022") for text in _all(marc, tag, "x" if tag == "773" else "a")
    ]
    language = first("041", "a") or first("546", "a")
    titles = [(field.ind2, field.text("a")) for field in marc.fields("246")[:_MOST_TITLES]]
    access = (first("506", "a") or "").removeprefix(f"{OPEN_ACCESS} (").removesuffix(")")
    return {
        "title": "" if record.title == UNTITLED else record.title,
        "original_title": first("240", "a"),
        "translated_title": next((title for parallel, title in titles if parallel == "1"), None),
        "titles": tuple(title for parallel, title in titles if title and parallel != "1"),
        "authors": _people(node, ""),
        "editors": _people(node, "edt"),
        "type": kind if kind in TYPES else None,
        "venue": first("773", "t") or first("490", "a"),
        "publisher": first("264", "b"),
        "edition": first("250", "a"),
        "date": values.date([date], record.year) if date else None,
        "language": values.language([language]) if language else None,
        "issn": values.standard_numbers(found)[1],
        "doi": values.doi([schemes.pop("doi", "")]),
        "ids": {**schemes},
        "abstract": " ".join(_all(marc, "520", "a")) or None,
        "url": next(iter(values.links([links.get("", "")])), None),
        "pdf_url": next(iter(values.links([links.get(PDF, "")])), None),
        "open_access": access if access in COLOURS else None,
        "retracted": RETRACTED in _all(marc, "500", "a") or None,
    }


def _people(node: Any, relator: str) -> tuple[Author, ...]:
    """Those with this relator in $4, in the order of the record."""
    elements = (one for one in node.iter("{*}datafield") if one.get("tag") in _PEOPLE)
    found = (MarcField.of(one) for one in elements)
    people = (_person(field) for field in found if field.text("4") == relator)
    return tuple(author for author in people if author is not None)


def _person(field: MarcField) -> Author | None:
    name = field.text("a")
    if field.tag.endswith("10"):
        return Author(name, affiliation=field.text("u") or None, collective=True) if name else None
    author = values.one_author(name)
    if author is None:
        return None
    orcid = identifier_forms.orcid(field.text("0")[:_LONGEST_ORCID])
    return replace(author, orcid=orcid, affiliation=field.text("u") or None)


def _all(marc: MarcRecord, tag: str, code: str) -> Iterator[str]:
    return (text for field in marc.fields(tag) if (text := field.text(code)))


def _schemes(marc: MarcRecord) -> Iterator[tuple[str, str]]:
    for field in marc.fields("024"):
        scheme, number = field.text("2"), field.text("a")
        if scheme and number:
            yield scheme, number
