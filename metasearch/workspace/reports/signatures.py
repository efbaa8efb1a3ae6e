"""Who has searched, and who has checked, a finished report of a novelty search.

GB/T 32003-2015 asks for two people, the searcher (查新员) and the reviewer (审核员). On a server
with users each signs with their own account. A signature names the digest of the document, which
stays as it is: signatures stand beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace import log
from metasearch.workspace.projects import Project
from metasearch.workspace.reports import finished
from metasearch.workspace.reports.document import Block, Document, Heading, Paragraph, Table
from metasearch.workspace.reports.finished import Report
from metasearch.workspace.reports.kinds import KINDS
from metasearch.workspace.reports.words import Say, speaker
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now

SignatureRole = Literal["searcher", "reviewer"]
ROLES: tuple[SignatureRole, ...] = get_args(SignatureRole)
#: The action of the log.
SIGN = "sign report"
#: Formats that hold the document and nothing else.
_FOR_PROGRAMS = frozenset({"json", "svg"})
#: Characters of a name.
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature.

    Attributes:
        role: One of `ROLES`.
        by: Uid of the user.
        name: As it was signed; later changes of the account do not change it.
        digest: Of the report that was signed.
        at: When.
    """

    role: SignatureRole
    by: str
    name: str
    digest: str
    at: str


def of(db: Database, report: Report) -> list[Signature]:
    """The signatures of a report, the searcher's first."""
    rows = db.all("SELECT * FROM signature WHERE report = ? ORDER BY role DESC", report.id)
    return [_signature(row) for row in rows]


def can_be_signed(kind: str) -> bool:
    """Whether reports of a kind are signed: those that have numbers of their own, 查新 reports."""
    return kind in KINDS and KINDS[kind].numbered


def check(db: Database, project: Project, report: Report, role: str, by: str) -> SignatureRole:
    """Check that a user may sign; returns the role. Raises UsageError: the report takes no such
    signature, it is there already, or it must be that of another user.
    """
    known = next((each for each in ROLES if each == role), None)
    if known is None:
        raise UsageError(
            message("Nobody signs as {role}", role=repr(role[:40])),
            advice=message("There are {names}.", names=", ".join(ROLES)),
        )
    if not can_be_signed(report.kind):
        raise UsageError(message("Reports of this kind are not signed"))
    signed = of(db, report)
    other = message("Another member of the project signs as the {role}.", role=_called(known))
    if any(each.role == known for each in signed):
        raise UsageError(message("The report is signed by the {role} already", role=_called(known)))
    if any(each.by == by for each in signed):
        raise UsageError(message("Searcher and reviewer must be two people"), advice=other)
    if known == "reviewer" and _has_searched(db, project, report, by):
        raise UsageError(
            message("Who has run a search of the report cannot be its reviewer"), advice=other
        )
    return known


def sign(
    db: Database,
    project: Project,
    report: Report,
    role: str,
    *,
    by: str,
    name: str,
    digest: str,
) -> Signature:
    """Sign a finished report.

    `digest`: of the document that the user has read. Raises UsageError: as `check`; or the digest
    is not that of the report, or the document is not that of its digest.
    """
    with db.transaction():
        known = check(db, project, report, role, by)
        if digest != report.digest or not finished.unchanged(db, report):
            raise UsageError(
                message("The digest is not that of report {number}", number=report.number),
                advice=message("Load the report again, and read it before you sign."),
            )
        made = Signature(
            role=known, by=by, name=name[:_LONGEST_NAME], digest=report.digest, at=now()
        )
        db.run(
            "INSERT INTO signature (report, role, by, name, digest, at) VALUES (?, ?, ?, ?, ?, ?)",
            report.id,
            made.role,
            made.by,
            made.name,
            made.digest,
            made.at,
        )
        log.write(
            db,
            project.id,
            SIGN,
            f"report:{report.kind}/{report.number}",
            None,
            {"role": made.role, "name": made.name, "digest": made.digest},
            by=by,
        )
    return made


def document(db: Database, report: Report, form: str = "") -> Document:
    """The document of a finished report, with its signatures behind it where there are any. In the
    formats that programs read it is as it was finished: what the digest is of.

    `form`: name of the format; "" for a page. Raises UsageError: the digest is not that of the
    document: the file was changed.
    """
    made = finished.document(db, report)
    signed = of(db, report)
    if not signed or form in _FOR_PROGRAMS:
        return made
    return replace(made, blocks=(*made.blocks, *_blocks(made, signed)))


def _blocks(document: Document, signatures: Sequence[Signature]) -> tuple[Block, ...]:
    say = speaker(document.language)
    head = (
        say("Role", "角色"),
        say("Name", "姓名"),
        say("Signed (UTC)", "签署时间（UTC）"),
        say("Digest signed (SHA-256)", "所签报告的摘要值（SHA-256）"),
    )
    rows = tuple((_role(each.role, say), each.name, each.at, each.digest) for each in signatures)
    return (
        Heading(text=say("Electronic signatures", "电子签署")),
        Paragraph(
            text=say(
                "These users of the server have signed the report. They are not part of the "
                "document that the digest is of.",
                "以下用户已在本系统中签署本报告。签署记录不属于摘要值所指的报告正文。",
            )
        ),
        Table(head=head, rows=rows, widths=(1, 2, 2, 5)),
    )


def _called(role: SignatureRole) -> str:
    """A role in a sentence, to be translated."""
    return message("searcher") if role == "searcher" else message("reviewer")


def _role(role: SignatureRole, say: Say) -> str:
    return say("searcher", "查新员") if role == "searcher" else say("reviewer", "审核员")


def _has_searched(db: Database, project: Project, report: Report, by: str) -> bool:
    """Whether a user has run a search that the report covers."""
    row = db.one(
        "SELECT 1 FROM run WHERE project = ? AND id <= ? AND by = ?",
        project.id,
        report.last_run or 0,
        by,
    )
    return row is not None


def _signature(row: sqlite3.Row) -> Signature:
    return Signature(
        role=row["role"],
        by=row["by"],
        name=row["name"],
        digest=row["digest"],
        at=row["at"],
    )
