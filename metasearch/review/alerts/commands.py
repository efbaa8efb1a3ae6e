"""`metasearch saved` and `metasearch alerts`: searches that are run again and again, and tell what
is new.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.options import query_text
from metasearch.cli.output import Exit, Sink, columns
from metasearch.engine.options import OPTIONS
from metasearch.review.commands import (
    Call,
    cache_option,
    completions,
    demo_option,
    in_workspace,
    names_of,
    sources_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metasearch.review.alerts.news import SavedSearchRun
    from metasearch.review.alerts.saved_searches import SavedSearch
    from metasearch.review.store.database import Database


def of_owner(command: Callable[..., int]) -> Any:
    """The options of every command of the workspace, and `--user`; the function gets a `Call`
    first, and the name of the user as `user`.
    """
    option = click.option(
        "--user",
        metavar="NAME",
        help="Whose saved searches, on a server with users; without it those of nobody.",
    )
    return option(in_workspace(command))


def search_options(command: Any) -> Any:
    """Add the options of what is asked, and how often."""
    for decorate in (
        click.option(
            "--email/--no-email", default=None, help="Whether its news are sent by e-mail."
        ),
        click.option(
            "--schedule",
            metavar="WHEN",
            help="When it is run: daily, weekly mon (tue ...), monthly 1 (to 31), or none.",
        ),
        click.option(
            "--per-source",
            type=int,
            metavar="N",
            help="At most N records of each source in a run, the newest ones where it can give "
            "them; 100 without it.",
        ),
        click.option("--year", "years", metavar="YEARS", help=OPTIONS["years"].help),
        sources_option("The sources and groups that it asks; without them the default ones."),
        click.option(
            "--syntax",
            type=click.Choice((*OPTIONS["syntax"].choices, "citations")),
            help="What the query is written in; auto, the default, recognises it. citations: it is "
            "the name of a project, and what cites its included works is searched for.",
        ),
    ):
        command = decorate(command)
    return command


def owner_of(db: Database, user: str | None) -> str:
    """The uid of the user of this name, "" without one. Raises UsageError: there is none."""
    if user is None:
        return ""
    from metasearch.review.users import accounts

    return accounts.find(db, user).uid


def saved_search_of(db: Database, user: str | None, name: str) -> SavedSearch:
    """The saved search that a command is about. Raises UsageError: there is none."""
    from metasearch.review.alerts import saved_searches

    return saved_searches.find(db, owner_of(db, user), name)


def check_names(call: Call, sources: tuple[str, ...] | None) -> None:
    """Check that there are such sources now; later they may be gone, which the run says. Raises
    UnknownSource: there is none of this name.
    """
    if sources:
        from metasearch.adapters.specs.registry import Registry
        from metasearch.review.alerts.saved_searches import check_sources_exist

        check_sources_exist(Registry(call.settings, files=False), sources)


def complete_saved(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of saved searches that begin so, each with its query."""
    from metasearch.review.alerts import saved_searches

    return completions(
        ctx,
        incomplete,
        lambda db: (
            (each.name, each.query[:80])
            for each in saved_searches.of(db, owner_of(db, ctx.params.get("user")))
        ),
    )


#: As `metasearch.review.alerts.news.KINDS`, which help need not load.
KINDS = ("new", "version", "retracted", "late")


