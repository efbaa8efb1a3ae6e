"""Accounts: who users are, what their names and roles are, and whether they may log in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

import orjson

from metasearch.errors import Conflict, UsageError
from metasearch.message import message
from metasearch.settings.users import SystemRole
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now
from metasearch.workspace.store.uids import uid as new_uid
from metasearch.workspace.users import addresses, audit, fields, names

#: Who says that a user is who they are: this workspace, a proxy, an OpenID provider.
Origin = Literal["local", "header", "oidc"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
#: Characters of a subject, and users.
LONGEST_SUBJECT, MOST_USERS = 1_000, 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user.

    Attributes:
        uid: The name in addresses, in logs and in votes; it never changes.
        name: What is typed at the login; NFKC, case folded.
        shown: The name for people; "" where it is the same as `name`.
        email_proved: Whether the user has shown to read what is sent there: see `addresses`.
        origin: Who says that the user is who they are.
        subject: The user's name there; "" for local users.
        quotas: The user's own quotas, where they are not the configured ones.
        last_login: When the user logged in last; None for never.
        version: Goes up with each change; who sends an older one has not seen the last change.
    """

    id: int
    uid: str
    name: str
    shown: str
    email: str
    email_proved: bool
    role: SystemRole
    origin: Origin
    subject: str
    disabled: bool
    preferences: Mapping[str, Any]
    quotas: Mapping[str, int]
    created: str
    last_login: str | None
    version: int
    has_password: bool

    @property
    def known_as(self) -> str:
        """What people are shown."""
        return self.shown or self.name


# --------------------------------------------------------------------------- finding


def find(db: Database, name: str) -> User:
    """The user with this uid or name. Raises UsageError: there is none."""
    found = by_uid(db, name) or by_name(db, name)
    if found is None:
        raise UsageError(
            message("There is no user {name}", name=repr(name[: names.LONGEST_NAME])),
            advice=message("`metasearch user list` shows all."),
        )
    return found


def by_uid(db: Database, uid: str) -> User | None:
    """The user with this uid; None where there is none."""
    return _one(db, "uid = ?", uid)


def by_name(db: Database, name: str) -> User | None:
    """The user who logs in by this name, however it is typed; None where there is none."""
    return _one(db, "name = ?", names.normal(name))


def by_subject(db: Database, origin: Origin, subject: str) -> User | None:
    """The user whom a proxy or a provider calls `subject`; None where there is none."""
    return _one(db, "origin = ? AND subject = ?", origin, subject) if subject else None


def by_row(db: Database, id: int) -> User | None:  # noqa: A002, as the column
    """The user of a row, which sessions and tokens name; None where there is none."""
    return _one(db, "id = ?", id)


def every(db: Database, *, after: str = "", most: int = MOST_USERS) -> list[User]:
    """Users by name: those after a name, so many at most."""
    rows = db.all("SELECT * FROM user WHERE name > ? ORDER BY name LIMIT ?", after, most)
    return [_user(row) for row in rows]


def password_hash(db: Database, user: User) -> str:
    """The hash of the password; "" where none can be used."""
    return str(db.value("SELECT password FROM user WHERE id = ?", user.id) or "")


# --------------------------------------------------------------------------- changing


