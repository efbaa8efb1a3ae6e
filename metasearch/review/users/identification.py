"""The users of a server: what a request shows, who it is from (a cookie, a token, or a header of
the proxy), and whether it goes through.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Literal, TypeVar

from aiohttp import hdrs, web

from metasearch.errors import MetasearchError
from metasearch.loop import keep_running
from metasearch.message import message
from metasearch.review.projects import members
from metasearch.review.projects.projects import ProjectRow
from metasearch.review.service import WORKSPACE
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import accounts, sessions, tokens
from metasearch.review.users.accounts import User
from metasearch.review.users.passwords import Passwords, PasswordThreads
from metasearch.review.users.permissions_and_quotas import SYSTEM_ACTIONS, Action, ProjectRole
from metasearch.review.users.permissions_and_quotas import may as role_may
from metasearch.review.users.sessions import Session
from metasearch.review.users.tokens import ApiToken
from metasearch.server.forms import is_from_elsewhere
from metasearch.server.identity import IDENTITY, Identity, Means, identity_of, is_allowed
from metasearch.server.limits.client_limits import LONGEST_LINE, USER, Clients
from metasearch.server.problem import Problem, wants_html
from metasearch.server.route import Route
from metasearch.server.site import SHARED, Site, site_of
from metasearch.server.visit import FORGED, VISIT, Preferences, of_user
from metasearch.settings.users import UsersMode, UsersSettings

_COOKIE = "metasearch-session"
#: Characters of a name in the header of a proxy, and of a project in an address.
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request shows.

    Attributes:
        means: How.
        text: The secret of a session, the text of a token, or the name that the proxy gives.
    """

    means: Means
    text: str


def wrong_token() -> Problem:
    """401 for a token that is unknown, has ended, or is none."""
    return Problem(
        401,
        "login-needed",
        message("This server does not know that token, or it has ended."),
        headers={hdrs.WWW_AUTHENTICATE: 'Bearer realm="metasearch", error="invalid_token"'},
    )


def cookie_name(site: Site) -> str:
    """The cookie of a session. With HTTPS browsers take one with `__Host-` from this very host
    alone, so that no neighbour can plant one; without HTTPS they take none.
    """
    return f"__Host-{_COOKIE}" if site.base.startswith("https:") else _COOKIE


def session_secret(request: web.Request) -> str:
    """The secret in the cookie of a session; "" where there is none."""
    return request.cookies.get(cookie_name(site_of(request)), "")


def session_mark(request: web.Request) -> str:
    """What the tokens of forms contain of a session; "" where the request has none."""
    secret = session_secret(request)
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest() if secret else ""


def of_cookie(request: web.Request) -> Credential | None:
    """The session of a browser."""
    secret = session_secret(request)
    return Credential("session", secret) if secret else None


def of_authorization(request: web.Request, *, proxied: bool) -> Credential | None:
    """The API token of a program.

    `proxied`: whether a proxy says who asks. What it lets through for itself, such as a password
    for it, is then left alone. Raises Problem: 401 for something that is no token.
    """
    scheme, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    given = given.strip()
    means: Literal["token", "basic"] | None = None
    match scheme.lower():
        case "bearer":
            means = "token"
        case "basic":
            # Some clients of the older protocols know a name and a password alone.
            means, given = "basic", _basic_password(given)
    if means is not None and given.startswith(tokens.PREFIX):
        return Credential(means, given)
    if scheme and not proxied:
        raise wrong_token()
    return None


