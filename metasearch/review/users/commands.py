"""`metasearch user`: who may use a server, as what, and how they get in.

What commands about users share: roles, the one who is named, passwords, addresses of links.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.output import Exit, quantity
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.commands import Call, complete_project, completions, in_workspace

if TYPE_CHECKING:
    from metasearch.review.users.links import LinkKind
    from metasearch.settings.users import SystemRole


#: As in `metasearch.review.users.permissions_and_quotas`, which help need not load.
SYSTEM_ROLES = ("administrator", "user", "guest")
PROJECT_ROLES = ("owner", "editor", "screener", "reader")
#: Bytes that are read of a line of standard input.
_LONGEST_LINE = 10_000


def complete_user(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of users that begin so."""
    from metasearch.review.users import accounts

    return completions(
        ctx, incomplete, lambda db: ((each.name, each.shown) for each in accounts.every(db))
    )


def new_password(name: str, email: str, *, stdin: bool) -> str:
    """A hash of a password, which is typed twice on the terminal and not shown, or is the first
    line of standard input. It is never an argument: other users of the computer see those. Raises
    UsageError: there is no terminal, or the password cannot be taken.
    """
    from metasearch.review.users import passwords

    if stdin:
        line = sys.stdin.buffer.readline(_LONGEST_LINE).decode("utf-8", "replace")
        text = line.rstrip("\r\n")
    elif sys.stdin.isatty():
        text = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    else:
        raise UsageError(
            message("there is no terminal to type a password"),
            advice=message("Add --stdin to read it from standard input, or --link."),
        )
    passwords.check(text, name, email)
    return passwords.Passwords().hash(text)


