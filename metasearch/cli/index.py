"""`metasearch index FOLDER`: makes files of records a source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import common
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.errors import UsageError

if TYPE_CHECKING:
    from metasearch.collections.indexing import FileReport, Indexed

#: Problems of a file that are shown.
PROBLEMS_SHOWN = 5


@click.command(
    cls=ExampleCommand,
    short_help="Make files of records a source.",
    examples=(
        ("metasearch index ~/refs", "all files in and below a folder, as the source `refs`"),
        ("metasearch index --name mine a.bib export.ris", "these files, as the source `mine`"),
        ("metasearch index --name mine", "again, after files have changed"),
    ),
)
@click.argument("files", nargs=-1, metavar="[FOLDER|FILE]...", type=click.Path(path_type=Path))
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the collection, and of its source; the default is the name of the folder.",
)
@common
@click.pass_obj
def index(
    console: Console, /, *, files: tuple[Path, ...], name: str | None, config: Path | None
) -> int:
    """Store the records of FOLDERs and FILEs in a collection, which is a source from then on.

    All formats that `metasearch dedup` reads, in any mix. Run the command again after changes: it
    reads new and changed files only, and removes the records of files that are gone. Without
    FILEs it checks all folders and files of the collection. A new collection is made with its
    first record. Exit code 3: a file or a record could not be read; 4: no file could be read.
    """
    from metasearch.cli.collections import folder_of, new_name
    from metasearch.cli.terminal.progress_line import ProgressLine
    from metasearch.collections.indexing import index as index_files
    from metasearch.collections.store import Collection
    from metasearch.settings import Settings

    settings = Settings.load(config, os.environ)
    if not files and name is None:
        raise UsageError(
            "there is nothing to index", advice="Name a folder, files, or a collection with --name."
        )
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise UsageError(
            f"there is no such file: {', '.join(missing)}",
            advice="Nothing was read. Check the path.",
        )
    collection_name = new_name(name, files[0].resolve().stem if files else "", settings)
    live = ProgressLine(console)
    with Collection.open(folder_of(settings), collection_name, "files") as collection:
        try:
            indexed = index_files(
                files, collection, lambda done, total: live("reading files", done, total)
            )
        finally:
            live.clear()
        count = collection.count if collection.exists else None
    _report(indexed, collection_name, count, console)
    if indexed.read and indexed.failed == len(indexed.read) and not count:
        return Exit.NO_ANSWER
    return Exit.PARTIAL if indexed.failed or indexed.lost else Exit.OK


def _report(done: Indexed, name: str, count: int | None, console: Console) -> None:
    from metasearch.cli.collections import collection_in_words
    from metasearch.formats.text import line

    for file in done.read:
        if file.error is not None:
            console.error(file.error)
    if console.quiet:
        return
    for note in done.notes:
        console.say(note, "yellow")
    for file in done.read:
        _report_problems(file, console)
    parts = [
        (
            f"{counted(len(done.read) - done.failed, 'file')} read with "
            f"{counted(done.records, 'record')}"
        )
    ]
    if done.unchanged:
        parts.append(f"{done.unchanged:,} unchanged")
    if done.gone:
        parts.append(f"{done.gone:,} gone with {counted(done.removed, 'record')}")
    if done.failed:
        parts.append(f"{counted(done.failed, 'file')} could not be read")
    if done.lost:
        parts.append(f"{counted(done.lost, 'record')} could not be read")
    console.say("; ".join(parts))
    console.say(collection_in_words(line(name), count))


def _report_problems(file: FileReport, console: Console) -> None:
    from metasearch.formats.text import line

    problems = sorted(file.problems, key=lambda problem: (not problem.lost, problem.line))
    for problem in problems[:PROBLEMS_SHOWN]:
        console.say(
            f"{file.name}:{problem.line}: {line(problem.message)}"
            if problem.line
            else f"{file.name}: {line(problem.message)}",
            "yellow",
        )
    more = len(problems) - PROBLEMS_SHOWN
    if more > 0:
        console.say(
            f"{file.name}: {counted(more, 'problem')} more, {counted(file.lost, 'record')} lost "
            f"in total",
            "yellow",
        )
