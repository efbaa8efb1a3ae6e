"""The pages `/admin/users`: the list, one user, new ones, invitations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.page import FormState, number_in, tabs, unknown_form, version_of
from metasearch.review.projects import members
from metasearch.review.quota_checks import quotas_of
from metasearch.review.store.database import Database
from metasearch.review.store.values import later
from metasearch.review.users import accounts, links, own_data, sessions, tokens
from metasearch.review.users.account_pages import (
    ORIGIN_WORDS,
    QUOTA_WORDS,
    ROLE_ABOUT,
    ROLE_WORDS,
    AccountRequest,
    account_request,
    quota_lines,
    row_number,
)
from metasearch.review.users.accounts import LONGEST_EMAIL, LONGEST_NAME, LONGEST_SHOWN, User
from metasearch.review.users.identification import users_of
from metasearch.review.users.links import PATHS, LinkKind
from metasearch.review.users.permissions_and_quotas import SYSTEM_ROLES, Quotas
from metasearch.server.forms import choice_of, only, read_form_fields
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.problem import Problem
from metasearch.settings.users import SystemRole

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "revoked": N_("The invitation is revoked."),
    "deleted": N_("The account is deleted."),
    "details": N_("The details are saved."),
    "quotas": N_("The quotas are saved."),
    "disabled": N_("The account is disabled."),
    "enabled": N_("The user may log in again."),
    "ended": N_("All sessions of the user have ended."),
}
#: What a link is for -> the heading above it.
LINK_WORDS: Mapping[str, str] = {
    "password": N_("Link to set a password"),
    "account": N_("Invitation to make an account"),
}


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that was just made, and is shown this once.

    Attributes:
        kind: A key of `LINK_WORDS`.
        address: Absolute.
        expires: When it ends, UTC.
    """

    kind: str
    address: str
    expires: str

    @property
    def heading(self) -> str:
        """To be translated."""
        return LINK_WORDS[self.kind]


def _page(
    here: AccountRequest,
    template: str,
    title: str,
    tab: str,
    said: FormState,
    link: NewLink | None,
    shown: Mapping[str, Any],
) -> str:
    """A page about users. `link`: the one that was just made."""
    return page(
        template,
        here.visit,
        title,
        current="/admin",
        tabs=tabs(here.visit, tab),
        roles=ROLE_WORDS,
        about=ROLE_ABOUT,
        said=said,
        done=DONE_WORDS.get(only(here.request.query, "done"), ""),
        link=link,
        longest_name=LONGEST_NAME,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
        **shown,
    )


#: Characters of a text that is searched for, and users of a page at most.
LONGEST, MOST = 100, 500


def search_users(
    db: Database,
    text: str = "",
    *,
    role: str = "",
    disabled: bool | None = None,
    after: str = "",
    most: int = 50,
) -> list[User]:
    """Users by name.

    Args:
        text: A part of the name, the name for people, or the e-mail address, whatever its case.
        role: Only those of this role; "" for all.
        disabled: Only those who are kept out, or who are not; None for all.
        after: Only names after this one: the last one of the page before.
        most: Users at most; `MOST` whatever is asked for.
    """
    part = _pattern(accounts.normal_name(text[:LONGEST]))
    rows = db.all(
        "SELECT id FROM user WHERE name > ?1 AND (?2 = '' OR role = ?2)"
        " AND (?3 IS NULL OR disabled = ?3)"
        " AND (name LIKE ?4 ESCAPE '\\' OR lower(shown) LIKE ?4 ESCAPE '\\'"
        " OR lower(email) LIKE ?4 ESCAPE '\\') ORDER BY name LIMIT ?5",
        after,
        role,
        disabled,
        part,
        min(most, MOST),
    )
    found = (accounts.by_row(db, row["id"]) for row in rows)
    return [user for user in found if user is not None]


def _pattern(text: str) -> str:
    """The text anywhere, for LIKE: "%" and "_" in it are signs as any other."""
    for sign in ("\\", "%", "_"):
        text = text.replace(sign, f"\\{sign}")
    return f"%{text}%"


