"""What a format's reader finds of a record before it has its place in the file (`entries.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metasearch.formats.origins import Origin


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


def unread(tag: str, value: str, what: str) -> str:
    """A problem with one field: 'DO holds no DOI: "n/a"'."""
    shown = " ".join(value[:60].split())
    return f'{tag} holds no {what}: "{shown}{"…" if len(value) > 60 else ""}"'
