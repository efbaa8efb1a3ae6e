"""RIS, the tagged format of reference managers, as two dozen programs write it: read and
written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from metasearch.formats import origins, reference
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import tagged, values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, FileReading, field_problem
from metasearch.formats.reading.worktypes import RIS_TYPES
from metasearch.formats.reference import link
from metasearch.formats.text import line, web_url
from metasearch.record import Hit, Record

# Which lines of a RIS file are tags, and where its records begin and end.

#: Tags in use, Ovid's too; others count as tags only where they are written as the format wants it.
TAGS = frozenset(
    """
    TY ER A1 A2 A3 A4 AB AD AN AO AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DI DO DP ED
    EP ET FU ID IS J1 J2 JA JF JO K1 KW L1 L2 L3 L4 LA LB LK M1 M2 M3 N1 N2 NL NV OP PB PMC PMCID
    PMID PP PY RI RN RP SE SN SP ST SV T1 T2 T3 TA TI TT U1 U2 U3 U4 U5 UR VL VO XR XT Y1 Y2
""".split()
)
#: Fields of running text, in which a line may begin like a tag: "ED - visits", "IS - a".
_PROSE = frozenset("AB N1 N2 AD KW".split())
_LINE = re.compile(r"([A-Za-z][A-Za-z0-9])([ \t]{0,8})[-\u2013\u2014](?:[ \t](.*)|(.*))", re.DOTALL)
#: Tags of PubMed's, which tools that convert its records leave in them.
_OF_PUBMED = re.compile(r"(PMC?ID|PMC) {0,2}-[ \t](.*)", re.DOTALL)
_TY_LINE = re.compile(
    rf"^[{tagged.BLANKS}]*TY([ \t]{{0,8}})[-\u2013\u2014][ \t]*\w{{3,10}}[ \t]*$",
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


def grammar(text: FileText) -> tagged.TagGrammar:
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
        hit = _LINE.match(line.lstrip(tagged.BLANKS))
        if hit is None:
            own = _OF_PUBMED.match(line) if line[:2] == "PM" else None
            return (own[1], own[2]) if own else None
        tag, spacing, value = hit[1].upper(), hit[2], hit[3] if hit[3] is not None else hit[4]
        if tag not in TAGS:
            as_in_file = hit[1].isupper() and (spacing == "  " or spacing in spacings)
            is_own = as_in_file and hit[3] is not None and open_tag not in _PROSE
            return (tag, value) if is_own else None
        if (
            spacing == "  "
            or spacing in spacings
            or (tag == "TY" and value.strip().upper() in worktypes.RIS)
            or (tag == "ER" and not value.strip())
            or (spacing and hit[1].isupper() and open_tag not in _PROSE)
        ):
            return tag, value
        return None

    return tagged.TagGrammar(
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
#: Of these Zotero takes the last one, so that another value is a note.
_ONCE = frozenset(("PY", "DO"))
#: Types in which A4 is no translator: a sponsor, a department, counsel, performers, ...
OTHER_A4 = frozenset("ADVS CASE CONF DATA GEN MPCT MUSIC RPRT SER".split())
#: Types whose edition is a version, to EndNote and Zotero.
_WITH_VERSION = frozenset({"dataset", "software"})


def parts(
    hits: Iterable[Hit], *, provenance: bool = False, beside: BesideHits | None = None
) -> Iterator[bytes]:
    """`provenance`: say in N1 which source gave which field. The databases of files take the place
    of the sources.
    """
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
    told = "; ".join(reference.field_sources(hit)) if provenance else ""
    if told:
        yield "N1", f"{FIELDS_BY_SOURCE}{told}"
    yield "ER", ""


def _beside(beside: Beside, written: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    fields = list(
        dict.fromkeys((tag, shown) for tag, value in beside.fields if (shown := line(value)))
    )
    if not any(tag == "DB" for tag, _ in fields):
        fields = [("DB", name) for name in beside.databases] + fields
    once = {tag for tag, _ in written if tag in _ONCE}
    for tag, value in fields:
        if (tag, value) not in written:
            yield ("N1", f"{tag}: {value}") if tag in once else (tag, value)
    for text in texts(beside.origins):
        yield "M2", text


def _type(record: Record) -> str:
    return RIS_TYPES.get(reference.general_type(record), "GEN")


def _fields(hit: Hit) -> Iterator[tuple[str, str]]:
    record = hit.record
    name_of = reference.in_one_field
    first, last = reference.page_range(record.pages)
    translators = [*map(name_of, record.translators)]
    if no_a4 := _type(record) in OTHER_A4:
        translators = [f"{reference.TRANSLATOR}{name}" for name in translators]
    version = record.version if record.type in _WITH_VERSION else None
    rows: Iterable[tuple[str, Iterable[str | None]]] = (
        ("ID", [hit.id]),
        ("TI", [reference.full_title(record)]),
        ("TT", [record.translated_title or next(iter(record.titles), None)]),
        ("OP", [record.original_title]),
        ("AU", map(name_of, record.authors)),
        ("A2" if record.type == "chapter" else "ED", map(name_of, record.editors)),
        ("N1" if no_a4 else "A4", translators),
        ("T2", [record.venue]),
        ("PY", [reference.four_digits(record.year)]),
        ("DA", [_with_slashes(record.date)]),
        ("VL", [record.volume]),
        ("IS", [record.issue]),
        ("SP", [first]),
        ("EP", [last]),
        ("ET", [line(record.edition) or version]),
        ("M3", [_second_type(record)]),
        ("CY", [record.place]),
        # A thesis has its university for publisher, as reference managers expect.
        ("PB", [reference.issuing_body(record)]),
        ("SN", reference.standard_numbers(record)),
        ("DO", [record.doi]),
        ("AN", ["; ".join(reference.identifiers(record))]),
        ("UR", [_address(record)]),
        ("L1", [web_url(record.pdf_url)]),
        ("LA", [record.language]),
        ("AB", [record.abstract]),
        ("KW", dict.fromkeys(record.keywords + record.subjects)),
        ("FU", record.funders),
        ("C1", ["Retracted" if record.retracted else None]),
    )
    return ((tag, line(value)) for tag, values in rows for value in values)


def _address(record: Record) -> str:
    """Where a reader is sent. A semicolon of a DOI is escaped, because one parts two addresses."""
    address = link(record) or ""
    return address.replace(";", "%3B") if address.startswith("https://doi.org/") else address


def _second_type(record: Record) -> str:
    """A word for a type that the tag TY does not tell."""
    kind = reference.general_type(record)
    if kind in ("preprint", "other"):
        return reference.SECOND_WORDS.get(kind, "")
    is_part = bool(record.pages or record.venue or record.authors)
    read = worktypes.conference(worktypes.RIS.get(_type(record)), is_part=is_part)
    if read == kind and not (kind == "webpage" and record.venue):
        return ""
    word = reference.SECOND_WORDS.get(kind, "")
    is_understood = bool(word) and worktypes.refine(read, [word]) == kind
    return word if is_understood else f"{worktypes.OWN_MARK}{kind}"


def _with_slashes(date: str | None) -> str:
    """Year, month, day and other information: "2020-03" as "2020/03//"."""
    year, month, day = reference.date_parts(date)
    return f"{year}/{month}/{day}/" if year else ""


# Ovid, EBSCOhost, ProQuest, Scopus, Web of Science, Embase, Cochrane, Zotero, ...: tags mean
# different things to different programs; what is done here is what their real exports ask for, and
# the comments say whose. Values of one tag may stand on several lines (EndNote's keywords), behind
# tags with odd spacing or in lower case; text between records (Ovid's numbering and links, headers)
# is passed over.

_HEAD = re.compile(rf"(?:^|[\r\n])[{tagged.BLANKS}]*TY[ \t]{{0,8}}[-\u2013\u2014]", re.IGNORECASE)
_ANY_TAG = re.compile(r"(?:^|[\r\n])(?:TI|T1|AU|A1)  -[ \r\n]")
_END = re.compile(r"(?:^|[\r\n])ER  -[ \t]*(?:$|[\r\n])")


def looks_like(head: str) -> bool:
    """Whether a file that begins so has a line "TY  - ", or is the rest of one that had: other
    formats have such lines too, and no end.
    """
    if _HEAD.search(head) is not None:
        return True
    return len(_ANY_TAG.findall(head)) > 1 and _END.search(head) is not None


#: What a record holds all of, or what our writer numbers by itself.
_HELD = frozenset(
    "TY ER ID TI T1 CT AU A1 PY Y1 DA AB VL IS SP EP KW K1 SN BN PB LA DO DI FU".split()
)
#: Of these a record holds the first value alone.
_SINGLE = frozenset("VL IS SP EP PB LA".split())
#: Where the name of the container stands; what differs from the one that was taken, its
#: abbreviations, is kept.
_CONTAINERS = frozenset("T2 JF JO JA J1 J2 BT".split())


def read(text: FileText, reading: FileReading) -> None:
    found = tagged.blocks(text, grammar(text), reading)
    tagged.gather(reading, tagged.tell_strange_tags(found, TAGS, "RIS", reading), _draft)


def _draft(block: tagged.Block) -> Draft:
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
    year = _year(block)
    if year is None and (given := values.year_text(block.value("PY", "Y1"))):
        problems.append(field_problem("PY", given, "year"))
    isbn, issn, patent = values.numbers_of_work(kind, block.lines("SN", "BN"))
    publisher = values.first_text(block.values("PB"))
    venue = values.first_text(_venues(block, kind, ovid))
    people = _people(block, kind)
    fields: dict[str, Any] = {
        "source_id": _source_id(block),
        "url": values.landing_page([link for link in links if values.ovid_file(link)] or links),
        "title": title,
        "titles": titles,
        **values.people(
            block.lines(*people["authors"]),
            block.lines(*people["editors"]),
            [
                *block.lines(*people["translators"]),
                *values.behind_mark(reference.TRANSLATOR, block.values("N1")),
            ],
        ),
        "year": year,
        "date": values.date(block.values("DA", "PY", "Y1"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "place": values.place(block.values(*_place_tags(block, kind))),
        "institution": publisher if kind in ("thesis", "report") else None,
        "edition": values.edition(block.values("ET")),
        "volume": values.volume(block.value("VL", "VO")),
        "issue": values.first_text(block.values("IS")),
        "pages": _pages(block),
        "doi": _doi(block, links, problems),
        "ids": values.identifiers(numbers, links, _remarks(block), database),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")) or values.abstract(block.values("N2")),
        "keywords": values.keywords(block.lines("KW", "K1")),
        "citations": _citations(block.values("N1")),
        "pdf_url": next(iter(values.links(block.values("L1"))), None),
        "retracted": worktypes.says_retracted(block.values("C1", "M3")),
        "funders": values.keywords(block.values("FU")),
    }
    _scopus_pmid(block, database, fields["ids"])
    if patent:
        fields["ids"].setdefault("patent", patent)
    taken = {tag for tags in people.values() for tag in tags}
    return Draft(fields, database, problems, made_of, _remainder(block, fields, taken))


def _database(
    block: tagged.Block, made_of: tuple[origins.Origin, ...], links: list[str], numbers: list[str]
) -> str | None:
    if made_of:
        return origins.database_name(made_of)
    return values.database(block.values("DB"), block.values("DP"), links, numbers)


def _remainder(
    block: tagged.Block, fields: Mapping[str, Any], of_people: Collection[str]
) -> list[tuple[str, str]]:
    """What the fields say beside what was taken of them: notes, addresses, numbers of one's own,
    ... `of_people`: tags whose names were taken.
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
            case "ET":
                return bool(values.text(value) != fields["edition"])
            case "VO":
                return bool(values.volume(value) != fields["volume"])
            case "CY" | "PP" | "C1" if tag in _place_tags(block, fields["type"]):
                return bool(values.place([value]) != fields["place"])
            case "AN":
                return not values.is_ours(value)
            case "N1":
                return not value.startswith((FIELDS_BY_SOURCE, reference.TRANSLATOR))
            case "M2":
                return not origins.is_origin(value)
        return True

    given = tagged.remainder(
        block, {*_HELD, *of_people}, fields, single=_SINGLE, years=("PY", "Y1", "DA"),
        dois=("DO", "DI"), numbers=("SN", "BN"),
    )  # fmt: skip
    return [(tag, value) for tag, value in given if is_beside(tag, value)]


