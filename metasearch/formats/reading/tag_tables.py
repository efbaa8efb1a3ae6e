"""The fields of a tagged record -> a record, and back: one reader, one writer, and for each plain
format a table of tags.

RefWorks, NoteExpress and EndNote's tagged format differ only in their tags (`TagTable`). Formats
that need more (RIS, NBIB, Web of Science, CNKI) make their drafts themselves and call
`tagged.gather`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from metasearch.formats import origins, reference
from metasearch.formats.origins import Beside
from metasearch.formats.reading import tagged, values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, FileReading, field_problem
from metasearch.formats.reference import standard_numbers
from metasearch.formats.text import line, web_url
from metasearch.record import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class TagTable:
    """The tags of a format by what they hold, the preferred tag first, which is also written.

    Attributes:
        held: Tags of which a record holds all; the fields of other tags are kept beside it.
        more_kind: Words that make a general kind more special.
        part: One of these shows that the work is a part of proceedings, not the proceedings.
        no_title: Hold the title where `title` is empty.
        title_mark: Stands before a further title among `notes`; None where none stand there.
        editors: Names of editors.
        book_editors: The same of a book that has neither authors nor `editors`.
        translators: Names of translators.
        no_translators: Words in `kind`, in small letters, for types in which they are others.
        translator_mark: Stands before a translator among `notes`; None where none stand there.
        edited: Words in `kind`, in small letters, for books whose `authors` are their editors.
        between_authors: Divides names that share a field; None where none do.
        year: The year, then dates that contain it.
        book_venue: The container where the work is a book; None for `venue`.
        pages: First page or range, or how many pages there are; the next tag is read where the one
            before holds no pages.
        doi_elsewhere: Fields of any content that hold a DOI where they hold nothing else.
        more_numbers: Further identifiers, which are neither `source_id` nor name the database.
        ids_as_source_id: An identifier is the `source_id` where there is no accession number.
        notes: Remarks that may hold identifiers, origins and the type, as our own writers put them.
        prefix: Stands before a tag in a problem ("%" of "%D"); None where the format reports no
            unreadable years and DOIs.
        known: The other tags of the format.
        form: What the format is called in a problem.
    """

    held: Collection[str]
    known: Collection[str]
    form: str
    kind: tuple[str, ...]
    more_kind: tuple[str, ...] = ()
    part: tuple[str, ...]
    title: tuple[str, ...]
    no_title: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    title_mark: str | None = None
    authors: tuple[str, ...]
    editors: tuple[str, ...] = ()
    book_editors: tuple[str, ...] = ()
    translators: tuple[str, ...] = ()
    no_translators: Collection[str] = ()
    translator_mark: str | None = None
    edited: Collection[str] = ()
    between_authors: re.Pattern[str] | None = None
    year: tuple[str, ...]
    date: tuple[str, ...]
    venue: tuple[str, ...]
    book_venue: tuple[str, ...] | None = None
    publisher: tuple[str, ...]
    place: tuple[str, ...]
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
    text: FileText, reading: FileReading, grammar: tagged.TagGrammar, table: TagTable
) -> None:
    found = tagged.tell_strange_tags(
        tagged.blocks(text, grammar, reading), {*table.held, *table.known}, table.form, reading,
        prefix=table.prefix or "",
    )  # fmt: skip
    tagged.gather(reading, found, partial(_draft, table))


def _draft(tags: TagTable, block: tagged.Block) -> Draft:
    links = values.links(block.values(*tags.links))
    numbers = block.values(*tags.numbers)
    database = origins.database_name(origins.read(block.values(*tags.notes))) or values.database(
        block.values(*tags.database), [], links, numbers
    )
    ids = values.identifiers(
        [*numbers, *block.values(*tags.more_numbers)], links, block.lines(*tags.notes), database
    )
    kind = worktypes.conference(
        worktypes.of_words(block.values(*tags.kind)), is_part=bool(block.value(*tags.part))
    )
    notes = block.values(*tags.notes)
    made_of = origins.read(notes)
    kind = worktypes.own(notes) or worktypes.refine(kind, block.values(*tags.more_kind))
    year = values.year(block.values(*tags.year))
    isbn, issn, patent = values.numbers_of_work(kind, block.values(*tags.standard_numbers))
    if patent:
        ids.setdefault("patent", patent)
    publisher = values.first_text(block.values(*tags.publisher))
    of_book = tags.book_venue if kind == "book" else None
    venue = values.first_text(block.values(*(tags.venue if of_book is None else of_book)))
    authors = _names(tags, block, tags.authors)
    kind_word = block.value(*tags.kind).lower()
    editor_tags, translator_tags = tags.editors, tags.translators
    editors = _names(tags, block, editor_tags)
    if not editors and not authors and kind == "book":
        editor_tags = tags.book_editors
        editors = _names(tags, block, editor_tags)
    if not editors and kind_word in tags.edited:
        authors, editors = [], authors
    if kind_word in tags.no_translators:
        translator_tags = ()
    title, titles = values.titles(
        [
            *(block.values(*tags.title) or block.values(*tags.no_title)),
            *block.values(*tags.titles),
            *values.behind_mark(tags.title_mark, notes),
        ]
    )
    fields: dict[str, Any] = {
        "source_id": _source_id(numbers, ids if tags.ids_as_source_id else {}),
        "url": values.landing_page(links),
        "title": title,
        "titles": titles,
        **values.people(
            authors,
            editors,
            [
                *_names(tags, block, translator_tags),
                *values.behind_mark(tags.translator_mark, notes),
            ],
        ),
        "year": year,
        "date": values.date(block.values(*tags.date), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "place": values.place(block.values(*tags.place)),
        "edition": values.edition(block.values(*tags.edition)),
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
        "retracted": worktypes.says_retracted([*block.values(*tags.more_kind), *notes]),
    }
    held = {*tags.held, *editor_tags, *translator_tags}
    given = tagged.remainder(
        block, held, fields, single=_single(tags), years=tags.year, dois=tags.doi,
        numbers=tags.standard_numbers, pages=tags.pages, last=block.value(*tags.last_page),
        names=(venue, title, *titles, fields["edition"]),
        named=(*tags.venue, *(tags.book_venue or ()), *tags.edition),
    )  # fmt: skip
    return Draft(fields, database, _problems(tags, block, year), made_of, given)


def _source_id(numbers: Iterable[str], ids: Mapping[str, str]) -> str:
    own = (number for number in numbers if not values.is_ours(number))
    shown = (values.text(number[: values.SHORT]) for number in (*own, *ids.values()))
    return next(filter(None, shown), "")


def _names(tags: TagTable, block: tagged.Block, of: tuple[str, ...]) -> list[str]:
    fields = block.lines(*of)
    if tags.between_authors is None:
        return fields
    return [name for field in fields for name in tags.between_authors.split(field)]


def _single(tags: TagTable) -> set[str]:
    """Tags of which a record holds one value."""
    once = (
        tags.publisher, tags.place, tags.volume, tags.issue, tags.language
    )  # fmt: skip
    return {tag for some in once for tag in some if tag in tags.held}


def _pages(tags: TagTable, block: tagged.Block) -> str | None:
    last = block.value(*tags.last_page)
    read = (values.pages_of_fields(block.values(tag) or [""], last) for tag in tags.pages)
    return next(filter(None, read), None)


def _problems(tags: TagTable, block: tagged.Block, year: int | None) -> list[str]:
    """Fields for a year or a DOI that hold something else."""
    problems: list[str] = []
    if tags.prefix is None:
        return problems
    tag = tags.year[0]
    if year is None and (given := values.year_text(block.value(tag))):
        problems.append(field_problem(tags.prefix + tag, given, "year"))
    tag = tags.doi[0]
    if (given := values.text(block.value(tag))) and values.doi([given]) is None:
        problems.append(field_problem(tags.prefix + tag, given, "DOI"))
    return problems


def fields_of_hit(
    tags: TagTable,
    order: str,
    hit: Hit,
    beside: Beside | None,
    apart: Mapping[str, Iterable[tuple[str, str]]],
) -> Iterator[tuple[str, str]]:
    """Tags and values of a hit, empty ones among them.

    `order`: names of fields of the table, as a record of the format has them. `apart`: by such
    names, tags and values that the format has in its own way.
    """
    record = hit.record
    found = {
        "title": [reference.full_title(record)],
        "titles": reference.further_titles(record),
        "authors": map(reference.in_one_field, record.authors),
        "editors": map(reference.in_one_field, record.editors),
        "translators": map(reference.in_one_field, record.translators),
        "place": [line(record.place)],
        "publisher": [reference.issuing_body(record)],
        "year": [reference.four_digits(record.year)],
        "date": [reference.iso_date(record.date)],
        "volume": [line(record.volume)],
        "issue": [line(record.issue)],
        "pages": ["-".join(filter(None, reference.page_range(record.pages)))],
        "edition": [line(record.edition)],
        "keywords": map(line, dict.fromkeys(record.keywords + record.subjects)),
        "abstract": [line(record.abstract)],
        "standard_numbers": standard_numbers(record),
        "doi": [line(record.doi)],
        "numbers": ["; ".join(reference.identifiers(record))],
        "links": [reference.link(record) or ""],
        "pdf_links": [web_url(record.pdf_url) or ""],
        "database": reference.databases(hit, beside),
        "language": [line(record.language)],
        "notes": ["Retracted" if record.retracted else ""],
    }
    for name in order.split():
        if name in apart:
            yield from apart[name]
        else:
            tag = getattr(tags, name)[0]
            yield from ((tag, value) for value in found[name])
