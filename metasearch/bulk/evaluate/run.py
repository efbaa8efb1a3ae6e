"""A labelled set is clustered by a strategy, and counted: how near the clusters are to the truth,
in all and by kind, and the pairs that went wrong.
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
from metasearch.dedup import Chain, Fingerprint, OnlineDedup, fingerprint
from metasearch.record import Match, Record, VersionsMode

# How near the clusters that were found are to the truth. All counts come from one table, found
# cluster against true work, so that a cluster of ten thousand records costs ten thousand steps and
# not fifty million.

#: What is counted: pairs of records of the whole set, pairs that somebody judged, or records.
Unit = Literal["pairs", "judged pairs", "records"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Right, wrong and missed; what cannot be divided is 1.0: nothing was wrong or missed."""

    right: int
    false: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of what was found that is right."""
        return self.right / (self.right + self.false) if self.right + self.false else 1.0

    @property
    def recall(self) -> float:
        """Share of what is there that was found."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    @property
    def f1(self) -> float:
        return harmonic(self.precision, self.recall)

    @property
    def ce(self) -> float:
        """Confused error: what differs and was judged the same.

        So Zhang Hongxia and Guo Xiaofen (2014) name it; their formula is lost. Read here as the
        share of the "same" answers that are wrong, false / (right + false), so 1 - precision. The
        other reading is `Score.ce_pairs`.
        """
        return self.false / (self.right + self.false) if self.false else 0.0

    @property
    def ee(self) -> float:
        """Exclusive error: what is the same and was judged different.

        Named by the same authors; read as the share of what is one that was missed, missed / (right
        + missed), so 1 - recall.
        """
        return self.missed / (self.right + self.missed) if self.missed else 0.0

    @property
    def f(self) -> float:
        """F of the same authors: 2(1 - CE)(1 - EE) / ((1 - CE) + (1 - EE)); as CE and EE are read
        here, it is `f1`.
        """
        return harmonic(1 - self.ce, 1 - self.ee)


@dataclass(frozen=True, slots=True)
class WorkFigures:
    """What can only be counted where the works of all records are known.

    Attributes:
        copies: As a user who keeps one record of each cluster sees it: `right` are copies that
            went, `false` distinct works that were lost, `missed` copies that stayed.
        redundant: Copies in the set: records less works.
        true_clusters: Works with more than one record.
        exact: How many of those were found, with no record too many or too few.
        false_merged: Clusters that hold more than one work.
        b_cubed: Precision and recall, each the mean over records of what their own cluster and work
            share.
    """

    copies: Tally
    redundant: int
    true_clusters: int
    exact: int
    false_merged: int
    b_cubed: tuple[float, float]

    @property
    def exact_share(self) -> float:
        """0..1; 0 where no work has more than one record."""
        return self.exact / max(1, self.true_clusters)

    @property
    def b_cubed_f1(self) -> float:
        return harmonic(*self.b_cubed)


@dataclass(frozen=True, slots=True)
class SetFigures:
    """All figures of a set.

    Attributes:
        found_pairs: Pairs of records that stand in one cluster, judged or not.
        true_units: Pairs or records that the truth says are one work.
        different: Pairs that the truth says are of two works, or records that it says have no twin.
        judged: Units that the truth speaks of; None where it speaks of all.
        works: None where the truth is about single pairs or records.
    """

    unit: Unit
    records: int
    tally: Tally
    found_pairs: int
    true_units: int
    different: int
    judged: int | None = None
    works: WorkFigures | None = None

    @property
    def ce_pairs(self) -> float:
        """The other reading of the confused error: the share of what differs that was judged the
        same.

        Of pairs it is next to 0 for whatever method, because those that differ grow with the square
        of the records.
        """
        return self.tally.false / self.different if self.different else 0.0


def harmonic(a: float, b: float) -> float:
    """0.0 for two zeros."""
    return 2 * a * b / (a + b) if a + b else 0.0


def homes(clusters: Iterable[Sequence[int]], records: int) -> list[int]:
    """The number of the cluster of each record; a record that no cluster holds is a cluster of its
    own. Raises ValueError: a record stands in two clusters.
    """
    home = [-1] * records
    count = 0
    for cluster in clusters:
        for number in cluster:
            if home[number] >= 0:
                raise ValueError(f"record {number} stands in two clusters")
            home[number] = count
        count += 1
    for number, found in enumerate(home):
        if found < 0:
            home[number] = count
            count += 1
    return home