def _kind(block: tagged.Block) -> str | None:
    code = values.text(block.value("TY")).upper()
    kind = worktypes.RIS.get(code) or worktypes.of_words([code])
    kind = worktypes.conference(
        kind, is_part=bool(block.value("SP", "T2", "JF", "JO", "BT", "AU", "A1"))
    )
    if kind == "webpage" and block.value("VL", "IS") and block.value("JF", "JO", "JA", "T2"):
        kind = None  # CENTRAL calls all of its trials "ELEC", articles too
    return worktypes.refine(kind, block.values("M3"))


def _titles(block: tagged.Block, kind: str | None, ovid: str) -> tuple[str, tuple[str, ...]]:
    own = block.values("TI", "T1", "CT")
    if kind == "book" or not own:
        own += block.values("BT")
    others = block.values("TT")
    if _second_title_is_own(block, ovid):
        others += block.values("T2")
    if kind == "journal" and not own:
        own = block.values("JF", "JO", "T2")
    return values.titles([*own, *others] if own or others else block.values("ST"))


def _second_title_is_own(block: tagged.Block, ovid: str) -> bool:
    """Ovid has the title in the work's language in T2, the journal elsewhere."""
    return bool(ovid) and (bool(block.value("JF")) or (ovid == "cctr" and bool(block.value("JA"))))


