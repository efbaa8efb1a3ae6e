"""Who a request is from, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from metasearch.message import message
from metasearch.server.problem import Problem

if TYPE_CHECKING:
    from metasearch.workspace.users.permissions import Action, ProjectRole, SystemRole


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a request is from, on a server with users.

    Attributes:
        uid: Of the user; "" for a guest who is not logged in.
        name: What is typed at login; "" for a guest.
        shown: The name for people.
        role: In the workspace; None for somebody who is not known and may not search.
        session: Row of the session; None where there is none.
        scopes: Of the API token; None where the request has none, and nothing is narrowed.
        preferences: What the user has chosen: language, databases, style.
    """

    uid: str = ""
    name: str = ""
    shown: str = ""
    role: SystemRole | None = None
    session: int | None = None
    scopes: frozenset[str] | None = None
    preferences: tuple[tuple[str, object], ...] = ()


#: Set by the middleware on a server with users; absent in mode none.
IDENTITY: web.RequestKey[Identity] = web.RequestKey("identity", Identity)
#: The role in the project of the address; absent in mode none, and elsewhere.
PROJECT_ROLE: web.RequestKey[str] = web.RequestKey("project role", str)


def identity_of(request: web.Request) -> Identity | None:
    """Who a request is from; None on a server without users, where everybody may do everything."""
    return request.get(IDENTITY)


def who(request: web.Request) -> str:
    """What the `by` of a change says: the uid of the user; "" on a server without users."""
    identity = identity_of(request)
    return identity.uid if identity else ""


def allowed(request: web.Request, action: Action) -> bool:
    """Whether an action may be done, in the project of the address if it is one of a project."""
    identity = identity_of(request)
    if identity is None:
        return True
    from metasearch.workspace.users.permissions import may

    role: ProjectRole | None = request.get(PROJECT_ROLE)  # type: ignore[assignment]
    return may(action, identity.role, role)


def check(request: web.Request, action: Action) -> None:
    """Refuse a request that asks for more than is allowed.

    Raises:
        Problem: 403.
    """
    if not allowed(request, action):
        raise Problem(403, "not-allowed", message("Your role does not allow this."))
