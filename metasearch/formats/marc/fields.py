"""A hit as a MARC 21 record: leader, control fields and data fields, for MARCXML and ISO 2709.

What MARC has no field for, or only as free text, stands where `own.py` finds it again: the type in
380, other identifiers in 024 with their scheme in $2, databases in 786, origins in 500. 003 tells
that we have written the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metasearch.formats.marc.own import ISSUE, OWNER, PAGES, PDF, VOLUME
from metasearch.formats.origins import Beside, texts
from metasearch.formats.reference import (
    date_parts,
    inverted,
    is_corporate,
    link,
    page_range,
    without_stop,
)
from metasearch.formats.tagged_lines import databases, four_digits, further_titles, general_type
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Hit, Record

#: `Record.type` -> type and level of the leader; those without "b" or "a" stand by themselves.
_LEADERS = {
    "article": "ab",
    "preprint": "ab",
    "conference-paper": "ab",
    "review": "ab",
    "editorial": "ab",
    "letter": "ab",
    "erratum": "ab",
    "retraction": "ab",
    "chapter": "aa",
    "reference-entry": "aa",
    "journal": "as",
    "map": "em",
    "score": "cm",
    "audio": "im",
    "video": "gm",
    "image": "km",
    "dataset": "mm",
    "software": "mm",
    "webpage": "ai",
}
Subfields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DataField:
    """A data field: tag, both indicators, codes and texts of its subfields."""

    tag: str
    indicators: str
    subfields: Subfields


@dataclass(frozen=True, slots=True)
class MarcData:
    """A record: 24 characters of leader, the lengths in it 0, and the fields in order of tags."""

    leader: str
    control: tuple[tuple[str, str], ...]
    data: tuple[DataField, ...]


def marc_data(hit: Hit, beside: Beside | None) -> MarcData:
    """The record of a hit.

    Args:
        hit: The work.
        beside: What files say beside its record; the origins are written.
    """
    record = hit.record
    kind = general_type(record)
    leader = f"00000n{_LEADERS.get(kind, 'am')} a2200000   4500"
    control = (("001", line(hit.id)), ("003", OWNER), ("008", _fixed(record)))
    fields = [
        DataField(tag, indicators, kept)
        for tag, indicators, subfields in _fields(hit, kind, beside)
        if (kept := tuple((code, value) for code, value in subfields if value))
    ]
    return MarcData(leader, control, tuple(sorted(fields, key=lambda field: order(field.tag))))


def order(tag: str) -> str:
    """Where a field stands in the order of a record: people and bodies in the order of the work."""
    return "700" if tag == "710" else tag


def _fixed(record: Record) -> str:
    """008: year and language; what is not known is "no attempt to code"."""
    year = four_digits(record.year)
    dates = f"s{year}    " if year else "nuuuuuuuu"
    language = line(record.language)
    return f"000101{dates}xx {'|' * 17}{_marc_language(language)} d"


def _marc_language(language: str) -> str:
    """The code of three letters; "und" where there is none."""
    from metasearch.bib.languages import languages

    known = languages().get(language)
    if known is not None:
        return known.bibliographic
    return language if len(language) == 3 and language.isascii() and language.islower() else "und"


_Field = tuple[str, str, Subfields]


def _fields(hit: Hit, kind: str, beside: Beside | None) -> Iterator[_Field]:
    record = hit.record
    for number in record.isbn:
        yield "020", "  ", (("a", line(number)),)
    yield "024", "7 ", _numbered(line(record.doi), "doi")
    for scheme, value in sorted(record.ids.items()):
        yield "024", "7 ", _numbered(line(value), line(scheme))
    yield "041", "  ", (("a", line(record.language)),)
    yield from _people(record)
    yield "245", f"{int(bool(record.authors))}0", _title(record)
    for title in further_titles(record):
        yield "246", "3 ", (("a", title),)
    yield "250", "  ", (("a", line(record.edition)),)
    date = "-".join(filter(None, date_parts(record.date))) or four_digits(record.year)
    yield "264", " 1", (("b", line(record.publisher)), ("c", date))
    yield "380", "  ", (("a", record.type or ""),)
    yield from _host(record, kind)
    yield "500", "  ", (("a", "Retracted" if record.retracted else ""),)
    for text in texts(beside.origins) if beside is not None else ():
        yield "500", "  ", (("a", text),)
    if kind == "thesis":
        yield "502", "  ", (("a", "Thesis"), ("c", line(record.institution)))
    elif record.institution:
        yield "710", "2 ", (("a", line(record.institution)), ("4", "isb"))
    yield "520", "  ", (("a", line(record.abstract)),)
    yield "540", "  ", (("a", line(record.licence)),)
    for subject in record.subjects:
        yield "650", " 4", (("a", line(subject)),)
    for keyword in record.keywords:
        yield "653", "  ", (("a", line(keyword)),)
    for name in databases(hit, beside):
        yield "786", "0 ", (("t", name),)
    yield "856", "40", (("u", link(record) or ""),)
    if pdf := web_url(record.pdf_url):
        yield "856", "40", (("u", pdf), ("q", PDF))


def _numbered(number: str, scheme: str) -> Subfields:
    return (("a", number), ("2", scheme)) if number else ()


def _title(record: Record) -> Subfields:
    title, subtitle = without_stop(line(record.title)), without_stop(line(record.subtitle))
    if not title or not subtitle or subtitle.casefold() in title.casefold():
        return (("a", title or subtitle),)
    return (("a", f"{title} :"), ("b", subtitle))


def _people(record: Record) -> Iterator[_Field]:
    for place, author in enumerate(record.authors):
        yield _person(author, "1" if place == 0 else "7", "")
    for editor in record.editors:
        yield _person(editor, "7", "edt")


def _person(author: Author, hundreds: str, relator: str) -> _Field:
    body = is_corporate(author, (author,))
    name = line(author.name) if body else inverted(author)
    indicator = "2" if body else "1" if "," in name else "0"
    orcid = f"(orcid){line(author.orcid)}" if author.orcid else ""
    parts = (("a", name), ("0", orcid), ("4", relator)) if name else ()
    return f"{hundreds}{'10' if body else '00'}", f"{indicator} ", parts


def _host(record: Record, kind: str) -> Iterator[_Field]:
    """What contains the work: 773 of a part, else the series. The numbers stand in it, each with
    its word.
    """
    venue, issns = line(record.venue), [line(number) for number in record.issn]
    volume, issue, pages = (
        line(record.volume),
        line(record.issue),
        "-".join(filter(None, page_range(record.pages))),
    )
    numbers = tuple(
        f"{word}{number}"
        for word, number in ((VOLUME, volume), (ISSUE, issue), (PAGES, pages))
        if number
    )
    is_part = _LEADERS.get(kind, "am")[1] in "ab"
    if venue and not is_part:
        yield "490", "0 ", (("a", venue), *(("v", number) for number in numbers))
    elif venue or numbers:
        first = (("x", issns.pop(0)),) if venue and issns else ()
        yield "773", "0 ", (("t", venue), *(("g", number) for number in numbers), *first)
    for number in issns:
        yield "022", "  ", (("a", number),)
