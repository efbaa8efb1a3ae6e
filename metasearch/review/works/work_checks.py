"""Checks of the included works of a project against databases: what the last one of each work said.

A work is checked as a reference that its merged record is: errors, retractions, other versions. The
works are what a report of the project's kind includes. What was checked is stored as it comes.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from metasearch.engine.engine import Engine
from metasearch.engine.lookup import LookupOptions
from metasearch.errors import MetasearchError, RunClash, UsageError, WorkspaceError
from metasearch.formats import hits
from metasearch.formats.text import clean, line
from metasearch.message import N_, Message, message, message_from_json
from metasearch.record import Hit
from metasearch.references.check import (
    VERDICTS,
    CheckedReference,
    ReferenceCheck,
    Verdict,
)
from metasearch.references.reference import Reference
from metasearch.references.report import LABELS, difference_object, outcome_object, with_labels
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.runs.plan import RunLimits
from metasearch.review.store import database, values
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now
from metasearch.review.store.workspace import Workspace
from metasearch.review.works.records import in_marks

#: Works of one check; the others, which were checked more lately, are for the next one.
MOST_WORKS = 20_000
#: Works of a check on an update, which asks by DOI alone, and seconds for it.
MOST_AGAIN, AGAIN_SECONDS = 1_000, 120.0
#: Works that are stored in one transaction; uids that a line of the log names.
AT_ONCE, MOST_NAMED = 50, 200
#: Seconds for which a lease of a check holds, after which it is renewed, and between two looks.
LEASE, RENEWED, LOOKED = 90.0, 20.0, 1.0
#: The action of the log.
CHECK = "check works"
#: Verdict -> its name on pages and in reports.
VERDICT_WORDS: Mapping[str, str] = {
    "retracted": N_("Retracted"),
    "differs": N_("Differs"),
    "another-version": N_("Another version exists"),
    "not-found": N_("Not found"),
    "unchecked": N_("Could not be checked"),
    "confirmed": N_("Confirmed"),
}
#: The works that a report includes: of a novelty search those that are related.
_INCLUDED = """work
JOIN project ON project.id = work.project
LEFT JOIN decision AS title
    ON title.work = work.id AND title.stage = 'title' AND title.by = ''
LEFT JOIN decision AS text
    ON text.work = work.id AND text.stage = 'fulltext' AND text.by = ''
LEFT JOIN work_check ON work_check.work = work.id
WHERE CASE project.kind
    WHEN 'novelty' THEN text.verdict IS NOT 'excluded'
        AND (title.verdict IN ('close', 'relevant') OR text.verdict = 'relevant')
    ELSE text.verdict IN ('close', 'relevant') AND title.verdict IS NOT 'excluded'
