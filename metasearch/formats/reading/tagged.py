"""Lines of a tag and a value -> records: RIS, MEDLINE, refer, NoteExpress, ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from metasearch.bib import normalise
from metasearch.formats import origins
from metasearch.formats.reading import values
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, EntryCollector, FileReading

# Lines of a tag and a value -> the fields of each record: RIS, MEDLINE, refer, NoteExpress, ... A
# `TagGrammar` describes a tag line and where records begin and end; `blocks` yields the records as
# fields with the numbers of their lines. Time is linear in the text, whatever it holds.
# `gather` makes records of the fields.

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
        starts: Tags that a record has once, and that most programs write first. They begin a record
            where the open one has that tag already, or one of `bears` and a blank line behind it;
            else they are the open one's, which programs begin with another tag.
        opens: The same, in formats without `ends`: another tag that comes again behind a blank line
            begins a record too.
        ends: Tags that end one; in such a format, a record without end is told.
        bears: Tags of which one at least makes a record of fields that stand outside of any record.
        once: Tags that a record has once; one that comes again behind a blank line begins a record.
            More of them in one record are told, because two may have run together.
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
        return self.lines[0] if len(self.lines) == 1 else join_lines(self.lines)


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
        self.fields.append(one)
        self.tags.setdefault(one.tag, []).append(one)

    def values(self, *tags: str) -> list[str]:
        """The values of all fields with these tags, tag by tag, without the empty ones."""
        return [value for one in self._fields_of(tags) if (value := one.value)]

    def lines(self, *tags: str) -> list[str]:
        """Every line of the fields with these tags, in the order of the file. What two of the tags
        say, some programs say twice: a line counts once.
        """
        there = [tag for tag in tags if tag in self.tags]
        if len(there) < 2:
            return [line for one in self._fields_of(tuple(there)) for line in one.lines if line]
        first: dict[str, str] = {}
        return [
            line
            for one in self.fields
            if one.tag in there
            for line in one.lines
            if line and first.setdefault(line, one.tag) == one.tag
        ]

    def value(self, *tags: str) -> str:
        """The first value of the first tag that has one; "" for none."""
        return next((value for one in self._fields_of(tags) if (value := one.value)), "")

    def _fields_of(self, tags: tuple[str, ...]) -> Iterator[TaggedField]:
        for tag in tags:
            yield from self.tags.get(tag, ())


def join_lines(lines: Iterable[str]) -> str:
    """Lines as one, apart by a blank, which Chinese and Japanese text does not need."""
    out: list[str] = []
    for line in lines:
        if not line:
            continue
        if out and not (normalise.has_cjk(out[-1][-1]) and normalise.has_cjk(line[0])):
            out.append(" ")
        out.append(line)
    return "".join(out)


def blocks(text: FileText, grammar: TagGrammar, reading: FileReading) -> Iterator[Block]:
    """The records of a text, each once complete; faults go to the reading's problems."""
    parser = _BlockParser(grammar, reading, spaced=_is_spaced(text))
    for number, line in text.lines_with_numbers(LONGEST_LINE):
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


_NEIGHBOURS = re.compile(rf"[^\n{BLANKS}][{BLANKS}]{{0,40}}\n[{BLANKS}]{{0,40}}[^\n{BLANKS}]")


def _is_spaced(text: FileText) -> bool:
    """Whether a blank line stands between any two lines, so that none parts records."""
    return not any(_NEIGHBOURS.search(part) for part in text.stretches(200))


