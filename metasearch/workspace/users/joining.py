"""Joining a project by a link that one of its owners has made."""

from __future__ import annotations

from typing import cast

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, links, members
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.permissions import ProjectRole


def join(db: Database, secret: str, user: User, *, client: str = "") -> Project:
    """Make a user a member by a link, which nobody can use again; who is a member already stays
    what they are.

    Args:
        db: The workspace.
        secret: Of the link.
        user: Who has it.
        client: A pseudonym of the address, for the audit log.

    Raises:
        UsageError: The link cannot be used, or not by this user; it is then not used up.
    """
    with db.transaction():
        link = links.use(db, secret, "member")
        if link is None or link.project is None:
            raise UsageError(
                message("This invitation cannot be used"),
                advice=message("It was used, has ended, or was revoked. Ask for another one."),
            )
        role = cast("ProjectRole", link.role)
        members.add(db, link.project, user, role, by=link.by, client=client)
        return link.project


def own(db: Database, project: Project, user: User, *, client: str = "") -> None:
    """Make an administrator an owner of a project, which the audit log tells.

    Raises:
        UsageError: The user is no administrator.
    """
    with db.transaction():
        now = accounts.by_uid(db, user.uid)
        if now is None or now.role != "administrator" or now.disabled:
            raise UsageError(message("Only an administrator may do this"))
        members.set_role(db, project, now, "owner", by=now.uid, client=client)
