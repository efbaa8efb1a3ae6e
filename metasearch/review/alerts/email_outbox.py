"""Whom e-mails go to, which of them are to be sent, and what has become of them: the tables mail,
mail_owner and mail_told.

An e-mail is "waiting" until a process claims it, "sending" until that process knows the outcome. A
process that ends in between leaves it "sending"; it is "unclear" then, and is not sent again.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import secrets
import sqlite3
from dataclasses import dataclass
from typing import Literal

from metasearch.message import message_from_json
from metasearch.review.alerts.feeds import moment
from metasearch.review.alerts.news import OWNER_ROLES, language_in, language_of_owner
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.values import moment_text
from metasearch.settings.alerts import is_address

#: Seconds until the next try, by the number of tries on that day.
BACK_OFF = (300.0, 900.0, 3600.0, 3 * 3600.0)
#: Refusals in a row after which somebody gets no more e-mails.
MOST_BOUNCES = 5
#: Seconds after which nobody can still be handing an e-mail over.
_STALE = 900.0
#: An e-mail waits for searches of the same owner that run soon, but no news waits longer.
_SOON, _LONGEST_WAIT = dt.timedelta(hours=4), dt.timedelta(hours=6)
#: Characters of what went wrong that are kept.
_LONGEST_ERROR = 500
#: In the preferences of a user: false for no e-mails.
PREFERENCE = "emails"
_SECRET = re.compile(r"[A-Za-z0-9_-]{20,100}", re.ASCII)

#: Why somebody gets no e-mails: they asked for none, or none arrives.
Off = Literal["", "asked", "bounced"]


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail that is to be sent.

    Attributes:
        message_id: In angle brackets; the same for all tries.
        owner: The uid of a user; "" where its saved searches belong to none.
        secret: Part of the address that switches e-mails off.
    """

    id: int
    message_id: str
    owner: str
    address: str
    language: str
    secret: str
    tries: int


@dataclass(frozen=True, slots=True)
class MailState:
    """Whether somebody gets e-mails.

    Attributes:
        address: Where they go; "" where none is known.
        off: Why none are sent; "" where they are.
        error: What the mail server said last, as a `Message` where it can be translated; "" where
            it took the last one.
        sent: When the last one was sent, UTC; "" for never.
    """

    address: str
    off: Off
    error: str
    sent: str


def plan(
    db: Database, now: dt.datetime, *, to: str = "", domain: str, hold: bool = True
) -> list[Mail]:
    """The e-mails that are to be sent now; rows of new ones are made.

    `now`: with a time zone. `to`: address for what belongs to no user; "" for nobody. `hold`:
    whether an e-mail waits for searches of its owner that run in the next hours.
    """
    at, today = moment_text(now.timestamp()), now.astimezone(dt.UTC).date().isoformat()
    with db.transaction():
        _clean(db, now, at, today)
        made = []
        for owner in _with_news(db, now, hold=hold):
            recipient = _recipient(db, owner, to)
            if recipient is None:
                continue
            address, language = recipient
            kept = _state_row(db, owner)
            if kept["off"]:
                continue
            db.run(
                "INSERT OR IGNORE INTO mail (message_id, owner, day, last_news, status, at)"
                " VALUES (?, ?, ?, 0, 'waiting', ?)",
                _message_id(owner, today, kept["secret"], domain),
                owner,
                today,
                at,
            )
            row = db.all("SELECT * FROM mail WHERE owner = ? AND day = ?", owner, today)[0]
            if row["status"] != "waiting" or (row["next_try"] or "") > at:
                continue
            made.append(
                Mail(
                    row["id"],
                    row["message_id"],
                    owner,
                    address,
                    language,
                    kept["secret"],
                    row["tries"],
                )
            )
    # Those that were refused before come last, so that they hold up nobody.
    return sorted(made, key=lambda mail: mail.tries)


def claim(db: Database, mail: Mail, last_news: int, now: dt.datetime) -> bool:
    """Note that an e-mail is being handed over; False where another process has done so, or e-mails
    were switched off meanwhile.
    """
    with db.transaction():
        if db.value("SELECT off FROM mail_owner WHERE owner = ?", mail.owner) != "":
            return False
        changed = db.all(
            "UPDATE mail SET status = 'sending', last_news = ?, tries = tries + 1, at = ?"
            " WHERE id = ? AND status = 'waiting' RETURNING id",
            last_news,
            moment_text(now.timestamp()),
            mail.id,
        )
        return bool(changed)


