"""CSL-JSON (.json): a list with an item a work, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import orjson

from metasearch.bib import converters
from metasearch.bib import identifiers as identifier_forms
from metasearch.bib import texts as markup
from metasearch.bib.field_limits import most
from metasearch.bib.names import person
from metasearch.bib.texts import strings
from metasearch.formats import origins
from metasearch.formats.origins import Beside, BesideHits, joined, with_beside
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.items import items
from metasearch.formats.reading.result import Draft, EntryCollector, FileReading
from metasearch.formats.reading.text import DecodedText
from metasearch.formats.reading.worktypes import type_of
from metasearch.formats.reference import (
    databases,
    date_parts,
    full_title,
    further_titles,
    general_type,
    identifiers,
    issuing_body,
    link,
    page_range,
)
from metasearch.formats.text import clean, line
from metasearch.record import TYPES, Author, Hit, Record

# CSL-JSON, as citation processors, Zotero, Pandoc and others read it: a list with an item a hit.
# Zotero refuses a whole file for one type that it does not know, so no other type is written; what
# a type of CSL does not tell stands in `genre`, as a word, because styles print it.
# https://docs.citationstyles.org/en/stable/specification

#: `Record.type` -> type of CSL.
CSL_TYPES = {
    "article": "article-journal",
    "preprint": "article",
    "conference-paper": "paper-conference",
    "proceedings": "book",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "document",
    "patent": "patent",
    "standard": "standard",
    "review": "article-journal",
    "editorial": "article-journal",
    "letter": "article-journal",
    "erratum": "article-journal",
    "retraction": "article-journal",
    "reference-entry": "entry-encyclopedia",
    "journal": "book",
    "map": "map",
    "score": "musical_score",
    "audio": "song",
    "video": "motion_picture",
    "image": "graphic",
    "webpage": "webpage",
    "other": "document",
}
#: Types whose container is a series.
_IN_SERIES = frozenset({"book", "proceedings", "thesis", "report", "map", "standard"})


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """A list with an object for each hit, in UTF-8, a line each, in the order given. `hits`: in the
    order of the items. `beside`: what files say beside the records, by `Hit.id`.
    """
    before = b"[\n"
    for hit, found in with_beside(hits, beside):
        yield before + orjson.dumps(item(hit, found))
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def item(hit: Hit, beside: Beside | None = None) -> dict[str, Any]:
    """The item of a hit, without members that say nothing."""
    record = hit.record
    kind = general_type(record)
    arxiv = line(record.ids.get("arxiv"))
    found: dict[str, Any] = {
        "id": line(hit.id),
        "type": CSL_TYPES[kind],
        "genre": _genre(record, kind),
        "title": full_title(record),
        "original-title": further_titles(record),
        "author": [_name(author) for author in record.authors],
        "editor": [_name(editor) for editor in record.editors],
        "issued": _issued(record),
        "collection-title" if kind in _IN_SERIES else "container-title": line(record.venue),
        "publisher": issuing_body(record) or (line(record.venue) if kind == "preprint" else ""),
        "edition": line(record.edition),
        "volume": line(record.volume),
        "issue": line(record.issue),
        "number": _number(record, kind),
        "page": "-".join(filter(None, page_range(record.pages))),
        "DOI": line(record.doi),
        "ISBN": " ".join(map(line, record.isbn)),
        "ISSN": ", ".join(map(line, record.issn)),
        "PMID": line(record.ids.get("pmid")),
        "PMCID": line(record.ids.get("pmcid")),
        "archive": "arXiv" if arxiv and kind != "preprint" else "",
        "archive_location": arxiv if kind != "preprint" else "",
        "URL": link(record),
        "language": line(record.language),
        "license": line(record.licence),
        # A book with a version is a program to Zotero.
        "version": line(record.version) if CSL_TYPES[kind] != "book" else "",
        "abstract": clean(record.abstract or ""),
        "keyword": "; ".join(map(line, dict.fromkeys(record.keywords + record.subjects))),
        "source": "; ".join(databases(hit, beside)),
        "note": _note(record, beside),
        "status": "retracted" if record.retracted else "",
    }
    others = found["original-title"]
    found["original-title"] = others[0] if others else ""
    found["translated-title"] = others[1:]
    made = {name: value for name, value in found.items() if value}
    if beside is not None:
        _add_beside(made, beside)
    return made


def _add_beside(made: dict[str, Any], beside: Beside) -> None:
    """Members of files; several values of one are apart by semicolons, and one whose name is ours
    goes into the note.
    """
    ours = dict(made)
    for name, value in ((clean(tag), clean(text)) for tag, text in beside.fields):
        if not name or not value or value == ours.get(name):
            continue
        target, shown = ("note", f"{name}: {value}") if name in ours else (name, value)
        if target == "note":
            made["note"] = "\n".join(filter(None, (made.get("note"), shown)))
        elif shown not in made.get(target, "").split("; "):
            made[target] = "; ".join(filter(None, (made.get(target), shown)))


def genre_word(kind: str) -> str:
    """What `genre` calls one of `TYPES`: "conference-paper" as "Conference paper"."""
    return kind.replace("-", " ").capitalize()


def _number(record: Record, kind: str) -> str:
    """The number of a patent; of a preprint in arXiv the number there, as styles print it."""
    if kind == "patent":
        return line(record.ids.get("patent"))
    arxiv = line(record.ids.get("arxiv")) if kind == "preprint" else ""
    return f"arXiv:{arxiv}" if arxiv else ""


def _genre(record: Record, kind: str) -> str:
    """Our type where that of CSL is read as another one."""
    if record.type is None or kind == "other":
        return ""
    read = "preprint" if CSL_TYPES[kind] == "article" else worktypes.type_of([CSL_TYPES[kind]])
    return "" if read == kind and not (kind == "preprint" and record.venue) else genre_word(kind)


def _name(author: Author) -> dict[str, str]:
    family, given, orcid = line(author.family), line(author.given), line(author.orcid)
    named = {"family": family, "given": given} if family else {"literal": line(author.name)}
    whole = named | ({"ORCID": f"https://orcid.org/{orcid}"} if orcid else {})
    return {part: value for part, value in whole.items() if value}


def _issued(record: Record) -> dict[str, list[list[int]]] | None:
    year, month, day = date_parts(record.date)
    known = [int(part) for part in (year, month, day) if part]
    if not known and record.year is not None and 0 < record.year < 10_000:
        known = [record.year]
    return {"date-parts": [known]} if known else None


def _note(record: Record, beside: Beside | None) -> str:
    """Identifiers that CSL has no variable for, and where the records come from."""
    apart = ("arxiv", "pmid", "pmcid")
    own = [name for name in identifiers(record) if name.partition(":")[0] not in apart]
    made_of = joined(beside.origins) if beside is not None else ""
    return "\n".join(filter(None, ("; ".join(own), made_of)))


# CSL-JSON (.json): what Zotero, Mendeley, citeproc and DOI resolvers write, and Crossref's works,
# which are nearly so.
# https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables

#: Where the date of publication stands: CSL has one, Crossref several.
_DATES = ("issued", "published", "published-print", "published-online", "posted")
#: Members of which a record holds all.
_HELD = frozenset(
    """
    id type title subtitle original-title translated-title issued published published-print
    published-online posted URL source ISBN ISSN publisher container-title author editor edition
    volume issue page article-number DOI language abstract keyword categories subject
    is-referenced-by-count PMID PMCID version
