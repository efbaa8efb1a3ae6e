"""The one interface of dedup: a matcher says where twins may lie (`keys`) and judges a pair
(`compare`).

The same object serves the stream (online.py), a bulk job (`keys` is the map step, `compare` the
reduce step) and the evaluation. Two records meet where any matcher of a chain gives both the same
key; then its matchers are asked in order, and the first verdict stands, unless a veto of the chain
forbids it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.record import Match, Verdict


@dataclass(frozen=True, slots=True)
class Key:
    """A place to look: records with an equal key are compared."""

    matcher: str
    value: str


class Matcher(Protocol):
    """One way of finding and judging twins.

    `compare` is symmetric, looks at nothing but the two fingerprints, and answers None for "not
    mine to say"; too little input is None, never "same". So are two records that share none of its
    keys and are no neighbours in its own index: a search asks about them only where another matcher
    happens to bring them together, and which records it judges must not hang on that.
    """

    @property
    def name(self) -> str:
        """As it stands in `Match.matcher`."""

    @property
    def exact(self) -> bool:
        """Whether `compare` speaks only of records that share one of its keys; it is then not asked
        about others.
        """

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """Where the record's twins may lie."""

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """The verdict on a pair, or None."""


class Neighbours(Protocol):
    """An index of a matcher's own; one job's, and grown record by record."""

    @property
    def passed_over(self) -> int:
        """How many near records were not named, because too many were near."""

    def near(self, fingerprint: Fingerprint) -> Iterable[int]:
        """The numbers of the records, of those that were added, that are worth a comparison."""

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Enter a record; what comes later is near it if it is near what comes later."""


@runtime_checkable
class Searching(Matcher, Protocol):
    """A matcher for which twins may lie where no key can tell: signatures a few bits apart, sets
    that overlap.
    """

    def neighbours(self) -> Neighbours:
        """A new, empty index."""


@runtime_checkable
class Preparing(Matcher, Protocol):
    """A matcher that does its work on many records at once for much less than on one after the
    other.
    """

    def has_work(self, prints: Sequence[Fingerprint]) -> bool:
        """Whether there is something to prepare."""

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Compute now what will be needed of records that are about to come; changes no verdict."""


class Pinning(Matcher, Protocol):
    """A matcher that holds what a person decided: its verdicts are final. See `pins.Pins`."""

    def __bool__(self) -> bool:
        """Whether it holds a decision."""

    def touches(self, fingerprint: Fingerprint) -> bool:
        """Whether any decision names the record."""


@dataclass(frozen=True)
class Chain:
    """Matchers in the order in which they are asked, and the vetoes over them.

    Attributes:
        matchers: Find pairs and speak for them.
        vetoes: Speak against: they are asked where a matcher said "same" or "version", and for
            every other pair that would come to stand in one hit.
        pins: What somebody decided; it is asked first, and nothing overrules it.
    """

    matchers: tuple[Matcher, ...]
    vetoes: tuple[Matcher, ...] = ()
    pins: Pinning | None = None

    def pinned(self, pins: Pinning) -> Chain:
        """The same chain under these pins."""
        return replace(self, pins=pins)

    @cached_property
    def judges(self) -> tuple[Matcher, ...]:
        """The matchers that are not exact."""
        return tuple(matcher for matcher in self.matchers if not matcher.exact)

    @cached_property
    def searching(self) -> tuple[Searching, ...]:
        """The matchers that find twins by more than keys."""
        return tuple(matcher for matcher in self.matchers if isinstance(matcher, Searching))

    def has_work(self, prints: Sequence[Fingerprint]) -> bool:
        """Whether `prepare` would take long enough for a loop to be kept free of it."""
        return any(matcher.has_work(prints) for matcher in self._preparing)

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Let the matchers compute at once what they need of records that are about to come."""
        for matcher in self._preparing:
            matcher.prepare(prints)

    @cached_property
    def _preparing(self) -> tuple[Preparing, ...]:
        return tuple(matcher for matcher in self.matchers if isinstance(matcher, Preparing))

    @property
    def finders(self) -> tuple[Matcher, ...]:
        """Everything that gives keys."""
        return (self.pins, *self.matchers) if self.pins else self.matchers

    def keys(self, fingerprint: Fingerprint) -> list[Key]:
        """Everywhere to look for the record's twins."""
        return [
            Key(matcher.name, value)
            for matcher in self.finders
            for value in matcher.keys(fingerprint)
        ]

    def judge(self, a: Fingerprint, b: Fingerprint, *, exact: bool = True) -> Match | None:
        """The verdict on a pair, whichever comes first; None where nobody says anything.

        Args:
            a: The one.
            b: The other.
            exact: Whether to ask exact matchers: no, where it is known that the two share none of
                their keys.
        """
        if a.record_key > b.record_key:
            a, b = b, a
        if self.pins is not None and (pin := self.pins.compare(a, b)) is not None:
            return pin
        for matcher in self.matchers if exact else self.judges:
            match = matcher.compare(a, b)
            if match is not None:
                return match if match.verdict == "different" else self._vetoed(a, b) or match
        return None

    def forbids(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """What forbids that the two stand in one hit: a pin, or the first veto that no pin lifts;
        or None.
        """
        if a.record_key > b.record_key:
            a, b = b, a
        if self.pins is not None and (pin := self.pins.compare(a, b)) is not None:
            return pin if pin.verdict == "different" else None
        return self._vetoed(a, b)

    def explain(self, a: Fingerprint, b: Fingerprint) -> list[tuple[str, Match | None]]:
        """What pins, matchers and vetoes say of a pair, each for itself, in the order in which they
        are asked.
        """
        if a.record_key > b.record_key:
            a, b = b, a
        return [(matcher.name, matcher.compare(a, b)) for matcher in (*self.finders, *self.vetoes)]

    def _vetoed(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        for veto in self.vetoes:
            match = veto.compare(a, b)
            if match is not None:
                return match
        return None


def share_a_key(matcher: Matcher, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether a key of this matcher brings the two together."""
    return not set(matcher.keys(a)).isdisjoint(matcher.keys(b))


def verdict(
    name: str, word: Verdict, score: float, because: Iterable[str], a: Fingerprint, b: Fingerprint
) -> Match:
    """A `Match` with its sides in order and its reasons in words."""
    left, right = sorted((a.record_key, b.record_key))
    return Match(name, word, round(min(1.0, score), 3), "; ".join(because), left, right)
