"""`metasearch strategy replay`: a recorded run once more, from its pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project

if TYPE_CHECKING:
    from metasearch.settings import Settings
    from metasearch.workspace.projects import Project
    from metasearch.workspace.runs.replay import Replayed
    from metasearch.workspace.runs.runs import Run

#: Records that are named of those that differ.
_SHOWN = 20


@click.command(
    "replay",
    cls=ExampleCommand,
    short_help="Repeat a recorded run from its pages.",
    examples=(
        ("metasearch project new again --kind review", "a project for what the pages hold"),
        ("metasearch strategy replay 2 --into again --project review", "run 2 of the review"),
    ),
)
@click.argument("number", type=int, metavar="RUN")
@click.option("--into", required=True, metavar="NAME", help="The project that gets the new run.")
@click.option(
    "--pages",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of its pages, where it was moved.",
)
@click.option("--demo", is_flag=True, help="The run has asked the simulated databases.")
@in_project
def replay(call: Call, /, *, number: int, into: str, pages: Path | None, demo: bool) -> int:
    """Ask the queries of RUN once more of the pages that it has kept (`strategy run --record`), as
    a run of another project; nothing is sent. Exit code 3: the records differ.
    """
    import asyncio

    from metasearch.workspace import objects, projects
    from metasearch.workspace.runs import runs
    from metasearch.workspace.strategies import strategies

    settings = call.settings
    if demo:
        from metasearch.demo import replayed

        settings = replayed(settings)
    with call.open() as db:
        run = runs.find(db, call.project(db), number)
        target = projects.find(db, into)
    made = asyncio.run(_replayed(call.file, settings, run, target, pages))
    with call.open() as db:
        name = strategies.by_id(db, made.run.project, made.run.strategy).name
    differing = {
        kind: [{"step": step, "source": source, "record": key} for step, source, key in records]
        for kind, records in (("lacking", made.lacking), ("added", made.added))
    }
    call.answer(
        {"run": objects.run(made.run, name), "same": made.same, **differing},
        (
            f"{kind}: #{one['step']} {one['record']}"
            for kind, records in differing.items()
            for one in records[:_SHOWN]
        ),
    )
    call.tell(
        f"run {made.run.number} of {target.name}: {counted(made.same, 'record')} as in run "
        f"{number}, {len(made.lacking):,} lacking, {len(made.added):,} more"
    )
    return Exit.PARTIAL if made.lacking or made.added else Exit.OK


async def _replayed(
    file: Path, settings: Settings, run: Run, target: Project, pages: Path | None
) -> Replayed:
    from metasearch.workspace.runs.replay import replay_run
    from metasearch.workspace.workspace import Workspace

    async with Workspace(file) as workspace:
        return await replay_run(workspace, settings, run, target, folder=pages)
