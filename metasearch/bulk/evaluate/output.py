"""What `metasearch evaluate` writes: the scores of one strategy, or several strategies compared, as
tables, as a JSON document and as a plot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from metasearch.cli.terminal.output import Sink
from metasearch.dedup import Strategy
from metasearch.evaluate import compare_report, report
from metasearch.evaluate.compare import Compared, measure
from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.run import Evaluation
from metasearch.evaluate.run import evaluate as run
from metasearch.evaluate.wrong import wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationJob:
    """The sets, the strategies and the form of the report.

    Attributes:
        skipped: Path of what is not a set -> reason.
        strategies: Those to compare with `side_by_side`, else the one to score.
        limit: Wrong pairs of each kind to show; 0 for none.
        curves: Whether to measure other thresholds and sizes.
        plot: The file of the plot, or None.
        json: Whether to write one JSON document instead of tables.
        fields: Fields of a record that are kept; () for all.
        orders: `versions`, `shuffles` and `seed`.
    """

    sets: Mapping[Path, LabelledSet]
    skipped: Mapping[Path, str]
    strategies: Sequence[Strategy]
    side_by_side: bool
    limit: int
    curves: bool
    plot: Path | None
    json: bool
    fields: Sequence[str]
    orders: Mapping[str, Any]

    @property
    def about(self) -> dict[str, Any]:
        """The options, for a JSON document."""
        return {**self.orders, "fields": list(self.fields) or None}

    @property
    def skipped_rows(self) -> list[dict[str, str]]:
        """What was skipped, for a JSON document."""
        return [{"path": str(path), "reason": reason} for path, reason in self.skipped.items()]


def write(job: EvaluationJob, sink: Sink, width: int) -> None:
    """Measure, and write the figures; tables have `width` columns."""
    if not job.side_by_side:
        _write_json(job, sink) if job.json else _write_table(job, sink, width)
        return
    compared = (
        _write_comparisons_json(job, sink) if job.json else _write_comparisons(job, sink, width)
    )
    if job.plot is not None:
        from metasearch.evaluate.plot import drawn

        picture = drawn(compared, job.plot.suffix)
        with Sink(job.plot) as file:
            file.write(picture)


def _lines_to(sink: Sink) -> Callable[[str], None]:
    return lambda text: sink.write(f"{text}\n".encode())


# --------------------------------------------------------------------------- one strategy


def _scored(job: EvaluationJob, labelled: LabelledSet) -> Evaluation:
    (strategy,) = job.strategies
    strategy.load()
    return run(labelled, strategy.chain, **job.orders)


def _write_table(job: EvaluationJob, sink: Sink, width: int) -> None:
    """Write a table, each line as soon as its set is measured, and the wrong pairs below it."""
    say = _lines_to(sink)
    shuffles = job.orders["shuffles"]
    names = [labelled.name for labelled in job.sets.values()] + [path.name for path in job.skipped]
    evaluations: list[Evaluation] = []
    say(report.head(names, shuffles=shuffles))
    for labelled in job.sets.values():
        evaluations.append(_scored(job, labelled))
        say(report.row(evaluations[-1], names, shuffles=shuffles))
    for path, reason in job.skipped.items():
        say(report.skipped_row(path.name, reason, names))
    say(f"\n{report.LEGEND}")
    for evaluation in evaluations:
        if evaluation.passed_over:
            say(
                f"{evaluation.labelled.name}: {evaluation.passed_over:,} comparisons passed over: "
                f"too many records share a key"
            )
    for text in report.kinds(evaluations, width):
        say(text)
    for evaluation in evaluations if job.limit else ():
        say("")
        for text in report.told(
            evaluation, wrong(evaluation, job.strategies[0].chain, job.limit), width
        ):
            say(text)


def _write_json(job: EvaluationJob, sink: Sink) -> None:
    sets = []
    for labelled in job.sets.values():
        evaluation = _scored(job, labelled)
        pairs = wrong(evaluation, job.strategies[0].chain, job.limit) if job.limit else None
        sets.append(report.as_object(evaluation, pairs))
    document = {
        "dedup": job.strategies[0].name,
        **job.about,
        "sets": sets,
        "skipped": job.skipped_rows,
    }
    sink.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


# --------------------------------------------------------------------------- several strategies


def _measured(job: EvaluationJob, labelled: LabelledSet) -> Iterator[Compared]:
    """Measure the strategies on a set, one after the other."""
    from metasearch.evaluate.curves import SIZES

    for strategy in job.strategies:
        yield measure(
            labelled, strategy, curves=job.curves, sizes=SIZES if job.curves else (), **job.orders
        )


def _write_comparisons(job: EvaluationJob, sink: Sink, width: int) -> list[list[Compared]]:
    """Write a table a set, each line as soon as its strategy is measured."""
    say = _lines_to(sink)
    shuffles = job.orders["shuffles"]
    sets = []
    for labelled in job.sets.values():
        say(compare_report.about(labelled))
        say(compare_report.head(shuffles=shuffles))
        row: list[Compared] = []
        for compared in _measured(job, labelled):
            row.append(compared)
            say(compare_report.row(compared, shuffles=shuffles))
        for text in compare_report.feet(row, width):
            say(text)
        for compared in row if job.limit else ():
            pairs = wrong(compared.evaluation, compared.strategy.chain, job.limit)
            say("")
            for text in report.told(compared.evaluation, pairs, width):
                say(text)
        say("")
        sets.append(row)
    names = [path.name for path in job.skipped]
    for path, reason in job.skipped.items():
        say(report.skipped_row(path.name, reason, names))
    say(f"\n{compare_report.LEGEND}" if names else compare_report.LEGEND)
    return sets


def _write_comparisons_json(job: EvaluationJob, sink: Sink) -> list[list[Compared]]:
    sets, every = [], []
    for labelled in job.sets.values():
        measured = list(_measured(job, labelled))
        rows: list[dict[str, Any]] = []
        for compared in measured:
            evaluation, chain = compared.evaluation, compared.strategy.chain
            pairs = wrong(evaluation, chain, job.limit) if job.limit else None
            rows.append(compare_report.as_object(compared, pairs))
        sets.append({"set": labelled.name, "records": len(labelled.records), "strategies": rows})
        every.append(measured)
    document = {
        "strategies": [strategy.name for strategy in job.strategies],
        **job.about,
        "sets": sets,
        "skipped": job.skipped_rows,
    }
    sink.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return every
