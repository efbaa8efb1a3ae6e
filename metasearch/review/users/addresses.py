"""E-mail addresses are proved: nothing is sent to one until a link that was sent there is opened.

Who types an address may be anybody: so it gets one e-mail, with a link, of which each user and each
address have few a day. An address that a user changes is to be proved again. An address that an
OpenID provider has verified is proved by that; one that an administrator types is not.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass

from metasearch.errors import QuotaExceeded
from metasearch.message import message
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.values import moment_text
from metasearch.review.users import audit
from metasearch.settings.alerts import is_address

#: Seconds that a link is good for, and those after which an e-mail is tried again; tries.
SECONDS, AGAIN, MOST_TRIES = 2 * 86_400, 900, 4
#: E-mails with a link that a user may ask for in a day, and that an address gets.
MOST_OF_USER, MOST_OF_ADDRESS = 3, 2
_DAY = 86_400
#: Of links at once.
_MOST_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class AddressProof:
    """A link that is to be sent.

    Attributes:
        name: For whom the address is to be proved.
        address: Where the e-mail goes.
        preferences: Of the user, as the table keeps them: the language is that of the e-mail.
        secret: The last part of the link.
    """

    user: int
    name: str
    address: str
    preferences: str
    secret: str


@dataclass(frozen=True, slots=True)
class AddressClaim:
    """An address that is not proved yet."""

    user: int
    uid: str
    name: str
    address: str


def request_proof(db: Database, user: int, now: dt.datetime | None = None) -> bool:
    """Have a link sent to the address of a user, in the transaction that changes it; the one before
    is void. False where that is no address, is proved, or too many were sent in a day.
    """
    moment = (now or dt.datetime.now(dt.UTC)).timestamp()
    db.run("DELETE FROM address_proof WHERE user = ?", user)
    row = db.one("SELECT uid, email, proved FROM user WHERE id = ?", user)
    if row is None or not is_address(row["email"]) or row["proved"] == row["email"]:
        return False
    db.run("DELETE FROM address_mail WHERE at <= ?", moment_text(moment - _DAY))
    counted = {f"user:{row['uid']}": MOST_OF_USER, _key(row["email"]): MOST_OF_ADDRESS}
    for key, most in counted.items():
        if db.value("SELECT count(*) FROM address_mail WHERE key = ?", key) >= most:
            return False
    db.run_many(
        "INSERT INTO address_mail (key, at) VALUES (?, ?)",
        [(key, moment_text(moment)) for key in counted],
    )
    db.insert(
        "address_proof",
        user=user,
        address=row["email"],
        next_try=moment_text(moment),
        expires=moment_text(moment + SECONDS),
    )
    return True


def ask(db: Database, user: int) -> None:
    """Have the link sent once more, as a user asks. Raises QuotaExceeded: too many were sent to the
    user or to the address in a day.
    """
    with db.transaction():
        row = db.one("SELECT email, proved FROM user WHERE id = ?", user)
        if row is None or not row["email"] or row["proved"] == row["email"]:
            return
        if not request_proof(db, user):
            raise QuotaExceeded(
                message("No more links are sent to this address today."),
                kind="address links",
                limit=MOST_OF_USER,
                retry_after=_DAY,
                advice=message("Look for the link among the spam, or ask again tomorrow."),
            )


def are_due(db: Database) -> bool:
    now = moment_text(dt.datetime.now(dt.UTC).timestamp())
    return (
        db.one("SELECT 1 FROM address_proof WHERE digest IS NULL AND next_try <= ?", now)
        is not None
    )


def due(db: Database, now: dt.datetime) -> list[AddressProof]:
    """The links that are to be sent now, made for that: none is sent by two processes."""
    at, found = moment_text(now.timestamp()), []
    with db.transaction():
        db.run("DELETE FROM address_proof WHERE expires <= ?", at)
        for row in db.all(
            "SELECT user.id, user.name, user.shown, user.preferences, proof.address"
            " FROM address_proof AS proof JOIN user ON user.id = proof.user"
            " WHERE proof.digest IS NULL AND proof.next_try <= ? AND NOT user.disabled"
            " ORDER BY proof.next_try LIMIT ?",
            at,
            _MOST_AT_ONCE,
        ):
            secret = values.new_secret()
            db.run(
                "UPDATE address_proof SET digest = ?, tries = tries + 1 WHERE user = ?",
                values.secret_digest(secret),
                row["id"],
            )
            name = row["shown"] or row["name"]
            found.append(AddressProof(row["id"], name, row["address"], row["preferences"], secret))
    return found


def stands(db: Database, proof: AddressProof) -> bool:
    """Whether a link is still the one of its user: the address may have been changed meanwhile."""
    digest = db.value("SELECT digest FROM address_proof WHERE user = ?", proof.user)
    return bool(digest == values.secret_digest(proof.secret))


def postpone(db: Database, proof: AddressProof, now: dt.datetime) -> None:
    """Note that an e-mail was not handed over: another link is made and sent later."""
    with db.transaction():
        db.run(
            "UPDATE address_proof SET digest = NULL, next_try = ? WHERE user = ? AND digest = ?"
            " AND tries < ?",
            moment_text(now.timestamp() + AGAIN),
            proof.user,
            values.secret_digest(proof.secret),
            MOST_TRIES,
        )


def peek(db: Database, secret: str) -> AddressClaim | None:
    """The address of a link, without using it; None where the link is good for nothing."""
    row = db.one(
        "SELECT user.id, user.uid, user.name, user.shown, proof.address"
        " FROM address_proof AS proof JOIN user ON user.id = proof.user"
        " WHERE proof.digest = ? AND proof.expires > ? AND user.email = proof.address"
        " AND NOT user.disabled",
        values.secret_digest(secret),
        moment_text(dt.datetime.now(dt.UTC).timestamp()),
    )
    if row is None:
        return None
    return AddressClaim(row["id"], row["uid"], row["shown"] or row["name"], row["address"])


def use(db: Database, secret: str, *, client: str = "") -> bool:
    """Note that the owner of an address has opened its link, which nobody can use again; False
    where it is good for nothing.
    """
    with db.transaction():
        found = peek(db, secret)
        if found is None:
            return False
        prove(db, found.user, found.address)
        audit.write(db, found.uid, "account", f"user:{found.uid}", {"proved": True}, client)
        return True


def prove(db: Database, user: int, address: str) -> None:
    """Note, in a transaction, that an address is known to be that of a user."""
    db.run("DELETE FROM address_proof WHERE user = ?", user)
    db.run(
        "UPDATE user SET proved = ?, version = version + 1 WHERE id = ? AND email = ?"
        " AND proved <> email",
        address,
        user,
        address,
    )


def _key(address: str) -> str:
    """What is counted of an address: "a+b@c" arrives where "a@c" does."""
    local, _, domain = address.casefold().rpartition("@")
    same = f"{local.partition('+')[0]}@{domain}"
    return f"address:{hashlib.sha256(same.encode('utf-8', 'replace')).hexdigest()}"
