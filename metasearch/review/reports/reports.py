"""Finished reports: kept as they were on that day, with a digest. Later runs and decisions change
nothing in them, and the report of an update continues from one of them.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace import log
from metasearch.workspace.projects import Project
from metasearch.workspace.reports.document import Document
from metasearch.workspace.reports.document_json import from_json, to_json
from metasearch.workspace.reports.numbers import Numbers, Previous, numbers
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now

#: Finished reports of a kind in one project.
MOST_REPORTS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A finished report.

    Attributes:
        id: Of its row.
        kind: Which report.
        number: "1", "2", ... in its project and kind; of a 查新 report its number by the pattern.
        data: "numbers" that it was made of, "language", and whether it is a "draft".
        digest: SHA-256 of the document.
        last_run: Id of the newest run that it covers; None where there was none.
        frozen: When it was finished.
        title: Of the document.
    """

    id: int
    kind: str
    number: str
    data: Mapping[str, Any]
    digest: str
    last_run: int | None
    frozen: str
    title: str


def keep(
    db: Database,
    project: Project,
    document: Document,
    *,
    number: str | None = None,
    previous: str | None = None,
    by: str = "",
) -> Report:
    """Keep a document as a finished report, in the transaction in which it was built.

    `number`: of the report; None counts from 1. Raises UsageError: there are too many, or one has
    the number.
    """
    count = db.value(
        "SELECT count(*) FROM report WHERE project = ? AND kind = ?", project.id, document.kind
    )
    if count >= MOST_REPORTS:
        raise UsageError(message("A project keeps at most {most} reports", most=MOST_REPORTS))
    taken = {report.number for report in frozen(db, project, document.kind)}
    if number is None:
        number = next(str(n) for n in range(1, count + 2) if str(n) not in taken)
    elif number in taken:
        raise UsageError(message("There is a report {number} already", number=number))
    before = find_previous(db, project, document.kind, previous) if previous else None
    counted = numbers(db, project, before)
    content = to_json(document)
    kept = {
        "title": document.title,
        "language": document.language,
        "draft": bool(document.draft),
        "numbers": numbers_json(counted),
    }
    row = db.run(
        "INSERT INTO report (project, kind, number, data, document, digest, last_run, frozen)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        project.id,
        document.kind,
        number,
        orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode(),
        content.decode(),
        hashlib.sha256(content).hexdigest(),
        counted.last_run_id,
        now(),
    )
    made = _report(db.all(f"{_SELECT} WHERE id = ?", row)[0])
    log.write(
        db,
        project.id,
        "finish report",
        f"report:{made.kind}/{made.number}",
        None,
        {"digest": made.digest, "last_run": counted.last_run},
        by=by,
    )
    return made


def frozen(db: Database, project: Project, kind: str | None = None) -> list[Report]:
    """The finished reports of a project, the newest first."""
    return [
        _report(row)
        for row in db.all(
            f"{_SELECT} WHERE project = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY id DESC",
            project.id,
            kind,
        )
    ]


def find(db: Database, project: Project, kind: str, number: str) -> Report:
    """A finished report; "last" is the newest of its kind. Raises UsageError: there is none."""
    reports = frozen(db, project, kind)
    for report in reports:
        if number in (report.number, "last"):
            return report
    raise UsageError(
        message("There is no finished report {kind} {number}", kind=kind, number=number[:40]),
        advice=message("There are {names}.", names=", ".join(each.number for each in reports[:20]))
        if reports
        else message("Finish one first: `metasearch report {kind} --freeze`.", kind=kind),
    )


def document(db: Database, report: Report) -> Document:
    """The document of a finished report, as it was. Raises UsageError: the digest is not that of
    the document: the file was changed.
    """
    content = _content(db, report)
    if hashlib.sha256(content).hexdigest() != report.digest:
        raise UsageError(
            message("Report {number} was changed after it was finished", number=report.number),
            advice=message("Take the workspace from a backup; `metasearch workspace check` tells."),
        )
    return from_json(content)


def unchanged(db: Database, report: Report) -> bool:
    """Whether the document is still that of the digest."""
    return hashlib.sha256(_content(db, report)).hexdigest() == report.digest


def numbers_json(counted: Numbers) -> dict[str, Any]:
    """The numbers, their sums too, for `data` and for programs."""
    known = asdict(counted)
    for one in known["other"]:
        del one["version"]  # of the editors; no number
    return {
        **known,
        "identified": counted.identified,
        "known": counted.known,
        "duplicates": counted.duplicates,
        "excluded_reports": counted.excluded_reports,
        "other_included": counted.other_included,
        "total_studies": counted.total_studies,
        "total_reports": counted.total_reports,
    }


def find_previous(db: Database, project: Project, kind: str, number: str) -> Previous:
    """What a finished report ("last": the newest) says to the one that continues it. Raises
    UsageError: there is no such report.
    """
    report = find(db, project, kind, number)
    try:
        kept = report.data["numbers"]
        earlier = kept["previous"] or {"works": 0, "other_sources": ()}
        return Previous(
            number=report.number,
            frozen=report.frozen,
            run=report.last_run or 0,
            studies=int(kept["total_studies"]),
            reports=int(kept["total_reports"]),
            works=int(earlier["works"]) + int(kept["included"]),
            other_sources=(
                *map(int, earlier["other_sources"]),
                *(int(one["id"]) for one in kept["other"]),
            ),
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise UsageError(
            message("The numbers of report {number} cannot be read", number=report.number),
            advice=message("It was changed, or another program has written it."),
        ) from exc


_SELECT = "SELECT id, kind, number, data, digest, last_run, frozen FROM report"


def _content(db: Database, report: Report) -> bytes:
    text = db.value("SELECT document FROM report WHERE id = ?", report.id)
    return str(text).encode()


def _report(row: sqlite3.Row) -> Report:
    data = orjson.loads(row["data"])
    data = data if isinstance(data, dict) else {}
    return Report(
        id=row["id"],
        kind=row["kind"],
        number=row["number"],
        data=data,
        digest=row["digest"],
        last_run=row["last_run"],
        frozen=row["frozen"],
        title=str(data.get("title") or ""),
    )
