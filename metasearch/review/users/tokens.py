"""API tokens: what a program of a user shows instead of a session. The user sees a token once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import clean_text, later, now
from metasearch.review.users import accounts, audit
from metasearch.review.users.accounts import User

#: What a token may be used for: to search, to read projects, to change them.
Scope = Literal["search", "read", "write"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
#: How every token begins: it is found where it was published by mistake, and told from other things
#: that proxies pass on.
PREFIX = "ms_"
#: Days that a token is good for at most, and tokens of a user.
MOST_DAYS, MOST = 366, 50
LONGEST_NAME = 80
_DAY = 86_400
#: Seconds between two notes that a token is used.
_NOTED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A token. `used`: when it was used last, to the minute; None for never."""

    id: int
    user: int
    name: str
    scopes: frozenset[Scope]
    created: str
    expires: str
    used: str | None


def create(
    db: Database,
    user: User,
    name: str,
    scopes: Iterable[str],
    days: int,
    *,
    by: str = "",
    client: str = "",
) -> tuple[str, ApiToken]:
    """Make a token; returns its text, which is nowhere else, and what is kept of it.

    `scopes`: some of `SCOPES`. `by`: uid of the user who makes it; "" for the command line. Raises
    UsageError: a value cannot be used, or the user has too many tokens.
    """
    asked = set(scopes)
    chosen = [scope for scope in SCOPES if scope in asked]
    if not asked or len(chosen) < len(asked):
        raise UsageError(
            message("The scopes of a token are some of {scopes}", scopes=", ".join(SCOPES))
        )
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(message("A token is good for 1 to {most} days", most=MOST_DAYS))
    name = clean_text(name, LONGEST_NAME)
    if not name:
        raise UsageError(
            message("A token needs a name"),
            advice=message("Name the program that will use it."),
        )
    text = f"{PREFIX}{values.new_secret()}"
    with db.transaction():
        db.run("DELETE FROM token WHERE user = ? AND expires <= ?", user.id, now())
        if db.value("SELECT count(*) FROM token WHERE user = ?", user.id) >= MOST:
            raise UsageError(
                message("A user has at most {most} tokens", most=MOST),
                advice=message("Revoke one first."),
            )
        made = db.insert(
            "token",
            digest=values.secret_digest(text),
            user=user.id,
            name=name,
            scopes=" ".join(chosen),
            created=now(),
            expires=later(days * _DAY),
        )
        facts = {"new": name, "scopes": chosen, "days": days}
        audit.write(db, by, "token", f"user:{user.uid}", facts, client)
        row = db.one("SELECT * FROM token WHERE id = ?", made)
    assert row is not None
    return text, _token(row)


def find(db: Database, text: str) -> tuple[ApiToken, User] | None:
    """The token of a text, with its user; None where it is gone, or the user disabled."""
    row = db.one(
        "SELECT * FROM token WHERE digest = ? AND expires > ?", values.secret_digest(text), now()
    )
    if row is None:
        return None
    user = accounts.by_row(db, row["user"])
    return None if user is None or user.disabled else (_token(row), user)


def is_noted(token: ApiToken) -> bool:
    """Whether a token's use was noted in the last minute: `touch` would change nothing."""
    return token.used is not None and token.used > later(-_NOTED)


def touch(db: Database, token: ApiToken) -> None:
    """Note that a token is used; at most once a minute."""
    if not is_noted(token):
        db.run("UPDATE token SET used = ? WHERE id = ?", now(), token.id)


def of(db: Database, user: User) -> list[ApiToken]:
    """The tokens of a user that have not ended, the newest first."""
    rows = db.all(
        "SELECT * FROM token WHERE user = ? AND expires > ? ORDER BY id DESC", user.id, now()
    )
    return [_token(row) for row in rows]


def revoke(db: Database, user: User, id: int, *, by: str = "", client: str = "") -> bool:  # noqa: A002
    """Have a token of a user end now; False where the user has no such token."""
    with db.transaction():
        ended = db.all("DELETE FROM token WHERE id = ? AND user = ? RETURNING name", id, user.id)
        for row in ended:
            audit.write(db, by, "token", f"user:{user.uid}", {"revoked": row["name"]}, client)
    return bool(ended)


def _token(row: sqlite3.Row) -> ApiToken:
    chosen = row["scopes"].split()
    return from_row(ApiToken, row, scopes=frozenset(scope for scope in SCOPES if scope in chosen))
