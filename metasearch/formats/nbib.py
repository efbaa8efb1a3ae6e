"""NBIB, PubMed's and MEDLINE's own format: "PMID- 123", read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metasearch.bib import converters, identifiers
from metasearch.bib.names import initials_last
from metasearch.formats import origins
from metasearch.formats.origins import Beside, BesideHits, with_beside
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.result import Draft, FileReading, unread
from metasearch.formats.reading.tagged import BLANKS, Block, TagGrammar, blocks, gather
from metasearch.formats.reading.text import DecodedText
from metasearch.formats.reference import (
    TaggedLines,
    databases,
    date_parts,
    four_digits,
    full_title,
    further_titles,
    general_type,
    inverted,
    is_corporate,
    issuing_body,
    link,
    page_range,
)
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Hit, Record

# NBIB as PubMed writes it: "PMID- 123", tags of four columns, a blank line behind each record.
# Every record begins with PMID, because reference managers begin one there; of a work without a
# PMID the field is empty, and no number is invented. The blank behind the tag stays: without it
# Zotero does not take the file for NBIB. "OWN - METASEARCH" tells our own reader that PubMed did
# not write the record: AID then holds identifiers of any scheme, GN databases and origins.

#: Names the writer of a record.
OWNER = "METASEARCH"
#: Stands before the name of a database in GN.
DATABASE = "Database: "
#: `Record.type` -> PT. https://www.nlm.nih.gov/mesh/pubtypes.html
TYPES = {
    "article": "Journal Article",
    "preprint": "Preprint",
    "review": "Review",
    "editorial": "Editorial",
    "letter": "Letter",
    "erratum": "Published Erratum",
    "retraction": "Retraction of Publication",
    "dataset": "Dataset",
    "thesis": "Academic Dissertation",
    "report": "Technical Report",
    "book": "Book",
    "chapter": "Book Chapter",
    "video": "Video-Audio Media",
}
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_LINES = TaggedLines(
    "{tag:<4}- {value}\r\n",
    re.compile("[A-Z][A-Z0-9]{1,3}"),
    "GN",
    frozenset("PMID PMC OWN TI BTI DP JT".split()),
)


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """Each hit as a record in UTF-8, in the order given. `hits`: in the order of the records.
    `beside`: what files say beside the records, by `Hit.id`.
    """
    for hit, found in with_beside(hits, beside):
        first = f"PMID- {_pmid(hit.record)}"
        yield f"{first}\r\n".encode() + _LINES.record(_fields(hit, found), found)


def _pmid(record: Record) -> str:
    number = line(record.ids.get("pmid"))
    return number if number.isascii() and number.isdecimal() and len(number) < 10 else ""


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = general_type(record)
    title, venue = full_title(record), line(record.venue)
    in_book = kind == "chapter" and bool(title and venue)
    yield "OWN", OWNER
    for number in record.issn:
        yield "IS", line(number)
    for number in record.isbn:
        yield "ISBN", line(number)
    yield "VI", line(record.volume)
    yield "IP", line(record.issue)
    yield "DP", _date_of(record)
    yield "BTI" if kind == "book" else "TI", title
    yield "BTI" if in_book else "JT", venue
    yield "PG", "-".join(filter(None, page_range(record.pages)))
    yield from _identifiers(record)
    yield "AB", line(record.abstract)
    for other in further_titles(record):
        yield "TT", other
    for author in record.authors:
        yield from _author(author)
    for editor in record.editors:
        yield "FED", inverted(editor)
    yield "LA", line(record.language)
    yield from _types(record, kind, in_book=in_book)
    yield "PB", issuing_body(record)
    yield "EN", line(record.edition)
    for keyword in dict.fromkeys(record.keywords + record.subjects):
        yield "OT", line(keyword)
    for name in databases(hit, beside):
        yield "GN", f"{DATABASE}{name}"


def _date_of(record: Record) -> str:
    """As PubMed writes a date, "2020 Mar 15", as precise as it is known."""
    year, month, day = date_parts(record.date)
    if not year or not 1 <= int(month or 0) <= 12:
        return year or four_digits(record.year)
    return " ".join(filter(None, (year, _MONTHS[int(month) - 1], day.lstrip("0"))))


def _identifiers(record: Record) -> Iterator[tuple[str, str]]:
    def marked(value: str | None, what: str) -> str:
        return f"{value} [{what}]" if value else ""

    for tag in ("LID", "AID"):  # Zotero reads a DOI in AID only
        yield tag, marked(line(record.doi), "doi")
    yield "LID", link(record) or ""  # bare: Zotero makes a link of it
    yield "AID", marked(web_url(record.pdf_url), "pdf")
    for scheme, value in sorted(record.ids.items()):
        if scheme == "pmcid":
            yield "PMC", line(value)
        elif scheme != "pmid" or not _pmid(record):
            yield "AID", marked(line(value), line(scheme))


def _author(author: Author) -> Iterator[tuple[str, str]]:
    if is_corporate(author, (author,)):
        yield "CN", line(author.name)
        return
    yield "FAU", inverted(author)
    family, given = line(author.family), line(author.given)
    initials = "".join(part[0] for part in re.split(r"[\s.-]+", given) if part).upper()
    yield "AU", f"{family} {initials}" if family and initials else ""
    yield "AUID", f"ORCID: {line(author.orcid)}" if author.orcid else ""


def _types(record: Record, kind: str, *, in_book: bool) -> Iterator[tuple[str, str]]:
    word = TYPES.get(kind, "")
    yield "PT", word
    if not word and kind != "book" and not in_book and record.type not in (None, "other"):
        yield "PT", f"{worktypes.OWN_MARK}{kind}"
    yield "PT", "Retracted Publication" if record.retracted else ""


# NBIB, PubMed's and MEDLINE's own format: "PMID- 123", tags of up to four characters, continuation
# lines indented. Tags: https://www.nlm.nih.gov/bsd/mms/medlineelements.html

_LINE = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*)|$)", re.DOTALL)
_HEAD = re.compile(rf"(?:^|[\r\n])[{BLANKS}]*(?:(?:PMID|PMC )- ?\S|PMID-[ \r\n]+OWN - {OWNER})")


def looks_like(head: str) -> bool:
    """Whether a file that begins so has a line "PMID- 123"."""
    return _HEAD.search(head) is not None


def _split(line: str, _: str) -> tuple[str, str] | None:
    if line[:1] in BLANKS:  # nearly all of the others are continuation lines
        line = line if line[:1] == " " else line.lstrip(BLANKS)
    hit = _LINE.match(line)
    if hit is None or line.index("-") != 4:
        return None
    return hit[1], hit[2] or ""


_GRAMMAR = TagGrammar(
    _split,
    opens=frozenset(
        ("PMID", "PMC", "OWN")
    ),  # OWN follows PMID at once, and tells a record whose first line is damaged
    bears=frozenset(("TI", "FAU", "AU", "BTI")),
    once=frozenset(("TI", "PMID")),
    noise=re.compile(r"\d+[.:]?$"),
)
#: What a record holds all of.
_HELD = frozenset(
    "PMID PMC DP TI BTI TT PB EN VI IP PG LA AB MH OT FAU AU AUID CN JT PT IS ISBN".split()
)


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the records of an NBIB file."""
    gather(reading, blocks(text, _GRAMMAR, reading), _draft, _HELD)


