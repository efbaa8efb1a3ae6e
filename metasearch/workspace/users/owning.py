"""Projects that an administrator takes over: one whose owners are gone, or who ask for help."""

from __future__ import annotations

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database
from metasearch.workspace.users import accounts, members
from metasearch.workspace.users.accounts import User


def own(db: Database, project: Project, user: User, *, client: str = "") -> None:
    """Make an administrator an owner of a project, which the audit log tells. Raises UsageError:
    the user is no administrator.
    """
    with db.transaction():
        now = accounts.by_uid(db, user.uid)
        if now is None or now.role != "administrator" or now.disabled:
            raise UsageError(message("Only an administrator may do this"))
        members.set_role(db, project, now, "owner", by=now.uid, client=client)
