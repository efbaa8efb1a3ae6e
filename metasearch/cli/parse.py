"""`metasearch parse SOURCE FILE`: prints the records that an adapter reads from a saved answer;
`metasearch parse FILE`: those of a file of references.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch import regular_files
from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common, complete_source
from metasearch.cli.output import Console, Exit, Sink, quantity
from metasearch.errors import Drifted, SourceError, TooLarge, UsageError
from metasearch.formats.registry import READABLE
from metasearch.formats.text import line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metasearch.adapters.parse.parse import PageContent
    from metasearch.record import Record

#: Records that the answer is assumed to be for: more than any file holds, so that none is cut.
PLENTY = 1_000_000


@click.command(
    cls=ExampleCommand,
    short_help="Print the records of a saved answer or of a file of references.",
    examples=(
        (
            "metasearch parse crossref answer.json",
            "the records that the crossref adapter reads",
        ),
        ("curl -s URL | metasearch parse arxiv -", "from an answer of curl"),
        ("metasearch parse ./fx.toml answer.json", "with your own spec"),
        (
            "metasearch parse --counts crossref answer.json",
            "how many of them have a title, a year, a DOI ...",
        ),
        ("metasearch parse export.ris", "the records of an export, and what was not understood"),
    ),
)
@click.argument(
    "named", metavar="[SOURCE] FILE", nargs=-1, required=True, shell_complete=complete_source
)
@click.option(
    "--counts", is_flag=True, help="Print, as a line of TOML, how many records have each field."
)
@click.option(
    "--from",
    "read_as",
    type=click.Choice(tuple(READABLE)),
    metavar="FORMAT",
    help="The format of a file of references, instead of detecting it.",
)
@click.option(
    "--encoding", metavar="NAME", help="The encoding of such a file, instead of detecting it."
)
@common
@click.pass_obj
def parse(
    console: Console,
    /,
    *,
    named: tuple[str, ...],
    counts: bool,
    read_as: str | None,
    encoding: str | None,
    config: Path | None,
) -> int:
    """Print the records that the adapter of SOURCE reads from FILE (or "-"), a JSON object a line;
    without a SOURCE, those of a file of references.

    SOURCE is the name of a source, or the path of a spec file.

    Fields without a value are left out. Problems go to stderr, those of a file of references with
    the line; lines that were not understood are counted by what they hold. Exit code 3: FILE is not
    an answer that this adapter can read, or records of it could not be read.
    """
    if len(named) > 2:
        raise UsageError("one FILE is read at once", advice="Give a SOURCE and a FILE, or a FILE.")
    file = Path(named[-1])
    if len(named) == 2:
        if read_as or encoding:
            raise UsageError(
                "--from and --encoding are for files of references",
                advice=f"Leave {named[0]} out, or the option.",
            )
        return _answer(named[0], file, console, counts=counts, config=config)
    return _references(file, console, read_as=read_as, encoding=encoding, counts=counts)


def _references(
    file: Path, console: Console, *, read_as: str | None, encoding: str | None, counts: bool
) -> int:
    from metasearch.formats.reading import read_file, read_pipe

    if str(file) == "-":
        reading = read_pipe(sys.stdin.buffer, "stdin", format=read_as, encoding=encoding)
    else:
        reading = read_file(file, format=read_as, encoding=encoding)
    if counts:
        click.echo(_counts(file, reading.records, unread=reading.lost))
    else:
        _write(reading.records)
    if not console.quiet:
        for problem in reading.problems:
            place = f"line {problem.line}: " if problem.line else ""
            console.say(f"{place}{line(problem.message)}", "yellow")
        console.say(f"{quantity(len(reading.records), 'record')}, {reading.format}")
    return Exit.PARTIAL if reading.lost else Exit.OK


def _answer(source: str, file: Path, console: Console, *, counts: bool, config: Path | None) -> int:
    from metasearch.adapters.parse.parse import parse as parse_page
    from metasearch.adapters.request import Page, Request
    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.specs import spec_of
    from metasearch.settings import Settings

    spec = spec_of(source, Registry(Settings.load(config, os.environ)))
    body = _read(file, spec.limits.max_bytes)
    try:
        if len(body) > spec.limits.max_bytes:
            raise TooLarge(source, spec.limits.max_bytes)
        request = Request(source=source, url=f"file:{file}", size=PLENTY, wanted=PLENTY)
        parsed = parse_page(Page(request=request, status=200, body=body), spec)
        if counts:
            unread, total = len(parsed.unread), parsed.total
            click.echo(_counts(file, parsed.records, unread=unread, total=total))
        else:
            _write(parsed.records)
        _report(parsed, console)
        if parsed.drifted is not None:
            raise Drifted(source, *parsed.drifted)
    except SourceError as exc:
        console.say(f"{type(exc).__name__}: {exc}", "red")
        if exc.advice:
            console.say(f"  {exc.advice}")
        return Exit.PARTIAL
    return Exit.OK


def _read(file: Path, limit: int) -> bytes:
    """The file, at most one byte more than the limit."""
    if str(file) == "-":
        return sys.stdin.buffer.read(limit + 1)
    with regular_files.open_regular(file, pipes=True) as stream:
        return stream.read(limit + 1)


def _write(records: Sequence[Record]) -> None:
    from metasearch.formats import own

    with Sink() as sink:
        sink.write(own.write(records))


def _counts(file: Path, records: Sequence[Record], *, unread: int, total: int | None = None) -> str:
    """The line of tests/payloads/SOURCE.toml for this file."""
    from metasearch.record import field_counts

    counts = {"records": len(records)}
    if unread:
        counts["unread"] = unread
    if total is not None:
        counts["total"] = total
    counts |= field_counts(records)
    cells = (
        f'"{name}" = {count}' if "." in name else f"{name} = {count}"
        for name, count in counts.items()
    )
    place = f"{file.parent.name}/{file.name}".lstrip("/")
    return f'"{place}" = {{ {", ".join(cells)} }}'


def _report(parsed: PageContent, console: Console) -> None:
    if console.quiet:
        return
    for unread in parsed.unread:
        console.say(f"record {unread.position} could not be read: {unread.reason}", "yellow")
    for note in parsed.notes:
        console.say(f"note: {note}")
    total = "" if parsed.total is None else f", total {parsed.total}"
    console.say(f"{quantity(len(parsed.records), 'record')}{total}")
    if console.verbose and parsed.next is not None:
        console.say(f"next: {parsed.next.log_url}")
