"""NBIB, PubMed's and MEDLINE's own format: "PMID- 123", read and written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import starmap, zip_longest
from typing import Any

from metasearch.bib import converters, identifiers, texts, trials
from metasearch.bib.bylines import initials_last
from metasearch.bib.languages import language_code, languages
from metasearch.formats import origins, reference
from metasearch.formats.origins import Beside, BesideHits, with_beside
from metasearch.formats.reading import tagged, values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, FileReading, field_problem
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Hit, Record

# NBIB as PubMed writes it: "PMID- 123", tags of four columns, a blank line behind each record.
# Every record begins with PMID, because reference managers begin one there, and Zotero takes no
# other file for NBIB; readers want a number there, so a work without a PMID has 0, which PubMed has
# given to nothing. "OWN - METASEARCH" tells our own reader that PubMed did not write the record:
# AID then holds identifiers of any scheme, GN databases, origins and what has no tag.
# The Python library nbib refuses a file for one tag with a digit, or one IS, AID or PMC in a form
# that PubMed does not write: what has another form stands in LID or GN.

#: Names the writer of a record.
OWNER = "METASEARCH"
#: PMID of a work that has none.
NO_PMID = "0"
#: What GN says of a work, before the value.
DATABASE, TRANSLATOR, ISSN = "Database: ", "Translator: ", "ISSN: "
#: Which ISSN is whose is not known: PubMed lists that of the paper first.
_MEDIA = ("Print", "Electronic", "Linking")
_ISSN = re.compile(r"[0-9]{4}-[0-9]{3}[0-9X]")
_PMC = re.compile(r"PMC[0-9]{1,9}")
#: Owner of the records of ERIC, and the form of their numbers.
ERIC = "ERIC"
_ERIC_NUMBER = re.compile(r"E[DJ][0-9]{4,9}")
#: Words of a name in which its family name is looked for.
_MOST_WORDS = 20
#: What the library nbib reads in AID: a value and its kind.
_AID = re.compile(r".+ \[[a-zA-Z-]+\]")
_LETTERS = re.compile(r"[A-Z]{2,4}")
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
_LINES = reference.TagLineWriter(
    "{tag:<4}- {value}\r\n",
    re.compile("[A-Z][A-Z0-9]{1,3}"),
    "GN",
    frozenset("PMID PMC OWN TI BTI DP JT".split()),
    of_people=frozenset("FAU AU CN AUID AD FED ED".split()),
)


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    for hit, found in with_beside(hits, beside):
        first = f"PMID- {_pmid(hit.record) or NO_PMID}"
        if found is not None:
            found = replace(found, fields=tuple(starmap(_as_others_read, found.fields)))
        yield f"{first}\r\n".encode() + _LINES.record(_fields(hit, found), found)


def _as_others_read(tag: str, value: str) -> tuple[str, str]:
    """A field of a file in a form that all readers of NBIB take."""
    if not _LETTERS.fullmatch(tag) or tag == "IS":
        return "GN", f"{tag}: {value}"
    return ("LID", value) if tag == "AID" and not _AID.fullmatch(line(value)) else (tag, value)


def _pmid(record: Record) -> str:
    number = line(record.ids.get("pmid"))
    return number if number.isascii() and number.isdecimal() and len(number) < 10 else ""


def _fields(hit: Hit, beside: Beside | None) -> Iterator[tuple[str, str]]:
    record = hit.record
    kind = reference.general_type(record)
    title, venue = reference.full_title(record), line(record.venue)
    in_book = kind == "chapter" and bool(title and venue)
    yield "OWN", OWNER
    for number, medium in zip_longest(record.issn, _MEDIA[: len(record.issn)], fillvalue="Linking"):
        known = _ISSN.fullmatch(number)
        yield ("IS", f"{number} ({medium})") if known else ("GN", f"{ISSN}{line(number)}")
    for number in record.isbn:
        yield "ISBN", line(number)
    yield "VI", line(record.volume)
    yield "IP", line(record.issue)
    yield "DP", _date_of(record)
    yield "TI", title
    if kind == "book":  # in BTI Zotero reads the title of a book, in TI most other readers do
        yield "BTI", title
    yield "BTI" if in_book else "JT", venue
    yield "PG", "-".join(filter(None, reference.page_range(record.pages)))
    yield from _identifiers(record)
    yield "AB", line(record.abstract)
    for other in reference.further_titles(record):
        yield "TT", other
    for author in record.authors:
        yield from _author(author)
    for editor in record.editors:
        yield "FED", _full_name(editor)
        yield "ED", _short_name(editor)
    for translator in record.translators:
        yield "GN", f"{TRANSLATOR}{_full_name(translator)}"
    yield "LA", _language(record)
    yield from _types(record, kind, in_book=in_book)
    yield "PL", line(record.place)
    yield "PB", reference.issuing_body(record)
    yield "EN", line(record.edition)
    for heading in record.subjects:
        yield "MH", line(heading)
    for keyword in record.keywords:
        yield "OT", line(keyword)
    for name in reference.databases(hit, beside):
        yield "GN", f"{DATABASE}{name}"


def _language(record: Record) -> str:
    """The code of three letters that PubMed has ("ger"), where there is one."""
    shown = line(record.language)
    code = language_code(shown) if len(shown) < 4 else None
    return languages()[code].bibliographic if code is not None else shown


def _date_of(record: Record) -> str:
    """As PubMed writes a date, "2020 Mar 15", as precise as it is known."""
    year, month, day = reference.date_parts(record.date)
    if not year or not 1 <= int(month or 0) <= 12:
        return year or reference.four_digits(record.year)
    return " ".join(filter(None, (year, _MONTHS[int(month) - 1], day.lstrip("0"))))


def _identifiers(record: Record) -> Iterator[tuple[str, str]]:
    def with_kind(value: str | None, what: str) -> str:
        return f"{value} [{what}]" if value else ""

    for tag in ("LID", "AID"):  # Zotero reads a DOI in AID only
        yield tag, with_kind(line(record.doi), "doi")
    yield "LID", reference.link(record) or ""  # bare: Zotero makes a link of it
    yield "AID", with_kind(web_url(record.pdf_url), "pdf")
    for scheme, value in trials.each_identifier(record.ids):
        if scheme == "pmcid" and _PMC.fullmatch(value):
            yield "PMC", value
        elif scheme in trials.SCHEMES:
            yield "SI", f"{trials.name_of(scheme)}/{line(value)}"
        elif scheme != "pmid" or not _pmid(record):
            shown = with_kind(line(value), line(scheme))
            yield "AID" if _AID.fullmatch(shown) else "LID", shown


def _author(author: Author) -> Iterator[tuple[str, str]]:
    if reference.is_corporate(author, (author,)):
        yield "CN", line(author.name)
    else:
        yield "FAU", _full_name(author)
        yield "AU", _short_name(author)
        yield "AUID", f"ORCID: {line(author.orcid)}" if author.orcid else ""
    yield "AD", line(author.affiliation)


def _full_name(author: Author) -> str:
    """ "Cobb, Fields W Jr"."""
    if not author.family or not author.suffix:
        return reference.family_first(author)
    return (
        f"{reference.family_first(replace(author, suffix=None))} {line(author.suffix).rstrip('.')}"
    )


def _short_name(author: Author) -> str:
    """ "Cobb FW Jr"."""
    if not author.family:
        return line(author.name)
    parts = re.split(r"[\s.-]+", line(author.given))
    initials = "".join(
        part if part.isupper() and len(part) < 4 else part[0].upper() for part in parts if part
    )
    return " ".join(filter(None, (line(author.family), initials, line(author.suffix).rstrip("."))))


def _types(record: Record, kind: str, *, in_book: bool) -> Iterator[tuple[str, str]]:
    word = TYPES.get(kind, "")
    yield "PT", word
    if not word and kind != "book" and not in_book and record.type not in (None, "other"):
        yield "PT", f"{worktypes.OWN_MARK}{kind}"
    yield "PT", "Retracted Publication" if record.retracted else ""


# Tags have up to four characters, and continuation lines are indented:
# https://www.nlm.nih.gov/bsd/mms/medlineelements.html
# ERIC, and others too, write it without PMID; their records begin with OWN.

_LINE = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*)|$)", re.DOTALL)
#: Tags of more than two letters, which RIS and Ovid do not have, are of this format alone.
_HEAD = re.compile(
    rf"(?:^|[\r\n])[{tagged.BLANKS}]*(?:(?:PMID|PMC )- ?\S|(?:OWN|FAU|BTI|OID) - \S|STAT- \S)"
)


def looks_like(head: str) -> bool:
    return _HEAD.search(head) is not None


def _split(line: str) -> tuple[str, str] | None:
    if line[:1] in tagged.BLANKS:  # nearly all of the others are continuation lines
        line = line if line[:1] == " " else line.lstrip(tagged.BLANKS)
    hit = _LINE.match(line)
    if hit is None:
        return None
    # ERIC has a blank behind four letters, too ("ISSN - EISSN-1234-5678"), others one behind two.
    if line.index("-") != 4 and (len(hit[1]) == 3 or hit[1] not in _KNOWN):
        return None
    return hit[1], hit[2] or ""


#: The first line of a file whose lines are indented, as that of a message is.
_INDENTED = re.compile(r"^( *)(?:PMID|PMC |OWN )-", re.MULTILINE)


def _grammar(text: FileText) -> tagged.TagGrammar:
    """The format as this file writes it: its lines are indented as its first record's is."""
    found = (_INDENTED.search(part) for part in text.stretches(values.SHORT))
    indent = next((hit[1] for hit in found if hit), "")
    return tagged.TagGrammar(
        lambda line, _: _split(line.removeprefix(indent)),
        opens=frozenset(
            ("PMID", "PMC", "OWN")
        ),  # OWN follows PMID at once, and tells a record whose first line is damaged
        bears=frozenset(("TI", "FAU", "AU", "BTI")),
        once=frozenset(("TI",)),
        noise=re.compile(r"\d+[.:]?$"),
    )


