"""The pages `/admin/users`: the list, one user, new ones, invitations.

The pages of the administration: users, one user, and the audit log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson
from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.page import Said, tabs, unknown_form
from metasearch.review.projects import members
from metasearch.review.quota_checks import quotas_of
from metasearch.review.store.database import Database
from metasearch.review.store.values import later
from metasearch.review.users import accounts, links, own_data, sessions, tokens
from metasearch.review.users.account_pages import (
    AUDIT_WORDS,
    ORIGIN_WORDS,
    QUOTA_WORDS,
    ROLE_ABOUT,
    ROLE_WORDS,
    Here,
    QuotaLine,
    opened,
    quota_lines,
    row,
)
from metasearch.review.users.accounts import LONGEST_EMAIL, LONGEST_NAME, LONGEST_SHOWN, User
from metasearch.review.users.audit import AuditLine
from metasearch.review.users.links import PATHS, SECONDS, Link, LinkKind
from metasearch.review.users.permissions import SYSTEM_ROLES, Quotas
from metasearch.review.users.service import users_of
from metasearch.server.forms import chosen, only, posted
from metasearch.server.pages.environment import N_
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.problem import Problem
from metasearch.server.visit import Visit
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
class MadeLink:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersView:
    """What the list of users shows.

    Attributes:
        counts: Role -> users of it who may log in.
        makers: Uid -> name, of those who have made `links`.
        further: Address of the next page; "" for none.
        local: Whether users log in here by a password.
    """

    users: Sequence[User]
    counts: Mapping[str, int]
    links: Sequence[Link]
    makers: Mapping[str, str]
    text: str
    role: str
    state: str
    further: str
    local: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UserView:
    """What the page of a user shows."""

    user: User
    sessions: int
    tokens: int
    projects: int
    quotas: Sequence[QuotaLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditView:
    """What the page of the audit log shows.

    Attributes:
        lines: The newest first.
        names: Uid -> name for people.
        unknown: Whether there is no such user.
        older: Address of the next page; "" for none.
        files: (name of a format, address of the file).
    """

    lines: Sequence[AuditLine]
    names: Mapping[str, str]
    action: str
    user: str
    object: str
    unknown: bool
    older: str
    files: Sequence[tuple[str, str]]


def users_page(
    visit: Visit, view: UsersView, said: Said, done: str = "", link: MadeLink | None = None
) -> str:
    """The list of users, with forms for new ones and for invitations."""
    return page(
        "users/admin_users.html",
        visit,
        visit.language.gettext("Users"),
        current="/admin",
        tabs=tabs(visit, "/admin/users"),
        users=view.users,
        counts=view.counts,
        links=view.links,
        makers=view.makers,
        text=view.text,
        role=view.role,
        state=view.state,
        further=view.further,
        local=view.local,
        roles=ROLE_WORDS,
        about=ROLE_ABOUT,
        said=said,
        done=DONE_WORDS.get(done, ""),
        link=link,
        longest_name=LONGEST_NAME,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
    )


def user_page(
    visit: Visit, view: UserView, said: Said, done: str = "", link: MadeLink | None = None
) -> str:
    """The page of a user."""
    user = view.user
    return page(
        "users/admin_user.html",
        visit,
        user.known_as,
        current="/admin",
        tabs=tabs(visit, ""),
        user=user,
        origin=ORIGIN_WORDS[user.origin],
        sessions=view.sessions,
        tokens=view.tokens,
        projects=view.projects,
        quotas=view.quotas,
        audit=visit.site.path("/admin/audit", object=f"user:{user.uid}"),
        roles=ROLE_WORDS,
        about=ROLE_ABOUT,
        said=said,
        done=DONE_WORDS.get(done, ""),
        link=link,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
    )


def audit_page(visit: Visit, view: AuditView) -> str:
    """The page of the audit log."""
    return page(
        "users/admin_audit.html",
        visit,
        visit.language.gettext("Audit log"),
        current="/admin",
        tabs=tabs(visit, "/admin/audit"),
        lines=[_line(each, view.names) for each in view.lines],
        actions=AUDIT_WORDS,
        action=view.action,
        user=view.user,
        object=view.object,
        unknown=view.unknown,
        older=view.older,
        files=view.files,
    )


def _line(line: AuditLine, names: Mapping[str, str]) -> Mapping[str, object]:
    return {
        "id": line.id,
        "at": line.at,
        "who": names.get(line.actor, ""),
        "action": line.action,
        "object": line.object,
        "detail": orjson.dumps(line.detail).decode() if line.detail else "",
        "client": line.client,
    }


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


def count_users(db: Database) -> dict[str, int]:
    """Role -> users of it who may log in."""
    rows = db.all("SELECT role, count(*) AS users FROM user WHERE NOT disabled GROUP BY role")
    return {row["role"]: row["users"] for row in rows}


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
    here = opened(request, "administer")
    return see_other(request, here.visit.site.path("/admin/users"))


async def answer_users(request: web.Request) -> web.StreamResponse:
    """The list, or what one of its forms says."""
    here = opened(request, "administer")

    async def render(said: Said, link: MadeLink | None = None) -> str:
        async with here.shared.admission.brief():
            view = await here.workspace.read(_view, here)
        return users_page(here.visit, view, said, only(request.query, "done"), link)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    if revoked := only(fields, "revoke"):
        number, by = row(revoked), here.identity.uid
        if not await here.workspace.write(links.revoke, number, by=by, client=here.client):
            raise Problem(404)
        return see_other(request, here.visit.site.path("/admin/users", done="revoked"))
    check_local(request)
    try:
        match only(fields, "do"):
            case "new":
                link = await _made(here, fields)
            case "invite":
                link = await invitation(here, chosen(fields, "role", SYSTEM_ROLES, "user"))
            case _:
                raise unknown_form()
    except UsageError as error:
        page = await render(Said(error, fields, only(fields, "do")))
        return page_response(request, page, 400)
    return page_response(request, await render(Said(), link), headers=NOT_KEPT)


def check_local(request: web.Request) -> None:
    """Refuse new users and links where a proxy or a provider knows the users."""
    if users_of(request).mode != "local":
        raise Problem(404)


async def _made(here: Here, fields: MultiMapping[str]) -> MadeLink:
    user = await here.workspace.write(
        accounts.create,
        only(fields, "name"),
        role=cast("SystemRole", chosen(fields, "role", SYSTEM_ROLES, "user")),
        shown=only(fields, "shown").strip(),
        email=only(fields, "email").strip(),
        by=here.identity.uid,
        client=here.client,
    )
    return await password_link(here, user)


async def password_link(here: Here, user: User) -> MadeLink:
    """A new link by which a user sets a password; it ends the earlier ones."""
    secret = await here.workspace.write(
        links.create, "password", user=user, by=here.identity.uid, client=here.client
    )
    return made_link(here, "password", secret)


async def invitation(here: Here, role: str) -> MadeLink:
    """A new link to make an account of a role. Raises UsageError: there are too many."""
    secret = await here.workspace.write(
        links.create, "account", role=role, by=here.identity.uid, client=here.client
    )
    return made_link(here, "account", secret)


def made_link(here: Here, kind: LinkKind, secret: str) -> MadeLink:
    """A link as its maker sees it, once."""
    address = here.visit.site.url(f"{PATHS[kind]}{secret}")
    return MadeLink(kind, address, later(SECONDS[kind]))


def _view(db: Database, here: Here) -> UsersView:
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
    return UsersView(
        users=found[:_MOST],
        counts=count_users(db),
        links=invitations,
        makers=accounts.shown_name(db, {link.by for link in invitations}),
        text=text,
        role=role,
        state=state,
        further=further,
        local=users_of(here.request).mode == "local",
    )


#: Button -> the form of the page that says why it failed.
_PLACES: Mapping[str, str] = dict.fromkeys(("link", "end", "enable", "disable"), "access")


async def answer_user(request: web.Request) -> web.StreamResponse:
    """The page, or what one of its forms says."""
    here = opened(request, "administer")
    uid = request.match_info["user"]
    await here.account(uid)

    async def render(said: Said, link: MadeLink | None = None) -> str:
        async with here.shared.admission.brief():
            user = await here.account(uid)
            view = await here.workspace.read(_user_view, quotas_of(request), user)
        return user_page(here.visit, view, said, only(request.query, "done"), link)

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    what = only(fields, "do")
    try:
        if what == "link":
            user = await here.account(uid)
            if user.origin != "local":
                raise Problem(404)
            made = await password_link(here, user)
            return page_response(request, await render(Said(), made), headers=NOT_KEPT)
        address = await _changed(here, await here.account(uid), what, fields)
    except UsageError as error:
        page = await render(Said(error, fields, _PLACES.get(what, what)))
        return page_response(request, page, 400)
    return see_other(request, address)


def _user_view(db: Database, quotas: Quotas, user: User) -> UserView:
    with db.snapshot():
        return UserView(
            user=user,
            sessions=len(sessions.of(db, user)),
            tokens=len(tokens.of(db, user)),
            projects=len(members.projects_of(db, user.uid)),
            quotas=quota_lines(db, quotas, user),
        )


async def _changed(here: Here, user: User, what: str, fields: MultiMapping[str]) -> str:
    """Does what a form says; the address that shows it."""
    page = f"/admin/users/{user.uid}"
    write, path = here.workspace.write, here.visit.site.path
    told: dict[str, Any] = {"by": here.identity.uid, "client": here.client}
    match what:
        case "details":
            version = only(fields, "version")
            await write(
                accounts.update,
                user,
                shown=only(fields, "shown").strip(),
                email=only(fields, "email").strip(),
                role=cast("SystemRole", chosen(fields, "role", SYSTEM_ROLES, user.role)),
                version=int(version) if version.isascii() and version.isdigit() else None,
                **told,
            )
            return path(page, done="details")
        case "quotas":
            given = {kind: own_quota(only(fields, kind)) for kind in QUOTA_WORDS}
            await write(accounts.update, user, quotas=given, **told)
            return path(page, done="quotas")
        case "disable" | "enable":
            await write(accounts.set_disabled, user, what == "disable", **told)
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
            await write(own_data.delete, user, **told)
            return path("/admin/users", done="deleted")
    raise unknown_form()


def own_quota(text: str) -> int | None:
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
