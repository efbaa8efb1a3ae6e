"""Strategies side by side on one set: how good, fast and large, and where they are silent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metasearch.dedup import Chain, Fingerprint, Strategy, fingerprint
from metasearch.evaluate.curves import CurvePoint, GrowthPoint, curve, growth
from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.memory import retained
from metasearch.evaluate.run import Evaluation, evaluate
from metasearch.record import Record, VersionsMode


@dataclass(frozen=True, slots=True)
class Compared:
    """A strategy on a set.

    Attributes:
        evaluation: What it made of the set, with its own threshold, and how good that is.
        memory: Bytes a record that fingerprints and index keep; see `memory.retained`.
        silent: Records of which it would not even find a copy, because they lack what it needs.
        curve: Over its thresholds, the strictest first; () where it has none, or nobody asked.
        growth: Time by size, the smallest first; () where nobody asked.
    """

    strategy: Strategy
    evaluation: Evaluation
    memory: float
    silent: int
    curve: tuple[CurvePoint, ...] = ()
    growth: tuple[GrowthPoint, ...] = ()


def compare(
    labelled: LabelledSet,
    strategies: Iterable[Strategy],
    *,
    versions: VersionsMode = "separate",
    shuffles: int = 0,
    seed: int = 1,
    curves: bool = False,
    sizes: Sequence[int] = (),
) -> list[Compared]:
    """Each strategy on the set, in their order; see `measure`."""
    return [
        measure(
            labelled,
            strategy,
            versions=versions,
            shuffles=shuffles,
            seed=seed,
            curves=curves,
            sizes=sizes,
        )
        for strategy in strategies
    ]


def measure(
    labelled: LabelledSet,
    strategy: Strategy,
    *,
    versions: VersionsMode = "separate",
    shuffles: int = 0,
    seed: int = 1,
    curves: bool = False,
    sizes: Sequence[int] = (),
) -> Compared:
    """One strategy on the set.

    Memory is measured first and apart, which also fills the caches: what is loaded once is in no
    strategy's time. `sizes`: for which parts of the set to measure the time, and for the whole;
    none where it is empty.
    """
    strategy.load()
    memory = retained(labelled.records, strategy.chain, versions)
    prints: list[Fingerprint] = []
    kept = _keeping(labelled.records, prints)
    evaluation = evaluate(
        labelled, strategy.chain, versions=versions, shuffles=shuffles, seed=seed, prints=kept
    )
    return Compared(
        strategy,
        evaluation,
        memory,
        silent(strategy.chain, prints),
        curve(labelled, strategy, prints, versions) if curves else (),
        growth(labelled.records, strategy.chain, sizes, seed, versions) if sizes else (),
    )


def silent(chain: Chain, prints: Iterable[Fingerprint]) -> int:
    """Of how many records the chain says nothing even when asked about the record and itself."""
    return sum(chain.judge(fingerprint, fingerprint) is None for fingerprint in prints)


def _keeping(records: Iterable[Record], prints: list[Fingerprint]) -> Iterator[Fingerprint]:
    """New fingerprints, made when they are asked for, and kept in the list."""
    for record in records:
        prints.append(fingerprint(record))
        yield prints[-1]
