"""What the commands about saved searches share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from metasearch.cli.common_options import complete_source
from metasearch.cli.terminal.console import Console
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_workspace
from metasearch.engine.options import OPTIONS
from metasearch.errors import MetasearchError

if TYPE_CHECKING:
    from metasearch.workspace.saved.saved import SavedSearch
    from metasearch.workspace.store.database import Database


def of_owner(command: Callable[..., int]) -> Any:
    """The options of every command of the workspace, and `--user`; the function gets a `Call`
    first, and the name of the user as `user`.
    """

    @wraps(command)
    def called(call: Call, /, **rest: Any) -> int:
        return command(call, **rest)

    option = click.option(
        "--user",
        metavar="NAME",
        help="Whose saved searches, on a server with users; without it those of nobody.",
    )
    return option(in_workspace(called))


def asked_options(command: Any) -> Any:
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
        click.option(
            "-s",
            "--sources",
            multiple=True,
            metavar="NAME,...",
            shell_complete=complete_source,
            help="The sources and groups that it asks; without them the default ones.",
        ),
        click.option(
            "--syntax",
            type=click.Choice(OPTIONS["syntax"].choices),
            help="What the query is written in; auto, the default, recognises it.",
        ),
    ):
        command = decorate(command)
    return command


def demo_option(command: Any) -> Any:
    """Add `--demo`."""
    return click.option(
        "--demo", is_flag=True, help="Ask simulated databases on this machine; nothing is sent."
    )(command)


def owner_of(db: Database, user: str | None) -> str:
    """The uid of the user of this name, "" without one. Raises UsageError: there is none."""
    if user is None:
        return ""
    from metasearch.workspace.users import accounts

    return accounts.find(db, user).uid


def found(db: Database, user: str | None, name: str) -> SavedSearch:
    """The saved search that a command is about. Raises UsageError: there is none."""
    from metasearch.workspace.saved import saved

    return saved.find(db, owner_of(db, user), name)


def check_names(call: Call, sources: tuple[str, ...] | None) -> None:
    """Check that there are such sources now; later they may be gone, which the run says. Raises
    UnknownSource: there is none of this name.
    """
    if sources:
        from metasearch.adapters.specs.registry import Registry
        from metasearch.workspace.saved.saved import check_known

        check_known(Registry(call.settings, files=False), sources)


def complete_saved(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of saved searches that begin so, each with its query."""
    call = Call(Console(quiet=True), False, ctx.params.get("config"), ctx.params.get("workspace"))
    try:
        from metasearch.workspace.saved import saved

        with call.open() as db:
            return [
                CompletionItem(each.name, help=each.query[:80])
                for each in saved.of(db, owner_of(db, ctx.params.get("user")))
                if each.name.startswith(incomplete)
            ]
    except MetasearchError:
        return []
