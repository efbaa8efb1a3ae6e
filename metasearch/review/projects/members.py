"""Members of a project, and what each of them is in it."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now
from metasearch.review.users import accounts, audit
from metasearch.review.users.accounts import User
from metasearch.review.users.permissions_and_quotas import PROJECT_ROLES, ProjectRole

#: Members of a project.
MOST_MEMBERS = 500
_IN_ORDER = {role: rank for rank, role in enumerate(PROJECT_ROLES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMember:
    """A member of a project. `uid`, `name`, `shown`: of the user; `shown` is never empty.
    `disabled`: whether the user cannot log in now.
    """

    uid: str
    name: str
    shown: str
    role: ProjectRole
    added: str
    disabled: bool


def role(project: Project, uid: str) -> ProjectRole | None:
    """What a user is in a project; None for no member."""
    found: ProjectRole | None = project.db.value(
        "SELECT member.role FROM member JOIN user ON user.id = member.user"
        " WHERE member.project = ? AND user.uid = ?",
        project.id,
        uid,
    )
    return found


def project_of(db: Database, name: str, uid: str) -> tuple[Project, ProjectRole] | None:
    """A project by its name or uid, with what a user is in it; None both where there is no such
    project and where the user is no member, after the same work.
    """
    row = db.one(
        "SELECT project.uid, member.role FROM project"
        " LEFT JOIN member ON member.project = project.id"
        " AND member.user = (SELECT id FROM user WHERE uid = ?)"
        " WHERE project.uid = ? OR project.name = ? ORDER BY project.uid = ? DESC LIMIT 1",
        uid,
        name,
        name,
        name,
    )
    if row is None or row["role"] is None:
        return None
    return projects.find(db, row["uid"]), row["role"]


def of(project: Project) -> list[ProjectMember]:
    """The members of a project: owners first, then by name."""
    rows = project.db.all(
        "SELECT user.uid, user.name, user.shown, user.disabled, member.role, member.added"
        " FROM member JOIN user ON user.id = member.user WHERE member.project = ?"
        " ORDER BY user.name",
        project.id,
    )
    found = [from_row(ProjectMember, row, shown=row["shown"] or row["name"]) for row in rows]
    return sorted(found, key=lambda member: _IN_ORDER[member.role])


def projects_of(db: Database, uid: str) -> dict[int, ProjectRole]:
    """Row of a project -> what a user is in it, of those where the user is a member."""
    rows = db.all(
        "SELECT member.project, member.role FROM member JOIN user ON user.id = member.user"
        " WHERE user.uid = ?",
        uid,
    )
    return {row["project"]: row["role"] for row in rows}


def add(project: Project, user: User, role: ProjectRole, *, client: str = "") -> None:
    """Make a user a member of a project; a member stays what they are. Raises UsageError: the user
    is a guest, or the project has too many members.
    """
    _check_role(role)
    with project.db.transaction():
        if _role_of(project, user.uid) is not None:
            return
        _insert(project, user, role)
        _audit(project, user.uid, None, role, client)


def set_role(project: Project, user: User, role: ProjectRole, *, client: str = "") -> None:
    """Make a user, who may be a member already, this in a project. Raises UsageError: the user is a
    guest, the project has too many members, or it would lose its last owner.
    """
    _check_role(role)
    with project.db.transaction():
        old = _role_of(project, user.uid)
        if old == role:
            return
        if old is None:
            _insert(project, user, role)
        else:
            if old == "owner":
                _check_another_owner(project, user.uid)
            project.db.run(
                "UPDATE member SET role = ? WHERE project = ? AND user = ?",
                role,
                project.id,
                user.id,
            )
        _audit(project, user.uid, old, role, client)


def remove(project: Project, user: User, *, client: str = "") -> bool:
    """Have a user be no member of a project any more; False where they were none. What they did
    stays, under their name. Raises UsageError: they are the last owner.
    """
    with project.db.transaction():
        old = _role_of(project, user.uid)
        if old is None:
            return False
        if old == "owner":
            _check_another_owner(project, user.uid)
        project.db.run("DELETE FROM member WHERE project = ? AND user = ?", project.id, user.id)
        _audit(project, user.uid, old, None, client)
    return True


def change(project: Project, uid: str, role: ProjectRole | None, client: str) -> bool:
    """Give a member a role, or remove them where it is None; False where there is no such member.
    Raises UsageError: they are the last owner.
    """
    with project.db.transaction():
        user = accounts.by_uid(project.db, uid)
        if user is None or _role_of(project, uid) is None:
            return False
        if role is None:
            return remove(project, user, client=client)
        set_role(project, user, role, client=client)
        return True


def sole_owner_of(db: Database, user: User) -> list[Project]:
    """The projects that nobody else owns who may log in, by name."""
    rows = db.all(
        "SELECT project.uid FROM member JOIN project ON project.id = member.project"
        " WHERE member.user = ? AND member.role = 'owner' AND NOT EXISTS (SELECT 1"
        " FROM member AS other JOIN user ON user.id = other.user"
        " AND NOT user.disabled AND user.role <> 'guest'"
        " WHERE other.project = member.project AND other.role = 'owner'"
        " AND other.user <> member.user) ORDER BY project.name",
        user.id,
    )
    return [projects.find(db, row["uid"]) for row in rows]


#: The same, where `role` is an argument.
_role_of = role


def _insert(project: Project, user: User, role: ProjectRole) -> None:
    # As the user is now: they may be a guest since, or gone.
    there = accounts.by_uid(project.db, user.uid)
    if there is None:
        raise UsageError(message("The user {name} is gone", name=repr(user.name)))
    if there.role == "guest":
        raise UsageError(
            message(
                "{name} is a guest, and no guest is a member of a project", name=user.display_name
            ),
            advice=message("An administrator can make a user of a guest."),
        )
    count = project.db.value("SELECT count(*) FROM member WHERE project = ?", project.id)
    if count >= MOST_MEMBERS:
        raise UsageError(message("A project has at most {most} members", most=MOST_MEMBERS))
    project.db.insert("member", project=project.id, user=user.id, role=role, added=now())


def _check_role(role: str) -> None:
    if role not in PROJECT_ROLES:
        raise UsageError(
            message("There is no role {role} in a project", role=repr(role[:40])),
            advice=message("There are {roles}.", roles=", ".join(PROJECT_ROLES)),
        )


def _check_another_owner(project: Project, uid: str) -> None:
    """Refuse what would leave a project without an owner who may log in. A disabled owner may go
    where an owner who is not disabled stays.
    """
    another = project.db.one(
        "SELECT 1 FROM member JOIN user ON user.id = member.user WHERE member.project = ?"
        " AND member.role = 'owner' AND NOT user.disabled AND user.role <> 'guest'"
        " AND user.uid <> ?",
        project.id,
        uid,
    )
    if another is None:
        raise UsageError(
            message("The last owner of a project stays"),
            advice=message("Make another member an owner first."),
        )


def _audit(
    project: Project, uid: str, before: ProjectRole | None, after: ProjectRole | None, client: str
) -> None:
    facts = {"user": uid, "before": before, "after": after}
    audit.write(project.db, project.by, "member", f"project:{project.uid}", facts, client)


# Projects that an administrator takes over: one whose owners are gone, or who ask for help.


def take_over(project: Project, user: User, *, client: str = "") -> None:
    """Make an administrator an owner of a project, which the audit log tells. Raises UsageError:
    the user is no administrator.
    """
    with project.db.transaction():
        now = accounts.by_uid(project.db, user.uid)
        if now is None or now.role != "administrator" or now.disabled:
            raise UsageError(message("Only an administrator may do this"))
        set_role(project.as_user(now.uid), now, "owner", client=client)
