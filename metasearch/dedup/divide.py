"""A component of records that something joins -> the works in it: strongest evidence first, no union across a veto."""

from __future__ import annotations

from collections.abc import Sequence

from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import Chain
from metasearch.record import Match

#: Up to this size every pair of a component is judged, beyond it only pairs that share a key; and of a larger cluster
#: so many records are asked whether they forbid a union: the cost stays linear.
ALL_PAIRS = 60

#: Numbers of records, and what holds them together.
Cluster = tuple[list[int], list[Match]]
Edge = tuple[int, int, Match]


class Divider:
    """Divides components; keeps the verdicts on the pairs within them, because a stream asks again and again.

    Args:
        chain: Judges.
        prints: The fingerprints by number; the list grows while records arrive.

    Attributes:
        passed_over: Pairs that were not judged, because their component is too large.
    """

    def __init__(self, chain: Chain, prints: Sequence[Fingerprint]) -> None:
        self._chain = chain
        self._prints = prints
        self._verdicts: dict[tuple[int, int], Match | None] = {}
        self._vetoes: dict[tuple[int, int], bool] = {}
        self.passed_over = 0

    def verdict(self, a: int, b: int, *, exact: bool) -> Match | None:
        """What the chain says of two records; `exact` as in `Chain.judge`. Only what joins them is kept."""
        match = self._chain.judge(self._prints[a], self._prints[b], exact=exact)
        if match is not None and match.verdict != "different":
            self._verdicts[(a, b) if a < b else (b, a)] = match
        return match

    def divide(self, members: list[int], joins: Sequence[Edge], *, separate: bool = False) -> list[Cluster]:
        """The works among the members.

        Args:
            members: A component.
            joins: The verdicts that made it one.
            separate: Whether versions are works of their own.
        """
        edges = {(a, b) if a < b else (b, a): match for a, b, match in joins}
        if 2 < len(members) <= ALL_PAIRS:
            edges |= self._all_edges(members)
        ordered = sorted(edges.items(), key=_strongest_first)
        home = {number: number for number in members}
        clusters: dict[int, Cluster] = {number: ([number], []) for number in members}
        for (a, b), match in ordered:
            if separate and match.verdict == "version":
                continue
            one, other = home[a], home[b]
            if one == other:
                continue
            ours, theirs = clusters[one][0], clusters[other][0]
            # What somebody has decided is followed along a chain of decisions, too, whatever lies between its ends.
            if self._parted(ours, theirs) if match.matcher == "pin" else self._forbidden(ours, theirs, edges):
                continue
            if len(clusters[one][0]) < len(clusters[other][0]):
                one, other = other, one
            gone, gone_matches = clusters.pop(other)
            clusters[one][0].extend(gone)
            clusters[one][1].extend([*gone_matches, match])
            for number in gone:
                home[number] = one
        return list(clusters.values())

    def _all_edges(self, members: list[int]) -> dict[tuple[int, int], Match]:
        edges = {}
        for i, a in enumerate(members):
            for b in members[i + 1 :]:
                pair = (a, b) if a < b else (b, a)
                if pair not in self._verdicts:
                    self._verdicts[pair] = self._chain.judge(self._prints[a], self._prints[b])
                match = self._verdicts[pair]
                if match is not None and match.verdict != "different":
                    edges[pair] = match
        return edges

    def _forbidden(self, one: list[int], other: list[int], edges: dict[tuple[int, int], Match]) -> bool:
        if len(one) * len(other) > ALL_PAIRS * ALL_PAIRS or max(len(one), len(other)) > ALL_PAIRS:
            self.passed_over += len(one) * len(other) - min(len(one), ALL_PAIRS) * min(len(other), ALL_PAIRS)
            one, other = self._first(one), self._first(other)
        return any(self._vetoed(a, b, edges) for a in one for b in other)

    def _parted(self, one: list[int], other: list[int]) -> bool:
        pins, prints = self._chain.pins, self._prints
        if pins is None:
            return False
        ours, theirs = ([prints[n] for n in numbers if pins.touches(prints[n])] for numbers in (one, other))
        pairs = (pins.compare(a, b) for a in ours for b in theirs)
        return any(pin is not None and pin.verdict == "different" for pin in pairs)

    def _first(self, numbers: list[int]) -> list[int]:
        """The first of a large cluster, and all about which somebody has decided something."""
        if len(numbers) <= ALL_PAIRS:
            return numbers
        ordered = sorted(numbers, key=lambda n: self._prints[n].record_key)
        pins = self._chain.pins
        return ordered[:ALL_PAIRS] + [n for n in ordered[ALL_PAIRS:] if pins and pins.touches(self._prints[n])]

    def _vetoed(self, a: int, b: int, edges: dict[tuple[int, int], Match]) -> bool:
        pair = (a, b) if a < b else (b, a)
        if pair in edges:  # what joins two records has passed the vetoes
            return False
        if pair not in self._vetoes:
            self._vetoes[pair] = self._chain.forbids(self._prints[a], self._prints[b]) is not None
        return self._vetoes[pair]


def _strongest_first(edge: tuple[tuple[int, int], Match]) -> tuple[bool, bool, float, str, str]:
    match = edge[1]
    return (match.matcher != "pin", match.verdict != "same", -match.score, match.left, match.right)
