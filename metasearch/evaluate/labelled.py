"""Records and the truth about them, whatever file they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace

from metasearch.errors import UsageError
from metasearch.record import Record

Judged = tuple[int, int, bool]

#: Fields that name a record and say nothing of its work.
NAMES = ("source", "source_id", "position")
#: Fields that say something of the work.
FIELDS = tuple(field.name for field in fields(Record) if field.name not in NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Records and the truth about them; records go by their number in the file, from 0.

    Attributes:
        name: Of the folder, or of the file without its ending.
        origins: What each row gives as its source, as it stands there; None where it gives none.
        works: Number of the work of each record, or None where the truth is of another kind.
        pairs: (one, other, whether they are one work), or None.
        labels: Whether some other record is the same work, a record each, or None.
        cross_source_only: Only pairs of different origin are judged.
        kinds: What was done to each record ("" where nobody says), or None; only where `works` is
            there.
        notes: What could not be read or was left out, in words.
    """

    name: str
    records: Sequence[Record]
    origins: Sequence[str | None]
    works: Sequence[int] | None = None
    pairs: Sequence[Judged] | None = None
    labels: Sequence[bool] | None = None
    cross_source_only: bool = False
    kinds: Sequence[str] | None = None
    notes: Sequence[str] = field(default=())


def known_fields(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, if a record has such fields. Raises UsageError: none has."""
    known = tuple(dict.fromkeys(names))
    for name in known:
        if name not in FIELDS:
            raise UsageError(
                f"a record has no field called {name!r}", advice=f"There are: {', '.join(FIELDS)}."
            )
    return known


def narrowed(labelled: LabelledSet, names: Sequence[str]) -> LabelledSet:
    """The same set with these fields of each record, and what names it; all where none is named."""
    if not names:
        return labelled
    kept = (*NAMES, *names)
    records = [
        Record(**{name: getattr(record, name) for name in kept}) for record in labelled.records
    ]
    return replace(labelled, records=records)
