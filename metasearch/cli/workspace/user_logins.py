"""`metasearch user password|link|token`: how a user, or a program of a user, gets in."""

from __future__ import annotations

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import complete_project, in_workspace
from metasearch.cli.workspace.user_options import (
    PROJECT_ROLES,
    SYSTEM_ROLES,
    complete_user,
    new_password,
    tell_link,
)
from metasearch.errors import UsageError
from metasearch.message import message

#: Days that a token is good for where nothing else is asked for.
_DAYS = 90


@click.command(
    "password",
    cls=ExampleCommand,
    short_help="Set the password of a user.",
    examples=(
        ("metasearch user password anna", "ask for it on the terminal"),
        ("metasearch user password anna --link", "an address at which Anna sets it"),
    ),
)
@click.argument("name", shell_complete=complete_user)
@click.option("--link", "by_link", is_flag=True, help="Write an address to set it at instead.")
@click.option("--stdin", is_flag=True, help="Read it from standard input.")
@in_workspace
def password(call: Call, /, *, name: str, by_link: bool, stdin: bool) -> int:
    """Set the password of the user NAME; all sessions of the user end."""
    from metasearch.workspace.users import accounts, failures, links, objects

    if by_link and stdin:
        raise UsageError(message("--link and --stdin exclude one another"))
    with call.open() as db:
        found = accounts.find(db, name)
        if by_link:
            secret = links.create(db, "password", user=found)
        else:
            kept = new_password(found.name, found.email, stdin=stdin)
            with db.transaction():
                found = accounts.set_password(db, found, kept)
                failures.forgive(db, found.name)
    if by_link:
        tell_link(call, "password", secret, user=objects.user(found))
    else:
        call.answer(objects.user(found), ())
        call.tell(f"the password of {found.name} is set; all sessions have ended")
    return Exit.OK


@click.command(
    "link",
    cls=ExampleCommand,
    short_help="Invite somebody, to the server or to a project.",
    examples=(
        ("metasearch user link", "an address at which somebody makes an account"),
        ("metasearch user link --project lakes --role screener", "or joins a project"),
    ),
)
@click.option(
    "--role",
    type=click.Choice((*SYSTEM_ROLES, *PROJECT_ROLES)),
    help="What they will be; without it a user of the server, or a reader of the project.",
)
@click.option(
    "--project",
    "joined",
    metavar="NAME",
    shell_complete=complete_project,
    help="The project to join.",
)
@in_workspace
def link(call: Call, /, *, role: str | None, joined: str | None) -> int:
    """Write an address at which somebody makes an account, or, with --project, joins a project.
    Whoever has the address can use it, once.
    """
    from metasearch.workspace import projects
    from metasearch.workspace.users import links

    with call.open() as db:
        if joined is None:
            role = role or "user"
            secret = links.create(db, "account", role=role)
            facts: dict[str, object] = {"role": role, "project": None}
        else:
            role = role or "reader"
            place = projects.find(db, joined)
            secret = links.create(db, "member", project=place, role=role)
            facts = {"role": role, "project": place.name}
    tell_link(call, "account" if joined is None else "member", secret, **facts)
    return Exit.OK


@click.command(
    "token",
    cls=ExampleCommand,
    short_help="Make or revoke an API token of a user.",
    examples=(
        ("metasearch user token anna --name nightly --scope search", "write a new token"),
        ("metasearch user token anna --revoke 3", "it does not work any more"),
    ),
)
@click.argument("name", shell_complete=complete_user)
@click.option("--name", "called", metavar="TEXT", help="What the token is called.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(("search", "read", "write")),
    multiple=True,
    help="What it may be used for: to search, to read projects, to change them; repeatable.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 366),
    default=_DAYS,
    show_default=True,
    metavar="N",
    help="How long it is good for.",
)
@click.option("--revoke", type=int, metavar="N", help="Revoke the token N of `user show`.")
@in_workspace
def token(
    call: Call,
    /,
    *,
    name: str,
    called: str | None,
    scopes: tuple[str, ...],
    days: int,
    revoke: int | None,
) -> int:
    """Make an API token of the user NAME, and write it: it is shown once. Or revoke one."""
    from metasearch.workspace.users import accounts, objects, tokens

    if (revoke is None) is (called is None) or (revoke is not None and scopes):
        raise UsageError(
            message("a token is made with --name and --scope, or revoked with --revoke"),
        )
    with call.open() as db:
        found = accounts.find(db, name)
        if revoke is not None:
            if not tokens.revoke(db, found, revoke):
                raise UsageError(
                    message("{name} has no token {number}", name=found.name, number=revoke),
                    advice=message("`metasearch user show NAME` lists them."),
                )
            call.answer({"revoked": revoke}, ())
            call.tell(f"the token {revoke} of {found.name} does not work any more")
            return Exit.OK
        text, made = tokens.create(db, found, called or "", scopes, days)
    call.answer({**objects.token(made), "token": text}, (text,))
    call.tell(f"it is good until {made.expires[:10]}, and is not shown again")
    return Exit.OK
