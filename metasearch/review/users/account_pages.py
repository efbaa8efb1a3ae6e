"""The page `/account`: what users see and change of their own accounts; and what every address
about users begins with: the workspace, and who asks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypedDict

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.citations import STYLES
from metasearch.language import TAGS, language
from metasearch.message import message
from metasearch.review.api import send_file
from metasearch.review.page import FormState, after_form, unknown_form, version_of
from metasearch.review.quota_checks import quotas_of, take
from metasearch.review.service import WORKSPACE, WorkspaceRequest, client_of, permit
from metasearch.review.store.database import Database
from metasearch.review.users import (
    accounts,
    addresses,
    audit,
    own_data,
    passwords,
    sessions,
    tokens,
)
from metasearch.review.users.accounts import LONGEST_EMAIL, LONGEST_SHOWN, User
from metasearch.review.users.identification import users_of
from metasearch.review.users.login_pages import count_login
from metasearch.review.users.passwords import MOST_BYTES
from metasearch.review.users.permissions_and_quotas import DAILY, Quotas, SystemAction
from metasearch.review.users.sessions import Session
from metasearch.review.users.tokens import LONGEST_NAME, MOST_DAYS, ApiToken
from metasearch.server.forms import choice_of, only, read_form_fields
from metasearch.server.identity import Identity, check, identity_of
from metasearch.server.middleware import check_host, check_host_and_origin
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.problem import Problem
from metasearch.server.sources import labels
from metasearch.server.visit import Visit, visit_of
from metasearch.settings.users import QUOTAS


class Actor(TypedDict):
    """Who does something, for the audit log; see `audit.write`."""

    by: str
    client: str


@dataclass(frozen=True, slots=True)
class AccountRequest(WorkspaceRequest):
    identity: Identity

    @property
    def visit(self) -> Visit:
        return visit_of(self.request)

    @property
    def actor(self) -> Actor:
        """Arguments of what writes a line of the audit log."""
        return {"by": self.identity.uid, "client": client_of(self.request)}

    async def user(self) -> User:
        """The user who asks, as they are now."""
        return await self.account(self.identity.uid)

    async def account(self, uid: str) -> User:
        """A user by the name in an address."""
        user = await self.workspace.read(accounts.by_uid, uid[:40])
        if user is None:
            raise Problem(404)
        return user


def account_request(
    request: web.Request, action: SystemAction, *, interface: bool = False
) -> AccountRequest:
    """A request that is about users. `interface`: whether it is one of the JSON interface, whose
    changes have no token of a form.
    """
    identity = identity_of(request)
    service = request.app.get(WORKSPACE)
    if identity is None or service is None or not identity.uid:
        raise Problem(404)
    if interface:
        check_host_and_origin(request)
    else:
        check_host(request)
    check(request, action)
    return AccountRequest(request, service, identity)


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
#: Digits of the number of a row.
_LONGEST_NUMBER = 15


class RenderWithSecret(Protocol):
    """Makes a page again: with what there is to say, and a secret that is shown once."""

    def __call__(self, said: FormState, secret: str = "") -> Awaitable[str]: ...


def row_number(text: str) -> int:
    """The number of a row in a form or an address."""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise Problem(404)
    return int(text)


async def end_session(here: AccountRequest, text: str) -> int:
    """End one session, or all but the present one; returns how many have ended. `text`: the number
    of one, or "others".
    """
    user = await here.user()
    if text == "others":
        return await here.workspace.write(sessions.end_all, user, keep=here.identity.session)
    if not await here.workspace.write(sessions.end, user, row_number(text)):
        raise Problem(404)
    return 1


async def make_token(
    here: AccountRequest, name: str, scopes: Iterable[str], days: int
) -> tuple[str, ApiToken]:
    """A new token: its text, which is nowhere else, and what is kept of it. Raises UsageError: a
    value cannot be used, or there are too many.
    """
    return await here.workspace.write(
        tokens.create,
        await here.user(),
        name,
        scopes,
        days,
        **here.actor,
    )


async def revoke_token(here: AccountRequest, text: str) -> None:
    user = await here.user()
    if not await here.workspace.write(tokens.revoke, user, row_number(text), **here.actor):
        raise Problem(404)


async def delete_account(here: AccountRequest, confirmed: str) -> None:
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
    await here.workspace.write(own_data.delete, user, **here.actor)


async def own_data_file(here: AccountRequest) -> web.StreamResponse:
    """What the server keeps about the user, as a JSON file."""
    user = await here.user()
    with permit(here.request, "exports"), tempfile.TemporaryFile(prefix="metasearch-") as file:
        await take(here.request, "exports")
        await here.workspace.long(own_data.export, user, file)
        await here.workspace.write(_note_export, user, client_of(here.request))
        return await send_file(here.request, file, "application/json", "metasearch-account.json")


async def _check_password(here: AccountRequest, user: User, typed: str) -> None:
    """UsageError: It is wrong, or one must wait."""
    users, client = users_of(here.request), client_of(here.request)
    await count_login(users, user.name, client)
    kept = await here.workspace.read(accounts.password_hash, user)
    right, _ = await users.passwords.verify(kept, typed)
    if not right:
        raise UsageError(message("The password is wrong"), advice=message("Nothing is changed."))
    await here.workspace.write(passwords.note_success, user.name, client)


def _note_export(db: Database, user: User, client: str) -> None:
    audit.write(db, user.uid, "export", f"user:{user.uid}", {"what": "own data"}, client)


# `/account`: details, password, sessions, tokens and own data of the user who asks.

#: What holds a secret is kept nowhere.
_NOT_KEPT = {"Cache-Control": "no-store"}


async def answer_account(request: web.Request) -> web.StreamResponse:
    here = account_request(request, "account")

    async def render(said: FormState, secret: str = "") -> str:
        return await _page(here, said, secret)

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields = await read_form_fields(request)
    match only(fields, "do"):
        case "token":
            return await _new_token(here, fields, render)
        case "delete":
            return await _delete(here, fields, render)
    return await after_form(request, fields, lambda: _apply_form(here, fields), render)


async def answer_data(request: web.Request) -> web.StreamResponse:
    """`/account/data`: what the server keeps about the user, as a JSON file."""
    return await own_data_file(account_request(request, "account"))


async def _page(here: AccountRequest, said: FormState, secret: str) -> str:
    """The whole page. `secret`: the text of a token that was just made."""
    async with here.shared.admission.brief():
        user = await here.user()
        own_sessions, own_tokens = await here.workspace.read(_sessions_and_tokens, user)
        quotas = await here.workspace.read(quota_lines, quotas_of(here.request), user)
    registry = here.shared.engine.registry
    known = frozenset(registry.names())
    names = [name for name in here.visit.preferences.sources if name in known]
    return page(
        "users/account.html",
        here.visit,
        here.visit.language.gettext("Account"),
        current="/account",
        user=user,
        role=ROLE_WORDS[user.role],
        emails=user.preferences.get("emails") is not False,
        sessions=own_sessions,
        tokens=own_tokens,
        here=here.identity.session,
        quotas=quotas,
        sources=list(labels(here.shared.engine, names, here.visit.language).values()),
        said=said,
        done=DONE_WORDS.get(only(here.request.query, "done"), ""),
        secret=secret,
        languages=[language(tag) for tag in TAGS],
        styles={name: style.about for name, style in STYLES.items()},
        usual_style=STYLES[here.visit.usual_style].about,
        scope_words=SCOPE_WORDS,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
        longest_password=MOST_BYTES,
        longest_token_name=LONGEST_NAME,
        most_days=MOST_DAYS,
        usual_days=str(USUAL_DAYS),
    )


def _sessions_and_tokens(db: Database, user: User) -> tuple[list[Session], list[ApiToken]]:
    with db.snapshot():
        return sessions.of(db, user), tokens.of(db, user)


async def _apply_form(here: AccountRequest, fields: MultiMapping[str]) -> str:
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


async def _details(here: AccountRequest, fields: MultiMapping[str]) -> None:
    visit = here.visit
    language = choice_of(fields, "language", TAGS, visit.preferences.language)
    style = choice_of(fields, "style", ("", *STYLES), visit.preferences.style)
    await here.workspace.write(
        accounts.update,
        await here.user(),
        shown=only(fields, "shown").strip(),
        email=only(fields, "email").strip(),
        preferences={"language": language, "style": style, "emails": "emails" in fields},
        version=version_of(fields),
        **here.actor,
    )
    visit.prefer(language=language, style=style)  # the cookie follows


async def _new_token(
    here: AccountRequest, fields: MultiMapping[str], render: RenderWithSecret
) -> web.Response:
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
        page = await render(FormState(error, fields, "token"))
        return page_response(here.request, page, 400)
    return page_response(here.request, await render(FormState(), secret), headers=_NOT_KEPT)


async def _delete(
    here: AccountRequest, fields: MultiMapping[str], render: RenderWithSecret
) -> web.Response:
    try:
        await delete_account(here, only(fields, "confirm"))
    except UsageError as error:
        page = await render(FormState(error, fields, "delete"))
        return page_response(here.request, page, 400)
    here.visit.forget()
    return see_other(here.request, here.visit.site.path("/"))
