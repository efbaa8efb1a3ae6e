"""What can be asked of a server with users about accounts: one's own, and all of them for
administrators. A server without users has none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from metasearch.review.openapi import body, of, operation, query
from metasearch.review.paths import ACCOUNT, ADMIN
from metasearch.review.users import api
from metasearch.review.users.audit_pages import line_object
from metasearch.server.protocols.openapi.operation import (
    JSON,
    Operation,
    Schema,
    by_name,
    list_of,
    nullable,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)

OWN, ALL = "Account", "Administration"
_account = partial(operation, base=ACCOUNT, tag=OWN)
_administration = partial(operation, base=ADMIN, tag=ALL)
_ACCOUNT = of(
    api.ACCOUNT,
    preferences=thing(
        {
            "language": nullable(text()),
            "style": text(),
            "sources": list_of(text()),
            "emails": yes_or_no(),
        }
    ),
)
_TOKEN = of(api.TOKEN_LINE)
_LINK = of(api.link_object)
_KEYS = list_of(
    thing(
        {
            "env": text(description="Name of the variable."),
            "required": yes_or_no(),
            "set": yes_or_no(),
        }
    ),
    description="Never a value.",
)
SCHEMAS: Mapping[str, Schema] = {
    "Account": thing(_ACCOUNT),
    "AccountOfAdministrators": thing(
        {**_ACCOUNT, "own_quotas": by_name(whole()), "link": thing(_LINK)}, optional=("link",)
    ),
    "Accounts": thing(
        {
            "users": list_of(ref("Account")),
            "after": nullable(text(description="For the next page; null where there is none.")),
        }
    ),
    "Sessions": thing({"sessions": list_of(thing(of(api.SESSION)))}),
    "Ended": thing({"ended": whole(description="How many sessions.")}),
    "Tokens": thing({"tokens": list_of(thing(_TOKEN))}),
    "NewToken": thing({**_TOKEN, "token": text(description="Its text, told this once.")}),
    "Revoked": thing({"revoked": whole()}),
    "DeletedAccount": thing({"deleted": text(description="The uid that it had.")}),
    "OwnAddress": thing({"email": text(), "email_proved": yes_or_no()}),
    "OwnData": by_name({}, description="All that the server keeps about a user."),
    "AccountLink": thing(_LINK),
    "AccountInvitations": thing({"invitations": list_of(thing(of(api.INVITATION)))}),
    "SwitchedSources": thing({"sources": list_of(thing(of(api.SOURCE, keys=_KEYS)))}),
    "AuditLines": thing(
        {
            "lines": list_of(thing(of(line_object))),
            "before": nullable(whole(description="For the next page; null where there is none.")),
        }
    ),
    "QuotaLine": thing(of(api.QUOTA)),
}


def operations() -> Iterator[Operation]:
    yield from _own()
    yield from _all()


def _own() -> Iterator[Operation]:
    yield _account("", "account", "The account of the user who asks", "Account")
    yield _account(
        "",
        "changeAccount",
        "Change details and preferences",
        "Account",
        body=body(api.OWN_CHANGES),
        description="No token is good for this: a browser must be logged in.",
        further=(409,),
    )
    yield _account("/data", "ownData", "What the server keeps", "OwnData")
    yield _account("/sessions", "sessions", "The sessions", "Sessions")
    yield _account(
        "/sessions/end",
        "endSessions",
        "End one session, or all others",
        "Ended",
        body=body(api.END),
    )
    yield _account("/tokens", "tokens", "The tokens", "Tokens")
    yield _account(
        "/tokens",
        "newToken",
        "Make a token",
        "NewToken",
        body=body(api.TOKEN),
        status=201,
    )
    yield _account(
        "/tokens/{number}/revoke",
        "revokeToken",
        "Revoke a token",
        "Revoked",
        body=body({}),
    )
    yield _account(
        "/address",
        "proveAddress",
        "Have the link that proves the e-mail address sent again",
        "OwnAddress",
        body=body({}),
    )
    yield _account(
        "/delete",
        "deleteAccount",
        "Delete the account",
        "DeletedAccount",
        body=body(api.DELETE_OWN),
    )


def _all() -> Iterator[Operation]:
    users = "/users"
    yield _administration(users, "users", "All users", "Accounts", *query(api.LIST))
    yield _administration(
        users,
        "newUser",
        "Make a user, and a link to set the password",
        "AccountOfAdministrators",
        body=body(api.NEW),
        status=201,
    )
    one = f"{users}/{{user}}"
    yield _administration(one, "user", "A user", "AccountOfAdministrators")
    yield _administration(
        one,
        "changeUser",
        "Change role, details or quotas; disable or enable",
        "AccountOfAdministrators",
        body=body(api.CHANGES),
        description="The last administrator stays.",
        further=(409,),
    )
    yield _administration(
        f"{one}/link",
        "newPasswordLink",
        "Make a link to set a new password",
        "AccountLink",
        body=body({}),
        status=201,
    )
    yield _administration(
        f"{one}/sessions/end",
        "endSessionsOfUser",
        "End all sessions of a user",
        "Ended",
        body=body({}),
    )
    yield _administration(
        f"{one}/delete",
        "deleteUser",
        "Delete a user",
        "DeletedAccount",
        body=body(api.DELETE),
    )
    invitations = "/invitations"
    yield _administration(
        invitations, "accountInvitations", "Open invitations", "AccountInvitations"
    )
    yield _administration(
        invitations,
        "newAccountInvitation",
        "Make an invitation",
        "AccountLink",
        body=body(api.INVITE),
        status=201,
    )
    yield _administration(
        f"{invitations}/{{number}}/revoke",
        "revokeAccountInvitation",
        "Revoke an invitation",
        "Revoked",
        body=body({}),
    )
    sources = "/sources"
    yield _administration(
        sources, "switchedSources", "Which sources are on for all", "SwitchedSources"
    )
    yield _administration(
        sources,
        "switchSource",
        "Switch a source on or off for all",
        "SwitchedSources",
        body=body(api.SWITCH),
        description="Searches of all workers know within seconds.",
    )
    yield _administration(
        "/audit",
        "audit",
        "The audit log",
        "AuditLines",
        *query(api.AUDIT),
        description="With `format`, all lines as a file.",
        content={JSON: ref("AuditLines"), "text/csv": {}, "application/jsonl": {}},
        further=(400,),
    )
