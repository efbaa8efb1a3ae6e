"""What comes out of a file: records, each with its line, and what could not be read."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from metasearch import opening
from metasearch.errors import UsageError
from metasearch.formats.origins import Origin
from metasearch.record import Record

#: Problems of a file that are listed one by one; the others are counted.
MOST_PROBLEMS = 10_000
#: Entries that are handed out at once.
AT_ONCE = 2_000
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


class NotTaken(UsageError):
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
    hand_out: HandOut | None = field(default=None, repr=False, compare=False)
    handed: tuple[int, int, Counter[str]] = field(default_factory=lambda: (0, 0, Counter()))

    def add(self, entry: Entry) -> None:
        """Add the next entry of the file."""
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
            raise NotTaken(
                f"what was read of {self.name} cannot be kept: {opening.why(exc)}",
                advice="Free what is used up, and try again.",
            ) from exc

    @property
    def count(self) -> int:
        """How many entries the file has so far, whether they are here or were handed out."""
        return self.handed[0] + len(self.entries)

    @property
    def check_sum(self) -> int:
        """The `check_sum` of all of them."""
        return self.handed[1] + check_sum(self.entries)

    def tags(self) -> Counter[str]:
        """How often each tag of `Entry.given` stands in the file, in the order in which they first
        come; of entries that were handed out, those of `MOST_TAGS` names.
        """
        counted = Counter(self.handed[2])
        counted.update(tag for entry in self.entries for tag, _ in entry.given)
        return counted

    def add_problem(self, line: int, message: str, lost: int = 0) -> None:
        """Add a problem, see `FileProblem`."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(FileProblem(line, message, lost))
        else:
            self.untold = self.untold[0] + 1, self.untold[1] + lost

    def finish(self) -> None:
        """Put the problems in the order of the file; those that were only counted become one,
        at its end. Hand out what is left.
        """
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
        """How many records could not be read."""
        return sum(problem.lost for problem in self.problems) + self.untold[1]
