"""Collects the records of a file, one by one.

It counts what cannot be read, so that every record of a file is an entry or reported as lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from metasearch.bib.cuts import Cuts, kept, kept_given
from metasearch.bib.fast_records import made_record
from metasearch.errors import FileFormatError
from metasearch.formats.reading.drafts import Draft
from metasearch.formats.reading.result import Entry, FileReading
from metasearch.record import Record

T = TypeVar("T")

#: Characters of a problem that are kept: it may quote the file.
LONGEST = 500
#: Records that one file may hold: more do not fit into the memory of most machines when they are
#: compared.
MOST_RECORDS = 1_000_000
#: The same of a file whose entries are handed out: what is kept of each is its identifier.
MOST_HANDED_OUT = 100_000_000
#: Fields of which one at least must be there: without them, a record identifies no work.
TELLING = ("title", "authors", "doi", "ids", "venue", "abstract", "url", "isbn")


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

        def made() -> tuple[Draft, Record]:
            draft = describe()
            fields = kept(draft.fields, cuts)
            fields = fields | {"source_id": self.own(fields.get("source_id"))}
            return draft, made_record(
                source=self._reading.name, position=self.position + 1, **fields
            )

        found = self.attempt(line, made)
        if found is None:
            return
        draft, record = found
        if not any(draft.fields.get(name) for name in TELLING):
            self.lose(line, "the record is left out: it has no field that identifies a work")
            return
        given = kept_given(draft.given, cuts)
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
        """Count records that cannot be read."""
        self.position += count
        self._reading.add_problem(line, why[:LONGEST], count)

    def remark(self, line: int, what: str) -> None:
        """Report a problem that loses no record."""
        self._reading.add_problem(line, what[:LONGEST])

    def own(self, source_id: str | None) -> str:
        """The identifier, or "" where another record of the file has it."""
        return "" if not source_id or source_id in self._taken else source_id
