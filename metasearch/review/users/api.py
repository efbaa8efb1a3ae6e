"""`/api/admin`: users, invitations, sources and the audit log of a server, as JSON."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.users import admin_sources, admin_users
from metasearch.server.faces.users.admin_audit import FORMATS, line_object, send
from metasearch.server.faces.users.api_account import account_object
from metasearch.server.faces.users.changing import row
from metasearch.server.faces.users.opened import Here, opened
from metasearch.server.faces.workspace.members import Member, Members, body_of, parameters_of
from metasearch.server.faces.workspace.opened import answer, named
from metasearch.server.pages.accounts.admin import MadeLink
from metasearch.server.pages.accounts.quotas import quota_lines
from metasearch.server.pages.accounts.words import QUOTA_WORDS
from metasearch.server.problem import Problem
from metasearch.server.site import site_of
from metasearch.server.users.quota import quotas_of
from metasearch.settings.quotas import LARGEST
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, audit, directory, links, names, own_data, sessions
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.audit import ACTIONS, MOST_LINES, AuditLine
from metasearch.workspace.users.fields import LONGEST_EMAIL, LONGEST_SHOWN
from metasearch.workspace.users.links import Link
from metasearch.workspace.users.names import LONGEST_NAME
from metasearch.workspace.users.permissions import SYSTEM_ROLES
from metasearch.workspace.users.quotas import Quotas

_ROLE = Member(help="What the user is on this server.", choices=SYSTEM_ROLES)
_MOST = 50
LIST: Members = {
    "q": Member(help="A part of a name or of an e-mail address.", most=directory.LONGEST),
    "role": _ROLE,
    "disabled": Member(help="Only those who are disabled, or who are not.", kind="flag"),
    "after": Member(help="Names after this one: the last one of the page before.", most=320),
    "count": Member(
        help=f"So many users, {_MOST} without it.", kind="whole", least=1, most=directory.MOST
    ),
}
NEW: Members = {
    "name": Member(
        help="What is typed at the login.", required=True, most=4 * LONGEST_NAME, example="ada"
    ),
    "role": _ROLE,
    "shown": Member(help="The name for others.", most=LONGEST_SHOWN, example="Ada Byron"),
    "email": Member(help="An e-mail address.", most=LONGEST_EMAIL),
}
CHANGES: Members = {
    "role": _ROLE,
    "shown": NEW["shown"],
    "email": NEW["email"],
    "disabled": Member(help="Whether the user is kept out.", kind="flag"),
    "quotas": Member(
        help=f"Own quotas by name ({', '.join(QUOTA_WORDS)}); null for that of this server.",
        kind="object",
        example={"searches": 100},
    ),
    "version": Member(
        help="That of the account as it was read: 409 where it was changed since.",
        kind="whole",
        least=1,
        most=2**53,
    ),
}
DELETE: Members = {
    "name": Member(help="The name for the login again, against mistakes.", required=True)
}
INVITE: Members = {"role": _ROLE}
SWITCH: Members = {
    "source": Member(help="Its name.", required=True, most=100, example="crossref"),
    "switch": Member(
        help="`configured` takes the switch away.",
        required=True,
        choices=("on", "off", "configured"),
    ),
    "confirmed": Member(
        help="True: whoever asks has read the terms of a source that is off by itself.", kind="flag"
    ),
}
AUDIT: Members = {
    "action": Member(help="Only lines of this action.", choices=ACTIONS),
    "actor": Member(help="Only what this user has done: the uid.", most=40),
    "object": Member(help="Only what was done to this: `user:UID`, `project:UID`.", most=100),
    "before": Member(
        help="Lines before the one of this number.", kind="whole", least=1, most=2**53
    ),
    "count": Member(help="So many lines, 100 without it.", kind="whole", least=1, most=MOST_LINES),
    "format": Member(help="A file with all of them instead.", choices=tuple(FORMATS)),
}
_SWITCHES = {"on": True, "off": False, "configured": None}


async def users(request: web.Request) -> web.Response:
    """`/api/admin/users`: the list, or a new user with a link to set the password."""
    here = opened(request, "administer", interface=True)
    if request.method == "POST":
        admin_users.check_local(request)
        given = await body_of(request, NEW)
        user = await here.workspace.write(
            accounts.create, by=here.identity.uid, client=here.client, **given
        )
        made: dict[str, Any] = await _object(here, user)
        made["link"] = _link_object(await admin_users.password_link(here, user))
        location = site_of(request).path(f"/api/admin/users/{user.uid}")
        return answer(made, status=201, location=location)
    asked = parameters_of(request.query, LIST)
    most = asked.get("count", _MOST)
    async with here.shared.admission.brief():
        found = await here.workspace.read(
            directory.search,
            asked.get("q", ""),
            role=asked.get("role", ""),
            disabled=asked.get("disabled"),
            after=asked.get("after", ""),
            most=most,
        )
    listed = [account_object(user, []) for user in found]
    return answer({"users": listed, "after": found[-1].name if len(found) == most else None})


async def user_(request: web.Request) -> web.Response:
    """`/api/admin/users/UID`: a user, or a change of them."""
    here = opened(request, "administer", interface=True)
    user = await here.account(named(request, "user"))
    if request.method == "POST":
        given = await body_of(request, CHANGES)
        quotas = given.pop("quotas", None)
        if quotas is not None:
            _check_quotas(quotas)
        user = await here.workspace.write(
            _changed,
            user,
            given,
            quotas=quotas,
            by=here.identity.uid,
            client=here.client,
        )
    return answer(await _object(here, user))


async def link(request: web.Request) -> web.Response:
    """`/api/admin/users/UID/link`: an address by which the user sets a password, told once."""
    here = opened(request, "administer", interface=True)
    user = await here.account(named(request, "user"))
    await body_of(request, {})
    if user.origin != "local":
        raise Problem(404)
    return answer(_link_object(await admin_users.password_link(here, user)), status=201)


async def end(request: web.Request) -> web.Response:
    """`/api/admin/users/UID/sessions/end`: all sessions of a user."""
    here = opened(request, "administer", interface=True)
    user = await here.account(named(request, "user"))
    await body_of(request, {})
    return answer({"ended": await here.workspace.write(sessions.end_all, user)})


async def delete(request: web.Request) -> web.Response:
    """`/api/admin/users/UID/delete`: the account of a user."""
    here = opened(request, "administer", interface=True)
    user = await here.account(named(request, "user"))
    given = await body_of(request, DELETE)
    if names.normal(given["name"]) != user.name:
        reason = message("is not the name of the user")
        raise Problem.bad_parameters([{"parameter": "name", "reason": reason}])
    await here.workspace.write(own_data.delete, user, by=here.identity.uid, client=here.client)
    return answer({"deleted": user.uid})


async def invitations(request: web.Request) -> web.Response:
    """`/api/admin/invitations`: those that are open, or a new one, whose address is told once."""
    here = opened(request, "administer", interface=True)
    admin_users.check_local(request)
    if request.method == "POST":
        given = await body_of(request, INVITE)
        made = await admin_users.invitation(here, given.get("role", "user"))
        return answer(_link_object(made), status=201)
    found = await here.workspace.read(links.every, "account")
    return answer({"invitations": [_invitation(each) for each in found]})


async def revoke(request: web.Request) -> web.Response:
    """`/api/admin/invitations/N/revoke`: the invitation ends now."""
    here = opened(request, "administer", interface=True)
    number = row(named(request, "number"))
    await body_of(request, {})
    if not await here.workspace.write(
        links.revoke, number, by=here.identity.uid, client=here.client
    ):
        raise Problem(404)
    return answer({"revoked": number})


async def sources(request: web.Request) -> web.Response:
    """`/api/admin/sources`: what is switched on and off, with names of keys; or a switch."""
    here = opened(request, "administer", interface=True)
    if request.method == "POST":
        given = await body_of(request, SWITCH)
        name, enabled = given["source"], _SWITCHES[given["switch"]]
        if admin_sources.needs_confirmation(here, name, enabled) and not given.get("confirmed"):
            raise Problem.of(
                UsageError(
                    message("The source {name} is off by itself", name=name),
                    advice=message("Read its terms, then send `confirmed` as true."),
                )
            )
        await admin_sources.switch(here, name, enabled)
    async with here.shared.admission.brief():
        lines = await admin_sources.lines_of(here)
    listed = [
        {
            "name": line.name,
            "label": line.label,
            "on": line.is_on,
            "default": line.default,
            "off_by_itself": line.off_by_itself,
            "switch": _WORDS[line.switch],
            "switched": line.switched or None,
            "keys": [
                {"env": key.env, "required": key.required, "set": key.set} for key in line.keys
            ],
        }
        for line in lines
    ]
    return answer({"sources": listed})


async def audit_(request: web.Request) -> web.StreamResponse:
    """`/api/admin/audit`: the newest lines first; with `format`, a file."""
    here = opened(request, "administer", interface=True)
    asked = parameters_of(request.query, AUDIT)
    if "format" in asked:
        return await send(here)
    most = asked.get("count", 100)
    async with here.shared.admission.brief():
        listed = await here.workspace.read(_lines, asked, most)
    before = listed[-1][0].id if len(listed) == most else None
    return answer({"lines": [line_object(*each) for each in listed], "before": before})


_WORDS = {True: "on", False: "off", None: "configured"}


def _lines(db: Database, asked: dict[str, Any], most: int) -> list[tuple[AuditLine, str]]:
    wanted = {name: asked.get(name) for name in ("actor", "action", "object", "before")}
    found = audit.lines(db, **wanted, most=most)
    known = names.shown(db, {line.actor for line in found})
    return [(line, known.get(line.actor, "")) for line in found]


def _changed(
    db: Database,
    user: User,
    given: dict[str, Any],
    *,
    quotas: dict[str, int | None] | None,
    by: str,
    client: str,
) -> User:
    """The user after all changes, or none of them."""
    disabled = given.pop("disabled", None)
    with db.transaction():
        user = accounts.update(db, user, **given, quotas=quotas, by=by, client=client)
        if disabled is not None:
            user = accounts.set_disabled(db, user, disabled, by=by, client=client)
    return user


def _check_quotas(quotas: dict[str, Any]) -> None:
    """Problem: 400 for a quota that there is not, or that is no number."""
    for name, limit in quotas.items():
        if name not in QUOTA_WORDS:
            reason = message("must be one of {values}", values=", ".join(QUOTA_WORDS))
        elif limit is not None and (type(limit) is not int or not 0 <= limit <= LARGEST):
            reason = message(
                "must be a whole number from {least} to {most}", least=0, most=f"{LARGEST:,}"
            )
        else:
            continue
        raise Problem.bad_parameters([{"parameter": "quotas", "reason": reason}])


async def _object(here: Here, user: User) -> dict[str, Any]:
    quotas: Quotas = quotas_of(here.request)
    lines = await here.workspace.read(quota_lines, quotas, user)
    return account_object(user, lines) | {"own_quotas": dict(user.quotas)}


def _link_object(made: MadeLink) -> dict[str, str]:
    return {"kind": made.kind, "address": made.address, "expires": made.expires}


def _invitation(link: Link) -> dict[str, Any]:
    return {
        "id": link.id,
        "role": link.role,
        "by": link.by,
        "created": link.created,
        "expires": link.expires,
    }
