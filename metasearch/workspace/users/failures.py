"""Logins that fail: after some, the next one has to wait.

Three things are counted: a client at one account, which stops whoever tries passwords; a client at
all accounts, which stops one password at many of them, and leaves room for the many people behind
one address; and an account from all clients, which stops many clients at once. The last one alone
would let anybody keep a user out: a client from which the user has logged in before is not held up
by it.

An attempt is counted before the password is looked at, and taken back if it was right, so that a
hundred attempts at once are a hundred. Nobody learns from a wait whether there is such an account.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from dataclasses import dataclass

from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now, written
from metasearch.workspace.users import names

#: Failures until one waits: of a client at an account, of a client, of an account.
MOST_TOGETHER, MOST_CLIENT, MOST_ACCOUNT = 10, 50, 100
#: Seconds of the first wait, which doubles with each failure, and of the longest.
FIRST_WAIT, LONGEST_WAIT = 15, 900
#: Seconds without an attempt after which failures are forgotten, and that a client is known by.
_FORGOTTEN, _KNOWN = 86_400, 90 * 86_400
#: Hexadecimal digits of a digest. What is typed as a name may be a password, and is not kept.
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class _Count:
    """Failures of one kind."""

    key: str
    most: int


def attempt(db: Database, name: str, client: str) -> int:
    """Count an attempt to log in, before the password is looked at. Returns seconds until the next
    attempt is allowed, and this one is not; 0 where it is allowed.
    """
    moment = dt.datetime.now(dt.UTC).timestamp()
    with db.transaction():
        db.run("DELETE FROM login_failure WHERE until < ?", written(moment - _FORGOTTEN))
        counts = _counts(db, name, client)
        waits = [_wait(db, count, moment) for count in counts]
        if any(waits):
            return max(waits)
        for count in counts:
            _add(db, count, moment)
    return 0


def withdraw(db: Database, name: str, client: str) -> None:
    """Take back an attempt: its password was right, or nobody has looked at it."""
    with db.transaction():
        for count in _counts(db, name, client):
            # Only this one: else who has an account of their own could try others for ever.
            db.run(
                "UPDATE login_failure SET failures = failures - 1,"
                " until = CASE WHEN failures - 1 < ? THEN ? ELSE until END"
                " WHERE key = ? AND failures > 0",
                count.most,
                now(),
                count.key,
            )


def succeeded(db: Database, name: str, client: str) -> None:
    """Take back an attempt whose password was right, and know the client from now on."""
    together, *_ = _counts(db, name, client)
    with db.transaction():
        withdraw(db, name, client)
        db.run("DELETE FROM login_failure WHERE key = ?", together.key)
        db.run(
            "INSERT OR REPLACE INTO login_failure (key, failures, since, until)"
            " VALUES (?, 0, ?, ?)",
            _known(name, client),
            now(),
            written(dt.datetime.now(dt.UTC).timestamp() + _KNOWN),
        )


def forgive(db: Database, name: str) -> None:
    """Forget the failures at an account: its user has a new password."""
    db.run("DELETE FROM login_failure WHERE key = ?", _account(name).key)


def _counts(db: Database, name: str, client: str) -> list[_Count]:
    """What an attempt counts for; the first one is of client and account together."""
    found = [
        _Count(f"both:{_digest(names.normal(name), client)}", MOST_TOGETHER),
        _Count(f"client:{_digest(client)}", MOST_CLIENT),
    ]
    if db.one("SELECT 1 FROM login_failure WHERE key = ?", _known(name, client)) is None:
        found.append(_account(name))
    return found


def _account(name: str) -> _Count:
    return _Count(f"name:{_digest(names.normal(name))}", MOST_ACCOUNT)


def _known(name: str, client: str) -> str:
    return f"known:{_digest(names.normal(name), client)}"


def _digest(*texts: str) -> str:
    packed = b"\0".join(text.encode("utf-8", "replace") for text in texts)
    return hashlib.sha256(packed).hexdigest()[:_DIGITS]


def _wait(db: Database, count: _Count, moment: float) -> int:
    """Seconds until the next attempt; 0 for now."""
    row = db.one("SELECT until FROM login_failure WHERE key = ?", count.key)
    if row is None:
        return 0
    until = dt.datetime.fromisoformat(row["until"]).timestamp()
    return max(0, math.ceil(until - moment))


def _add(db: Database, count: _Count, moment: float) -> None:
    failures = db.value("SELECT failures FROM login_failure WHERE key = ?", count.key) or 0
    over = failures + 1 - count.most
    wait = 0 if over < 0 else min(LONGEST_WAIT, FIRST_WAIT << min(over, 20))
    db.run(
        "INSERT INTO login_failure (key, failures, since, until) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, until = excluded.until",
        count.key,
        failures + 1,
        written(moment),
        written(moment + wait),
    )
