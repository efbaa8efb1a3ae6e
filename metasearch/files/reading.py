"""What comes out of a file: its records, each with the line it began on, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from metasearch.record import Record


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a file.

    Attributes:
        record: `source` names the file, `position` is its number in the file, from 1.
        line: Where it begins, from 1; for a binary file the offset in bytes.
        database: The database that it was exported from, as the file says; None where it does not.
    """

    record: Record
    line: int
    database: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be read, told so that a person can find and mend it.

    Attributes:
        line: Where, from 1; for a binary file the offset in bytes; 0 where it concerns the whole file.
        message: What is wrong, and what was done about it.
        lost: Records that are lost by it: 1 for a record that could not be read at all, 0 where only a field was.
    """

    line: int
    message: str
    lost: int = 0


@dataclass(slots=True)
class Reading:
    """A file that was read.

    Every record that the file holds is in `entries` or counted in `problems`: entries + lost = records found.

    Attributes:
        name: What the file is called in reports, and the `source` of its records.
        format: One of `metasearch.files.FORMATS`.
        encoding: As Python calls it.
    """

    name: str
    format: str
    encoding: str
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def records(self) -> Sequence[Record]:
        """The records alone, in the order of the file."""
        return [entry.record for entry in self.entries]

    @property
    def lost(self) -> int:
        """How many records could not be read."""
        return sum(problem.lost for problem in self.problems)
