"""What a comparison of strategies says: tables for people and in Markdown, and objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from metasearch.evaluate import kinds_report, report
from metasearch.evaluate.compare import Compared
from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.table_cells import fitted, number, share, tiny
from metasearch.evaluate.wrong import Wrong
from metasearch.formats.text import line, wrapped

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


def row(one: Compared, *, shuffles: int) -> str:
    """A strategy's line."""
    return _row(one.strategy.name, _cells(one), shuffles=shuffles)


def feet(compared: Sequence[Compared], width: int) -> Iterator[str]:
    """The lines below a set's table: what was not compared, and how each strategy did by kind."""
    for note in _notes(compared):
        yield from wrapped(note, width, "  ")
    rows = _kinds(compared)
    if rows:
        yield ""
        yield kinds_report.ABOUT
        yield from kinds_report.table(rows, "strategy", width)


def markdown(compared: Sequence[Compared]) -> str:
    """The table of a set in Markdown: the same rows and columns; what is lacking below it."""
    shuffled = any(one.evaluation.shuffled for one in compared)
    names = list(COLUMNS)[: None if shuffled else -1]
    lines = [("strategy", *names), ("---", *("---:" for _ in names))]
    lines += [(one.strategy.name, *_cells(one)[: len(names)]) for one in compared]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    notes = "\n".join(_notes(compared))
    return f"{table}\n{notes}\n" if notes else table


def markdown_kinds(compared: Sequence[Compared]) -> str:
    """The table of kinds in Markdown; "" where the set has none."""
    rows = _kinds(compared)
    return kinds_report.markdown(rows, "strategy") if rows else ""


def as_object(one: Compared, pairs: Sequence[Wrong] | None = None) -> dict[str, Any]:
    """All figures of a strategy, unrounded; `pairs` and curves where there are any."""
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
    return " ".join([fitted(name, NAME), *(cell.rjust(width) for cell, width in shown)])


def _cells(one: Compared) -> list[str]:
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
        report.shuffled(one.evaluation),
    ]


def _notes(compared: Sequence[Compared]) -> Iterator[str]:
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


def _kinds(compared: Iterable[Compared]) -> kinds_report.Rows:
    return [
        (one.strategy.name, one.evaluation.kinds)
        for one in compared
        if one.evaluation.kinds is not None
    ]
