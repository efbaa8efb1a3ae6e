"""`metasearch project export|import|demo`: a project as one file, and examples of projects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project, in_workspace

if TYPE_CHECKING:
    from metasearch.workspace.projects import Project


@click.command(
    "export",
    cls=ExampleCommand,
    short_help="Write the project to one archive.",
    examples=(("metasearch project export review.zip", "everything of the project in one file"),),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace FILE where it exists.")
@in_project
def export(call: Call, /, *, file: Path, replace: bool) -> int:
    """Write everything of the project to FILE: strategies, runs, records, works, decisions,
    reports, the log, and recorded pages. Exit code 3: recorded pages of a run are missing.
    """
    from metasearch.workspace.archive.writing import export_to

    with call.open() as db:
        project = call.project(db)
        made = export_to(db, project, file, replace=replace)
    call.answer(
        {
            "file": str(file),
            "project": project.name,
            "bytes": made.bytes,
            "rows": dict(made.rows),
            "pages": made.pages,
            "lacking": list(made.lacking),
        },
        (),
    )
    call.tell(f"{project.name} is in {file}, {counted(made.bytes, 'byte')}")
    if made.lacking:
        runs = ", ".join(map(str, made.lacking))
        call.tell(f"the recorded pages of these runs are not where they were: {runs}", "yellow")
    return Exit.PARTIAL if made.lacking else Exit.OK


@click.command("import", cls=ExampleCommand, short_help="Read a project from an archive.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", metavar="NAME", help="Its name here; without it that in the archive.")
@in_workspace
def import_(call: Call, /, *, file: Path, name: str | None) -> int:
    """Make a project of an archive that `project export` has written, and use it from now on. The
    whole of it is imported, or nothing.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.archive.reading import import_project

    with call.open(make=True) as db:
        made = import_project(db, file, name=name)
    call.use(made.project)
    call.answer(
        objects.project(made.project)
        | {"rows": dict(made.rows), "pages": made.pages, "new_uids": made.new_uids},
        (),
    )
    renamed = f", which was called {made.name}" if made.name != made.project.name else ""
    call.tell(f"project {made.project.name}{renamed} is imported; the next commands are about it")
    return Exit.OK


@click.command(
    "demo",
    cls=ExampleCommand,
    short_help="Make an example: a whole review, or a novelty search.",
    examples=(
        ("metasearch project demo review", "a systematic review with an update search"),
        ("metasearch project demo novelty", "a novelty search (查新) in Chinese"),
    ),
)
@click.argument("example", type=click.Choice(("review", "novelty")), default="review")
@click.option("--name", metavar="NAME", help="Its name; without it that of the example.")
@in_workspace
def demo(call: Call, /, *, example: str, name: str | None) -> int:
    """Make a project with its strategy, runs, works, decisions and reports, from the simulated
    databases of the demo, and use it from now on. Nothing is sent.
    """
    import asyncio

    from metasearch.workspace import objects, overview

    with call.open(make=True):
        pass  # the file is there, or what is wrong with it is told
    made = asyncio.run(_example(call.file, example, name))
    call.use(made)
    with call.open() as db:
        numbers = overview.of(db, made)
    call.answer(objects.project(made, numbers), ())
    call.tell(
        f"project {made.name} is made, with {counted(numbers.works, 'work')} of "
        f"{counted(numbers.runs, 'run')}; the next commands are about it"
    )
    return Exit.OK


async def _example(file: Path, example: str, name: str | None) -> Project:
    from metasearch.workspace.examples import novelty, review
    from metasearch.workspace.workspace import Workspace

    install = review.install if example == "review" else novelty.install
    async with Workspace(file) as workspace:
        return await (install(workspace) if name is None else install(workspace, name=name))
