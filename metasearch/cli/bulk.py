"""What `metasearch dedup` does: read, compare, write what was asked for, tell the numbers, choose
the exit code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from metasearch import __version__
from metasearch.bulk import clusters, export, report
from metasearch.bulk.beside import left_out
from metasearch.bulk.inputs import STDIN, Input, gather
from metasearch.bulk.job import FileRead, Outcome, deduplicate, read_all
from metasearch.bulk.numbers import Numbers, count
from metasearch.cli.console import Console, counted
from metasearch.cli.dedup import DASH, USUAL, Order
from metasearch.cli.exits import Exit
from metasearch.cli.labelled import read_rows
from metasearch.cli.live import LiveLine
from metasearch.cli.output import Sink
from metasearch.dedup import garbage_collection, strategy
from metasearch.dedup.pins import Pins
from metasearch.errors import UsageError
from metasearch.formats.reading.encodings import decode
from metasearch.formats.text import line
from metasearch.settings import Settings

#: Works in the table of a terminal.
TABLE_WORKS = 20
#: Problems of a file that are shown where no report is asked for.
PROBLEMS_SHOWN = 5
#: The numbers of a job, and what its files say and the output does not.
Told = tuple[Numbers, list[str]]
#: Bytes of a file that are looked at before a report takes its place.
HEAD = 100


def run(order: Order, console: Console) -> Exit:
    """De-duplicate, and write.

    Raises:
        MetasearchError: A file is not there, or an option or the configuration cannot be used;
            nothing was read then.
        OSError: An output cannot be written.
        click.exceptions.Exit: No file could be read; nothing is written then.
    """
    settings = Settings.load(order.config, os.environ).deduplicated(
        order.pins, strategy=order.dedup
    )
    chosen = strategy(settings.strategy)
    pins = Pins.load(settings.pins)
    if order.encoding is not None:
        decode(b"", "--encoding", order.encoding)
    inputs = gather(order.files)
    outputs = _outputs(order)
    _check(outputs, inputs.files)
    if not console.quiet:
        for note in inputs.notes:
            console.say(note, "yellow")
    with ExitStack() as stack:
        # What cannot be written is told before the work, and a job that fails leaves older files as
        # they are.
        sinks = {
            option: stack.enter_context(Sink(path))
            for option, path in outputs.items()
            if (option, path)
            != ("-o", DASH)  # its reader may go away at any time, which must not cost the others
        }
        live = LiveLine(console)
        try:
            files = read_all(
                inputs.files,
                format=order.read_as,
                encoding=order.encoding,
                stdin=sys.stdin.buffer,
                first=read_rows,
                progress=live,
            )
            live.clear()
            _tell_files(files, console, briefly=order.report is None)
            if all(file.error for file in files):
                console.say("error: no file could be read", "red")
                raise click.exceptions.Exit(Exit.NO_ANSWER)
            with garbage_collection.rarely():
                outcome = deduplicate(
                    files,
                    chosen.chain.pinned(pins),
                    order.versions or "separate",
                    live,
                    chosen.name,
                )
        finally:
            live.clear()
        numbers = count(outcome)
        lost = left_out(outcome, order.format or USUAL) if "-o" in outputs else []
        _write_files(order, outcome, (numbers, lost), sinks)
    try:
        if outputs.get("-o") == DASH:
            _write_works(Sink(), order, outcome, console)
    finally:  # also where nobody reads the records to their end
        _tell_numbers(order, (numbers, lost), console)
    return _exit_for(outcome)


def _exit_for(outcome: Outcome) -> Exit:
    if not outcome.complete:
        return Exit.PARTIAL
    return Exit.OK if outcome.works else Exit.NO_HITS


# --------------------------------------------------------------------------- before the work


def _outputs(order: Order) -> dict[str, Path]:
    """What is written where; works go to standard output where nobody says otherwise and nothing
    else does.
    """
    wanted = {
        "--clusters": order.clusters,
        "--report": None if order.report == DASH else order.report,
    }
    usual = None if order.clusters == DASH and order.format is None else DASH
    wanted["-o"] = order.output or usual
    return {name: path for name, path in wanted.items() if path is not None}


def _check(outputs: Mapping[str, Path], files: Sequence[Input]) -> None:
    """Refuse to write over what is read, twice to one place, or over what may have been meant as a
    FILE.

    Raises:
        UsageError: Something would be.
    """
    read = {os.path.realpath(it.path) for it in files if it.path != STDIN}
    written: set[str] = set()
    for option, path in outputs.items():
        place = str(DASH) if path == DASH else os.path.realpath(path)
        if place in read:
            raise UsageError(
                f"{option} {path}: this file is read, too", advice="Write to another file."
            )
        if place in written and (
            path == DASH or not path.exists() or path.is_file()
        ):  # not so /dev/null
            raise UsageError(
                f"{option} {path}: something else is written there, too",
                advice="Write to another file.",
            )
        written.add(place)
    path = outputs.get("--report", DASH)
    if path != DASH and path.is_file():
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        if head and not report.is_report(head):
            raise UsageError(
                f"--report {path}: there is such a file, and it is no report",
                advice="If it is a file to be read, let --report be the last word of the command.",
            )


# --------------------------------------------------------------------------- what is told


def _tell_files(files: Sequence[FileRead], console: Console, *, briefly: bool) -> None:
    """What could not be read; `--quiet` silences no file that is missing from the result as a
    whole.
    """
    for file in files:
        if file.error:
            console.error(file.error)
        elif briefly and not console.quiet:
            _tell_problems(file, console)


def _tell_problems(file: FileRead, console: Console) -> None:
    # What has cost a record comes first: the list is cut.
    problems = sorted(file.reading.problems, key=lambda problem: not problem.lost)
    for problem in problems[:PROBLEMS_SHOWN]:
        place = f"{file.input.name}:{problem.line}" if problem.line else file.input.name
        console.say(f"{place}: {line(problem.message)}", "yellow")
    more = len(problems) - PROBLEMS_SHOWN
    if more > 0:
        lost = (
            f"{counted(more, 'problem')} more, {counted(file.reading.lost, 'record')} lost in all"
        )
        console.say(f"{file.input.name}: {lost}; --report lists them", "yellow")


def _tell_numbers(order: Order, told: Told, console: Console) -> None:
    if order.report == DASH:
        console.say(_text(told).rstrip("\n"), wrap=False)
    elif not console.quiet:
        for note in told[1]:
            console.say(note, "yellow")
        console.say(report.summary(told[0]))


# --------------------------------------------------------------------------- what is written


def _write_files(order: Order, outcome: Outcome, told: Told, sinks: Mapping[str, Sink]) -> None:
    for option, sink in sinks.items():
        match option:
            case "--clusters":
                sink.write(clusters.write(outcome))
            case "--report" if order.report is not None and order.report.suffix.lower() == ".json":
                sink.write(report.as_json(told[0], outcome.files, __version__, told[1]))
            case "--report":
                sink.write(_text(told).encode())
            case _:
                _write_parts(sink, order, outcome)


def _write_parts(sink: Sink, order: Order, outcome: Outcome) -> None:
    for part in export.write(
        order.format or USUAL, outcome, provenance=order.provenance, bom=order.bom
    ):
        sink.write(part)


def _text(told: Told) -> str:
    return report.as_text(told[0], __version__, told[1])


def _write_works(sink: Sink, order: Order, outcome: Outcome, console: Console) -> None:
    """Write to standard output: a short table for whoever sits before it, everything for whatever
    reads it.
    """
    if order.format == "table":
        sink.write(_table(outcome, console))
    elif order.format is None and sys.stdout.isatty():
        sink.write(_table(outcome, console, TABLE_WORKS))
        if len(outcome.works) > TABLE_WORKS and not console.quiet:
            console.say(
                f"\n{TABLE_WORKS} of {counted(len(outcome.works), 'record')}; -o FILE writes all"
            )
    else:
        _write_parts(sink, order, outcome)


def _table(outcome: Outcome, console: Console, limit: int | None = None) -> bytes:
    from metasearch.formats import table

    return table.write(
        [work.hit for work in outcome.works[:limit]],
        width=console.size(sys.stdout)[0],
        color=console.colors(sys.stdout),
        hyperlinks=console.capable(sys.stdout),
    )
