"""`metasearch evaluate SET...`: how good dedup is on labelled sets."""

from __future__ import annotations

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
    from metasearch.dedup import Chain
    from metasearch.evaluate.datasets import LabelledSet
    from metasearch.evaluate.run import Evaluation

#: Columns of lines where they go to a file or a pipe.
WIDTH = 120


@click.command(
    cls=ExampleCommand,
    short_help="Score dedup on labelled sets.",
    examples=(
        ("metasearch evaluate sets/*", "precision, recall, works lost and speed, a line a set"),
        ("metasearch evaluate sets/respiratory --errors", "and the pairs that went wrong, with the evidence"),
        ("metasearch evaluate sets/* --shuffles 5 --json -o scores.json", "all figures, in six orders of arrival"),
    ),
)
@click.argument("sets", nargs=-1, required=True, metavar="SET...", type=click.Path(path_type=Path))
@click.option("--dedup", "name", default="default", metavar="NAME", help="The chain of matchers to score.")
@click.option(
    "--versions",
    type=click.Choice(VERSIONS_MODES),
    default="separate",
    help="Whether preprint and article count as one; separate, because sets label duplicates.",
)
@click.option(
    "--shuffles", type=click.IntRange(0, 1000), default=0, metavar="N", help="Try N other orders of arrival, too."
)
@click.option("--seed", type=int, default=1, metavar="N", help="Chooses those orders.")
@click.option("--errors", is_flag=True, help="Show the pairs that went wrong, false merges first, with the evidence.")
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, metavar="N", help="At most N of each kind, with --errors."
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
    name: str,
    errors: bool,
    limit: int,
    json: bool,
    output: Path | None,
    config: Path | None,
    **orders: Any,
) -> int:
    """Score dedup on labelled sets.

    A SET is a folder that holds records.jsonl (or .gz) and truth.jsonl, pairs.jsonl or labels.jsonl. Whatever else is
    named is skipped, and said so, as long as there is a set among it.
    """
    from metasearch.evaluate import datasets

    del config  # it may stand on every command line; nothing of it matters here
    chain = _chain(name)
    why = {path: datasets.skipped(path) for path in sets}
    found = {path: datasets.read(path) for path in sets if why[path] is None}  # all mistakes are told before the work
    if not found:
        first = next(iter(why.items()))
        raise UsageError(f"{first[0]}: {first[1]}", advice="A SET is a folder; docs/evaluation.md tells what it holds.")
    if not console.quiet:
        for labelled in found.values():
            for note in labelled.notes:
                console.say(f"{labelled.name}: {note}", "yellow")
    job = _Job(chain, limit if errors else 0, orders)
    skipped = {path: reason for path, reason in why.items() if reason is not None}
    with Sink(output) as sink:
        if json or (output is not None and output.suffix.lower() == ".json"):
            _write_json(sink, job, found, skipped, name)
        else:
            _write_table(sink, job, found, skipped, console)
    return Exit.OK


class _Job:
    """A chain, and what to do with it on each set.

    Args:
        chain: Of matchers.
        limit: Wrong pairs of each kind to show; 0 for none.
        orders: `versions`, `shuffles` and `seed`.
    """

    def __init__(self, chain: Chain, limit: int, orders: dict[str, Any]) -> None:
        self.chain = chain
        self.limit = limit
        self.orders = orders

    def run(self, labelled: LabelledSet) -> Evaluation:
        from metasearch.evaluate.run import evaluate as run

        return run(labelled, self.chain, **self.orders)


def _chain(name: str) -> Chain:
    from metasearch.dedup import CHAINS

    if name not in CHAINS:
        raise UsageError(f"there is no chain called {name!r}", advice=f"There are: {', '.join(sorted(CHAINS))}.")
    return CHAINS[name]


def _write_table(
    sink: Sink, job: _Job, found: dict[Path, LabelledSet], skipped: dict[Path, str], console: Console
) -> None:
    """The table, a line as soon as it is known, and the wrong pairs below it."""
    import sys

    from metasearch.evaluate import report
    from metasearch.evaluate.wrong import wrong

    def say(text: str) -> None:
        sink.write(f"{text}\n".encode())

    shuffles = job.orders["shuffles"]
    names = [labelled.name for labelled in found.values()] + [path.name for path in skipped]
    width = console.size(sys.stdout)[0] if sink.to_stdout and sys.stdout.isatty() else WIDTH
    done = []
    say(report.head(names, shuffles=shuffles))
    for labelled in found.values():
        done.append(job.run(labelled))
        say(report.row(done[-1], names, shuffles=shuffles))
    for path, reason in skipped.items():
        say(report.skipped_row(path.name, reason, names))
    say(f"\n{report.LEGEND}")
    for evaluation in done:
        if evaluation.passed_over:
            say(f"{evaluation.labelled.name}: {evaluation.passed_over:,} comparisons passed over: too many share a key")
    for evaluation in done if job.limit else ():
        say("")
        for text in report.told(evaluation, wrong(evaluation, job.chain, job.limit), width):
            say(text)


def _write_json(sink: Sink, job: _Job, found: dict[Path, LabelledSet], skipped: dict[Path, str], name: str) -> None:
    import orjson

    from metasearch.evaluate import report
    from metasearch.evaluate.wrong import wrong

    sets = []
    for labelled in found.values():
        evaluation = job.run(labelled)
        sets.append(report.as_object(evaluation, wrong(evaluation, job.chain, job.limit) if job.limit else None))
    document = {
        "dedup": name,
        **job.orders,
        "sets": sets,
        "skipped": [{"path": str(path), "reason": reason} for path, reason in skipped.items()],
    }
    sink.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