def _venues(block: tagged.Block, kind: str | None, ovid: str) -> list[str]:
    second = [] if _second_title_is_own(block, ovid) else block.values("T2")
    book = [] if kind == "book" else block.values("BT")
    found = [*block.values("JF"), *second, *book, *block.values("JO", "JA", "J1", "J2", "C3")]
    return found if kind != "journal" or block.value("TI", "T1") else []


# What A2 to A4 are in each type to EndNote, and so to Zotero. Others who stand there (editors of a
# series, an advisor, a sponsor, a department) are kept beside the record.

#: Types of books and their parts in which A2 is the editor.
_WITH_A2 = frozenset("ANCIENT BLOG CHAP CONF CPAPER DICT EBOOK ECHAP ENCYC MUSIC SER".split())
#: Types of books in which A2 is the editor of the series.
_SERIES_A2 = frozenset({"CLSWK", "EDBOOK"})


def _people(block: tagged.Block, kind: str | None) -> dict[str, list[str]]:
    code = values.text(block.value("TY")).upper()
    authors, editors, translators = ["AU", "A1"], ["ED"], ["A4"]
    if code in _WITH_A2 or kind in reference.IN_BOOKS:
        editors.append("A2")
    elif kind == "book" and code not in _SERIES_A2:
        # Others than EndNote and Zotero write the editors of a book into A2.
        editors.append("A3" if block.value("A3") else "A2")
    if code == "EDBOOK" and not block.value("ED"):
        authors, editors = ([], authors) if block.value(*authors) else (authors, ["A2"])
    if code in OTHER_A4:
        translators = []
    return {"authors": authors, "editors": editors, "translators": translators}