END"""


def included(project: Project) -> list[int]:
    """The rows of the works that a report of the project includes, the oldest first."""
    sql = f"SELECT work.id FROM {_INCLUDED} AND work.project = ? ORDER BY work.id"
    return [row["id"] for row in project.db.all(sql, project.id)]


logger = logging.getLogger("metasearch.review")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCheck:
    """What the last check of a work said.

    Attributes:
        uid: Of the work, with its title and DOI.
        serious: Whether who cites the work as it stands here would be led astray.
        reason: Why it could not be checked, or what was not found; "" otherwise.
        differences: Field by field, as `difference_object` has them.
        asked: How each database answered, as `outcome_object` has it, and its `label`.
        at: When it was checked.
    """

    uid: str
    title: str
    doi: str
    verdict: Verdict
    serious: bool
    reason: str
    differences: Sequence[Mapping[str, Any]]
    asked: Sequence[Mapping[str, Any]]
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSummary:
    """What is known of the included works.

    Attributes:
        included, checked, serious: How many there are.
        verdicts: Verdict -> works.
        first, last: When the first and the last one of those checked were checked; "" for none.
        databases: Labels of those that answered for any of them.
    """

    included: int
    checked: int
    serious: int
    verdicts: Mapping[Verdict, int]
    first: str
    last: str
    databases: tuple[str, ...]

    @property
    def unchecked(self) -> int:
        """Works that no check has asked for, because they were included after it."""
        return self.included - self.checked

    @property
    def warning(self) -> Message | None:
        """What a reader should do before a report is finished; None for nothing."""
        if not self.unchecked:
            return None
        count = f"{self.unchecked:,}"
        if not self.checked:
            return message(
                "None of the {count} included works was checked for errors and retractions. "
                "Check them before you finish the report: `metasearch project check`, or the page "
                "of reports.",
                count=count,
            )
        return message(
            "Included works that were not checked since they were included: {count}. Check them "
            "before you finish the report: `metasearch project check`, or the page of reports.",
            count=count,
        )


def summary(project: Project) -> CheckSummary:
    verdicts: Counter[Verdict] = Counter()
    answered: set[str] = set()
    included = serious = 0
    first = last = ""
    for row in project.db.rows(
        "SELECT work_check.verdict, work_check.serious, work_check.at, work_check.databases"
        f" FROM {_INCLUDED} AND work.project = ?",
        project.id,
    ):
        included += 1
        if row["verdict"] is None:
            continue
        verdicts[row["verdict"]] += 1
        serious += row["serious"]
        first, last = min(first or row["at"], row["at"]), max(last, row["at"])
        answered.add(row["databases"])
    labels = {label for several in answered for label in several.split("\n") if label}
    return CheckSummary(
        included=included,
        checked=verdicts.total(),
        serious=serious,
        verdicts={verdict: verdicts[verdict] for verdict in VERDICTS},
        first=first,
        last=last,
        databases=tuple(sorted(labels, key=str.casefold)),
    )


def checks_of(
    project: Project,
    *,
    most: int,
    start: int = 0,
    verdicts: Collection[str] = VERDICTS,
    grave: bool = False,
) -> list[WorkCheck]:
    """What was said of included works, the worst first. `grave`: only what is serious, and what
    could not be checked.
    """
    wanted = [verdict for verdict in VERDICTS if verdict in verdicts]
    rows = project.db.all(
        "SELECT work_check.*, work.uid, work.title, work.doi"
        f" FROM {_INCLUDED} AND work.project = ? AND work_check.verdict IN ({in_marks(wanted)})"
        " AND (NOT ? OR work_check.serious OR work_check.verdict = 'unchecked')"
        " ORDER BY work_check.serious DESC, instr(?, work_check.verdict), work.id LIMIT ? OFFSET ?",
        project.id,
        *wanted,
        grave,
        " ".join(LABELS),
        most,
        start,
    )
    return [_check(row) for row in rows]


def _check(row: sqlite3.Row) -> WorkCheck:
    said = values.unpack_sentences(row["sentences"])
    listed = orjson.loads(row["differences"])
    whys = values.sentences([one["why"] for one in listed], said.get("whys"))
    return from_row(
        WorkCheck,
        row,
        reason=message_from_json(row["reason"], said.get("reason")),
        differences=[one | {"why": why} for one, why in zip(listed, whys, strict=True)],
        asked=orjson.loads(row["asked"]),
    )


def text_lines(checks: Iterable[WorkCheck]) -> Iterator[str]:
    """The lines of a terminal; of what is confirmed none."""
    for each in checks:
        if each.verdict != "confirmed":
            label = LABELS[each.verdict] + (", serious" if each.serious else "")
            yield line(f"{each.uid}: {label}")
            yield f"    {line(each.title)[:200]}"
            yield from (f"    {line(one['why'])}" for one in each.differences)
            if each.reason:
                yield f"    {line(each.reason)}"


# The check itself.


@dataclass(slots=True, kw_only=True)
class CheckResult:
    """What came of a check.

    Attributes:
        checked: How many works it has asked for.
        told: Uids of those of which something is serious that was not before.
        hits: Uid -> what databases gave; of `check_again` alone.
    """

    checked: int = 0
    told: list[str] = field(default_factory=list)
    hits: dict[str, Hit] = field(default_factory=dict)


async def check_works(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    options: LookupOptions,
    *,
    by: str = "",
    begun: Callable[[int], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    limits: RunLimits | None = None,
) -> CheckResult:
    """Check the included works of a project. Where this is cancelled, what was checked is stored.

    Args:
        begun: Is called with the number of works, before a database is asked.
        progress: Is called with how many of how many works are checked.
        limits: What holds of it for whom it is made; a check is one search.

    Raises:
        UsageError: No work is included, or no source can be asked.
        RunClash: A check of the project is under way, or this one was stopped by somebody else.
        QuotaExceeded: The limits refuse it.
    """
    wanted = await workspace.long(project.bind(_references), MOST_WORKS)
    if not wanted:
        raise UsageError(
            message("No work of the project is included yet"),
            advice=message("Decide on its works first: reports count what is included."),
        )
    await engine.ready(options.sources or ())
    checking = ReferenceCheck(engine, [*wanted.values()], options)
    if limits is not None:
        await limits.begins(1, len(checking.sources))
    async with _alone(workspace, project):
        if begun is not None:
            begun(len(wanted))
        return await _Storing(workspace, engine, project, wanted, by).run(checking, progress)


async def check_again(
    workspace: Workspace,
    engine: Engine,
    project: ProjectRow,
    where: str = "true",
    *of: object,
    user: Hashable = None,
) -> CheckResult:
    """Check included works once more on an update: those with a DOI alone, and in the databases
    alone that take many of them in one request. It takes back nothing that a whole check has said.

    `where`: a condition in SQL of the works, with its values `of`. What fails is left for the next
    time: an update is none the worse for it.
    """
    result = CheckResult()
    try:
        where = f"work.doi <> '' AND {where}"
        wanted = await workspace.long(project.bind(_references), MOST_AGAIN, where, *of)
        if not wanted:
            return result
        await engine.ready(())
        sources = [
            name
            for name in ReferenceCheck(engine, ()).sources
            if engine.registry.spec(name).lookup.get("doi", 1) > 1
        ]
        if sources:
            options = LookupOptions(sources=sources, user=user or project.uid)
            checking = ReferenceCheck(engine, [*wanted.values()], options)
            storing = _Storing(workspace, engine, project, wanted, again=True)
            result = storing.result
            async with asyncio.timeout(AGAIN_SECONDS):
                await storing.run(checking)
    except (MetasearchError, TimeoutError) as error:
        logger.warning("included works of %s were not all checked again: %s", project.uid, error)
    return result


def _references(
    project: Project, most: int, where: str = "true", *of: object
) -> dict[int, Reference]:
    """Row of an included work -> the reference that it is, those first that were tried longest ago.
    `where`: as of `check_again`.
    """
    rows = project.db.all(
        f"SELECT work.id, work.uid FROM {_INCLUDED} AND work.project = ? AND {where}"
        " ORDER BY coalesce(work_check.tried, ''), work.id LIMIT ?",
        project.id,
        *of,
        most,
    )
    found = {}
    for row in rows:
        body = project.db.value("SELECT hit FROM work_body WHERE work = ?", row["id"])
        # A database may have cut the list of authors: nobody has typed it.
        found[row["id"]] = Reference(
            key=row["uid"], record=hits.read(body).record, all_authors=False
        )
    return found


@dataclass(slots=True)
class _Storing:
    """A check under way, whose outcomes are stored as they come. `again`: as of `check_again`."""

    _workspace: Workspace
    _engine: Engine
    _project: ProjectRow
    _wanted: Mapping[int, Reference]
    _by: str = ""
    again: bool = False
    result: CheckResult = field(default_factory=CheckResult)

    async def run(
        self, checking: ReferenceCheck, progress: Callable[[int, int], None] | None = None
    ) -> CheckResult:
        waiting: list[CheckedReference] = []
        try:
            async for each in checking:
                waiting.append(each)
                await asyncio.sleep(0)  # to judge takes milliseconds each: others have a turn
                if len(waiting) >= AT_ONCE:
                    some, waiting = waiting, []
                    await self._store(some)
                    if progress is not None:
                        progress(self.result.checked, len(self._wanted))
        finally:
            ending = asyncio.ensure_future(self._store(waiting, last=True))
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:  # while it is written
                await asyncio.wait({ending})
                raise
        return self.result

    async def _store(self, some: Sequence[CheckedReference], *, last: bool = False) -> None:
        named = {one.source for each in some for one in each.asked}
        labels = {name: self._engine.registry.spec(name).label for name in named}
        bound = self._project.bind(self._stored, self._by)
        await self._workspace.write(bound, some, labels, last=last)
        if self.again:
            self.result.hits |= {each.reference.key: each.hit for each in some if each.hit}

    def _stored(
        self,
        project: Project,
        some: Sequence[CheckedReference],
        labels: Mapping[str, str],
        *,
        last: bool,
    ) -> None:
        result, rows = self.result, {each.key: row for row, each in self._wanted.items()}
        with project.db.transaction():
            result.told += [
                each.reference.key
                for each in some
                if self._is_told(project, rows[each.reference.key], each, labels)
            ]
            result.checked += len(some)
            is_there = project.db.value("SELECT hidden = '' FROM project WHERE id = ?", project.id)
            if last and is_there and result.checked and (result.told or not self.again):
                after = {"works": result.checked, "told": result.told[:MOST_NAMED]}
                project.log(CHECK, "project", None, after)

    def _is_told(
        self, project: Project, work: int, each: CheckedReference, labels: Mapping[str, str]
    ) -> bool:
        """Store an outcome; returns whether it is serious and was not before."""
        before = project.db.one(
            "SELECT work_check.verdict, work_check.serious FROM work"
            " LEFT JOIN work_check ON work_check.work = work.id"
            " WHERE work.id = ? AND work.project = ?",
            work,
            project.id,
        )
        if before is None:  # it has become part of another one
            return False
        at = now()
        if before["verdict"] is not None and not self._says_more(each, before):
            project.db.run("UPDATE work_check SET tried = ? WHERE work = ?", at, work)
            return False
        whys = [with_labels(one.why, labels) for one in each.differences]
        reason = with_labels(each.reason, labels)
        differences = [
            difference_object(one) | {"why": clean(str(why))}
            for one, why in zip(each.differences, whys, strict=True)
        ]
        asked = [outcome_object(one) | {"label": labels[one.source]} for one in each.asked]
        project.db.run("DELETE FROM work_check WHERE work = ?", work)
        project.db.insert(
            "work_check",
            work=work,
            verdict=each.verdict,
            serious=int(each.serious),
            reason=clean(str(reason)),
            differences=orjson.dumps(differences).decode(),
            asked=orjson.dumps(asked).decode(),
            databases="\n".join(one["label"] for one in asked if one["status"] != "failed"),
            sentences=values.pack_sentences(reason=reason, whys=whys),
            at=at,
            tried=at,
        )
        return each.serious and not before["serious"]

    def _says_more(self, each: CheckedReference, before: sqlite3.Row) -> bool:
        """Whether an outcome stands in place of an earlier one: a database that fails, or is not
        asked, takes back nothing.
        """
        if each.verdict == "unchecked":
            return bool(before["verdict"] == "unchecked")
        if self.again and each.verdict == "not-found":
            return False
        is_part = self.again or any(one.status == "failed" for one in each.asked)
        return each.serious or not (is_part and before["serious"])


# Of a project one check at a time is made, in whichever process; every process can end it.


def is_under_way(project: Project) -> bool:
    return bool(
        project.db.value(
            "SELECT 1 FROM lease WHERE name = ? AND until > ?", _lease_of(project), now()
        )
    )


def stop(project: Project) -> None:
    """End the check that is under way; what was checked stays. Raises RunClash: there is none."""
    with project.db.transaction():
        if not is_under_way(project):
            raise RunClash(
                message("No check of the project is under way"), kind="not-running", advice=""
            )
        project.db.run("DELETE FROM lease WHERE name = ?", _lease_of(project))


def _lease_of(project: ProjectRow) -> str:
    return f"check {project.uid}"


@asynccontextmanager
async def _alone(workspace: Workspace, project: ProjectRow) -> AsyncIterator[None]:
    """A block in which no other check of the project begins. Raises RunClash: one is under way, or
    somebody has ended this one.
    """
    name, holder = _lease_of(project), database.new_holder()
    if not await workspace.write(database.take_lease, name, holder, LEASE):
        raise RunClash(
            message("A check of the project is under way"),
            kind="running",
            advice=message("Wait for its end, or stop it: `metasearch project check --stop`."),
        )
    task = asyncio.current_task()
    assert task is not None
    cancelled = task.cancelling()
    watching = asyncio.create_task(_watch(workspace, name, holder, task), name=name)
    try:
        yield
    except asyncio.CancelledError:
        if watching.done() and task.uncancel() <= cancelled:
            text, advice = message("The check was stopped"), message("What was checked is kept.")
            raise RunClash(text, kind="not-running", advice=advice) from None
        raise
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        with suppress(WorkspaceError):  # it ends by itself
            await asyncio.shield(workspace.write(database.release_lease, name, holder))


async def _watch(workspace: Workspace, name: str, holder: str, task: asyncio.Task[object]) -> None:
    """Renew the lease of a check, and cancel its task where somebody has ended it."""
    looks = 0
    while True:
        await asyncio.sleep(LOOKED)
        looks += 1
        with suppress(WorkspaceError):  # another process is writing; the next time may do
            if not await workspace.look(database.holds_lease, name, holder):
                break
            if looks * LOOKED % RENEWED == 0:
                await workspace.write(database.take_lease, name, holder, LEASE)
    task.cancel()
