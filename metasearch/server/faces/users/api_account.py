"""`/api/account`: the account of the user who asks, as JSON. No token of a program is good for it:
whoever finds one could make others.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web

from metasearch.formats.citations.styles import STYLES
from metasearch.message import message
from metasearch.server.faces.users import changing
from metasearch.server.faces.users.opened import Here, opened
from metasearch.server.faces.workspace.members import Member, Members, body_of
from metasearch.server.faces.workspace.opened import answer, named
from metasearch.server.pages.accounts.account import USUAL_DAYS
from metasearch.server.pages.accounts.quotas import QuotaLine, quota_lines
from metasearch.server.pages.language import TAGS
from metasearch.server.preferences import MOST_SOURCES, source_names
from metasearch.server.problem import Problem
from metasearch.server.users.quota import quotas_of
from metasearch.workspace.users import accounts, addresses, sessions, tokens
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.fields import LONGEST_EMAIL, LONGEST_SHOWN
from metasearch.workspace.users.passwords import MOST_BYTES
from metasearch.workspace.users.tokens import MOST_DAYS, SCOPES, Token

CHANGES: Members = {
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
    "version": Member(
        help="That of the account as it was read: 409 where it was changed since.",
        kind="whole",
        least=1,
        most=2**53,
    ),
}
END: Members = {
    "session": Member(help="The number of one.", kind="whole", least=1, most=2**53),
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
DELETE: Members = {
    "confirm": Member(
        help="The password; the name for the login where there is none.",
        required=True,
        most=MOST_BYTES,
    )
}


async def account(request: web.Request) -> web.Response:
    """`/api/account`: the account, or a change of it."""
    here = opened(request, "account", interface=True)
    user = await here.user()
    if request.method == "POST":
        user = await _changed(here, user, await body_of(request, CHANGES))
    quotas = await here.workspace.read(quota_lines, quotas_of(request), user)
    return answer(account_object(user, quotas))


async def data(request: web.Request) -> web.StreamResponse:
    """`/api/account/data`: what the server keeps about the user."""
    return await changing.own_data_file(opened(request, "account", interface=True))


async def sessions_(request: web.Request) -> web.Response:
    """`/api/account/sessions`: those that have not ended."""
    here = opened(request, "account", interface=True)
    found = await here.workspace.read(sessions.of, await here.user())
    return answer(
        {
            "sessions": [
                {
                    "id": each.id,
                    "agent": each.agent,
                    "created": each.created,
                    "seen": each.seen,
                    "expires": each.expires,
                    "here": each.id == here.identity.session,
                }
                for each in found
            ]
        }
    )


async def end(request: web.Request) -> web.Response:
    """`/api/account/sessions/end`: one of them, or all but the present one."""
    here = opened(request, "account", interface=True)
    given = await body_of(request, END)
    if given.get("others"):
        return answer({"ended": await changing.end_session(here, "others")})
    if "session" not in given:
        reason = message("is missing")
        raise Problem.bad_parameters([{"parameter": "session", "reason": reason}])
    return answer({"ended": await changing.end_session(here, str(given["session"]))})


async def tokens_(request: web.Request) -> web.Response:
    """`/api/account/tokens`: those that have not ended, or a new one, whose text is told once."""
    here = opened(request, "account", interface=True)
    if request.method == "POST":
        given = await body_of(request, TOKEN)
        days = given.get("days", USUAL_DAYS)
        secret, made = await changing.make_token(here, given["name"], given["scopes"], days)
        return answer({**token_object(made), "token": secret}, status=201)
    found = await here.workspace.read(tokens.of, await here.user())
    return answer({"tokens": [token_object(each) for each in found]})


async def revoke(request: web.Request) -> web.Response:
    """`/api/account/tokens/N/revoke`: the token ends now."""
    here = opened(request, "account", interface=True)
    number = named(request, "number")
    await body_of(request, {})
    await changing.revoke_token(here, number)
    return answer({"revoked": int(number)})


async def delete(request: web.Request) -> web.Response:
    """`/api/account/delete`: the account of the user who asks."""
    here = opened(request, "account", interface=True)
    given = await body_of(request, DELETE)
    await changing.delete_account(here, given["confirm"])
    return answer({"deleted": here.identity.uid})


async def address(request: web.Request) -> web.Response:
    """`/api/account/address`: has the link that proves one's e-mail address sent once more."""
    here = opened(request, "account", interface=True)
    await body_of(request, {})
    user = await here.user()
    await here.workspace.write(addresses.ask, user.id)
    return answer({"email": user.email, "email_proved": user.email_proved})


def account_object(user: User, quotas: list[QuotaLine]) -> dict[str, Any]:
    """An account as data; never a password."""
    return {
        "uid": user.uid,
        "name": user.name,
        "shown": user.shown,
        "email": user.email,
        "email_proved": user.email_proved,
        "role": user.role,
        "origin": user.origin,
        "disabled": user.disabled,
        "created": user.created,
        "last_login": user.last_login,
        "version": user.version,
        "preferences": {
            "language": user.preferences.get("language"),
            "style": user.preferences.get("style", ""),
            "sources": list(source_names(user.preferences.get("sources"))),
            "emails": user.preferences.get("emails") is not False,
        },
        "quotas": {
            line.kind: {"limit": line.limit, "used": line.used, "left": line.left}
            for line in quotas
        },
    }


def token_object(token: Token) -> dict[str, Any]:
    """A token as data; never its text."""
    return {
        "id": token.id,
        "name": token.name,
        "scopes": [scope for scope in SCOPES if scope in token.scopes],
        "created": token.created,
        "expires": token.expires,
        "used": token.used,
    }


async def _changed(here: Here, user: User, given: dict[str, Any]) -> User:
    known = here.shared.engine.registry.names()
    _check_sources(given.get("sources", ()), known)
    if given.get("style", "") not in ("", *STYLES):
        reason = message("must be one of {values}", values=", ".join(STYLES))
        raise Problem.bad_parameters([{"parameter": "style", "reason": reason}])
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
        by=user.uid,
        client=here.client,
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
    raise Problem.bad_parameters([{"parameter": "sources", "reason": reason}])
