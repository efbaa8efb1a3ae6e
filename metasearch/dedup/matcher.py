"""The one interface of dedup: a matcher says where twins may lie (`keys`) and judges a pair (`compare`).

The same object serves the stream (online.py), a bulk job (`keys` is the map step, `compare` the reduce step) and the
evaluation. A chain is a tuple of matchers: two records meet where any matcher gives both the same key; then the chain is
asked in order, and the first verdict stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.record import Match, Verdict


@dataclass(frozen=True, slots=True)
class Key:
    """A place to look: records with an equal key are compared."""

    matcher: str
    value: str


class Matcher(Protocol):
    """One way of finding and judging twins.

    `compare` is symmetric, looks at nothing but the two fingerprints, and answers None for "not mine to say";
    too little input is None, never "same".
    """

    @property
    def name(self) -> str:
        """As it stands in `Match.matcher`."""

    def keys(self, it: Fingerprint) -> Iterable[str]:
        """Where the record's twins may lie."""

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """The verdict on a pair, or None."""


Chain = Sequence[Matcher]


def chain_keys(chain: Chain, it: Fingerprint) -> list[Key]:
    """All keys of a record."""
    return [Key(matcher.name, value) for matcher in chain for value in matcher.keys(it)]


def judge(chain: Chain, a: Fingerprint, b: Fingerprint) -> Match | None:
    """The first verdict of the chain on a pair; None where nobody says anything."""
    if a.record_key > b.record_key:
        a, b = b, a
    for matcher in chain:
        match = matcher.compare(a, b)
        if match is not None:
            return match
    return None


def verdict(
    name: str, word: Verdict, score: float, because: Iterable[str], a: Fingerprint, b: Fingerprint
) -> Match:
    """A `Match` with its sides in order and its reasons in words."""
    left, right = sorted((a.record_key, b.record_key))
    return Match(name, word, round(min(1.0, score), 3), "; ".join(because), left, right)
