"""Pins of a project: what a person decided on two works or records, before any rule: "same" or
"different".

A pin is kept as the keys of two records ("source:id"), which stay when works join or are divided; a
work is pinned by its oldest record. It takes effect at once, on the works concerned alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects.projects import Project
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now
from metasearch.review.works import works
from metasearch.review.works.groups import WorkChanges, rules
from metasearch.review.works.intake import remake

Verdict = Literal["same", "different"]
_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: Bounds: pins of a project, characters of a note.
MOST_PINS, LONGEST_NOTE = 10_000, 500
#: Actions of the log.
PIN, UNPIN = "pin works", "remove pin"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPin:
    """A pin.

    Attributes:
        id: Its number.
        verdict: "same" or "different".
        a, b: Keys of two records, the smaller first.
        note: The reason.
        by: Who decided.
        at: When.
    """

    id: int
    verdict: Verdict
    a: str
    b: str
    note: str
    by: str
    at: str


def of(project: Project) -> list[ProjectPin]:
    """The pins of a project, the oldest first."""
    rows = project.db.all("SELECT * FROM pin WHERE project = ? ORDER BY id", project.id)
    return [from_row(ProjectPin, row) for row in rows]


def pin(project: Project, verdict: Verdict, a: str, b: str, *, note: str = "") -> WorkChanges:
    """Pin two works, or two records, and make the works concerned anew.

    `a`: a name of a work, or the key of a record of it. Two records of one work are said to be
    different by their keys. Raises UsageError: a name is that of no work or of several, both are
    one, or other pins contradict.
    """
    if verdict not in _VERDICTS:
        raise UsageError(
            message("There is no verdict {verdict}", verdict=repr(str(verdict)[:40])),
            advice=message("Use one of {choices}.", choices=", ".join(_VERDICTS)),
        )
    if len(note) > LONGEST_NOTE:
        raise UsageError(message("A note has at most {most} characters", most=LONGEST_NOTE))
    with project.db.transaction():
        one, other = sorted((_key(project, a), _key(project, b)))
        if one == other:
            raise UsageError(
                message("{a} and {b} are one work", a=repr(a[:80]), b=repr(b[:80])),
                advice=message('Name two of its records, as "source:id", to divide it.'),
            )
        if project.db.value("SELECT count(*) FROM pin WHERE project = ?", project.id) >= MOST_PINS:
            raise UsageError(message("A project has at most {most} pins", most=f"{MOST_PINS:,}"))
        row = project.db.one(
            "SELECT * FROM pin WHERE project = ? AND a = ? AND b = ?", project.id, one, other
        )
        before = None if row is None else from_row(ProjectPin, row)
        if before is not None and before.verdict == verdict:
            return WorkChanges()
        if before is not None:
            project.db.run("DELETE FROM pin WHERE id = ?", before.id)
        made = ProjectPin(
            id=before.id if before is not None else 0,
            verdict=verdict,
            a=one,
            b=other,
            note=" ".join(note.split()),
            by=project.by,
            at=now(),
        )
        _insert(project, made)
        return _take_effect(project, PIN, before, made)


def unpin(project: Project, number: int) -> WorkChanges:
    """Remove a pin, and make the works concerned anew. Raises UsageError: there is none of that
    number, or another one contradicts what is left.
    """
    with project.db.transaction():
        row = project.db.one("SELECT * FROM pin WHERE project = ? AND id = ?", project.id, number)
        if row is None:
            raise UsageError(
                message("The project has no pin {number}", number=number),
                advice=message("`metasearch works pins` lists them."),
            )
        project.db.run("DELETE FROM pin WHERE id = ? AND project = ?", number, project.id)
        return _take_effect(project, UNPIN, from_row(ProjectPin, row), None)


def put_back(
    project: Project, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> WorkChanges:
    """Undo a change of a pin. `before`: the pin as it was, as the log has it; None for none. Raises
    UsageError: it is not any more what it became.
    """
    with project.db.transaction():
        known = after or before or {}
        row = project.db.one(
            "SELECT * FROM pin WHERE project = ? AND a = ? AND b = ?",
            project.id,
            known["a"],
            known["b"],
        )
        there = None if row is None else from_row(ProjectPin, row)
        if (there and there.verdict) != (after and after["verdict"]):
            raise UsageError(
                message("The pin of {a} and {b} was changed since", a=known["a"], b=known["b"]),
                advice=message("Undo the later change first."),
            )
        if there is not None:
            project.db.run("DELETE FROM pin WHERE id = ? AND project = ?", there.id, project.id)
        made = None if before is None else ProjectPin(**before)
        if made is not None:
            _insert(project, made)
        action = UNPIN if made is None else PIN
        return _take_effect(project, action, there, made)


def _take_effect(
    project: Project, action: str, before: ProjectPin | None, after: ProjectPin | None
) -> WorkChanges:
    rules(project.db, project.id)  # raises where pins contradict one another
    known = after or before
    assert known is not None
    project.log(
        action,
        f"pin:{known.a} {known.b}",
        None if before is None else asdict(before),
        None if after is None else asdict(after),
    )
    rows = project.db.all(
        "SELECT DISTINCT work.component FROM record"
        " JOIN work_record ON work_record.record = record.id"
        " JOIN work ON work.id = work_record.work"
        " WHERE record.project = ? AND record.key IN (?, ?)",
        project.id,
        known.a,
        known.b,
    )
    return remake(project, [row[0] for row in rows])


def _key(project: Project, name: str) -> str:
    """The key of the record that a name means, or of the oldest one of a work."""
    row = project.db.one(
        "SELECT key FROM record WHERE project = ? AND key = ? AND superseded IS NULL",
        project.id,
        name.strip(),
    )
    if row is not None:
        return str(row["key"])
    work = works.find(project, name)
    return str(
        project.db.value(
            "SELECT record.key FROM work_record JOIN record ON record.id = work_record.record"
            " WHERE work_record.work = ? AND +record.superseded IS NULL ORDER BY record.id LIMIT 1",
            work.id,
        )
    )


def _insert(project: Project, made: ProjectPin) -> None:
    project.db.insert("pin", **{**asdict(made), "id": None, "project": project.id})
