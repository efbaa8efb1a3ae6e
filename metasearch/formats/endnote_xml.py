"""EndNote XML: <xml><records><record>..., read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from metasearch.bib.names import person
from metasearch.formats import origins
from metasearch.formats.endnote_tagged import TYPES as WORDS
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.items import Element, elements, text_of_file
from metasearch.formats.reading.result import Draft, EntryCollector, FileReading
from metasearch.formats.reading.text import Bytes
from metasearch.formats.reading.worktypes import type_of
from metasearch.formats.reference import (
    databases,
    date_parts,
    four_digits,
    full_title,
    further_titles,
    general_type,
    identifiers,
    inverted,
    is_corporate,
    issuing_body,
    link,
    page_range,
    second_type,
    standard_numbers,
)
from metasearch.formats.text import line, web_url, xml_leaf, xml_parent
from metasearch.record import Author, Hit

# EndNote XML: <xml><records><record>..., plain text in every element. EndNote puts text into
# <style>; Zotero drops what stands outside of one as soon as there is any, so that there is none
# here. No accession number either: Zotero makes a note of it beside the record, and of a label the
# citation key. So identifiers are foreign keys, which both leave out, besides those that have a
# field of their own: PMCID and the numbers of patents. EndNote reads an address in related-urls,
# Zotero in web-urls.

#: What wrote the file, in <source-app>.
APP = "metasearch"
#: Where the name of a type is another one than in the tagged format: "Conference Paper" becomes a
#: presentation in Zotero.
_OWN_WORDS = {"conference-paper": "Conference Proceedings"}
_NUMBERS = {
    "Journal Article": 17,
    "Unpublished Work": 34,
    "Conference Proceedings": 10,
    "Book": 6,
    "Book Section": 5,
    "Thesis": 32,
    "Report": 27,
    "Dataset": 59,
    "Computer Program": 9,
    "Patent": 25,
    "Standard": 58,
    "Encyclopedia": 53,
    "Serial": 57,
    "Map": 20,
    "Music": 61,
    "Audiovisual Material": 3,
    "Film or Broadcast": 21,
    "Artwork": 2,
    "Web Page": 12,
    "Generic": 13,
}
_IN_JOURNALS = frozenset({"Journal Article"})
#: Types whose second custom field is the PMCID.
_WITH_PMCID = frozenset({"Journal Article", "Book", "Book Section"})


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """The file in UTF-8, a record after another, in the order given.

    `hits`: in the order of the records. `beside`: what files say beside the records, by `Hit.id`;
    their origins are written.
    """
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<xml><records>\n'
    for number, (hit, found) in enumerate(with_beside(hits, beside), 1):
        inner = "".join(_elements(hit, number, found))
        yield f"<record>{inner}</record>\n".encode()
    yield b"</records></xml>\n"


def _elements(hit: Hit, number: int, beside: Beside | None) -> Iterator[str]:
    record = hit.record
    kind = general_type(record)
    word = _OWN_WORDS.get(kind, WORDS[kind])
    is_part = bool(record.authors or line(record.venue) or line(record.pages))
    venue = line(record.venue)
    yield xml_leaf("source-app", APP, name=APP)
    yield xml_leaf("rec-number", str(number))
    yield xml_parent("foreign-keys", xml_leaf("key", "; ".join(identifiers(record)), app=APP))
    yield xml_leaf("ref-type", str(_NUMBERS[word]), name=word)
    yield xml_parent(
        "contributors",
        _names("authors", record.authors),
        _names("secondary-authors", record.editors),
    )
    yield xml_parent(
        "titles",
        xml_leaf("title", full_title(record)),
        xml_leaf("secondary-title", venue),
        *(xml_leaf("translated-title", title) for title in further_titles(record)),
    )
    if word in _IN_JOURNALS:
        yield xml_parent("periodical", xml_leaf("full-title", venue))
    yield xml_leaf("pages", "-".join(filter(None, page_range(record.pages))))
    yield xml_leaf("volume", line(record.volume))
    yield xml_leaf("number", line(record.issue))
    yield xml_leaf("edition", line(record.edition))
    keywords = dict.fromkeys(record.keywords + record.subjects)
    yield xml_parent("keywords", *(xml_leaf("keyword", line(keyword)) for keyword in keywords))
    date = "-".join(filter(None, date_parts(record.date)))
    yield xml_parent(
        "dates",
        xml_leaf("year", four_digits(record.year)),
        xml_parent("pub-dates", xml_leaf("date", date)),
    )
    yield xml_leaf("publisher", issuing_body(record))
    yield xml_leaf("isbn", "; ".join(standard_numbers(record)))
    yield xml_leaf("electronic-resource-num", line(record.doi))
    if word in _WITH_PMCID:
        yield xml_leaf("custom2", line(record.ids.get("pmcid")))
    yield xml_leaf("abstract", line(record.abstract))
    made_of = texts(beside.origins) if beside is not None else []
    yield xml_leaf("notes", "\n".join([*(["Retracted"] if record.retracted else []), *made_of]))
    yield xml_leaf("work-type", second_type(kind, word, is_part=is_part))
    yield xml_parent(
        "urls",
        xml_parent("web-urls", xml_leaf("url", link(record) or "")),
        xml_parent("related-urls", xml_leaf("url", link(record) or "")),
        xml_parent("pdf-urls", xml_leaf("url", web_url(record.pdf_url) or "")),
    )
    yield xml_leaf("remote-database-name", "; ".join(databases(hit, beside)))
    yield xml_leaf("language", line(record.language))


def _names(group: str, people: tuple[Author, ...]) -> str:
    return xml_parent(group, *(xml_leaf("author", _name(author)) for author in people))


def _name(author: Author) -> str:
    """Inverted; a comma behind the name of a body keeps EndNote from taking it apart."""
    name = inverted(author)
    return f"{name}," if is_corporate(author, (author,)) and "," not in name else name


# EndNote XML (.xml): what EndNote, and others that follow it, write as "XML":
# <xml><records><record>... Text may stand in any number of <style> elements, whose texts are one. A
# standard number is in <isbn>, whichever it is.

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
    database = values.database(said.all("remote-database-name"), providers, links, numbers)
    ours = said.all("source-app") == [APP]
    own_numbers = [
        number for number in said.all("foreign-keys/key") if ours and values.is_ours(number)
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
        "url": values.landing_page(links),
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
        "ids": values.identifiers([*numbers, *own_numbers], links, said.all("custom2"), database),
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
