"""Who a request is from, and what they may do."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Literal, Self

from aiohttp import web

from metasearch.message import message
from metasearch.server.limits.client_limits import USER
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.settings.users import SystemRole

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

    def dump(self) -> str:
        """For another worker of this server, to which the request is passed on: ASCII on one line.
        Preferences that would be too long for a header are left out.
        """
        scopes = None if self.scopes is None else sorted(self.scopes)
        members = {field.name: getattr(self, field.name) for field in fields(self)}
        text = json.dumps(members | {"scopes": scopes})
        return text if len(text) <= _LONGEST else replace(self, preferences=()).dump()

    @classmethod
    def load(cls, text: str) -> Self:
        """Of `dump`; from another worker alone, as a client writes what it likes."""
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


#: Set by the middleware on a server with users; absent in mode none.
IDENTITY: web.RequestKey[Identity] = web.RequestKey("identity", Identity)


def identity_of(request: web.Request) -> Identity | None:
    """Who a request is from; None on a server without users, where everybody may do everything."""
    return request.get(IDENTITY)


def who(request: web.Request) -> str:
    """What the `by` of a change says: the uid of the user; "" on a server without users."""
    identity = identity_of(request)
    return identity.uid if identity else ""


def owner(request: web.Request) -> str | None:
    """Whose queries a request may be shown: those of the user who is logged in, or that its key
    names; None where there are neither users nor keys, and for guests.
    """
    identity = identity_of(request)
    if identity is not None:
        return request[USER] if identity.uid else None
    return request[USER] if request.app[SHARED].keys else None


def is_allowed(request: web.Request, action: str) -> bool:
    """Whether an action may be done, in the project of the address if it is one of a project."""
    return identity_of(request) is None or request.app[SHARED].wing.may(request, action)


def check(request: web.Request, action: str) -> None:
    """Refuse a request that asks for more than is allowed. Raises Problem: 403."""
    if not is_allowed(request, action):
        raise Problem(403, "not-allowed", message("Your role does not allow this."))
