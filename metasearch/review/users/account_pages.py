"""`/account`: details, password, sessions, tokens and own data of the user who asks."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.formats.citations.styles import STYLES
from metasearch.message import message
from metasearch.server.faces.projects.opened import after_form, unknown_form
from metasearch.server.faces.users import changing
from metasearch.server.faces.users.opened import Here, opened
from metasearch.server.forms import chosen, posted
from metasearch.server.page_response import page_response, see_other
from metasearch.server.pages.accounts.account import AccountView, account_page
from metasearch.server.pages.accounts.quotas import quota_lines
from metasearch.server.pages.language import TAGS
from metasearch.server.pages.projects.said import Said
from metasearch.server.received import only
from metasearch.server.sources import labels
from metasearch.server.users.quota import quotas_of
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, addresses, sessions, tokens
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.sessions import Session
from metasearch.workspace.users.tokens import Token

#: What holds a secret is kept nowhere.
_NOT_KEPT = {"Cache-Control": "no-store"}


async def answer(request: web.Request) -> web.StreamResponse:
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
            return await _token(here, fields, render)
        case "delete":
            return await _deleted(here, fields, render)
    return await after_form(request, fields, lambda: _changed(here, fields), render)


async def data(request: web.Request) -> web.StreamResponse:
    """`/account/data`: what the server keeps about the user, as a JSON file."""
    return await changing.own_data_file(opened(request, "account"))


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
        await changing.end_session(here, ended)
        return path("/account", done="others" if ended == "others" else "ended")
    if revoked := only(fields, "revoke"):
        await changing.revoke_token(here, revoked)
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


async def _token(here: Here, fields: MultiMapping[str], render: changing.Render) -> web.Response:
    """The page with the new token, which is shown this once."""
    days = only(fields, "days")
    try:
        if not (days.isascii() and days.isdigit() and len(days) < 6):
            raise UsageError(
                message("The days are no whole number"),
                advice=message("Type a number of days, such as 90."),
            )
        secret, _ = await changing.make_token(
            here, only(fields, "name").strip(), fields.getall("scope", []), int(days)
        )
    except UsageError as error:
        page = await render(Said(error, fields, "token"))
        return page_response(here.request, page, 400)
    return page_response(here.request, await render(Said(), secret), headers=_NOT_KEPT)


async def _deleted(here: Here, fields: MultiMapping[str], render: changing.Render) -> web.Response:
    try:
        await changing.delete_account(here, only(fields, "confirm"))
    except UsageError as error:
        page = await render(Said(error, fields, "delete"))
        return page_response(here.request, page, 400)
    here.visit.forget()
    return see_other(here.request, here.visit.site.path("/"))