def _draft(block: Block) -> Draft:
    problems: list[str] = []
    pmid = next(
        (hit[0] for value in block.values("PMID") if (hit := re.match(r"\d{1,9}", value))), ""
    )
    pmc = converters.pmcid([value for value in block.values("PMC", "OID") if "PMC" in value])
    ours = block.value("OWN") == OWNER
    if not pmid:
        given = block.value("PMID")
        if given:
            problems.append(unread("PMID", given, "number"))
        elif not pmc and not ours:
            problems.append("the record has no PMID")
    year = values.year(block.values("DP", "DEP", "CRDT"))
    if year is None and (given := block.value("DP")):
        problems.append(unread("DP", given, "year"))
    chapter = bool(block.value("BTI") and block.value("TI"))
    title, titles = _titles(block)
    isbn, issn = values.standard_numbers(block.values("IS", "ISBN"))
    fields: dict[str, Any] = {
        "source_id": pmid or pmc or "",
        "url": f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else None,
        "title": title,
        "titles": titles,
        "authors": _authors(block),
        "year": year,
        "date": _date(block),
        "venue": converters.no_final_stop(values.first_text(_venues(block, chapter=chapter))),
        "publisher": values.first_text(block.values("PB")),
        "edition": values.first_text(block.values("EN")),
        "volume": values.volume(block.value("VI")),
        "issue": values.first_text(block.values("IP")),
        "pages": values.pages(block.value("PG")) or _article_number(block),
        "doi": _doi(block),
        "ids": {scheme: value for scheme, value in (("pmid", pmid), ("pmcid", pmc)) if value},
        "isbn": isbn,
        "issn": issn,
        "type": _kind(block, chapter=chapter),
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")) or values.abstract(block.values("OAB")),
        "keywords": values.keywords(block.values("MH", "OT")),
        "retracted": worktypes.retracted(block.values("PT")),
    }
    if not ours:
        return Draft(fields, "PubMed", problems)
    made_of = origins.read(block.values("GN"))
    fields |= _own_fields(block, fields["ids"])
    return Draft(fields, origins.named(made_of) or _databases(block), problems, made_of)


