"""CSL-JSON (.json): what Zotero, Mendeley, citeproc and DOI resolvers write, and Crossref's works,
which are nearly so.

https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from metasearch.bib import converters, identifier_forms, markup
from metasearch.bib.cuts import most
from metasearch.bib.names.person import person
from metasearch.bib.strings import strings
from metasearch.formats import origins
from metasearch.formats.csl_json.write import CSL_TYPES, genre_word
from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.json_items import items
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.text_pieces import DecodedText
from metasearch.formats.reading.type_words import type_of
from metasearch.record import TYPES, Author

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
    database = accession.database(texts("source")[:1], (), links, ())
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
        "url": accession.landing_page(links),
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
    return origins.is_origin(text) or accession.is_ours(text) or worktypes.own([text]) is not None


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
    own = list(filter(accession.is_ours, notes))
    found = accession.identifiers(own, links, [*labelled, *texts("note")[:1]], database)
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
