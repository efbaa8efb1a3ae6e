"""Other ways of searching than by metasearch: websites, organisations, citations, contacts.

PRISMA 2020 counts them in a column of their own, and PRISMA-S asks how each was searched and when.
Their numbers are a person's; what follows from them is computed, so that the sums hold.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

import orjson

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects.projects import Project
from metasearch.review.store import values as versions
from metasearch.review.store.table import EditedTable, from_row
from metasearch.review.store.values import clean_date, clean_text

#: "citation" is searching along citations, "browse" looking through tables of contents or pages,
#: "register" a study register that was searched by hand.
Kind = Literal["website", "organisation", "browse", "citation", "contact", "register", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Bounds: characters of the texts, reports, reasons, and ways of one project.
LONGEST_NAME, LONGEST_HOW, LONGEST_REASON = 300, 5_000, 200
MOST_REPORTS, MOST_REASONS, MOST_SOURCES = 10_000_000, 50, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSource:
    """A way of searching. A number that is not known is None, never 0.

    Attributes:
        id: Of its row.
        kind: One of `KINDS`.
        name: Of the website, the organisation, the person; or "Citations of the included studies".
        how: What was done, as the report prints it.
        date: "2026-11-23"; "" where it is not known.
        identified: Records that were found.
        sought: Reports that were sought of them.
        not_retrieved: Reports that could not be had.
        excluded: Reason -> reports that were read and left out.
        version: Larger after each change of it.
    """

    id: int
    kind: Kind
    name: str
    how: str = ""
    date: str = ""
    identified: int | None = None
    sought: int | None = None
    not_retrieved: int | None = None
    excluded: Mapping[str, int]
    version: int = 1

    @property
    def assessed(self) -> int | None:
        """Reports that were read: those sought without those that could not be had."""
        return None if self.sought is None else self.sought - (self.not_retrieved or 0)

    @property
    def included(self) -> int | None:
        """Reports that were read and not left out."""
        assessed = self.assessed
        return None if assessed is None else assessed - sum(self.excluded.values())


#: All but the kind and the name stand in one column.
_SOURCES = EditedTable(
    "other_source",
    OtherSource,
    [one.name for one in fields(OtherSource) if one.name not in ("id", "version")],
)


def of(project: Project, kind: Kind | None = None) -> list[OtherSource]:
    """Those of a project, in the order in which they were added."""
    rows = project.db.all("SELECT * FROM other_source WHERE project = ? ORDER BY id", project.id)
    return [_read(row) for row in rows if kind is None or row["kind"] == kind]


def find(project: Project, number: int) -> OtherSource:
    """The one with this id. Raises UsageError: the project has none."""
    row = project.db.one(
        "SELECT * FROM other_source WHERE project = ? AND id = ?", project.id, number
    )
    if row is None:
        raise UsageError(
            message("There is no other source {number}", number=number),
            advice=message("Those of the project are listed with their numbers."),
        )
    return _read(row)


def add(
    project: Project,
    kind: str,
    name: str,
    *,
    how: str = "",
    date: str = "",
    identified: int | None = None,
    sought: int | None = None,
    not_retrieved: int | None = None,
    excluded: Mapping[str, int] | None = None,
) -> OtherSource:
    """Add one. Raises UsageError: a text or number cannot be, or numbers contradict another."""
    one = OtherSource(
        id=0,
        kind=_kind(kind),
        name=name,
        how=how,
        date=date,
        identified=identified,
        sought=sought,
        not_retrieved=not_retrieved,
        excluded=excluded or {},
    )
    one = _clean(one)
    with project.db.transaction():
        count = project.db.value("SELECT count(*) FROM other_source WHERE project = ?", project.id)
        if count >= MOST_SOURCES:
            raise UsageError(message("A project has at most {most} other sources", most=count))
        number = project.db.insert(
            "other_source",
            project=project.id,
            kind=one.kind,
            name=one.name,
            details=_details(one),
        )
        after = find(project, number)
        place = f"other_source:{number}"
        project.log("add other source", place, None, _json(after))
    return after


def edit(
    project: Project, number: int, changes: Mapping[str, Any], *, version: int | None = None
) -> OtherSource:
    """Change one.

    `changes`: name of an attribute -> its new value; the others stay. `version`: of the one that
    the changes were made with. Raises Conflict: it was changed since that version; UsageError: as
    `add`, or there is no such attribute.
    """
    with project.db.transaction():
        before = find(project, number)
        known = _json(before)
        for name in changes:
            if name not in known:
                raise UsageError(
                    message("Other sources have no {name}", name=repr(name[:40])),
                    advice=message("There are {names}.", names=", ".join(known)),
                )
        after = _clean(OtherSource(id=number, **{**known, **changes}))
        text = message("Other source {number} was changed since you opened it", number=number)
        if not _SOURCES.changes(before, after, version, text)[1]:
            return before
        after = replace(after, version=before.version + 1)
        project.db.run(
            "UPDATE other_source SET kind = ?, name = ?, details = ?, version = version + 1"
            " WHERE id = ? AND project = ?",
            after.kind,
            after.name,
            _details(after),
            number,
            project.id,
        )
        place = f"other_source:{number}"
        project.log("edit other source", place, _json(before), _json(after))
    return after


def remove(project: Project, number: int, *, version: int | None = None) -> None:
    """Remove one; the log keeps what it was. `version` is that of the one that is to be removed.
    Raises Conflict: it was changed since that version; UsageError: the project has none with this
    id.
    """
    with project.db.transaction():
        before = find(project, number)
        versions.check_version(
            version,
            before.version,
            message("Other source {number} was changed since you opened it", number=number),
            {"removed": True},
            {"removed": False, **_json(before)},
        )
        project.db.run("DELETE FROM other_source WHERE id = ? AND project = ?", number, project.id)
        place = f"other_source:{number}"
        project.log("remove other source", place, _json(before), None)


def check(kind: str, name: str, details: str) -> None:
    """Check the columns of a row that come from elsewhere: an archive. Raises UsageError: they are
    not as `add` writes them.
    """
    try:
        one = OtherSource(id=0, kind=_kind(kind), name=name, version=1, **orjson.loads(details))
    except (ValueError, TypeError) as exc:
        raise UsageError(
            message("the details of the other source {name} cannot be read", name=repr(name[:80]))
        ) from exc
    _clean(one)


def _read(row: sqlite3.Row) -> OtherSource:
    return from_row(OtherSource, row, **orjson.loads(row["details"]))


def _json(one: OtherSource) -> dict[str, Any]:
    known = asdict(one)
    del known["id"], known["version"]
    return known


def _details(one: OtherSource) -> str:
    known = _json(one)
    del known["kind"], known["name"]
    return orjson.dumps(known).decode()


def _clean(one: OtherSource) -> OtherSource:
    """The same with its texts without spare space."""
    numbers = {
        "identified": one.identified,
        "sought": one.sought,
        "not_retrieved": one.not_retrieved,
    }
    for name, count in numbers.items():
        if count is not None:
            _check_count(name, count)
    excluded: dict[str, int] = {}
    if not isinstance(one.excluded, Mapping) or len(one.excluded) > MOST_REASONS:
        raise _wrong(
            "excluded", message("it is no list of at most {most} reasons", most=MOST_REASONS)
        )
    for reason, count in one.excluded.items():
        excluded[_text("excluded", reason, LONGEST_REASON)] = count
        _check_count("excluded", count)
    _check_sums(one)
    name = _text("name", one.name, LONGEST_NAME)
    if not name:
        raise _wrong("name", message("it is empty"))
    return OtherSource(
        id=one.id,
        kind=_kind(one.kind),
        name=name,
        how=_text("how", one.how, LONGEST_HOW, lines=True),
        date=_date(one.date),
        identified=one.identified,
        sought=one.sought,
        not_retrieved=one.not_retrieved,
        excluded=excluded,
    )


def _check_count(name: str, count: object) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_REPORTS:
        raise _wrong(
            name, message("it is no whole number from 0 to {most}", most=f"{MOST_REPORTS:,}")
        )


def _check_sums(one: OtherSource) -> None:
    """Check that no number of the next step is larger than the one it comes from."""
    if one.sought is None:
        if one.not_retrieved or one.excluded:
            raise _wrong("sought", message("it is not given, but what became of the reports is"))
        return
    if one.identified is not None and one.sought > one.identified:
        raise _wrong("sought", message("it is larger than the number identified"))
    if (one.not_retrieved or 0) > one.sought:
        raise _wrong("not_retrieved", message("it is larger than the number sought"))
    if (one.included or 0) < 0:
        raise _wrong("excluded", message("together they are more than were assessed"))


def _kind(kind: str) -> Kind:
    for known in KINDS:
        if kind == known:
            return known
    raise UsageError(
        message("There is no kind of other source {kind}", kind=repr(kind[:40])),
        advice=message("There are {kinds}.", kinds=", ".join(KINDS)),
    )


def _text(name: str, text: object, longest: int, *, lines: bool = False) -> str:
    try:
        return clean_text(text, longest, lines=lines)
    except UsageError as exc:
        raise _wrong(name, exc.message) from exc


def _date(text: object) -> str:
    date = _text("date", text, 40)
    try:
        return clean_date(date) if date else ""
    except UsageError as exc:
        raise _wrong("date", exc.message) from exc


def _wrong(name: str, reason: str) -> UsageError:
    return UsageError(
        message("{name} of the other source cannot be kept: {reason}", name=name, reason=reason)
    )