_MARKED = re.compile(r"(\S.*) \[([a-z][a-z0-9_-]{0,40})\]")


def _own_fields(block: Block, ids: Mapping[str, str]) -> dict[str, Any]:
    """What our own writer has put where PubMed has no place for a field."""
    found = [
        (hit[2], hit[1])
        for value in block.values("LID", "AID")
        if (hit := _MARKED.fullmatch(value[: 2 * values.SHORT]))
    ]
    places = dict(reversed(found))
    pages = [places.get("url", ""), *block.values("LID")]
    links = {"url": values.links(pages), "pdf": values.links([places.get("pdf", "")])}
    more = {name: value for name, value in found if name not in ("doi", "url", "pdf")}
    return {
        "url": next(iter(links["url"]), None),
        "pdf_url": next(iter(links["pdf"]), None),
        "ids": more | dict(ids),
        "editors": tuple(
            author
            for value in block.values("FED")
            if (author := values.one_author(value)) is not None
        ),
    }


def _databases(block: Block) -> str | None:
    told = [value for value in block.values("GN") if value.startswith(DATABASE)]
    return "; ".join(value.removeprefix(DATABASE) for value in told) or None


def _titles(block: Block) -> tuple[str, tuple[str, ...]]:
    """The title without the brackets of a translated one, and TT, in the work's language."""
    own = block.values("TI") or block.values("BTI")
    shown = [converters.bracketed(title) or "" for title in own if values.text(title)]
    return values.titles(
        [*shown, *(converters.no_final_stop(title) or "" for title in block.values("TT"))]
    )


def _venues(block: Block, *, chapter: bool) -> list[str]:
    return [*block.values("JT", "TA"), *(block.values("BTI") if chapter else ())]


def _authors(block: Block) -> tuple[Author, ...]:
    """FAU is a full name, AU behind it its short form; some authors have AU alone, groups CN."""
    out: list[Author] = []
    spelled_out = False
    for field in block.fields:
        author = None
        if field.tag == "FAU":
            author, spelled_out = values.one_author(field.value), True
        elif field.tag == "AU":
            author = (
                None if spelled_out else initials_last(values.text(field.value[: values.SHORT]))
            )
            spelled_out = False
        elif field.tag == "CN" and (name := values.text(field.value)):
            author = Author(name)
        elif (
            field.tag == "AUID"
            and out
            and (orcid := identifiers.orcid(field.value[: values.SHORT]))
        ):
            last = out[-1]
            out[-1] = Author(last.name, last.family, last.given, orcid)
        if author:
            out.append(author)
    return tuple(out)


def _date(block: Block) -> str | None:
    found = converters.date_words(block.value("DP")[: values.SHORT])
    return found if found and len(found) > 4 else None


def _doi(block: Block) -> str | None:
    marked = [value for value in block.values("LID", "AID") if value.rstrip().endswith("[doi]")]
    return (
        values.doi(marked) or values.doi_alone(block.values("DOI")) or _cited_doi(block.value("SO"))
    )


def _cited_doi(citation: str) -> str | None:
    """The DOI in the citation of the record itself, for old records that have it nowhere else."""
    _, label, rest = citation[: values.SHORT].rpartition("doi: ")
    return identifiers.doi(rest.split()[0].rstrip(".")) if label and rest.split() else None


def _article_number(block: Block) -> str | None:
    """A publisher's identifier that is short is the number that stands in place of pages."""
    found = (value.partition(" [pii]")[0] for value in block.values("LID") if "[pii]" in value)
    return next((number for number in found if re.fullmatch(r"[a-zA-Z]?\d{1,8}", number)), None)


def _kind(block: Block, *, chapter: bool) -> str | None:
    words = block.values("PT")
    if named := worktypes.own(words):
        return named
    if chapter:
        return "chapter"
    if block.value("BTI"):
        return "book"
    return worktypes.of_words(words) or ("article" if words else None)
