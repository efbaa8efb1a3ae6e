"""Who a request is from, and what they may do."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, Self

from aiohttp import hdrs, web

from metasearch.message import message
from metasearch.server.problem import Problem

if TYPE_CHECKING:
    from metasearch.workspace.users.permissions import Action, ProjectRole, SystemRole

#: How a request says who it is from: the cookie of a session, a header of the proxy, or an API
#: token, which some clients can only send as the password of HTTP Basic.
Means = Literal["session", "header", "token", "basic"]
#: Characters of an identity that is passed on: a header takes somewhat more.
_LONGEST = 6_000


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a request is from, on a server with users.

    Attributes:
        uid: Of the user; "" for a guest who is not logged in.
        name: What is typed at login; "" for a guest.
        role: In the workspace; None for somebody who is not known and may not search.
        session: Row of the session; None where there is none.
        scopes: Of the API token; None where the request has none, and nothing is narrowed.
        preferences: What the user has chosen: language, databases, style.
        means: How the request says it; None for a guest.
    """

    uid: str = ""
    name: str = ""
    shown: str = ""
    role: SystemRole | None = None
    session: int | None = None
    scopes: frozenset[str] | None = None
    preferences: tuple[tuple[str, object], ...] = ()
    means: Means | None = None

    def dumped(self) -> str:
        """For another worker of this server, to which the request is passed on: ASCII on one line.
        Preferences that would be too long for a header are left out.
        """
        scopes = None if self.scopes is None else sorted(self.scopes)
        members = {field.name: getattr(self, field.name) for field in fields(self)}
        text = json.dumps(members | {"scopes": scopes})
        return text if len(text) <= _LONGEST else replace(self, preferences=()).dumped()

    @classmethod
    def loaded(cls, text: str) -> Self:
        """Of `dumped`; from another worker alone, as a client writes what it likes."""
        members = json.loads(text)
        scopes = members.pop("scopes")
        preferences = tuple((name, value) for name, value in members.pop("preferences"))
        return cls(
            **members,
            scopes=None if scopes is None else frozenset(scopes),
            preferences=preferences,
        )

    @property
    def by_browser(self) -> bool:
        """Whether a browser says it by itself, also where a page of another site sends the request:
        what changes something must then come from a page of this server.
        """
        return self.means in ("session", "header", "basic")


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request shows. `text`: the secret of a session, the text of a token, or the name that
    the proxy gives.
    """

    means: Means
    text: str


#: Set by the middleware on a server with users; absent in mode none.
IDENTITY: web.RequestKey[Identity] = web.RequestKey("identity", Identity)
#: The role in the project of the address; absent in mode none, and elsewhere.
PROJECT_ROLE: web.RequestKey[str] = web.RequestKey("project role", str)


def wrong_token() -> Problem:
    """401 for a token that is unknown, has ended, or is none."""
    return Problem(
        401,
        "login-needed",
        message("This server does not know that token, or it has ended."),
        headers={hdrs.WWW_AUTHENTICATE: 'Bearer realm="metasearch", error="invalid_token"'},
    )


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

    role: ProjectRole | None = request.get(PROJECT_ROLE)
    return may(action, identity.role, role) and _in_scope(request, identity, action)


def check(request: web.Request, action: Action) -> None:
    """Refuse a request that asks for more than is allowed. Raises Problem: 403."""
    if not allowed(request, action):
        raise Problem(403, "not-allowed", message("Your role does not allow this."))


def _in_scope(request: web.Request, identity: Identity, action: Action) -> bool:
    """Whether the token of a request, if it has one, is good for an action.

    No token is good for the account itself: whoever finds one could make others of it, which
    outlive it, and end the sessions of its owner.
    """
    if identity.scopes is None or action == "search":
        return True  # every token searches
    if action == "account" or identity.means == "basic":
        return False
    if "write" in identity.scopes:
        return True
    reads = request.method in ("GET", "HEAD") or action == "export"
    return "read" in identity.scopes and reads and action != "administer"