class _BlockParser:
    def __init__(self, grammar: TagGrammar, reading: FileReading, *, spaced: bool) -> None:
        self._grammar = grammar
        self._spaced = spaced and not grammar.any_opens
        self._keys = grammar.starts | grammar.opens
        self._add_problem = reading.add_problem
        self.done: list[Block] = []
        self._block: Block | None = None
        #: Fields behind a blank line: of the open record, or of the next one if they prove it.
        self._doubt: Block | None = None
        self._field: TaggedField | None = None
        self._after_blank = True
        #: A blank line stood between two fields.
        self._blanks = False
        #: A blank line stood before the open record.
        self._begun_apart = True
        #: Tags before the first of the keys in the first record that has one.
        self._lead: frozenset[str] | None = None
        #: The first tag of the file.
        self._first = ""
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
            if self._spaced:
                return
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
        self._settle()
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
            self._settle()
            if block is not None and not block.ended:
                block.ended = True
            self._field = None
            return
        if tag in grammar.outside and not inside:
            self._field = None
            return
        if self._after_blank:
            self._blanks = self._blanks or block is not None
            self._settle()
        self._first = self._first or tag
        target = self._record_of(number, tag)
        if tag in self._keys and tag not in target.tags:
            target.started = True
            if self._lead is None:
                self._lead = frozenset(target.tags)
        self._field = TaggedField(tag, [], number)
        self._extend(self._field, value.strip(BLANKS))
        target.add(self._field)

    def _record_of(self, number: int, tag: str) -> Block:
        """The record that the tag is of: a new one, the open one, or one that may be new."""
        block, doubt = self._block, self._doubt
        is_key = tag in self._keys
        if block is None or block.ended:
            return self._open(number)
        if doubt is not None:
            again = is_key or self._grammar.opens or tag in self._grammar.once
            if (tag in block.tags and again) or (
                is_key and not block.started and self._bears(block)
            ):
                self._doubt = None
                self._close(next_line=doubt.line)
                self._block = doubt
                return doubt
            if is_key:
                self._settle()
            return block if is_key else doubt
        if is_key and self._begins(tag, block):
            return self._open(number, self._take_off(block, tag))
        if not is_key and self._apart(tag, block):
            return self._open(number)
        if self._after_blank and not is_key and self._keys:
            self._doubt = Block(number, started=False)
            return self._doubt
        return block

    def _begins(self, tag: str, block: Block) -> bool:
        if tag in block.tags:
            again = self._field is not None and self._field.tag == tag
            return not (again and tag in self._grammar.once)
        if self._grammar.any_opens and self._after_blank:
            return True
        if self._after_blank:
            return not block.started or self._bears(block)
        if block.started or self._bears(block) or self._begun_apart:
            return False
        # Where records begin with their type, the fields stand behind the last one's end.
        return self._lead is not None and not self._lead

    def _apart(self, tag: str, block: Block) -> bool:
        """Whether a tag that is none of the keys begins a record all the same."""
        grammar = self._grammar
        if not self._after_blank:
            # Nothing but the tag that begins the file parts its records.
            again = tag == self._first and tag in grammar.once and tag in block.tags
            return again and not self._blanks and block.fields[-1].tag != tag
        if grammar.any_opens:
            return True
        if tag in block.tags and (grammar.opens or tag in grammar.once):
            return True
        return not grammar.opens and not block.started and self._bears(block)

    def _bears(self, block: Block) -> bool:
        return not self._grammar.bears.isdisjoint(block.tags)

    def _open(self, number: int, fields: Iterable[TaggedField] = ()) -> Block:
        """A record that begins on this line, or with these fields; the open one is complete."""
        self._close(next_line=number)
        self._begun_apart = self._after_blank
        self._block = block = Block(number, started=self._grammar.any_opens)
        for one in fields:
            block.line = min(block.line, one.line)
            block.add(one)
        return block

    def _take_off(self, block: Block, tag: str) -> list[TaggedField]:
        """The last fields of a record that are the next one's, where neither an end nor a blank
        line parts them: in this file, records begin with them.
        """
        taken: list[TaggedField] = []
        if self._after_blank or not self._lead or tag not in block.tags:
            return taken
        while block.fields[-1].tag in self._lead:
            one = block.fields.pop()
            block.tags[one.tag].pop()
            if not block.tags[one.tag]:
                del block.tags[one.tag]
            taken.append(one)
        return taken[::-1]

    def _settle(self) -> None:
        """The fields behind the blank line are the open record's."""
        if self._doubt is not None and self._block is not None:
            for one in self._doubt.fields:
                self._block.add(one)
        self._doubt = None

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


