"""`metasearch project export|import`: a project as one file."""

from __future__ import annotations

from pathlib import Path

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project, in_workspace


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
    from metasearch.workspace.removing import remove_hidden

    with call.open(make=True) as db:
        remove_hidden(db)
        made = import_project(db, file, name=name)
    call.use(made.project)
    call.answer(objects.imported_project(made), ())
    renamed = f", which was called {made.name}" if made.name != made.project.name else ""
    call.tell(f"project {made.project.name}{renamed} is imported; the next commands are about it")
    return Exit.OK
