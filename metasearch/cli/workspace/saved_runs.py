"""`metasearch saved run|news`: runs a saved search now, and shows what it has told."""

from __future__ import annotations

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.saved_options import complete_saved, demo_option, found, of_owner

#: As `metasearch.workspace.saved.told.KINDS`, which help need not load.
KINDS = ("new", "version", "retracted", "late")


@click.command("run", cls=ExampleCommand, short_help="Run saved searches now.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_saved)
@click.option(
    "--no-cache",
    "cache",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Ask the sources even for what is in the cache.",
)
@demo_option
@of_owner
def run(call: Call, /, *, user: str | None, names: tuple[str, ...], cache: bool, demo: bool) -> int:
    """Run the saved searches NAMES now, and show what is new. The first run is the baseline, and
    tells nothing.

    Exit code 3: some sources failed; 4: in a run no source answered, and nothing of it was seen.
    """
    from metasearch.cli.workspace.saved_running import run_and_show

    with call.open() as db:
        chosen = list({one.id: one for one in (found(db, user, name) for name in names)}.values())
    return run_and_show(call, chosen, cache=cache, demo=demo)


@click.command("news", cls=ExampleCommand, short_help="Show what a saved search has told.")
@click.argument("name", shell_complete=complete_saved)
@click.option(
    "-n",
    "--limit",
    "most",
    type=click.IntRange(1, 2_000),
    default=50,
    show_default=True,
    metavar="N",
    help="The N newest ones.",
)
@click.option("--run", "number", type=int, metavar="N", help="Only those of the run N.")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only such ones.")
@of_owner
def news(
    call: Call,
    /,
    *,
    user: str | None,
    name: str,
    most: int,
    number: int | None,
    kinds: tuple[str, ...],
) -> int:
    """Show what the saved search NAME has told, the last run first: new works, versions (the
    article of a known preprint), retracted (or corrected) works, and late ones (older works of a
    source that had not answered in the run before).
    """
    from metasearch.cli.workspace.saved_running import news_lines
    from metasearch.workspace.saved import objects, told

    with call.open() as db:
        listed = told.of(db, found(db, user, name), most=most, run=number, kinds=kinds)
    call.answer([objects.news(each) for each in listed], news_lines(listed))
    if not listed:
        call.tell("there is no news")
    return Exit.OK
