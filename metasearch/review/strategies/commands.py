"""`metasearch strategy`: search strategies, whose numbered steps name one another."""

from __future__ import annotations

from typing import Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.common_options import complete_source
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project, numbers
from metasearch.cli.workspace.strategy_files import import_
from metasearch.cli.workspace.strategy_known import known, validate
from metasearch.cli.workspace.strategy_options import found, names_of, strategy_option
from metasearch.cli.workspace.strategy_replay import replay
from metasearch.cli.workspace.strategy_run import counts, run, stop
from metasearch.cli.workspace.strategy_search_file import search_file
from metasearch.cli.workspace.strategy_show import show
from metasearch.cli.workspace.strategy_steps import add, edit, remove
from metasearch.cli.workspace.strategy_texts import paste, write
from metasearch.engine.options import OPTIONS


@click.group(
    cls=CommandGroup,
    short_help="Write search strategies, count their hits, run them.",
    examples=(
        ("metasearch strategy add 'title:gambling OR title:betting'", "the first step, #1"),
        ("metasearch strategy add 'harm* OR debt'", "the second, #2"),
        ("metasearch strategy add '#1 AND #2'", "both; a source is asked for all in one query"),
        ("metasearch strategy counts", "how many hits each source has for each step"),
        ("metasearch strategy show", "the steps with their numbers"),
        ("metasearch strategy run", "fetch the records of the last step, and merge them"),
    ),
)
def strategy() -> None:
    """Write search strategies step by step, count their hits, and run them."""


def _settings(command: Any) -> Any:
    """Add what a strategy says beside its steps."""
    for decorate in (
        click.option("--note", metavar="TEXT", help="A note, for people."),
        click.option("--year", "years", metavar="YEARS", help=OPTIONS["years"].help),
        click.option(
            "-s",
            "--sources",
            multiple=True,
            metavar="NAME,...",
            shell_complete=complete_source,
            help="The sources and groups that it asks; without them the default ones.",
        ),
    ):
        command = decorate(command)
    return command


@strategy.command("new", short_help="Make another strategy.")
@click.argument("name")
@_settings
@in_project
def new(
    call: Call,
    /,
    *,
    name: str,
    sources: tuple[str, ...],
    years: str | None,
    note: str | None,
) -> int:
    """Make the search strategy NAME, without steps. A first `strategy add` makes one by itself."""
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import strategies

    with call.open() as db:
        made = strategies.create(
            db,
            call.project(db),
            name,
            sources=names_of(sources) or (),
            years=years or "",
            note=note or "",
        )
    call.answer(objects.strategy(made), ())
    call.tell(f"strategy {made.name} is made")
    return Exit.OK


@strategy.command("list", short_help="List the strategies of the project.")
@in_project
def list_(call: Call, /) -> int:
    """List the search strategies of the project, the oldest first."""
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import steps, strategies

    with call.open() as db:
        listed = [(each, len(steps.of(db, each))) for each in strategies.of(db, call.project(db))]
    call.table(
        [objects.strategy(each) | {"steps": number} for each, number in listed],
        ("name", "steps", "sources", "years", "note"),
        [
            (
                each.name,
                str(number),
                ",".join(each.sources) or "default",
                each.years,
                each.note,
            )
            for each, number in listed
        ],
    )
    if not listed:
        call.tell("there are no strategies; `metasearch strategy add TEXT` makes the first step")
    return Exit.OK


@strategy.command("set", short_help="Change the sources, years, note or name of a strategy.")
@click.option("--rename", metavar="NAME", help="Its new name.")
@click.option("--default-sources", is_flag=True, help="Ask the default sources again.")
@_settings
@strategy_option
@in_project
def set_(
    call: Call,
    /,
    *,
    name: str | None,
    rename: str | None,
    sources: tuple[str, ...],
    default_sources: bool,
    years: str | None,
    note: str | None,
) -> int:
    """Change what is given; `--year ""` and `--note ""` empty it."""
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import strategies

    with call.open() as db:
        _, old = found(call, db, name)
        made = strategies.update(
            db,
            old,
            name=rename,
            sources=() if default_sources else names_of(sources),
            years=years,
            note=note,
        )
    call.answer(objects.strategy(made), ())
    call.tell(
        f"strategy {made.name}: sources {','.join(made.sources) or 'default'}"
        + (f", years {made.years}" if made.years else "")
    )
    return Exit.OK


@strategy.command("copy", short_help="Copy a strategy under another name.")
@click.argument("new_name", metavar="NEW-NAME")
@click.option(
    "--order",
    callback=numbers,
    metavar="3,1,2",
    help="Number the steps of the copy anew, in this order; what names them is rewritten.",
)
@strategy_option
@in_project
def copy(call: Call, /, *, new_name: str, order: tuple[int, ...] | None, name: str | None) -> int:
    """Copy a strategy with its steps; the copy says what it is derived from. Imported files stay
    with the original.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import copying

    with call.open() as db:
        _, old = found(call, db, name)
        if order is None:
            made = copying.copied(db, old, new_name)
        else:
            made = copying.reorder(db, old, order, new_name)
    call.answer(objects.strategy(made), ())
    call.tell(f"strategy {made.name} is a copy of {old.name}")
    return Exit.OK


for _command in (
    *(add, edit, remove, show, counts, run, stop, replay),
    *(import_, paste, write, search_file, known, validate),
):
    strategy.add_command(_command)
