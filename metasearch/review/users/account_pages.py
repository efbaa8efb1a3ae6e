"""The page `/account`: what users see and change of their own accounts.

What every address about users begins with: the workspace, and who asks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.citations import STYLES
from metasearch.message import message
from metasearch.review.api import send_file
from metasearch.review.page import Said, after_form, unknown_form
from metasearch.review.quota_checks import quotas_of, take
from metasearch.review.service import WORKSPACE, permit
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import accounts, addresses, audit, own_data, sessions, tokens
from metasearch.review.users import passwords as failures
from metasearch.review.users.accounts import LONGEST_EMAIL, LONGEST_SHOWN, User
from metasearch.review.users.login_pages import attempted
from metasearch.review.users.passwords import MOST_BYTES
from metasearch.review.users.permissions import DAILY, Quotas, SystemAction
from metasearch.review.users.service import users_of
from metasearch.review.users.sessions import Session
from metasearch.review.users.tokens import MOST_DAYS, Token
from metasearch.server.forms import chosen, only, posted
from metasearch.server.identity import Identity, check, identity_of
from metasearch.server.middleware import check_addressed, check_host
from metasearch.server.pages.environment import N_, TAGS, language
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, ServerContext
from metasearch.server.sources import labels
from metasearch.server.visit import Visit, visit_of
from metasearch.settings.users import QUOTAS


@dataclass(frozen=True, slots=True)
class Here:
    """A request of a user."""

    request: web.Request
    identity: Identity
    workspace: Workspace

    @property
    def shared(self) -> ServerContext:
        """What every handler of the server uses."""
        return self.request.app[SHARED]

    @property
    def visit(self) -> Visit:
        """Who looks, and in which language."""
        return visit_of(self.request)

    @property
    def client(self) -> str:
        """A pseudonym of the address, for the audit log."""
        clients = self.shared.clients
        return clients.pseudonym(clients.of(self.request))

    async def user(self) -> User:
        """The user who asks, as they are now."""
        return await self.account(self.identity.uid)

    async def account(self, uid: str) -> User:
        """A user by the name in an address."""
        return found(await self.workspace.read(accounts.by_uid, uid[:40]))


def found(user: User | None) -> User:
    """A user who is there."""
    if user is None:
        raise Problem(404)
    return user


def opened(request: web.Request, action: SystemAction, *, interface: bool = False) -> Here:
    """A request that is about users. `interface`: whether it is one of the JSON interface, whose
    changes have no token of a form.
    """
    identity = identity_of(request)
    service = request.app.get(WORKSPACE)
    if identity is None or service is None or not identity.uid:
        raise Problem(404)
    if interface:
        check_addressed(request)
    else:
        check_host(request)
    check(request, action)
    return Here(request, identity, service.workspace)


# What roles, scopes and actions of the audit log are called on pages.

#: Role in the workspace -> its name.
ROLE_WORDS: Mapping[str, str] = {
    "administrator": N_("Administrator"),
    "user": N_("User"),
    "guest": N_("Guest"),
}
#: Role -> what it may do.
ROLE_ABOUT: Mapping[str, str] = {
    "administrator": N_("manages users and sources, and does what users do"),
    "user": N_("searches, saves searches, makes projects and joins them"),
    "guest": N_("searches only"),
}
#: Scope of a token -> (its name, what a program may do with it).
SCOPE_WORDS: Mapping[str, tuple[str, str]] = {
    "search": (N_("search"), N_("Asks the databases, and reads works.")),
    "read": (N_("read"), N_("Reads projects and saved searches that you may read.")),
    "write": (N_("write"), N_("Changes them, where you may.")),
}
#: Who says that a user is who they are -> its name.
ORIGIN_WORDS: Mapping[str, str] = {
    "local": N_("password"),
    "header": N_("proxy"),
    "oidc": N_("OpenID provider"),
}
#: Action of the audit log -> its name.
AUDIT_WORDS: Mapping[str, str] = {
    "login": N_("login"),
    "login failed": N_("login failed"),
    "logout": N_("logout"),
    "account": N_("account changed"),
    "disable": N_("account disabled"),
    "enable": N_("account enabled"),
    "password": N_("password changed"),
    "token": N_("token made or revoked"),
    "link": N_("link made or revoked"),
    "role": N_("role changed"),
    "member": N_("members of a project changed"),
    "quota": N_("quota"),
    "export": N_("export"),
    "delete": N_("deleted"),
    "report signed": N_("report signed"),
    "sources": N_("sources switched"),
}
#: Kind of quota -> what it is of.
QUOTA_WORDS: Mapping[str, str] = {
    "searches": N_("Searches a day"),
    "sources": N_("Databases of a search"),
    "saved_searches": N_("Saved searches"),
    "scheduled_runs": N_("Runs of saved searches a day"),
    "stored_records": N_("Records kept in own projects"),
    "stored_bytes": N_("Bytes kept in own projects"),
    "exports": N_("Exports a day"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaLine:
    """A quota of a user.

    Attributes:
        words: What it is of, to be translated.
        used: Today, or in all; None where each search is looked at for itself.
        configured: How much users may take on this server.
        own: The user's own number as text; "" for none.
    """

    kind: str
    words: str
    used: int | None
    limit: int
    configured: int
    own: str

    @property
    def left(self) -> int | None:
        """What is left; None where nothing is summed up."""
        return None if self.used is None else max(0, self.limit - self.used)


def quota_lines(db: Database, quotas: Quotas, user: User) -> list[QuotaLine]:
    """All quotas of a user."""
    limits = quotas.limits(db, user.uid)
    return [
        QuotaLine(
            kind=kind,
            words=words,
            used=_used(db, quotas, user, kind),
            limit=limits[kind],
            configured=quotas.configured.get(kind, QUOTAS[kind]),
            own=str(user.quotas.get(kind, "")),
        )
        for kind, words in QUOTA_WORDS.items()
        if kind in limits
    ]


def _used(db: Database, quotas: Quotas, user: User, kind: str) -> int | None:
    if kind in DAILY:
        return quotas.limits(db, user.uid)[kind] - quotas.left(db, user.uid, kind)
    match kind:
        case "saved_searches":
            return int(db.value("SELECT count(*) FROM saved_search WHERE owner = ?", user.uid) or 0)
        case "stored_records":
            return quotas.stored(db, user.uid).records
        case "stored_bytes":
            return quotas.stored(db, user.uid).bytes
    return None


# The account of a reader: details, password, sessions, tokens, and their own data.

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "details": N_("Your details are saved."),
    "address": N_("The link is sent to your address. Open it within two days."),
    "ended": N_("The session has ended."),
    "others": N_("All other sessions have ended."),
    "revoked": N_("The token is revoked."),
    "token": N_("The token is made."),
}
#: Days that a new token is good for, where nothing else is typed.
USUAL_DAYS = 90
_LONGEST_TOKEN_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView:
    """What the page shows.

    Attributes:
        here: Row of the session of this request; None for none.
        sources: Labels of the databases that the user has chosen.
        password: Whether the user logs in here by a password.
    """

    user: User
    sessions: Sequence[Session]
    tokens: Sequence[Token]
    here: int | None
    quotas: Sequence[QuotaLine]
    sources: Sequence[str]
    password: bool


def account_page(
    visit: Visit, view: AccountView, said: Said, done: str = "", secret: str = ""
) -> str:
    """The whole page."""
    user = view.user
    return page(
        "users/account.html",
        visit,
        visit.language.gettext("Account"),
        current="/account",
        user=user,
        role=ROLE_WORDS[user.role],
        emails=user.preferences.get("emails") is not False,
        sessions=view.sessions,
        tokens=[_token(each) for each in view.tokens],
        here=view.here,
        quotas=view.quotas,
        sources=view.sources,
        has_password=view.password,
        said=said,
        done=DONE_WORDS.get(done, ""),
        secret=secret,
        languages=[language(tag) for tag in TAGS],
        styles={name: style.about for name, style in STYLES.items()},
        usual_style=STYLES[visit.usual_style].about,
        scope_words=SCOPE_WORDS,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
        longest_password=MOST_BYTES,
        longest_token_name=_LONGEST_TOKEN_NAME,
        most_days=MOST_DAYS,
        usual_days=str(USUAL_DAYS),
    )


def _token(token: Token) -> Mapping[str, object]:
    return {
        "id": token.id,
        "name": token.name,
        "scopes": [scope for scope in SCOPE_WORDS if scope in token.scopes],
        "created": token.created,
        "expires": token.expires,
        "used": token.used,
    }


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
    elif accounts.normal_name(confirmed) != user.name:
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
    await here.workspace.write(failures.login_succeeded, user.name, here.client)


def _exported(db: Database, user: User, client: str) -> None:
    audit.write(db, user.uid, "export", f"user:{user.uid}", {"what": "own data"}, client)


# `/account`: details, password, sessions, tokens and own data of the user who asks.

#: What holds a secret is kept nowhere.
_NOT_KEPT = {"Cache-Control": "no-store"}


async def answer_account(request: web.Request) -> web.StreamResponse:
    """The page, or what one of its forms says."""
    here = opened(request, "account")

    async def render(said: Said, secret: str = "") -> str:
        view = await _view(here)
        return account_page(here.visit, view, said, only(request.query, "done"), secret)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    match only(fields, "do"):
        case "token":
            return await _new_token(here, fields, render)
        case "delete":
            return await _deleted(here, fields, render)
    return await after_form(request, fields, lambda: _changed(here, fields), render)


async def answer_data(request: web.Request) -> web.StreamResponse:
    """`/account/data`: what the server keeps about the user, as a JSON file."""
    return await own_data_file(opened(request, "account"))


async def _view(here: Here) -> AccountView:
    async with here.shared.admission.brief():
        user = await here.user()
        own_sessions, own_tokens = await here.workspace.read(_held, user)
        quotas = await here.workspace.read(quota_lines, quotas_of(here.request), user)
    registry = here.shared.engine.registry
    known = frozenset(registry.names())
    names = [name for name in here.visit.preferences.sources if name in known]
    return AccountView(
        user=user,
        sessions=own_sessions,
        tokens=own_tokens,
        here=here.identity.session,
        quotas=quotas,
        sources=list(labels(here.shared.engine, names).values()),
        password=user.has_password,
    )


def _held(db: Database, user: User) -> tuple[list[Session], list[Token]]:
    with db.snapshot():
        return sessions.of(db, user), tokens.of(db, user)


async def _changed(here: Here, fields: MultiMapping[str]) -> str:
    """Does what a form says; the address that shows it."""
    path = here.visit.site.path
    if ended := only(fields, "end"):
        await end_session(here, ended)
        return path("/account", done="others" if ended == "others" else "ended")
    if revoked := only(fields, "revoke"):
        await revoke_token(here, revoked)
        return path("/account", done="revoked")
    if only(fields, "do") == "address":
        await here.workspace.write(addresses.ask, (await here.user()).id)
        return path("/account", done="address")
    if only(fields, "do") == "details":
        await _details(here, fields)
        return path("/account", done="details")
    raise unknown_form()


async def _details(here: Here, fields: MultiMapping[str]) -> None:
    visit, version = here.visit, only(fields, "version")
    language = chosen(fields, "language", TAGS, visit.preferences.language)
    style = chosen(fields, "style", ("", *STYLES), visit.preferences.style)
    await here.workspace.write(
        accounts.update,
        await here.user(),
        shown=only(fields, "shown").strip(),
        email=only(fields, "email").strip(),
        preferences={"language": language, "style": style, "emails": "emails" in fields},
        version=int(version) if version.isascii() and version.isdigit() else None,
        by=here.identity.uid,
        client=here.client,
    )
    visit.prefer(language=language, style=style)  # the cookie follows


async def _new_token(here: Here, fields: MultiMapping[str], render: Render) -> web.Response:
    """The page with the new token, which is shown this once."""
    days = only(fields, "days")
    try:
        if not (days.isascii() and days.isdigit() and len(days) < 6):
            raise UsageError(
                message("The days are no whole number"),
                advice=message("Type a number of days, such as 90."),
            )
        secret, _ = await make_token(
            here, only(fields, "name").strip(), fields.getall("scope", []), int(days)
        )
    except UsageError as error:
        page = await render(Said(error, fields, "token"))
        return page_response(here.request, page, 400)
    return page_response(here.request, await render(Said(), secret), headers=_NOT_KEPT)


async def _deleted(here: Here, fields: MultiMapping[str], render: Render) -> web.Response:
    try:
        await delete_account(here, only(fields, "confirm"))
    except UsageError as error:
        page = await render(Said(error, fields, "delete"))
        return page_response(here.request, page, 400)
    here.visit.forget()
    return see_other(here.request, here.visit.site.path("/"))
