"""`metasearch user`: who may use a server, and as what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import complete_project, in_workspace
from metasearch.cli.workspace.user_data import delete, export
from metasearch.cli.workspace.user_logins import link, password, token
from metasearch.cli.workspace.user_options import (
    PROJECT_ROLES,
    SYSTEM_ROLES,
    complete_user,
    new_password,
    tell_link,
)
from metasearch.errors import UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.settings.users import SystemRole

#: Takes a role of a project away.
_NONE = "none"


@click.group(
    cls=CommandGroup,
    short_help="Make, list and change accounts of a server with users.",
    examples=(
        ("metasearch user add anna --administrator", "the first account; asks for a password"),
        ("metasearch user add ben --link", "an address with which Ben sets the password"),
        ("metasearch user role ben editor --project lakes", "Ben may edit the project lakes"),
        ("metasearch user disable ben", "Ben is kept out, and nothing is lost"),
    ),
)
def user() -> None:
    """Make, list and change accounts. They are used by a server whose configuration has
    `[users] mode`.
    """


@user.command("add", short_help="Make an account.")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(SYSTEM_ROLES),
    default="user",
    show_default=True,
    help="What the user is on the server.",
)
@click.option("--administrator", is_flag=True, help="The same as --role administrator.")
@click.option("--shown", default="", metavar="TEXT", help="The name for people.")
@click.option("--email", default="", metavar="ADDRESS", help="The e-mail address.")
@click.option("--link", "by_link", is_flag=True, help="Write an address to set the password at.")
@click.option("--stdin", is_flag=True, help="Read the password from standard input.")
@in_workspace
def add(
    call: Call,
    /,
    *,
    name: str,
    role: SystemRole,
    administrator: bool,
    shown: str,
    email: str,
    by_link: bool,
    stdin: bool,
) -> int:
    """Make the account NAME. The password is asked for on the terminal; or the user sets it at the
    address that --link writes.
    """
    from metasearch.workspace.users import accounts, links, names, objects

    if by_link and stdin:
        raise UsageError(message("--link and --stdin exclude one another"))
    names.checked(name)
    with call.open(make=True) as db:
        if accounts.by_name(db, name) is not None:
            raise UsageError(message("There is a user {name} already", name=repr(name)))
        kept = "" if by_link else new_password(name, email, stdin=stdin)
        with db.transaction():
            made = accounts.create(
                db,
                name,
                role="administrator" if administrator else role,
                shown=shown,
                email=email,
                password=kept,
            )
            secret = links.create(db, "password", user=made) if by_link else ""
    call.tell(f"{made.name} is made, as {made.role}")
    if by_link:
        tell_link(call, "password", secret, user=objects.user(made))
    else:
        call.answer(objects.user(made), ())
    return Exit.OK


@user.command("list", short_help="List all accounts.")
@in_workspace
def list_(call: Call, /) -> int:
    """List all accounts by name, with what they are and when they logged in last."""
    from metasearch.workspace.users import accounts, objects

    with call.open() as db:
        found = accounts.every(db)
    call.table(
        [objects.user(each) for each in found],
        ("name", "role", "", "last login", "shown", "e-mail"),
        [
            (
                each.name,
                each.role,
                "disabled" if each.disabled else "",
                (each.last_login or "never")[:10],
                each.shown,
                each.email,
            )
            for each in found
        ],
    )
    if not found:
        call.tell("there are no users; `metasearch user add NAME --administrator` makes one")
    return Exit.OK


@user.command("show", short_help="Show one account.")
@click.argument("name", shell_complete=complete_user)
@in_workspace
def show(call: Call, /, *, name: str) -> int:
    """Show the account NAME, or of this uid: what it is, its sessions, tokens and projects."""
    from metasearch.workspace import projects
    from metasearch.workspace.users import accounts, members, objects, sessions, tokens

    with call.open() as db:
        found = accounts.find(db, name)
        began = sessions.of(db, found)
        made = tokens.of(db, found)
        roles = members.projects_of(db, found.uid)
        named = {each.id: each.name for each in projects.every(db)}
    joined = {named[row]: role for row, role in roles.items()}
    call.answer(
        objects.user(found)
        | {
            "sessions": [objects.session(each) for each in began],
            "tokens": [objects.token(each) for each in made],
            "projects": joined,
        },
        (
            f"name        {found.name}{', disabled' if found.disabled else ''}",
            f"shown       {found.known_as}",
            f"e-mail      {found.email or '-'}",
            f"role        {found.role}",
            f"uid         {found.uid}",
            f"made        {found.created}",
            f"last login  {found.last_login or 'never'}",
            f"password    {'yes' if found.has_password else 'none'}",
            f"sessions    {len(began)}",
            *(f"token       {each.id}  {each.name}, until {each.expires[:10]}" for each in made),
            *(f"project     {project}: {role}" for project, role in joined.items()),
        ),
    )
    return Exit.OK


@user.command("role", short_help="Change what a user is, on the server or in a project.")
@click.argument("name", shell_complete=complete_user)
@click.argument("role", type=click.Choice((*SYSTEM_ROLES, *PROJECT_ROLES, _NONE)))
@click.option(
    "--project",
    "joined",
    metavar="NAME",
    shell_complete=complete_project,
    help="The project; without it the role is that on the server.",
)
@in_workspace
def role(call: Call, /, *, name: str, role: str, joined: str | None) -> int:
    """Make the user NAME an administrator, a user or a guest of the server; or, with --project, an
    owner, editor, screener or reader of a project, or with `none` no member of it.
    """
    from metasearch.workspace import projects
    from metasearch.workspace.users import accounts, members, objects

    allowed = SYSTEM_ROLES if joined is None else (*PROJECT_ROLES, _NONE)
    if role not in allowed:
        raise UsageError(
            message("There is no role {role} on the server", role=repr(role))
            if joined is None
            else message("There is no role {role} in a project", role=repr(role)),
            advice=message("There are {roles}.", roles=", ".join(allowed)),
        )
    with call.open() as db:
        found = accounts.find(db, name)
        if joined is None:
            found = accounts.update(db, found, role=role)  # type: ignore[arg-type]
            call.tell(f"{found.name} is now: {found.role}")
        else:
            place = projects.find(db, joined)
            if role == _NONE:
                members.remove(db, place, found)
            else:
                members.set_role(db, place, found, role)  # type: ignore[arg-type]
            is_now = "no member" if role == _NONE else role
            call.tell(f"{found.name} is now in {place.name}: {is_now}")
    call.answer(objects.user(found), ())
    return Exit.OK


@user.command("disable", short_help="Keep a user out.")
@click.argument("name", shell_complete=complete_user)
@in_workspace
def disable(call: Call, /, *, name: str) -> int:
    """Keep the user NAME out: sessions end, and tokens do not work. Nothing of the user is lost."""
    return _set_disabled(call, name, disabled=True)


@user.command("enable", short_help="Let a user in again.")
@click.argument("name", shell_complete=complete_user)
@in_workspace
def enable(call: Call, /, *, name: str) -> int:
    """Let the user NAME in again."""
    return _set_disabled(call, name, disabled=False)


def _set_disabled(call: Call, name: str, *, disabled: bool) -> int:
    from metasearch.workspace.users import accounts, objects

    with call.open() as db:
        found = accounts.set_disabled(db, accounts.find(db, name), disabled)
    call.answer(objects.user(found), ())
    call.tell(f"{found.name} is {'kept out' if disabled else 'let in'}")
    return Exit.OK


for _command in (password, link, token, export, delete):
    user.add_command(_command)
