"""The fields of a tagged record -> a record: one reader, and for each plain format a table of tags.

RefWorks, NoteExpress and EndNote's tagged format differ only in their tags (`TagTable`). Formats
that need more (RIS, NBIB, Web of Science, CNKI) make their drafts themselves and call `gather`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from metasearch.formats import origins
from metasearch.formats.reading import accession, values, worktypes
from metasearch.formats.reading.drafts import Draft, unread
from metasearch.formats.reading.entries import EntryCollector
from metasearch.formats.reading.result import FileReading
from metasearch.formats.reading.tagged import Block, TagGrammar, blocks
from metasearch.formats.reading.text_pieces import DecodedText


@dataclass(frozen=True, slots=True, kw_only=True)
class TagTable:
    """The tags of a format by what they hold, the preferred tag first.

    Attributes:
        held: Tags of which a record holds all; the fields of other tags are kept beside it.
        more_kind: Words that make a general kind more special.
        part: One of these shows that the work is a part of proceedings, not the proceedings.
        no_title: Hold the title where `title` is empty.
        title_mark: Stands before a further title among `notes`; None where none stand there.
        book_authors: Names for a book without `authors`: its editors.
        editors: Names of editors beside the authors.
        between_authors: Divides names that share a field; None where none do.
        year: The year, then dates that contain it.
        book_venue: The container where the work is a book; None for `venue`.
        pages: First page or range; the next tag is read where the one before holds no pages.
        doi_elsewhere: Fields of any content that hold a DOI where they hold nothing else.
        more_numbers: Further identifiers, which are neither `source_id` nor name the database.
        ids_as_source_id: An identifier is the `source_id` where there is no accession number.
        notes: Remarks that may hold identifiers, origins and the type, as our own writers put them.
        prefix: Stands before a tag in a problem ("%" of "%D"); None where the format reports no
            unreadable years and DOIs.
    """

    held: Collection[str]
    kind: tuple[str, ...]
    more_kind: tuple[str, ...] = ()
    part: tuple[str, ...]
    title: tuple[str, ...]
    no_title: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    title_mark: str | None = None
    authors: tuple[str, ...]
    book_authors: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()
    between_authors: re.Pattern[str] | None = None
    year: tuple[str, ...]
    date: tuple[str, ...]
    venue: tuple[str, ...]
    book_venue: tuple[str, ...] | None = None
    publisher: tuple[str, ...]
    edition: tuple[str, ...]
    volume: tuple[str, ...]
    issue: tuple[str, ...]
    pages: tuple[str, ...]
    last_page: tuple[str, ...] = ()
    doi: tuple[str, ...]
    doi_elsewhere: tuple[str, ...] = ()
    standard_numbers: tuple[str, ...]
    numbers: tuple[str, ...]
    more_numbers: tuple[str, ...] = ()
    ids_as_source_id: bool = False
    database: tuple[str, ...]
    links: tuple[str, ...]
    pdf_links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    language: tuple[str, ...]
    abstract: tuple[str, ...]
    keywords: tuple[str, ...]
    prefix: str | None = None


def read_by_table(
    text: DecodedText, reading: FileReading, grammar: TagGrammar, table: TagTable
) -> None:
    """Add the records of a file in a format that a table describes."""
    gather(reading, blocks(text, grammar, reading), partial(_draft, table), table.held)


def beside(block: Block, held: Collection[str]) -> list[tuple[str, str]]:
    """Tags and values of the fields whose tags are not among these, in order, each once."""
    return list(
        dict.fromkeys(
            (field.tag, value)
            for field in block.fields
            if field.tag not in held and (value := field.value) and not origins.is_origin(value)
        )
    )


def gather(
    reading: FileReading,
    found: Iterable[Block],
    draft: Callable[[Block], Draft],
    held: Collection[str] = (),
) -> None:
    """Add an entry for each block to the reading, or a problem where a block is empty.

    `held`: tags of which a record holds all; other fields are given beside it, where `draft` does
    not say which.
    """

    def whole(block: Block) -> Draft:
        made = draft(block)
        if held:
            made.given = beside(block, held)
        return made

    collector = EntryCollector(reading)
    for block in found:
        collector.put(block.line, partial(whole, block))


def _draft(tags: TagTable, block: Block) -> Draft:
    links = values.links(block.values(*tags.links))
    numbers = block.values(*tags.numbers)
    database = origins.named(origins.read(block.values(*tags.notes))) or accession.database(
        block.values(*tags.database), [], links, numbers
    )
    ids = accession.identifiers(
        [*numbers, *block.values(*tags.more_numbers)], links, block.lines(*tags.notes), database
    )
    kind = worktypes.conference(
        worktypes.of_words(block.values(*tags.kind)), is_part=bool(block.value(*tags.part))
    )
    notes = block.values(*tags.notes)
    made_of = origins.read(notes)
    kind = worktypes.own(notes) or worktypes.refined(kind, block.values(*tags.more_kind))
    year = values.year(block.values(*tags.year))
    isbn, issn = values.standard_numbers(block.values(*tags.standard_numbers))
    publisher = values.first_text(block.values(*tags.publisher))
    venue = values.first_text(block.values(*_venue_tags(tags, kind)))
    title, titles = values.titles(
        [
            *(block.values(*tags.title) or block.values(*tags.no_title)),
            *block.values(*tags.titles),
            *_titles_in_notes(tags, notes),
        ]
    )
    fields: dict[str, Any] = {
        "source_id": _source_id(numbers, ids if tags.ids_as_source_id else {}),
        "url": accession.landing_page(links),
        "title": title,
        "titles": titles,
        "authors": values.authors(_names(tags, block, kind)),
        "editors": values.authors(_editors(tags, block)),
        "year": year,
        "date": values.date(block.values(*tags.date), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "edition": values.first_text(block.values(*tags.edition)),
        "volume": values.volume(block.value(*tags.volume)),
        "issue": values.first_text(block.values(*tags.issue)),
        "pages": _pages(tags, block),
        "doi": values.doi(block.values(*tags.doi))
        or values.doi_of_links(links)
        or values.doi_alone(block.values(*tags.doi_elsewhere)),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(block.values(*tags.language)),
        "abstract": values.abstract(block.values(*tags.abstract)),
        "keywords": values.keywords(block.lines(*tags.keywords)),
        "pdf_url": next(iter(values.links(block.values(*tags.pdf_links))), None),
        "retracted": worktypes.retracted([*block.values(*tags.more_kind), *notes]),
    }
    return Draft(fields, database, _problems(tags, block, year), made_of)


def _titles_in_notes(tags: TagTable, notes: Iterable[str]) -> list[str]:
    mark = tags.title_mark
    return [note.removeprefix(mark) for note in notes if mark and note.startswith(mark)]


def _venue_tags(tags: TagTable, kind: str | None) -> tuple[str, ...]:
    return tags.venue if kind != "book" or tags.book_venue is None else tags.book_venue


def _source_id(numbers: Iterable[str], ids: Mapping[str, str]) -> str:
    own = (number for number in numbers if not accession.is_ours(number))
    shown = (values.text(number[: values.SHORT]) for number in (*own, *ids.values()))
    return next(filter(None, shown), "")


def _names(tags: TagTable, block: Block, kind: str | None) -> Iterable[str]:
    fields = block.lines(*tags.authors)
    if not fields and kind == "book":
        fields = block.lines(*tags.book_authors)
    if tags.between_authors is None:
        return fields
    return [name for field in fields for name in tags.between_authors.split(field)]


def _editors(tags: TagTable, block: Block) -> list[str]:
    """Editors beside authors; without authors they stand for those, or are of a series."""
    return block.lines(*tags.editors) if block.value(*tags.authors) else []


def _pages(tags: TagTable, block: Block) -> str | None:
    last = block.value(*tags.last_page)
    read = (values.pages(block.value(tag), last) for tag in tags.pages)
    return next(filter(None, read), None)


def _problems(tags: TagTable, block: Block, year: int | None) -> list[str]:
    """Fields for a year or a DOI that hold something else."""
    problems: list[str] = []
    if tags.prefix is None:
        return problems
    tag = tags.year[0]
    if year is None and (given := values.text(block.value(tag))):
        problems.append(unread(tags.prefix + tag, given, "year"))
    tag = tags.doi[0]
    if (given := values.text(block.value(tag))) and values.doi([given]) is None:
        problems.append(unread(tags.prefix + tag, given, "DOI"))
    return problems
