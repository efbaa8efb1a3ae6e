"""`metasearch saved`: searches that are run again and again, and tell what is new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.search_options import query_text
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.saved_options import (
    asked_options,
    check_names,
    complete_saved,
    found,
    of_owner,
    owner_of,
)
from metasearch.cli.workspace.saved_runs import news, run
from metasearch.cli.workspace.strategy_options import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metasearch.workspace.saved.history import SavedRun
    from metasearch.workspace.saved.saved import SavedSearch

#: Runs that are shown of one saved search.
_RUNS = 10


@click.group(
    cls=CommandGroup,
    short_help="Save searches, and be told what is new.",
    examples=(
        (
            "metasearch saved add drives 'gene drive' --schedule weekly",
            "save a search, to be run each week",
        ),
        ("metasearch saved run drives", "run it now: the first run is the baseline"),
        ("metasearch saved news drives", "what it has told"),
        ("metasearch saved feed drives -o drives.atom", "the same for a feed reader"),
        ("metasearch alerts run", "run all that are due, from cron"),
    ),
)
def saved() -> None:
    """Save searches, run them again and again, and be told of works that no earlier run has found.

    A server that serves the workspace runs them by itself; without one, cron runs `metasearch
    alerts run`.
    """


@saved.command("add", short_help="Save a search.")
@click.argument("name")
@click.argument("query", nargs=-1, required=True)
@asked_options
@of_owner
def add(
    call: Call,
    /,
    *,
    user: str | None,
    name: str,
    query: tuple[str, ...],
    syntax: str | None,
    sources: tuple[str, ...],
    years: str | None,
    per_source: int | None,
    schedule: str | None,
    email: bool | None,
) -> int:
    """Save the search QUERY under NAME. The query is one that `metasearch search` reads; "-" reads
    it from standard input.
    """
    from metasearch.workspace.saved import objects
    from metasearch.workspace.saved import saved as searches
    from metasearch.workspace.saved.quotas import check_new

    named = names_of(sources)
    check_names(call, named)
    with call.open(make=True) as db:
        made = searches.create(
            db,
            name,
            query_text(query),
            owner=owner_of(db, user),
            syntax=syntax or "auto",
            sources=named or (),
            years=years or "",
            per_source=per_source,
            schedule=schedule or "",
            email=bool(email),
            check_owner=check_new(call.settings),
        )
    call.answer(objects.saved(made, _base(call)), ())
    call.tell(
        f"{made.name} is saved; its first run is the baseline, and tells nothing"
        if made.schedule
        else f"{made.name} is saved; `metasearch saved run` runs it, or --schedule has it run"
    )
    if made.email and not call.settings.mail.host:
        call.tell("no e-mails are sent: [mail] in the configuration names no host", "yellow")
    return Exit.OK


@saved.command("list", short_help="List the saved searches.")
@of_owner
def list_(call: Call, /, *, user: str | None) -> int:
    """List the saved searches by name, with their last and next runs."""
    from metasearch.workspace.saved import history, objects, told
    from metasearch.workspace.saved import saved as searches

    if not call.file.exists():
        call.answer([], ())
        call.tell("there are no saved searches; `metasearch saved add` makes one")
        return Exit.OK
    with call.open() as db:
        listed = [
            (each, history.last(db, each), told.count(db, each))
            for each in searches.of(db, owner_of(db, user))
        ]
    base = _base(call)
    call.table(
        [
            objects.saved(each, base)
            | {"news": number, "runs": [] if last is None else [objects.run(last)]}
            for each, last, number in listed
        ],
        ("name", "schedule", "last run", "", "news", "next run", "query"),
        [
            (
                each.name,
                each.schedule or "none",
                "" if last is None else last.started,
                "" if last is None else last.status,
                f"{number:,}",
                "paused" if each.paused else each.next_run or "",
                each.query,
            )
            for each, last, number in listed
        ],
    )
    if not listed:
        call.tell("there are no saved searches; `metasearch saved add` makes one")
    return Exit.OK


@saved.command("show", short_help="Show a saved search with its runs.")
@click.argument("name", shell_complete=complete_saved)
@of_owner
def show(call: Call, /, *, user: str | None, name: str) -> int:
    """Show the saved search NAME: what it asks, its last runs, and the path of its feed."""
    from metasearch.workspace.saved import history, objects, told

    with call.open() as db:
        one = found(db, user, name)
        runs = history.of(db, one, most=_RUNS)
        number = told.count(db, one)
    base = _base(call)
    value = objects.saved(one, base)
    value |= {"news": number, "runs": [objects.run(each) for each in runs]}
    call.answer(value, _lines(one, runs, number, value["feed"]["atom"]))
    return Exit.OK


@saved.command("edit", short_help="Change a saved search.")
@click.argument("name", shell_complete=complete_saved)
@click.option("--rename", metavar="NAME", help="Its new name.")
@click.option("--query", metavar="QUERY", help="Another query.")
@click.option("--default-sources", is_flag=True, help="Ask the default sources again.")
@click.option(
    "--baseline",
    is_flag=True,
    help="Begin a new baseline: needed where something else is asked than before.",
)
@click.option("--resume", is_flag=True, help="Go on with one that is paused.")
@click.option(
    "--new-feed", is_flag=True, help="Give its feed another address; the one that it had ends."
)
@asked_options
@of_owner
def edit(
    call: Call,
    /,
    *,
    user: str | None,
    name: str,
    rename: str | None,
    sources: tuple[str, ...],
    default_sources: bool,
    new_feed: bool,
    **changes: Any,
) -> int:
    """Change what is given of the saved search NAME; `--year ""` empties the years.

    Another query, syntax, number of records, other sources or years begin a new baseline: the next
    run tells nothing, and the runs after it what is new since then.
    """
    from metasearch.workspace.saved import objects
    from metasearch.workspace.saved import saved as searches

    named = () if default_sources else names_of(sources)
    check_names(call, named)
    hours = call.settings.alerts.hours
    with call.open() as db, db.transaction():
        one = found(db, user, name)
        one = searches.update(db, one, name=rename, sources=named, hours=hours, **changes)
        if new_feed:
            one = searches.new_feed(db, one)
    call.answer(objects.saved(one, _base(call)), ())
    call.tell(f"{one.name} is changed")
    return Exit.OK


@saved.command("remove", short_help="Remove a saved search.")
@click.argument("name", shell_complete=complete_saved)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@of_owner
def remove(call: Call, /, *, user: str | None, name: str, yes: bool) -> int:
    """Remove the saved search NAME with its runs, its news and its feed."""
    from metasearch.workspace.saved import objects, told
    from metasearch.workspace.saved import saved as searches

    with call.open() as db:
        one = found(db, user, name)
        news = f"{told.count(db, one):,} news"
        call.confirmed(f"Remove the saved search {one.name} with {news}?", yes=yes)
        searches.remove(db, one)
    call.answer(objects.saved(one, _base(call)), ())
    call.tell(f"the saved search {one.name} is removed")
    return Exit.OK


@saved.command("feed", short_help="Write the news of a saved search as a feed.")
@click.argument("name", shell_complete=complete_saved)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(("atom", "json")),
    default="atom",
    show_default=True,
    help="Atom, or JSON Feed.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write it to this file instead of standard output.",
)
@of_owner
def feed(
    call: Call,
    /,
    *,
    user: str | None,
    name: str,
    form: Literal["atom", "json"],
    output: Path | None,
) -> int:
    """Write the news of the saved search NAME as a feed. A server has the same at the address that
    `saved show` names.
    """
    from metasearch.cli.terminal.output import Sink
    from metasearch.workspace.saved import feeds

    with call.open() as db:
        whole = feeds.read(db, found(db, user, name).id)
    write = feeds.write_atom if form == "atom" else feeds.write_json
    content = write(whole, _base(call))
    with Sink(output) as sink:
        sink.write(content)
    if output is not None:
        call.answer({"file": str(output), "news": len(whole.entries)}, ())
        call.tell(f"{len(whole.entries):,} news in {output}")
    return Exit.OK


for _command in (run, news):
    saved.add_command(_command)


def _base(call: Call) -> str:
    """The configured address of the server; "" where there is none."""
    return (call.settings.public_url or "").rstrip("/")


def _lines(one: SavedSearch, runs: list[SavedRun], number: int, address: str) -> Iterator[str]:
    """A saved search for people."""
    from metasearch.cli.terminal.columns import columns

    yield f"name      {one.name}"
    yield f"uid       {one.uid}"
    yield f"query     {one.query}"
    yield f"syntax    {one.syntax}"
    yield f"sources   {', '.join(one.sources) or 'default'}"
    if one.years:
        yield f"years     {one.years}"
    if one.per_source is not None:
        yield f"records   at most {one.per_source:,} of each source"
    yield f"schedule  {one.schedule or 'none'}{', and an e-mail' if one.email else ''}"
    yield f"next run  {one.next_run or 'none is planned'}"
    if one.paused:
        yield f"paused    {one.paused}"
    yield f"news      {number:,}"
    yield f"feed      {address}"
    if not runs:
        return
    yield ""
    rows: list[tuple[str, ...]] = [
        ("run", "begun", "status", "works", "told", "sources that failed")
    ]
    rows += [
        (
            f"{each.number}{' (baseline)' if each.baseline else ''}",
            each.started,
            each.status,
            "-" if each.works is None else f"{each.works:,}",
            f"{each.told:,}",
            ", ".join(each.failed_sources),
        )
        for each in runs
    ]
    yield from columns(rows)
