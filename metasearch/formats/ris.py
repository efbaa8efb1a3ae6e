"""RIS as two dozen programs write it: Ovid, EBSCOhost, ProQuest, Scopus, Web of Science, Embase,
Cochrane, Zotero, ...

Tags mean different things to different programs; what is done here is what their real exports ask
for, and the comments say whose. Values of one tag may stand on several lines (EndNote's keywords),
behind tags with odd spacing or in lower case; text between records (Ovid's numbering and links,
headers) is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from metasearch.formats import origins
from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft, unread
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, Block, blocks
from metasearch.formats.reading.tagged_records import beside, gather
from metasearch.formats.reading.text_pieces import DecodedText
from metasearch.formats.ris.grammar import grammar
from metasearch.formats.ris.write import FIELDS_BY_SOURCE

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
    ovid = next((code for link in links if (code := accession.ovid_file(link))), "")
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
        "url": accession.landing_page(
            [link for link in links if accession.ovid_file(link)] or links
        ),
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
        "ids": accession.identifiers(numbers, links, block.lines("N1", "M1", "C1", "C2"), database),
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
    return accession.database(block.values("DB"), block.values("DP"), links, numbers)


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
                return not accession.is_ours(value)
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
