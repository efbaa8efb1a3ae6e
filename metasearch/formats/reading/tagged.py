"""Lines of a tag and a value -> records: RIS, MEDLINE, refer, NoteExpress, ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from metasearch.bib import normalise
from metasearch.formats import origins
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.result import Draft, EntryCollector, FileReading, unread
from metasearch.formats.reading.text import DecodedText

# Lines of a tag and a value -> the fields of each record: RIS, MEDLINE, refer, NoteExpress, ... A
# `TagGrammar` describes a tag line and where records begin and end; `blocks` yields the records as
# fields with the numbers of their lines. Time is linear in the text, whatever it holds.
# `read_by_table` and `gather` make records of the fields.

#: Characters of one field that are kept. A book of five million pages has a shorter abstract.
LONGEST = 1_000_000
#: Characters of a line that are looked at: a field, and blanks before it.
LONGEST_LINE = 2 * LONGEST

_NOTHING: frozenset[str] = frozenset()
#: What may stand before a tag or on an empty line, and is no part of the text.
BLANKS = " \t\f\v\x00\x1a\x1c\x1d\x1e\x85\u00a0\u200b\u2028\u2029\ufeff"
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class TagGrammar:
    """How the lines of a format are read.

    Attributes:
        split: Line and tag of the open field ("" for none) -> tag and value, or None where the line
            is no tag line.
        starts: Tags that begin a record wherever they stand.
        opens: Tags that begin one if the record before is complete: has that tag already, or one of
            `bears` and a blank line behind it. In such a format, another tag that comes again
            behind a blank line begins one too.
        ends: Tags that end one; in such a format, a record without end is told.
        bears: Tags of which one at least makes a record of fields that stand outside of any record.
        once: Tags that a record has once; more of them are told, because two records may have run
            together.
        outside: Tags that stand before the first record or after the last.
        noise: Lines between records that mean nothing: numbering, links, what the database says
            about the export.
        any_opens: Any tag behind a blank line begins a record.
    """

    split: Callable[[str, str], tuple[str, str] | None]
    starts: frozenset[str] = _NOTHING
    opens: frozenset[str] = _NOTHING
    ends: frozenset[str] = _NOTHING
    bears: frozenset[str] = _NOTHING
    once: frozenset[str] = _NOTHING
    outside: frozenset[str] = _NOTHING
    noise: re.Pattern[str] = _NEVER
    any_opens: bool = False


@dataclass(slots=True)
class TaggedField:
    """A tag with its value, the value in the lines in which it stands."""

    tag: str
    lines: list[str]
    line: int
    size: int = 0

    @property
    def value(self) -> str:
        """The lines as one; between Chinese characters without a blank."""
        return joined(self.lines)


@dataclass(slots=True)
class Block:
    """The fields of one record, in order.

    Attributes:
        line: On which it begins, from 1.
        started: A tag of `Grammar.starts` or `opens` began it.
        ended: A tag of `Grammar.ends` ended it.
    """

    line: int
    started: bool = True
    ended: bool = False
    fields: list[TaggedField] = field(default_factory=list)
    tags: dict[str, list[TaggedField]] = field(default_factory=dict)

    def add(self, one: TaggedField) -> None:
        """Append a field."""
        self.fields.append(one)
        self.tags.setdefault(one.tag, []).append(one)

    def values(self, *tags: str) -> list[str]:
        """The values of all fields with these tags, tag by tag, without the empty ones."""
        return [value for one in self._tagged(tags) if (value := one.value)]

    def lines(self, *tags: str) -> list[str]:
        """Like `values`, for fields of which every line is a value of its own."""
        return [line for one in self._tagged(tags) for line in one.lines if line]

    def value(self, *tags: str) -> str:
        """The first value of the first tag that has one; "" for none."""
        return next((value for one in self._tagged(tags) if (value := one.value)), "")

    def _tagged(self, tags: tuple[str, ...]) -> Iterator[TaggedField]:
        for tag in tags:
            yield from self.tags.get(tag, ())


def joined(lines: Iterable[str]) -> str:
    """Lines as one, apart by a blank, which Chinese and Japanese text does not need."""
    out: list[str] = []
    for line in lines:
        if not line:
            continue
        if out and not (normalise.has_cjk(out[-1][-1]) and normalise.has_cjk(line[0])):
            out.append(" ")
        out.append(line)
    return "".join(out)


def blocks(text: DecodedText, grammar: TagGrammar, reading: FileReading) -> Iterator[Block]:
    """The records of a text, each once complete; faults go to the reading's problems."""
    parser = _BlockParser(grammar, reading)
    for number, line in text.numbered(LONGEST_LINE):
        if len(line) > LONGEST_LINE and len(line.strip(BLANKS)) <= LONGEST:  # else its field tells
            reading.add_problem(
                number,
                f"the line has more than {LONGEST_LINE:,} characters; the rest of it was left out",
            )
        parser.feed(number, line)
        if len(parser.done) > 1:  # the last one may yet get fields that stand behind its end
            yield parser.done.pop(0)
    parser.finish()
    yield from parser.done