def note_sent(db: Database, mail: Mail, now: dt.datetime) -> None:
    """Note that the mail server has taken an e-mail."""
    with db.transaction():
        _close(db, mail.id, "sent", "", now)
        db.run(
            "UPDATE mail_owner SET bounces = 0, error = '', sentences = '' WHERE owner = ?",
            mail.owner,
        )


def note_unclear(db: Database, mail: Mail, error: str, now: dt.datetime) -> None:
    """Note that nobody knows whether the mail server has taken an e-mail."""
    with db.transaction():
        _close(db, mail.id, "unclear", error, now)
        _keep_error(db, mail.owner, error)


def note_later(db: Database, mail: Mail, error: str, now: dt.datetime) -> None:
    """Note that an e-mail was not handed over; it is tried again later."""
    tries = mail.tries + 1
    wait = BACK_OFF[min(tries, len(BACK_OFF)) - 1]
    with db.transaction():
        db.run(
            "UPDATE mail SET status = 'waiting', tries = ?, next_try = ?, error = ?, at = ?"
            " WHERE id = ? AND status IN ('waiting', 'sending')",
            tries,
            moment_text(now.timestamp() + wait),
            error[:_LONGEST_ERROR],
            moment_text(now.timestamp()),
            mail.id,
        )
        _keep_error(db, mail.owner, error)


def note_refusal(db: Database, mail: Mail, error: str, now: dt.datetime) -> bool:
    """Note that the mail server takes no e-mails for an address. Its news are told the next day.
    Returns whether it was the last refusal of so many that e-mails are off now.
    """
    with db.transaction():
        db.run(
            "UPDATE mail SET status = 'failed', tries = ?, error = ?, at = ? WHERE id = ?",
            mail.tries + 1,
            error[:_LONGEST_ERROR],
            moment_text(now.timestamp()),
            mail.id,
        )
        _keep_error(db, mail.owner, error)
        bounces = db.value(
            "UPDATE mail_owner SET bounces = bounces + 1,"
            " off = CASE WHEN off = '' AND bounces + 1 >= ? THEN 'bounced' ELSE off END"
            " WHERE owner = ? RETURNING bounces",
            MOST_BOUNCES,
            mail.owner,
        )
        return bool(bounces == MOST_BOUNCES)


def state(db: Database, owner: str, to: str = "") -> MailState:
    """Whether somebody gets e-mails; `to` as for `plan`."""
    with db.snapshot():
        recipient = _recipient(db, owner, to)
        row = db.one("SELECT off, error, sentences FROM mail_owner WHERE owner = ?", owner)
        last = db.value("SELECT max(at) FROM mail WHERE owner = ? AND status = 'sent'", owner)
        return MailState(
            recipient[0] if recipient else "",
            row["off"] if row else "",
            _error_of(row) if row else "",
            last or "",
        )


def is_secret(db: Database, secret: str) -> bool:
    """Whether an address that switches e-mails off is good."""
    return _owner_of(db, secret) is not None


def unsubscribe(db: Database, secret: str) -> bool:
    """Switch e-mails off, by the secret of an e-mail; False where it is none."""
    owner = _owner_of(db, secret)
    if owner is None:
        return False
    switch_off(db, owner)
    return True


def switch_off(db: Database, owner: str) -> None:
    """Send somebody no more e-mails."""
    with db.transaction():
        _state_row(db, owner)
        db.run(
            "UPDATE mail_owner SET off = 'asked', error = '', sentences = '' WHERE owner = ?", owner
        )


def switch_on(db: Database, owner: str) -> None:
    """Send e-mails again, of what is new from now on."""
    with db.transaction():
        _state_row(db, owner)
        db.run(
            "UPDATE mail_owner SET off = '', error = '', sentences = '', bounces = 0"
            " WHERE owner = ?",
            owner,
        )
        db.run(
            "INSERT OR REPLACE INTO mail_told (saved, news) SELECT s.id,"
            " coalesce((SELECT max(n.id) FROM saved_news AS n WHERE n.saved = s.id), 0)"
            " FROM saved_search AS s WHERE s.owner = ?",
            owner,
        )


def _clean(db: Database, now: dt.datetime, at: str, today: str) -> None:
    """Close what earlier processes and days have left."""
    left = moment_text(now.timestamp() - _STALE)
    for row in db.all("SELECT id FROM mail WHERE status = 'sending' AND at < ?", left):
        _close(db, row["id"], "unclear", "the program ended while it was being sent", now)
    # What it would have told is told by the e-mail of today.
    db.run(
        "UPDATE mail SET status = 'failed', at = ? WHERE status = 'waiting' AND day < ?", at, today
    )


