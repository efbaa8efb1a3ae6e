"""What records say but their own names: copies of a record are told by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from metasearch.record import Record

Why = TypeVar("Why")

#: Fields that name the copy, and say nothing of the work.
NAMES_THE_COPY = ("source", "source_id", "position")
_COMPARED = tuple(
    name for name in Record.__dataclass_fields__ if name not in ("ids", *NAMES_THE_COPY)
)


def content_of(record: Record) -> tuple[object, ...]:
    """All that a record says but its own names."""
    return (tuple(sorted(record.ids.items())), *(getattr(record, name) for name in _COMPARED))


class Contents(Generic[Why]):
    """The contents of some records of a job.

    A content is read where a title comes again; most titles come once. `records`: all records by
    number; the list grows while records arrive.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        # Hash of a title -> the record that had it alone, None where several have it; hash of a
        # content -> the first record of it.
        self._titles: dict[int, int | None] = {}
        self._contents: dict[int, int] = {}
        # Hash of a title -> a record of which it is not known yet whether it is taken in, and what
        # tells it.
        self._later: dict[int, tuple[int, Why]] = {}

    def add_later(self, number: int, why: Why) -> bool:
        """Take in a record with a new title, if it is to be taken in: that is asked when the title
        comes again. False, and nothing is done, where the title has come before.
        """
        title = hash(self._records[number].title)
        if title in self._titles or title in self._later:
            return False
        self._later[title] = number, why
        return True

    def add(self, number: int, is_taken: Callable[[int, Why], bool] | None = None) -> int | None:
        """Take in a record, and return the first one that says the same in every field; None where
        there is none. `is_taken`: whether a record that was left for later is taken in.
        """
        title = hash(self._records[number].title)
        later = self._later.pop(title, None)
        if later is not None and later[0] != number and is_taken is not None and is_taken(*later):
            self._titles[title] = later[0]
        alone = self._titles.setdefault(title, number)
        if alone == number:
            return None
        if alone is not None:
            self._titles[title] = None
            self._contents.setdefault(hash(content_of(self._records[alone])), alone)
        content = content_of(self._records[number])
        other = self._contents.setdefault(hash(content), number)
        # Contents of one hash may differ.
        return other if other != number and content_of(self._records[other]) == content else None
