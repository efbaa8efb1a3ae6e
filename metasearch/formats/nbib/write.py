"""NBIB as PubMed writes it: "PMID- 123", tags of four columns, a blank line behind each record.

Every record begins with PMID, because reference managers begin one there; of a work without a PMID
the field is empty, and no number is invented. The blank behind the tag stays: without it Zotero
does not take the file for NBIB. "OWN - METASEARCH" tells our own reader that PubMed
did not write the record: AID then holds identifiers of any scheme, GN databases and origins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metasearch.formats.origins import Beside, BesideHits, with_beside
from metasearch.formats.reading import worktypes
from metasearch.formats.reference import (
    date_parts,
    full_title,
    inverted,
    is_corporate,
    issuing_body,
    link,
    page_range,
)
from metasearch.formats.tagged_lines import (
    TaggedLines,
    databases,
    four_digits,
    further_titles,
    general_type,
)
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Hit, Record

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
    yield "DP", _date(record)
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


def _date(record: Record) -> str:
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