def _close(db: Database, mail: int, status: str, error: str, now: dt.datetime) -> None:
    """The end of an e-mail whose news are told."""
    row = db.all(
        "UPDATE mail SET status = ?, error = ?, at = ? WHERE id = ? RETURNING owner, last_news",
        status,
        error[:_LONGEST_ERROR],
        moment_text(now.timestamp()),
        mail,
    )[0]
    # The newest of each saved search: numbers of another one that was deleted are given again.
    db.run(
        "INSERT OR REPLACE INTO mail_told (saved, news) SELECT s.id, max(n.id)"
        " FROM saved_search AS s JOIN saved_news AS n ON n.saved = s.id"
        " LEFT JOIN mail_told AS t ON t.saved = s.id"
        " WHERE s.owner = ? AND s.email <> 0 AND n.id <= ? AND n.id > coalesce(t.news, 0)"
        " GROUP BY s.id",
        row["owner"],
        row["last_news"],
    )


def _with_news(db: Database, now: dt.datetime, *, hold: bool) -> list[str]:
    """Owners of saved searches with news that were not sent yet."""
    rows = db.all(
        "SELECT s.id, s.owner, s.next_run, (SELECT min(n.at) FROM saved_news AS n"
        " WHERE n.saved = s.id AND n.id > coalesce(t.news, 0)"
        " AND n.kind <> 'late') AS oldest,"
        " EXISTS (SELECT 1 FROM saved_run AS r WHERE r.saved = s.id AND r.status = 'running')"
        " AS running"
        " FROM saved_search AS s LEFT JOIN mail_told AS t ON t.saved = s.id"
        " WHERE s.email <> 0 ORDER BY s.owner, s.id"
    )
    oldest: dict[str, str] = {}
    held: set[str] = set()
    soon = moment_text((now + _SOON).timestamp())
    for row in rows:
        if row["oldest"]:
            known = oldest.get(row["owner"], row["oldest"])
            oldest[row["owner"]] = min(known, row["oldest"])
        if row["running"] or (row["next_run"] and row["next_run"] <= soon):
            held.add(row["owner"])
    return [
        owner
        for owner, at in oldest.items()
        if not (hold and owner in held and moment(at) + _LONGEST_WAIT > now)
    ]


def _recipient(db: Database, owner: str, to: str) -> tuple[str, str] | None:
    """(address, language); None where e-mails go nowhere."""
    if not owner:
        return (to, language_of_owner(db, "")) if to else None
    row = db.one("SELECT email, proved, disabled, role, preferences FROM user WHERE uid = ?", owner)
    if row is None or row["disabled"] or row["role"] not in OWNER_ROLES:
        return None
    if not is_address(row["email"]) or row["proved"] != row["email"]:
        return None
    try:
        chosen = json.loads(row["preferences"])
    except ValueError:
        chosen = {}
    if isinstance(chosen, dict) and chosen.get(PREFERENCE) is False:
        return None
    return row["email"], language_in(row["preferences"])


def _keep_error(db: Database, owner: str, error: str) -> None:
    """Keep what the mail server said, for the page of the owner."""
    db.run(
        "UPDATE mail_owner SET error = ?, sentences = ? WHERE owner = ?",
        error[:_LONGEST_ERROR],
        values.pack_sentences(error=error),
        owner,
    )


def _error_of(row: sqlite3.Row) -> str:
    return message_from_json(row["error"], values.unpack_sentences(row["sentences"]).get("error"))


def _state_row(db: Database, owner: str) -> dict[str, str]:
    db.run(
        "INSERT OR IGNORE INTO mail_owner (owner, secret) VALUES (?, ?)",
        owner,
        secrets.token_urlsafe(32),
    )
    return dict(db.all("SELECT off, secret FROM mail_owner WHERE owner = ?", owner)[0])


def _owner_of(db: Database, secret: str) -> str | None:
    if not _SECRET.fullmatch(secret):
        return None
    owner: str | None = db.value("SELECT owner FROM mail_owner WHERE secret = ?", secret)
    return owner


def _message_id(owner: str, day: str, secret: str, domain: str) -> str:
    """The same for one owner and day; it reveals nothing of either."""
    digest = hashlib.sha256(f"{owner} {day} {secret}".encode()).hexdigest()
    return f"<{day}.{digest[:32]}@{domain}>"
