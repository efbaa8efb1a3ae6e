"""What the workspace has of one user: written to a file for the user, or deleted.

Votes, signatures and lines of logs are part of the projects that they were made in. They stay when
the account is deleted, under its uid, which then is that of a "former user" and names nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import orjson

from metasearch import __version__
from metasearch.errors import UsageError
from metasearch.message import message, message_n
from metasearch.review.objects import Excerpt, Object
from metasearch.review.projects import members, removal
from metasearch.review.projects.projects import Project
from metasearch.review.screening import sight
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.users import accounts, audit, passwords
from metasearch.review.users.accounts import User
from metasearch.review.users.sessions import Session
from metasearch.review.users.tokens import ApiToken

#: The name of the format, in its first line.
FORMAT = "metasearch-own-data"
#: Part of the file -> its rows, of the user whose uid is `?`. Secrets are in none of them: those of
#: sessions and tokens are not known, and whoever has the address of a feed may read it.
_PARTS: Mapping[str, str] = {
    "sessions": "SELECT agent, created, seen, expires FROM session"
    " WHERE user = (SELECT id FROM user WHERE uid = ?) ORDER BY id",
    "tokens": "SELECT name, scopes, created, expires, used FROM token"
    " WHERE user = (SELECT id FROM user WHERE uid = ?) ORDER BY id",
    "memberships": "SELECT project.uid AS project, project.name, project.title, member.role,"
    " member.added FROM member JOIN project ON project.id = member.project"
    " WHERE member.user = (SELECT id FROM user WHERE uid = ?) ORDER BY project.id",
    "usage": "SELECT day, kind, amount FROM usage"
    " WHERE user = (SELECT id FROM user WHERE uid = ?) ORDER BY day, kind",
    "saved_searches": "SELECT uid, name, query, syntax, sources, years, options, schedule,"
    " next_run, paused, email, created FROM saved_search WHERE owner = ? ORDER BY id",
    "mails": "SELECT day, status, at FROM mail WHERE owner = ? ORDER BY id",
    "mail_settings": "SELECT off, bounces FROM mail_owner WHERE owner = ?",
    "votes": "SELECT project.uid AS project, work.uid AS work, work.title, stage, verdict, reason,"
    " at FROM decision JOIN work ON work.id = decision.work"
    " JOIN project ON project.id = work.project WHERE by = ? AND hidden = ''"
    " ORDER BY work.id, stage",
    "notes": "SELECT project.uid AS project, work.uid AS work, work.title, text, at FROM note"
    " JOIN work ON work.id = note.work JOIN project ON project.id = work.project"
    " WHERE by = ? AND hidden = '' ORDER BY work.id",
    "resolutions": "SELECT project.uid AS project, work.uid AS work, work.title, stage, verdict,"
    " reason, at FROM resolution JOIN work ON work.id = resolution.work"
    " JOIN project ON project.id = work.project WHERE by = ? AND hidden = ''"
    " ORDER BY work.id, stage",
    "pins": "SELECT project.uid AS project, verdict, a, b, note, at FROM pin"
    " JOIN project ON project.id = pin.project WHERE by = ? AND hidden = '' ORDER BY pin.id",
    "runs": "SELECT project.uid AS project, strategy.name AS strategy, run.number, started, ended"
    " FROM run JOIN project ON project.id = run.project JOIN strategy ON strategy.id = run.strategy"
    " WHERE by = ? AND hidden = '' ORDER BY run.id",
    "signatures": "SELECT project.uid AS project, report.kind, report.number, signature.role,"
    " signature.name, signature.at FROM signature JOIN report ON report.id = signature.report"
    " JOIN project ON project.id = report.project WHERE by = ? AND hidden = '' ORDER BY report.id",
    "log": "SELECT project.uid AS project, at, action, object, before, after FROM change"
    " JOIN project ON project.id = change.project WHERE by = ? AND hidden = '' ORDER BY change.id",
    "audit": "SELECT at, action, object, detail, client FROM audit WHERE actor = ? ORDER BY id",
}
#: Columns that hold JSON.
_JSON = frozenset({"sources", "options", "before", "after", "detail"})
#: Projects that a message names.
_NAMED = 5
#: An account, in this file and on the command line.
account = Excerpt(
    User,
    "uid name shown email email_proved role origin subject disabled preferences quotas created "
    "last_login version has_password",
)
_SESSION = Excerpt(Session, "id agent created seen expires")
_TOKEN = Excerpt(ApiToken, "id name scopes created expires used")


def session_object(found: Session) -> Object:
    """A session, on the command line: none is the one that asks."""
    return _SESSION(found) | {"current": False}


def token_object(found: ApiToken) -> Object:
    """A token, without its text, on the command line."""
    return _TOKEN(found) | {"scopes": sorted(found.scopes)}


def export(db: Database, user: User, file: BinaryIO) -> None:
    """Write what the workspace has of a user: one JSON object, row by row, of one moment. It only
    reads; whoever calls it writes the line "export" of the audit log. Raises OSError: the file
    cannot be written.
    """
    head: dict[str, Any] = {
        "format": FORMAT,
        "tool": f"metasearch {__version__}",
        "written": now(),
        "account": account(user),
    }
    with db.snapshot():
        file.write(orjson.dumps(head, option=orjson.OPT_INDENT_2).removesuffix(b"\n}"))
        for name, sql in _PARTS.items():
            file.write(b',\n  "%s": [' % name.encode())
            before = b"\n    "
            for row in db.rows(sql, user.uid):
                values = {
                    key: orjson.loads(row[key]) if key in _JSON else row[key]
                    for key in row.keys()  # noqa: SIM118, a Row gives values
                }
                if name == "log":
                    values["before"] = sight.without_votes(values["action"], values["before"])
                file.write(before + orjson.dumps(values))
                before = b",\n    "
            file.write(b"]")
        file.write(b"\n}\n")


def delete(
    db: Database,
    user: User,
    *,
    hand_to: User | None = None,
    with_projects: bool = False,
    by: str = "",
    client: str = "",
) -> list[Project]:
    """Delete an account with its sessions, tokens, memberships and saved searches.

    `hand_to`: who owns the projects from now on that nobody else owns. `with_projects`: whether
    those are deleted, where nobody is named. `by`: uid of the user who does it; "" for the command
    line. Returns the projects that were handed on or deleted. Raises UsageError: the user is the
    last administrator, or the only owner of projects, and neither `hand_to` nor `with_projects`
    says what becomes of them; nothing is deleted then.
    """
    with db.transaction():
        alone = members.sole_owner_of(db, user)
        if hand_to is not None and hand_to.uid == user.uid:
            raise UsageError(message("The projects are handed to somebody else"))
        if alone and hand_to is None and not with_projects:
            raise _only_owner(alone)
        for project in alone:
            if hand_to is not None:
                members.set_role(project.as_user(by), hand_to, "owner", client=client)
            else:
                removal.hide(db, project.id)
                audit.write(db, by, "delete", f"project:{project.uid}", client=client)
        db.run("DELETE FROM saved_search WHERE owner = ?", user.uid)
        db.run("DELETE FROM screener WHERE by = ?", user.uid)
        passwords.forgive_failures(db, user.name)
        accounts.remove(db, user)
        audit.write(db, by, "delete", f"user:{user.uid}", client=client)
    if hand_to is None:
        for project in alone:
            removal.remove(db, project.id)
    return alone


def _only_owner(alone: list[Project]) -> UsageError:
    names = ", ".join(project.name for project in alone[:_NAMED])
    if len(alone) > _NAMED:
        names += ", …"
    return UsageError(
        message_n(
            "Nobody else owns {count} project: {names}",
            "Nobody else owns {count} projects: {names}",
            len(alone),
            names=names,
        ),
        advice=message("Make somebody else an owner first, or delete the projects."),
    )
