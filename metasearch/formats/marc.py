"""A hit as a MARC 21 record, and a MARC record as what a file says of a work; MARCXML, read and
written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from metasearch.adapters.parse.parse import record_of
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.specfile import build, shipped_table
from metasearch.bib import identifiers, trials
from metasearch.bib.authors import part_in, with_suffix
from metasearch.bib.field_limits import Cuts, cut_others
from metasearch.bib.languages import codes_in, language_code, languages
from metasearch.bib.marc import OTHER_SCRIPT, MarcField, MarcRecord
from metasearch.formats import origins, reference
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import values
from metasearch.formats.reading.encodings import Bytes
from metasearch.formats.reading.items import elements, text_of_file
from metasearch.formats.reading.result import Entry, EntryCollector, FileReading
from metasearch.formats.reading.worktypes import IN_JOURNALS
from metasearch.formats.text import line, web_url
from metasearch.record import OPEN_ACCESS as COLOURS
from metasearch.record import TYPES, Author, Hit, Record

# What our own writers of MARC put where the general rules for catalogues do not look for it.

#: 003 of a record that we have written.
OWNER = "metasearch"
#: Words before the numbers in 773 $g and 490 $v.
VOLUME, ISSUE, PAGES = "Vol. ", "no. ", "p. "
_PEOPLE = frozenset({"100", "110", "700", "710"})
#: $4 of those who are no authors.
EDITOR, TRANSLATOR = "edt", "trl"
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
    record: Record
    database: str | None
    origins: tuple[origins.Origin, ...]


def own(marc: MarcRecord, record: Record) -> OwnMarc | None:
    """The record with what only our own writers say; None where the record is not ours."""
    if marc.control.get("003") != [OWNER]:
        return None

    def texts(tag: str, code: str) -> list[str]:
        return [text for field in marc.fields(tag) if (text := field.text(code))]

    made_of = origins.read(texts("500", "a"))
    found = replace(record, **_own_numbers(marc), **_own_fields(marc, record))
    database = origins.database_name(made_of) or "; ".join(texts("786", "t")) or None
    return OwnMarc(found, database, made_of)


def _own_numbers(marc: MarcRecord) -> dict[str, Any]:
    hosts = [*marc.fields("773"), *marc.fields("490")]
    said = [text for field in hosts for code, text in field.subfields if code in "gv"]

    def behind(word: str) -> str | None:
        return next((text[len(word) :] for text in said if text.startswith(word)), None)

    return {"volume": behind(VOLUME), "issue": behind(ISSUE), "pages": behind(PAGES)}


def _own_fields(marc: MarcRecord, record: Record) -> dict[str, Any]:
    def first(tag: str, code: str) -> str | None:
        return next((text for field in marc.fields(tag) if (text := field.text(code))), None)

    schemes = trials.merge_ids(*[{scheme: number} for scheme, number in _schemes(marc)])
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
        "authors": _own_people(marc, ""),
        "editors": _own_people(marc, EDITOR),
        "translators": _own_people(marc, TRANSLATOR),
        "type": kind if kind in TYPES else None,
        "venue": first("773", "t") or first("490", "a"),
        "publisher": first("264", "b"),
        "place": first("264", "a"),
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


def _own_people(marc: MarcRecord, relator: str) -> tuple[Author, ...]:
    """Those with this relator in $4, in the order of the record."""
    found = marc.in_order(_PEOPLE)
    people = (_own_person(field) for field in found if field.text("4") == relator)
    return tuple(author for author in people if author is not None)


def _own_person(field: MarcField) -> Author | None:
    name = field.text("a")
    if field.tag.endswith("10"):
        return Author(name, affiliation=field.text("u") or None, collective=True) if name else None
    author = values.one_author(name)
    if author is None:
        return None
    orcid = identifiers.orcid(field.text("0")[:_LONGEST_ORCID])
    author = replace(author, orcid=orcid, affiliation=field.text("u") or None)
    return with_suffix(author, field.text("c"))


def _all(marc: MarcRecord, tag: str, code: str) -> Iterator[str]:
    return (text for field in marc.fields(tag) if (text := field.text(code)))


def _schemes(marc: MarcRecord) -> Iterator[tuple[str, str]]:
    for field in marc.fields("024"):
        scheme, number = field.text("2"), field.text("a")
        if scheme and number:
            yield scheme, number


# A hit as a MARC 21 record: leader, control fields and data fields. The exports (MARCXML, ISO 2709)
# and the servers of library protocols write it. What MARC has no field for, or only as free text,
# stands where `own.py` and the family `sru` find it again: the type in 380 with $2 metasearch,
# other identifiers in 024 with their scheme in $2, databases in 786, origins in 500. 003 marks a
# record as written by metasearch.

#: `Record.type` -> type and level of the leader; those without "b" or "a" stand by themselves.
_LEADERS = {
    **dict.fromkeys(IN_JOURNALS, "ab"),
    "preprint": "ab",
    "conference-paper": "ab",
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
    tag: str
    indicators: str
    subfields: Subfields


@dataclass(frozen=True, slots=True)
class MarcData:
    """A record: 24 characters of leader, the lengths in it 0, and the fields in order of tags."""

    leader: str
    control: tuple[tuple[str, str], ...]
    data: tuple[DataField, ...]


def marc_data(hit: Hit, beside: Beside | None = None, *, answering: bool = False) -> MarcData:
    """The record of a hit.

    `answering`: the record answers a search, so it also has what holds on that day: 035 with the
    number of the work in each source, 500 with the citations, 588 with the fields of each source.
    """
    record = hit.record
    kind = reference.general_type(record)
    in_venue = record.type is None and bool(line(record.venue))
    level = "ab" if in_venue else _LEADERS.get(kind, "am")
    leader = f"00000n{level} a2200000   4500"
    control = (("001", line(hit.id)), ("003", OWNER), ("008", _field_008(record)))
    listed = [*_fields(record, kind, is_part=level[1] in "ab"), *_beside(hit, beside)]
    if answering:
        listed += _of_the_day(hit)
    fields = [
        DataField(tag, indicators, kept)
        for tag, indicators, subfields in listed
        if (kept := tuple((code, value) for code, value in subfields if value))
    ]
    return MarcData(leader, control, tuple(sorted(fields, key=lambda field: order(field.tag))))


def order(tag: str) -> str:
    """Where a field stands in the order of a record: people and bodies in the order of the work."""
    return "700" if tag == "710" else tag


def _field_008(record: Record) -> str:
    """008, of 40 characters: year in 7-10, language in 35-37, else "no attempt to code"."""
    year = reference.four_digits(record.year)
    dates = f"s{year}    " if year else "nuuuuuuuu"
    return f"000101{dates}xx {'|' * 17}{_marc_language(line(record.language))} d"


def _marc_language(language: str) -> str:
    """The code of three letters; "und" where there is none."""
    code = language_code(language)
    if code is not None:
        return languages()[code].bibliographic
    return language if _is_marc_code(language) else "und"


def _is_marc_code(language: str) -> bool:
    return len(language) == 3 and language.isascii() and language.islower()


_Field = tuple[str, str, Subfields]


def _fields(record: Record, kind: str, *, is_part: bool) -> Iterator[_Field]:
    """What the merged record says; a field all of whose subfields are empty is left out later."""
    yield from _numbers(record)
    yield _language(line(record.language))
    yield from _people(record)
    yield from _titles(record)
    yield "250", "  ", (("a", line(record.edition)),)
    date = reference.iso_date(record.date) or reference.four_digits(record.year)
    place, publisher = line(record.place), line(record.publisher)
    yield "264", " 1", (("a", place), ("b", publisher), ("c", date))
    if record.type:
        yield "380", "  ", (("a", line(record.type)), ("2", OWNER))
    yield from _host(record, kind, is_part=is_part)
    yield "500", "  ", (("a", RETRACTED if record.retracted else ""),)
    institution = line(record.institution)
    if kind == "thesis":
        year = reference.four_digits(record.year) if institution else ""
        yield "502", "  ", (("a", "" if institution else "Thesis"), ("c", institution), ("d", year))
    elif institution:
        yield "710", "2 ", (("a", institution), ("4", "isb"))
    if record.open_access and record.open_access != "closed":
        access = ("f", "Unrestricted online access"), ("2", "star")
        yield "506", "0 ", (("a", f"{OPEN_ACCESS} ({record.open_access})"), *access)
    yield "520", "3 ", (("a", line(record.abstract)),)
    licence = line(record.licence)
    yield "540", "  ", (("u" if licence.startswith("http") else "a", licence),)
    for subject in record.subjects:
        yield "650", " 4", (("a", line(subject)),)
    for keyword in record.keywords:
        yield "653", "  ", (("a", line(keyword)),)
    yield "856", "40", (("u", reference.link(record) or ""),)
    if pdf := web_url(record.pdf_url):
        yield "856", "40", (("u", pdf), ("q", PDF))


def _beside(hit: Hit, beside: Beside | None) -> Iterator[_Field]:
    for text in texts(beside.origins) if beside is not None else ():
        yield "500", "  ", (("a", text),)
    for name in reference.databases(hit, beside):
        yield "786", "0 ", (("t", name),)


def _of_the_day(hit: Hit) -> Iterator[_Field]:
    """What the sources of a hit say now: their numbers, its citations, the fields of each."""
    for record in hit.records:
        if number := line(record.source_id):
            yield "035", "  ", (("a", f"({line(record.source)}){number}"),)
    if hit.record.citations is not None:
        yield "500", "  ", (("a", f"Cited {hit.record.citations:,} times."),)
    for source in reference.field_sources(hit):
        yield "588", "0 ", (("a", source),)


def _numbers(record: Record) -> Iterator[_Field]:
    """Of these the identifiers that MARC has a field for stand there and in 024."""
    yield "010", "  ", (("a", line(record.ids.get("lccn"))),)
    for number in record.isbn:
        yield "020", "  ", (("a", line(number)),)
    for number in record.issn:
        yield "022", "  ", (("a", line(number)),)
    yield "024", "7 ", _number_with_scheme(line(record.doi), "doi")
    for scheme, value in trials.each_identifier(record.ids):
        yield "024", "7 ", _number_with_scheme(line(value), line(scheme))
    if oclc := line(record.ids.get("oclc")):
        yield "035", "  ", (("a", f"(OCoLC){oclc}"),)


def _language(language: str) -> _Field:
    """041 with our own code, which reference managers show; a word stands in a note."""
    if code := language_code(language):
        return "041", " 7", (("a", code), ("2", "iso639-1"))
    if _is_marc_code(language):
        return "041", "  ", (("a", language),)
    return "546", "  ", (("a", language),)


def _number_with_scheme(number: str, scheme: str) -> Subfields:
    return (("a", number), ("2", scheme)) if number else ()


def _titles(record: Record) -> Iterator[_Field]:
    original, translated = line(record.original_title), line(record.translated_title)
    yield "240", "10", (("a", original),)
    yield "245", f"{int(bool(record.authors))}0", _title(record)
    for title in reference.further_titles(record):
        if title == translated:
            yield "246", "31", (("a", title),)
        elif title != original:
            yield "246", "3 ", (("a", title),)


def _title(record: Record) -> Subfields:
    title, subtitle = (
        reference.without_stop(line(record.title)),
        reference.without_stop(line(record.subtitle)),
    )
    if not title or not subtitle or subtitle.casefold() in title.casefold():
        return (("a", title or subtitle or UNTITLED),)
    return (("a", f"{title} :"), ("b", subtitle))


def _people(record: Record) -> Iterator[_Field]:
    for place, author in enumerate(record.authors):
        yield _person(author, "1" if place == 0 else "7", ())
    for editor in record.editors:
        yield _person(editor, "7", (("e", "editor"), ("4", EDITOR)))
    for translator in record.translators:
        yield _person(translator, "7", (("e", "translator"), ("4", TRANSLATOR)))


def _person(author: Author, hundreds: str, role: Subfields) -> _Field:
    """A suffix stands apart, in $c, behind a name of which the parts are known."""
    body = reference.is_corporate(author, (author,))
    name, suffix = line(author.name), line(author.suffix)
    if author.family and not body:
        name = reference.family_first(replace(author, suffix=None))
    else:
        suffix = ""
    indicator = "2" if body else "1" if "," in name else "0"
    orcid = f"(orcid){line(author.orcid)}" if author.orcid else ""
    named = (("a", name), ("c", suffix), ("0", orcid), *role, ("u", line(author.affiliation)))
    return f"{hundreds}{'10' if body else '00'}", f"{indicator} ", named if name else ()


def _host(record: Record, kind: str, *, is_part: bool) -> Iterator[_Field]:
    """What contains the work: 773 of a part, else the series. The numbers stand in it, each with
    its word. Of ISSN and ISBN it has one each; 020 and 022 have all.
    """
    venue = line(record.venue)
    numbers = tuple(
        f"{word}{number}"
        for word, number in (
            (VOLUME, line(record.volume)),
            (ISSUE, line(record.issue)),
            (PAGES, line(record.pages)),
        )
        if number
    )
    if venue and not is_part:
        yield "490", "0 ", (("a", venue), *(("v", number) for number in numbers))
    elif venue or numbers:
        issn = line(next(iter(record.issn), None)) if venue else ""
        isbn = line(next(iter(record.isbn), None)) if kind == "chapter" else ""
        numbered = (("g", number) for number in numbers)
        yield "773", "0 ", (("t", venue), *numbered, ("x", issn), ("z", isbn))


# MARC 21 and UNIMARC, read by the rules of SRU catalogues (adapter_specs/families/sru.toml).


@cache
def _spec() -> AdapterSpec:
    return build(shipped_table("sru"), "sru.toml", shipped_table)


class MarcReader:
    def __init__(self, reading: FileReading, collector: EntryCollector) -> None:
        self._spec = replace(_spec(), name=reading.name)
        self._shapes = [shape.shape() for shape in self._spec.shapes if shape.body == "marcxml"]
        self._collector = collector

    def put(self, line: int, make: Callable[[], MarcRecord], *remarks: str) -> None:
        """Hand a record to the collector. `make`: makes the MARC record that it is made of."""
        cuts = Cuts()
        found = self._collector.attempt(line, lambda: self._record(make(), cuts))
        if found is None:
            return
        marc, record = found
        if record is None:
            self._collector.lose(
                line, "the record has neither a title nor an identifier, and was left out"
            )
            return
        ours = own(marc, record)
        record = ours.record if ours is not None else record
        record = replace(record, source_id=self._collector.own(record.source_id))
        if ours is not None:
            self._collector.keep(Entry(record, line, ours.database, ours.origins))
        else:
            self._collector.keep(
                Entry(record, line, given=cut_others([*_fields_beside(marc, record)], cuts))
            )
        for remark in (*remarks, *cuts.notes()):
            self._collector.remark(line, remark)

    def _record(self, marc: MarcRecord, cuts: Cuts) -> tuple[MarcRecord, Record | None]:
        """By the first family of MARC in which the record has a title, else is one at all."""
        position = self._collector.position + 1
        records = (record_of(shape, marc, position, self._spec, cuts) for shape in self._shapes)
        fallback = None
        for record in records:
            if isinstance(record, Record) and record.title:
                return marc, record
            if isinstance(record, Record) and (record.doi or record.ids or record.isbn):
                fallback = fallback or record
        return marc, fallback


#: Fields of which a record has both scripts: further titles.
_IN_BOTH_SCRIPTS = frozenset(OTHER_SCRIPT + tag for tag in ("200", "245", "246"))
#: Fields of which a record has no place, in MARC 21 and UNIMARC: the number of a patent, series,
#: notes, the note on a thesis.
_NOT_HELD = ("013", "225", "328", "490", "500", "502")
#: The same in UNIMARC alone: in MARC 21 it is the extent.
_UNIMARC_NOTE = "300"
#: Fields of languages, of which a record has one.
_LANGUAGES = ("041", "101")
#: Fields of people and bodies; a title in one of them names a work.
_HOLD_PEOPLE = ("100", "110", "111", "700", "701", "702", "710", "711", "712", "720")


def _fields_beside(marc: MarcRecord, record: Record) -> Iterator[tuple[str, str]]:
    """What the fields say that no field of a record holds: in another script, names above all; who
    illustrated a work, printed it, owned the copy; series, notes, further languages and addresses.
    """
    for tag in marc.tags:
        if tag.startswith(OTHER_SCRIPT) and tag not in _IN_BOTH_SCRIPTS:
            yield from ((tag, _field_text(field)) for field in marc.fields(tag))
    people = [
        (tag, part_in(field, marc), field)
        for tag in _HOLD_PEOPLE
        if tag in marc.tags
        for field in marc.fields(tag)
        if not field.text("t")
    ]
    parts = {part for _, part, _ in people}
    held = parts - {"none"} if parts <= {"helper", "none"} else parts - {"helper", "none"}
    yield from ((tag, _field_text(field)) for tag, part, field in people if part not in held)
    unimarc = () if "245" in marc.tags else (_UNIMARC_NOTE,)
    for tag in (*_NOT_HELD, *unimarc):
        if tag in marc.tags:
            yield from ((tag, _field_text(field)) for field in marc.fields(tag))
    for tag in _LANGUAGES:
        yield from ((tag, _field_text(field)) for field in marc.fields(tag) if _several(field))
    if len(addresses := marc.fields("856")) > 1:
        held_addresses = (record.url, record.pdf_url)
        others = (field for field in addresses if field.text("u") not in held_addresses)
        yield from (("856", _field_text(field)) for field in others)


def _several(field: MarcField) -> bool:
    codes = [text for code, text in field.subfields if code not in "26"]
    return len(codes) > 1 or any(map(codes_in, codes))


def _field_text(field: MarcField) -> str:
    return " ".join(f"${code} {text}" for code, text in field.subfields if code != "6")


# MARCXML (.xml): MARC 21 or UNIMARC, bare, in a collection, or in an answer of SRU.

_NAME = r"<(?:[\w.-]{1,40}:)?"
_BEGIN = rf"{_NAME}record(?:\s[^<>]*)?>(?=\s*{_NAME}(?:leader|controlfield|datafield)[\s/>])"
_MARC = re.compile(rf"{_NAME}(?:leader\s*>|(?:control|data)field\s+[^<>]{{0,200}}tag\s*=)")


def looks_like(head: str) -> bool:
    """PICA, whose tags are letters too, is not meant."""
    return (
        "<" in head[:500]
        and _MARC.search(head) is not None
        and not re.search(r"tag\s*=\s*[\"']003@", head)
    )


def read(content: Bytes, reading: FileReading) -> None:
    collector = EntryCollector(reading)
    marc = MarcReader(reading, collector)
    for found in elements(text_of_file(content, reading), _BEGIN, collector):
        marc.put(found.line, partial(MarcRecord, found.node), *filter(None, (found.mended,)))


NAMESPACE = "http://www.loc.gov/MARC21/slim"
_COLLECTION_BEGIN = f"""<?xml version="1.0" encoding="UTF-8"?>
<collection xmlns={quoteattr(NAMESPACE)}>
""".encode()
_END = b"</collection>\n"


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
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
