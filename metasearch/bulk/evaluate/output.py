"""What `metasearch evaluate` writes: the scores of one strategy, or several strategies compared, as
tables, as a JSON document and as a picture.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metasearch.bulk.evaluate import compare, report
from metasearch.bulk.evaluate.compare import SIZES, StrategyFigures, measure
from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.bulk.evaluate.run import Evaluation, wrong
from metasearch.bulk.evaluate.run import evaluate as run
from metasearch.cli.output import Sink
from metasearch.dedup import DedupStrategy
from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.formats.text import line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    strategies: Sequence[DedupStrategy]
    side_by_side: bool
    limit: int
    curves: bool
    plot: Path | None
    json: bool
    fields: Sequence[str]
    orders: Mapping[str, Any]

    @property
    def about(self) -> dict[str, Any]:
        return {**self.orders, "fields": list(self.fields) or None}

    @property
    def skip_rows(self) -> list[dict[str, str]]:
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
        picture = draw(compared, job.plot.suffix)
        with Sink(job.plot) as file:
            file.write(picture)


def _lines_to(sink: Sink) -> Callable[[str], None]:
    return lambda text: sink.write(f"{text}\n".encode())


def _score(job: EvaluationJob, labelled: LabelledSet) -> Evaluation:
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
        evaluations.append(_score(job, labelled))
        say(report.row(evaluations[-1], names, shuffles=shuffles))
    for path, reason in job.skipped.items():
        say(report.skip_row(path.name, reason, names))
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
        for text in report.pair_lines(
            evaluation, wrong(evaluation, job.strategies[0].chain, job.limit), width
        ):
            say(text)


def _write_json(job: EvaluationJob, sink: Sink) -> None:
    sets = []
    for labelled in job.sets.values():
        evaluation = _score(job, labelled)
        pairs = wrong(evaluation, job.strategies[0].chain, job.limit) if job.limit else None
        sets.append(report.as_object(evaluation, pairs))
    document = {
        "dedup": job.strategies[0].name,
        **job.about,
        "sets": sets,
        "skipped": job.skip_rows,
    }
    sink.write_json(document)


def _measure(job: EvaluationJob, labelled: LabelledSet) -> Iterator[StrategyFigures]:
    for strategy in job.strategies:
        yield measure(
            labelled, strategy, curves=job.curves, sizes=SIZES if job.curves else (), **job.orders
        )


def _write_comparisons(job: EvaluationJob, sink: Sink, width: int) -> list[list[StrategyFigures]]:
    """Write a table a set, each line as soon as its strategy is measured."""
    say = _lines_to(sink)
    shuffles = job.orders["shuffles"]
    sets = []
    for labelled in job.sets.values():
        say(compare.about(labelled))
        say(compare.head(shuffles=shuffles))
        row: list[StrategyFigures] = []
        for compared in _measure(job, labelled):
            row.append(compared)
            say(compare.row(compared, shuffles=shuffles))
        for text in compare.feet(row, width):
            say(text)
        for compared in row if job.limit else ():
            pairs = wrong(compared.evaluation, compared.strategy.chain, job.limit)
            say("")
            for text in report.pair_lines(compared.evaluation, pairs, width):
                say(text)
        say("")
        sets.append(row)
    names = [path.name for path in job.skipped]
    for path, reason in job.skipped.items():
        say(report.skip_row(path.name, reason, names))
    say(f"\n{compare.LEGEND}" if names else compare.LEGEND)
    return sets


def _write_comparisons_json(job: EvaluationJob, sink: Sink) -> list[list[StrategyFigures]]:
    sets, every = [], []
    for labelled in job.sets.values():
        measured = list(_measure(job, labelled))
        rows: list[dict[str, Any]] = []
        for compared in measured:
            evaluation, chain = compared.evaluation, compared.strategy.chain
            pairs = wrong(evaluation, chain, job.limit) if job.limit else None
            rows.append(compare.as_object(compared, pairs))
        sets.append({"set": labelled.name, "records": len(labelled.records), "strategies": rows})
        every.append(measured)
    document = {
        "strategies": [strategy.name for strategy in job.strategies],
        **job.about,
        "sets": sets,
        "skipped": job.skip_rows,
    }
    sink.write_json(document)
    return every


# Precision against recall over the threshold, and time against the size of the set, as a picture.
# Needs matplotlib, which the extra `plot` brings. Nothing of its global state is touched: no
# pyplot, no backend, and its settings only while a picture is drawn.

#: Ending of a file -> the settings with which it is the same for the same figures, whoever draws it
#: and whenever.
ENDINGS: dict[str, dict[str, Any]] = {
    ".png": {"format": "png", "metadata": {"Software": None}},
    ".svg": {"format": "svg", "metadata": {"Date": None, "Creator": None}},
}
#: Panels beside one another; inches of a panel.
BESIDE, WIDE, HIGH = 2, 5.6, 4.2
#: How strategies are told apart, in their order: ten colours, and other marks when they come round
#: again.
MARKS, LINES = "os^D", ("-", "--", "-.", ":")
#: Longest name of a set over its panel.
TITLE = 60
#: Precision from which on the panels show it: where half of what is merged is wrong, nobody chooses
#: between strategies.
LOWEST = 0.5

Sets = Sequence[Sequence[StrategyFigures]]


def check(path: Path) -> None:
    """Make sure, before anything is measured, that a picture can be drawn there. Raises UsageError:
    the ending is of no picture, or matplotlib is missing.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: a plot is written to a file that ends in {' or '.join(ENDINGS)}")
    try:
        import matplotlib.figure  # noqa: F401 - whether it is there
    except ImportError as exc:
        raise UsageError(
            "drawing a plot needs matplotlib, which is not installed",
            advice=how_to_install("plot"),
        ) from exc


