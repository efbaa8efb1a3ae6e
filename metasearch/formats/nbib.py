"""NBIB, PubMed's and MEDLINE's own format: "PMID- 123", tags of up to four characters, continuation
lines indented.

Tags: https://www.nlm.nih.gov/bsd/mms/medlineelements.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metasearch.bib import converters, identifier_forms
from metasearch.bib.names.person import initials_last
from metasearch.formats import origins
from metasearch.formats.nbib.write import DATABASE, OWNER
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.drafts import Draft, unread
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import BLANKS, Block, TagGrammar, blocks
from metasearch.formats.reading.tagged_records import gather
from metasearch.formats.reading.text_pieces import DecodedText
from metasearch.record import Author

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
            and (orcid := identifier_forms.orcid(field.value[: values.SHORT]))
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
    return identifier_forms.doi(rest.split()[0].rstrip(".")) if label and rest.split() else None


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
