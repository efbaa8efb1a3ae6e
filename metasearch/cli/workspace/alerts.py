"""`metasearch alerts run`: runs the saved searches that are due, for cron."""

from __future__ import annotations

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_workspace
from metasearch.cli.workspace.saved_options import demo_option

#: Saved searches that one command runs, without --all-due.
MOST = 100


@click.group(
    cls=CommandGroup,
    short_help="Run the saved searches that are due.",
    examples=(
        ("metasearch alerts run", "run what is due, and send e-mails where they are configured"),
        ("metasearch alerts run --all-due --json", "all of it, however much, with a report"),
    ),
)
def alerts() -> None:
    """Run the saved searches that are due, on a machine without a server: from cron."""


@alerts.command("run", short_help="Run the saved searches that are due.")
@click.option(
    "--all-due", is_flag=True, help=f"Run all; without it the {MOST} that are due for longest."
)
@demo_option
@in_workspace
def run(call: Call, /, *, all_due: bool, demo: bool) -> int:
    """Run the saved searches of all users that are due, those that were missed once, and send the
    e-mails where they are configured. Several of these commands and servers may run at once: each
    saved search is run by one of them.

    Exit code 3: a source failed, or in some runs no source answered; 4: in no run one did.
    """
    from metasearch.cli.workspace.saved_running import run_due_and_show

    call.exists()
    return run_due_and_show(call, most=None if all_due else MOST, demo=demo)
