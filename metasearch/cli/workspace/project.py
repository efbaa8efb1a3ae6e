"""`metasearch project`: makes projects, lists and shows them, and chooses the one to work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import complete_project, in_project, in_workspace
from metasearch.cli.workspace.project_archive import export, import_
from metasearch.cli.workspace.project_demo import demo
from metasearch.cli.workspace.project_details import answer, other, questions, undo

if TYPE_CHECKING:
    from metasearch.workspace.projects import Kind

#: As `metasearch.workspace.projects.KINDS`, which help need not load.
KINDS = ("review", "novelty", "plain")
#: Lines of a log that are shown.
_LINES = 50


@click.group(
    cls=CommandGroup,
    short_help="Make, list and choose projects.",
    examples=(
        (
            'metasearch project new gambling --kind review --title "Gambling harms"',
            "make a project; the next commands are about it",
        ),
        ("metasearch project list", "all projects"),
        ("metasearch project use gambling", "go back to one"),
        ("metasearch project log", "who changed what"),
    ),
)
def project() -> None:
    """Make, list and choose projects: a systematic review, a novelty search, or neither."""


@project.command("new", short_help="Make a project.")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="plain",
    show_default=True,
    help="What it is: a systematic review, a novelty search (查新), or neither.",
)
@click.option("--title", default="", metavar="TEXT", help="For people; without it the name.")
@in_workspace
def new(call: Call, /, *, name: str, kind: Kind, title: str) -> int:
    """Make the project NAME, and use it from now on."""
    from metasearch.workspace import objects, projects

    with call.open(make=True) as db:
        made = projects.create(db, name, kind, title)
    call.use(made)
    call.answer(objects.project(made), ())
    call.tell(f"project {made.name} is made; the next commands are about it")
    return Exit.OK


@project.command("list", short_help="List all projects.")
@in_workspace
def list_(call: Call, /) -> int:
    """List all projects, the newest first, with their strategies, runs and works."""
    from metasearch.cli.workspace.remembered import remembered
    from metasearch.workspace import objects, overview, projects

    if not call.file.exists():
        call.answer([], ())
        call.tell("there are no projects; `metasearch project new NAME` makes one")
        return Exit.OK
    with call.open() as db:
        found = [(each, overview.of(db, each)) for each in projects.every(db)]
    last = remembered(call.file)
    call.table(
        [objects.project(each, numbers) for each, numbers in found],
        ("", "name", "kind", "works", "undecided", "runs", "last run", "title"),
        [
            (
                "*" if each.uid == last else "",
                each.name,
                f"{each.kind}, archived" if each.archived else each.kind,
                f"{numbers.works:,}",
                f"{numbers.undecided:,}",
                f"{numbers.runs:,}",
                (numbers.last_run or "")[:10],
                each.title,
            )
            for each, numbers in found
        ],
    )
    if not found:
        call.tell("there are no projects; `metasearch project new NAME` makes one")
    return Exit.OK


@project.command("show", short_help="Show one project.")
@click.argument("name", required=False, shell_complete=complete_project)
@in_project
def show(call: Call, /, *, name: str | None) -> int:
    """Show a project: what it holds, and what its reports are told (`project questions`)."""
    from metasearch.workspace import objects, overview, projects

    with call.open() as db:
        found = projects.find(db, name) if name else call.project(db)
        numbers = overview.of(db, found)
    call.answer(
        objects.project(found, numbers) | {"details": dict(found.details)},
        (
            f"name        {found.name}{', archived' if found.archived else ''}",
            f"title       {found.title}",
            f"kind        {found.kind}",
            f"uid         {found.uid}",
            f"made        {found.created}",
            f"strategies  {numbers.strategies:,} with {counted(numbers.steps, 'step')}",
            f"runs        {numbers.runs:,}" + (f", {numbers.last_run}" if numbers.last_run else ""),
            f"records     {numbers.records:,}",
            f"works       {numbers.works:,}, {numbers.undecided:,} undecided",
            f"reports     {numbers.reports:,} frozen",
        ),
    )
    return Exit.OK


@project.command("use", short_help="Choose the project of the next commands.")
@click.argument("name", shell_complete=complete_project)
@in_workspace
def use(call: Call, /, *, name: str) -> int:
    """Have the next commands be about the project NAME."""
    from metasearch.workspace import objects, projects

    with call.open() as db:
        found = projects.find(db, name)
    call.use(found)
    call.answer(objects.project(found), ())
    call.tell(f"the next commands are about {found.name}")
    return Exit.OK


@project.command("edit", short_help="Change the title of a project.")
@click.option("--title", required=True, metavar="TEXT", help="The new title.")
@in_project
def edit(call: Call, /, *, title: str) -> int:
    """Change the title. Name, kind and uid of a project stay."""
    from metasearch.workspace import objects, projects

    with call.open() as db:
        found = projects.update(db, call.project(db), title=title)
    call.answer(objects.project(found), ())
    call.tell(f"the title is now: {found.title}")
    return Exit.OK


@project.command("archive", short_help="Put a project away.")
@click.option("--restore", is_flag=True, help="Take it out again.")
@in_project
def archive(call: Call, /, *, restore: bool) -> int:
    """Put a project away: it is listed last, and nothing of it is lost."""
    from metasearch.workspace import objects, projects

    with call.open() as db:
        found = projects.update(db, call.project(db), archived=not restore)
    call.answer(objects.project(found), ())
    call.tell(f"{found.name} is {'put away' if found.archived else 'taken out again'}")
    return Exit.OK


@project.command("delete", short_help="Delete a project with all that belongs to it.")
@click.argument("name", shell_complete=complete_project)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@in_workspace
def delete(call: Call, /, *, name: str, yes: bool) -> int:
    """Delete the project NAME: strategies, runs, works, decisions, reports and log. Nothing brings
    it back but an archive (`project export`) or a backup of the workspace.
    """
    from metasearch.workspace import objects, overview, projects

    with call.open() as db:
        found = projects.find(db, name)
        numbers = overview.of(db, found)
        holds = f"{counted(numbers.works, 'work')} and {counted(numbers.runs, 'run')}"
        call.confirmed(f"Delete the project {found.name} with {holds}?", yes=yes)
        projects.delete(db, found)
    call.gone(found)
    call.answer(objects.project(found, numbers), ())
    call.tell(f"the project {found.name} is deleted")
    return Exit.OK


@project.command("log", short_help="Show who changed what.")
@click.option(
    "-n",
    "--limit",
    "most",
    type=click.IntRange(1, 10_000),
    default=_LINES,
    show_default=True,
    metavar="N",
    help="The N newest changes.",
)
@click.option("--before", type=int, metavar="N", help="Those before the change N.")
@in_project
def log(call: Call, /, *, most: int, before: int | None) -> int:
    """Show the changes of a project, the newest first. `project undo N` undoes one."""
    from metasearch.workspace import log as changes
    from metasearch.workspace import objects

    with call.open() as db:
        lines = changes.lines(db, call.project(db).id, most=most, before=before)
    call.table(
        [objects.change(each) for each in lines],
        ("change", "when", "who", "what", "of", ""),
        [
            (
                str(each.id),
                each.at,
                each.by,
                each.action,
                each.object,
                f"undoes {each.undoes}" if each.undoes else "",
            )
            for each in lines
        ],
    )
    return Exit.OK


for _command in (undo, questions, answer, other, export, import_, demo):
    project.add_command(_command)
