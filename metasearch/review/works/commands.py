"""`metasearch works mark|tag|note|pin|unpin|pins`: what people decide about works."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.works_filters import chosen_works, uids_of
from metasearch.cli.workspace.works_screening import uid_of
from metasearch.errors import UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.workspace.works.assigning import Assigned
    from metasearch.workspace.works.decisions import Changed
    from metasearch.workspace.works.works import Stage, Verdict

#: As `metasearch.workspace.works.works.VERDICTS`, and what takes a decision back.
_UNDECIDED = "undecided"
VERDICTS = ("relevant", "close", "excluded", "unavailable", _UNDECIDED)


@click.command(
    "mark",
    cls=ExampleCommand,
    short_help="Decide about works.",
    examples=(
        ("metasearch works mark relevant k3v9x2m7q4td 10.1000/abc", "two works, by id and DOI"),
        (
            "metasearch works mark excluded --all-matching --text rats --reason population",
            "all that this list shows",
        ),
        (
            "metasearch works mark unavailable pmid:1 --stage fulltext",
            "its whole text could not be had",
        ),
        ("metasearch works mark undecided k3v9x2m7q4td", "take a decision back"),
        ("metasearch works mark relevant k3v9x2m7q4td --by ann", "a vote of the screener ann"),
    ),
)
@click.argument("decision", metavar="VERDICT", type=click.Choice(VERDICTS))
@chosen_works
@click.option("--reason", default="", metavar="TEXT", help="Why; reports count reasons.")
@click.option(
    "--by",
    metavar="NAME",
    help="Decide for this user: a vote, where they screen the stage in a team.",
)
@in_project
def mark(
    call: Call,
    /,
    *,
    decision: str,
    ids: tuple[str, ...],
    stage: Stage,
    reason: str,
    by: str | None,
    **options: Any,
) -> int:
    """Decide that works are relevant, close (closely related), excluded, or unavailable; undecided
    takes it back. --stage is that of the decision, and of --verdict. `project undo` undoes it. Exit
    code 1: no work was chosen.

    IDs are any names of works: ids, DOIs, "pmid:1", "source:id"; "-" reads them from standard
    input.
    """
    from metasearch.workspace.works import decisions

    with call.open() as db:
        project = call.project(db)
        with db.transaction():
            uids = uids_of(db, project, ids, options | {"stage": stage})
            decided = None if decision == _UNDECIDED else cast("Verdict", decision)
            made = decisions.mark(
                db, project, uids, decided, stage=stage, reason=reason, by=uid_of(db, by)
            )
    return _changed(call, made, f"marked as {decision}")


@click.command(
    "tag",
    cls=ExampleCommand,
    short_help="Give works tags, or take tags from them.",
    examples=(("metasearch works tag k3v9x2m7q4td --add to-read --remove later", "one work"),),
)
@chosen_works
@click.option("--add", multiple=True, metavar="TEXT", help="Add this tag. May be repeated.")
@click.option("--remove", multiple=True, metavar="TEXT", help="Remove it. May be repeated.")
@in_project
def tag(
    call: Call,
    /,
    *,
    ids: tuple[str, ...],
    add: tuple[str, ...],
    remove: tuple[str, ...],
    **options: Any,
) -> int:
    """Give works tags, and take tags from them. Exit code 1: no work was chosen."""
    from metasearch.workspace.works import decisions

    if not add and not remove:
        raise UsageError(
            message("no tag is named"), advice=message("Name one with --add or --remove.")
        )
    with call.open() as db:
        project = call.project(db)
        with db.transaction():
            uids = uids_of(db, project, ids, options)
            made = decisions.tag(db, project, uids, add=add, remove=remove)
    return _changed(call, made, "tagged")


@click.command("note", cls=ExampleCommand, short_help="Write a note on a work.")
@click.argument("name", metavar="ID")
@click.argument("text")
@in_project
def note(call: Call, /, *, name: str, text: str) -> int:
    """Write a note on a work, in place of the one before; an empty TEXT removes it."""
    from metasearch.workspace.works import decisions

    with call.open() as db:
        made = decisions.set_note(db, call.project(db), name, text)
    return _changed(call, made, "noted")


def _changed(call: Call, made: Changed, what: str) -> Exit:
    call.answer(asdict(made), ())
    undo = f"; `metasearch project undo {made.change}` undoes it" if made.change else ""
    same = f", {made.unchanged:,} were so already" if made.unchanged else ""
    call.tell(f"{counted(made.works, 'work')} {what}{same}{undo}")
    return Exit.OK if made.works or made.unchanged else Exit.NO_HITS


# --------------------------------------------------------------------------- pins


@click.command(
    "pin",
    cls=ExampleCommand,
    short_help="Say that two works are the same, or different.",
    examples=(
        ("metasearch works pin same k3v9x2m7q4td 10.1000/abc", "two works that are one"),
        (
            "metasearch works pin different pubmed:1 crossref:10.1000/abc",
            "two records that are not the same work",
        ),
    ),
)
@click.argument("verdict", type=click.Choice(("same", "different")))
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@click.option("--note", default="", metavar="TEXT", help="Why.")
@in_project
def pin(
    call: Call,
    /,
    *,
    verdict: Literal["same", "different"],
    first: str,
    second: str,
    note: str,
) -> int:
    """Say of two works, or two records, that they are the same work, or different ones. It comes
    before every rule, now and in later runs.
    """
    from metasearch.workspace.works import pins

    with call.open() as db:
        made = pins.pin(db, call.project(db), verdict, first, second, note=note)
    return _assigned(call, made)


@click.command("unpin", cls=ExampleCommand, short_help="Remove a pin.")
@click.argument("number", type=int)
@in_project
def unpin(call: Call, /, *, number: int) -> int:
    """Remove the pin with this NUMBER of the list; the works are made anew without it."""
    from metasearch.workspace.works import pins

    with call.open() as db:
        made = pins.unpin(db, call.project(db), number)
    return _assigned(call, made)


@click.command("pins", cls=ExampleCommand, short_help="List the pins of the project.")
@in_project
def pins(call: Call, /) -> int:
    """List what was said to be the same or different, the oldest first."""
    from metasearch.workspace.works import pins as kept

    with call.open() as db:
        listed = kept.of(db, call.project(db))
    call.table(
        [asdict(each) for each in listed],
        ("", "", "record", "record", "when", "note"),
        [(str(each.id), each.verdict, each.a, each.b, each.at, each.note) for each in listed],
    )
    return Exit.OK


def _assigned(call: Call, made: Assigned) -> Exit:
    value = {
        "joined": [{"kept": kept, "was": was} for kept, was in made.joined],
        "divided": [{"work": work, "part": part} for work, part in made.divided],
        "new": made.new,
        "conflicts": list(made.conflicts),
    }
    call.answer(value, ())
    for kept, was in made.joined:
        call.tell(f"{was} is a part of {kept} now")
    for work, part in made.divided:
        call.tell(f"{part} is divided from {work}")
    for uid in made.conflicts:
        call.tell(f"decisions about {uid} contradict one another; look at it", "yellow")
    if not made.joined and not made.divided:
        call.tell("the works stay as they are")
    return Exit.OK
