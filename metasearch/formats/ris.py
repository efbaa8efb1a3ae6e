"""RIS, the tagged format of reference managers, as two dozen programs write it: read and
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metasearch.formats import origins
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.result import Draft, FileReading, unread
from metasearch.formats.reading.tagged import BLANKS, Block, TagGrammar, beside, blocks, gather
from metasearch.formats.reading.text import DecodedText
from metasearch.formats.reading.worktypes import RIS_TYPES
from metasearch.formats.reference import (
    SECOND_WORDS,
    date_parts,
    field_sources,
    full_title,
    general_type,
    identifiers,
    inverted,
    issuing_body,
    journal_like,
    link,
    page_range,
    standard_numbers,
)
from metasearch.formats.text import line, web_url
from metasearch.record import Hit, Record

# Which lines of a RIS file are tags, and where its records begin and end.

#: Tags in use; others count as tags only where they are written exactly as the format wants it.
TAGS = frozenset(
    """
    TY ER A1 A2 A3 A4 AB AD AN AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DI DO DP ED EP
    ET ID IS J1 J2 JA JF JO KW L1 L2 L3 L4 LA LB LK M1 M2 M3 N1 N2 NV OP PB PP PY RI RN RP SE SN SP
    ST T1 T2 T3 TA TI TT U1 U2 U3 U4 U5 UR VL VO Y1 Y2
""".split()
)
#: Fields of running text, in which a line may begin like a tag: "ED - visits", "IS - a".
_PROSE = frozenset("AB N1 N2 TI T1 T2 T3 AD KW".split())
_LINE = re.compile(r"([A-Za-z][A-Za-z0-9])([ \t]{0,8})[-\u2013\u2014](?:[ \t](.*)|(.*))", re.DOTALL)
_TY_LINE = re.compile(
    rf"^[{BLANKS}]*TY([ \t]{{0,8}})[-\u2013\u2014][ \t]*\w{{3,10}}[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
#: Characters of a line that begins a record.
_LONGEST_TY = 200
_NOISE = re.compile(
    r"<?\d+\.?>?$|link to the (?:ovid|external)|provider:|database:|content:|record #?\d+ "
    r"of|scopus$|export date|"
    r"date of search|-{3,}|={3,}|\*{3,}|%%|eof$|\[?\d+ (?:records|references)\]?",
    re.IGNORECASE,
)


def grammar(text: DecodedText) -> TagGrammar:
    """The format as this file writes it: its tags are spaced as its TY lines are."""
    spacings = {
        hit[1] for part in text.stretches(_LONGEST_TY) for hit in _TY_LINE.finditer(part)
    } - {"  "}

    def split(line: str, open_tag: str) -> tuple[str, str] | None:
        if (
            line[2:5] == "  -"
            and (tag := line[:2]).isalnum()
            and tag.isascii()
            and tag.isupper()
            and tag[0].isalpha()
        ):
            return tag, line[5:]
        hit = _LINE.match(line.lstrip(BLANKS))
        if hit is None:
            return None
        tag, spacing, value = hit[1].upper(), hit[2], hit[3] if hit[3] is not None else hit[4]
        if tag not in TAGS:
            return None
        if (
            spacing == "  "
            or spacing in spacings
            or (tag == "TY" and value.strip().upper() in worktypes.RIS)
            or (tag == "ER" and not value.strip())
            or (spacing and hit[1].isupper() and open_tag not in _PROSE)
        ):
            return tag, value
        return None

    return TagGrammar(
        split,
        starts=frozenset(("TY",)),
        ends=frozenset(("ER",)),
        bears=frozenset(("TI", "T1", "CT", "BT", "AU", "A1")),
        once=frozenset(("TI", "T1")),
        noise=_NOISE,
    )


# RIS, the tagged format of reference managers (Research Information Systems, 2011 revision of the
# tags). Every line is `XX - value` and ends in CRLF; no value holds a line break, so no upstream
# text can open a field or end a record. Beyond the work itself each record says which databases
# hold it (DB and DP, one of each a source) and, where that is asked for, which of them gave which
# field (N1: Zotero makes a note of it beside each record). What files were made one, and what they
# say beside the fields of a record, follows at its end, an origin a record in M2, which Zotero
# shows under "Extra".

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


# RIS as two dozen programs write it: Ovid, EBSCOhost, ProQuest, Scopus, Web of Science, Embase,
# Cochrane, Zotero, ... Tags mean different things to different programs; what is done here is what
# their real exports ask for, and the comments say whose. Values of one tag may stand on several
# lines (EndNote's keywords), behind tags with odd spacing or in lower case; text between records
# (Ovid's numbering and links, headers) is passed over.

_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*TY[ \t]{{0,8}}[-\u2013\u2014]", re.IGNORECASE)
_ANY_TAG = re.compile(r"(?:^|[\r\n])(?:TI|T1|AU|A1|ER)  -[ \r\n]")


def looks_like(head: str) -> bool:
    """Whether a file that begins so has a line "TY  - ", or is the rest of one that had."""
    return _HEAD.search(head) is not None or len(_ANY_TAG.findall(head)) > 2


#: What a record holds all of, or what our writer numbers by itself.
_HELD = frozenset("TY ER ID TI T1 CT AU A1 PY Y1 AB VL VO IS SP EP KW SN BN PB ET LA DO DI".split())
#: Where the name of the container stands; what differs from the one that was taken, its
#: abbreviations, is kept.
_CONTAINERS = frozenset("T2 JF JO JA J1 J2 BT".split())


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of a RIS file."""
    gather(reading, blocks(text, grammar(text), reading), _draft)