@click.command("run", cls=ExampleCommand, short_help="Run saved searches now.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_saved)
@cache_option
@demo_option
@of_owner
def run(call: Call, /, *, user: str | None, names: tuple[str, ...], cache: bool, demo: bool) -> int:
    """Run the saved searches NAMES now, and show what is new. The first run is the baseline, and
    tells nothing.

    Exit code 3: some sources failed; 4: in a run no source answered, and nothing of it was seen.
    """
    from metasearch.review.console import run_search_and_show as run_and_show

    with call.open() as db:
        chosen = list(
            {one.id: one for one in (saved_search_of(db, user, name) for name in names)}.values()
        )
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
    from metasearch.review import objects
    from metasearch.review.alerts import news as history
    from metasearch.review.console import news_lines

    with call.open() as db:
        listed = history.news_of(
            db, saved_search_of(db, user, name), most=most, run=number, kinds=kinds
        )
    call.answer([objects.saved_news(each) for each in listed], news_lines(listed))
    if not listed:
        call.tell("there is no news")
    return Exit.OK


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
def saved_group() -> None:
    """Save searches, run them again and again, and be told of works that no earlier run has found.

    A server that serves the workspace runs them by itself; without one, cron runs `metasearch
    alerts run`.
    """


@saved_group.command("add", short_help="Save a search.")
@click.argument("name")
@click.argument("query", nargs=-1, required=True)
@search_options
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
    from metasearch.review import objects
    from metasearch.review.alerts import saved_searches as searches
    from metasearch.review.alerts.runs import check_new

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
    call.answer(objects.saved_search(made, _base(call)), ())
    call.tell(
        f"{made.name} is saved; its first run is the baseline, and tells nothing"
        if made.schedule
        else f"{made.name} is saved; `metasearch saved run` runs it, or --schedule has it run"
    )
    if made.email and not call.settings.mail.host:
        call.tell("no e-mails are sent: [mail] in the configuration names no host", "yellow")
    return Exit.OK


@saved_group.command("list", short_help="List the saved searches.")
@of_owner
def list_saved(call: Call, /, *, user: str | None) -> int:
    """List the saved searches by name, with their last and next runs."""
    from metasearch.review import objects
    from metasearch.review.alerts import news as history
    from metasearch.review.alerts import saved_searches as searches

    if not call.file.exists():
        call.answer([], ())
        call.tell("there are no saved searches; `metasearch saved add` makes one")
        return Exit.OK
    with call.open() as db:
        listed = [
            (each, history.last(db, each), history.count_news(db, each))
            for each in searches.of(db, owner_of(db, user))
        ]
    base = _base(call)
    call.table(
        [
            objects.saved_search(each, base)
            | {"news": number, "runs": [] if last is None else [objects.saved_run(last)]}
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


@saved_group.command("show", short_help="Show a saved search with its runs.")
@click.argument("name", shell_complete=complete_saved)
@of_owner
def show(call: Call, /, *, user: str | None, name: str) -> int:
    """Show the saved search NAME: what it asks, its last runs, and the path of its feed."""
    from metasearch.review import objects
    from metasearch.review.alerts import news as history

    with call.open() as db:
        one = saved_search_of(db, user, name)
        runs = history.runs_of(db, one, most=_RUNS)
        number = history.count_news(db, one)
    base = _base(call)
    value = objects.saved_search(one, base)
    value |= {"news": number, "runs": [objects.saved_run(each) for each in runs]}
    call.answer(value, _lines(one, runs, number, value["feed"]["atom"]))
    return Exit.OK


@saved_group.command("edit", short_help="Change a saved search.")
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
@search_options
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
    from metasearch.review import objects
    from metasearch.review.alerts import saved_searches as searches

    named = () if default_sources else names_of(sources)
    check_names(call, named)
    hours = call.settings.alerts.hours
    with call.open() as db, db.transaction():
        one = saved_search_of(db, user, name)
        one = searches.update(db, one, name=rename, sources=named, hours=hours, **changes)
        if new_feed:
            one = searches.new_feed(db, one)
    call.answer(objects.saved_search(one, _base(call)), ())
    call.tell(f"{one.name} is changed")
    return Exit.OK


@saved_group.command("remove", short_help="Remove a saved search.")
@click.argument("name", shell_complete=complete_saved)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@of_owner
def remove(call: Call, /, *, user: str | None, name: str, yes: bool) -> int:
    """Remove the saved search NAME with its runs, its news and its feed."""
    from metasearch.review import objects
    from metasearch.review.alerts import news as history
    from metasearch.review.alerts import saved_searches as searches

    with call.open() as db:
        one = saved_search_of(db, user, name)
        news = f"{history.count_news(db, one):,} news"
        call.confirm(f"Remove the saved search {one.name} with {news}?", yes=yes)
        searches.remove(db, one)
    call.answer(objects.saved_search(one, _base(call)), ())
    call.tell(f"the saved search {one.name} is removed")
    return Exit.OK


@saved_group.command("feed", short_help="Write the news of a saved search as a feed.")
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
    from metasearch.review.alerts import feeds

    with call.open() as db:
        whole = feeds.read_feed(db, saved_search_of(db, user, name).id)
    write = feeds.write_atom if form == "atom" else feeds.write_json
    content = write(whole, _base(call))
    with Sink(output) as sink:
        sink.write(content)
    if output is not None:
        call.answer({"file": str(output), "news": len(whole.entries)}, ())
        call.tell(f"{len(whole.entries):,} news in {output}")
    return Exit.OK


for _command in (run, news):
    saved_group.add_command(_command)


def _base(call: Call) -> str:
    """The configured address of the server; "" where there is none."""
    return (call.settings.public_url or "").rstrip("/")


def _lines(
    one: SavedSearch, runs: list[SavedSearchRun], number: int, address: str
) -> Iterator[str]:
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
def run_due(call: Call, /, *, all_due: bool, demo: bool) -> int:
    """Run the saved searches of all users that are due, those that were missed once, and send the
    e-mails where they are configured. Several of these commands and servers may run at once: each
    saved search is run by one of them.

    Exit code 3: a source failed, or in some runs no source answered; 4: in no run one did.
    """
    from metasearch.review.console import run_due_and_show

    call.exists()
    return run_due_and_show(call, most=None if all_due else MOST, demo=demo)