def tell_link(
    call: Call, kind: LinkKind, secret: str, days: int | None = None, **facts: object
) -> None:
    """Write the address of a link as the answer, and say how long it is good for: `days`, or as
    the kind is.
    """
    from metasearch.review.users import links

    address = link_address(call, kind, secret)
    call.answer({**facts, "link": address}, (address,))
    hours = links.life(kind, days) // 3600
    good = "an hour" if hours == 1 else quantity(hours // 24, "day")
    call.tell(f"it can be used once, within {good}")
    if call.settings.public_url is None:
        call.tell(_NO_ADDRESS)


_NO_ADDRESS = "put the address of the server in front of it, or set [server] public_url"


def link_address(call: Call, kind: LinkKind, secret: str) -> str:
    """The address of a link; without that of the server where the settings have none."""
    from metasearch.review.users import links

    return f"{(call.settings.public_url or '').rstrip('/')}{links.PATHS[kind]}{secret}"


#: As in `metasearch.review.users.links`, which help need not load.
_MOST_LINK_DAYS = 30
#: Of each command that makes a link.
link_days = click.option(
    "--days",
    type=click.IntRange(1, _MOST_LINK_DAYS),
    metavar="N",
    help="How long the link is good for; without it an hour for a password, 7 days otherwise.",
)


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
@link_days
@click.option("--stdin", is_flag=True, help="Read it from standard input.")
@in_workspace
def password(call: Call, /, *, name: str, by_link: bool, days: int | None, stdin: bool) -> int:
    """Set the password of the user NAME; all sessions of the user end."""
    from metasearch.review.users import accounts, links, own_data, passwords

    if by_link and stdin:
        raise UsageError(message("--link and --stdin exclude one another"))
    if days and not by_link:
        raise UsageError(message("--days is that of a --link"))
    with call.open() as db:
        found = accounts.find(db, name)
        if by_link:
            secret = links.create(db, "password", user=found, days=days)
        else:
            kept = new_password(found.name, found.email, stdin=stdin)
            with db.transaction():
                found = accounts.set_password(db, found, kept)
                passwords.forgive_failures(db, found.name)
    if by_link:
        tell_link(call, "password", secret, days, user=own_data.account(found))
    else:
        call.answer(own_data.account(found), ())
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
@link_days
@in_workspace
def link(call: Call, /, *, role: str | None, joined: str | None, days: int | None) -> int:
    """Write an address at which somebody makes an account, or, with --project, joins a project.
    Whoever has the address can use it, once.
    """
    from metasearch.review.projects import projects
    from metasearch.review.users import links

    with call.open() as db:
        if joined is None:
            role = role or "user"
            secret = links.create(db, "account", role=role, days=days)
            facts: dict[str, object] = {"role": role, "project": None}
        else:
            role = role or "reader"
            place = projects.find(db, joined)
            secret = links.create(db, "member", project=place, role=role, days=days)
            facts = {"role": role, "project": place.name}
    tell_link(call, "account" if joined is None else "member", secret, days, **facts)
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
    from metasearch.review.users import accounts, own_data, tokens

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
    call.answer({**own_data.token_object(made), "token": text}, (text,))
    call.tell(f"it is good until {made.expires[:10]}, and is not shown again")
    return Exit.OK


#: What is written of a person is read by the owner of the file alone.
_OWNER_ONLY = 0o600


@click.command(
    "export",
    cls=ExampleCommand,
    short_help="Write what the workspace has of a user.",
    examples=(("metasearch user export anna anna.json", "for a person who asks for it"),),
)
@click.argument("name", shell_complete=complete_user)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@in_workspace
def export(call: Call, /, *, name: str, file: Path) -> int:
    """Write what the workspace has of the user NAME to the new FILE, as JSON: the account,
    sessions, tokens, projects, saved searches, votes and lines of logs. There are no secrets in it.
    """
    from metasearch import regular_files
    from metasearch.review.users import accounts, audit, own_data

    with call.open() as db:
        found = accounts.find(db, name)
        try:
            target = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
            try:
                with os.fdopen(target, "wb") as opened:
                    own_data.export(db, found, opened)
            except BaseException:
                file.unlink()
                raise
        except OSError as exc:
            raise UsageError(
                message(
                    "{file} cannot be written: {reason}", file=file, reason=regular_files.why(exc)
                ),
                advice=message("Name a file that does not exist yet, in a folder that does."),
            ) from exc
        audit.write(db, "", "export", f"user:{found.uid}")
    size = file.stat().st_size
    call.answer({"file": str(file), "bytes": size}, ())
    call.tell(f"{found.name} is in {file}, {quantity(size, 'byte')}")
    return Exit.OK


@click.command(
    "delete",
    cls=ExampleCommand,
    short_help="Delete an account.",
    examples=(("metasearch user delete ben --hand-to anna", "Anna owns the projects of Ben then"),),
)
@click.argument("name", shell_complete=complete_user)
@click.option(
    "--hand-to",
    metavar="NAME",
    shell_complete=complete_user,
    help="Who owns the projects then that nobody else owns.",
)
@click.option("--with-projects", is_flag=True, help="Delete those projects, too.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@in_workspace
def delete(call: Call, /, *, name: str, hand_to: str | None, with_projects: bool, yes: bool) -> int:
    """Delete the account NAME with its sessions, tokens and saved searches. What the user did in
    projects stays there, as of a former user. Projects that nobody else owns are named: hand them
    on, or delete them, too.
    """
    from metasearch.review.users import accounts, own_data

    if hand_to is not None and with_projects:
        raise UsageError(message("--hand-to and --with-projects exclude one another"))
    with call.open() as db:
        found = accounts.find(db, name)
        heir = None if hand_to is None else accounts.find(db, hand_to)
        call.confirm(f"Delete the account {found.name}?", yes=yes)
        moved = own_data.delete(db, found, hand_to=heir, with_projects=with_projects)
    for project in moved if with_projects else ():
        call.forget(project)
    call.answer({"uid": found.uid, "projects": [project.name for project in moved]}, ())
    call.tell(f"the account {found.name} is deleted")
    if moved:
        names = ", ".join(project.name for project in moved)
        call.tell(f"{'deleted' if with_projects else f'handed to {hand_to}'}: {names}")
    return Exit.OK


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
    from metasearch.review.users import accounts, links, own_data

    if by_link and stdin:
        raise UsageError(message("--link and --stdin exclude one another"))
    accounts.parse_name(name)
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
        tell_link(call, "password", secret, user=own_data.account(made))
    else:
        call.answer(own_data.account(made), ())
    return Exit.OK


@user.command("import", short_help="Make an account of each line of a CSV file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--link", "by_link", is_flag=True, help="Write a link for each to set a password.")
@link_days
@in_workspace
def import_users(call: Call, /, *, file: Path, by_link: bool, days: int | None) -> int:
    """Make an account of each line of FILE, a CSV file whose first line names its columns: name,
    and as you like shown, email and role. All are made, or none. Nobody of them can log in before
    a password is set: with --link the answer has an address for each.
    """
    from metasearch import regular_files
    from metasearch.review.users import own_data, user_file

    if days and not by_link:
        raise UsageError(message("--days is that of a --link"))
    lines = user_file.read_users(regular_files.read(file, user_file.MOST_BYTES), file.name)
    with call.open(make=True) as db:
        made = user_file.make_users(db, lines, days, with_links=by_link)
    rows = [(one, link_address(call, "password", secret) if secret else "") for one, secret in made]
    call.table(
        [own_data.account(one) | {"link": address or None} for one, address in rows],
        ("name", "role", "link"),
        [(one.name, one.role, address) for one, address in rows],
    )
    call.tell(f"{quantity(len(made), 'account')} made")
    if by_link and call.settings.public_url is None:
        call.tell(_NO_ADDRESS)
    return Exit.OK


@user.command("list", short_help="List all accounts.")
@in_workspace
def list_users(call: Call, /) -> int:
    """List all accounts by name, with what they are and when they logged in last."""
    from metasearch.review.users import accounts, own_data

    with call.open() as db:
        found = accounts.every(db)
    call.table(
        [own_data.account(each) for each in found],
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
    from metasearch.review.projects import members, projects
    from metasearch.review.users import accounts, own_data, sessions, tokens

    with call.open() as db:
        found = accounts.find(db, name)
        began = sessions.of(db, found)
        made = tokens.of(db, found)
        roles = members.projects_of(db, found.uid)
        named = {each.id: each.name for each in projects.every(db)}
    joined = {named[row]: role for row, role in roles.items()}
    call.answer(
        own_data.account(found)
        | {
            "sessions": [own_data.session_object(each) for each in began],
            "tokens": [own_data.token_object(each) for each in made],
            "projects": joined,
        },
        (
            f"name        {found.name}{', disabled' if found.disabled else ''}",
            f"shown       {found.display_name}",
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
    from metasearch.review.projects import members, projects
    from metasearch.review.users import accounts, own_data

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
                members.remove(place, found)
            else:
                members.set_role(place, found, role)  # type: ignore[arg-type]
            is_now = "no member" if role == _NONE else role
            call.tell(f"{found.name} is now in {place.name}: {is_now}")
    call.answer(own_data.account(found), ())
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
    from metasearch.review.users import accounts, own_data

    with call.open() as db:
        found = accounts.set_disabled(db, accounts.find(db, name), disabled)
    call.answer(own_data.account(found), ())
    call.tell(f"{found.name} is {'kept out' if disabled else 'let in'}")
    return Exit.OK


for _command in (password, link, token, export, delete):
    user.add_command(_command)
