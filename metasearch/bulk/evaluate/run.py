"""Clustering a labelled set and scoring it: in the order of the file and in shuffled orders, and
which pairs went wrong.
"""

from __future__ import annotations

import gc
import random
import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal

from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.bulk.evaluate.metrics import Score, Tally, by_kind, homes, score
from metasearch.dedup import Chain, Fingerprint, OnlineDedup, fingerprint
from metasearch.record import Match, Record, VersionsMode

Clusters = list[list[int]]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """What other orders of arrival gave. `lowest`: the smallest F1, the order of the file counted
    in. `alike`: runs that gave the very clusters of the order of the file.
    """

    runs: int
    lowest: float
    highest: float
    alike: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A labelled set, what the chain made of it, and how good that is.

    Attributes:
        clusters: Numbers of records, in the order of the file.
        seconds: CPU time from record to cluster, fingerprints included.
        passed_over: Comparisons that dedup did not make, because too many records share a key.
        kinds: Kind of record -> the pairs that hold one; None where the set tells no kinds.
    """

    labelled: LabelledSet
    clusters: Clusters
    score: Score
    seconds: float
    passed_over: int = 0
    shuffled: Shuffled | None = None
    kinds: Mapping[str, Tally] | None = None

    @property
    def rate(self) -> float:
        """Records per CPU second."""
        return len(self.labelled.records) / self.seconds if self.seconds else 0.0


def cluster(
    records: Sequence[Record],
    chain: Chain,
    versions: VersionsMode = "separate",
    prints: Iterable[Fingerprint] | None = None,
) -> tuple[OnlineDedup, Clusters, float]:
    """The works among records that arrive in this order: who found them, they, and the CPU seconds
    that it took.

    Versions are apart unless it is said otherwise, because what sets label are duplicates, and an
    article is no duplicate of its preprint. `prints` are the fingerprints of the records, if they
    are not to be made anew.
    """
    gc.collect()
    dedup = OnlineDedup(chain, versions=versions)
    began = time.process_time()
    dedup.extend(map(fingerprint, records) if prints is None else prints)
    clusters = dedup.clusters()
    return dedup, clusters, time.process_time() - began


def evaluate(
    labelled: LabelledSet,
    chain: Chain,
    *,
    versions: VersionsMode = "separate",
    shuffles: int = 0,
    seed: int = 1,
    prints: Iterable[Fingerprint] | None = None,
) -> Evaluation:
    """Score the chain on a set. `prints`: as in `cluster`, for the order of the file."""
    dedup, clusters, seconds = cluster(labelled.records, chain, versions, prints)
    result = score(labelled, clusters)
    shuffled = _shuffled(labelled, chain, versions, clusters, shuffles, seed) if shuffles else None
    kinds = by_kind(labelled, clusters)
    return Evaluation(labelled, clusters, result, seconds, dedup.passed_over, shuffled, kinds)


def _shuffled(
    labelled: LabelledSet,
    chain: Chain,
    versions: VersionsMode,
    clusters: Clusters,
    shuffles: int,
    seed: int,
) -> Shuffled:
    expected = _partition(clusters)
    found = [score(labelled, clusters).tally.f1]
    alike = 0
    for run in range(shuffles):
        order = list(range(len(labelled.records)))
        random.Random(f"{seed}:{run}").shuffle(order)  # noqa: S311 - an order, not a secret
        _, others, _ = cluster([labelled.records[number] for number in order], chain, versions)
        others = [[order[place] for place in members] for members in others]
        found.append(score(labelled, others).tally.f1)
        alike += _partition(others) == expected
    return Shuffled(shuffles, min(found), max(found), alike)


def _partition(clusters: Clusters) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(members) for members in clusters if len(members) > 1)


# What went wrong on a set: false merges and misses, the worst first, each with what every rule
# said of it.
#
# One bad cluster of a hundred records holds thousands of false pairs that all tell the same, so
# only some of each cluster are shown; the rest is counted in `Wrong.about`.

#: Pairs that are shown of one false cluster, or of one work that was torn apart.
PER_CLUSTER = 3
#: Pairs of one false cluster among which those are looked for that hold it together.
LOOKED_AT = 500

Evidence = tuple[tuple[str, Match | None], ...]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A pair that was merged and must not be, or was not and should.

    Attributes:
        b: Number of the other record; None where the truth only says that `a` has some twin.
        about: What the pair is part of, in words.
        evidence: Each rule with what it says of the pair, in the order in which they are asked.
    """

    kind: Literal["false", "missed"]
    a: int
    b: int | None
    about: str
    evidence: Evidence = ()


def wrong(evaluation: Evaluation, chain: Chain, limit: int) -> list[Wrong]:
    """At most so many false merges, and behind them at most so many misses."""
    looker = _Looker(evaluation, chain)
    labelled = evaluation.labelled
    if labelled.works is not None:
        false, missed = looker.false_merges(labelled.works), looker.torn_works(labelled.works)
    elif labelled.pairs is not None:
        false, missed = looker.judged(same=False), looker.judged(same=True)
    else:
        assert labelled.labels is not None
        false, missed = looker.grouped_wrongly(labelled.labels), looker.left_alone(labelled.labels)
    return [
        looker.explained(mistake) for found in (false, missed) for mistake in islice(found, limit)
    ]