#: Users of a page.
_MOST = 50
_STATES = {"active": False, "disabled": True}
#: What holds a secret is kept nowhere.
NOT_KEPT = {"Cache-Control": "no-store"}


async def answer_start(request: web.Request) -> web.Response:
    """`/admin`: leads on to the first page of the administration."""
    here = account_request(request, "administer")
    return see_other(request, here.visit.site.path("/admin/users"))


async def answer_users(request: web.Request) -> web.StreamResponse:
    here = account_request(request, "administer")

    async def render(said: FormState, link: NewLink | None = None) -> str:
        async with here.shared.admission.brief():
            shown = await here.workspace.read(_users_and_invitations, here)
        title, tab = here.visit.language.gettext("Users"), "/admin/users"
        return _page(here, "users/admin_users.html", title, tab, said, link, shown)

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields = await read_form_fields(request)
    if revoked := only(fields, "revoke"):
        if not await here.workspace.write(links.revoke, row_number(revoked), **here.actor):
            raise Problem(404)
        return see_other(request, here.visit.site.path("/admin/users", done="revoked"))
    check_local(request)
    try:
        match only(fields, "do"):
            case "new":
                link = await _new_user(here, fields)
            case "invite":
                role = choice_of(fields, "role", SYSTEM_ROLES, "user")
                link = await invitation(here, role, number_in(fields, "days"))
            case _:
                raise unknown_form()
    except UsageError as error:
        page = await render(FormState(error, fields, only(fields, "do")))
        return page_response(request, page, 400)
    return page_response(request, await render(FormState(), link), headers=NOT_KEPT)


def check_local(request: web.Request) -> None:
    """Refuse new users and links where a proxy or a provider knows the users."""
    if users_of(request).mode != "local":
        raise Problem(404)


async def _new_user(here: AccountRequest, fields: MultiMapping[str]) -> NewLink:
    days = number_in(fields, "days")
    links.life("password", days)
    user = await here.workspace.write(
        accounts.create,
        only(fields, "name"),
        role=cast("SystemRole", choice_of(fields, "role", SYSTEM_ROLES, "user")),
        shown=only(fields, "shown").strip(),
        email=only(fields, "email").strip(),
        **here.actor,
    )
    return await password_link(here, user, days)


async def password_link(here: AccountRequest, user: User, days: int | None = None) -> NewLink:
    """A new link by which a user sets a password; it ends the earlier ones. Raises UsageError: no
    link is good for so many days.
    """
    secret = await here.workspace.write(
        links.create, "password", user=user, days=days, **here.actor
    )
    return new_link(here, "password", secret, days)


async def invitation(here: AccountRequest, role: str, days: int | None = None) -> NewLink:
    """A new link to make an account of a role. Raises UsageError: there are too many, or none is
    good for so many days.
    """
    secret = await here.workspace.write(links.create, "account", role=role, days=days, **here.actor)
    return new_link(here, "account", secret, days)


def new_link(here: AccountRequest, kind: LinkKind, secret: str, days: int | None = None) -> NewLink:
    """A link as its maker sees it, once."""
    address = here.visit.site.url(f"{PATHS[kind]}{secret}")
    return NewLink(kind, address, later(links.life(kind, days)))


def _users_and_invitations(db: Database, here: AccountRequest) -> dict[str, Any]:
    """The users that an address asks for, and the open invitations. `counts`: role -> users of it
    who may log in. `makers`: uid -> name, of those who have made `links`.
    """
    query = here.request.query
    text, role = only(query, "q")[:LONGEST], only(query, "role")
    role = role if role in SYSTEM_ROLES else ""
    state = only(query, "state")
    found = search_users(
        db,
        text,
        role=role,
        disabled=_STATES.get(state),
        after=only(query, "after"),
        most=_MOST + 1,
    )
    further = ""
    if len(found) > _MOST:
        wanted = {"q": text, "role": role, "state": state, "after": found[_MOST - 1].name}
        shown = {name: value for name, value in wanted.items() if value}
        further = here.visit.site.path("/admin/users", **shown)
    invitations = links.every(db, "account")
    rows = db.all("SELECT role, count(*) AS users FROM user WHERE NOT disabled GROUP BY role")
    return {
        "users": found[:_MOST],
        "counts": {row["role"]: row["users"] for row in rows},
        "links": invitations,
        "makers": accounts.names_for_people(db, {link.by for link in invitations}),
        "text": text,
        "role": role,
        "state": state,
        "further": further,
        "local": users_of(here.request).mode == "local",
    }


