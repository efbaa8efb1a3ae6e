"""Who may do what: the one table of roles and actions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import orjson

from metasearch.errors import QuotaExceeded
from metasearch.message import N_, message
from metasearch.record import Record
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.works.records import count_new
from metasearch.settings.users import QUOTAS, SystemRole

SYSTEM_ROLES: tuple[SystemRole, ...] = get_args(SystemRole)
#: What a user is in a project.
ProjectRole = Literal["owner", "editor", "screener", "reader"]
PROJECT_ROLES: tuple[ProjectRole, ...] = get_args(ProjectRole)

#: What is done outside a project.
SystemAction = Literal["search", "make project", "save search", "account", "administer"]
#: What is done in a project. "screen" marks, tags and notes works, and votes; "edit" changes
#: strategies, answers to questions, imports, pins, and undoes; "resolve" decides on conflicts.
ProjectAction = Literal[
    "read",
    "export",
    "screen",
    "edit",
    "run",
    "report",
    "sign",
    "resolve",
    "members",
    "delete",
]
Action = SystemAction | ProjectAction
SYSTEM_ACTIONS: tuple[SystemAction, ...] = get_args(SystemAction)
PROJECT_ACTIONS: tuple[ProjectAction, ...] = get_args(ProjectAction)

_READER: frozenset[ProjectAction] = frozenset({"read", "export"})
_SCREENER: frozenset[ProjectAction] = _READER | {"screen"}
_EDITOR: frozenset[ProjectAction] = _SCREENER | {"edit", "run", "report", "sign"}

#: Role -> what it may do.
IN_SYSTEM: Mapping[SystemRole, frozenset[SystemAction]] = {
    "administrator": frozenset(SYSTEM_ACTIONS),
    "user": frozenset(SYSTEM_ACTIONS) - {"administer"},
    "guest": frozenset({"search"}),
}
IN_PROJECT: Mapping[ProjectRole, frozenset[ProjectAction]] = {
    "owner": frozenset(PROJECT_ACTIONS),
    "editor": _EDITOR,
    "screener": _SCREENER,
    "reader": _READER,
}


def may(action: Action, system: SystemRole | None, project: ProjectRole | None = None) -> bool:
    """Whether an action is allowed.

    `system`: the role in the workspace; None for somebody who is not known and may not search.
    `project`: the role in the project that the action is about; None where there is none. An
    administrator has no role in a project by office.
    """
    if system is None:
        return False
    if action in SYSTEM_ACTIONS:
        return action in IN_SYSTEM[system]
    # A guest is a member of nothing, whatever a table says.
    return project is not None and system != "guest" and action in IN_PROJECT[project]


# Quotas: how much of the server one user may take.
#
# What is counted a day is kept in the table `usage`; what projects hold is counted by triggers, in
# the table `stored`. Nothing is counted for the command line and for guests who are not logged in:
# limits of clients hold those.
#
# Bytes are those of records, reports and lines of the log as they are kept, and of recorded pages.
# The works that are made of the records, and the index, take about as much again as the records.

#: Quotas that are counted a day, UTC.
Daily = Literal["searches", "scheduled_runs", "exports"]
DAILY: tuple[Daily, ...] = get_args(Daily)
#: Days that figures of the past are kept.
_KEPT = 40

#: Quota -> what is told when it is used up, and what to do then.
_TOLD: Mapping[str, str] = {
    "searches": N_("You may make {limit} searches a day, and have made them"),
    "sources": N_("A search of yours may ask {limit} sources, and this one names more"),
    "saved_searches": N_("You may have {limit} saved searches, and have them"),
    "scheduled_runs": N_("Your saved searches may run {limit} times a day, and have done so"),
    "stored_records": N_(
        "The projects of {owner} may hold {limit} records, and these would be more"
    ),
    "stored_bytes": N_("The projects of {owner} may take {limit} bytes, and these would be more"),
    "exports": N_("You may make {limit} exports a day, and have made them"),
}
_LESS = N_(
    "Fetch fewer records, or delete a project that is no longer needed; an administrator can allow "
    "more."
)
_ADVICE: Mapping[str, str] = {
    "sources": N_("Name fewer sources."),
    "saved_searches": N_("Remove one that you no longer need."),
    "stored_records": _LESS,
    "stored_bytes": _LESS,
}


class StoredAmount(NamedTuple):
    """What projects hold."""

    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Quotas:
    """A server's quotas. `configured`: Quota -> how much; the rest is as in `QUOTAS`."""

    configured: Mapping[str, int] = field(default_factory=dict)

    def limits(self, db: Database, uid: str) -> dict[str, int]:
        """Quota -> how much a user may take: the user's own number, else the configured one."""
        packed = db.value("SELECT quotas FROM user WHERE uid = ?", uid)
        own = {} if packed is None else orjson.loads(packed)
        known = {name: limit for name, limit in own.items() if name in QUOTAS}
        return {**QUOTAS, **self.configured, **known}

    def take(self, db: Database, uid: str, kind: Daily, amount: int = 1) -> None:
        """Count something of today. `uid`: of the user; "" is not counted. Raises QuotaExceeded: it
        would be too much; nothing is counted then.
        """
        if not uid:
            return
        today = _today()
        with db.transaction():
            limit = self.limits(db, uid)[kind]
            if _used_today(db, uid, kind) + amount > limit:
                raise _quota_error(kind, limit)
            db.run(
                "INSERT INTO usage (user, day, kind, amount) SELECT id, ?, ?, ? FROM user"
                " WHERE uid = ? ON CONFLICT (user, day, kind)"
                " DO UPDATE SET amount = amount + excluded.amount",
                today.isoformat(),
                kind,
                amount,
                uid,
            )
            db.run(
                "DELETE FROM usage WHERE user = (SELECT id FROM user WHERE uid = ?) AND day < ?",
                uid,
                (today - dt.timedelta(days=_KEPT)).isoformat(),
            )

    def left(self, db: Database, uid: str, kind: Daily) -> int:
        """How much of today a user may still take."""
        return max(0, self.limits(db, uid)[kind] - _used_today(db, uid, kind))

    def check_sources(self, db: Database, uid: str, sources: int) -> None:
        """Check that a user's search may ask so many sources. Raises QuotaExceeded: it may not."""
        self._check(db, uid, "sources", sources)

    def check_saved_searches(self, db: Database, uid: str) -> None:
        """Check that a user may have one more saved search. Raises QuotaExceeded: they have as many
        as they may.
        """
        if uid:
            there = db.value("SELECT count(*) FROM saved_search WHERE owner = ?", uid)
            self._check(db, uid, "saved_searches", there + 1)

    def check_storage(self, project: Project, records: int, size: int = 0) -> None:
        """Check that a project may have so many more records and bytes. They count for its owner,
        whoever adds them; of several owners for the first. A project without an owner has no limit.
        Raises QuotaExceeded: the owner's projects would hold too much.
        """
        self.check_owner(project.db, _owner(project.db, project.id), records, size)

    def check_new(self, project: Project, records: Sequence[Record]) -> None:
        """Check that a project may have these records, too; those that it has as they are count
        once. Raises QuotaExceeded: the owner's projects would hold too much.
        """
        try:
            self.check_storage(project, len(records))
        except QuotaExceeded:
            # Which of them are new is asked only where it matters: it takes a while.
            self.check_storage(project, count_new(project.db, project.id, records))

    def check_owner(self, db: Database, uid: str, records: int, size: int) -> None:
        """Check that the projects of a user may hold so many more records and bytes; of the project
        of an archive that the user brings, before it is there. Raises QuotaExceeded: they would
        hold too much.
        """
        if uid:
            held = self.stored(db, uid)
            self._check(db, uid, "stored_records", held.records + records)
            self._check(db, uid, "stored_bytes", held.bytes + size)

    def stored(self, db: Database, uid: str) -> StoredAmount:
        """What the projects hold that count for a user."""
        row = db.one(
            "SELECT ifnull(sum(records), 0), ifnull(sum(bytes + pages), 0) FROM stored"
            " WHERE project IN (SELECT project FROM member"
            " WHERE role = 'owner' AND user = (SELECT id FROM user WHERE uid = ?)"
            " AND NOT EXISTS (SELECT 1 FROM member AS first WHERE first.role = 'owner'"
            " AND first.project = member.project"
            " AND (first.added, first.user) < (member.added, member.user)))",
            uid,
        )
        assert row is not None
        return StoredAmount(*row)

    def _check(self, db: Database, uid: str, kind: str, amount: int) -> None:
        limit = self.limits(db, uid)[kind] if uid else amount
        if amount > limit:
            raise _quota_error(kind, limit, owner=_name(db, uid))


