"""The users of a server, as one process of it knows them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from aiohttp import web

from metasearch.errors import MetasearchError
from metasearch.server.identity import Identity
from metasearch.server.users.credentials import Credential, wrong_token
from metasearch.settings.users import UsersMode, UsersSettings
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, first_visit, members, sessions, tokens
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.passwords import Passwords, PasswordThreads
from metasearch.workspace.users.permissions import ProjectRole
from metasearch.workspace.users.sessions import Session
from metasearch.workspace.users.tokens import Token
from metasearch.workspace.workspace import Workspace

T = TypeVar("T", Session, Token)

#: Notes of use that are written at once; the others are left out.
_MOST_NOTES = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What a credential and the project of an address lead to.

    Attributes:
        user: None where the credential is not known, has ended, or is of a disabled account.
        place: The project, and the role of the user in it; None both where there is no such project
            and where it is not theirs.
        disabled: Whether the proxy names an account that is disabled.
    """

    user: User | None
    row: Session | Token | None = None
    place: tuple[Project, ProjectRole] | None = None
    disabled: bool = False


class UsersService:
    """How the handlers of one process know users."""

    def __init__(
        self, settings: UsersSettings, workspace: Workspace, passwords: Passwords | None = None
    ) -> None:
        self.settings = settings
        self.workspace = workspace
        self.passwords = PasswordThreads(passwords or Passwords())
        self._notes: set[asyncio.Task[None]] = set()

    @property
    def mode(self) -> UsersMode:
        """How users are known; never "none"."""
        return self.settings.mode

    async def close(self) -> None:
        """Wait for what is being noted, and end the threads for passwords."""
        await asyncio.gather(*self._notes, return_exceptions=True)
        self.passwords.close()

    def stranger(self) -> Identity:
        """Somebody who is not logged in."""
        return Identity(role="guest" if self.settings.guests else None)

    async def find(self, credential: Credential, project: str | None) -> Found:
        """Who shows this, and what they are in a project. `project`: name or uid in the address;
        None where it has none. Raises Problem: 401 for a token that is not known.
        """
        found = await self.workspace.look(_found, credential, project)
        if found.user is None and credential.means in ("token", "basic"):
            raise wrong_token()
        if found.user is None and credential.means == "header" and not found.disabled:
            await self.workspace.write(
                first_visit.account, "header", credential.text, self.settings.default_role
            )
            found = await self.workspace.look(_found, credential, project)
        if found.user is not None:
            self._note_use(found.row)
        return found

    def identity(self, credential: Credential, found: Found) -> Identity:
        """Who a request is from, after `find`."""
        user, row = found.user, found.row
        if user is None:
            return self.stranger()
        identity = Identity(
            uid=user.uid,
            name=user.name,
            shown=user.known_as,
            role=user.role,
            preferences=tuple(user.preferences.items()),
            means=credential.means,
        )
        if isinstance(row, Session):
            return replace(identity, session=row.id)
        return replace(identity, scopes=row.scopes) if isinstance(row, Token) else identity

    def _note_use(self, row: Session | Token | None) -> None:
        """Note, beside the answer, that a session or a token is used; seldom more than once a
        minute.
        """
        if isinstance(row, Session) and not sessions.is_noted(row):
            self._note(sessions.touch, row)
        elif isinstance(row, Token) and not tokens.is_noted(row):
            self._note(tokens.touch, row)

    def _note(self, function: Callable[[Database, T], None], row: T) -> None:
        name = f"{function.__module__} {row.id}"
        if len(self._notes) < _MOST_NOTES and all(task.get_name() != name for task in self._notes):
            task = asyncio.get_running_loop().create_task(self._noted(function, row), name=name)
            self._notes.add(task)
            task.add_done_callback(self._notes.discard)

    async def _noted(self, function: Callable[[Database, T], None], row: T) -> None:
        with suppress(MetasearchError):  # whoever changes something next is told of it
            await self.workspace.write(function, row)


def _found(db: Database, credential: Credential, project: str | None) -> Found:
    user: User | None = None
    row: Session | Token | None = None
    disabled = False
    if credential.means == "session":
        if (session := sessions.find(db, credential.text)) is not None:
            row, user = session
    elif credential.means == "header":
        user = accounts.by_subject(db, "header", credential.text)
        if user is not None and user.disabled:
            user, disabled = None, True
    elif (token := tokens.find(db, credential.text)) is not None:
        row, user = token
    place = None
    if user is not None and project is not None:
        place = members.project_of(db, project, user.uid)
    return Found(user, row, place, disabled)


#: The users of a server that has some.
USERS = web.AppKey("users", UsersService)


def users_of(request: web.Request) -> UsersService:
    """The users of the server.

    Raises:
        HTTPNotFound: It has none: the address does not exist.
    """
    service = request.app.get(USERS)
    if service is None:
        raise web.HTTPNotFound
    return service