""".split()
)
#: (type of CSL, our word in `genre`) -> `Record.type`.
_OWN_GENRES = {(CSL_TYPES[kind], genre_word(kind)): kind for kind in TYPES if kind != "other"}
_LOOKS = re.compile(
    r'"(?:container-title|date-parts|issued|DOI|title-short|original-date|is-referenced-by-count|publisher-place)"\s*:'
)


def looks_like(head: str) -> bool:
    """Whether a text begins as JSON with members of CSL does."""
    return head.lstrip("\ufeff \t\r\n")[:1] in ("[", "{") and _LOOKS.search(head) is not None


def read(text: DecodedText, reading: FileReading) -> None:
    """Add the items of a CSL-JSON file."""
    collector = EntryCollector(reading)
    for item in items(text.whole()):
        if isinstance(item.value, Mapping):
            collector.put(item.line, partial(_draft, _unwrapped(item.value)))
        else:
            collector.lose(
                item.line,
                f"the item could not be read and was left out: {item.flaw or 'it is no object'}",
            )
    if not collector.position and any(piece.strip(" \t\r\n[]") for piece in text.pieces()):
        collector.remark(0, "no item was found: CSL-JSON is a list of objects")


def _unwrapped(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The work itself, where an answer of Crossref has it in "message"."""
    inner = item.get("message")
    return inner if isinstance(inner, Mapping) else item


