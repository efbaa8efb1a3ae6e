"""What comes out of a file: its records, each with the line it began on, and what could not be
read.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from metasearch import regular_files
from metasearch.bib import texts, trials
from metasearch.bib.field_limits import Cuts, cut_fields, cut_others
from metasearch.bib.isbd import place_and_publisher
from metasearch.bib.names import is_anonymous
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.origins import Origin
from metasearch.late_pattern import late_pattern
from metasearch.record import PEOPLE, Author, Record, new_record

#: Problems of a file that are listed one by one; the others are counted.
MOST_PROBLEMS = 10_000
#: Entries that are handed out at once.
AT_ONCE = 2_000
#: Kinds of lines that were not understood which are told apart.
MOST_KINDS = 1_000
#: Characters of a problem that are kept: it may quote the file.
LONGEST = 500
#: Names of tags of a file that are counted apart after their entries were handed out.
MOST_TAGS = 100_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a file.

    Attributes:
        record: `source` names the file, `position` is its number in the file, from 1.
        line: Where it begins, from 1; for a binary file the offset in bytes.
        database: The database that it was exported from, as the file says; None where it does not.
        origins: Of the records that an earlier `dedup` has made it of; () for any other record.
        given: What the file says of it beside what `record` holds: tags of the format and their
            values, in order.
    """

    record: Record
    line: int
    database: str | None = None
    origins: tuple[Origin, ...] = ()
    given: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Something in a file that could not be read; a person can find and mend it.

    Attributes:
        line: Where, from 1; for a binary file the offset in bytes; 0 where it concerns the whole
            file.
        message: What is wrong, and what was done about it.
        lost: Records that are lost by it: 1 for a record that could not be read at all, 0 where
            only a field was.
    """

    line: int
    message: str
    lost: int = 0


class HandOutError(UsageError):
    """What takes the entries of a file could not, because a disk is full, say; `__cause__` is the
    error. The file is not at fault.
    """


#: Takes the entries of a file as they are read, some at a time, in the order of the file.
HandOut = Callable[[Sequence[Entry]], None]


def check_sum(entries: Iterable[Entry]) -> int:
    """A number that tells whether the same entries are there again, in whatever order: the sum of
    the CRC-32 of the line, key and title of each.
    """
    return sum(
        zlib.crc32(f"{entry.line} {entry.record.key} {entry.record.title}".encode(errors="replace"))
        for entry in entries
    )


@dataclass(slots=True)
class FileReading:
    """A file that was read.

    Every record that the file holds is an entry or counted in `problems`: `count` + `lost` =
    records found. Entries are in `entries` unless they are handed out: then only those are there
    that came after the last batch, and none when the file is read to its end.

    Attributes:
        name: What the file is called in reports, and the `source` of its records.
        format: One of `metasearch.formats.READABLE`.
        untold: Problems beyond `MOST_PROBLEMS`, and the records that are lost by them.
        strange: What lines hold that were not understood, in words -> the first such line, and how
            many there are.
        hand_out: What takes the entries, `AT_ONCE` at a time, so that they need no memory here;
            None keeps them in `entries`. It is let go of at the end of the file.
        handed: How many entries were handed out, their `check_sum`, and their tags, counted.
    """

    name: str
    format: str
    encoding: str
    entries: list[Entry] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    untold: tuple[int, int] = (0, 0)
    strange: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)
    hand_out: HandOut | None = field(default=None, repr=False, compare=False)
    handed: tuple[int, int, Counter[str]] = field(default_factory=lambda: (0, 0, Counter()))

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        if self.hand_out is not None and len(self.entries) >= AT_ONCE:
            self._hand_out(self.hand_out)

    def _hand_out(self, take: HandOut) -> None:
        some, self.entries = self.entries, []
        count, total, tags = self.handed
        for tag, times in Counter(tag for entry in some for tag, _ in entry.given).items():
            if tag in tags or len(tags) < MOST_TAGS:
                tags[tag] += times
        self.handed = count + len(some), total + check_sum(some), tags
        try:
            take(some)
        except (OSError, MemoryError) as exc:
            raise HandOutError(
                f"what was read of {self.name} cannot be kept: {regular_files.why(exc)}",
                advice="Free what is used up, and try again.",
            ) from exc

    @property
    def count(self) -> int:
        """How many entries the file has so far, whether they are here or were handed out."""
        return self.handed[0] + len(self.entries)

    @property
    def check_sum(self) -> int:
        return self.handed[1] + check_sum(self.entries)

    def tags(self) -> Counter[str]:
        """How often each tag of `Entry.given` stands in the file, in the order in which they first
        come; of entries that were handed out, those of `MOST_TAGS` names.
        """
        counted = Counter(self.handed[2])
        counted.update(tag for entry in self.entries for tag, _ in entry.given)
        return counted

    def add_problem(self, line: int, message: str, lost: int = 0) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(FileProblem(line, message, lost))
        else:
            self.untold = self.untold[0] + 1, self.untold[1] + lost

    def count_strange(self, what: str, line: int) -> None:
        """Count a line that was not understood. `what`: it holds, in words that all lines of its
        kind share, and what became of it: "the tag PS, which is not known; kept beside the record".
        """
        if what not in self.strange and len(self.strange) >= MOST_KINDS:
            what = "what was not understood either"
        first, count = self.strange.get(what, (line, 0))
        self.strange[what] = first, count + 1

    def finish(self) -> None:
        """Put the problems in the order of the file; those that were only counted become one,
        at its end, and lines that were not understood one of each kind. Hand out what is left.
        """
        for what, (first, count) in self.strange.items():
            lines = "this line holds" if count == 1 else f"{count:,} lines, first this one, hold"
            self.problems.append(FileProblem(first, f"{lines} {what}"[:LONGEST]))
        self.strange = {}
        if self.hand_out is not None:
            if self.entries:
                self._hand_out(self.hand_out)
            self.hand_out = None
        self.problems.sort(key=lambda problem: problem.line)
        if self.untold[0]:
            number, lost = self.untold
            self.problems.append(
                FileProblem(0, f"{number:,} more problems were found, which are not listed", lost)
            )
            self.untold = (0, 0)

    @property
    def records(self) -> Sequence[Record]:
        """The records of `entries` alone, in the order of the file."""
        return [entry.record for entry in self.entries]

    @property
    def lost(self) -> int:
        return sum(problem.lost for problem in self.problems) + self.untold[1]


# What a format's reader finds of a record before it has its place in the file.


@dataclass(slots=True)
class Draft:
    """What was read of one record.

    Attributes:
        fields: Of `Record`, ready to stand there, without `source` and `position`.
        database: See `Entry.database`.
        problems: What could not be read, in words.
        origins: See `Entry.origins`.
        given: See `Entry.given`.
    """

    fields: dict[str, Any]
    database: str | None = None
    problems: list[str] = field(default_factory=list)
    origins: tuple[Origin, ...] = ()
    given: Sequence[tuple[str, str]] = ()


def field_problem(tag: str, value: str, what: str) -> str:
    """A problem with one field: 'DO holds no DOI: "n/a"'."""
    shown = " ".join(value[:60].split())
    return f'{tag} holds no {what}: "{shown}{"…" if len(value) > 60 else ""}"'


def in_short(exc: Exception) -> str:
    """What an error of another library says, on one short line."""
    return f"{type(exc).__name__}: {' '.join(str(exc).split())[:200]}"


# Collects the records of a file, one by one. It counts what cannot be read, so that every record of
# a file is an entry or reported as lost.

T = TypeVar("T")

#: Records that one file may hold: more do not fit into the memory of most machines when they are
#: compared.
MOST_RECORDS = 1_000_000
#: The same of a file whose entries are handed out: what is kept of each is its identifier.
MOST_HANDED_OUT = 100_000_000
#: Fields of which one at least must be there: without them, a record identifies no work.
TELLING = ("title", "authors", "editors", "doi", "ids", "venue", "abstract", "url", "isbn")


def _with_place(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, the place of publication taken off the publisher's name."""
    publisher = fields.get("publisher")
    if not publisher or not any(colon in publisher for colon in ":："):
        return fields
    place, name = place_and_publisher(publisher)
    if not place or fields.get("place") not in (None, place):
        return fields
    institution = fields.get("institution")
    return fields | {
        "place": place,
        "publisher": name,
        "institution": name if institution == publisher else institution,
    }


