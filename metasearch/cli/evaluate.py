"""`metasearch evaluate SET...`: how good dedup is on labelled sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.console import Console
from metasearch.cli.exits import Exit
from metasearch.cli.group import ExampleCommand, common
from metasearch.cli.output import Sink
from metasearch.errors import UsageError
from metasearch.record import VERSIONS_MODES

if TYPE_CHECKING:
    from metasearch.dedup import Strategy
    from metasearch.evaluate.labelled import LabelledSet
    from metasearch.evaluate.run import Evaluation

#: Columns of lines where they go to a file or a pipe.
WIDTH = 120
#: What is scored where nobody says.
USUAL = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be done with each set.

    Attributes:
        sets: By their paths.
        skipped: Path of what was named and is no set -> why.
        strategies: To compare; the one to score, where `side_by_side` is not wanted.
        limit: Wrong pairs of each kind to show; 0 for none.
        curves: Whether to try other thresholds and sizes.
        plot: Where to draw them.
        json: All figures as one document, and no table.
        fields: That are kept of each record; () for all.
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
        """How it was done, for a document."""
        return {**self.orders, "fields": list(self.fields) or None}

    @property
    def left(self) -> list[dict[str, str]]:
        """What was skipped, for a document."""
        return [{"path": str(path), "reason": reason} for path, reason in self.skipped.items()]


@click.command(
    cls=ExampleCommand,
    short_help="Score dedup on labelled sets.",
    examples=(
        ("metasearch evaluate sets/*", "precision, recall, works lost and speed, a line a set"),
        (
            "metasearch evaluate sets/respiratory --errors",
            "and the pairs that went wrong, with the evidence",
        ),
        (
            "metasearch evaluate sets/* --shuffles 5 --json -o scores.json",
            "all figures, in six orders of arrival",
        ),
        (
            "metasearch evaluate --strategy all --fields title,abstract --plot all.svg sets/*",
            "the published strategies side by side, on titles and abstracts alone",
        ),
    ),
)
@click.argument("sets", nargs=-1, required=True, metavar="SET...", type=click.Path(path_type=Path))
@click.option(
    "--dedup", "name", metavar="NAME", help="The strategy to score; default if you do not say."
)
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME,...",
    help="Compare strategies, a table a set: their names, or all.",
)
@click.option(
    "--fields",
    multiple=True,
    metavar="FIELD,...",
    help="Keep only these fields of each record, such as title,abstract.",
)
@click.option(
    "--versions",
    type=click.Choice(VERSIONS_MODES),
    default="separate",
    help="Whether preprint and article count as one; separate, because sets label duplicates.",
)
@click.option(
    "--shuffles",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="Try N other orders of arrival, too.",
)
@click.option(
    "--seed", type=int, default=1, metavar="N", help="Chooses those orders, and the parts of a set."
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --strategy: draw precision against recall, and time against size, to FILE (.png or "
    ".svg).",
)
@click.option(
    "--curves",
    is_flag=True,
    help="With --strategy and --json: the figures over thresholds and sizes, as --plot draws.",
)
@click.option(
    "--errors",
    is_flag=True,
    help="Show the pairs that went wrong, false merges first, with the evidence.",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1),
    default=20,
    metavar="N",
    help="At most N of each kind, with --errors.",
)
@click.option("--json", is_flag=True, help="All figures, unrounded, as one document.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE; .json chooses --json.",
)
@common
@click.pass_obj
def evaluate(
    console: Console,
    /,
    *,
    sets: tuple[Path, ...],
    name: str | None,
    strategies: tuple[str, ...],
    fields: tuple[str, ...],
    plot: Path | None,
    curves: bool,
    errors: bool,
    limit: int,
    json: bool,
    output: Path | None,
    config: Path | None,
    **orders: Any,
) -> int:
    """Score dedup on labelled sets.

    A SET is a folder that holds records.jsonl (or .gz) and truth.jsonl, pairs.jsonl or
    labels.jsonl; or one file of records (.jsonl or .gz) each of which names its cluster; or a
    folder of such files. Whatever else is named is skipped, and said so, as long as there is a set
    among it.
    """
    del config  # it may stand on every command line; nothing of it matters here
    json = json or (output is not None and output.suffix.lower() == ".json")
    chosen = _strategies(name, strategies)
    if not strategies and (plot is not None or curves):
        raise UsageError(
            f"{'--curves' if plot is None else '--plot'} compares strategies",
            advice="Name them with --strategy.",
        )
    if curves and not json and plot is None:
        raise UsageError(
            "--curves has no place in a table",
            advice="Add --json, or --plot FILE to see the curves.",
        )
    if errors and len(chosen) > 1:
        raise UsageError("--errors shows the pairs of one strategy", advice="Name one alone.")
    if plot is not None:
        from metasearch.evaluate.plot import check

        check(plot)
    kept = _fields(fields)
    found, skipped = _read(sets, kept)
    if not console.quiet:
        for labelled in found.values():
            for note in labelled.notes:
                console.say(f"{labelled.name}: {note}", "yellow")
    job = Job(
        sets=found,
        skipped=skipped,
        strategies=chosen,
        side_by_side=bool(strategies),
        limit=limit if errors else 0,
        curves=curves or plot is not None,
        plot=plot,
        json=json,
        fields=kept,
        orders=orders,
    )
    from metasearch.dedup import garbage_collection

    with Sink(output) as sink, garbage_collection.rarely():
        _run(job, sink, console)
    return Exit.OK


def _strategies(name: str | None, names: Iterable[str]) -> list[Strategy]:
    """Those to compare, each once, in the order in which they were named; or the one to score."""
    from metasearch.dedup import STRATEGIES, strategy

    wanted = _parted(names)
    if not wanted:
        if names:
            raise UsageError(
                "--strategy names no strategy", advice=f"There are: all, {', '.join(STRATEGIES)}."
            )
        return [strategy(name or USUAL)]
    if name is not None:
        raise UsageError(
            "--dedup and --strategy exclude one another",
            advice="--dedup NAME scores one, a line a set; --strategy NAME,... compares several, "
            "a table a set.",
        )
    every = (one for it in wanted for one in (STRATEGIES if it == "all" else (it,)))
    return [strategy(it) for it in dict.fromkeys(every)]


def _fields(names: Iterable[str]) -> tuple[str, ...]:
    from metasearch.evaluate.labelled import known_fields

    return known_fields(_parted(names))


def _parted(names: Iterable[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _read(
    paths: Iterable[Path], fields: Sequence[str]
) -> tuple[dict[Path, LabelledSet], dict[Path, str]]:
    """(the sets by path, why what else was named is none); all mistakes are told before the
    work.
    """
    from metasearch.evaluate import datasets
    from metasearch.evaluate.labelled import narrowed

    why = {path: datasets.skipped(path) for path in datasets.expanded(paths)}
    found = {
        path: narrowed(datasets.read(path), fields)
        for path, reason in why.items()
        if reason is None
    }
    if not found:
        path, reason = next(iter(why.items()))
        raise UsageError(f"{path}: {reason}", advice=datasets.A_SET)
    return found, {path: reason for path, reason in why.items() if reason is not None}


def _run(job: Job, sink: Sink, console: Console) -> None:
    import sys

    width = console.size(sys.stdout)[0] if sink.to_stdout and sys.stdout.isatty() else WIDTH
    if job.side_by_side:
        from metasearch.cli.evaluate_strategies import write

        write(job, sink, width)
    elif job.json:
        _write_json(job, sink)
    else:
        _write_table(job, sink, width)


def _scored(job: Job, labelled: LabelledSet) -> Evaluation:
    from metasearch.evaluate.run import evaluate as run

    (strategy,) = job.strategies
    strategy.load()
    return run(labelled, strategy.chain, **job.orders)


def _write_table(job: Job, sink: Sink, width: int) -> None:
    """The table, a line as soon as it is known, and the wrong pairs below it."""
    from metasearch.evaluate import report
    from metasearch.evaluate.wrong import wrong

    def say(text: str) -> None:
        sink.write(f"{text}\n".encode())

    shuffles = job.orders["shuffles"]
    names = [labelled.name for labelled in job.sets.values()] + [path.name for path in job.skipped]
    done = []
    say(report.head(names, shuffles=shuffles))
    for labelled in job.sets.values():
        done.append(_scored(job, labelled))
        say(report.row(done[-1], names, shuffles=shuffles))
    for path, reason in job.skipped.items():
        say(report.skipped_row(path.name, reason, names))
    say(f"\n{report.LEGEND}")
    for evaluation in done:
        if evaluation.passed_over:
            say(
                f"{evaluation.labelled.name}: {evaluation.passed_over:,} comparisons passed over: "
                f"too many share a key"
            )
    for text in report.kinds(done, width):
        say(text)
    for evaluation in done if job.limit else ():
        say("")
        for text in report.told(
            evaluation, wrong(evaluation, job.strategies[0].chain, job.limit), width
        ):
            say(text)


def _write_json(job: Job, sink: Sink) -> None:
    import orjson

    from metasearch.evaluate import report
    from metasearch.evaluate.wrong import wrong

    sets = []
    for labelled in job.sets.values():
        done = _scored(job, labelled)
        pairs = wrong(done, job.strategies[0].chain, job.limit) if job.limit else None
        sets.append(report.as_object(done, pairs))
    document = {"dedup": job.strategies[0].name, **job.about, "sets": sets, "skipped": job.left}
    sink.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
