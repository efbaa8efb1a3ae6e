"""`metasearch strategy`: search strategies, whose numbered steps name one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.common_options import complete_source
from metasearch.cli.search_options import query_text
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.engine.options import OPTIONS

if TYPE_CHECKING:
    from metasearch.workspace.projects import Project
    from metasearch.workspace.store.database import Database
    from metasearch.workspace.strategies.strategies import Strategy

#: The name of the strategy that a first step makes.
FIRST = "main"


@click.group(
    cls=CommandGroup,
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


def strategy_option(command: Any) -> Any:
    """Add `--strategy`."""
    return click.option(
        "--strategy",
        "name",
        metavar="NAME",
        help="The search strategy; without it the newest one of the project.",
    )(command)


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


def syntax_option(command: Any) -> Any:
    """Add `--syntax`."""
    return click.option(
        "--syntax",
        type=click.Choice(OPTIONS["syntax"].choices),
        help="What the step is written in; auto, the default, recognises it.",
    )(command)


def names_of(sources: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names in `--sources`; None without the option."""
    named = [name.strip() for value in sources for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, named))) or None


def found(call: Call, db: Database, name: str | None) -> tuple[Project, Strategy]:
    """The project and the strategy that a command is about.

    Raises:
        UsageError: There is none.
    """
    from metasearch.workspace.strategies import strategies

    project = call.project(db)
    return project, strategies.find(db, project, name)


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
        listed = [
            (each, len(steps.of(db, each))) for each in strategies.of(db, call.project(db))
        ]
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


@strategy.command("duplicate", short_help="Copy a strategy under another name.")
@click.argument("new_name", metavar="NEW-NAME")
@strategy_option
@in_project
def duplicate(call: Call, /, *, new_name: str, name: str | None) -> int:
    """Copy a strategy with its steps; the copy says what it is derived from."""
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import copying

    with call.open() as db:
        _, old = found(call, db, name)
        made = copying.copy(db, old, new_name)
    call.answer(objects.strategy(made), ())
    call.tell(f"strategy {made.name} is a copy of {old.name}")
    return Exit.OK


# --------------------------------------------------------------------------- steps


@strategy.command("add", short_help="Add a step.")
@click.argument("text", nargs=-1, required=True)
@click.option("--note", default="", metavar="TEXT", help="A note, for people.")
@syntax_option
@strategy_option
@in_project
def add(
    call: Call, /, *, text: tuple[str, ...], note: str, syntax: str | None, name: str | None
) -> int:
    """Add a step: a query in any syntax that a search reads, or a combination of other steps, as
    '#1 AND #2', '1 and 2' or 'or/1-4'.

    Quote it, because a shell takes # for a comment; "-" reads it from standard input. The number of
    a step never changes and is never used again.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import steps, strategies

    with call.open() as db:
        project = call.project(db)
        known = strategies.of(db, project)
        chosen = (
            strategies.find(db, project, name)
            if known or name is not None
            else strategies.create(db, project, FIRST)
        )
        made = steps.add(db, chosen, query_text(text), syntax=syntax or "auto", note=note)
    call.answer(objects.step(made), ())
    call.tell(f"#{made.number} {made.text}")
    return Exit.OK


@strategy.command("edit", short_help="Change a step.")
@click.argument("number", type=int)
@click.argument("text", nargs=-1)
@click.option("--note", metavar="TEXT", help="Another note.")
@syntax_option
@strategy_option
@in_project
def edit(
    call: Call,
    /,
    *,
    number: int,
    text: tuple[str, ...],
    note: str | None,
    syntax: str | None,
    name: str | None,
) -> int:
    """Change the text, syntax or note of the step with this NUMBER. Steps that name it change with
    it; their counts are stale until they are asked for again.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.strategies import steps

    with call.open() as db:
        _, chosen = found(call, db, name)
        made = steps.edit(
            db,
            chosen,
            number,
            text=query_text(text) if text else None,
            syntax=syntax,
            note=note,
        )
        users = steps.users(steps.of(db, chosen), number)
    call.answer(objects.step(made), ())
    call.tell(f"#{made.number} {made.text}")
    if users and (text or syntax):
        call.tell(f"named by {', '.join(f'#{user}' for user in users)}, which change with it")
    return Exit.OK


@strategy.command("remove", short_help="Remove a step that no other names.")
@click.argument("number", type=int)
@strategy_option
@in_project
def remove(call: Call, /, *, number: int, name: str | None) -> int:
    """Remove the step with this NUMBER. One that others name is not removed; what was found by it
    stays in the project.
    """
    from metasearch.workspace.strategies import steps

    with call.open() as db:
        _, chosen = found(call, db, name)
        steps.remove(db, chosen, number)
        left = len(steps.of(db, chosen))
    call.answer({"removed": number, "steps": left}, ())
    call.tell(f"#{number} is removed; {counted(left, 'step')} left")
    return Exit.OK
