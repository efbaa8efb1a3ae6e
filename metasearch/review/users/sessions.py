"""Sessions: a browser that has logged in. Its cookie holds a secret, the workspace the digest."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import later, now
from metasearch.review.users import accounts
from metasearch.review.users.accounts import User

_DAY = 86_400
#: Seconds after which a session ends that nobody uses, and that any session ends.
IDLE, LONGEST = 30 * _DAY, 90 * _DAY
#: Sessions of a user; a further one ends the one that was used least recently.
MOST = 50
#: Seconds between two notes that a session is used.
_NOTED = 60
_LONGEST_AGENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session.

    Attributes:
        id: Of the row; it is in the list of sessions, and no secret.
        agent: "Firefox on Linux"; may be "".
        seen: When it was used last, to the minute.
        expires: When it ends, however much it is used.
    """

    id: int
    user: int
    agent: str
    created: str
    seen: str
    expires: str


def begin(db: Database, user: User, agent: str = "") -> str:
    """Begin a session; its secret, which is nowhere else. Removes those that have ended."""
    secret = values.new_secret()
    moment = now()
    with db.transaction():
        db.run("DELETE FROM session WHERE expires <= ? OR seen <= ?", moment, later(-IDLE))
        db.insert(
            "session",
            digest=values.secret_digest(secret),
            user=user.id,
            agent="".join(sign for sign in agent if sign.isprintable())[:_LONGEST_AGENT],
            created=moment,
            seen=moment,
            expires=later(LONGEST),
        )
        db.run(
            "DELETE FROM session WHERE user = ? AND id NOT IN (SELECT id FROM session"
            " WHERE user = ? ORDER BY seen DESC, id DESC LIMIT ?)",
            user.id,
            user.id,
            MOST,
        )
    return secret


def find(db: Database, secret: str) -> tuple[Session, User] | None:
    """The session of a secret, with its user; None where it is gone, or the user disabled."""
    row = db.one(
        "SELECT * FROM session WHERE digest = ? AND expires > ? AND seen > ?",
        values.secret_digest(secret),
        now(),
        later(-IDLE),
    )
    if row is None:
        return None
    user = accounts.by_row(db, row["user"])
    return None if user is None or user.disabled else (from_row(Session, row), user)


def is_noted(session: Session) -> bool:
    """Whether a session's use was noted in the last minute: `touch` would change nothing."""
    return session.seen > later(-_NOTED)


def touch(db: Database, session: Session) -> None:
    """Note that a session is used; at most once a minute, so that reading pages seldom writes."""
    if not is_noted(session):
        moment = now()
        db.run("UPDATE session SET seen = ? WHERE id = ? AND seen < ?", moment, session.id, moment)


def end(db: Database, user: User, id: int) -> bool:  # noqa: A002, as the column
    """End a session of a user; False where the user has no such session."""
    ended = db.all("DELETE FROM session WHERE id = ? AND user = ? RETURNING id", id, user.id)
    return bool(ended)


def end_all(db: Database, user: User, keep: int | None = None) -> int:
    """End the sessions of a user, but for the row `keep`; returns how many have ended."""
    ended = db.all("DELETE FROM session WHERE user = ? AND id IS NOT ? RETURNING id", user.id, keep)
    return len(ended)


def of(db: Database, user: User) -> list[Session]:
    """The sessions of a user that have not ended; the one that was used last comes first."""
    rows = db.all(
        "SELECT * FROM session WHERE user = ? AND expires > ? AND seen > ?"
        " ORDER BY seen DESC, id DESC",
        user.id,
        now(),
        later(-IDLE),
    )
    return [from_row(Session, row) for row in rows]
