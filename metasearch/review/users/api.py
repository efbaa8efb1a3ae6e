"""Accounts as a JSON interface: `/api/account`, one's own, and `/api/admin`, all of them for
administrators. No token of a program is good for one's own: whoever finds one could make others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal, Unpack

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.formats.citations import STYLES
from metasearch.language import TAGS
from metasearch.message import message
from metasearch.review.api import (
    Member,
    Members,
    Ordinal,
    answer,
    body_of,
    number_in_path,
    parameters_of,
    part_of_path,
)
from metasearch.review.objects import Excerpt, Moment, Object
from metasearch.review.projects.team_api import LINK_DAYS
from metasearch.review.quota_checks import quotas_of
from metasearch.review.store.database import Database
from metasearch.review.users import (
    account_pages,
    accounts,
    addresses,
    admin_pages,
    audit,
    links,
    own_data,
    sessions,
    tokens,
)
from metasearch.review.users import source_switches as admin_sources
from metasearch.review.users.account_pages import (
    QUOTA_WORDS,
    USUAL_DAYS,
    AccountRequest,
    Actor,
    QuotaLine,
    account_request,
    quota_lines,
)
from metasearch.review.users.accounts import (
    LONGEST_EMAIL,
    LONGEST_NAME,
    LONGEST_SHOWN,
    Origin,
    User,
)
from metasearch.review.users.admin_pages import NewLink
from metasearch.review.users.audit import ACTIONS, MOST_LINES, AuditLine
from metasearch.review.users.audit_pages import FORMATS, line_object, send
from metasearch.review.users.links import OneTimeLink
from metasearch.review.users.passwords import MOST_BYTES
from metasearch.review.users.permissions_and_quotas import SYSTEM_ROLES
from metasearch.review.users.sessions import Session
from metasearch.review.users.source_switches import SourceLine
from metasearch.review.users.tokens import MOST_DAYS, SCOPES, ApiToken
from metasearch.server.problem import Problem
from metasearch.server.site import site_of
from metasearch.server.visit import MOST_SOURCES, source_names
from metasearch.settings.users import LARGEST, SystemRole

_VERSION = Ordinal(help="That of the account as it was read: 409 where it was changed since.")
OWN_CHANGES: Members = {
    "shown": Member(help="The name for others.", most=LONGEST_SHOWN, example="Ada Byron"),
    "email": Member(help="An e-mail address; empty for none.", most=LONGEST_EMAIL),
    "language": Member(help="Of pages and e-mails.", choices=TAGS),
    "style": Member(help="Of citations; empty for the usual one of the language.", most=40),
    "sources": Member(
        help="Names of sources that searches ask which name none; none for the usual ones.",
        kind="texts",
        most=MOST_SOURCES,
        longest=100,
    ),
    "emails": Member(help="Whether e-mails about saved searches are wanted.", kind="flag"),
    "version": _VERSION,
}
END: Members = {
    "session": Ordinal(help="The number of one."),
    "others": Member(help="True: all but the present one.", kind="flag"),
}
TOKEN: Members = {
    "name": Member(help="What it is for.", required=True, most=200, example="Koha"),
    "scopes": Member(
        help="What it allows.", kind="texts", required=True, choices=SCOPES, most=len(SCOPES)
    ),
    "days": Member(
        help=f"Until it ends; {USUAL_DAYS} without it.", kind="whole", least=1, most=MOST_DAYS
    ),
}
DELETE_OWN: Members = {
    "confirm": Member(
        help="The password; the name for the login where there is none.",
        required=True,
        most=MOST_BYTES,
    )
}


async def answer_account(request: web.Request) -> web.Response:
    """`/api/account`: the account, or a change of it."""
    here = account_request(request, "account", interface=True)
    user = await here.user()
    if request.method == "POST":
        user = await _change_own(here, user, await body_of(request, OWN_CHANGES))
    quotas = await here.workspace.read(quota_lines, quotas_of(request), user)
    return answer(account_object(user, quotas))


async def answer_own_data(request: web.Request) -> web.StreamResponse:
    """`/api/account/data`: what the server keeps about the user."""
    return await account_pages.own_data_file(account_request(request, "account", interface=True))


async def answer_sessions(request: web.Request) -> web.Response:
    """`/api/account/sessions`: those that have not ended."""
    here = account_request(request, "account", interface=True)
    found = await here.workspace.read(sessions.of, await here.user())
    own = here.identity.session
    return answer({"sessions": [SESSION(each, here=each.id == own) for each in found]})


async def answer_session_end(request: web.Request) -> web.Response:
    """`/api/account/sessions/end`: one of them, or all but the present one."""
    here = account_request(request, "account", interface=True)
    given = await body_of(request, END)
    if given.get("others"):
        return answer({"ended": await account_pages.end_session(here, "others")})
    if "session" not in given:
        reason = message("is missing")
        raise Problem.bad_parameter("session", reason)
    return answer({"ended": await account_pages.end_session(here, str(given["session"]))})


async def answer_tokens(request: web.Request) -> web.Response:
    """`/api/account/tokens`: those that have not ended, or a new one, whose text is told once."""
    here = account_request(request, "account", interface=True)
    if request.method == "POST":
        given = await body_of(request, TOKEN)
        days = given.get("days", USUAL_DAYS)
        secret, made = await account_pages.make_token(here, given["name"], given["scopes"], days)
        return answer({**token_object(made), "token": secret}, status=201)
    found = await here.workspace.read(tokens.of, await here.user())
    return answer({"tokens": [token_object(each) for each in found]})


async def answer_token_end(request: web.Request) -> web.Response:
    """`/api/account/tokens/N/revoke`: the token ends now."""
    here = account_request(request, "account", interface=True)
    number = part_of_path(request, "number")
    await body_of(request, {})
    await account_pages.revoke_token(here, number)
    return answer({"revoked": int(number)})


async def answer_deletion(request: web.Request) -> web.Response:
    """`/api/account/delete`: the account of the user who asks."""
    here = account_request(request, "account", interface=True)
    given = await body_of(request, DELETE_OWN)
    await account_pages.delete_account(here, given["confirm"])
    return answer({"deleted": here.identity.uid})


async def answer_address(request: web.Request) -> web.Response:
    """`/api/account/address`: has the link that proves one's e-mail address sent once more."""
    here = account_request(request, "account", interface=True)
    await body_of(request, {})
    user = await here.user()
    await here.workspace.write(addresses.ask, user.id)
    return answer({"email": user.email, "email_proved": user.email_proved})