def tell_strange_tags(
    found: Iterable[Block],
    known: Collection[str],
    form: str,
    reading: FileReading,
    *,
    prefix: str = "",
) -> Iterator[Block]:
    """The same records; tags that the format does not have are told, and stay beside the record.

    `form`: what the format is called. `prefix`: stands before each tag.
    """
    for block in found:
        for one in block.fields:
            if one.tag not in known and one.value:
                what = (
                    f"the tag {prefix}{one.tag}, which {form} is not known to have; "
                    f"kept beside the record"
                )
                reading.count_strange(what, one.line)
        yield block


# Formats whose tags are two signs and a blank at the left edge: Web of Science, RefWorks. A line
# that begins like a tag that the format does not have may be a tag of a program's own, or running
# text of a file that has lost its indents.

_TWO_SIGNS = re.compile(r"[A-Z][A-Z0-9](?: |$)")
_INDENTED = re.compile(r"^[ \t]{2,40}\S", re.MULTILINE)
_AT_THE_EDGE = re.compile(r"^(?![A-Z][A-Z0-9](?: |$))[^\s<\ufeff]", re.MULTILINE)
#: Characters of a line that such a look needs.
_LONGEST_EDGE = 100


def is_two_signs(
    text: FileText, tags: Collection[str], prose: Collection[str], capital: Collection[str]
) -> Callable[[str, str], bool]:
    """What tells of a line and the tag of the open field whether the line begins with a tag of two
    signs.

    `tags`: of the format. `prose`: of them those of running text. `capital`: of them those whose
    values begin with no small letter.
    """
    indented = at_the_edge = False
    for part in text.stretches(_LONGEST_EDGE):
        indented = indented or _INDENTED.search(part) is not None
        at_the_edge = at_the_edge or _AT_THE_EDGE.search(part) is not None

    def is_tag(line: str, open_tag: str) -> bool:
        if _TWO_SIGNS.match(line) is None:
            return False
        if indented or open_tag not in prose:
            return True
        tag, value = line[:2], line[3:4]
        if tag in tags:
            return not (at_the_edge and tag in capital and value.islower())
        return not at_the_edge and not value.islower()

    return is_tag


def beside(
    block: Block, held: Collection[str], single: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Tags and values of the fields whose tags are not among these, in order, each once.

    `single`: tags among them of which a record holds the first value alone; another one is kept.
    """
    first = {tag: block.value(tag) for tag in single}
    return list(
        dict.fromkeys(
            (field.tag, value)
            for field in block.fields
            if (field.tag not in held or field.tag in first)
            and (value := field.value)
            and value != first.get(field.tag)
            and not origins.is_origin(value)
        )
    )


def remainder(
    block: Block,
    held: Collection[str],
    fields: Mapping[str, Any],
    *,
    single: Collection[str] = (),
    years: Collection[str] = (),
    dois: Collection[str] = (),
    numbers: Collection[str] = (),
    pages: Collection[str] = (),
    last: str = "",
    named: Collection[str] = (),
    names: Collection[str | None] = (),
) -> list[tuple[str, str]]:
    """Tags and values of what a block says beside the fields of its record.

    `held`: tags of which the record holds all, or of which it is told here what it holds: `single`,
    of which it holds the first value; `years`, `dois`, `numbers` (standard numbers) and `pages`, of
    which it holds one that the field may say more than; `named`, of which it holds `names`. `last`:
    the last page, in a field of its own.
    """

    def is_taken(tag: str, value: str) -> bool:
        if tag not in held:
            return False
        if tag in years:
            return values.is_date_alone(value, fields["year"], fields["date"])
        if tag in dois:
            return values.is_doi_alone(value, fields["doi"])
        if tag in numbers:
            return values.is_number_of(value, fields["ids"])
        if tag in pages:
            return bool(values.pages(value, last) == fields["pages"])
        return tag in named and values.text(value) in names

    judged = {*years, *dois, *numbers, *pages, *named}
    found = beside(block, set(held) - judged, single)
    return [(tag, value) for tag, value in found if not is_taken(tag, value)]


def gather(reading: FileReading, found: Iterable[Block], draft: Callable[[Block], Draft]) -> None:
    """A block that is empty is a problem."""
    collector = EntryCollector(reading)
    for block in found:
        collector.put(block.line, partial(draft, block))
