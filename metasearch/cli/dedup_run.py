"""What `metasearch dedup` reports: problems of files, the numbers, and the works as a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from metasearch import __version__
from metasearch.bulk import report
from metasearch.bulk.job import FileRead, Outcome
from metasearch.bulk.numbers import Numbers
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.output import Sink
from metasearch.formats.text import line

#: Works in the table of a terminal.
TABLE_WORKS = 20
#: Problems of a file that are shown where no report is asked for.
PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class DedupResult:
    """The works, and what is reported of them.

    Attributes:
        left_out: Sentences about content of the files that the output format cannot hold.
    """

    outcome: Outcome
    numbers: Numbers
    left_out: list[str]

    def text(self) -> str:
        """The report as text."""
        return report.as_text(self.numbers, __version__, self.left_out)

    def json(self) -> bytes:
        """The report as one JSON document."""
        return report.as_json(self.numbers, self.outcome.files, __version__, self.left_out)


def show_problems(files: Sequence[FileRead], console: Console, *, records: bool) -> None:
    """Show which files could not be read, even with `--quiet`; and which `records`, if wanted."""
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
        lost = (
            f"{counted(more, 'problem')} more, {counted(file.reading.lost, 'record')} lost in all"
        )
        console.say(f"{file.input.name}: {lost}; --report lists them", "yellow")


def show_numbers(result: DedupResult, console: Console, *, whole: bool) -> None:
    """Show the `whole` report, or its summary, on stderr."""
    if whole:
        console.say(result.text().rstrip("\n"), wrap=False)
    elif not console.quiet:
        for note in result.left_out:
            console.say(note, "yellow")
        console.say(report.summary(result.numbers))


def show_works(outcome: Outcome, sink: Sink, console: Console, *, whole: bool) -> None:
    """Write the works as a table: all, or as many as fit on a screen."""
    sink.write(_table(outcome, console, None if whole else TABLE_WORKS))
    if not whole and len(outcome.works) > TABLE_WORKS and not console.quiet:
        total = counted(len(outcome.works), "record")
        console.say(f"\n{TABLE_WORKS} of {total}; -o FILE writes all")


def _table(outcome: Outcome, console: Console, limit: int | None) -> bytes:
    from metasearch.formats import table

    return table.write(
        [work.hit for work in outcome.works[:limit]],
        width=console.size(sys.stdout)[0],
        color=console.colors(sys.stdout),
        hyperlinks=console.capable(sys.stdout),
    )
