"""`metasearch strategy import`: what was searched by hand, as a step of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.strategy_options import strategy_option
from metasearch.cli.workspace.strategy_steps import FIRST
from metasearch.formats import READABLE

#: As `metasearch.workspace.runs.runs.PLACES`, which help need not load.
_PLACES = ("database", "register", "other")
#: Problems of a file that are shown.
_PROBLEMS = 5


@click.command(
    "import",
    cls=ExampleCommand,
    short_help="Add the file of a search by hand as a step.",
    examples=(
        (
            "metasearch strategy import cnki.txt --source CNKI --searched 2026-05-03",
            "what was found by hand in CNKI",
        ),
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--source",
    required=True,
    metavar="NAME",
    help="The database, as reports shall name it: CNKI.",
)
@click.option(
    "--searched", required=True, metavar="YYYY-MM-DD", help="The day on which it was searched."
)
@click.option("--query", default="", metavar="TEXT", help="What was searched for, as typed there.")
@click.option("--note", default="", metavar="TEXT", help="How it was searched: by whom, limits.")
@click.option(
    "--hits",
    "claimed",
    type=int,
    metavar="N",
    help="The hits that the database named; 0 with an empty file says that there were none.",
)
@click.option(
    "--place",
    type=click.Choice(_PLACES),
    default="database",
    show_default=True,
    help="What kind of place it is, for the flow diagram.",
)
@click.option(
    "--step", type=int, metavar="N", help="The import that this file is a newer version of."
)
@click.option(
    "--from",
    "format",
    type=click.Choice(tuple(READABLE)),
    metavar="FORMAT",
    help=f"The format of FILE, instead of detecting it: {', '.join(READABLE)}.",
)
@click.option("--encoding", metavar="NAME", help="Its encoding, instead of detecting it.")
@strategy_option
@in_project
def import_(call: Call, /, *, file: Path, name: str | None, **how: Any) -> int:
    """Keep the records of FILE as a step of the strategy: a database that forbids programs is
    searched by hand, and reports say so. Exit code 3: some records could not be read.
    """
    from metasearch import opening
    from metasearch.workspace import objects
    from metasearch.workspace.runs import imports
    from metasearch.workspace.strategies import strategies

    content = opening.read(file, imports.MOST_BYTES, pipes=True)
    with call.open() as db:
        project = call.project(db)
        if name is None and not strategies.of(db, project):
            strategies.create(db, project, FIRST)
        chosen = strategies.find(db, project, name)
        made = imports.import_file(db, project, chosen, content, file.name, **how)
    problems = [
        {"line": problem.line, "reason": problem.message, "lost": problem.lost}
        for problem in made.problems
    ]
    call.answer(
        {
            "step": objects.step(made.step),
            "run": objects.run(made.run, chosen.name),
            "answer": objects.answer(made.answer),
            "format": made.format,
            "encoding": made.encoding,
            "again": made.again,
            "problems": problems,
        },
        (),
    )
    for problem in made.problems[:_PROBLEMS]:
        call.tell(f"{file.name}:{problem.line or ''} {problem.message}", "yellow")
    again = "; the same file was imported before" if made.again else ""
    call.tell(
        f"#{made.step.number} {made.answer.label}: "
        f"{counted(made.answer.fetched or 0, 'record')} of {file.name}{again}"
    )
    return Exit.PARTIAL if made.answer.unread else Exit.OK