def score(labelled: LabelledSet, clusters: Iterable[Sequence[int]]) -> SetFigures:
    """The figures of the clusters, which hold numbers of records."""
    home = homes(clusters, len(labelled.records))
    if labelled.works is not None:
        return _of_works(labelled, home, labelled.works)
    found_pairs = _pairs(Counter(home).values())
    if labelled.pairs is not None:
        right = sum(home[a] == home[b] for a, b, same in labelled.pairs if same)
        false = sum(home[a] == home[b] for a, b, same in labelled.pairs if not same)
        true = sum(same for _, _, same in labelled.pairs)
        tally, judged = Tally(right, false, true - right), len(labelled.pairs)
        return SetFigures(
            "judged pairs", len(home), tally, found_pairs, true, judged - true, judged
        )
    assert labelled.labels is not None
    sizes = Counter(home)
    grouped = [sizes[number] > 1 for number in home]
    right = sum(one and other for one, other in zip(labelled.labels, grouped, strict=True))
    true = sum(labelled.labels)
    tally = Tally(right, sum(grouped) - right, true - right)
    return SetFigures("records", len(home), tally, found_pairs, true, len(home) - true)


def _of_works(labelled: LabelledSet, home: list[int], work: Sequence[int]) -> SetFigures:
    sizes, true_sizes = Counter(home), Counter(work)
    cells = Counter(zip(home, work, strict=True))
    right, found, true = _pairs(cells.values()), _pairs(sizes.values()), _pairs(true_sizes.values())
    false, different = found - right, _pairs([len(home)]) - true
    if labelled.cross_source_only:
        # Of the false pairs, those of one source are not judged: pairs of one source, less those of
        # one work too.
        of_source = Counter(zip(home, labelled.origins, strict=True))
        of_both = Counter(zip(home, work, labelled.origins, strict=True))
        false -= _pairs(of_source.values()) - _pairs(of_both.values())
        one_source, its_works = (
            Counter(labelled.origins),
            Counter(zip(work, labelled.origins, strict=True)),
        )
        different -= _pairs(one_source.values()) - _pairs(its_works.values())
    tally = Tally(right, false, true - right)
    return SetFigures(
        "pairs",
        len(home),
        tally,
        found,
        true,
        different,
        works=_works(home, work, sizes, true_sizes, cells),
    )