def create(
    db: Database,
    name: str,
    *,
    role: SystemRole = "user",
    shown: str = "",
    email: str = "",
    email_proved: bool = False,
    origin: Origin = "local",
    subject: str = "",
    password: str = "",
    by: str = "",
    client: str = "",
) -> User:
    """Make an account. Raises UsageError: a value cannot be used, or the name or the subject is
    another user's.

    Args:
        shown: The name for people; may be "".
        email: May be "". Unless it is proved, a link is sent there.
        subject: How the user is called there; "" for a local user.
        password: A hash of `passwords.Passwords`; "" for none.
        by: Uid of the user who makes it; "" for the command line.
    """
    name = names.checked(name)
    fields.check_role(role)
    if origin not in ORIGINS or len(subject) > LONGEST_SUBJECT or not subject.isprintable():
        raise UsageError(message("{name} cannot be a user's name there", name=repr(subject[:80])))
    values = fields.shown(shown), fields.email(email)
    with db.transaction():
        if db.value("SELECT count(*) FROM user") >= MOST_USERS:
            raise UsageError(
                message("A workspace has at most {most} users", most=f"{MOST_USERS:,}"),
                advice=message("Delete some first."),
            )
        # No name is the uid of somebody else: `find` would take the one for the other.
        if db.one("SELECT 1 FROM user WHERE name = ? OR uid = ?", name, name) is not None:
            raise UsageError(
                message("There is a user {name} already", name=repr(name)),
                advice=message("Choose another name."),
            )
        if by_subject(db, origin, subject) is not None:
            raise UsageError(message("There is a user {name} already", name=repr(subject)))
        made = new_uid()
        db.run(
            "INSERT INTO user (uid, name, shown, email, role, origin, subject, password, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            made,
            name,
            *values,
            role,
            origin,
            subject,
            password,
            now(),
        )
        if values[1]:
            row = db.value("SELECT id FROM user WHERE uid = ?", made)
            if email_proved:
                addresses.prove(db, row, values[1])
            else:
                addresses.wanted(db, row)
        # Not the name: the log stays when the account is deleted.
        facts = {"new": True, "role": role, "origin": origin}
        audit.write(db, by, "account", f"user:{made}", facts, client)
        return find(db, made)


def update(
    db: Database,
    user: User,
    *,
    shown: str | None = None,
    email: str | None = None,
    role: SystemRole | None = None,
    preferences: Mapping[str, Any] | None = None,
    quotas: Mapping[str, int | None] | None = None,
    version: int | None = None,
    by: str = "",
    client: str = "",
) -> User:
    """Change an account; what is None stays. Raises Conflict: somebody else has changed the account
    since `version`; UsageError: a value cannot be used, the user is gone, or the last administrator
    would be no administrator any more.

    Args:
        email: An address, or ""; another one is to be proved.
        preferences: Replaces the keys that it names, and removes those whose value is None.
        quotas: The same, of the user's own quotas.
        version: The version that the change was made of; None changes whatever stands now.
        by: Uid of the user who changes it.
    """
    sent: dict[str, Any] = {}
    if shown is not None:
        sent["shown"] = fields.shown(shown)
    if email is not None:
        sent["email"] = fields.email(email)
    if role is not None:
        fields.check_role(role)
        sent["role"] = role
    with _changed(db, user) as old:
        if preferences is not None:
            sent["preferences"] = fields.preferences(old.preferences, preferences)
        if quotas is not None:
            sent["quotas"] = fields.quotas(old.quotas, quotas)
        stands = {key: getattr(old, key) for key in sent}
        new = {key: value for key, value in sent.items() if value != stands[key]}
        if version is not None and version != old.version and new:
            raise Conflict(
                message("The account {name} was changed meanwhile", name=repr(old.name)),
                yours=sent,
                theirs=stands,
                version=old.version,
            )
        if not new:
            return old
        if old.role == "administrator" and "role" in new:
            _check_another_administrator(db, old)
        columns = ", ".join(f"{key} = ?" for key in new)
        db.run(
            f"UPDATE user SET {columns}, version = version + 1 WHERE id = ?",  # noqa: S608, own names
            *(
                orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
                if isinstance(value, dict)
                else value
                for value in new.values()
            ),
            old.id,
        )
        about = f"user:{old.uid}"
        if "email" in new:
            db.run("UPDATE user SET proved = '' WHERE id = ?", old.id)
            addresses.wanted(db, old.id)
        if "role" in new:
            facts = {"before": old.role, "after": new["role"]}
            audit.write(db, by, "role", about, facts, client)
        if "quotas" in new:
            audit.write(db, by, "quota", about, {"own": str(new["quotas"])}, client)
        # Which details: not what they are, as names and addresses are no matter of a log for ever.
        details = [key for key in ("shown", "email") if key in new]
        if details:
            audit.write(db, by, "account", about, {"changed": details}, client)
        return find(db, old.uid)