def _draft(block: Block) -> Draft:
    problems: list[str] = []
    links = values.links(block.values("UR", "L2", "LK"))
    numbers = [*block.values("AN", "ID", "U2"), *_isi_links(block.values("UR"))]
    made_of = origins.read(block.values("M2"))
    if (
        len(made_of) > 1
    ):  # a bare number is that of one of several databases, and it is unknown which
        numbers = [number for number in numbers if _SCHEME.match(number)]
    database = _database(block, made_of, links, numbers)
    ovid = next((code for link in links if (code := values.ovid_file(link))), "")
    kind = _kind(block)
    title, titles = _titles(block, kind, ovid)
    year = values.year(block.values("PY", "Y1", "DA"))
    if year is None and (given := values.text(block.value("PY", "Y1"))):
        problems.append(unread("PY", given, "year"))
    isbn, issn = values.standard_numbers(block.lines("SN", "BN"))
    publisher = values.first_text(block.values("PB"))
    venue = values.first_text(_venues(block, kind, ovid))
    fields: dict[str, Any] = {
        "source_id": _source_id(block),
        "url": values.landing_page([link for link in links if values.ovid_file(link)] or links),
        "title": title,
        "titles": titles,
        "authors": values.authors(_names(block, kind)),
        "editors": values.authors(_editors(block, kind)),
        "year": year,
        "date": values.date(block.values("DA", "PY", "Y1"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "institution": publisher if kind in ("thesis", "report") else None,
        "edition": values.first_text(block.values("ET")),
        "volume": values.volume(block.value("VL", "VO")),
        "issue": values.first_text(block.values("IS")),
        "pages": _pages(block),
        "doi": _doi(block, links, problems),
        "ids": values.identifiers(numbers, links, block.lines("N1", "M1", "C1", "C2"), database),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")) or values.abstract(block.values("N2")),
        "keywords": values.keywords(block.lines("KW")),
        "citations": _citations(block.values("N1")),
        "pdf_url": next(iter(values.links(block.values("L1"))), None),
        "retracted": worktypes.retracted(block.values("C1", "M3")),
    }
    _scopus_pmid(block, database, fields["ids"])
    return Draft(fields, database, problems, made_of, _given(block, fields))


def _database(
    block: Block, made_of: tuple[origins.Origin, ...], links: list[str], numbers: list[str]
) -> str | None:
    if made_of:
        return origins.named(made_of)
    return values.database(block.values("DB"), block.values("DP"), links, numbers)


def _given(block: Block, fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the fields say beside what was taken of them: notes, addresses, places, numbers of one's
    own, ...
    """
    said = {
        fields["venue"],
        fields["title"],
        *fields["titles"],
        fields["abstract"],
        fields["url"],
        fields["pdf_url"],
    }

    def is_beside(tag: str, value: str) -> bool:
        if tag in _CONTAINERS or tag in ("TT", "OP", "N2", "UR", "L1"):
            return (values.text(value) if len(value) < values.SHORT else value) not in said
        match tag:
            case "DA":
                return not fields["date"]
            case "ED" | "A2":
                return not fields["editors"] and bool(block.value("AU", "A1"))
            case "AN":
                return not values.is_ours(value)
            case "N1":
                return not value.startswith(FIELDS_BY_SOURCE)
            case "M2":
                return not origins.is_origin(value)
        return True

    return [(tag, value) for tag, value in beside(block, _HELD) if is_beside(tag, value)]


def _kind(block: Block) -> str | None:
    code = values.text(block.value("TY")).upper()
    kind = worktypes.RIS.get(code) or worktypes.of_words([code])
    kind = worktypes.conference(
        kind, is_part=bool(block.value("SP", "T2", "JF", "JO", "BT", "AU", "A1"))
    )
    if kind == "webpage" and block.value("VL", "IS") and block.value("JF", "JO", "JA", "T2"):
        kind = None  # CENTRAL calls all of its trials "ELEC", articles too
    return worktypes.refined(kind, block.values("M3"))


def _titles(block: Block, kind: str | None, ovid: str) -> tuple[str, tuple[str, ...]]:
    own = block.values("TI", "T1", "CT")
    if kind == "book" or not own:
        own += block.values("BT")
    others = block.values("TT")
    if _second_title_is_own(block, ovid):
        others += block.values("T2")
    if kind == "journal" and not own:
        own = block.values("JF", "JO", "T2")
    return values.titles([*own, *others] if own or others else block.values("ST"))


def _second_title_is_own(block: Block, ovid: str) -> bool:
    """Ovid has the title in the work's language in T2, the journal elsewhere."""
    return bool(ovid) and (bool(block.value("JF")) or (ovid == "cctr" and bool(block.value("JA"))))


def _venues(block: Block, kind: str | None, ovid: str) -> list[str]:
    second = [] if _second_title_is_own(block, ovid) else block.values("T2")
    book = [] if kind == "book" else block.values("BT")
    found = [*block.values("JF"), *second, *book, *block.values("JO", "JA", "J1", "J2", "C3")]
    return found if kind != "journal" or block.value("TI", "T1") else []


def _names(block: Block, kind: str | None) -> list[str]:
    """Authors; where there are none, the editors stand for a book."""
    found = block.lines("AU", "A1")
    return found if found or kind not in ("book", "proceedings") else block.lines("A2", "ED")


def _editors(block: Block, kind: str | None) -> list[str]:
    """Editors beside the authors; A2 is theirs in books and chapters, else of series."""
    if not block.lines("AU", "A1"):
        return []
    return (
        block.lines("ED", "A2")
        if kind in ("book", "chapter", "conference-paper")
        else block.lines("ED")
    )


_ARTICLE_NUMBER = re.compile(
    r"(?:art(?:icle|n)?\b\.?\s*(?:id|no|number)?\b[.:]?\s*)(\w[\w.-]*)|(e\d{3,})", re.IGNORECASE
)


def _pages(block: Block) -> str | None:
    printed = values.pages(block.value("SP"), block.value("EP")) or values.pages(block.value("C7"))
    if printed:
        return printed
    for value in block.values("M1", "N1"):  # EndNote and Mendeley
        hit = _ARTICLE_NUMBER.fullmatch(value.strip()) if len(value) < 40 else None
        if hit:
            return hit[1] or hit[2]
    return None


def _doi(block: Block, links: list[str], problems: list[str]) -> str | None:
    found = (
        values.doi(block.values("DO", "DI"))
        or values.doi_alone(
            block.values("L3", "M3", "N1", "ID", "AN")
        )  # EBSCOhost: L3; EndNote: M3
        or values.doi_of_links([*links, *block.values("L3")])
    )
    given = values.text(block.value("DO"))
    if given and values.doi(block.values("DO")) is None:
        problems.append(unread("DO", given, "DOI"))
    return found


def _source_id(block: Block) -> str:
    """The accession number, else the label; ours lists identifiers with their schemes, which are no
    number.
    """
    numbers = [value for value in block.values("AN") if not _SCHEME.match(value)] + block.values(
        "ID"
    )
    return next((shown for number in numbers if (shown := values.text(number[: values.SHORT]))), "")


def _isi_links(found: Iterable[str]) -> list[str]:
    """EndNote's links into the Web of Science: "<Go to ISI>://WOS:000172308400009"."""
    return [
        hit[1]
        for value in found
        if (hit := re.match(r"<Go to ISI>://(\S+)", value[: values.SHORT]))
    ]


_SCHEME = re.compile(r"[a-z]+:\S")
_CITED = re.compile(r"(?:cited by|times cited)[^:;]{0,60}:\s*(\d{1,9})\b", re.IGNORECASE)


def _citations(remarks: Iterable[str]) -> int | None:
    hits = (_CITED.search(remark[: values.SHORT]) for remark in remarks)
    return next((int(hit[1]) for hit in hits if hit), None)


def _scopus_pmid(block: Block, database: str | None, ids: dict[str, str]) -> None:
    """Scopus writes the PMID into C2."""
    number = block.value("C2").strip()
    if database == "Scopus" and number.isascii() and number.isdecimal() and 6 < len(number) < 9:
        ids.setdefault("pmid", number)
