"""What comes out of a file: its records, each with the line it began on, and what could not be
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from metasearch.formats.origins import Origin
from metasearch.record import Record

#: Problems of a file that are listed one by one; the others are counted.
MOST_PROBLEMS = 10_000


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


@dataclass(slots=True)
class FileReading:
    """A file that was read.

    Every record that the file holds is in `entries` or counted in `problems`: entries + lost =
    records found.

    Attributes:
        name: What the file is called in reports, and the `source` of its records.
        format: One of `metasearch.formats.READABLE`.
        encoding: As Python calls it.
        untold: Problems beyond `MOST_PROBLEMS`, and the records that are lost by them.
    """

    name: str
    format: str
    encoding: str
    entries: list[Entry] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    untold: tuple[int, int] = (0, 0)

    def add_problem(self, line: int, message: str, lost: int = 0) -> None:
        """Add a problem, see `FileProblem`."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(FileProblem(line, message, lost))
        else:
            self.untold = self.untold[0] + 1, self.untold[1] + lost

    def finish(self) -> None:
        """Put the problems in the order of the file; those that were only counted become one,
        at its end.
        """
        self.problems.sort(key=lambda problem: problem.line)
        if self.untold[0]:
            number, lost = self.untold
            self.problems.append(
                FileProblem(0, f"{number:,} more problems were found, which are not listed", lost)
            )
            self.untold = (0, 0)

    @property
    def records(self) -> Sequence[Record]:
        """The records alone, in the order of the file."""
        return [entry.record for entry in self.entries]

    @property
    def lost(self) -> int:
        """How many records could not be read."""
        return sum(problem.lost for problem in self.problems) + self.untold[1]
