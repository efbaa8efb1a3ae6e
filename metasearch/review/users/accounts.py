"""Accounts: who users are, what they may be called, what their roles, preferences and quotas are,
and whether they may log in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.store.database import Database
from metasearch.review.store.table import EditedTable, merge_entries
from metasearch.review.store.values import clean_text, now, uid
from metasearch.review.users import addresses, audit
from metasearch.review.users.permissions_and_quotas import SYSTEM_ROLES
from metasearch.settings.users import LARGEST, QUOTAS, SystemRole

#: Characters of a name for people and of an address, and bytes of all preferences.
LONGEST_SHOWN, LONGEST_EMAIL, LONGEST_PREFERENCES = 120, 254, 20_000
_EMAIL = re.compile(r"[^\s@<>()\[\]\\,;:\"]+@[^\s@<>()\[\]\\,;:\"]+")
#: Signs that turn the direction of what stands beside a name.
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
#: A name of a preference.
_KEY = re.compile("[a-z][a-z_]{0,39}")


def check_role(role: str, allowed: Sequence[str] = SYSTEM_ROLES) -> None:
    """Raises UsageError: there is no role of this name on the server, or among those `allowed`."""
    if role not in allowed:
        raise UsageError(
            message("There is no role {role}", role=repr(role[:40])),
            advice=message("There are {roles}.", roles=", ".join(allowed)),
        )


def shown_field(text: str) -> str:
    """A name for people, on one line; may be "". Raises UsageError: it is too long, or has
    characters that no text may have.
    """
    text = clean_text(text, LONGEST_SHOWN)
    if bad := _TURNED.search(text):
        raise UsageError(message("it has the character U+{code}", code=f"{ord(bad[0]):04X}"))
    return text


def email_field(text: str) -> str:
    """An e-mail address, or "": nothing that a mail would take for a second address or header.
    Raises UsageError: it is none.
    """
    address = text.strip()
    if address and (
        len(address) > LONGEST_EMAIL or not address.isprintable() or not _EMAIL.fullmatch(address)
    ):
        raise UsageError(
            message("{email} is no e-mail address", email=repr(address[:80])),
            advice=message("Write one as name@example.org."),
        )
    return address


def preferences_field(old: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """The preferences after a change; None removes one. Raises UsageError: a name cannot be one, or
    they are too many or too long.
    """
    wrong = next((key for key in sent if not _KEY.fullmatch(key)), None)
    if wrong is not None:
        raise UsageError(message("There is no preference {name}", name=repr(wrong[:40])))
    changed = merge_entries(old, sent)
    try:
        packed = orjson.dumps(changed)
    except TypeError as exc:
        raise UsageError(message("a preference cannot be saved: {reason}", reason=exc)) from exc
    if len(packed) > LONGEST_PREFERENCES:
        raise UsageError(
            message("The preferences have more than {most} bytes", most=f"{LONGEST_PREFERENCES:,}")
        )
    return changed


def quotas_field(old: Mapping[str, int], sent: Mapping[str, int | None]) -> dict[str, int]:
    """The own quotas of a user after a change; None removes one. Raises UsageError: there is no
    such quota, or a value is no number that one may have.
    """
    for kind, limit in sent.items():
        if kind not in QUOTAS:
            raise UsageError(
                message("There is no quota {kind}", kind=repr(kind[:40])),
                advice=message("There are {kinds}.", kinds=", ".join(QUOTAS)),
            )
        if limit is not None and (type(limit) is not int or not 0 <= limit <= LARGEST):
            raise UsageError(
                message(
                    "The quota {kind} must be a number of 0 to {most}",
                    kind=kind,
                    most=f"{LARGEST:,}",
                )
            )
    return merge_entries(old, sent)


# Names of users: those that are typed at a login, and those that people are shown.

#: Characters of a name for the login, and of what may be typed for one: NFKC makes some longer.
LONGEST_NAME, _LONGEST_TYPED = 80, 320
#: Letters and signs that are seen as a blank, or not at all, though Unicode calls them printable.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
#: Users that one statement looks up.
_AT_ONCE = 500


def normal_name(text: str) -> str:
    """A name as it is kept and compared: NFKC, case folded, without blanks around it. A text that
    can be no name has none that an account may have: "".
    """
    if len(text) > _LONGEST_TYPED:
        return ""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded).strip()


def parse_name(text: str) -> str:
    """The name of an account, as it is kept. Raises UsageError: it cannot be one."""
    name = normal_name(text)
    if (
        not 1 <= len(name) <= LONGEST_NAME
        or not name.isprintable()
        or _UNSEEN.search(name)
        or "  " in name
        or name.startswith("-")
    ):
        raise UsageError(
            message("{name} cannot be the name of a user", name=repr(text[:LONGEST_NAME])),
            advice=message(
                "A name has 1 to {most} letters, digits and signs, at most one blank between them, "
                "and does not begin with '-'.",
                most=LONGEST_NAME,
            ),
        )
    return name


def names_for_people(db: Database, uids: Iterable[str]) -> dict[str, str]:
    """Uid -> name for people, of those that are asked for; "former user" for one who is gone. The
    command line, "", is left out.
    """
    wanted = list({uid for uid in uids if uid})
    names: dict[str, str] = dict.fromkeys(wanted, message("former user"))
    for first in range(0, len(wanted), _AT_ONCE):
        names |= dict(_name_pairs(db, wanted[first : first + _AT_ONCE]))
    return names


def _name_pairs(db: Database, uids: Sequence[str]) -> Iterator[tuple[str, str]]:
    places = ", ".join("?" * len(uids))
    for row in db.all(
        f"SELECT uid, name, shown FROM user WHERE uid IN ({places})",  # noqa: S608, places alone
        *uids,
    ):
        yield row["uid"], row["shown"] or row["name"]


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
    def display_name(self) -> str:
        return self.shown or self.name


USERS = EditedTable(
    "user",
    User,
    ("shown", "email", "role", "preferences", "quotas"),
    computed={
        "email_proved": lambda _, row: bool(row["email"]) and row["proved"] == row["email"],
        "has_password": lambda _, row: bool(row["password"]),
    },
    option=orjson.OPT_SORT_KEYS,
)


def find(db: Database, name: str) -> User:
    """The user with this uid or name. Raises UsageError: there is none."""
    found = by_uid(db, name) or by_name(db, name)
    if found is None:
        raise UsageError(
            message("There is no user {name}", name=repr(name[:LONGEST_NAME])),
            advice=message("`metasearch user list` shows all."),
        )
    return found


def by_uid(db: Database, uid: str) -> User | None:
    """The user with this uid; None where there is none."""
    return USERS.one(db, "uid = ?", uid)


def by_name(db: Database, name: str) -> User | None:
    """The user who logs in by this name, however it is typed; None where there is none."""
    return USERS.one(db, "name = ?", normal_name(name))


def by_subject(db: Database, origin: Origin, subject: str) -> User | None:
    """The user whom a proxy or a provider calls `subject`; None where there is none."""
    return USERS.one(db, "origin = ? AND subject = ?", origin, subject) if subject else None


def by_row(db: Database, id: int) -> User | None:  # noqa: A002, as the column
    """The user of a row, which sessions and tokens name; None where there is none."""
    return USERS.one(db, "id = ?", id)


def every(db: Database, *, after: str = "", most: int = MOST_USERS) -> list[User]:
    """Users by name: those after a name, so many at most."""
    return USERS.all(db, "name > ? ORDER BY name LIMIT ?", after, most)


def password_hash(db: Database, user: User) -> str:
    """The hash of the password; "" where none can be used."""
    return str(db.value("SELECT password FROM user WHERE id = ?", user.id) or "")


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
    name = parse_name(name)
    check_role(role)
    if origin not in ORIGINS or len(subject) > LONGEST_SUBJECT or not subject.isprintable():
        raise UsageError(message("{name} cannot be a user's name there", name=repr(subject[:80])))
    shown, email = shown_field(shown), email_field(email)
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
        made = uid()
        row = db.insert(
            "user",
            uid=made,
            name=name,
            shown=shown,
            email=email,
            role=role,
            origin=origin,
            subject=subject,
            password=password,
            created=now(),
        )
        if email:
            if email_proved:
                addresses.prove(db, row, email)
            else:
                addresses.request_proof(db, row)
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
    if role is not None:
        check_role(role)
    with _current_user(db, user) as old:
        becomes = replace(
            old,
            shown=old.shown if shown is None else shown_field(shown),
            email=old.email if email is None else email_field(email),
            role=role or old.role,
            preferences=preferences_field(old.preferences, preferences or {}),
            quotas=quotas_field(old.quotas, quotas or {}),
        )
        clash = message("The account {name} was changed meanwhile", name=repr(old.name))
        _, new = USERS.changes(old, becomes, version, clash)
        if not new:
            return old
        if old.role == "administrator" and "role" in new:
            _check_another_administrator(db, old)
        USERS.save(db, old, becomes)
        about = f"user:{old.uid}"
        if "email" in new:
            db.run("UPDATE user SET proved = '' WHERE id = ?", old.id)
            addresses.request_proof(db, old.id)
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
    with _current_user(db, user) as old:
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


def update_hash(db: Database, user: User, old: str, new: str) -> None:
    """Keep the same password with the parameters of today, unless another was set meanwhile."""
    db.run("UPDATE user SET password = ? WHERE id = ? AND password = ?", new, user.id, old)


def set_disabled(
    db: Database, user: User, disabled: bool, *, by: str = "", client: str = ""
) -> User:
    """Keep a user out, or let them in again. Keeping out ends the sessions, and the tokens do not
    work meanwhile; nothing else is removed. Raises UsageError: the user is gone, or the last
    administrator.
    """
    with _current_user(db, user) as old:
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


def note_login(db: Database, user: User) -> None:
    db.run("UPDATE user SET last_login = ? WHERE id = ?", now(), user.id)


def remove(db: Database, user: User) -> None:
    """Remove an account with its sessions, tokens, memberships and open links. Whoever deletes a
    user calls `own_data.delete`, which looks after projects and saved searches first. Raises
    UsageError: the user is gone, or the last administrator.
    """
    with _current_user(db, user) as old:
        _check_another_administrator(db, old)
        db.run("DELETE FROM user WHERE id = ?", old.id)


@contextmanager
def _current_user(db: Database, user: User) -> Iterator[User]:
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


# Accounts of users whom somebody else knows: a proxy, or an OpenID provider. They are made when
# the user comes for the first time.

#: Names that are tried, before a random one.
_TRIES = 20


def visitor_account(
    db: Database,
    origin: Origin,
    subject: str,
    role: SystemRole,
    *,
    name: str = "",
    shown: str = "",
    email: str = "",
) -> User:
    """The user whom somebody else calls `subject`, made where there is none yet.

    An account of the same name that is of another origin is another user: who controls a name at a
    proxy or a provider does not get what somebody else has here. `subject`: how the user is called
    there, for ever. `name`: what the account is called, where nobody has the name yet; "" for the
    subject. Raises UsageError: there are too many users, or a value cannot be used.
    """
    with db.transaction():
        known = by_subject(db, origin, subject)
        if known is not None:
            return known
        return create(
            db,
            _free_name(db, name or subject, origin),
            role=role,
            shown=shown,
            email=email,
            email_proved=True,
            origin=origin,
            subject=subject,
        )


def _free_name(db: Database, wanted: str, origin: Origin) -> str:
    """A name that nobody has: the one that is wanted, where it can be one."""
    room = LONGEST_NAME - len(f" ({origin} {_TRIES})")
    try:
        first = parse_name(wanted[:room].strip())
    except UsageError:
        return f"{origin} {uid()}"
    candidates = [first, f"{first} ({origin})"]
    candidates += [f"{first} ({origin} {number})" for number in range(2, _TRIES)]
    for candidate in candidates:
        taken = db.one("SELECT 1 FROM user WHERE name = ? OR uid = ?", candidate, candidate)
        if taken is None and len(candidate) <= LONGEST_NAME:
            return candidate
    return f"{origin} {uid()}"