ACCOUNT = Excerpt(
    User,
    "uid name shown email email_proved role origin disabled created last_login version "
    "preferences quotas",
    uid=Annotated[str, "In addresses and logs; it never changes."],
    name=Annotated[str, "What is typed at the login."],
    shown=Annotated[str, "The name for others; empty where it is the same."],
    email_proved=Annotated[
        bool,
        "Whether the link that was sent to the address was opened: nothing else is sent before.",
    ],
    created=Moment,
    last_login=Moment | None,
    origin=Origin,
    version=int,
    quotas=Annotated[
        Mapping[str, QuotaLine], f"Of {', '.join(QUOTA_WORDS)}; empty in a list of users."
    ],
)
QUOTA = Excerpt(
    QuotaLine,
    "limit used left",
    used=Annotated[int | None, "Null where each search is looked at."],
    left=int | None,
)
SESSION = Excerpt(
    Session,
    "id agent created seen expires here",
    id=int,
    agent=Annotated[str, "Such as `Firefox on Linux`."],
    created=Moment,
    seen=Moment,
    expires=Moment,
    here=Annotated[bool, "Whether it is the one that asks."],
)
TOKEN_LINE = Excerpt(
    ApiToken,
    "id name scopes created expires used",
    created=Moment,
    expires=Moment,
    used=Moment | None,
)


def account_object(user: User, quotas: list[QuotaLine]) -> Object:
    """An account as data; never a password."""
    chosen = user.preferences
    return ACCOUNT(
        user,
        preferences={
            "language": chosen.get("language"),
            "style": chosen.get("style", ""),
            "sources": list(source_names(chosen.get("sources"))),
            "emails": chosen.get("emails") is not False,
        },
        quotas={line.kind: QUOTA(line) for line in quotas},
    )


def token_object(token: ApiToken) -> Object:
    """A token as data; never its text."""
    return TOKEN_LINE(token, scopes=[scope for scope in SCOPES if scope in token.scopes])


