"""The fields of a work as pazpar2's clients know them: `md-title`, `md-author`, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from metasearch.formats.reference import inverted
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Record

#: Values of a repeated field in a list of works; a single record is written whole.
_MOST_IN_A_LIST = 20
#: Names in `md-title-responsibility`.
_MOST_RESPONSIBLE = 10
_TAG = re.compile(r"<[/!?]?[A-Za-z][^<>]*>")
_OPENING = re.compile(r"<(?=[A-Za-z/!?])")

Field = tuple[str, str]


def plain_text(text: str | None) -> str:
    """The text on one line, without anything that a browser takes for a tag: clients write values
    into their pages as HTML.

    >>> plain_text("<i>Mus</i> where p<0.05 <<b>script>")
    'Mus where p<0.05 < script>'
    """
    value = line(text)
    if "<" not in value:
        return value
    # What is left when a tag has been taken out of a tag must not be a tag either.
    return line(_OPENING.sub("< ", _TAG.sub("", value)))


def fields_of(record: Record, *, whole: bool) -> list[Field]:
    """Name, without "md-", and value of each field that the record has, in the order of writing."""
    return [(name, value) for name, value in _fields(record, whole) if value]


def _fields(record: Record, whole: bool) -> Iterator[Field]:
    most = None if whole else _MOST_IN_A_LIST

    def repeated(name: str, values: Iterable[str]) -> Iterator[Field]:
        return ((name, plain_text(value)) for value in islice(values, most))

    yield "title", plain_text(record.title)
    yield "title-remainder", plain_text(record.subtitle)
    yield "title-responsibility", _responsible(record.authors)
    yield from repeated("author", map(inverted, islice(record.authors, most)))
    yield "date", str(record.year) if record.year else ""
    yield "medium", record.type or ""
    yield "journal-title", plain_text(record.venue)
    yield "volume-number", plain_text(record.volume)
    yield "issue-number", plain_text(record.issue)
    yield "pages-number", plain_text(record.pages)
    yield "publication-name", plain_text(record.publisher)
    yield "language", plain_text(record.language)
    yield from repeated("issn", record.issn)
    yield from repeated("isbn", record.isbn)
    yield "doi", plain_text(record.doi)
    for url in dict.fromkeys((record.url, record.pdf_url)):
        yield "electronic-url", _address(url)
    yield from repeated("subject", dict.fromkeys((*record.subjects, *record.keywords)))
    if whole:
        abstract = plain_text(record.abstract)
        yield "description", abstract
        yield "abstract", abstract


def _responsible(authors: tuple[Author, ...]) -> str:
    names = [plain_text(author.name) for author in authors[:_MOST_RESPONSIBLE]]
    further = "; et al." if len(authors) > len(names) else ""
    return "; ".join(filter(None, names)) + further


def _address(url: str | None) -> str:
    """The address as a page can hold it between quotation marks of either kind."""
    return (web_url(url) or "").replace("'", "%27")
