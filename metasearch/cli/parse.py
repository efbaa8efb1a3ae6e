"""`metasearch parse SOURCE FILE`: prints the records that an adapter reads from a saved answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch import opening
from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import common, complete_source
from metasearch.cli.output import Console, Exit, Sink, counted
from metasearch.errors import Drifted, SourceError, TooLarge

if TYPE_CHECKING:
    from metasearch.adapters.parse.parse import Parsed

#: Records that the answer is assumed to be for: more than any file holds, so that none is cut.
PLENTY = 1_000_000


@click.command(
    cls=ExampleCommand,
    short_help="Print the records of a saved answer.",
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
    ),
)
@click.argument("source", shell_complete=complete_source)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--counts", is_flag=True, help="Print, as a line of TOML, how many records have each field."
)
@common
@click.pass_obj
def parse(
    console: Console, /, *, source: str, file: Path, counts: bool, config: Path | None
) -> int:
    """Print the records that the adapter of SOURCE reads from FILE (or "-"), a JSON object a line.

    SOURCE is the name of a source, or the path of a spec file.

    Fields without a value are left out. Problems go to stderr. Exit code 3: FILE is not an answer
    that this adapter can read.
    """
    from metasearch.adapters.parse.parse import parse as parse_page
    from metasearch.adapters.request import Page, Request
    from metasearch.adapters.specs.registry import Registry
    from metasearch.cli.sources.authoring import spec_of
    from metasearch.settings import Settings

    spec = spec_of(source, Registry(Settings.load(config, os.environ)))
    body = _read(file, spec.limits.max_bytes)
    try:
        if len(body) > spec.limits.max_bytes:
            raise TooLarge(source, spec.limits.max_bytes)
        request = Request(source=source, url=f"file:{file}", size=PLENTY, wanted=PLENTY)
        parsed = parse_page(Page(request=request, status=200, body=body), spec)
        if counts:
            click.echo(_counts(file, parsed))
        else:
            _write(parsed)
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
    with opening.opened(file, pipes=True) as stream:
        return stream.read(limit + 1)


def _write(parsed: Parsed) -> None:
    from metasearch.formats import own

    with Sink() as sink:
        sink.write(own.write(parsed.records))


def _counts(file: Path, parsed: Parsed) -> str:
    """The line of tests/payloads/SOURCE.toml for this file."""
    from metasearch.record import fields_filled

    counts = {"records": len(parsed.records)}
    if parsed.unread:
        counts["unread"] = len(parsed.unread)
    if parsed.total is not None:
        counts["total"] = parsed.total
    counts |= fields_filled(parsed.records)
    cells = (
        f'"{name}" = {count}' if "." in name else f"{name} = {count}"
        for name, count in counts.items()
    )
    place = f"{file.parent.name}/{file.name}".lstrip("/")
    return f'"{place}" = {{ {", ".join(cells)} }}'


def _report(parsed: Parsed, console: Console) -> None:
    if console.quiet:
        return
    for unread in parsed.unread:
        console.say(f"record {unread.position} could not be read: {unread.reason}", "yellow")
    for note in parsed.notes:
        console.say(f"note: {note}")
    total = "" if parsed.total is None else f", total {parsed.total}"
    console.say(f"{counted(len(parsed.records), 'record')}{total}")
    if console.verbose and parsed.next is not None:
        console.say(f"next: {parsed.next.shown}")