async def _change_own(here: AccountRequest, user: User, given: dict[str, Any]) -> User:
    known = here.shared.engine.registry.names()
    _check_sources(given.get("sources", ()), known)
    if given.get("style", "") not in ("", *STYLES):
        reason = message("must be one of {values}", values=", ".join(STYLES))
        raise Problem.bad_parameter("style", reason)
    kept = ("language", "style", "sources", "emails")
    preferences = {
        name: list(given[name]) if name == "sources" else given[name]
        for name in kept
        if name in given
    }
    return await here.workspace.write(
        accounts.update,
        user,
        shown=given.get("shown"),
        email=given.get("email"),
        preferences=preferences or None,
        version=given.get("version"),
        **here.actor,
    )


def _check_sources(names: tuple[str, ...], known: list[str]) -> None:
    """Problem: 400 for a source that there is not, or for more than are kept."""
    unknown = [name for name in names if name not in known]
    if unknown:
        reason = message("{name} is no source of this server", name=repr(unknown[0][:60]))
    elif source_names(names) != tuple(names):
        reason = message("has a name twice, or more names than are kept")
    else:
        return
    raise Problem.bad_parameter("sources", reason)


# `/api/admin`: users, invitations, sources and the audit log of a server, as JSON.

_ROLE = Member(help="What the user is on this server.", choices=SYSTEM_ROLES)
_MOST = 50
LIST: Members = {
    "q": Member(help="A part of a name or of an e-mail address.", most=admin_pages.LONGEST),
    "role": _ROLE,
    "disabled": Member(help="Only those who are disabled, or who are not.", kind="flag"),
    "after": Member(help="Names after this one: the last one of the page before.", most=320),
    "count": Member(
        help=f"So many users, {_MOST} without it.", kind="whole", least=1, most=admin_pages.MOST
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
    "version": _VERSION,
}
DELETE: Members = {
    "name": Member(help="The name for the login again, against mistakes.", required=True)
}
INVITE: Members = {"role": _ROLE, "days": LINK_DAYS}
SOURCE = Excerpt(
    SourceLine,
    "name label on default off_by_itself switch switched keys",
    on=Annotated[bool, "Whether searches ask it."],
    default=bool,
    off_by_itself=bool,
    switch=Literal["on", "off", "configured"],
    switched=Moment | None,
)
INVITATION = Excerpt(
    OneTimeLink,
    "id role by created expires",
    role=SystemRole,
    by=Annotated[str, "Uid of who made it."],
    created=Moment,
    expires=Moment,
)
#: A link as data, told this once.
link_object = Excerpt(
    NewLink,
    "kind address expires",
    kind=Literal["password", "account"],
    address=Annotated[str, "Told this once; it works once."],
    expires=Moment,
)
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
    "before": Ordinal(help="Lines before the one of this number."),
    "count": Member(help="So many lines, 100 without it.", kind="whole", least=1, most=MOST_LINES),
    "format": Member(help="A file with all of them instead.", choices=tuple(FORMATS)),
}
_SWITCHES = {"on": True, "off": False, "configured": None}


async def answer_users(request: web.Request) -> web.Response:
    """`/api/admin/users`: the list, or a new user with a link to set the password."""
    here = account_request(request, "administer", interface=True)
    if request.method == "POST":
        admin_pages.check_local(request)
        given = await body_of(request, NEW)
        user = await here.workspace.write(accounts.create, **given, **here.actor)
        made: dict[str, Any] = await _object(here, user)
        made["link"] = link_object(await admin_pages.password_link(here, user))
        location = site_of(request).path(f"/api/admin/users/{user.uid}")
        return answer(made, status=201, location=location)
    asked = parameters_of(request.query, LIST)
    most = asked.get("count", _MOST)
    async with here.shared.admission.brief():
        found = await here.workspace.read(
            admin_pages.search_users,
            asked.get("q", ""),
            role=asked.get("role", ""),
            disabled=asked.get("disabled"),
            after=asked.get("after", ""),
            most=most,
        )
    listed = [account_object(user, []) for user in found]
    return answer({"users": listed, "after": found[-1].name if len(found) == most else None})


async def answer_user(request: web.Request) -> web.Response:
    """`/api/admin/users/UID`: a user, or a change of them."""
    here = account_request(request, "administer", interface=True)
    user = await here.account(part_of_path(request, "user"))
    if request.method == "POST":
        given = await body_of(request, CHANGES)
        quotas = given.pop("quotas", None)
        if quotas is not None:
            _check_quotas(quotas)
        user = await here.workspace.write(
            _change_user,
            user,
            given,
            quotas=quotas,
            **here.actor,
        )
    return answer(await _object(here, user))