#: What a record holds all of.
_HELD = frozenset(
    "PMID PMC DP TI BTI TT PB PL EN VI IP PG LA AB MH OT KW FAU AU AUID FED ED CN JT PT IS ISBN "
    "ISSN".split()
)
#: Of these a record holds the first value alone.
_SINGLE = frozenset("VI IP PB PL EN LA".split())
#: The other tags of the documentation, and those that PubMed, ERIC and KoreaMed write besides.
_KNOWN = _HELD | frozenset(
    """
    AD AID CDAT CI CIN COI COIS CON CP CRDT CRF CRI CTDT CTI DA DCOM DDIN DEP DRDT DRIN ECF ECI EDAT
    EFR EIN FIR FPS GN GR GS IR IRAD JID LID LR MHDA MID NM OAB OABL OCI OID ORI OTO OWN PHST PMCR
    PRIN PROF PS PST PUBM RF RIN RN ROF RPF RPI RRF RRI SB SFM SI SO SPIN STAT TA UI UIN UOF URL VTI
    """.split()
)


def read(text: FileText, reading: FileReading) -> None:
    found = tagged.blocks(text, _grammar(text), reading)
    tagged.gather(reading, tagged.tell_strange_tags(found, _KNOWN, "NBIB", reading), _draft)


def _draft(block: tagged.Block) -> Draft:
    owner = block.value("OWN")
    ours, eric = owner == OWNER, owner == ERIC
    ids = _ids(block)
    year = values.year(block.values("DP", "DEP", "CRDT"))
    chapter = block.value("TI") not in ("", block.value("BTI")) and bool(block.value("BTI"))
    title, titles = _titles(block)
    isbn, issn = values.standard_numbers(block.values("IS", "ISBN", "ISSN"))
    kind = _kind(block, chapter=chapter)
    venues = block.values("JT", "TA", *(["BTI"] if chapter else ()))
    venue = texts.no_final_stop(values.first_text(venues))
    publisher = values.first_text(block.values("PB"))
    institution = None
    if eric and kind != "article" and not publisher:
        venue, publisher = None, venue  # JT of what is in no journal is who issued it
        if kind == "thesis":  # "Ph.D. Dissertation, University of X"
            institution = values.first_text([block.value("SO").partition(", ")[2]])
    fields: dict[str, Any] = {
        "source_id": next((ids[scheme] for scheme in ("pmid", "pmcid") if scheme in ids), "")
        or next(iter(ids.values()), ""),
        "url": _url(block, ids),
        "title": title,
        "titles": titles,
        "authors": _people(block, "FAU", "AU"),
        "editors": _people(block, "FED", "ED"),
        "year": year,
        "date": _date(block, year),
        "venue": venue,
        "publisher": publisher,
        "institution": institution,
        "place": values.first_text(block.values("PL")),
        "edition": values.first_text(block.values("EN")),
        "volume": values.volume(block.value("VI")),
        "issue": values.first_text(block.values("IP")),
        "pages": values.pages(block.value("PG")) or _article_number(block),
        "doi": _doi(block),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values("LA")),
        "abstract": values.abstract(block.values("AB")) or values.abstract(block.values("OAB")),
        "keywords": values.keywords(block.values("OT", "KW")),
        "subjects": values.texts(map(texts.mesh_heading, block.values("MH"))),
        "retracted": worktypes.says_retracted(block.values("PT")),
    }
    problems = _problems(block, ids, year)
    if not ours:
        is_of_pubmed = "pmid" in ids or "pmcid" in ids or not owner
        database = "PubMed" if is_of_pubmed else owner[: values.SHORT]
        return Draft(fields, database, problems, given=_remainder(block, fields))
    notes = block.values("GN")
    made_of = origins.read(notes)
    fields |= _own_fields(block, ids, issn)
    held_by = (
        origins.database_name(made_of) or "; ".join(values.behind_mark(DATABASE, notes)) or None
    )
    return Draft(fields, held_by, problems, made_of, _remainder(block, fields))


