"""`metasearch dedup FILE...`: reads files of records, and writes each work once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from metasearch.bulk.dedup_staged import ENGINES, MOST_WORKERS, EngineName, Size, StagedOptions
from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.options import (
    FORMAT_NAMES,
    chosen_format,
    common,
    dedup_options,
    has_bom,
    writing_options,
)
from metasearch.cli.terminal.console import Console
from metasearch.formats import READABLE


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
@writing_options
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

    named = chosen_format(
        format_, json=json, ndjson=ndjson, output=output, without_ending=DEFAULT_FORMAT
    )
    staged = StagedOptions(
        engine=engine, memory_limit=memory_limit, workers=workers, tmp=tmp, resume=resume
    )
    files = DedupOptions(
        format=named, output=output, bom=has_bom(bom, output), staged=staged, **options
    )
    return deduplicate_files(files, console)