def _works(
    home: list[int],
    work: Sequence[int],
    sizes: Counter[int],
    true_sizes: Counter[int],
    cells: Counter[tuple[int, int]],
) -> WorkFigures:
    kept: dict[
        int, int
    ] = {}  # of each cluster, the work of the record that stands first in the file
    works_in: defaultdict[int, int] = defaultdict(int)
    for cluster, one in zip(home, work, strict=True):
        kept.setdefault(cluster, one)
    for cluster, _ in cells:
        works_in[cluster] += 1
    survivors = len(set(kept.values()))
    lost, redundant = len(true_sizes) - survivors, len(home) - len(true_sizes)
    here = [cells[cell] for cell in zip(home, work, strict=True)]
    precision = sum(n / sizes[cluster] for n, cluster in zip(here, home, strict=True)) / len(home)
    recall = sum(n / true_sizes[one] for n, one in zip(here, work, strict=True)) / len(home)
    return WorkFigures(
        copies=Tally(len(home) - len(kept) - lost, lost, len(kept) - survivors),
        redundant=redundant,
        true_clusters=sum(size > 1 for size in true_sizes.values()),
        exact=sum(n > 1 and n == sizes[a] == true_sizes[b] for (a, b), n in cells.items()),
        false_merged=sum(n > 1 for n in works_in.values()),
        b_cubed=(precision, recall),
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


# What was done to records that went wrong: right, false and missed pairs by their kind.


def by_kind(labelled: LabelledSet, clusters: Iterable[Sequence[int]]) -> dict[str, Tally] | None:
    """Kind, in alphabetical order -> the pairs that hold a record of it; None where the set tells
    no kinds.

    A pair of two kinds counts for both. A kind whose records are works of their own has no right
    and no missed pairs.
    """
    kinds, works = labelled.kinds, labelled.works
    if kinds is None or works is None:
        return None
    home = homes(clusters, len(labelled.records))
    found, true = _pairs_by_kind(home, kinds), _pairs_by_kind(works, kinds)
    right = _pairs_by_kind(zip(home, works, strict=True), kinds)
    return {
        kind: Tally(right[kind], found[kind] - right[kind], true[kind] - right[kind])
        for kind in sorted(set(kinds))
    }


def _pairs_by_kind(labels: Iterable[Hashable], kinds: Sequence[str]) -> Counter[str]:
    """Kind -> pairs of equal label in which at least one record is of that kind."""
    labels = list(labels)
    sizes = Counter(labels)
    out: Counter[str] = Counter()
    for (label, kind), count in Counter(zip(labels, kinds, strict=True)).items():
        out[kind] += count * (count - 1) // 2 + count * (sizes[label] - count)
    return out


Clusters = list[list[int]]


@dataclass(frozen=True, slots=True)
class OtherOrders:
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
    score: SetFigures
    seconds: float
    passed_over: int = 0
    shuffled: OtherOrders | None = None
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
    shuffled = (
        _other_orders(labelled, chain, versions, clusters, shuffles, seed) if shuffles else None
    )
    kinds = by_kind(labelled, clusters)
    return Evaluation(labelled, clusters, result, seconds, dedup.passed_over, shuffled, kinds)


def _other_orders(
    labelled: LabelledSet,
    chain: Chain,
    versions: VersionsMode,
    clusters: Clusters,
    shuffles: int,
    seed: int,
) -> OtherOrders:
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
    return OtherOrders(shuffles, min(found), max(found), alike)


def _partition(clusters: Clusters) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(members) for members in clusters if len(members) > 1)


# What went wrong on a set: false merges and misses, the worst first, each with what every rule said
# of it. One bad cluster of a hundred records holds thousands of false pairs that all tell the same,
# so only some of each cluster are shown; the rest is counted in `Wrong.about`.

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
    looker = _MistakeFinder(evaluation, chain)
    labelled = evaluation.labelled
    if labelled.works is not None:
        false, missed = looker.false_merges(labelled.works), looker.torn_works(labelled.works)
    elif labelled.pairs is not None:
        false, missed = looker.disagreements(same=False), looker.disagreements(same=True)
    else:
        assert labelled.labels is not None
        false, missed = looker.false_groups(labelled.labels), looker.lone_twins(labelled.labels)
    return [
        looker.explain(mistake) for found in (false, missed) for mistake in islice(found, limit)
    ]


class _MistakeFinder:
    def __init__(self, evaluation: Evaluation, chain: Chain) -> None:
        self._labelled = evaluation.labelled
        self._chain = chain
        self._home = homes(evaluation.clusters, len(evaluation.labelled.records))
        self._prints: dict[int, Fingerprint] = {}

    def explain(self, mistake: Wrong) -> Wrong:
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

        def is_judged(pair: tuple[int, int]) -> bool:
            return works[pair[0]] != works[pair[1]] and origins[pair[0]] != origins[pair[1]]

        for members, count in _worst(_groups(self._home), works, origins):
            pairs = list(islice(filter(is_judged, combinations(members, 2)), LOOKED_AT))
            several = len({works[number] for number in members})
            about = (
                f"cluster of {len(members)} records and {several} works, "
                f"{_count_text(count, 'false pair')}"
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
                f"{_count_text(count, 'missed pair')}"
            )
            for a, b in islice(combinations(firsts, 2), PER_CLUSTER):
                yield Wrong("missed", a, b, about)

    # ------------------------------------------------------------ pairs, or records, are judged

    def disagreements(self, *, same: bool) -> Iterator[Wrong]:
        """The judged pairs about which chain and people are of two minds."""
        assert self._labelled.pairs is not None
        for a, b, label in self._labelled.pairs:
            if label is same and (self._home[a] == self._home[b]) is not same:
                yield Wrong("missed" if same else "false", a, b, "judged pair")

    def false_groups(self, labels: Sequence[bool]) -> Iterator[Wrong]:
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

    def lone_twins(self, labels: Sequence[bool]) -> Iterator[Wrong]:
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


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
