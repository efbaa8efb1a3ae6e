"""Strategies side by side on one set: measured, and as a table for people or objects for
programs.
"""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metasearch.bulk.evaluate import report
from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.bulk.evaluate.report import fit, number, share, tiny
from metasearch.bulk.evaluate.run import Evaluation, Wrong, cluster, evaluate, score
from metasearch.dedup import Chain, DedupStrategy, Fingerprint, OnlineDedup, fingerprint
from metasearch.formats.text import line, wrap_text
from metasearch.record import Record, VersionsMode

# What a known record costs in memory: fingerprint, signatures, and place in the index.

#: So many records are enough to tell, and being traced they take several times as long.
TRACED = 500


def memory_per_record(
    records: Sequence[Record], chain: Chain, versions: VersionsMode = "separate"
) -> float:
    """Bytes a record that are free again when the dedup stage goes: of the first `TRACED` records,
    without themselves.

    What is shared (interned words, bounded caches, dictionaries) is not counted, nor is what
    libraries allocate behind Python's back. It takes several times as long as it would untraced, so
    nothing else is measured meanwhile.
    """
    some = records[:TRACED]
    if not some:
        return 0.0
    ours = not tracemalloc.is_tracing()
    if ours:
        tracemalloc.start()
    try:
        dedup = OnlineDedup(chain, versions=versions)
        for record in some:
            dedup.insert(record)
        dedup.clusters()
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        del dedup
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
        return max(0, held - left) / len(some)
    finally:
        if ours:
            tracemalloc.stop()


# How a strategy changes with its threshold, and how its time grows with the set.

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
    strategy: DedupStrategy,
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


# Strategies side by side on one set: how good, fast and large, and where they are silent.


@dataclass(frozen=True, slots=True)
class StrategyFigures:
    """A strategy on a set.

    Attributes:
        evaluation: What it made of the set, with its own threshold, and how good that is.
        memory: Bytes a record that fingerprints and index keep; see `memory_per_record`.
        silent: Records of which it would not even find a copy, because they lack what it needs.
        curve: Over its thresholds, the strictest first; () where it has none, or nobody asked.
        growth: Time by size, the smallest first; () where nobody asked.
    """

    strategy: DedupStrategy
    evaluation: Evaluation
    memory: float
    silent: int
    curve: tuple[CurvePoint, ...] = ()
    growth: tuple[GrowthPoint, ...] = ()