def set_password(
    db: Database,
    user: User,
    password: str,
    *,
    keep: int | None = None,
    by: str = "",
    client: str = "",
) -> User:
    """Set the password, and end the sessions of the user. `password`: a hash of
    `passwords.Passwords`; "" for none. `by`: uid of the user who sets it; "" for the command line.
    """
    with _changed(db, user) as old:
        db.run("UPDATE user SET password = ?, version = version + 1 WHERE id = ?", password, old.id)
        db.run("DELETE FROM session WHERE user = ? AND id IS NOT ?", old.id, keep)
        # Whoever has an older link must not set another one.
        db.run(
            "UPDATE link SET used = ? WHERE user = ? AND kind = 'password' AND used IS NULL",
            now(),
            old.id,
        )
        audit.write(db, by, "password", f"user:{old.uid}", {"set": bool(password)}, client)
        return find(db, old.uid)


def rehashed(db: Database, user: User, old: str, new: str) -> None:
    """Keep the same password with the parameters of today, unless another was set meanwhile."""
    db.run("UPDATE user SET password = ? WHERE id = ? AND password = ?", new, user.id, old)


def set_disabled(
    db: Database, user: User, disabled: bool, *, by: str = "", client: str = ""
) -> User:
    """Keep a user out, or let them in again. Keeping out ends the sessions, and the tokens do not
    work meanwhile; nothing else is removed. Raises UsageError: the user is gone, or the last
    administrator.
    """
    with _changed(db, user) as old:
        if disabled == old.disabled:
            return old
        if disabled:
            _check_another_administrator(db, old)
            db.run("DELETE FROM session WHERE user = ?", old.id)
        db.run(
            "UPDATE user SET disabled = ?, version = version + 1 WHERE id = ?",
            int(disabled),
            old.id,
        )
        audit.write(db, by, "disable" if disabled else "enable", f"user:{old.uid}", client=client)
        return find(db, old.uid)


def login_noted(db: Database, user: User) -> None:
    """Note that the user has logged in now."""
    db.run("UPDATE user SET last_login = ? WHERE id = ?", now(), user.id)


def remove(db: Database, user: User) -> None:
    """Remove an account with its sessions, tokens, memberships and open links. Whoever deletes a
    user calls `own_data.delete`, which looks after projects and saved searches first. Raises
    UsageError: the user is gone, or the last administrator.
    """
    with _changed(db, user) as old:
        _check_another_administrator(db, old)
        db.run("DELETE FROM user WHERE id = ?", old.id)


# --------------------------------------------------------------------------- checks


@contextmanager
def _changed(db: Database, user: User) -> Iterator[User]:
    """A transaction, with the user as they are now."""
    with db.transaction():
        old = by_uid(db, user.uid)
        if old is None:
            raise UsageError(message("The user {name} is gone", name=repr(user.name)))
        yield old


def _check_another_administrator(db: Database, user: User) -> None:
    """Refuse what would leave the workspace without an administrator."""
    if user.role != "administrator" or user.disabled:
        return
    another = db.one(
        "SELECT 1 FROM user WHERE role = 'administrator' AND NOT disabled AND id <> ?", user.id
    )
    if another is None:
        raise UsageError(
            message("{name} is the last administrator", name=repr(user.name)),
            advice=message("Make another user an administrator first."),
        )


# --------------------------------------------------------------------------- rows


def _one(db: Database, where: str, *values: object) -> User | None:
    row = db.one(f"SELECT * FROM user WHERE {where}", *values)  # noqa: S608, own words
    return None if row is None else _user(row)


def _user(row: sqlite3.Row) -> User:
    return User(
        id=row["id"],
        uid=row["uid"],
        name=row["name"],
        shown=row["shown"],
        email=row["email"],
        email_proved=bool(row["email"]) and row["proved"] == row["email"],
        role=row["role"],
        origin=row["origin"],
        subject=row["subject"],
        disabled=bool(row["disabled"]),
        preferences=orjson.loads(row["preferences"]),
        quotas=orjson.loads(row["quotas"]),
        created=row["created"],
        last_login=row["last_login"],
        version=row["version"],
        has_password=bool(row["password"]),
    )
