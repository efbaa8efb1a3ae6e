"""The one interface of dedup: a matcher says where twins may lie (`keys`) and judges a pair (`compare`).

The same object serves the stream (online.py), a bulk job (`keys` is the map step, `compare` the reduce step) and the
evaluation. Two records meet where any matcher of a chain gives both the same key; then its matchers are asked in
order, and the first verdict stands, unless a veto of the chain forbids it.
"""

from __future__ import annotations

from collections.abc import Iterable
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


@dataclass(frozen=True, slots=True)
class Chain:
    """Matchers in the order in which they are asked, and the vetoes over them.

    Attributes:
        matchers: Find pairs and speak for them.
        vetoes: Speak against: they are asked where a matcher said "same" or "version", and for every other pair that
            would come to stand in one hit.
    """

    matchers: tuple[Matcher, ...]
    vetoes: tuple[Matcher, ...] = ()

    def keys(self, it: Fingerprint) -> list[Key]:
        """Everywhere to look for the record's twins."""
        return [Key(matcher.name, value) for matcher in self.matchers for value in matcher.keys(it)]

    def judge(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """The verdict on a pair, whichever comes first; None where nobody says anything."""
        if a.record_key > b.record_key:
            a, b = b, a
        for matcher in self.matchers:
            match = matcher.compare(a, b)
            if match is not None:
                return match if match.verdict == "different" else self.forbids(a, b) or match
        return None

    def forbids(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """The first veto against the pair, or None."""
        if a.record_key > b.record_key:
            a, b = b, a
        for veto in self.vetoes:
            match = veto.compare(a, b)
            if match is not None:
                return match
        return None


def verdict(name: str, word: Verdict, score: float, because: Iterable[str], a: Fingerprint, b: Fingerprint) -> Match:
    """A `Match` with its sides in order and its reasons in words."""
    left, right = sorted((a.record_key, b.record_key))
    return Match(name, word, round(min(1.0, score), 3), "; ".join(because), left, right)