def draw(sets: Sets, ending: str) -> bytes:
    """The picture: a panel a set with a curve a strategy, and one of the largest set's time against
    size.

    `sets`: of each set, its strategies, the same of all; without `growth` of any there is no panel
    of time. `ending`: one of `ENDINGS`.
    """
    import matplotlib as mpl

    out = io.BytesIO()
    with (
        mpl.rc_context({"svg.hashsalt": "metasearch", "svg.fonttype": "path"}),
        warnings.catch_warnings(),
    ):
        # A set's name may hold characters that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure(sets).savefig(out, dpi=120, **ENDINGS[ending.lower()])
    return out.getvalue()


def figure(sets: Sets) -> Figure:
    """The picture as matplotlib knows it."""
    from matplotlib.figure import Figure

    timed = [
        labelled_set for labelled_set in sets if any(compared.growth for compared in labelled_set)
    ]
    panels = len(sets) + bool(timed)
    columns = min(BESIDE, panels)
    rows = -(-panels // columns)
    strategies = [compared.strategy for compared in sets[0]]
    out = Figure(
        figsize=(WIDE * columns, HIGH * rows + 0.25 * (1 + len(strategies) // 4)),
        layout="constrained",
    )
    axes = out.subplots(rows, columns, squeeze=False).flat
    styles = dict(_styles(strategies))
    for labelled_set, panel in zip(sets, axes, strict=False):
        _quality(panel, labelled_set, styles)
    if timed:
        _growth(
            axes[len(sets)],
            max(timed, key=lambda labelled_set: labelled_set[0].evaluation.score.records),
            styles,
        )
    for empty in axes[panels:]:
        empty.set_axis_off()
    labels = dict(
        pair[::-1]
        for panel in axes
        for pair in zip(*panel.get_legend_handles_labels(), strict=True)
    )
    out.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=4, frameon=False)
    return out


def _styles(strategies: Sequence[DedupStrategy]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, strategy in enumerate(strategies):
        turn = number // 10
        mark, stroke = MARKS[turn % len(MARKS)], LINES[turn % len(LINES)]
        yield (
            strategy.name,
            {
                "color": f"C{number % 10}",
                "marker": mark,
                "linestyle": stroke,
                "label": strategy.name,
            },
        )


def _quality(
    panel: Axes, compared: Sequence[StrategyFigures], styles: dict[str, dict[str, Any]]
) -> None:
    """Precision against recall: a line over the thresholds, a mark at the strategy's own."""
    lowest = LOWEST
    for one in compared:
        style = styles[one.strategy.name]
        tally = one.evaluation.score.tally
        # Where nothing was found, there is no precision.
        points = [(point.recall, point.precision) for point in one.curve if point.recall]
        if points:
            panel.plot(*zip(*points, strict=True), **{**style, "markersize": 2.5})
        if tally.right:
            panel.plot(
                [tally.recall],
                [tally.precision],
                **{**style, "linestyle": "", "markersize": 8, "alpha": 0.7},
            )
            lowest = min(lowest, tally.precision)
    panel.set_xlim(-0.02, 1.02)
    panel.set_ylim(lowest - 0.02, 1.02)
    _label(panel, compared, "", "recall", "precision")


def _growth(
    panel: Axes, compared: Sequence[StrategyFigures], styles: dict[str, dict[str, Any]]
) -> None:
    """CPU seconds against records, in powers of ten, beside time that grows as the set does."""
    for one in compared:
        # A time too short for the clock has no logarithm.
        times = [(point.records, max(point.seconds, 1e-6)) for point in one.growth]
        panel.plot(*zip(*times, strict=True), **{**styles[one.strategy.name], "markersize": 4})
    panel.set_xscale("log")
    panel.set_yscale("log")
    sizes = sorted({point.records for one in compared for point in one.growth})
    panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
    panel.set_xticks([], minor=True)
    fastest = min(
        (
            point.seconds / point.records
            for one in compared
            for point in one.growth
            if point.seconds
        ),
        default=0.0,
    )
    if fastest and len(sizes) > 1:
        ends = [sizes[0], sizes[-1]]
        panel.plot(
            ends,
            [fastest * size / 2 for size in ends],
            color="0.6",
            linestyle=":",
            label="linear growth",
        )
    _label(panel, compared, "time, ", "records", "CPU seconds")


def _label(
    panel: Axes, compared: Sequence[StrategyFigures], what: str, across: str, up: str
) -> None:
    name = line(compared[0].evaluation.labelled.name)
    panel.set_title(
        f"{what}{name if len(name) <= TITLE else name[: TITLE - 1] + '…'}", parse_math=False
    )
    panel.set_xlabel(across)
    panel.set_ylabel(up)
    panel.grid(visible=True, alpha=0.3)
