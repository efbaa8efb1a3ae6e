"""`metasearch dedup FILE...` reads files of records, and writes each work once; `metasearch
evaluate` and `metasearch strategies`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.bulk.dedup_staged import ENGINES, MOST_WORKERS, EngineName, Size, StagedOptions
from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import (
    FORMAT_NAMES,
    common,
    complete_strategy,
    dedup_options,
    file_options,
    format_choice,
    has_bom,
)
from metasearch.cli.output import Console, Exit, Sink
from metasearch.errors import UsageError
from metasearch.formats import READABLE
from metasearch.formats.text import line, wrap_text
from metasearch.record import VERSIONS_MODES

if TYPE_CHECKING:
    from metasearch.bulk.evaluate.datasets import LabelledSet
    from metasearch.dedup import DedupStrategy, Matcher


@click.command(
    cls=ExampleCommand,
    short_help="De-duplicate files of records.",
    examples=(
        (
            "metasearch dedup *.ris -o unique.ris --report",
            "one file from several, and the counts for the flow diagram",
        ),
        (
            "metasearch dedup exports/ -o unique.csv --report numbers.json",
            "all of a folder, whatever its format",
        ),
        (
            "metasearch dedup a.ris b.bib --clusters clusters.jsonl",
            "the records of each work, and why they were merged",
        ),
    ),
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(path_type=Path, allow_dash=True),
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Write the unique records to FILE; its ending chooses the format (.json .ndjson .csv "
    ".ris .bib .atom .txt).",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMAT_NAMES),
    help="How records are written; without it the ending of -o FILE decides, else ris.",
)
@click.option("--json", is_flag=True, help="--format json: one document, as a search answers.")
@click.option(
    "--ndjson", is_flag=True, help="--format ndjson: events, a line each, as of a search."
)
@click.option(
    "--clusters",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Write each work with several records to FILE, as a JSON line with the reasons.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Write all counts, by file, database and rule, and what could not be read, to stderr or "
    "to FILE (.json is JSON).",
)
@click.option(
    "--from",
    "read_as",
    type=click.Choice(tuple(READABLE)),
    metavar="FORMAT",
    help=f"The format of all FILEs, instead of detecting it: {', '.join(READABLE)}.",
)
@click.option(
    "--encoding", metavar="NAME", help="The encoding of all FILEs, instead of detecting it."
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    help="What finds the records that are compared: memory; duckdb or spark, with all stages on "
    "disk, for more records than memory holds. Without it, duckdb from 500,000 records on, if the "
    "extra [bulk] is installed.",
)
@click.option(
    "--memory-limit",
    type=Size(),
    metavar="SIZE",
    help="Of duckdb or spark: memory of the job, such as 4GB; the default is 1GB.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Of duckdb or spark: processes that read and compare; the default is one a processor.",
)
@click.option(
    "--tmp",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Of duckdb or spark: the folder of the stages, instead of one that the system has for "
    "temporary files. It is deleted at the end, unless --resume is given, too.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Of duckdb or spark: continue a job that was ended before it was done.",
)
@file_options
@dedup_options
@common
@click.pass_obj
def dedup(
    console: Console,
    /,
    *,
    format_: str | None,
    json: bool,
    ndjson: bool,
    output: Path | None,
    bom: bool | None,
    engine: EngineName | None,
    memory_limit: int | None,
    workers: int | None,
    tmp: Path | None,
    resume: bool,
    **options: Any,
) -> int:
    """Read FILEs of records, and write each work once.

    Any mix of formats; of a folder, every file with a known ending is read; "-" is standard input.
    Unique records stand in the order in which they first appear. The default of --versions is
    separate: a duplicate is the same publication, and a review keeps preprint and article as two
    records.
    """
    from metasearch.bulk.dedup_run import DEFAULT_FORMAT, DedupOptions, deduplicate_files

    named = format_choice(
        format_, json=json, ndjson=ndjson, output=output, without_ending=DEFAULT_FORMAT
    )
    staged = StagedOptions(
        engine=engine, memory_limit=memory_limit, workers=workers, tmp=tmp, resume=resume
    )
    files = DedupOptions(
        format=named, output=output, bom=has_bom(bom, output), staged=staged, **options
    )
    return deduplicate_files(files, console)


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


def _strategies(name: str | None, names: Iterable[str]) -> list[DedupStrategy]:
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
    from metasearch.bulk.evaluate.datasets import record_fields

    return record_fields(_names(names))


def _names(names: Iterable[str]) -> list[str]:
    return [part.strip() for name in names for part in name.split(",") if part.strip()]


def _read(
    paths: Iterable[Path], fields: Sequence[str]
) -> tuple[dict[Path, LabelledSet], dict[Path, str]]:
    """(path -> set, path of what is no set -> reason). Raises UsageError: no path is a set."""
    from metasearch.bulk.evaluate import datasets
    from metasearch.bulk.evaluate.datasets import with_fields

    reasons = {path: datasets.reason_to_skip(path) for path in datasets.expand(paths)}
    skipped = {path: reason for path, reason in reasons.items() if reason is not None}
    if len(skipped) == len(reasons):
        path, reason = next(iter(skipped.items()))
        raise UsageError(f"{path}: {reason}", advice=datasets.A_SET)
    sets = {
        path: with_fields(datasets.read(path), fields) for path in reasons if path not in skipped
    }
    return sets, skipped


# `metasearch strategies`: lists the strategies for finding duplicates, with their parameters.

#: What is shown of each, in this order; the names are those of `Strategy`.
FACTS = ("needs", "cost", "order", "when", "source")
#: Columns of the label of a line, and the blanks before it.
LABEL, INDENT = 15, "  "
#: What `segmenter()` returns where neither rjieba nor jieba can be imported.
PAIRS = "pairs"


@click.command(
    cls=ExampleCommand,
    short_help="List the ways of finding duplicates.",
    examples=(
        ("metasearch strategies", "all of them, what each needs and costs, and when to use it"),
        ("metasearch strategies simhash", "one of them, with its parameters"),
        ('metasearch --demo --dedup simhash "machine learning"', "search with it"),
    ),
)
@click.argument("name", required=False, shell_complete=complete_strategy)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")
@common
@click.pass_obj
def strategies(console: Console, /, *, name: str | None, as_json: bool, **_: Any) -> int:
    """List the strategies that `--dedup` takes, or show the one called NAME with its parameters."""
    from metasearch import dedup
    from metasearch.bulk.published.words import segmenter

    chosen = [dedup.strategy(name)] if name else list(dedup.STRATEGIES.values())
    with Sink() as sink:
        if as_json:
            described = [_as_object(strategy) for strategy in chosen]
            document = described[0] if name else {"segmenter": segmenter(), "strategies": described}
            sink.write_json(document)
            return Exit.OK
        width = max(console.size(sys.stdout)[0], 40)
        for strategy in chosen:
            sink.write(_text(strategy, width, whole=bool(name)).encode())
        sink.write(("\n".join(wrap_text(_segmenter_line(segmenter()), width)) + "\n").encode())
    return Exit.OK


def _text(strategy: DedupStrategy, width: int, *, whole: bool) -> str:
    """The name, what the strategy does, a line for each fact, and a blank line."""
    lines = wrap_text(f"{strategy.name}: {strategy.does}", width, INDENT)
    facts = [(fact, getattr(strategy, fact)) for fact in FACTS]
    for label, text in (*facts, *(_parts(strategy) if whole else ())):
        for number, part in enumerate(wrap_text(line(text), width - LABEL)):
            lines.append(f"{INDENT + label if number == 0 else '':{LABEL}}{part}")
    return "\n".join(lines) + "\n\n"


def _parts(strategy: DedupStrategy) -> Iterator[tuple[str, str]]:
    """The threshold, matchers and vetoes of a strategy, with their parameters."""
    if strategy.threshold is not None:
        tried = ", ".join(f"{value:g}" for value in strategy.sweep)
        yield "stricter by", f"{strategy.threshold}{f'; worth trying: {tried}' if tried else ''}"
    for kind, matchers in (("matcher", strategy.chain.matchers), ("veto", strategy.chain.vetoes)):
        for matcher in matchers:
            values = [
                f"{name} = {_value_text(value)}" for name, value in _parameters(matcher).items()
            ]
            yield kind, f"{matcher.name}{': ' if values else ''}{', '.join(values)}"


def _value_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _segmenter_line(name: str) -> str:
    """The program that cuts Chinese text into words, or how to install one."""
    if name != PAIRS:
        return f"Chinese text is cut into words by {name}."
    return (
        "Chinese text is cut into pairs of characters, because jieba cannot be imported; "
        "metasearch needs it: run pip install jieba."
    )


def _as_object(strategy: DedupStrategy) -> dict[str, Any]:
    return {
        "name": strategy.name,
        "does": strategy.does,
        **{fact: getattr(strategy, fact) for fact in FACTS},
        "threshold": strategy.threshold,
        "sweep": list(strategy.sweep),
        "matchers": [_matcher(matcher) for matcher in strategy.chain.matchers],
        "vetoes": [_matcher(veto) for veto in strategy.chain.vetoes],
    }


def _matcher(matcher: Matcher) -> dict[str, Any]:
    return {"name": matcher.name, "exact": matcher.exact, "parameters": _parameters(matcher)}


def _parameters(matcher: Matcher) -> dict[str, Any]:
    """Name -> value of each parameter: the fields of the matcher's dataclass."""
    if not is_dataclass(matcher):
        return {}
    return {
        field.name: _plain(getattr(matcher, field.name))
        for field in fields(matcher)
        if not field.name.startswith("_")
    }


def _plain(value: Any) -> Any:
    """A value for JSON: numbers and text are unchanged, collections become lists, others text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Collection):
        plain = [_plain(item) for item in value]
        return sorted(plain, key=str) if isinstance(value, (set, frozenset)) else plain
    return getattr(value, "__name__", None) or str(value)
