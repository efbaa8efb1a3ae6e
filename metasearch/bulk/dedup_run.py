"""What `metasearch dedup` does: reads, de-duplicates, writes and reports."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

import click

from metasearch import __version__, garbage_collection
from metasearch.bulk import export, report
from metasearch.bulk.dedup_staged import (
    MANY,
    StagedOptions,
    may_be_duckdb,
    require_packages,
    staged_works,
)
from metasearch.bulk.evaluate.rows import read_rows
from metasearch.bulk.export import (
    JobObserver,
    JobSummary,
    in_background,
    uses_workers,
)
from metasearch.bulk.job import (
    FileRead,
    JobOutcome,
    TooManyRecords,
    deduplicate,
    read_all,
)
from metasearch.cli.output import Console, Exit, Sink, quantity
from metasearch.cli.progress import ProgressLine
from metasearch.dedup import DedupStrategy, strategy
from metasearch.dedup.pins import Pins
from metasearch.errors import UsageError
from metasearch.formats import table
from metasearch.formats.citations import DEFAULT_STYLE
from metasearch.formats.reading.encodings import decode
from metasearch.formats.reading.files import STDIN, Input, gather
from metasearch.formats.text import line
from metasearch.record import VersionsMode
from metasearch.settings import Settings

# Runs `metasearch dedup`: reads the files, finds duplicates, and writes the works and reports.

#: Standard output for `-o` and `--clusters`, standard error for `--report` without a file.
DASH = Path("-")
#: The default format: every reference manager reads it.
DEFAULT_FORMAT = "ris"
#: Bytes of an existing file that are checked before a report replaces it.
HEAD = 100
#: Works in the table of a terminal.
TABLE_WORKS = 20
#: Problems of a file that are shown where no report is asked for.
PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupOptions:
    """The options of the command, under their names.

    Attributes:
        format: One of `common_options.FORMAT_NAMES`; None writes `DEFAULT_FORMAT`, and a short
            table to a terminal.
        report: None writes the summary only, `DASH` writes to standard error.
        read_as: The input format of every file; None detects each.
        versions: None is "separate", whatever the configuration sets for searches.
        dedup: Name of a strategy; None takes that of the settings, as with `pins`.
        provenance: RIS names in N1 which file holds which field.
        bom: CSV begins with a byte order mark.
        staged: Which engine, and what it may take.
    """

    files: tuple[Path, ...]
    format: str | None
    output: Path | None
    clusters: Path | None
    report: Path | None
    read_as: str | None
    encoding: str | None
    config: Path | None
    pins: Path | None
    versions: VersionsMode | None
    dedup: str | None
    provenance: bool = False
    style: str = DEFAULT_STYLE
    bom: bool = False
    staged: StagedOptions = field(default_factory=StagedOptions)


@dataclass(frozen=True, slots=True)
class DedupResult:
    """The works, and what is reported about them.

    `told`: gives the report; it may wait for it. `telling`: looks at the works while they are
    written; `told` is right when that is done.
    """

    outcome: JobOutcome
    told: Callable[[], JobSummary]
    telling: JobObserver | None = None

    def text(self) -> str:
        told = self.told()
        return report.as_text(told.numbers, __version__, told.left_out)

    def json(self) -> bytes:
        told = self.told()
        return report.as_json(told.numbers, self.outcome.files, __version__, told.left_out)


def deduplicate_files(options: DedupOptions, console: Console) -> Exit:
    """Read, de-duplicate and write.

    Raises:
        MetasearchError: A file is not there, or an option or the configuration cannot be used. This
            is raised before any file is read.
        OSError: An output cannot be written.
        click.exceptions.Exit: No file could be read. Nothing is written then.
    """
    settings = Settings.load(options.config, os.environ).with_dedup(
        options.pins, strategy=options.dedup
    )
    options.staged.check()
    rules = _Rules(strategy(settings.strategy), Pins.load(settings.pins))
    if options.encoding is not None:
        decode(b"", "--encoding", options.encoding)
    inputs = gather(options.files)
    outputs = _outputs(options)
    _check(outputs, inputs.files)
    if not console.quiet:
        for note in inputs.notes:
            console.say(note, "yellow")
    # Works that lie on disk are there until all is written.
    with garbage_collection.rarely(), ExitStack() as works:
        with ExitStack() as stack:
            # Outputs are opened first: one that cannot be written ends the command before the work.
            # A command that fails leaves existing files unchanged. Standard output is written last,
            # because its reader may close it, which must not cost the other outputs.
            sinks = {
                option: stack.enter_context(Sink(path))
                for option, path in outputs.items()
                if (option, path) != ("-o", DASH)
            }
            outcome = works.enter_context(_works(inputs.files, options, rules, console))
            form = options.format or DEFAULT_FORMAT if "-o" in outputs else None
            result = works.enter_context(_result(outcome, form, options, written="-o" in sinks))
            # The report is the last one: it has to wait for what is told.
            for option in sorted(sinks, key=lambda option: option == "--report"):
                sinks[option].write_all(_content(option, options, result))
            result.told()  # it finds out, too, whether works are missing
        try:
            if outputs.get("-o") == DASH:
                _write_to_stdout(options, result, console)
        finally:  # also if the reader of standard output has closed it
            show_numbers(result, console, whole=options.report == DASH)
    if not outcome.complete:
        return Exit.PARTIAL
    return Exit.OK if outcome.works else Exit.NO_HITS


@dataclass(frozen=True, slots=True)
class _Rules:
    strategy: DedupStrategy
    pins: Pins


@contextmanager
def _works(
    inputs: Sequence[Input], options: DedupOptions, rules: _Rules, console: Console
) -> Iterator[JobOutcome]:
    """Read the files and find the duplicates in them; the outcome can be used in the block."""
    progress = ProgressLine(console)
    duckdb = may_be_duckdb(options.staged, inputs)
    try:
        if options.staged.engine in (None, "memory"):
            outcome = None
            try:
                files = _read(inputs, options, progress, console, MANY if duckdb else None)
            except TooManyRecords:
                if not duckdb:
                    raise
            else:
                chain = rules.strategy.chain.with_pins(rules.pins)
                versions = options.versions or "separate"
                outcome = deduplicate(files, chain, versions, progress, rules.strategy.name)
                if len(outcome.works) > MANY and not console.quiet:
                    console.say(
                        f"more than {MANY:,} records need much memory; --engine duckdb, with the "
                        "extra bulk, keeps them on disk",
                        "yellow",
                    )
            if outcome is not None:
                progress.clear()
                yield outcome
                return
        with _on_disk(inputs, options, rules, progress, console) as outcome:
            progress.clear()
            show_problems(outcome.files, console, records=options.report is None)
            _require_one(outcome.files, console)
            yield outcome
    finally:
        progress.clear()


def _on_disk(
    inputs: Sequence[Input],
    options: DedupOptions,
    rules: _Rules,
    progress: ProgressLine,
    console: Console,
) -> AbstractContextManager[JobOutcome]:
    """The same by an engine that keeps all stages on disk."""
    require_packages()
    from metasearch.bulk.staged.pool import JobRules
    from metasearch.bulk.staged.records import ReadOptions
    from metasearch.bulk.staged.stages import StagedJob

    job = StagedJob(
        inputs,
        JobRules(rules.strategy.name, rules.pins, options.versions or "separate"),
        ReadOptions(options.read_as, options.encoding, read_rows),
        workers=options.staged.processes,
        stdin=sys.stdin.buffer,
        version=__version__,
    )
    return staged_works(job, options.staged, progress, console)


def _read(
    inputs: Sequence[Input],
    options: DedupOptions,
    progress: ProgressLine,
    console: Console,
    most: int | None,
) -> list[FileRead]:
    """Read the files, and show the problems of each. Raises TooManyRecords: they hold more than
    `most`, or than one job in memory takes; click.exceptions.Exit: no file could be read.
    """
    files = read_all(
        inputs,
        format=options.read_as,
        encoding=options.encoding,
        stdin=sys.stdin.buffer,
        first=read_rows,
        progress=progress,
        most=most,
    )
    progress.clear()
    show_problems(files, console, records=options.report is None)
    _require_one(files, console)
    return files


def _require_one(files: Sequence[FileRead], console: Console) -> None:
    if all(file.error for file in files):
        console.say("error: no file could be read", "red")
        raise click.exceptions.Exit(Exit.NO_ANSWER)


def _outputs(options: DedupOptions) -> dict[str, Path]:
    """Option -> the path that it writes to.

    Works go to standard output, unless `-o` names a file or only clusters are written there.
    """
    default = None if options.clusters == DASH and options.format is None else DASH
    paths = {
        "--clusters": options.clusters,
        "--report": None if options.report == DASH else options.report,
        "-o": options.output or default,
    }
    return {option: path for option, path in paths.items() if path is not None}


def _check(outputs: Mapping[str, Path], files: Sequence[Input]) -> None:
    """Refuse outputs that would replace an input, another output, or what may be an input. Raises
    UsageError: an output would replace one of these.
    """
    inputs = {os.path.realpath(file.path) for file in files if file.path != STDIN}
    written: set[str] = set()
    for option, path in outputs.items():
        place = str(DASH) if path == DASH else os.path.realpath(path)
        if place in inputs:
            raise UsageError(
                f"{option} {path}: this file is also an input", advice="Write to another file."
            )
        # Several outputs may go to a device such as /dev/null.
        device = path != DASH and path.exists() and not path.is_file()
        if place in written and not device:
            raise UsageError(
                f"{option} {path}: another option writes there, too",
                advice="Write to another file.",
            )
        written.add(place)
    path = outputs.get("--report", DASH)
    if path != DASH and path.is_file():
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        if head and not report.is_report(head):
            raise UsageError(
                f"--report {path}: this file exists and is not a report",
                advice="If it is an input, put --report at the end of the command.",
            )


@contextmanager
def _result(
    outcome: JobOutcome, form: str | None, options: DedupOptions, *, written: bool
) -> Iterator[DedupResult]:
    """The result of a job, for a block that writes it. `form`: the format in which the works are
    written; None where they are not.
    """
    workers = options.staged.processes
    if written and form is not None and _by_workers(form, outcome, workers):
        telling = JobObserver(outcome, form)
        yield DedupResult(outcome, partial(telling.summary, outcome), telling)
    else:
        with in_background(outcome, form, workers) as told:
            yield DedupResult(outcome, told)


def _by_workers(form: str, outcome: JobOutcome, workers: int) -> bool:
    """Whether worker processes write the works in a format."""
    if not uses_workers(outcome, workers):
        return False
    from metasearch.bulk.staged.works import ONE_AFTER_ANOTHER

    return form in ONE_AFTER_ANOTHER


def _content(option: str, options: DedupOptions, result: DedupResult) -> Iterator[bytes]:
    if option == "--clusters":
        yield from _clusters(result.outcome, options.staged.processes)
    elif option == "-o":
        yield from _works_as(options.format or DEFAULT_FORMAT, options, result)
    elif options.report is not None and options.report.suffix.lower() == ".json":
        yield result.json()
    else:
        yield result.text().encode()


def _clusters(outcome: JobOutcome, workers: int) -> Iterator[bytes]:
    if not uses_workers(outcome, workers):
        return export.cluster_lines(outcome)
    from metasearch.bulk.staged import works as writing

    return writing.write_clusters(outcome, workers)


def _works_as(name: str, options: DedupOptions, result: DedupResult) -> Iterator[bytes]:
    workers = options.staged.processes
    if _by_workers(name, result.outcome, workers):
        from metasearch.bulk.staged import works as writing

        return writing.write(
            name,
            result.outcome,
            workers,
            provenance=options.provenance,
            telling=result.telling,
        )
    return export.write(
        name,
        result.outcome,
        provenance=options.provenance,
        bom=options.bom,
        style=options.style,
    )


def _write_to_stdout(options: DedupOptions, result: DedupResult, console: Console) -> None:
    """Write the works; without `--format`, a terminal shows a short table."""
    sink = Sink()
    if options.format == "table":
        show_works(result.outcome, sink, console, whole=True)
    elif options.format is None and sys.stdout.isatty():
        show_works(result.outcome, sink, console, whole=False)
    else:
        for part in _content("-o", options, result):
            sink.write(part)


def show_problems(files: Sequence[FileRead], console: Console, *, records: bool) -> None:
    """Show which files are unreadable, even with `--quiet`; with `records` which records."""
    for file in files:
        if file.error:
            console.error(file.error)
        elif records and not console.quiet:
            _show_records(file, console)


def _show_records(file: FileRead, console: Console) -> None:
    # The list is cut, so problems that cost a record come first.
    problems = sorted(file.reading.problems, key=lambda problem: not problem.lost)
    for problem in problems[:PROBLEMS_SHOWN]:
        place = f"{file.input.name}:{problem.line}" if problem.line else file.input.name
        console.say(f"{place}: {line(problem.message)}", "yellow")
    more = len(problems) - PROBLEMS_SHOWN
    if more > 0:
        lost = quantity(file.reading.lost, "record")
        lost = f"{quantity(more, 'problem')} more, {lost} lost in total"
        console.say(f"{file.input.name}: {lost}; --report lists them", "yellow")


def show_numbers(result: DedupResult, console: Console, *, whole: bool) -> None:
    """Show the `whole` report, or its summary, on stderr."""
    if whole:
        console.say(result.text().rstrip("\n"), wrap=False)
    elif not console.quiet:
        told = result.told()
        for note in told.left_out:
            console.say(note, "yellow")
        console.say(report.summary(told.numbers))


def show_works(outcome: JobOutcome, sink: Sink, console: Console, *, whole: bool) -> None:
    """Write the works as a table: all, or as many as fit on a screen."""
    sink.write(_table(outcome, console, None if whole else TABLE_WORKS))
    if not whole and len(outcome.works) > TABLE_WORKS and not console.quiet:
        total = quantity(len(outcome.works), "record")
        console.say(f"\n{TABLE_WORKS} of {total}; -o FILE writes all")


def _table(outcome: JobOutcome, console: Console, limit: int | None) -> bytes:
    return table.write(
        [work.hit for work in islice(outcome.works, limit)],
        width=console.size(sys.stdout)[0],
        color=console.colors(sys.stdout),
        hyperlinks=console.capable(sys.stdout),
    )
