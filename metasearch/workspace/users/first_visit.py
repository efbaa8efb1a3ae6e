"""Accounts of users whom somebody else knows: a proxy, or an OpenID provider. They are made when
the user comes for the first time.
"""

from __future__ import annotations

from metasearch.errors import UsageError
from metasearch.settings.users import SystemRole
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.uids import uid
from metasearch.workspace.users import accounts, names
from metasearch.workspace.users.accounts import Origin, User

#: Names that are tried, before a random one.
_TRIES = 20


def account(
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
        known = accounts.by_subject(db, origin, subject)
        if known is not None:
            return known
        return accounts.create(
            db,
            _free(db, name or subject, origin),
            role=role,
            shown=shown,
            email=email,
            email_proved=True,
            origin=origin,
            subject=subject,
        )


def _free(db: Database, wanted: str, origin: Origin) -> str:
    """A name that nobody has: the one that is wanted, where it can be one."""
    room = names.LONGEST_NAME - len(f" ({origin} {_TRIES})")
    try:
        first = names.checked(wanted[:room].strip())
    except UsageError:
        return f"{origin} {uid()}"
    candidates = [first, f"{first} ({origin})"]
    candidates += [f"{first} ({origin} {number})" for number in range(2, _TRIES)]
    for candidate in candidates:
        taken = db.one("SELECT 1 FROM user WHERE name = ? OR uid = ?", candidate, candidate)
        if taken is None and len(candidate) <= names.LONGEST_NAME:
            return candidate
    return f"{origin} {uid()}"
