"""How much two sets have in common, and where sets lie that have enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint

#: What a share is taken of: the smaller of the two ("how much of it is contained in the other"),
#: the larger, or both together (Jaccard's coefficient).
Of = Literal["smaller", "larger", "union"]
#: The same in words.
IN_WORDS: Mapping[Of, str] = {
    "smaller": because.OF_SMALLER,
    "larger": because.OF_LARGER,
    "union": because.OF_BOTH,
}
#: Records with the very same set that are named; each of them resembles all others, so that more
#: would say no more.
MOST_ALIKE = 16


def share(a: AbstractSet[Hashable], b: AbstractSet[Hashable], of: Of = "smaller") -> float:
    """What two sets share, 0..1; 0 where one is empty."""
    return ratio(len(a & b), len(a), len(b), of) if a and b else 0.0


def ratio(common: int, a: int, b: int, of: Of) -> float:
    """The same by sizes; both are positive."""
    if of == "union":
        return common / (a + b - common)
    return common / (min(a, b) if of == "smaller" else max(a, b))


def fewest_common(threshold: float, size: int) -> int:
    """How many elements of so many are at least that share of them."""
    # 0.55 * 20 is 11.000000000000002 to a computer; one too few costs a look-up, one too many would
    # lose a pair.
    return max(1, math.ceil(threshold * size - 1e-9))


def enough(threshold: float, size: int) -> int:
    """How many elements of a set suffice to meet every other that holds such a share of it,
    whichever they are.

    Who holds k of n elements cannot miss n - k + 1 of them (the prefix filter of Chaudhuri, Ganti
    and Kaushik, "A primitive operator for similarity joins in data cleaning", ICDE 2006).
    """
    return size - fewest_common(threshold, size) + 1


class Overlaps:
    """`Neighbours` by an inverted index: exactly the records whose sets share enough, and no
    pairwise comparison.

    What is shared counts against the smaller set, so two questions are asked. A record that is no
    larger than an older one shares one of any `enough` elements of its own with it: the rarest are
    looked up among all elements of the older ones. Of one that is larger some element is among any
    `enough` of the older one: all are looked up among those. The rarest are those that fewest sets
    hold so far, so that long lists are hardly read.

    Records with the very same set stand behind one entry, and `near` names at most `MOST_ALIKE` of
    them; `passed_over` counts the others. `set_of`: the set of a record, each element once, in any
    order; None where there is too little. `threshold`: what must be shared, 0..1. `of`: of what.
    """

    def __init__(
        self,
        set_of: Callable[[Fingerprint], Sequence[str] | None],
        threshold: float,
        of: Of = "smaller",
    ) -> None:
        self._set_of = set_of
        self._threshold = threshold
        self._of: Of = of
        self._sets: list[frozenset[str]] = []
        self._members: list[list[int]] = []
        self._more: list[int] = []
        self.passed_over = 0
        self._places: dict[frozenset[str], int] = {}
        self._all: dict[str, list[int]] = {}
        self._rarest: dict[str, list[int]] = {}

    def near(self, fingerprint: Fingerprint) -> list[int]:
        """The records that share enough with it."""
        elements = self._set_of(fingerprint)
        if not elements:
            return []
        places: set[int] = set()
        for element in self._rarest_of(elements):
            places.update(self._all.get(element, ()))
        for element in elements:
            places.update(self._rarest.get(element, ()))
        return self._members_of(places, frozenset(elements))

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Enter a record, if it has a set."""
        elements = self._set_of(fingerprint)
        if not elements:
            return
        found = frozenset(elements)
        place = self._places.setdefault(found, len(self._sets))
        if place < len(self._sets):
            if len(self._members[place]) < MOST_ALIKE:
                self._members[place].append(number)
            else:
                self._more[place] += 1
            return
        self._sets.append(found)
        self._members.append([number])
        self._more.append(0)
        for element in self._rarest_of(elements):
            self._rarest.setdefault(element, []).append(place)
        for element in elements:
            self._all.setdefault(element, []).append(place)

    def _rarest_of(self, elements: Sequence[str]) -> list[str]:
        held = self._all
        by_number = sorted(elements, key=lambda element: len(held.get(element, ())))
        return by_number[: enough(self._threshold, len(elements))]

    def _members_of(self, places: set[int], elements: frozenset[str]) -> list[int]:
        found: list[int] = []
        size = len(elements)
        for place in places:
            other = self._sets[place]
            if ratio(len(elements & other), size, len(other), self._of) >= self._threshold:
                found += self._members[place]
                self.passed_over += self._more[place]
        return found
