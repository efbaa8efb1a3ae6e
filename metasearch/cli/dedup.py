"""`metasearch dedup FILE...`: whole files of records, each work once. What it does is in
`bulk.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from metasearch.cli.console import Console
from metasearch.cli.group import ExampleCommand, common, dedup_options, marked, writing
from metasearch.cli.search import NAMES
from metasearch.formats import FORMATS as WRITABLE
from metasearch.formats.reading import FORMATS as READABLE
from metasearch.record import VersionsMode

#: Where `--report` without a file goes, and standard output for `-o` and `--clusters`.
DASH = Path("-")
#: What is written where nobody says: any reference manager reads it.
USUAL = "ris"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A job as it was ordered; names and meanings are those of the options.

    Attributes:
        files: As they were named.
        format: One of `NAMES`; None shows a short table if standard output is a terminal, and is
            `USUAL` otherwise.
        report: None for the summary alone, `DASH` for standard error.
        read_as: One of the formats that can be read, for every file.
        versions: None is "separate", whatever the configuration says of searches.
        dedup: Name of a strategy; None takes that of the settings, as with `pins`.
        provenance: RIS says in N1 which file gave which field.
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
    order = Order(format=_format(asked, output), output=output, bom=marked(bom, output), **options)
    from metasearch.cli.bulk import run

    return run(order, console)


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
    known = {WRITABLE[name].extension: name for name in NAMES} | {"": USUAL}
    if ending not in known:
        endings = ", .".join(WRITABLE[name].extension for name in NAMES)
        raise click.UsageError(
            f"No format has files that end in .{ending}, only .{endings}; choose one with --format."
        )
    return known[ending]