async def answer_link(request: web.Request) -> web.Response:
    """`/api/admin/users/UID/link`: an address by which the user sets a password, told once."""
    here = account_request(request, "administer", interface=True)
    user = await here.account(part_of_path(request, "user"))
    await body_of(request, {})
    if user.origin != "local":
        raise Problem(404)
    return answer(link_object(await admin_pages.password_link(here, user)), status=201)


async def answer_sessions_end(request: web.Request) -> web.Response:
    """`/api/admin/users/UID/sessions/end`: all sessions of a user."""
    here = account_request(request, "administer", interface=True)
    user = await here.account(part_of_path(request, "user"))
    await body_of(request, {})
    return answer({"ended": await here.workspace.write(sessions.end_all, user)})


async def answer_user_deletion(request: web.Request) -> web.Response:
    """`/api/admin/users/UID/delete`: the account of a user."""
    here = account_request(request, "administer", interface=True)
    user = await here.account(part_of_path(request, "user"))
    given = await body_of(request, DELETE)
    if accounts.normal_name(given["name"]) != user.name:
        reason = message("is not the name of the user")
        raise Problem.bad_parameter("name", reason)
    await here.workspace.write(own_data.delete, user, **here.actor)
    return answer({"deleted": user.uid})


async def answer_invitations(request: web.Request) -> web.Response:
    """`/api/admin/invitations`: those that are open, or a new one, whose address is told once."""
    here = account_request(request, "administer", interface=True)
    admin_pages.check_local(request)
    if request.method == "POST":
        given = await body_of(request, INVITE)
        made = await admin_pages.invitation(here, given.get("role", "user"), given.get("days"))
        return answer(link_object(made), status=201)
    found = await here.workspace.read(links.every, "account")
    return answer({"invitations": [INVITATION(each) for each in found]})


async def answer_invitation_end(request: web.Request) -> web.Response:
    """`/api/admin/invitations/N/revoke`: the invitation ends now."""
    here = account_request(request, "administer", interface=True)
    number = number_in_path(request, "number")
    await body_of(request, {})
    if not await here.workspace.write(links.revoke, number, **here.actor):
        raise Problem(404)
    return answer({"revoked": number})


async def answer_sources(request: web.Request) -> web.Response:
    """`/api/admin/sources`: what is switched on and off, with names of keys; or a switch."""
    here = account_request(request, "administer", interface=True)
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
    words = {enabled: word for word, enabled in _SWITCHES.items()}
    listed = [
        SOURCE(
            line,
            on=line.is_on,
            switch=words[line.switch],
            switched=line.switched or None,
            keys=[asdict(key) for key in line.keys],
        )
        for line in lines
    ]
    return answer({"sources": listed})


async def answer_audit(request: web.Request) -> web.StreamResponse:
    """`/api/admin/audit`: the newest lines first; with `format`, a file."""
    here = account_request(request, "administer", interface=True)
    asked = parameters_of(request.query, AUDIT)
    if "format" in asked:
        return await send(here)
    most = asked.get("count", 100)
    async with here.shared.admission.brief():
        listed = await here.workspace.read(_lines, asked, most)
    before = listed[-1][0].id if len(listed) == most else None
    lines = [line_object(line, name=name) for line, name in listed]
    return answer({"lines": lines, "before": before})


def _lines(db: Database, asked: dict[str, Any], most: int) -> list[tuple[AuditLine, str]]:
    wanted = {name: asked.get(name) for name in ("actor", "action", "object", "before")}
    found = audit.lines(db, **wanted, most=most)
    known = accounts.names_for_people(db, {line.actor for line in found})
    return [(line, known.get(line.actor, "")) for line in found]


def _change_user(
    db: Database,
    user: User,
    given: dict[str, Any],
    *,
    quotas: dict[str, int | None] | None,
    **actor: Unpack[Actor],
) -> User:
    """The user after all changes, or none of them."""
    disabled = given.pop("disabled", None)
    with db.transaction():
        user = accounts.update(db, user, **given, quotas=quotas, **actor)
        if disabled is not None:
            user = accounts.set_disabled(db, user, disabled, **actor)
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
        raise Problem.bad_parameter("quotas", reason)


async def _object(here: AccountRequest, user: User) -> dict[str, Any]:
    lines = await here.workspace.read(quota_lines, quotas_of(here.request), user)
    return account_object(user, lines) | {"own_quotas": dict(user.quotas)}
