"""Strategies that are simple enough to know by heart what they find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from metasearch.bulk.evaluate.compare import StrategyFigures, measure
from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.dedup import Chain, DedupStrategy, Fingerprint
from metasearch.dedup.matchers import verdict
from metasearch.record import Match, Record


def words(record: Record) -> frozenset[str]:
    return frozenset(record.title.split())


@dataclass(frozen=True)
class SharedWords:
    """Titles that share so many words are one; it takes each title apart once, and counts how often
    it did."""

    least: int = 2
    read: list[str] = field(default_factory=list, compare=False)

    name: ClassVar[str] = "shared-words"
    exact: ClassVar[bool] = False

    def keys(self, it: Fingerprint) -> Iterable[str]:
        return self._words(it)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        shared = self._words(a) & self._words(b)
        return (
            verdict(self.name, "same", 1.0, sorted(shared), a, b)
            if len(shared) >= self.least
            else None
        )

    def _words(self, it: Fingerprint) -> frozenset[str]:
        return it.once(self.name, self._take)

    def _take(self, record: Record) -> frozenset[str]:
        self.read.append(record.title)
        return words(record)


def strategy(name: str = "words", **changes: Any) -> DedupStrategy:
    """A strategy whose threshold is the number of words that titles must share, 2 if nobody
    says."""
    return DedupStrategy(
        **{
            "name": name,
            "does": "shared words",
            "source": "the tests",
            "needs": "two words",
            "cost": "little",
            "order": "does not matter",
            "when": "never",
            "chain": Chain((SharedWords(),)),
            "threshold": "least",
            "sweep": (3.0, 2.0, 1.0),
            **changes,
        }
    )


def fixed(name: str = "fixed", **changes: Any) -> DedupStrategy:
    """The same without a threshold that can be changed."""
    return strategy(name, threshold=None, sweep=(), **changes)


def compare(
    labelled: LabelledSet, strategies: Iterable[DedupStrategy], **options: Any
) -> list[StrategyFigures]:
    return [measure(labelled, one, **options) for one in strategies]