def _draft(item: Mapping[str, Any]) -> Draft:
    def texts(*names: str) -> list[str]:
        return [text for name in names for text in strings(item.get(name))]

    title, titles = values.titles(texts("title", "original-title", "translated-title"))
    date = next((date for name in _DATES if (date := _date(item.get(name)))), None)
    links = values.links(texts("URL"))
    database = values.database(texts("source")[:1], (), links, ())
    isbn, issn = values.standard_numbers(texts("ISBN", "ISSN"))
    publisher = values.first_text(texts("publisher"))
    venue = values.first_text(
        texts("container-title", "event-title", "collection-title", "container-title-short")
    )
    genres = texts("genre")
    own_genre = _own_genre(texts("type"), genres)
    kind = own_genre or _kind(texts("type"), venue)
    if kind == "preprint" and publisher == venue:
        publisher = None  # ours: programs look for the repository there
    notes = [part for text in texts("note") for part in text.split("\n")]
    made_of = origins.read(notes)
    fields = {
        "source_id": next(iter(values.texts(texts("id", "citation-key")[:1])), "")[:200],
        "url": values.landing_page(links),
        "title": title,
        "subtitle": values.first_text(texts("subtitle")),
        "titles": titles,
        "authors": _people(item.get("author")) or _people(item.get("editor")),
        "editors": _people(item.get("editor")) if item.get("author") else (),
        "year": int(date[:4]) if date else None,
        "date": date,
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "institution": publisher if kind in ("thesis", "report") else None,
        "edition": values.first_text(texts("edition")),
        "volume": values.volume(next(iter(texts("volume")), "")),
        "issue": values.first_text(texts("issue")),
        "pages": next(
            (pages for value in texts("page", "article-number") if (pages := values.pages(value))),
            None,
        ),
        "doi": values.doi(texts("DOI")) or values.doi_of_links(links),
        "ids": _identifiers(texts, links, database),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(texts("language")),
        "abstract": values.abstract(texts("abstract")[:1]),
        "keywords": _keywords(texts("keyword"), texts("categories", "subject")),
        "citations": converters.integer(item.get("is-referenced-by-count")),
        "version": values.first_text(texts("version")),
        "licence": values.first_text(texts("license")),
        "retracted": worktypes.retracted(texts("status")),
    }
    given = [
        (name, text)
        for name in item
        if name not in _HELD and not (name == "genre" and own_genre)
        for text in texts(name)
        if not any(map(_is_ours, text.split("\n")))
        and not (name == "collection-title" and text == venue)
    ]
    return Draft(fields, origins.named(made_of) or database, origins=made_of, given=given)


def _is_ours(text: str) -> bool:
    """Whether our own writer puts such a line beside the fields of a record."""
    return origins.is_origin(text) or values.is_ours(text) or worktypes.own([text]) is not None


def _own_genre(types: list[str], genres: list[str]) -> str | None:
    """The type that our own writer names in `genre` beside a more general type of CSL."""
    return _OWN_GENRES.get((types[0], genres[0])) if types and genres else None


def _kind(words: list[str], venue: str | None) -> str | None:
    """CSL has "article" for a preprint, "article-journal" for a paper; others mix them."""
    return "preprint" if words[:1] == ["article"] and not venue else type_of(words)


def _date(found: Any) -> str | None:
    """A CSL date, or a string where one should be."""
    if isinstance(found, Mapping):
        parts = converters.date_parts(found.get("date-parts"))
        texts = strings([found.get("raw"), found.get("literal")])
        if date := parts or values.date(texts, None):
            return date
        years = (values.year([text]) for text in texts)
        return next((str(year) for year in years if year), None)
    year = values.year(strings(found))
    return values.date(strings(found), year) or (str(year) if year else None)


def _people(found: Any) -> tuple[Author, ...]:
    authors: list[Author] = []
    for given in most("authors", found) if isinstance(found, list) else [found]:
        if isinstance(given, str):
            authors += values.authors([given])
        elif isinstance(given, Mapping):
            authors += filter(None, [_author(given)])
    return tuple(authors)


def _author(parts: Mapping[str, Any]) -> Author | None:
    def part(*names: str) -> str:
        return " ".join(text for name in names for text in strings(parts.get(name))[:1])

    family = part("dropping-particle", "non-dropping-particle", "family") if part("family") else ""
    given = part("given")
    whole = markup.without_markup(part("literal") or part("name"))
    if family and not given and parts.get("isInstitution"):
        family, whole = "", family
    if family or given:
        return person("", family, given, part("ORCID"))
    return Author(whole) if whole else None


def _identifiers(texts: Any, links: list[str], database: str | None) -> dict[str, str]:
    labelled = [f"{name} {value}" for name in ("PMID", "PMCID") for value in texts(name)[:1]]
    notes = [part for text in texts("note")[:1] for part in text.split("\n")]
    own = list(filter(values.is_ours, notes))
    found = values.identifiers(own, links, [*labelled, *texts("note")[:1]], database)
    in_arxiv = [*texts("archive", "publisher"), *texts("number", "archive_location")]
    arxiv = next(
        (
            a
            for value in texts("number", "archive_location")
            if (a := identifier_forms.arxiv_id(value[:100]))
        ),
        None,
    )
    if arxiv and any("arxiv" in value.lower() for value in in_arxiv):
        found.setdefault("arxiv", arxiv)
    return found


def _keywords(joined: list[str], listed: list[str]) -> tuple[str, ...]:
    parts = [
        part for text in joined for part in (text.split(";") if ";" in text else text.split(","))
    ]
    return values.keywords([*parts, *listed])