class _BlockParser:
    """The state between two lines."""

    def __init__(self, grammar: TagGrammar, reading: FileReading) -> None:
        self._grammar = grammar
        self._add_problem = reading.add_problem
        self.done: list[Block] = []
        self._block: Block | None = None
        self._field: TaggedField | None = None
        self._after_blank = True
        self._strays = 0
        self._first_stray = 0

    def feed(self, number: int, line: str) -> None:
        found = self._grammar.split(line, self._field.tag if self._field else "")
        if found is not None:
            self._tag(number, *found)
            self._after_blank = False
            return
        line = line.strip(BLANKS)
        if not line:
            self._after_blank = True
            if self._block is None or self._block.ended or not self._block.started:
                self._field = None  # what follows a record's end belongs to no field
            return
        self._after_blank = False
        if self._field is not None:
            self._extend(self._field, line)
        elif not self._grammar.noise.match(line):
            self._stray(number)

    def finish(self) -> None:
        self._close(at_end=True)
        if self._strays:
            what = (
                f"{self._strays} line(s) outside of any record were ignored, of which this is "
                f"the first"
            )
            self._add_problem(self._first_stray, what)

    def _tag(self, number: int, tag: str, value: str) -> None:
        grammar, block = self._grammar, self._block
        inside = block is not None and not block.ended
        if tag in grammar.ends:
            if block is not None and not block.ended:
                block.ended = True
            self._field = None
            return
        if tag in grammar.outside and not inside:
            self._field = None
            return
        if self._begins(tag):
            self._close(next_line=number)
            self._block = block = Block(number)
        elif block is None or block.ended or self._apart(block, tag):
            self._close(next_line=number)
            self._block = block = Block(number, started=False)
        self._field = TaggedField(tag, [], number)
        self._extend(self._field, value.strip(BLANKS))
        block.add(self._field)

    def _begins(self, tag: str) -> bool:
        grammar, block = self._grammar, self._block
        if tag in grammar.starts:
            return True
        if tag in grammar.opens:
            if block is None or not block.started or tag in block.tags:
                return True
            return self._after_blank and not grammar.bears.isdisjoint(block.tags)
        return grammar.any_opens and self._after_blank

    def _apart(self, block: Block, tag: str) -> bool:
        """Whether a tag that is no start begins a record all the same, after a blank line."""
        if not self._after_blank:
            return False
        if self._grammar.opens:
            return tag in block.tags
        return not block.started and not self._grammar.bears.isdisjoint(block.tags)

    def _extend(self, to: TaggedField, line: str) -> None:
        if to.size > LONGEST:
            return  # told already
        room = LONGEST - to.size
        to.size += len(line) + 1
        if to.size > LONGEST:
            what = f"{to.tag} holds more than {LONGEST:,} characters; the rest of it was left out"
            self._add_problem(to.line, what)
        to.lines.append(line[:room])

    def _stray(self, number: int) -> None:
        self._strays += 1
        self._first_stray = self._first_stray or number

    def _close(self, next_line: int = 0, *, at_end: bool = False) -> None:
        """The open record is complete."""
        block, grammar = self._block, self._grammar
        self._block = None
        if block is None:
            return
        end = "/".join(sorted(grammar.ends))
        if not block.started:
            if not block.ended and grammar.bears.isdisjoint(block.tags):
                self._leftover(block)
                return
            what = (
                "the record does not begin as records of this format do; it was kept as far as "
                "it goes"
            )
            self._add_problem(block.line, what)
        if grammar.ends and not block.ended:
            if at_end:
                what = (
                    f"the file ends inside this record: {end} is missing; it was kept as far "
                    f"as it goes"
                )
            else:
                what = (
                    f"{end} is missing before the next record begins in line {next_line}; the "
                    f"record was kept"
                )
            self._add_problem(block.line, what)
        for tag in sorted(grammar.once):
            again = block.tags.get(tag, ())[1:]
            if again:
                what = (
                    f"{tag} stands more than once in the record of line {block.line}: two may "
                    f"have run together"
                )
                self._add_problem(again[0].line, what)
        self.done.append(block)

    def _leftover(self, block: Block) -> None:
        """Fields behind a record's end are that record's: Ovid writes some there."""
        if self.done:
            for one in block.fields:
                self.done[-1].add(one)
        else:
            self._strays += len(block.fields)
            self._first_stray = self._first_stray or block.line


# The fields of a tagged record -> a record: one reader, and for each plain format a table of tags.
# RefWorks, NoteExpress and EndNote's tagged format differ only in their tags (`TagTable`). Formats
# that need more (RIS, NBIB, Web of Science, CNKI) make their drafts themselves and call `gather`.


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
    database = origins.named(origins.read(block.values(*tags.notes))) or values.database(
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
        "url": values.landing_page(links),
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
    own = (number for number in numbers if not values.is_ours(number))
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
