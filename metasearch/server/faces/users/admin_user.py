"""`/admin/users/UID`: one user, and what an administrator changes about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import unknown_form
from metasearch.server.faces.users.admin_users import NOT_KEPT, password_link
from metasearch.server.faces.users.opened import Here, opened
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.accounts.admin import MadeLink, UserView, user_page
from metasearch.server.pages.accounts.quotas import quota_lines
from metasearch.server.pages.accounts.words import QUOTA_WORDS
from metasearch.server.pages.projects.said import Said
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.users.quota import quotas_of
from metasearch.settings.users import SystemRole
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, members, names, own_data, sessions, tokens
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.permissions import SYSTEM_ROLES
from metasearch.workspace.users.quotas import Quotas

#: Button -> the form of the page that says why it failed.
_PLACES: Mapping[str, str] = dict.fromkeys(("link", "end", "enable", "disable"), "access")


async def answer(request: web.Request) -> web.StreamResponse:
    """The page, or what one of its forms says."""
    here = opened(request, "administer")
    uid = request.match_info["user"]
    await here.account(uid)

    async def render(said: Said, link: MadeLink | None = None) -> str:
        async with here.shared.admission.brief():
            user = await here.account(uid)
            view = await here.workspace.read(_view, quotas_of(request), user)
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


def _view(db: Database, quotas: Quotas, user: User) -> UserView:
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
            if names.normal(only(fields, "confirm")) != user.name:
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
