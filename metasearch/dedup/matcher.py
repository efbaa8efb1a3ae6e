"""The interface of dedup: a matcher returns the keys of a record (`keys`) and compares two records
(`compare`).

A search, a job over files and the evaluation use the same matchers. Two records are compared if any
matcher of a chain returns the same key for both. The matchers are called in their order, and the
first verdict counts, unless a veto of the chain forbids it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

from metasearch.dedup.fingerprints import Fingerprint
from metasearch.record import Match, Verdict, made_match


@dataclass(frozen=True, slots=True)
class Key:
    """Records with an equal key are compared."""

    matcher: str
    value: str


class Matcher(Protocol):
    """One rule that finds and compares records of one work.

    `compare` is symmetric, reads only the two fingerprints, and returns None where the rule does
    not apply; for too little input it returns None, never "same". It also returns None for two
    records that share none of its keys and are no neighbours in its index: such a pair is compared
    only if another matcher has found it, and no verdict may depend on that.
    """

    @property
    def name(self) -> str:
        """The name in `Match.matcher`."""

    @property
    def exact(self) -> bool:
        """Whether `compare` returns a verdict only on records that share one of its keys; it is
        not called for others.
        """

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The keys that other records of the work may share."""

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """The verdict on a pair, or None."""


class Neighbours(Protocol):
    """The index of one matcher in one job; records are added one by one."""

    @property
    def passed_over(self) -> int:
        """How many near records were not returned, because too many were near."""

    def near(self, fingerprint: Fingerprint) -> Iterable[int]:
        """The numbers of the added records that are worth a comparison."""

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Add a record."""


@runtime_checkable
class Searching(Matcher, Protocol):
    """A matcher that finds records without a common key: near signatures, sets that overlap."""

    def neighbours(self) -> Neighbours:
        """A new, empty index."""


@runtime_checkable
class Signed(Searching, Protocol):
    """A searching matcher whose neighbours are the records with a near signature, so that
    signatures can be kept and searched elsewhere.
    """

    @property
    def distance(self) -> int:
        """Bits in which the signatures of neighbours differ at most."""

    def signature(self, fingerprint: Fingerprint) -> int | None:
        """64 bits, the same in every process; None of a record that has no neighbours."""


@runtime_checkable
class Blocked(Matcher, Protocol):
    """A matcher by 64-bit signatures, one or several a record, whose keys are blocks of their bits
    (Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007).

    Of very many records nearly each shares such a key with another one by chance, so that keys do
    not tell which may be one work; near signatures do.
    """

    @property
    def radius(self) -> int:
        """Bits in which the nearest signatures of two records that are the same differ at most."""

    def signatures(self, fingerprint: Fingerprint) -> Iterable[int]:
        """64 bits each, the same in every process; none of a record that is never the same."""


@runtime_checkable
class Preparing(Matcher, Protocol):
    """A matcher for which many records at once cost much less than one after the other."""

    def has_work(self, prints: Sequence[Fingerprint]) -> bool:
        """Whether there is something to prepare."""

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Compute what the next records need; this changes no verdict."""


class Pinning(Matcher, Protocol):
    """A matcher that holds what a person decided: its verdicts are final. See `pins.Pins`."""

    def __bool__(self) -> bool:
        """Whether it holds a decision."""

    def touches(self, fingerprint: Fingerprint) -> bool:
        """Whether any decision names the record."""


@dataclass(frozen=True)
class Chain:
    """Matchers in the order in which they are called, and vetoes.

    Attributes:
        matchers: They find pairs and return "same" or "version".
        vetoes: They return "different". They are called where a matcher returned "same" or
            "version", and for every other pair that would stand in one hit.
        pins: What a person decided; it comes first, and no rule overrules it.
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
        """Whether `prepare` would block an event loop for long."""
        return any(matcher.has_work(prints) for matcher in self._preparing)

    def prepare(self, prints: Sequence[Fingerprint]) -> None:
        """Let the matchers compute at once what they need of the next records."""
        for matcher in self._preparing:
            matcher.prepare(prints)

    @cached_property
    def _preparing(self) -> tuple[Preparing, ...]:
        return tuple(matcher for matcher in self.matchers if isinstance(matcher, Preparing))

    @property
    def finders(self) -> tuple[Matcher, ...]:
        """Pins and matchers: all that return keys."""
        return (self.pins, *self.matchers) if self.pins else self.matchers

    def keys(self, fingerprint: Fingerprint) -> list[Key]:
        """All keys of a record."""
        return [
            Key(matcher.name, value)
            for matcher in self.finders
            for value in matcher.keys(fingerprint)
        ]

    def judge(self, a: Fingerprint, b: Fingerprint, *, exact: bool = True) -> Match | None:
        """The first verdict on a pair; None where no matcher returns one.

        Args:
            a: The one.
            b: The other.
            exact: Whether to call exact matchers; False where it is known that the two share none
                of their keys.
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
        """What forbids that two stand in one hit: a pin, or a veto that no pin lifts; or None."""
        if a.record_key > b.record_key:
            a, b = b, a
        if self.pins is not None and (pin := self.pins.compare(a, b)) is not None:
            return pin if pin.verdict == "different" else None
        return self._vetoed(a, b)

    def explain(self, a: Fingerprint, b: Fingerprint) -> list[tuple[str, Match | None]]:
        """The verdict of each pin, matcher and veto on a pair, in the order of their calls."""
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
    left, right = a.record_key, b.record_key
    if left > right:
        left, right = right, left
    return made_match(name, word, round(min(1.0, score), 3), "; ".join(because), left, right)
