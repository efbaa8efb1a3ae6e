"""What a comparison of strategies says: a table for people, the same in Markdown, and objects for
programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from metasearch.evaluate import kinds_report, report
from metasearch.evaluate.cells import fitted, number, share, tiny
from metasearch.evaluate.compare import Compared
from metasearch.evaluate.labelled import LabelledSet
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


def row(it: Compared, *, shuffles: int) -> str:
    """A strategy's line."""
    return _row(it.strategy.name, _cells(it), shuffles=shuffles)


def feet(found: Sequence[Compared], width: int) -> Iterator[str]:
    """The lines below a set's table: what was not compared, and how each strategy did by kind."""
    for note in _notes(found):
        yield from wrapped(note, width, "  ")
    rows = _kinds(found)
    if rows:
        yield ""
        yield kinds_report.ABOUT
        yield from kinds_report.table(rows, "strategy", width)


def markdown(found: Sequence[Compared]) -> str:
    """The table of a set in Markdown: the same rows and columns, and what was not compared below
    it.
    """
    shuffled = any(it.evaluation.shuffled for it in found)
    names = list(COLUMNS)[: None if shuffled else -1]
    lines = [("strategy", *names), ("---", *("---:" for _ in names))]
    lines += [(it.strategy.name, *_cells(it)[: len(names)]) for it in found]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    notes = "\n".join(_notes(found))
    return f"{table}\n{notes}\n" if notes else table


def markdown_kinds(found: Sequence[Compared]) -> str:
    """The table of kinds in Markdown; "" where the set tells none."""
    rows = _kinds(found)
    return kinds_report.markdown(rows, "strategy") if rows else ""


def as_object(it: Compared, pairs: Sequence[Wrong] | None = None) -> dict[str, Any]:
    """All figures of a strategy, unrounded; `pairs` where they were asked for, and curves where
    there are any.
    """
    out: dict[str, Any] = {
        "strategy": it.strategy.name,
        **report.as_object(it.evaluation, pairs),
        "memory_bytes_a_record": it.memory,
        "silent": it.silent,
    }
    if it.curve or it.growth:
        out["threshold"] = it.strategy.threshold
        out["curve"] = [asdict(point) for point in it.curve]
        out["growth"] = [asdict(point) for point in it.growth]
    return out


def _row(name: str, cells: Sequence[str], *, shuffles: int) -> str:
    shown = list(zip(cells, COLUMNS.values(), strict=True))[: None if shuffles else -1]
    return " ".join([fitted(name, NAME), *(cell.rjust(width) for cell, width in shown)])


def _cells(it: Compared) -> list[str]:
    score, works = it.evaluation.score, it.evaluation.score.works
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
        number(it.evaluation.seconds),
        f"{it.evaluation.rate:.0f}",
        number(it.memory / 1000),
        report.shuffled(it.evaluation),
    ]


def _notes(found: Sequence[Compared]) -> Iterator[str]:
    silent = [f"{it.strategy.name} {it.silent:,}" for it in found if it.silent]
    if silent:
        records = found[0].evaluation.score.records
        yield (
            f"Of {records:,} records, so many lack what a strategy needs, and it says nothing: "
            f"{', '.join(silent)}."
        )
    passed = [
        f"{it.strategy.name} {it.evaluation.passed_over:,}"
        for it in found
        if it.evaluation.passed_over
    ]
    if passed:
        yield f"Comparisons passed over, because too many records share a key: {', '.join(passed)}."


def _kinds(found: Iterable[Compared]) -> kinds_report.Rows:
    return [
        (it.strategy.name, it.evaluation.kinds) for it in found if it.evaluation.kinds is not None
    ]