#: Types in which CY is a code, a reporter or a committee.
_OTHER_CY = frozenset("BILL CASE HEAR STAT UNBILL".split())


def _place_tags(block: tagged.Block, kind: str | None) -> tuple[str, ...]:
    """Where the place of publication stands. To EndNote and Zotero, CY is the place of a
    conference, where C1 has that of publication.
    """
    if values.text(block.value("TY")).upper() in _OTHER_CY:
        return ()
    in_c1 = (
        kind in ("conference-paper", "proceedings")
        and block.value("C1")
        and block.value("CY")
        and not worktypes.says_retracted(block.values("C1"))
    )
    return ("PP", "C1") if in_c1 else ("CY", "PP")


#: Between two dates of one work.
_MOST_YEARS = 3


def _year(block: tagged.Block) -> int | None:
    """Of publication: PY, else DA, else Y1, which is the old tag, and often the date of a work on
    the web. PY may repeat that; then DA counts, too.
    """
    said, old, date = (values.year(block.values(tag)) for tag in ("PY", "Y1", "DA"))
    if date is None or values.date(block.values("DA"), date) is None:
        return said or old or date
    if said is None:
        return date
    repeats = said == old and abs(date - said) <= _MOST_YEARS
    return date if repeats else said


_ARTICLE_NUMBER = re.compile(
    r"(?:art(?:icle|n)?\b\.?\s*(?:id|no|number)?\b[.:]?\s*)(\w[\w.-]*)|(e\d{3,})", re.IGNORECASE
)


def _pages(block: tagged.Block) -> str | None:
    first, _, behind = block.value("SP").partition(" EP  - ")  # Papers has both on one line
    printed = values.pages(first, block.value("EP") or behind) or values.pages(block.value("C7"))
    if printed:
        return printed
    for value in block.values("M1", "N1"):  # EndNote and Mendeley
        hit = _ARTICLE_NUMBER.fullmatch(value.strip()) if len(value) < 40 else None
        if hit:
            return hit[1] or hit[2]
    return None


def _doi(block: tagged.Block, links: list[str], problems: list[str]) -> str | None:
    found = (
        values.doi(block.values("DO", "DI"))
        or values.doi_alone(
            block.values("L3", "M3", "N1", "ID", "AN")
        )  # EBSCOhost: L3; EndNote: M3
        or values.doi_of_links([*links, *block.values("L3")])
    )
    given = values.text(block.value("DO"))
    if given and values.doi(block.values("DO")) is None:
        problems.append(field_problem("DO", given, "DOI"))
    return found


def _source_id(block: tagged.Block) -> str:
    """The accession number, else the label; ours lists identifiers with their schemes, which are no
    number.
    """
    numbers = [value for value in block.values("AN") if not _SCHEME.match(value)] + block.values(
        "ID"
    )
    return next((shown for number in numbers if (shown := values.text(number[: values.SHORT]))), "")


def _remarks(block: tagged.Block) -> list[str]:
    labelled = (
        f"{tag}: {value}" for tag in ("PMID", "PMCID", "PMC") for value in block.values(tag)
    )
    return [*labelled, *block.lines("N1", "M1", "C1", "C2", "C3", "U1", "U2", "XR")]


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


def _scopus_pmid(block: tagged.Block, database: str | None, ids: dict[str, str]) -> None:
    """Scopus writes the PMID into C2."""
    number = block.value("C2").strip()
    if database == "Scopus" and number.isascii() and number.isdecimal() and 6 < len(number) < 9:
        ids.setdefault("pmid", number)
