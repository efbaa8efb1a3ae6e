"""`metasearch strategy run|counts`: asks the sources, and shows what they answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import complete_source
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project, numbers
from metasearch.cli.workspace.strategy_options import found, names_of, strategy_option
from metasearch.errors import UsageError
from metasearch.message import message


def _asking(command: Any) -> Any:
    """Add the options of both."""
    for decorate in (
        click.option(
            "--demo",
            is_flag=True,
            help="Ask simulated databases on this machine; nothing is sent.",
        ),
        click.option(
            "--no-cache",
            "cache",
            is_flag=True,
            flag_value=False,
            default=True,
            help="Ask the sources even for what is in the cache.",
        ),
        click.option(
            "--timeout",
            type=float,
            metavar="SECONDS",
            help="At most so long for each step at each source.",
        ),
        click.option(
            "-s",
            "--sources",
            multiple=True,
            metavar="NAME,...",
            shell_complete=complete_source,
            help="Ask these sources and groups; without them those of the strategy, else the "
            "default ones.",
        ),
        strategy_option,
    ):
        command = decorate(command)
    return command


@click.command(
    "run", cls=ExampleCommand, short_help="Fetch the records of steps, and add their works."
)
@click.option(
    "--steps",
    callback=numbers,
    metavar="1,3-5",
    help="These steps; without them the last one that no other names.",
)
@click.option(
    "--per-source",
    type=int,
    metavar="N",
    help="At most N records of each source and step; 500 without it.",
)
@click.option(
    "--record",
    is_flag=False,
    flag_value="",
    metavar="[DIR]",
    help="Keep every page, without keys, beside the workspace or in DIR, so that the run can be "
    "replayed.",
)
@click.option(
    "--resume",
    "resumed",
    type=int,
    metavar="RUN",
    help="Go on with this run, which was interrupted, with its own steps, sources and options; "
    "counts as well.",
)
@_asking
@in_project
def run(
    call: Call,
    /,
    *,
    name: str | None,
    sources: tuple[str, ...],
    steps: tuple[int, ...] | None,
    record: str | None,
    resumed: int | None,
    **how: Any,
) -> int:
    """Fetch the records of steps from their sources, keep them in the project, and merge them with
    the works that are there.

    What a source has answered is saved at once: Ctrl-C, a failure of another source and a crash
    lose nothing of it. Exit code 3: some sources failed.
    """
    from metasearch.cli.workspace.running import Wanted, run_and_show

    if resumed is not None:
        return _resumed(call, resumed, demo=how["demo"])
    with call.open() as db:
        project, chosen = found(call, db, name)
    folder = None
    if record is not None:
        folder = Path(record) if record else recordings(call.file, project.uid)
    wanted = Wanted("records", steps, names_of(sources), folder, **how)
    return run_and_show(call, project, chosen, wanted)


def _resumed(call: Call, number: int, *, demo: bool) -> int:
    from metasearch.cli.workspace.running import Wanted, run_and_show
    from metasearch.workspace.runs import runs
    from metasearch.workspace.strategies import strategies

    context = click.get_current_context()
    refused = ("name", "sources", "steps", "per_source", "record", "timeout", "cache")
    if any(
        context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        for name in refused
    ):
        raise UsageError(
            message("A run that is resumed has its own steps, sources and options"),
            advice=message("Name nothing beside --resume but the project and --demo."),
        )
    with call.open() as db:
        project = call.project(db)
        strategy = strategies.by_id(db, project.id, runs.find(db, project, number).strategy)
    wanted = Wanted("records", None, None, None, None, None, True, demo, resumed=number)
    return run_and_show(call, project, strategy, wanted)


@click.command(
    "stop", cls=ExampleCommand, short_help="Stop a run, or end one that was interrupted."
)
@click.argument("number", type=int, metavar="[RUN]", required=False)
@in_project
def stop(call: Call, /, *, number: int | None) -> int:
    """Stop RUN, in whichever process it is under way, or end it where it was interrupted; without
    RUN the one that is under way, or the last one. What was answered is kept.

    A run of another process ends within a few seconds.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.runs import runs

    with call.open() as db:
        project = call.project(db)
        if number is None:
            every = [run for run in runs.of(db, project) if run.mode != "import"]
            under_way = [run.number for run in every if run.status == "running"]
            number = under_way[-1] if under_way else every[-1].number if every else 0
        stopped = runs.stop(db, project, number)
    call.answer(
        objects.run(stopped),
        [
            f"run {number} is being stopped; what was answered is kept"
            if stopped.status == "running"
            else f"run {number} is {stopped.status}; what was answered is kept"
        ],
    )
    return Exit.OK


@click.command(
    "counts", cls=ExampleCommand, short_help="Ask how many hits each source has for each step."
)
@click.option(
    "--steps",
    callback=numbers,
    metavar="1,3-5",
    help="These steps; without them all that can be searched for.",
)
@_asking
@in_project
def counts(
    call: Call,
    /,
    *,
    name: str | None,
    sources: tuple[str, ...],
    steps: tuple[int, ...] | None,
    **how: Any,
) -> int:
    """Ask each source for the number of its hits for each step: one request each, and no records.

    Exit code 3: some sources failed.
    """
    from metasearch.cli.workspace.running import Wanted, run_and_show

    with call.open() as db:
        project, chosen = found(call, db, name)
    wanted = Wanted("counts", steps, names_of(sources), None, per_source=None, **how)
    return run_and_show(call, project, chosen, wanted)


def recordings(workspace: Path, project: str) -> Path:
    """A new folder beside the workspace for the pages of a run."""
    import datetime as dt

    moment = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S")
    return workspace.parent / f"{workspace.stem}-recorded" / project / moment
