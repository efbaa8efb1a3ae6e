"""`metasearch index FOLDER`: files of records as a source like any other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.console import Console, counted
from metasearch.cli.exits import Exit
from metasearch.cli.group import ExampleCommand, common
from metasearch.errors import UsageError

if TYPE_CHECKING:
    from metasearch.collections.indexing import FileReport, Indexed

#: Problems of a file that are shown.
PROBLEMS_SHOWN = 5


@click.command(
    cls=ExampleCommand,
    short_help="Make files of records a source.",
    examples=(
        ("metasearch index ~/refs", "all that is in and below a folder, as the source `refs`"),
        ("metasearch index --name mine a.bib export.ris", "these files, as the source `mine`"),
        ("metasearch index --name mine", "again, after some of them have changed"),
    ),
)
@click.argument("files", nargs=-1, metavar="[FOLDER|FILE]...", type=click.Path(path_type=Path))
@click.option(
    "--name",
    metavar="NAME",
    help="The shelf, and so the source; the name of the folder if you do not say.",
)
@common
@click.pass_obj
def index(
    console: Console, /, *, files: tuple[Path, ...], name: str | None, config: Path | None
) -> int:
    """Put the records of FOLDERs and FILEs on a shelf, which every search asks from then on.

    Any mix of the formats that `metasearch dedup` reads. Run it again when something has changed:
    only new and changed files are read, and the records of files that are gone go, too. Without
    FILEs all that was named before is looked through. The shelf comes into being with its first
    record: where nothing could be read there is none. Exit code 3: a file or a record could not be
    read; 4: no file could be read.
    """
    from metasearch.cli.live import LiveLine
    from metasearch.cli.shelves import folder_of, new_name
    from metasearch.collections.indexing import index as index_files
    from metasearch.collections.store import Shelf
    from metasearch.settings import Settings

    settings = Settings.load(config, os.environ)
    if not files and name is None:
        raise UsageError(
            "there is nothing to index", advice="Name a folder, files, or a shelf with --name."
        )
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise UsageError(
            f"there is no such file: {', '.join(missing)}",
            advice="Nothing was read. Look at the path.",
        )
    shelf_name = new_name(name, files[0].resolve().stem if files else "", settings)
    live = LiveLine(console)
    with Shelf.open(folder_of(settings), shelf_name, "files") as shelf:
        try:
            done = index_files(files, shelf, lambda number, of: live("reading files", number, of))
        finally:
            live.clear()
        count = shelf.count if shelf.exists else None
    _tell(done, shelf_name, count, console)
    if done.read and done.failed == len(done.read) and not count:
        return Exit.NO_ANSWER
    return Exit.PARTIAL if done.failed or done.lost else Exit.OK


def _tell(done: Indexed, name: str, count: int | None, console: Console) -> None:
    from metasearch.cli.shelves import shelf_in_words
    from metasearch.formats.text import line

    for file in done.read:
        if file.error is not None:
            console.error(file.error)
    if console.quiet:
        return
    for note in done.notes:
        console.say(note, "yellow")
    for file in done.read:
        _tell_problems(file, console)
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
    console.say(shelf_in_words(line(name), count))


def _tell_problems(file: FileReport, console: Console) -> None:
    from metasearch.formats.text import line

    problems = sorted(file.problems, key=lambda it: (not it.lost, it.line))
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
            f"in all",
            "yellow",
        )