#: Tags and columns in which programs write the registration number of the work's trial: notes,
#: fields for anything and for numbers. Not cited works, not grants.
_NOTES = late_pattern(
    r"(?:N[1O]|M[12]|C[1-8]|U[1-5]|SI|XR|%?[MZFU1-9]|custom.?[0-9]|(?:research.)?notes?|annote"
    r"|extra|howpublished|(?:[a-z]{1,20} )?identifiers?)",
    re.IGNORECASE,
)
_OF_REGISTRIES = late_pattern(r"trial|regist|\bnct|^SI$|other ids", re.IGNORECASE)


def _without_nothing(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record without those that say nothing."""
    found = dict(fields)
    for name in texts.FIELDS_OF_NOTHING:
        value = found.get(name)
        if isinstance(value, str) and texts.says_nothing(name, value):
            del found[name]
    if found.get("year") in texts.NO_YEARS:
        del found["year"]
    for role in PEOPLE:
        if people := found.get(role):
            found[role] = tuple(filter(_is_somebody, people))
    return found


def _is_somebody(person: Author) -> bool:
    return person.family is not None or not is_anonymous(person.name)


def _add_registrations(draft: Draft) -> None:
    """Add the registration numbers of trials that a record says are its own: in its title, in its
    abstract, in what is kept beside.
    """
    fields = draft.fields
    ids = trials.with_own(fields.get("ids") or {}, fields.get("title"), fields.get("abstract"))
    for tag, value in draft.given:
        of_registries = _OF_REGISTRIES.search(tag) is not None
        if of_registries or _NOTES.fullmatch(tag):
            ids = trials.merge_ids(ids, trials.registrations(value, alone=of_registries))
    if ids:
        fields["ids"] = ids


class EntryCollector:
    """Takes the records of one file in their order.

    A file may give one identifier to several records; only the first keeps it, because a record's
    key must be its own.
    """

    def __init__(self, reading: FileReading) -> None:
        self._reading = reading
        self._taken: set[str] = set()
        self.position = 0

    def put(self, line: int, describe: Callable[[], Draft]) -> None:
        """Put the record that begins on this line; an error of its costs no other
        record.
        """
        cuts = Cuts()

        def make_record() -> tuple[Draft, Record]:
            draft = describe()
            _add_registrations(draft)
            draft.fields = _without_nothing(_with_place(draft.fields))
            fields = cut_fields(draft.fields, cuts)
            fields = fields | {"source_id": self.own(fields.get("source_id"))}
            return draft, new_record(
                source=self._reading.name, position=self.position + 1, **fields
            )

        found = self.attempt(line, make_record)
        if found is None:
            return
        draft, record = found
        if not any(draft.fields.get(name) for name in TELLING):
            self.lose(line, "the record is left out: it has no field that identifies a work")
            return
        given = cut_others(draft.given, cuts)
        self.keep(Entry(record, line, draft.database, draft.origins, given))
        if not record.title:
            self.remark(line, "the record has no title; it was kept")
        for problem in (*draft.problems, *cuts.notes()):
            self.remark(line, problem)

    def attempt(self, line: int, make: Callable[[], T]) -> T | None:
        """What `make` gives for the record on this line; None, and it lost, where it raises."""
        try:
            return make()
        except MemoryError:  # no fault of the record's
            raise
        except Exception as exc:
            self.lose(
                line, f"the record could not be read and was left out: {type(exc).__name__}: {exc}"
            )
            return None

    def keep(self, entry: Entry) -> None:
        """Put a record that is made already. Raises FileFormatError: the file holds more than
        `MOST_RECORDS`, or `MOST_HANDED_OUT`.
        """
        self.position += 1
        most = MOST_RECORDS if self._reading.hand_out is None else MOST_HANDED_OUT
        if self._reading.count >= most:
            message = f"the file holds more than {most:,} records"
            raise FileFormatError(
                self._reading.name, message, advice="Divide it into several files."
            )
        self._taken.add(entry.record.source_id)
        self._reading.add(entry)

    def lose(self, line: int, why: str, count: int = 1) -> None:
        self.position += count
        self._reading.add_problem(line, why[:LONGEST], count)

    def remark(self, line: int, what: str) -> None:
        self._reading.add_problem(line, what[:LONGEST])

    def own(self, source_id: str | None) -> str:
        """The identifier, or "" where another record of the file has it."""
        return "" if not source_id or source_id in self._taken else source_id
