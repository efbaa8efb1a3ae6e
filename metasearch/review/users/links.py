"""Links that are used once: to set a password, to make an account, to become a member.

Who has such an address may do what it is for, so that it is shown to its maker alone, ends soon,
and is kept as a digest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import members, projects
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import later, now
from metasearch.review.users import accounts, audit
from metasearch.review.users.accounts import User
from metasearch.review.users.permissions_and_quotas import PROJECT_ROLES, SYSTEM_ROLES, may

LinkKind = Literal["password", "account", "member"]
LINK_KINDS: tuple[LinkKind, ...] = get_args(LinkKind)
_HOUR, _DAY = 3_600, 86_400
#: Seconds that a link is good for.
SECONDS: Mapping[LinkKind, int] = {"password": _HOUR, "account": 7 * _DAY, "member": 7 * _DAY}
#: The longest life of a link that is chosen, in days.
MOST_DAYS = 30
#: Where the pages of the server take them: the secret follows. They stand here because the command
#: line, which writes such addresses, does not load the server.
PATHS: Mapping[LinkKind, str] = {
    "password": "/password/",
    "account": "/join/",
    "member": "/join/",
}
#: Open links of a project, and to make accounts.
MOST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTimeLink:
    """A link that can be used.

    Attributes:
        user: Whose password it sets; None for the other kinds.
        project: Of which it makes a member; None for the other kinds.
        role: In the project, or of the account; "" for a password.
        by: Uid of the user who made it; "" for the command line.
    """

    id: int
    kind: LinkKind
    user: User | None
    project: Project | None
    role: str
    by: str
    created: str
    expires: str


def create(
    db: Database,
    kind: LinkKind,
    *,
    user: User | None = None,
    project: ProjectRow | None = None,
    role: str = "",
    by: str = "",
    client: str = "",
    days: int | None = None,
) -> str:
    """Make a link; returns its secret, which is nowhere else. One to set a password ends the
    earlier ones of the user.

    `kind`: "password" needs `user`, "account" a `role`, and "member" `project` and `role`. `by`:
    uid of the user who makes it; a link works as long as they might still make it. `days`: its
    life; None for that of the kind. Raises UsageError: there is no such role, no link lives so
    long, or there are too many open ones.
    """
    allowed: tuple[str, ...] = {
        "password": ("",),
        "account": SYSTEM_ROLES,
        "member": PROJECT_ROLES,
    }[kind]
    accounts.check_role(role, allowed)
    if (user is None) is (kind == "password") or (project is None) is (kind == "member"):
        raise ValueError(f"a link of the kind {kind} has another object")
    seconds = life(kind, days)
    secret = values.new_secret()
    with db.transaction():
        db.run("DELETE FROM link WHERE expires <= ?", now())
        if kind == "password":
            db.run("DELETE FROM link WHERE kind = 'password' AND user = ?", user and user.id)
        open_ones = db.value(
            "SELECT count(*) FROM link WHERE kind = ? AND project IS ? AND used IS NULL",
            kind,
            project and project.id,
        )
        if kind != "password" and open_ones >= MOST:
            raise UsageError(
                message("There are {most} open invitations already", most=MOST),
                advice=message("Revoke some first."),
            )
        db.insert(
            "link",
            digest=values.secret_digest(secret),
            kind=kind,
            user=user and user.id,
            project=project and project.id,
            role=role,
            by=by,
            created=now(),
            expires=later(seconds),
        )
        about = f"user:{user.uid}" if user else f"project:{project.uid}" if project else ""
        audit.write(db, by, "link", about, {"kind": kind, "role": role}, client)
    return secret


def life(kind: LinkKind, days: int | None = None) -> int:
    """The seconds that a link is good for. `days`: as chosen; None for those of the kind. Raises
    UsageError: that is none, or too long.
    """
    if days is None:
        return SECONDS[kind]
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(message("A link is good for 1 to {most} days", most=MOST_DAYS))
    return days * _DAY


def peek(db: Database, secret: str, *kinds: LinkKind) -> OneTimeLink | None:
    """The link of a secret, without using it; None where there is none of these kinds, it was used
    or has ended, or whoever made it might not make it any more.
    """
    row = db.one(
        "SELECT * FROM link WHERE digest = ? AND used IS NULL AND expires > ?",
        values.secret_digest(secret),
        now(),
    )
    link = None if row is None else _link(db, row)
    return link if link and link.kind in (kinds or LINK_KINDS) and _holds(db, link) else None


def use(db: Database, secret: str, *kinds: LinkKind) -> OneTimeLink | None:
    """The same, and nobody can use it again. Of two processes that try at once, one gets None.
    What the link is for is done in the same transaction, so that a link is not used up by what
    failed.
    """
    with db.transaction():
        link = peek(db, secret, *kinds)
        if link is not None:
            db.run("UPDATE link SET used = ? WHERE id = ?", now(), link.id)
    return link


def every(db: Database, kind: LinkKind, project: ProjectRow | None = None) -> list[OneTimeLink]:
    """The open links of a kind that can be used, the newest first: of a project, or of none."""
    rows = db.all(
        "SELECT * FROM link WHERE kind = ? AND project IS ? AND used IS NULL AND expires > ?"
        " ORDER BY id DESC",
        kind,
        project and project.id,
        now(),
    )
    links = (_link(db, row) for row in rows)
    return [link for link in links if link is not None and _holds(db, link)]


def revoke(
    db: Database,
    id: int,  # noqa: A002, as the column
    project: ProjectRow | None = None,
    *,
    by: str = "",
    client: str = "",
) -> bool:
    """Have an open link end now: one of a project, or of none. False where there is no such one."""
    with db.transaction():
        ended = db.all(
            "DELETE FROM link WHERE id = ? AND project IS ? AND used IS NULL RETURNING kind",
            id,
            project and project.id,
        )
        for row in ended:
            about = f"project:{project.uid}" if project else ""
            audit.write(db, by, "link", about, {"revoked": row["kind"]}, client)
    return bool(ended)


def _holds(db: Database, link: OneTimeLink) -> bool:
    """Whether whoever made a link might still make it, and its user may log in."""
    if link.user is not None and link.user.disabled:
        return False
    if not link.by:
        return True
    maker = accounts.by_uid(db, link.by)
    if maker is None or maker.disabled:
        return False
    if link.project is not None:
        return may("members", maker.role, members.role(link.project, maker.uid))
    own = link.user is not None and link.user.uid == maker.uid
    return own or may("administer", maker.role)


def _link(db: Database, row: sqlite3.Row) -> OneTimeLink | None:
    user = None if row["user"] is None else accounts.by_row(db, row["user"])
    project = None
    if row["project"] is not None:
        uid = db.value("SELECT uid FROM project WHERE id = ?", row["project"])
        project = projects.find(db, uid)
    return from_row(OneTimeLink, row, user=user, project=project)
