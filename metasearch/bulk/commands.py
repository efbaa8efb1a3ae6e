"""`metasearch evaluate SET...`: measures deduplication on labelled sets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common
from metasearch.cli.terminal.console import Console, Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import UsageError
from metasearch.record import VERSIONS_MODES

if TYPE_CHECKING:
    from metasearch.bulk.evaluate.datasets import LabelledSet
    from metasearch.dedup import Strategy

#: Columns of lines where they go to a file or a pipe.
WIDTH = 120
#: The strategy that is scored without `--dedup` and `--strategy`.
DEFAULT = "default"


@click.command(
    cls=ExampleCommand,
    short_help="Score dedup on labelled sets.",
    examples=(
        ("metasearch evaluate sets/*", "precision, recall, works lost and speed, a line a set"),
        (
            "metasearch evaluate sets/respiratory --errors",
            "and the wrong pairs, with the evidence",
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
    "--dedup",
    "name",
    metavar="NAME",
    help="The strategy to score; by default the one called default.",
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
    help="Show the wrong pairs, false merges first, with the evidence.",
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
    folder of such files. Other arguments are skipped with a message, if at least one is a set.
    """
    del config  # every command has this option; this one does not use it
    from metasearch import garbage_collection
    from metasearch.bulk.evaluate.output import EvaluationJob, write

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
        from metasearch.bulk.evaluate.output import check

        check(plot)
    kept = _fields(fields)
    labelled_sets, skipped = _read(sets, kept)
    if not console.quiet:
        for labelled in labelled_sets.values():
            for note in labelled.notes:
                console.say(f"{labelled.name}: {note}", "yellow")
    job = EvaluationJob(
        sets=labelled_sets,
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
    with Sink(output) as sink, garbage_collection.rarely():
        to_terminal = sink.to_stdout and sys.stdout.isatty()
        write(job, sink, console.size(sys.stdout)[0] if to_terminal else WIDTH)
    return Exit.OK


def _strategies(name: str | None, names: Iterable[str]) -> list[Strategy]:
    """The strategies to compare, each once, in the order of their names; or the one to score."""
    from metasearch.dedup import STRATEGIES, strategy

    wanted = _names(names)
    if not wanted:
        if names:
            raise UsageError(
                "--strategy names no strategy", advice=f"There are: all, {', '.join(STRATEGIES)}."
            )
        return [strategy(name or DEFAULT)]
    if name is not None:
        raise UsageError(
            "--dedup and --strategy exclude one another",
            advice="--dedup NAME scores one, a line a set; --strategy NAME,... compares several, "
            "a table a set.",
        )
    every: list[str] = []
    for one in wanted:
        every += STRATEGIES if one == "all" else [one]
    return [strategy(one) for one in dict.fromkeys(every)]


def _fields(names: Iterable[str]) -> tuple[str, ...]:
    from metasearch.bulk.evaluate.datasets import known_fields

    return known_fields(_names(names))


def _names(names: Iterable[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _read(
    paths: Iterable[Path], fields: Sequence[str]
) -> tuple[dict[Path, LabelledSet], dict[Path, str]]:
    """(path -> set, path of what is no set -> reason). Raises UsageError: no path is a set."""
    from metasearch.bulk.evaluate import datasets
    from metasearch.bulk.evaluate.datasets import narrowed

    reasons = {path: datasets.skipped(path) for path in datasets.expanded(paths)}
    skipped = {path: reason for path, reason in reasons.items() if reason is not None}
    if len(skipped) == len(reasons):
        path, reason = next(iter(skipped.items()))
        raise UsageError(f"{path}: {reason}", advice=datasets.A_SET)
    sets = {path: narrowed(datasets.read(path), fields) for path in reasons if path not in skipped}
    return sets, skipped
