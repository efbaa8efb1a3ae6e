"""What can be asked of a server with users about accounts: one's own, and all of them for
administrators. A server without users has none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metasearch.review.openapi import CHANGED, READ, body, query
from metasearch.review.routes import ACCOUNT, ADMIN
from metasearch.review.users import api
from metasearch.review.users.account_pages import QUOTA_WORDS
from metasearch.review.users.accounts import ORIGINS
from metasearch.review.users.audit import ACTIONS
from metasearch.review.users.permissions import SYSTEM_ROLES
from metasearch.review.users.tokens import SCOPES
from metasearch.server.protocols.openapi.operation import (
    JSON,
    Operation,
    Schema,
    by_name,
    listed,
    nullable,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.protocols.openapi.parameters import parameter

OWN, ALL = "Account", "Administration"
_MOMENT = text(description="UTC: `2026-11-23T05:40:00Z`.")
_ACCOUNT = {
    "uid": text(description="In addresses and logs; it never changes."),
    "name": text(description="What is typed at the login."),
    "shown": text(description="The name for others; empty where it is the same."),
    "email": text(),
    "email_proved": yes_or_no(
        description="Whether the link that was sent to the address was opened: nothing else is "
        "sent before."
    ),
    "role": one_of(SYSTEM_ROLES),
    "origin": one_of(ORIGINS),
    "disabled": yes_or_no(),
    "created": _MOMENT,
    "last_login": nullable(_MOMENT),
    "version": whole(),
    "preferences": thing(
        {
            "language": nullable(text()),
            "style": text(),
            "sources": listed(text()),
            "emails": yes_or_no(),
        }
    ),
    "quotas": by_name(
        thing(
            {
                "limit": whole(),
                "used": nullable(whole(description="Null where each search is looked at.")),
                "left": nullable(whole()),
            }
        ),
        description=f"Of {', '.join(QUOTA_WORDS)}; empty in a list of users.",
    ),
}
_TOKEN = {
    "id": whole(),
    "name": text(),
    "scopes": listed(one_of(SCOPES)),
    "created": _MOMENT,
    "expires": _MOMENT,
    "used": nullable(_MOMENT),
}
_LINK = {
    "kind": one_of(("password", "account")),
    "address": text(description="Told this once; it works once."),
    "expires": _MOMENT,
}
SCHEMAS: Mapping[str, Schema] = {
    "Account": thing(_ACCOUNT),
    "AccountOfAdministrators": thing(
        {**_ACCOUNT, "own_quotas": by_name(whole()), "link": thing(_LINK)}, optional=("link",)
    ),
    "Accounts": thing(
        {
            "users": listed(ref("Account")),
            "after": nullable(text(description="For the next page; null where there is none.")),
        }
    ),
    "Sessions": thing(
        {
            "sessions": listed(
                thing(
                    {
                        "id": whole(),
                        "agent": text(description="Such as `Firefox on Linux`."),
                        **dict.fromkeys(("created", "seen", "expires"), _MOMENT),
                        "here": yes_or_no(description="Whether it is the one that asks."),
                    }
                )
            )
        }
    ),
    "Ended": thing({"ended": whole(description="How many sessions.")}),
    "Tokens": thing({"tokens": listed(thing(_TOKEN))}),
    "NewToken": thing({**_TOKEN, "token": text(description="Its text, told this once.")}),
    "Revoked": thing({"revoked": whole()}),
    "DeletedAccount": thing({"deleted": text(description="The uid that it had.")}),
    "OwnAddress": thing({"email": text(), "email_proved": yes_or_no()}),
    "OwnData": by_name({}, description="All that the server keeps about a user."),
    "AccountLink": thing(_LINK),
    "AccountInvitations": thing(
        {
            "invitations": listed(
                thing(
                    {
                        "id": whole(),
                        "role": one_of(SYSTEM_ROLES),
                        "by": text(description="Uid of who made it."),
                        **dict.fromkeys(("created", "expires"), _MOMENT),
                    }
                )
            )
        }
    ),
    "SwitchedSources": thing(
        {
            "sources": listed(
                thing(
                    {
                        "name": text(),
                        "label": text(),
                        "on": yes_or_no(description="Whether searches ask it."),
                        "default": yes_or_no(),
                        "off_by_itself": yes_or_no(),
                        "switch": one_of(("on", "off", "configured")),
                        "switched": nullable(_MOMENT),
                        "keys": listed(
                            thing(
                                {
                                    "env": text(description="Name of the variable."),
                                    "required": yes_or_no(),
                                    "set": yes_or_no(),
                                }
                            ),
                            description="Never a value.",
                        ),
                    }
                )
            )
        }
    ),
    "AuditLines": thing(
        {
            "lines": listed(
                thing(
                    {
                        "id": whole(),
                        "at": _MOMENT,
                        "actor": text(description="A uid; empty for the command line."),
                        "name": text(),
                        "action": one_of(ACTIONS),
                        "object": text(),
                        "detail": by_name({}),
                        "client": text(description="A pseudonym of the address."),
                    }
                )
            ),
            "before": nullable(whole(description="For the next page; null where there is none.")),
        }
    ),
}
_NUMBER = parameter("number", whole(minimum=1), "Its number.", place="path")
_USER = parameter("user", text(), "The uid.", place="path")


def operations() -> Iterator[Operation]:
    """All of them."""
    yield from _own()
    yield from _all()


def _own() -> Iterator[Operation]:
    yield _operation(ACCOUNT, "account", OWN, "The account of the user who asks", "Account")
    yield _operation(
        ACCOUNT,
        "changeAccount",
        OWN,
        "Change details and preferences",
        "Account",
        body=body(api.OWN_CHANGES),
        description="No token is good for this: a browser must be logged in.",
        further=(409,),
    )
    yield _operation(f"{ACCOUNT}/data", "ownData", OWN, "What the server keeps", "OwnData")
    yield _operation(f"{ACCOUNT}/sessions", "sessions", OWN, "The sessions", "Sessions")
    yield _operation(
        f"{ACCOUNT}/sessions/end",
        "endSessions",
        OWN,
        "End one session, or all others",
        "Ended",
        body=body(api.END),
    )
    yield _operation(f"{ACCOUNT}/tokens", "tokens", OWN, "The tokens", "Tokens")
    yield _operation(
        f"{ACCOUNT}/tokens",
        "newToken",
        OWN,
        "Make a token",
        "NewToken",
        body=body(api.TOKEN),
        status=201,
    )
    yield _operation(
        f"{ACCOUNT}/tokens/{{number}}/revoke",
        "revokeToken",
        OWN,
        "Revoke a token",
        "Revoked",
        _NUMBER,
        body=body({}),
    )
    yield _operation(
        f"{ACCOUNT}/address",
        "proveAddress",
        OWN,
        "Have the link that proves the e-mail address sent again",
        "OwnAddress",
        body=body({}),
    )
    yield _operation(
        f"{ACCOUNT}/delete",
        "deleteAccount",
        OWN,
        "Delete the account",
        "DeletedAccount",
        body=body(api.DELETE_OWN),
    )


def _all() -> Iterator[Operation]:
    users = f"{ADMIN}/users"
    yield _operation(users, "users", ALL, "All users", "Accounts", *query(api.LIST))
    yield _operation(
        users,
        "newUser",
        ALL,
        "Make a user, and a link to set the password",
        "AccountOfAdministrators",
        body=body(api.NEW),
        status=201,
    )
    one = f"{users}/{{user}}"
    yield _operation(one, "user", ALL, "A user", "AccountOfAdministrators", _USER)
    yield _operation(
        one,
        "changeUser",
        ALL,
        "Change role, details or quotas; disable or enable",
        "AccountOfAdministrators",
        _USER,
        body=body(api.CHANGES),
        description="The last administrator stays.",
        further=(409,),
    )
    yield _operation(
        f"{one}/link",
        "newPasswordLink",
        ALL,
        "Make a link to set a new password",
        "AccountLink",
        _USER,
        body=body({}),
        status=201,
    )
    yield _operation(
        f"{one}/sessions/end",
        "endSessionsOfUser",
        ALL,
        "End all sessions of a user",
        "Ended",
        _USER,
        body=body({}),
    )
    yield _operation(
        f"{one}/delete",
        "deleteUser",
        ALL,
        "Delete a user",
        "DeletedAccount",
        _USER,
        body=body(api.DELETE),
    )
    invitations = f"{ADMIN}/invitations"
    yield _operation(
        invitations, "accountInvitations", ALL, "Open invitations", "AccountInvitations"
    )
    yield _operation(
        invitations,
        "newAccountInvitation",
        ALL,
        "Make an invitation",
        "AccountLink",
        body=body(api.INVITE),
        status=201,
    )
    yield _operation(
        f"{invitations}/{{number}}/revoke",
        "revokeAccountInvitation",
        ALL,
        "Revoke an invitation",
        "Revoked",
        _NUMBER,
        body=body({}),
    )
    sources = f"{ADMIN}/sources"
    yield _operation(
        sources, "switchedSources", ALL, "Which sources are on for all", "SwitchedSources"
    )
    yield _operation(
        sources,
        "switchSource",
        ALL,
        "Switch a source on or off for all",
        "SwitchedSources",
        body=body(api.SWITCH),
        description="Searches of all workers know within seconds.",
    )
    yield _operation(
        f"{ADMIN}/audit",
        "audit",
        ALL,
        "The audit log",
        "AuditLines",
        *query(api.AUDIT),
        description="With `format`, all lines as a file.",
        content={JSON: ref("AuditLines"), "text/csv": {}, "application/jsonl": {}},
        further=(400,),
    )


def _operation(
    path: str, name: str, tag: str, summary: str, answer: str, *parameters: Schema, **more: Any
) -> Operation:
    """An operation; those with a body change something. `further` are further statuses of errors,
    and `content` replaces that of `answer`.
    """
    changes = more.get("body") is not None
    errors = (*(CHANGED if changes else READ), *more.pop("further", ()))
    return Operation(
        path=path,
        id=name,
        tag=tag,
        summary=summary,
        parameters=parameters,
        answer=more.pop("content", None) or {JSON: ref(answer)},
        method="post" if changes else "get",
        errors=errors,
        **more,
    )
