"""EndNote XML (.xml): what EndNote, and others that follow it, write as "XML":
<xml><records><record>...

Text may stand in any number of <style> elements, whose texts are one. A standard number is in
<isbn>, whichever it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from metasearch.bib.names.person import person
from metasearch.formats import origins
from metasearch.formats.endnote.write_xml import APP
from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.text_pieces import Bytes
from metasearch.formats.reading.type_words import type_of
from metasearch.formats.reading.xml_records import Element, elements, text_of_file
from metasearch.record import Author

_BEGIN = r"<record(?:\s[^<>]*)?>"
_ENDNOTE = re.compile(
    r"<(?:ref-type|source-app|rec-number|contributors|electronic-resource-num|foreign-keys)[\s>]"
)
#: Levels below a record: urls/related-urls/url has three.
_DEEPEST = 4
#: Some databases give volume and issue as one: "6(2)".
_VOLUME_AND_ISSUE = re.compile(r"\s*([^()\s]{1,20})\s*\(\s*([^()]{1,20})\s*\)\s*")


def looks_like(head: str) -> bool:
    """Whether a text begins as EndNote's XML does."""
    return "<record" in head and _ENDNOTE.search(head) is not None and "<datafield" not in head


def read(content: Bytes, reading: FileReading) -> None:
    """Add the records of an EndNote XML file."""
    collector = EntryCollector(reading)
    for found in elements(text_of_file(content, reading), _BEGIN, collector):
        collector.put(found.line, partial(_draft, found))


def _draft(found: Element) -> Draft:
    said = _Said(found.node)
    links = values.links(said.all("urls/related-urls/url", "urls/web-urls/url", "urls/url"))
    numbers = said.all("accession-num")
    providers = said.all("remote-database-provider")
    database = accession.database(said.all("remote-database-name"), providers, links, numbers)
    ours = said.all("source-app") == [APP]
    own_numbers = [
        number for number in said.all("foreign-keys/key") if ours and accession.is_ours(number)
    ]
    made_of = origins.read(part for note in said.all("notes") for part in note.splitlines())
    kind = _kind(said)
    title, titles = values.titles(said.all("titles/title", "titles/translated-title"))
    year = values.year(said.all("dates/year", "dates/pub-dates/date"))
    isbn, issn = values.standard_numbers(said.all("isbn"))
    publisher = values.first_text(said.all("publisher"))
    venue = values.first_text(
        said.all(
            "periodical/full-title",
            "titles/secondary-title",
            "titles/alt-title",
            "periodical/abbr-1",
        )
    )
    volume, issue = (
        values.first_text(said.all("volume")),
        values.first_text(said.all("number", "issue")),
    )
    if not issue and volume and (both := _VOLUME_AND_ISSUE.fullmatch(volume)):
        volume, issue = both.groups()
    fields = {
        "source_id": next(
            iter(values.texts([*numbers, *([] if ours else said.all("rec-number"))])), ""
        )[:200],
        "url": accession.landing_page(links),
        "title": title,
        "titles": titles,
        "authors": _authors(said),
        "editors": _people(said.all("contributors/secondary-authors/author"))
        if ours and said.all("contributors/authors/author")
        else (),
        "year": year,
        "date": values.date(said.all("dates/pub-dates/date"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "edition": values.first_text(said.all("edition")),
        "volume": values.volume(volume or ""),
        "issue": issue,
        "pages": next(
            (pages for text in said.all("pages", "custom7") if (pages := values.pages(text))), None
        ),
        "doi": values.doi(said.all("electronic-resource-num")) or values.doi_of_links(links),
        "ids": accession.identifiers(
            [*numbers, *own_numbers], links, said.all("custom2"), database
        ),
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(said.all("language")),
        "abstract": values.abstract(said.all("abstract")),
        "keywords": values.keywords(
            part for keyword in said.all("keywords/keyword") for part in keyword.splitlines()
        ),
        "pdf_url": next(iter(values.links(said.all("urls/pdf-urls/url"))), None),
        "retracted": worktypes.retracted(
            part for note in said.all("notes", "work-type") for part in note.splitlines()
        ),
    }
    problems = [found.mended] if found.mended else []
    return Draft(fields, origins.named(made_of) or database, problems, made_of)


def _kind(said: _Said) -> str | None:
    kind = type_of(said.all("ref-type@name"))
    is_part = bool(said.all("contributors/authors/author", "titles/secondary-title", "pages"))
    return worktypes.refined(worktypes.conference(kind, is_part=is_part), said.all("work-type"))


def _authors(said: _Said) -> tuple[Author, ...]:
    """Authors, or who edited the whole."""
    return _people(
        said.all("contributors/authors/author") or said.all("contributors/secondary-authors/author")
    )


def _people(names: Iterable[str]) -> tuple[Author, ...]:
    """A name that ends in a comma is a body's, which must not be taken apart."""
    authors: list[Author] = []
    for name in names:
        bare = name.rstrip(" ,")
        if bare != name and "," not in bare:
            authors += filter(None, [person(bare)])
        else:
            authors += values.authors([bare])
    return tuple(authors)


class _Said:
    """The texts of a record by where they stand: "titles/title"."""

    def __init__(self, node: Any) -> None:
        self._texts: dict[str, list[str]] = {}
        for child in node:
            self._walk(child, child.tag, 1)
        kind = node.find("ref-type")
        if kind is not None:
            self._texts["ref-type@name"] = [kind.get("name") or ""]

    def _walk(self, node: Any, path: str, depth: int) -> None:
        if len(node) == 0 or node[0].tag == "style" or depth == _DEEPEST:
            text = "".join(node.itertext()).strip()
            if text:
                self._texts.setdefault(path, []).append(text)
            return
        for child in node:
            self._walk(child, f"{path}/{child.tag}", depth + 1)

    def all(self, *paths: str) -> list[str]:
        """The texts at these paths, path by path, without the empty ones."""
        return [text for path in paths for text in self._texts.get(path, ())]
