"""What a user changes about their own account, from the page and from the JSON interface."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Iterable
from typing import Protocol

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.users.opened import Here
from metasearch.server.faces.workspace.sending import send_file
from metasearch.server.limits.permits import permit
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.users.login import attempted
from metasearch.server.users.quota import take
from metasearch.server.users.service import users_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import (
    accounts,
    audit,
    failures,
    names,
    own_data,
    sessions,
    tokens,
)
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.tokens import Token

#: Digits of the number of a row.
_LONGEST_NUMBER = 15


class Render(Protocol):
    """Makes a page again: with what there is to say, and a secret that is shown once."""

    def __call__(self, said: Said, secret: str = "") -> Awaitable[str]: ...


def row(text: str) -> int:
    """The number of a row in a form or an address."""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise Problem(404)
    return int(text)


async def end_session(here: Here, text: str) -> int:
    """End one session, or all but the present one; returns how many have ended. `text`: the number
    of one, or "others".
    """
    user = await here.user()
    if text == "others":
        return await here.workspace.write(sessions.end_all, user, keep=here.identity.session)
    if not await here.workspace.write(sessions.end, user, row(text)):
        raise Problem(404)
    return 1


async def make_token(here: Here, name: str, scopes: Iterable[str], days: int) -> tuple[str, Token]:
    """A new token: its text, which is nowhere else, and what is kept of it. Raises UsageError: a
    value cannot be used, or there are too many.
    """
    return await here.workspace.write(
        tokens.create,
        await here.user(),
        name,
        scopes,
        days,
        by=here.identity.uid,
        client=here.client,
    )


async def revoke_token(here: Here, text: str) -> None:
    """Have a token end."""
    user = await here.user()
    if not await here.workspace.write(
        tokens.revoke, user, row(text), by=user.uid, client=here.client
    ):
        raise Problem(404)


async def delete_account(here: Here, confirmed: str) -> None:
    """Delete the account of the user who asks.

    `confirmed`: the password; the name for the login where there is none. Raises UsageError: it is
    not confirmed, too many passwords were wrong, or something must be done before.
    """
    user = await here.user()
    if user.has_password:
        await _check_password(here, user, confirmed)
    elif names.normal(confirmed) != user.name:
        raise UsageError(
            message("The account was not deleted: the name was not typed"),
            advice=message("Your name for the login is {name}.", name=user.name),
        )
    await here.workspace.write(own_data.delete, user, by=user.uid, client=here.client)


async def own_data_file(here: Here) -> web.StreamResponse:
    """What the server keeps about the user, as a JSON file."""
    user = await here.user()
    with permit(here.request, "exports"), tempfile.TemporaryFile(prefix="metasearch-") as file:
        await take(here.request, "exports")
        await here.workspace.long(own_data.export, user, file)
        await here.workspace.write(_exported, user, here.client)
        return await send_file(here.request, file, "application/json", "metasearch-account.json")


async def _check_password(here: Here, user: User, typed: str) -> None:
    """UsageError: It is wrong, or one must wait."""
    users = users_of(here.request)
    await attempted(users, user.name, here.client)
    kept = await here.workspace.read(accounts.password_hash, user)
    right, _ = await users.passwords.verify(kept, typed)
    if not right:
        raise UsageError(message("The password is wrong"), advice=message("Nothing is changed."))
    await here.workspace.write(failures.succeeded, user.name, here.client)


def _exported(db: Database, user: User, client: str) -> None:
    audit.write(db, user.uid, "export", f"user:{user.uid}", {"what": "own data"}, client)
