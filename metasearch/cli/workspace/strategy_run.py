"""`metasearch strategy run|counts`: asks the sources, and shows what they answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import complete_source
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project, numbers
from metasearch.cli.workspace.strategy_options import found, names_of, strategy_option


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
    **how: Any,
) -> int:
    """Fetch the records of steps from their sources, keep them in the project, and merge them with
    the works that are there.

    What a source has answered is saved at once: Ctrl-C, a failure of another source and a crash
    lose nothing of it. Exit code 3: some sources failed.
    """
    from metasearch.cli.workspace.running import Wanted, run_and_show

    with call.open() as db:
        project, chosen = found(call, db, name)
    folder = None
    if record is not None:
        folder = Path(record) if record else recordings(call.file, project.uid)
    wanted = Wanted("records", steps, names_of(sources), folder, **how)
    return run_and_show(call, project, chosen, wanted)


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