def _remainder(block: tagged.Block, fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    return tagged.remainder(
        block, _HELD, fields, single=_SINGLE, years=("DP",), numbers=("IS", "ISBN", "ISSN"),
        pages=("PG",),
    )  # fmt: skip


def _ids(block: tagged.Block) -> dict[str, str]:
    """The one that names the record in its database first."""
    numbers = (re.match(r"\d{1,9}", value) for value in block.values("PMID"))
    pmid = next((hit[0] for hit in numbers if hit and int(hit[0])), None)
    pmc = identifiers.pmcid([value for value in block.values("PMC", "OID") if "PMC" in value])
    eric = next((value for value in block.values("OID") if _ERIC_NUMBER.fullmatch(value)), None)
    found = (("pmid", pmid), ("pmcid", pmc), ("eric", eric))
    of_others = values.identifiers(block.values("UI", "AN"))
    return of_others | {scheme: value for scheme, value in found if value}


def _url(block: tagged.Block, ids: Mapping[str, str]) -> str | None:
    if pmid := ids.get("pmid"):
        return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"
    return next(iter(values.links(block.values("LID", "URL"))), None)


def _problems(block: tagged.Block, ids: Mapping[str, str], year: int | None) -> list[str]:
    problems: list[str] = []
    given = block.value("PMID")
    if given and given != NO_PMID and "pmid" not in ids:
        problems.append(field_problem("PMID", given, "number"))
    elif not given and not ids and block.value("OWN") in ("", "NLM"):
        problems.append("the record has no PMID")
    if year is None and (given := block.value("DP")):
        problems.append(field_problem("DP", given, "year"))
    return problems


_MARKED = re.compile(r"(\S.*) \[([a-z][a-z0-9_-]{0,40})\]")


def _own_fields(
    block: tagged.Block, ids: Mapping[str, str], issn: tuple[str, ...]
) -> dict[str, Any]:
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
    notes = block.values("GN")
    translators = map(values.one_author, values.behind_mark(TRANSLATOR, notes))
    return {
        "url": next(iter(links["url"]), None),
        "pdf_url": next(iter(links["pdf"]), None),
        "ids": more | dict(ids),
        "issn": (*issn, *values.behind_mark(ISSN, notes)),
        "translators": tuple(author for author in translators if author is not None),
    }


def _titles(block: tagged.Block) -> tuple[str, tuple[str, ...]]:
    """The title without the brackets of a translated one, and TT, in the work's language."""
    own = block.values("TI") or block.values("BTI")
    shown = [texts.bracketed(title) or "" for title in own if values.text(title)]
    return values.titles(
        [*shown, *(texts.no_final_stop(title) or "" for title in block.values("TT"))]
    )


def _people(block: tagged.Block, full: str, short: str) -> tuple[Author, ...]:
    """Those of the tags for full and short names, in order; groups (CN) among the authors.

    Old records have short names alone. Else the short name of each follows its full one, or all
    short names follow all full ones: it is passed over where a full name begins as it does.
    """
    out: list[Author] = []
    spelled_out: Counter[str] = Counter()
    of_author = False
    for field in block.fields:
        author = None
        if field.tag == full:
            author = values.one_author(field.value)
            spelled_out[_family(field.value)] += 1
        elif field.tag == short:
            known = next((name for name in _families(field.value) if spelled_out[name]), None)
            if known is not None:
                spelled_out[known] -= 1
            else:
                author = _by_initials(field.value)
        elif field.tag == "CN" and full == "FAU" and (name := values.text(field.value)):
            author = Author(name, collective=True)
        elif full == "FAU" and of_author and out:
            out[-1] = _more(out[-1], field)
        if author:
            out.append(author)
        of_author = field.tag in (full, short, "CN", "AUID", "AD")
    return tuple(out)


def _more(author: Author, field: tagged.TaggedField) -> Author:
    """With the ORCID, or the first affiliation, in a line below the name."""
    if field.tag == "AUID" and (orcid := identifiers.orcid(field.value[: values.SHORT])):
        return replace(author, orcid=orcid)
    if field.tag == "AD" and author.affiliation is None:
        return replace(author, affiliation=values.text(field.value) or None)
    return author


def _by_initials(value: str) -> Author | None:
    """ "Cobb FW Jr" or, in ERIC, "Cobb, Fields W., Jr."."""
    name = values.text(value[: values.SHORT])
    return values.one_author(value) if "," in name else initials_last(name)


def _family(full_name: str) -> str:
    return full_name[: values.SHORT].partition(",")[0].strip().casefold()


def _families(short_name: str) -> Iterator[str]:
    """What may be the family name in "van der Berg AB Jr": all, then ever less of its words."""
    words = short_name[: values.SHORT].casefold().split()[:_MOST_WORDS]
    return (" ".join(words[:end]).rstrip(",") for end in range(len(words), 0, -1))


def _date(block: tagged.Block, year: int | None) -> str | None:
    found = converters.date_words(block.value("DP")[: values.SHORT])
    return found if found and len(found) > 4 else values.date([block.value("DP")], year)


def _doi(block: tagged.Block) -> str | None:
    marked = [value for value in block.values("LID", "AID") if value.rstrip().endswith("[doi]")]
    return (
        values.doi(marked)
        or values.doi_alone(block.values("DOI"))
        or values.doi_of_links(block.values("AID", "LID"))
        or _doi_of_citation(block.value("SO"))
        or _doi_of_citation(block.value("PG"))
    )


def _doi_of_citation(citation: str) -> str | None:
    """The DOI in the citation of the record itself, for old records that have it nowhere else."""
    _, label, rest = citation[: values.SHORT].rpartition("doi: ")
    return identifiers.doi(rest.split()[0].rstrip(".")) if label and rest.split() else None


def _article_number(block: tagged.Block) -> str | None:
    """A publisher's identifier that is short is the number that stands in place of pages."""
    found = (value.partition(" [pii]")[0] for value in block.values("LID") if "[pii]" in value)
    return next((number for number in found if re.fullmatch(r"[a-zA-Z]?\d{1,8}", number)), None)


def _kind(block: tagged.Block, *, chapter: bool) -> str | None:
    words = block.values("PT")
    if named := worktypes.own(words):
        return named
    if chapter:
        return "chapter"
    if block.value("BTI"):
        return "book"
    if block.value("OWN") == ERIC:  # "Reports - Research" is a kind and its kind
        in_journal = block.value("OID").startswith("EJ")
        words += [word.partition(" - ")[0] for word in words]
        return worktypes.refine("article" if in_journal else None, words)
    return worktypes.of_words(words) or ("article" if words else None)
