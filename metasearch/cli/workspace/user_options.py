"""What commands about users share: roles, the one who is named, passwords, addresses of links."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from metasearch.cli.terminal.console import Console
from metasearch.cli.workspace.call import Call
from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.workspace.users.links import LinkKind

#: As in `metasearch.workspace.users.permissions`, which help need not load.
SYSTEM_ROLES = ("administrator", "user", "guest")
PROJECT_ROLES = ("owner", "editor", "screener", "reader")
#: Bytes that are read of a line of standard input.
_LONGEST_LINE = 10_000


def complete_user(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of users that begin so."""
    call = Call(Console(quiet=True), False, ctx.params.get("config"), ctx.params.get("workspace"))
    try:
        from metasearch.workspace.users import accounts

        with call.open() as db:
            return [
                CompletionItem(user.name, help=user.shown)
                for user in accounts.every(db)
                if user.name.startswith(incomplete)
            ]
    except MetasearchError:
        return []


def new_password(name: str, email: str, *, stdin: bool) -> str:
    """A hash of a password, which is typed twice on the terminal and not shown, or is the first
    line of standard input. It is never an argument: other users of the computer see those. Raises
    UsageError: there is no terminal, or the password cannot be taken.
    """
    from metasearch.workspace.users import passwords

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


def tell_link(call: Call, kind: LinkKind, secret: str, **facts: object) -> None:
    """Write the address of a link as the answer, and say how long it is good for."""
    from metasearch.workspace.users import links

    public = call.settings.public_url
    address = f"{(public or '').rstrip('/')}{links.PATHS[kind]}{secret}"
    call.answer({**facts, "link": address}, (address,))
    hours = links.SECONDS[kind] // 3600
    good = "an hour" if hours == 1 else f"{hours // 24} days"
    call.tell(f"it can be used once, within {good}")
    if public is None:
        call.tell("put the address of the server in front of it, or set [server] public_url")
