"""The account of somebody whom the provider has named."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.users.oidc.failures import LoginRefused
from metasearch.settings.users import SystemRole, UsersSettings
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import later, now
from metasearch.workspace.users import accounts, addresses, audit, first_visit
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.fields import LONGEST_EMAIL, LONGEST_SHOWN
from metasearch.workspace.users.permissions import SYSTEM_ROLES

#: Groups of a user that are looked at.
_MOST_GROUPS = 1_000
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*", re.ASCII)

logger = logging.getLogger("metasearch.server")


def spend(db: Database, digest: bytes, lasts: int) -> None:
    """Note that a login has come back. `lasts`: seconds after which it has ended anyway. Raises
    LoginRefused: it has come back before.
    """
    with db.transaction():
        db.run("DELETE FROM login_state WHERE until <= ?", now())
        if db.one("SELECT 1 FROM login_state WHERE digest = ?", digest) is not None:
            raise LoginRefused(message("This login was used already."))
        db.run("INSERT INTO login_state (digest, until) VALUES (?, ?)", digest, later(lasts))


def account_of(
    db: Database, claims: Mapping[str, Any], settings: UsersSettings, client: str
) -> User:
    """The user whom an ID token names by issuer and subject, made at the first login.

    A name or an address that another account has makes nobody that user. Raises LoginRefused: the
    account is disabled; UsageError: there are too many users.
    """
    role = role_of(claims, settings)
    with db.transaction():
        user = first_visit.account(
            db,
            "oidc",
            f"{claims['iss']} {claims['sub']}",
            role or settings.default_role,
            name=_text(claims, "preferred_username", 120) or _text(claims, "email", 120),
            shown=_text(claims, "name", LONGEST_SHOWN),
            email=_email(claims),
        )
        if not user.disabled:
            if user.email == _email(claims) and not user.email_proved:
                addresses.prove(db, user.id, user.email)
            return user if role is None else _in_role(db, user, role, client)
    with db.transaction():
        audit.write(db, "", "login failed", f"user:{user.uid}", {"proof": "oidc"}, client)
    raise LoginRefused(
        message("Your account is disabled."), advice=message("Ask whoever runs this server.")
    )


def role_of(claims: Mapping[str, Any], settings: UsersSettings) -> SystemRole | None:
    """The highest role that the groups of a user give; that of new accounts where none gives one.
    None where roles do not depend on groups.
    """
    oidc = settings.oidc
    if not oidc.claim or not oidc.roles:
        return None
    groups = claims.get(oidc.claim)
    listed = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    given = {
        oidc.roles[group]
        for group in listed[:_MOST_GROUPS]
        if isinstance(group, str) and group in oidc.roles
    }
    return next((role for role in SYSTEM_ROLES if role in given), settings.default_role)


def _in_role(db: Database, user: User, role: SystemRole, client: str) -> User:
    """The user in the role that the provider gives now."""
    if user.role == role:
        return user
    try:
        return accounts.update(db, user, role=role, client=client)
    except UsageError as error:
        # The last administrator: without one nobody could put anything right.
        logger.warning("the role of the user %s stays %s: %s", user.uid, user.role, error.message)
        return user


def _text(claims: Mapping[str, Any], name: str, most: int) -> str:
    """A claim as a text of one line; "" where it is none."""
    value = claims.get(name)
    text = " ".join(value[: 4 * most].split()) if isinstance(value, str) else ""
    return text[:most].strip() if text.isprintable() else ""


def _email(claims: Mapping[str, Any]) -> str:
    """The address, where the provider has verified it; an unusual one is left out."""
    text = _text(claims, "email", LONGEST_EMAIL)
    return text if claims.get("email_verified") is True and _EMAIL.fullmatch(text) else ""
