"""What the files of a job say beside the fields of its records: what of it a format has a place
for, and what not.

A tag goes out again in the format that it came in. JSON, CSV and Parquet have room for those of any
format, under a name such as "ris:N1"; read again, they are N1 of RIS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from metasearch.bib.cuts import Cuts, kept_given
from metasearch.bulk.job import FileRead, InputRecord, MergedWork, Outcome
from metasearch.formats import READABLE
from metasearch.formats.csv.write import MOST_BESIDE, columns_beside
from metasearch.formats.origins import Beside, Origin
from metasearch.formats.reading.result import MOST_TAGS
from metasearch.formats.text import line

#: Output formats that have a place for the tags of any format.
_ROOMY = frozenset({"json", "ndjson", "sse", "csv", "parquet"})
#: Tags whose values every format has a place for.
_HELD = frozenset({("ris", "DB")})
#: Tags that a note names; the others are counted.
NAMES_SHOWN = 20


def origins(record: InputRecord, file: FileRead) -> tuple[Origin, ...]:
    """Of the records that a record stands for: several, where an earlier job has made them one."""
    return record.origins or (Origin(file.input.name, line(record.database) or None),)


def with_besides(outcome: Outcome, name: str) -> Iterator[tuple[MergedWork, Beside]]:
    """Each work with what stands beside it in an output; as much as of one record."""
    for work in outcome.works:
        yield work, _beside(work.items, outcome.files, name, Cuts())


def _beside(
    items: tuple[InputRecord, ...], files: Sequence[FileRead], name: str, cuts: Cuts
) -> Beside:
    made_of = tuple([one for item in items for one in origins(item, files[item.file])])
    found = [field for item in items for field in _placed(item, files[item.file], name)]
    return Beside(made_of, kept_given(list(dict.fromkeys(found)), cuts))


def _placed(item: InputRecord, file: FileRead, name: str) -> Iterator[tuple[str, str]]:
    """The fields of a record that an output format has a place for, by their names there."""
    for tag, value in item.given:
        form, bare = _parted(tag, file.reading.format)
        if form == name:
            yield bare, value
        elif name in _ROOMY:
            yield f"{form}:{bare}", value


def _parted(tag: str, form: str) -> tuple[str, str]:
    """The format whose tag it is, and the tag; CSV, JSON and Parquet hold those of others, too."""
    before, colon, bare = tag.partition(":")
    is_of_another = before in READABLE and form in ("csv", "ndjson", "parquet")
    return (before, bare) if colon and bare and is_of_another else (form, tag)


def columns(outcome: Outcome, name: str) -> list[str]:
    """The columns that a table has for the tags of the files."""
    return columns_beside(beside for _, beside in with_besides(outcome, name))


class LeftOut:
    """What the files say and an output does not; it looks at one work after another, and says
    nothing of a table for the eye.
    """

    def __init__(self, files: Sequence[FileRead], name: str) -> None:
        self._files = files
        self._name = name
        self._cuts = Cuts()
        self._tags: set[str] = set()
        self._written: dict[str, None] = {}

    def add(self, work: MergedWork) -> None:
        """Look at one more."""
        if self._name == "table":
            return
        beside = _beside(work.items, self._files, self._name, self._cuts)
        if self._name == "csv":
            if len(self._tags) < MOST_TAGS:
                self._tags.update(tag for tag, _ in beside.fields)
            if len(self._written) <= MOST_BESIDE:
                self._written.update(dict.fromkeys(columns_beside([beside])))

    def join(self, other: LeftOut) -> None:
        """Take in what another one of the same job and format has seen, which come behind."""
        self._cuts.join(other._cuts)
        if len(self._tags) < MOST_TAGS:
            self._tags |= other._tags
        if len(self._written) <= MOST_BESIDE:
            self._written |= other._written

    def notes(self) -> list[str]:
        """In words, a line a file, when it has seen all works."""
        if self._name == "table":
            return []
        notes = [note for file in self._files if (note := self._of(file))]
        notes += [f"of merged records, {note}" for note in self._cuts.notes()]
        held = min(len(self._written), MOST_BESIDE)
        if len(self._tags) > held:
            notes.append(
                f"a table has {held:,} columns of files at most: {len(self._tags) - held:,} more "
                f"were left out"
            )
        return notes

    def _of(self, file: FileRead) -> str:
        lost: Counter[str] = Counter()
        for tag, times in file.reading.tags().items():
            form, bare = _parted(tag, file.reading.format)
            if form != self._name and self._name not in _ROOMY and (form, bare) not in _HELD:
                lost[bare] += times
        if not lost:
            return ""
        shown = ", ".join(
            f"{line(tag)} ({times:,})" for tag, times in lost.most_common(NAMES_SHOWN)
        )
        more = f" and {len(lost) - NAMES_SHOWN} more" if len(lost) > NAMES_SHOWN else ""
        return f"{file.input.name}: {self._name} has no place for {shown}{more}"