def _quota_error(kind: str, limit: int, owner: str = "") -> QuotaExceeded:
    text = message(_TOLD[kind], limit=f"{limit:,}", owner=owner)
    if kind not in DAILY:
        return QuotaExceeded(text, kind=kind, limit=limit, advice=message(_ADVICE[kind]))
    now = dt.datetime.now(dt.UTC)
    midnight = dt.datetime.combine(now.date() + dt.timedelta(days=1), dt.time(), dt.UTC)
    seconds = int((midnight - now).total_seconds()) + 1
    advice = message(
        "It begins anew in {hours} h, at 00:00 UTC; an administrator can allow more.",
        hours=-(-seconds // 3600),
    )
    return QuotaExceeded(text, kind=kind, limit=limit, retry_after=seconds, advice=advice)


def _used_today(db: Database, uid: str, kind: str) -> int:
    taken = db.value(
        "SELECT amount FROM usage WHERE day = ? AND kind = ?"
        " AND user = (SELECT id FROM user WHERE uid = ?)",
        _today().isoformat(),
        kind,
        uid,
    )
    return int(taken or 0)


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()


def _owner(db: Database, project: int) -> str:
    """The uid of the first owner of a project; "" for none."""
    found = db.value(
        "SELECT user.uid FROM member JOIN user ON user.id = member.user"
        " WHERE member.project = ? AND member.role = 'owner'"
        " ORDER BY member.added, member.user LIMIT 1",
        project,
    )
    return str(found or "")


def _name(db: Database, uid: str) -> str:
    row = db.one("SELECT name, shown FROM user WHERE uid = ?", uid)
    return "" if row is None else str(row["shown"] or row["name"])