def measure(
    labelled: LabelledSet,
    strategy: DedupStrategy,
    *,
    versions: VersionsMode = "separate",
    shuffles: int = 0,
    seed: int = 1,
    curves: bool = False,
    sizes: Sequence[int] = (),
) -> StrategyFigures:
    """One strategy on the set.

    Memory is measured first and apart, which also fills the caches: what is loaded once is in no
    strategy's time. `sizes`: for which parts of the set to measure the time, and for the whole;
    none where it is empty.
    """
    strategy.load()
    memory = memory_per_record(labelled.records, strategy.chain, versions)
    prints: list[Fingerprint] = []
    kept = _new_fingerprints(labelled.records, prints)
    evaluation = evaluate(
        labelled, strategy.chain, versions=versions, shuffles=shuffles, seed=seed, prints=kept
    )
    return StrategyFigures(
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


def _new_fingerprints(
    records: Iterable[Record], prints: list[Fingerprint]
) -> Iterator[Fingerprint]:
    """New fingerprints, made when they are asked for, and kept in the list."""
    for record in records:
        prints.append(fingerprint(record))
        yield prints[-1]


#: Longest name of a strategy in the table.
NAME = 19
#: Column -> its width.
COLUMNS = {
    "P": 5,
    "R": 5,
    "F1": 5,
    "CE": 5,
    "EE": 5,
    "F": 5,
    "ce_pairs": 8,
    "false": 5,
    "missed": 6,
    "lost": 4,
    "B3": 5,
    "CPU s": 5,
    "rec/s": 6,
    "kB/rec": 6,
    "shuffled": 11,
}
#: What the columns mean, for the foot of the tables.
LEGEND = (
    "CE: confused error, 1 - P; EE: exclusive error, 1 - R; F: of (1 - CE) and (1 - EE), so F1 by "
    "another name;\n"
    "ce_pairs: share of the pairs of different works that were merged; lost: works that vanish in "
    "another;\n"
    "CPU s: from record to cluster; kB/rec: what fingerprint and index keep of a record"
)


def about(labelled: LabelledSet) -> str:
    """The line over a set's table."""
    works = f", {len(set(labelled.works)):,} works" if labelled.works is not None else ""
    unit = (
        "records"
        if labelled.labels is not None
        else "judged pairs"
        if labelled.pairs is not None
        else "pairs"
    )
    return f"{line(labelled.name)}: {len(labelled.records):,} records{works}; {unit} are counted"


def head(*, shuffles: int) -> str:
    """The first line of a set's table."""
    return _row("strategy", list(COLUMNS), shuffles=shuffles)


def row(one: StrategyFigures, *, shuffles: int) -> str:
    return _row(one.strategy.name, _cells(one), shuffles=shuffles)


def feet(compared: Sequence[StrategyFigures], width: int) -> Iterator[str]:
    """The lines below a set's table: what was not compared, and how each strategy did by kind."""
    for note in _notes(compared):
        yield from wrap_text(note, width, "  ")
    rows = _kinds(compared)
    if rows:
        yield ""
        yield report.ABOUT
        yield from report.table(rows, "strategy", width)


def markdown(compared: Sequence[StrategyFigures]) -> str:
    """The table of a set in Markdown: the same rows and columns; what is lacking below it."""
    shuffled = any(one.evaluation.shuffled for one in compared)
    names = list(COLUMNS)[: None if shuffled else -1]
    lines = [("strategy", *names), ("---", *("---:" for _ in names))]
    lines += [(one.strategy.name, *_cells(one)[: len(names)]) for one in compared]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    notes = "\n".join(_notes(compared))
    return f"{table}\n{notes}\n" if notes else table


def markdown_kinds(compared: Sequence[StrategyFigures]) -> str:
    """The table of kinds in Markdown; "" where the set has none."""
    rows = _kinds(compared)
    return report.markdown(rows, "strategy") if rows else ""


def as_object(one: StrategyFigures, pairs: Sequence[Wrong] | None = None) -> dict[str, Any]:
    """Unrounded; with `pairs` and curves where there are any."""
    out: dict[str, Any] = {
        "strategy": one.strategy.name,
        **report.as_object(one.evaluation, pairs),
        "memory_bytes_a_record": one.memory,
        "silent": one.silent,
    }
    if one.curve or one.growth:
        out["threshold"] = one.strategy.threshold
        out["curve"] = [asdict(point) for point in one.curve]
        out["growth"] = [asdict(point) for point in one.growth]
    return out


def _row(name: str, cells: Sequence[str], *, shuffles: int) -> str:
    shown = list(zip(cells, COLUMNS.values(), strict=True))[: None if shuffles else -1]
    return " ".join([fit(name, NAME), *(cell.rjust(width) for cell, width in shown)])


def _cells(one: StrategyFigures) -> list[str]:
    score, works = one.evaluation.score, one.evaluation.score.works
    tally = score.tally
    return [
        *(
            share(value, 3)
            for value in (tally.precision, tally.recall, tally.f1, tally.ce, tally.ee, tally.f)
        ),
        tiny(score.ce_pairs),
        f"{tally.false}",
        f"{tally.missed}",
        f"{works.copies.false}" if works else "-",
        share(works.b_cubed_f1, 3) if works else "-",
        number(one.evaluation.seconds),
        f"{one.evaluation.rate:.0f}",
        number(one.memory / 1000),
        report.other_orders(one.evaluation),
    ]


def _notes(compared: Sequence[StrategyFigures]) -> Iterator[str]:
    silent = [f"{one.strategy.name} {one.silent:,}" for one in compared if one.silent]
    if silent:
        records = compared[0].evaluation.score.records
        yield (
            f"Of {records:,} records, so many lack what a strategy needs, and it says nothing: "
            f"{', '.join(silent)}."
        )
    passed = [
        f"{one.strategy.name} {one.evaluation.passed_over:,}"
        for one in compared
        if one.evaluation.passed_over
    ]
    if passed:
        yield f"Comparisons passed over, because too many records share a key: {', '.join(passed)}."


def _kinds(compared: Iterable[StrategyFigures]) -> report.Rows:
    return [
        (one.strategy.name, one.evaluation.kinds)
        for one in compared
        if one.evaluation.kinds is not None
    ]