#: Button -> the form of the page that says why it failed.
_PLACES: Mapping[str, str] = dict.fromkeys(("link", "end", "enable", "disable"), "access")


async def answer_user(request: web.Request) -> web.StreamResponse:
    here = account_request(request, "administer")
    uid = request.match_info["user"]
    await here.account(uid)

    async def render(said: FormState, link: NewLink | None = None) -> str:
        async with here.shared.admission.brief():
            user = await here.account(uid)
            shown = await here.workspace.read(_user_facts, quotas_of(request), user)
        shown["audit"] = here.visit.site.path("/admin/audit", object=f"user:{user.uid}")
        return _page(here, "users/admin_user.html", user.display_name, "", said, link, shown)

    if request.method != "POST":
        return page_response(request, await render(FormState()))
    fields = await read_form_fields(request)
    what = only(fields, "do")
    try:
        if what == "link":
            user = await here.account(uid)
            if user.origin != "local":
                raise Problem(404)
            made = await password_link(here, user, number_in(fields, "days"))
            return page_response(request, await render(FormState(), made), headers=NOT_KEPT)
        address = await _apply_form(here, await here.account(uid), what, fields)
    except UsageError as error:
        page = await render(FormState(error, fields, _PLACES.get(what, what)))
        return page_response(request, page, 400)
    return see_other(request, address)


def _user_facts(db: Database, quotas: Quotas, user: User) -> dict[str, Any]:
    with db.snapshot():
        return {
            "user": user,
            "origin": ORIGIN_WORDS[user.origin],
            "sessions": len(sessions.of(db, user)),
            "tokens": len(tokens.of(db, user)),
            "projects": len(members.projects_of(db, user.uid)),
            "quotas": quota_lines(db, quotas, user),
        }


async def _apply_form(
    here: AccountRequest, user: User, what: str, fields: MultiMapping[str]
) -> str:
    """Does what a form says; the address that shows it."""
    page = f"/admin/users/{user.uid}"
    write, path = here.workspace.write, here.visit.site.path
    match what:
        case "details":
            await write(
                accounts.update,
                user,
                shown=only(fields, "shown").strip(),
                email=only(fields, "email").strip(),
                role=cast("SystemRole", choice_of(fields, "role", SYSTEM_ROLES, user.role)),
                version=version_of(fields),
                **here.actor,
            )
            return path(page, done="details")
        case "quotas":
            given = {kind: parse_quota(only(fields, kind)) for kind in QUOTA_WORDS}
            await write(accounts.update, user, quotas=given, **here.actor)
            return path(page, done="quotas")
        case "disable" | "enable":
            await write(accounts.set_disabled, user, what == "disable", **here.actor)
            return path(page, done=f"{what}d")
        case "end":
            await write(sessions.end_all, user)
            return path(page, done="ended")
        case "delete":
            if accounts.normal_name(only(fields, "confirm")) != user.name:
                raise UsageError(
                    message("The account was not deleted: the name was not typed"),
                    advice=message("The name for the login is {name}.", name=user.name),
                )
            await write(own_data.delete, user, **here.actor)
            return path("/admin/users", done="deleted")
    raise unknown_form()


def parse_quota(text: str) -> int | None:
    """A quota as it is typed; None for an empty one. Raises UsageError: it is no number."""
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise UsageError(
            message("{text} is no whole number", text=repr(text[:20])),
            advice=message("Type digits, or nothing for the quota of this server."),
        )
    return int(text)
