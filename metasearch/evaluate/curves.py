"""How a strategy changes with its threshold, and how its time grows with the set."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from metasearch.dedup import Chain, Fingerprint, Strategy
from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.metrics import score
from metasearch.evaluate.run import cluster
from metasearch.record import Record, VersionsMode

#: Sizes at which time is measured: those of Zhang Hongxia and Guo Xiaofen (2014).
SIZES = (124, 1_191, 10_287)
#: A small set is clustered again until it took so long, in CPU seconds, or so often; the shortest
#: time counts.
ENOUGH, OFTEN = 0.5, 5


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How good a strategy is at one threshold."""

    threshold: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """CPU seconds from record to cluster for so many records."""

    records: int
    seconds: float


def curve(
    labelled: LabelledSet,
    strategy: Strategy,
    prints: Sequence[Fingerprint],
    versions: VersionsMode = "separate",
) -> tuple[CurvePoint, ...]:
    """The figures over `Strategy.sweep`, the strictest threshold first; () where the strategy has
    none.

    The fingerprints keep what the strategy computes of a record, so a sweep costs little more than
    its comparisons.
    """
    points = []
    for threshold in strategy.sweep if strategy.threshold is not None else ():
        _, clusters, _ = cluster(labelled.records, strategy.at(threshold), versions, prints)
        tally = score(labelled, clusters).tally
        points.append(CurvePoint(threshold, tally.precision, tally.recall, tally.f1))
    return tuple(points)


def growth(
    records: Sequence[Record],
    chain: Chain,
    sizes: Sequence[int] = SIZES,
    seed: int = 1,
    versions: VersionsMode = "separate",
) -> tuple[GrowthPoint, ...]:
    """The time for the sizes that are smaller than the set, and for the whole set; always with new
    fingerprints.

    A smaller set is a random part of the next larger one, in the order of the file.
    """
    order = list(range(len(records)))
    random.Random(seed).shuffle(order)  # noqa: S311 - a choice of records, not a secret
    points = []
    for size in sorted({*(size for size in sizes if 0 < size < len(records)), len(records)}):
        part = [records[number] for number in sorted(order[:size])]
        points.append(GrowthPoint(size, _seconds(part, chain, versions)))
    return tuple(points)


def _seconds(records: Sequence[Record], chain: Chain, versions: VersionsMode) -> float:
    times: list[float] = []
    while len(times) < OFTEN and sum(times) < ENOUGH:
        times.append(cluster(records, chain, versions)[-1])
    return min(times)