class _Looker:
    def __init__(self, evaluation: Evaluation, chain: Chain) -> None:
        self._labelled = evaluation.labelled
        self._chain = chain
        self._home = homes(evaluation.clusters, len(evaluation.labelled.records))
        self._prints: dict[int, Fingerprint] = {}

    def explained(self, mistake: Wrong) -> Wrong:
        if mistake.b is None:
            return mistake
        evidence = self._chain.explain(self._print(mistake.a), self._print(mistake.b))
        return Wrong(mistake.kind, mistake.a, mistake.b, mistake.about, tuple(evidence))

    def _print(self, number: int) -> Fingerprint:
        if number not in self._prints:
            self._prints[number] = fingerprint(self._labelled.records[number])
        return self._prints[number]

    def _certainty(self, pair: tuple[int, int]) -> float:
        """How sure the chain is that two are one; what was merged through others comes last."""
        match = self._chain.judge(self._print(pair[0]), self._print(pair[1]))
        return -1.0 if match is None else match.score if match.verdict != "different" else -2.0

    # ----------------------------------------------------------- the works of all records are known

    def false_merges(self, works: Sequence[int]) -> Iterator[Wrong]:
        """Pairs of clusters that hold several works, the cluster with most false pairs first."""
        cross = self._labelled.cross_source_only
        origins: Sequence[str | int | None] = self._labelled.origins if cross else range(len(works))

        def judged(pair: tuple[int, int]) -> bool:
            return works[pair[0]] != works[pair[1]] and origins[pair[0]] != origins[pair[1]]

        for members, count in _worst(_groups(self._home), works, origins):
            pairs = list(islice(filter(judged, combinations(members, 2)), LOOKED_AT))
            several = len({works[number] for number in members})
            about = (
                f"cluster of {len(members)} records and {several} works, "
                f"{_counted(count, 'false pair')}"
            )
            for a, b in sorted(pairs, key=self._certainty, reverse=True)[:PER_CLUSTER]:
                yield Wrong("false", a, b, about)

    def torn_works(self, works: Sequence[int]) -> Iterator[Wrong]:
        """Pairs of works that stand in several clusters, the work with most missed pairs first."""
        for members, count in _worst(_groups(works), self._home, range(len(works))):
            parts = _groups([self._home[number] for number in members]).values()
            firsts = [members[part[0]] for part in sorted(parts, key=len, reverse=True)]
            about = (
                f"work of {len(members)} records in {len(firsts)} clusters, "
                f"{_counted(count, 'missed pair')}"
            )
            for a, b in islice(combinations(firsts, 2), PER_CLUSTER):
                yield Wrong("missed", a, b, about)

    # ------------------------------------------------------------ pairs, or records, are judged

    def judged(self, *, same: bool) -> Iterator[Wrong]:
        """The judged pairs about which chain and people are of two minds."""
        assert self._labelled.pairs is not None
        for a, b, label in self._labelled.pairs:
            if label is same and (self._home[a] == self._home[b]) is not same:
                yield Wrong("missed" if same else "false", a, b, "judged pair")

    def grouped_wrongly(self, labels: Sequence[bool]) -> Iterator[Wrong]:
        """Records without a twin that stand in a cluster, each with another of the cluster."""
        for members in _groups(self._home).values():
            for number in members:
                if len(members) > 1 and not labels[number]:
                    other = members[0] if number != members[0] else members[1]
                    yield Wrong(
                        "false",
                        number,
                        other,
                        f"the first has no twin, but stands with {len(members) - 1}",
                    )

    def left_alone(self, labels: Sequence[bool]) -> Iterator[Wrong]:
        """Records with a twin that stand alone, each with the flagged one of nearest title."""
        sizes = Counter(self._home)
        flagged = [number for number, label in enumerate(labels) if label]
        for number in flagged:
            if sizes[self._home[number]] == 1:
                others = [other for other in flagged if other != number]
                nearest = self._nearest(number, others)
                yield Wrong(
                    "missed",
                    number,
                    nearest,
                    "the first has a twin; the second has the nearest title",
                )

    def _nearest(self, number: int, others: Sequence[int]) -> int | None:
        from rapidfuzz import fuzz, process

        titles = {other: self._print(other).text for other in others}
        found = process.extractOne(self._print(number).text, titles, scorer=fuzz.ratio)
        return int(found[2]) if found else None


def _groups(labels: Iterable[int]) -> dict[int, list[int]]:
    """Label -> the places where it stands."""
    out: defaultdict[int, list[int]] = defaultdict(list)
    for number, label in enumerate(labels):
        out[label].append(number)
    return out


def _worst(
    groups: dict[int, list[int]], one: Sequence[Hashable], other: Sequence[Hashable]
) -> list[tuple[list[int], int]]:
    """The groups with pairs that differ in both respects, and how many each has; most first."""
    costs = [
        (members, _differ(members, one, other)) for members in groups.values() if len(members) > 1
    ]
    return sorted((group for group in costs if group[1]), key=lambda group: -group[1])


def _differ(members: Sequence[int], one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Pairs that differ in both: in the one, and in the other, less those in either."""
    labels = [(one[number], other[number]) for number in members]
    return _torn(a for a, _ in labels) + _torn(b for _, b in labels) - _torn(labels)


def _torn(labels: Iterable[Hashable]) -> int:
    """Pairs with different labels."""
    sizes = Counter(labels).values()
    return (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
