"""`metasearch project demo`: installs the worked examples."""

from __future__ import annotations

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_workspace

#: As `metasearch.workspace.examples.EXAMPLES`, which help need not load: kind -> name.
EXAMPLES = {"review": "gambling-harms", "novelty": "shallow-lake"}


@click.command(
    "demo",
    cls=ExampleCommand,
    short_help="Make the worked examples.",
    examples=(
        ("metasearch project demo", "both: a systematic review, and a novelty search (查新)"),
        ("metasearch project demo novelty", "the novelty search alone"),
        ("metasearch project demo review --name trial", "the review, under another name"),
    ),
)
@click.argument("kind", type=click.Choice(tuple(EXAMPLES)), required=False)
@click.option("--name", metavar="NAME", help="Name of the project; needs KIND.")
@in_workspace
def demo(call: Call, /, *, kind: str | None, name: str | None) -> int:
    """Make projects that are searched, screened and reported, to try everything on: a systematic
    review on gambling harms with an update search, and a novelty search on shallow lakes. They
    come from the simulated databases of --demo; nothing is sent. The last one is used from now on.
    """
    import asyncio

    from metasearch.errors import UsageError
    from metasearch.message import message
    from metasearch.workspace import examples, objects, overview, projects
    from metasearch.workspace.projects import Project
    from metasearch.workspace.workspace import Workspace

    if name is not None and kind is None:
        raise UsageError(
            message("which example is to be called {name}?", name=repr(name)),
            advice=message("Name one: {kinds}.", kinds=" or ".join(EXAMPLES)),
        )
    wanted = {name or EXAMPLES[kind]: EXAMPLES[kind]} if kind else {n: n for n in EXAMPLES.values()}

    async def installed() -> list[Project]:
        async with Workspace(call.file) as workspace:
            there = {project.name for project in await workspace.read(projects.every)}
            # Of both, those that are there already stay; one that was asked for is refused.
            lacking = [project for project in wanted if kind or project not in there] or list(
                wanted
            )
            return [
                await examples.EXAMPLES[wanted[project]](workspace, name=project)
                for project in lacking
            ]

    made = asyncio.run(installed())
    call.use(made[-1])
    with call.open() as db:
        found = [(project, overview.of(db, project)) for project in made]
    call.answer([objects.project(project, numbers) for project, numbers in found], ())
    for project, numbers in found:
        call.tell(
            f"project {project.name} is made: {counted(numbers.works, 'work')}, "
            f"{counted(numbers.runs, 'run')}; its decisions are made up"
        )
    call.tell(f"the next commands are about {made[-1].name}")
    return Exit.OK
