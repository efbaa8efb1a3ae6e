"""`metasearch dedup FILE...`: reads files of records, and writes each work once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.group import ExampleCommand, common, dedup_options, marked, writing
from metasearch.cli.search import NAMES
from metasearch.cli.terminal.console import Console
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import UsageError
from metasearch.formats import READABLE, WRITABLE
from metasearch.record import VersionsMode

if TYPE_CHECKING:
    from metasearch.bulk.inputs import Input
    from metasearch.bulk.job import FileRead, Outcome
    from metasearch.cli.dedup_report import DedupResult
    from metasearch.cli.terminal.live import LiveLine
    from metasearch.dedup.matcher import Chain

#: Standard output for `-o` and `--clusters`, standard error for `--report` without a file.
DASH = Path("-")
#: The default format: every reference manager reads it.
DEFAULT_FORMAT = "ris"
#: Bytes of an existing file that are checked before a report replaces it.
HEAD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupOptions:
    """The options of the command, under their names.

    Attributes:
        files: As they were named.
        format: One of `NAMES`; None writes `DEFAULT_FORMAT`, and a short table to a terminal.
        report: None writes the summary only, `DASH` writes to standard error.
        read_as: The input format of every file; None detects each.
        versions: None is "separate", whatever the configuration sets for searches.
        dedup: Name of a strategy; None takes that of the settings, as with `pins`.
        provenance: RIS names in N1 which file holds which field.
        bom: CSV begins with a byte order mark.
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
    bom: bool = False


