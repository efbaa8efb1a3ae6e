"""`metasearch strategy add|edit|remove`: the steps of a search strategy."""

from __future__ import annotations

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.search_options import query_text
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.strategy_options import found, strategy_option, syntax_option

#: The name of the strategy that a first step makes.
FIRST = "main"


@click.command("add", cls=ExampleCommand, short_help="Add a step.")
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


@click.command("edit", cls=ExampleCommand, short_help="Change a step.")
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


@click.command("remove", cls=ExampleCommand, short_help="Remove a step that no other names.")
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