def of_header(request: web.Request, header: str, clients: Clients) -> Credential | None:
    """The user whom a proxy names. Raises Problem: 400 where the header does not come from a proxy,
    comes twice, in a spelling that some servers take for it, or names nobody.
    """
    given = [
        (name, value)
        for name, value in request.raw_headers
        if _normal_header(name.decode("latin-1")) == _normal_header(header)
    ]
    if not given:
        return None
    peername = request.transport.get_extra_info("peername") if request.transport else None
    peer = clients.peer(peername)
    if peer is None or not clients.trusts(peer):
        raise _refusal(
            message("Only a proxy that [server] trusted_proxies names may say who asks.")
        )
    if len(given) > 1 or given[0][0].decode("latin-1").lower() != header.lower():
        raise _refusal(message("The header that names the user is there twice, or misspelt."))
    try:
        name = given[0][1].decode().strip()
    except UnicodeDecodeError:
        name = ""
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise _refusal(
            message(
                "The header that names the user is empty, or no name of at most {most} characters.",
                most=_LONGEST_NAME,
            )
        )
    return Credential("header", name)


def _normal_header(name: str) -> str:
    """A name of a header as servers that write it into variables confuse it."""
    return name.lower().replace("_", "-")


def _basic_password(given: str) -> str:
    try:
        text = base64.b64decode(given, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return text.partition(":")[2]


def _refusal(detail: str) -> Problem:
    return Problem(400, None, detail)


T = TypeVar("T", Session, ApiToken)

#: Notes of use that are written at once; the others are left out.
_MOST_NOTES = 100


@dataclass(frozen=True, slots=True)
class CredentialMatch:
    """What a credential and the project of an address lead to.

    Attributes:
        user: None where the credential is not known, has ended, or is of a disabled account.
        place: The project, and the role of the user in it; None both where there is no such project
            and where it is not theirs.
        disabled: Whether the proxy names an account that is disabled.
    """

    user: User | None
    row: Session | ApiToken | None = None
    place: tuple[ProjectRow, ProjectRole] | None = None
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

    async def find(self, credential: Credential, project: str | None) -> CredentialMatch:
        """Who shows this, and what they are in a project. `project`: name or uid in the address;
        None where it has none. Raises Problem: 401 for a token that is not known.
        """
        found = await self.workspace.look(_match, credential, project)
        if found.user is None and credential.means in ("token", "basic"):
            raise wrong_token()
        if found.user is None and credential.means == "header" and not found.disabled:
            await self.workspace.write(
                accounts.visitor_account, "header", credential.text, self.settings.default_role
            )
            found = await self.workspace.look(_match, credential, project)
        if found.user is not None:
            self._note_use(found.row)
        return found

    def identity(self, credential: Credential, found: CredentialMatch) -> Identity:
        """Who a request is from, after `find`."""
        user, row = found.user, found.row
        if user is None:
            return self.stranger()
        identity = Identity(
            uid=user.uid,
            name=user.name,
            shown=user.display_name,
            role=user.role,
            preferences=tuple(user.preferences.items()),
            means=credential.means,
        )
        if isinstance(row, Session):
            return replace(identity, session=row.id)
        return replace(identity, scopes=row.scopes) if isinstance(row, ApiToken) else identity

    def _note_use(self, row: Session | ApiToken | None) -> None:
        """Note, beside the answer, that a session or a token is used; seldom more than once a
        minute.
        """
        if isinstance(row, Session) and not sessions.is_noted(row):
            self._note(sessions.touch, row)
        elif isinstance(row, ApiToken) and not tokens.is_noted(row):
            self._note(tokens.touch, row)

    def _note(self, function: Callable[[Database, T], None], row: T) -> None:
        name = f"{function.__module__} {row.id}"
        if len(self._notes) < _MOST_NOTES and all(task.get_name() != name for task in self._notes):
            keep_running(self._write_note(function, row), self._notes, name)

    async def _write_note(self, function: Callable[[Database, T], None], row: T) -> None:
        with suppress(MetasearchError):  # whoever changes something next is told of it
            await self.workspace.write(function, row)


def _match(db: Database, credential: Credential, project: str | None) -> CredentialMatch:
    user: User | None = None
    row: Session | ApiToken | None = None
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
    return CredentialMatch(user, row, place, disabled)


#: The users of a server that has some.
USERS = web.AppKey("users", UsersService)


def users_of(request: web.Request) -> UsersService:
    """The users of the server. Raises HTTPNotFound: it has none: the address does not exist."""
    service = request.app.get(USERS)
    if service is None:
        raise web.HTTPNotFound
    return service


# What happens to each request of a server with users, before its handler runs: who it is from, and
# whether they may do it. What no route allows is refused.

#: The role in the project of the address; absent in mode none, and elsewhere.
PROJECT_ROLE: web.RequestKey[ProjectRole] = web.RequestKey("project role")
#: Methods that change nothing.
_SAFE = ("GET", "HEAD", "OPTIONS")
#: Challenges of a 401. The second one makes browsers ask for a password, so they do not get it.
_BEARER, _BASIC = 'Bearer realm="metasearch"', 'Basic realm="metasearch", charset="UTF-8"'


async def identify(request: web.Request, users: UsersService, asked: Route | None) -> None:
    """Find out who a request is from, and what they are in the project of its address. Raises
    Problem: 400 where somebody else than a proxy names the user, 401 for a token that is not known,
    403 for a disabled account.
    """
    request[IDENTITY] = users.stranger()
    if asked is not None and asked.keyless and asked.counted == "none":
        return  # pictures and health: nothing in them depends on anybody
    credential = _credential(request, users)
    if credential is None:
        return
    name = request.match_info.get("project")
    found = await users.find(credential, None if name is None else name[:_LONGEST_NAME])
    if found.disabled:
        raise Problem(403, "not-allowed", message("Your account is disabled."))
    identity = request[IDENTITY] = users.identity(credential, found)
    _note_project_role(request, found)
    if identity.uid:
        request[USER] = request.app[SHARED].clients.user(request, b"user " + identity.uid.encode())


def permit(request: web.Request, users: UsersService, asked: Route | None) -> None:
    """Let a request through to its handler, or not. Raises HTTPSeeOther: a page for somebody who is
    not logged in: the browser is sent to the login; Problem: 401 for somebody who is not logged in,
    403 for what is not allowed, 404 for a project that is not there or not theirs.
    """
    identity = identity_of(request)
    assert identity is not None
    changes = request.method not in _SAFE
    if changes and identity.by_browser and _from_other_page(request):
        raise Problem(403, "forged-form", FORGED)
    if asked is None or asked.keyless:  # an address that does not exist has nothing to protect
        return
    if asked.local and not identity.uid and request.app[SHARED].clients.of(request).local:
        return  # whom a proxy on this machine names has come from elsewhere
    action = asked.posts_action or asked.action if changes else asked.action
    name = request.match_info.get("project")
    if name is None:
        permitted = is_allowed(request, action)
    else:
        permitted = action not in SYSTEM_ACTIONS and is_allowed(request, action)
    if permitted:
        return
    if not identity.uid:
        raise login_answer(request, users, asked)
    if name is not None and PROJECT_ROLE not in request:
        raise Problem(404, None, message("There is no project {name}", name=repr(name[:60])))
    if identity.scopes is not None:
        raise Problem(403, "not-allowed", message("The token, or your role, does not allow this."))
    raise Problem(403, "not-allowed", message("Your role does not allow this."))


def may(request: web.Request, action: Action) -> bool:
    """Whether who asks may do something, in the project of the address if there is one."""
    identity = identity_of(request)
    assert identity is not None
    role = request.get(PROJECT_ROLE)
    return role_may(action, identity.role, role) and _in_scope(request, identity, action)


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


def _credential(request: web.Request, users: UsersService) -> Credential | None:
    """What the request shows; a token comes before what a browser or a proxy sends by itself."""
    proxied = users.mode == "header"
    header = None
    if proxied:
        header = of_header(request, users.settings.header, request.app[SHARED].clients)
    token = of_authorization(request, proxied=header is not None)
    return token or (header if proxied else of_cookie(request))


def _note_project_role(request: web.Request, found: CredentialMatch) -> None:
    """Note the role in the project of the address, which the handler then finds by its uid: another
    project may be called what this one's uid is.
    """
    if found.place is not None:
        project, role = found.place
        request[PROJECT_ROLE] = role
        request.match_info["project"] = project.uid


def _from_other_page(request: web.Request) -> bool:
    """Whether a page of another site may have had the browser send this POST.

    Forms have a token, which their handlers check; the JSON interface has none, so that there the
    browser must say where it comes from.
    """
    if is_from_elsewhere(request):
        return True
    unsaid = "Sec-Fetch-Site" not in request.headers
    return (
        unsaid
        and request.headers.get(hdrs.ORIGIN) == "null"
        and request.match_info.route.resource is not None
        and request.match_info.route.resource.canonical.startswith("/api/")
    )


def login_answer(
    request: web.Request, users: UsersService, asked: Route | None = None
) -> Exception:
    """The answer to somebody who is not logged in, to be raised. `asked`: the route, where its
    address may be one that only takes forms, or clients of other protocols ask it.
    """
    if wants_html(request) and users.mode != "header":
        return web.HTTPSeeOther(
            login_address(request, asked), headers={"Cache-Control": "no-store"}
        )
    challenges = [_BEARER]
    if asked is not None and asked.action == "search" and "Sec-Fetch-Mode" not in request.headers:
        challenges.append(_BASIC)
    detail = (
        message("The proxy in front of this server does not say who you are. Log in there.")
        if users.mode == "header"
        else message("Log in, or send an API token as `Authorization: Bearer TOKEN`.")
    )
    return Problem(
        401, "login-needed", detail, headers={hdrs.WWW_AUTHENTICATE: ", ".join(challenges)}
    )


def login_address(request: web.Request, asked: Route | None = None) -> str:
    """Of the login page, from where the browser comes back to this address. `asked`: its route,
    where its address may be one that only takes forms.
    """
    site = site_of(request)
    if request.method in ("GET", "HEAD"):
        back = site.root + request.rel_url.raw_path_qs
    elif asked is None or asked.gets:
        back = site.root + request.rel_url.raw_path
    else:
        back = ""
    address = site.path("/login", next=back) if back not in ("", f"{site.root}/") else ""
    return address if address and len(address) <= LONGEST_LINE else site.path("/login")


def account_preferences(preferences: Preferences) -> dict[str, Any]:
    """What an account keeps of them, each value whole; colours belong to a device, and stay in its
    cookie.
    """
    return {
        "language": preferences.language,
        "page_size": preferences.page_size,
        "style": preferences.style,
        "sources": list(preferences.sources),
    }


async def keep_preferences(request: web.Request) -> None:
    """Keep in the account of a user what they have just chosen, by a form or a link."""
    identity = identity_of(request)
    if identity is None or not identity.uid or VISIT not in request:
        return
    chosen = request[VISIT].chosen
    if chosen is not None:
        # A language is kept also where it is the usual one: a browser may like another.
        usual = {
            name: value
            for name, value in account_preferences(Preferences()).items()
            if name != "language"
        }
        new, before = account_preferences(chosen), usual | of_user(request)
        changed = {name: value for name, value in new.items() if before.get(name) != value}
        if changed:
            await save_preferences(request, identity.uid, changed)


# Keeps what a user has chosen in the account.


async def save_preferences(request: web.Request, uid: str, changed: Mapping[str, Any]) -> None:
    """Keep what a user has chosen; that of a user who is gone is passed over. Raises
    WorkspaceError: the file cannot be used.
    """
    service = request.app.get(WORKSPACE)
    if service is not None:
        await service.workspace.write(_save_preferences, uid, changed)


def _save_preferences(db: Database, uid: str, changed: Mapping[str, Any]) -> None:
    user = accounts.by_uid(db, uid)
    if user is not None:
        accounts.update(db, user, preferences=changed, by=uid)