@click.command(
    cls=ExampleCommand,
    short_help="De-duplicate files of records.",
    examples=(
        (
            "metasearch dedup *.ris -o unique.ris --report",
            "one file of several, and the numbers for the flow diagram",
        ),
        (
            "metasearch dedup exports/ -o unique.csv --report numbers.json",
            "all of a folder, whatever its format",
        ),
        (
            "metasearch dedup a.ris b.bib --clusters clusters.jsonl",
            "which records are one work, and why",
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
    type=click.Choice(NAMES),
    help="How they are written; ris unless -o says more.",
)
@click.option("--json", is_flag=True, help="--format json: one document, as a search answers.")
@click.option(
    "--ndjson", is_flag=True, help="--format ndjson: events, a line each, as of a search."
)
@click.option(
    "--clusters",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Write the records of each work that has several to FILE, a JSON line each, and why they "
    "are one.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    is_flag=False,
    flag_value=str(DASH),
    metavar="[FILE]",
    help="All numbers: by file, database and rule, and what could not be read; on stderr, or in "
    "FILE (.json is JSON).",
)
@click.option(
    "--from",
    "read_as",
    type=click.Choice(tuple(READABLE)),
    metavar="FORMAT",
    help=f"The format of all FILEs, if it is not to be detected: {', '.join(READABLE)}.",
)
@click.option(
    "--encoding", metavar="NAME", help="The encoding of all FILEs, if it is not to be detected."
)
@writing
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
    **options: Any,
) -> int:
    """Read FILEs of records, and write each work once.

    Any mix of formats; of a folder, every file with a known ending is read; "-" is standard input.
    Unique records stand in the order in which they first appear. --versions is separate if you do
    not say: a duplicate is the same publication, and preprint and article are two records of a
    review.
    """
    asked = {format_, "json" if json else None, "ndjson" if ndjson else None} - {None}
    chosen = _format(asked, output)
    bom = marked(bom, output)
    return _deduplicate(DedupOptions(format=chosen, output=output, bom=bom, **options), console)


def _format(asked: set[str | None], output: Path | None) -> str | None:
    if len(asked) > 1:
        raise click.UsageError(
            f"Choose one format: {', '.join(sorted(filter(None, asked)))} were asked for."
        )
    if asked:
        return asked.pop()
    if output is None:
        return None
    ending = output.suffix.lower().lstrip(".")
    known = {WRITABLE[name].extension: name for name in NAMES} | {"": DEFAULT_FORMAT}
    if ending not in known:
        endings = ", .".join(WRITABLE[name].extension for name in NAMES)
        raise click.UsageError(
            f"No format has files that end in .{ending}, only .{endings}; choose one with --format."
        )
    return known[ending]


def _deduplicate(options: DedupOptions, console: Console) -> Exit:
    """Read, de-duplicate and write.

    Raises:
        MetasearchError: A file is not there, or an option or the configuration cannot be used. This
            is raised before any file is read.
        OSError: An output cannot be written.
        click.exceptions.Exit: No file could be read. Nothing is written then.
    """
    from metasearch.bulk.beside import left_out
    from metasearch.bulk.inputs import gather
    from metasearch.bulk.numbers import count
    from metasearch.cli.dedup_report import DedupResult, show_numbers
    from metasearch.dedup import strategy
    from metasearch.dedup.pins import Pins
    from metasearch.formats.reading.encodings import decode
    from metasearch.settings import Settings

    settings = Settings.load(options.config, os.environ).deduplicated(
        options.pins, strategy=options.dedup
    )
    chosen = strategy(settings.strategy)
    chain = chosen.chain.pinned(Pins.load(settings.pins))
    if options.encoding is not None:
        decode(b"", "--encoding", options.encoding)
    inputs = gather(options.files)
    outputs = _outputs(options)
    _check(outputs, inputs.files)
    if not console.quiet:
        for note in inputs.notes:
            console.say(note, "yellow")
    with ExitStack() as stack:
        # Outputs are opened first: one that cannot be written ends the command before the work. A
        # command that fails leaves existing files unchanged. Standard output is written last,
        # because its reader may close it, which must not cost the other outputs.
        sinks = {
            option: stack.enter_context(Sink(path))
            for option, path in outputs.items()
            if (option, path) != ("-o", DASH)
        }
        outcome = _works(inputs.files, options, chain, chosen.name, console)
        notes = left_out(outcome, options.format or DEFAULT_FORMAT) if "-o" in outputs else []
        result = DedupResult(outcome, count(outcome), notes)
        for option, sink in sinks.items():
            for part in _content(option, options, result):
                sink.write(part)
    try:
        if outputs.get("-o") == DASH:
            _write_to_stdout(options, result, console)
    finally:  # also where the reader of standard output is gone
        show_numbers(result, console, whole=options.report == DASH)
    if not outcome.complete:
        return Exit.PARTIAL
    return Exit.OK if outcome.works else Exit.NO_HITS


def _works(
    inputs: Sequence[Input], options: DedupOptions, chain: Chain, name: str, console: Console
) -> Outcome:
    """Read the files and de-duplicate their records by the strategy called `name`."""
    from metasearch.bulk.job import deduplicate
    from metasearch.cli.terminal.live import LiveLine
    from metasearch.dedup import garbage_collection

    live = LiveLine(console)
    try:
        files = _read(inputs, options, live, console)
        with garbage_collection.rarely():
            return deduplicate(files, chain, options.versions or "separate", live, name)
    finally:
        live.clear()


def _read(
    inputs: Sequence[Input], options: DedupOptions, live: LiveLine, console: Console
) -> list[FileRead]:
    from metasearch.bulk.job import read_all
    from metasearch.cli.dedup_report import show_problems
    from metasearch.cli.labelled import read_rows

    files = read_all(
        inputs,
        format=options.read_as,
        encoding=options.encoding,
        stdin=sys.stdin.buffer,
        first=read_rows,
        progress=live,
    )
    live.clear()
    show_problems(files, console, records=options.report is None)
    if all(file.error for file in files):
        console.say("error: no file could be read", "red")
        raise click.exceptions.Exit(Exit.NO_ANSWER)
    return files


# --------------------------------------------------------------------------- the outputs


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
    """Refuse outputs that would replace an input, another output, or what may be an input.

    Raises:
        UsageError: One would.
    """
    from metasearch.bulk import report
    from metasearch.bulk.inputs import STDIN

    read = {os.path.realpath(file.path) for file in files if file.path != STDIN}
    written: set[str] = set()
    for option, path in outputs.items():
        place = str(DASH) if path == DASH else os.path.realpath(path)
        if place in read:
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


def _content(option: str, options: DedupOptions, result: DedupResult) -> Iterator[bytes]:
    """The bytes of an output, in parts."""
    from metasearch.bulk import clusters, export

    if option == "--clusters":
        yield clusters.write(result.outcome)
    elif option == "-o":
        yield from export.write(
            options.format or DEFAULT_FORMAT,
            result.outcome,
            provenance=options.provenance,
            bom=options.bom,
        )
    elif options.report is not None and options.report.suffix.lower() == ".json":
        yield result.json()
    else:
        yield result.text().encode()


def _write_to_stdout(options: DedupOptions, result: DedupResult, console: Console) -> None:
    """Write the works; without `--format`, a terminal shows a short table."""
    from metasearch.cli.dedup_report import show_works

    sink = Sink()
    if options.format == "table":
        show_works(result.outcome, sink, console, whole=True)
    elif options.format is None and sys.stdout.isatty():
        show_works(result.outcome, sink, console, whole=False)
    else:
        for part in _content("-o", options, result):
            sink.write(part)
