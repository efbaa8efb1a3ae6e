"""Clustering a labelled set and scoring it: in the order of the file, and in shuffled orders."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metasearch.dedup import Chain, Fingerprint, OnlineDedup, fingerprint
from metasearch.evaluate.kinds import by_kind
from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.metrics import Score, Tally, score
from metasearch.record import Record, VersionsMode

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
