"""Strategies of the tests; what one of them loads and computes can be watched and held."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from metasearch.dedup import Chain, DedupStrategy, Fingerprint
from metasearch.dedup.matchers import verdict
from metasearch.record import Match, Record


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class SameTitle:
    """Equal titles; `reading` is called for each record, once."""

    name: ClassVar[str] = "same-title"
    exact: ClassVar[bool] = True
    reading: Callable[[], object] = _nothing
    least: int = 3

    def keys(self, it: Fingerprint) -> Iterable[str]:
        title = it.once(("same-title", self.reading), self._read)
        return [title] if len(title) >= self.least else []

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        ours, theirs = list(self.keys(a)), list(self.keys(b))
        return (
            verdict(self.name, "same", 1.0, ["titles equal"], a, b)
            if ours and ours == theirs
            else None
        )

    def _read(self, record: Record) -> str:
        self.reading()
        return record.title.lower()


def same_title(reading: Callable[[], object] = _nothing, **changed: Any) -> DedupStrategy:
    """The strategy; `changed` are other fields of it, `loads` for instance."""
    told = {
        "name": "same-title",
        "does": "finds records of one title",
        "source": "A. Tester, On titles (2001)",
        "needs": "a title of three letters",
        "cost": "a look-up",
        "order": "does not matter",
        "when": "in tests",
    }
    return DedupStrategy(
        **(
            told
            | {"chain": Chain((SameTitle(reading),)), "threshold": "least", "sweep": (9, 3)}
            | changed
        )
    )


class SameYear:
    """Gives no keys, and has an index of its own: records of one year are one work."""

    name: ClassVar[str] = "same-year"
    exact: ClassVar[bool] = False

    def keys(self, it: Fingerprint) -> Iterable[str]:
        return ()

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        return verdict(self.name, "same", 1.0, ["years equal"], a, b) if a.year == b.year else None

    def neighbours(self) -> Years:
        return Years()


class Years:
    """The records of each year."""

    passed_over = 0

    def __init__(self) -> None:
        self.of: dict[int | None, list[int]] = {}

    def near(self, it: Fingerprint) -> Iterable[int]:
        return self.of.get(it.year, [])

    def add(self, number: int, it: Fingerprint) -> None:
        self.of.setdefault(it.year, []).append(number)
