"""How near the clusters that were found are to the truth, in all and by kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from metasearch.bulk.evaluate.datasets import LabelledSet

# How near the clusters that were found are to the truth.
#
# All counts come from one table, found cluster against true work, so that a cluster of ten thousand
# records costs ten thousand steps and not fifty million.

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
        """Harmonic mean of the two."""
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
class Works:
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
        """Harmonic mean of B-cubed precision and recall."""
        return harmonic(*self.b_cubed)


@dataclass(frozen=True, slots=True)
class Score:
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
    works: Works | None = None

    @property
    def ce_pairs(self) -> float:
        """The other reading of the confused error: the share of what differs that was judged the
        same.

        Of pairs it is next to 0 for whatever method, because those that differ grow with the square
        of the records.
        """
        return self.tally.false / self.different if self.different else 0.0


def harmonic(a: float, b: float) -> float:
    """2ab / (a + b); 0.0 for two zeros."""
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


def score(labelled: LabelledSet, clusters: Iterable[Sequence[int]]) -> Score:
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
        return Score("judged pairs", len(home), tally, found_pairs, true, judged - true, judged)
    assert labelled.labels is not None
    sizes = Counter(home)
    grouped = [sizes[number] > 1 for number in home]
    right = sum(one and other for one, other in zip(labelled.labels, grouped, strict=True))
    true = sum(labelled.labels)
    tally = Tally(right, sum(grouped) - right, true - right)
    return Score("records", len(home), tally, found_pairs, true, len(home) - true)


def _of_works(labelled: LabelledSet, home: list[int], work: Sequence[int]) -> Score:
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
    return Score(
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
) -> Works:
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
    return Works(
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
    found, true = _touched(home, kinds), _touched(works, kinds)
    right = _touched(zip(home, works, strict=True), kinds)
    return {
        kind: Tally(right[kind], found[kind] - right[kind], true[kind] - right[kind])
        for kind in sorted(set(kinds))
    }


def _touched(labels: Iterable[Hashable], kinds: Sequence[str]) -> Counter[str]:
    """Kind -> pairs of equal label in which at least one record is of that kind."""
    labels = list(labels)
    sizes = Counter(labels)
    out: Counter[str] = Counter()
    for (label, kind), count in Counter(zip(labels, kinds, strict=True)).items():
        out[kind] += count * (count - 1) // 2 + count * (sizes[label] - count)
    return out
