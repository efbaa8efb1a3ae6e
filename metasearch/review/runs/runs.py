"""Runs and the answers of the sources in them: written as they come, and read.

A run whose process was killed stays "running" in its row. It is read as interrupted, and whoever
opens the workspace or its project next has it marked so: `look`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, get_args

import orjson

from metasearch import __version__
from metasearch.errors import RunClash, UsageError, WorkspaceError
from metasearch.events import Status
from metasearch.message import message, message_from_json
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.runs import carriers
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.table import from_row
from metasearch.review.store.values import now
from metasearch.review.strategies.strategies import Strategy

#: Records of the sources; numbers of hits alone; a file that a person has brought; what indexes
#: name as citations.
Mode = Literal["records", "counts", "import", "citations"]
RunStatus = Literal["running", "done", "stopped", "interrupted"]
#: Where records come from, in the words of PRISMA 2020.
Place = Literal["database", "register", "other"]
PLACES: tuple[Place, ...] = get_args(Place)
#: The largest number that is looked up; SQLite takes no larger ones.
_LARGEST = 2**63 - 1
_SELECTED = f"SELECT run.*, {carriers.COLUMNS} FROM {carriers.JOINED}"  # noqa: S608, own words


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a strategy.

    Attributes:
        id: Of its row.
        project: Id of its project.
        strategy: Id of its strategy.
        number: Within the project, from 1; never used again.
        mode: What was wanted.
        status: "stopped" where a person ended it before all sources had answered, "interrupted"
            where its process ended: that can be resumed.
        by: Who started it.
        started, ended: Moments; `ended` is None while it runs.
        tool: Name and release of the program.
        options: As JSON: what was asked for: "steps", "sources", "per_source", "years", "timeout",
            "follows" (number of the run before it of the same strategy and mode), ...
        recorded: The folder with the pages of its sources; "" where none were kept.
        claim: Shows that the caller carries it out, who has begun or resumed it; else "".
    """

    id: int
    project: int
    strategy: int
    number: int
    mode: Mode
    status: RunStatus
    by: str
    started: str
    ended: str | None
    tool: str
    options: Mapping[str, Any]
    recorded: str
    claim: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """What one source said to one step in one run. A number that is not known is None, never 0.

    Attributes:
        id: Of its row.
        run, step: Their numbers.
        source: Its name.
        label: Its name for people.
        place: What kind of place it is.
        status: One of `metasearch.events.Status`; "running" while its records are being stored.
        error, advice: Why it failed, and what can be done; "" where it did not. They and `notes`
            are a `metasearch.message.Message` where they can be translated.
        digest: Of the query of the step, with its parents put in.
        query: That query, in metasearch's syntax.
        sent: The query as the source received it.
        requests: `{"method", "url", "body"}` each, without keys.
        claimed: Hits that the source says it has.
        exact: Whether that number is of the whole query.
        fetched: Records that were kept, each once; None where they were not asked for.
        filtered: Records that were received, and left out by what the source could not search.
        unread: Records that could not be read.
        asked_at: When the oldest page of the answer was fetched; None where no page came.
        cached: Whether every page came from the cache.
        seconds: That it took.
        notes: What of the query was lost, and what the source said.
        spec: Digest of the spec of the source.
        half: Whether its run ended while its records were being stored.
    """

    id: int
    run: int
    step: int
    source: str
    label: str
    place: Place
    status: Status
    error: str
    advice: str
    digest: str
    query: str
    sent: str
    requests: Sequence[Mapping[str, Any]]
    claimed: int | None
    exact: bool
    fetched: int | None
    filtered: int | None
    unread: int | None
    asked_at: str | None
    cached: bool
    seconds: float | None
    notes: Sequence[str]
    spec: str
    half: bool = False

    @property
    def answered(self) -> bool:
        """Whether the source answered in full, with hits or without."""
        return self.status in ("ok", "empty")

    @property
    def failed(self) -> bool:
        return self.status not in ("ok", "empty", "running")


A = TypeVar("A", bound=StoredAnswer)


def begin(
    project: Project,
    strategy: Strategy,
    mode: Mode,
    *,
    options: Mapping[str, Any] | None = None,
    recorded: str = "",
) -> Run:
    """Start a run. Of a project one run at a time asks sources, in whichever process; files may be
    imported beside it. Raises RunClash: another one is under way.
    """
    with project.db.transaction():
        settle(project.db, project)
        if mode != "import":
            _check_free(project)
        number = 1 + int(
            project.db.value(
                "SELECT coalesce(max(number), 0) FROM run WHERE project = ?", project.id
            )
        )
        follows = project.db.value(
            "SELECT max(number) FROM run WHERE strategy = ? AND mode = ?", strategy.id, mode
        )
        row = project.db.insert(
            "run",
            project=project.id,
            strategy=strategy.id,
            number=number,
            mode=mode,
            status="running",
            by=project.by,
            started=now(),
            tool=f"metasearch {__version__}",
            options=_as_json({**(options or {}), "follows": follows}),
            recorded=recorded,
        )
        claim = carriers.claim(project.db, row)
    return _run_with_claim(project.db, row, claim)


def resume(project: Project, number: int) -> Run:
    """Take up a run that was interrupted. What it has not asked yet is to be asked now, with its
    options; answers that are there in part (`SourceAnswer.half`) are to be begun again. Raises
    UsageError: there is no such run, or it is an import; RunClash: it was not interrupted, or
    another one is under way.
    """
    with project.db.transaction():
        settle(project.db, project)
        run = find(project, number)
        if run.mode == "import":
            raise UsageError(
                message("Run {number} is the import of a file", number=number),
                advice=message("Import the file again: what is there is not added twice."),
            )
        if run.status != "interrupted":
            raise RunClash(
                message("Run {number} was not interrupted", number=number),
                kind="running" if run.status == "running" else "not-running",
                advice=message("Begin a new run."),
            )
        _check_free(project)
        project.db.run("UPDATE run SET status = 'running', ended = NULL WHERE id = ?", run.id)
        claim = carriers.claim(project.db, run.id)
    return _run_with_claim(project.db, run.id, claim)


def renew(db: Database, run: Run) -> bool:
    """Note that a run still lives; to be called every `carriers.RENEWED` seconds by who has begun
    or resumed it. Returns whether it goes on: not where somebody else has resumed or ended it.

    One that was taken to be dead, because the machine slept, is running again.
    """
    with db.transaction():
        if carriers.renew(db, run.id, run.claim):
            return True
        status = db.value("SELECT status FROM run WHERE id = ?", run.id)
        if status != "interrupted" or _under_way(db, run.project) is not None:
            return False
        db.run("UPDATE run SET status = 'running', ended = NULL WHERE id = ?", run.id)
        carriers.claim(db, run.id, run.claim)
    return True


def finish(db: Database, run: Run, status: RunStatus = "done") -> Run:
    """End a run that the caller carries out; one that somebody else has taken over stays as it is.
    One that is not done is stopped where a person wanted that. Of a project that is gone by then,
    nothing is written.
    """
    with db.transaction():
        row = db.one("SELECT claim, stop FROM run_carrier WHERE run = ?", run.id)
        known = db.value("SELECT status FROM run WHERE id = ?", run.id)
        if (row is None and known == "interrupted") or (row and row["claim"] == run.claim):
            wanted = bool(row and row["stop"] and status != "done")
            _end(db, run.id, "stopped" if wanted else status)
    ended = db.one(f"{_SELECTED} WHERE run.id = ?", run.id)
    return replace(run, status="stopped") if ended is None else _run_of(ended)


def stop(project: Project, number: int) -> Run:
    """End a run for a person: one that was interrupted at once, one that is under way when its
    process looks for that, which takes a second or two. What was answered is kept. Raises
    UsageError: there is no such run; RunClash: it has ended.
    """
    with project.db.transaction():
        settle(project.db, project)
        run = find(project, number)
        if run.status == "interrupted":
            _end(project.db, run.id, "stopped")
        elif run.status == "running":
            carriers.ask_to_stop(project.db, run.id)
        else:
            raise RunClash(
                message("Run {number} has ended already", number=number),
                kind="not-running",
                advice="",
            )
    return find(project, number)


def look(db: Database, project: ProjectRow | None = None) -> None:
    """Mark the runs of a project, or of all, whose processes are gone; to be called when a
    workspace is opened, and whenever a project is looked at.

    A file that cannot be written stays as it is: its runs are read as interrupted all the same.
    """
    if has_dead(db, project):
        with suppress(WorkspaceError), db.transaction():
            settle(db, project)


def has_dead(db: Database, project: ProjectRow | None = None) -> bool:
    """Whether there are runs of a project, or of all, whose processes are gone."""
    return any(
        not carriers.lives(row)
        for row in _running_rows(db, None if project is None else project.id)
    )


def settle(db: Database, project: ProjectRow | None = None) -> None:
    """Deal with the runs of a project, or of all, whose processes are gone: `_mark_dead` is the
    one place where that is done.
    """
    with db.transaction():
        for row in _running_rows(db, None if project is None else project.id):
            if not carriers.lives(row):
                _mark_dead(db, row)


def _mark_dead(db: Database, row: sqlite3.Row) -> None:
    """Mark a run whose process is gone, in a transaction; what its sources had answered stays."""
    wanted = carriers.is_to_stop(db, row["id"])  # it died before it had seen that
    _end(db, row["id"], "stopped" if wanted else "interrupted")


def _running_rows(db: Database, project: int | None) -> list[sqlite3.Row]:
    """The runs that are marked as running, with what `carriers.lives` wants to know."""
    where = "run.status = 'running'"
    if project is None:
        return db.all(f"{_SELECTED} WHERE {where}")
    return db.all(f"{_SELECTED} WHERE {where} AND run.project = ?", project)


def _under_way(db: Database, project: int) -> sqlite3.Row | None:
    """The run of a project that asks sources."""
    rows = (row for row in _running_rows(db, project) if row["mode"] != "import")
    return next((row for row in rows if carriers.lives(row)), None)


def _check_free(project: Project) -> None:
    row = _under_way(project.db, project.id)
    if row is None:
        return
    by = project.db.value(
        "SELECT coalesce(nullif(shown, ''), name) FROM user WHERE uid <> '' AND uid = ?", row["by"]
    )
    number, started = row["number"], row["started"]
    raise RunClash(
        message(
            "Run {number} of this project is under way since {started}, for {by}",
            number=number,
            started=started,
            by=by,
        )
        if by
        else message(
            "Run {number} of this project is under way since {started}",
            number=number,
            started=started,
        ),
        kind="running",
        advice=message("Wait for its end, or stop it: `metasearch strategy stop`."),
    )


def _run_with_claim(db: Database, run: int, claim: str) -> Run:
    return replace(_run_of(db.all(f"{_SELECTED} WHERE run.id = ?", run)[0]), claim=claim)


def _end(db: Database, run: int, status: RunStatus) -> None:
    db.run("UPDATE run SET status = ?, ended = ? WHERE id = ?", status, now(), run)
    carriers.release(db, run)
    # Of an answer that was being stored, what is there counts.
    error = message("the run ended while its records were stored")
    db.run(
        "UPDATE answer SET status = 'error', error = ?, sentences = ?, half = 1, fetched ="
        " (SELECT count(*) FROM finding WHERE finding.answer = answer.id)"
        " WHERE run = ? AND status = 'running'",
        error,
        values.pack_sentences(error=error),
        run,
    )


def begin_answer(
    db: Database,
    run: Run,
    step: int,
    source: str,
    *,
    label: str,
    place: Place,
    digest: str = "",
    query: str = "",
) -> int:
    """Add the row of an answer, in which its records can be stored; returns its id. One that is
    there in part is begun again: records that the source gave then stay. Raises RunClash: its run
    was deleted meanwhile, with its project.
    """
    _check_there(db, run.id)
    row = db.one(
        "INSERT INTO answer (run, step, source, label, place, status, digest, query)"
        " VALUES (?, ?, ?, ?, ?, 'running', ?, ?)"
        " ON CONFLICT (run, step, source) DO UPDATE SET status = 'running', error = '',"
        " sentences = '', label = excluded.label, place = excluded.place,"
        " digest = excluded.digest, query = excluded.query, half = 0, fetched = NULL"
        " WHERE half = 1 RETURNING id",
        run.id,
        step,
        source,
        label,
        place,
        digest,
        query,
    )
    if row is None:
        raise WorkspaceError(
            str(db.path), message("run {number} has this answer already", number=run.number)
        )
    return int(row["id"])


def _check_there(db: Database, run: int | None) -> None:
    if (
        db.one(
            "SELECT 1 FROM run JOIN project ON project.id = run.project"
            " WHERE run.id = ? AND project.hidden = ''",
            run,
        )
        is None
    ):
        raise RunClash(
            message("The run is gone: its project was deleted meanwhile"),
            kind="not-running",
            advice="",
        )


def finish_answer(
    db: Database,
    answer: int,
    *,
    status: str,
    error: str = "",
    advice: str = "",
    sent: str = "",
    requests: Sequence[Mapping[str, Any]] = (),
    claimed: int | None = None,
    exact: bool = True,
    fetched: int | None = None,
    filtered: int | None = None,
    unread: int | None = None,
    asked_at: str | None = None,
    cached: bool = False,
    seconds: float | None = None,
    notes: Sequence[str] = (),
    spec: str = "",
) -> StoredAnswer:
    """Fill in what is known of an answer: see `SourceAnswer`. Raises RunClash: its run was deleted
    meanwhile, with its project.
    """
    with db.transaction():
        _check_there(db, db.value("SELECT run FROM answer WHERE id = ?", answer))
        db.run(
            "UPDATE answer SET status = ?, error = ?, advice = ?, sent = ?, requests = ?,"
            " claimed = ?, exact = ?, fetched = ?, filtered = ?, unread = ?, asked_at = ?,"
            " cached = ?, seconds = ?, notes = ?, sentences = ?, spec = ?, half = 0 WHERE id = ?",
            status,
            error,
            advice,
            sent,
            _as_json(requests),
            claimed,
            int(exact),
            fetched,
            filtered,
            unread,
            asked_at,
            int(cached),
            seconds,
            _as_json(notes),
            values.pack_sentences(error=error, advice=advice, notes=notes),
            spec,
            answer,
        )
    return _answers(db, "answer.id = ?", answer)[0]


def of(project: Project) -> list[Run]:
    """The runs of a project, the oldest first."""
    return [
        _run_of(row)
        for row in project.db.all(
            f"{_SELECTED} WHERE run.project = ? ORDER BY run.number", project.id
        )
    ]


def find(project: Project, number: int) -> Run:
    """The run with this number. Raises UsageError: there is none."""
    row = None
    if 0 < number <= _LARGEST:
        row = project.db.one(
            f"{_SELECTED} WHERE run.project = ? AND run.number = ?", project.id, number
        )
    if row is None:
        last = project.db.value("SELECT max(number) FROM run WHERE project = ?", project.id)
        raise UsageError(
            message("There is no run {number}", number=number),
            advice=message("The last one is {last}.", last=last)
            if last
            else message("`metasearch strategy run` starts the first one."),
        )
    return _run_of(row)


def answers(db: Database, run: Run) -> list[StoredAnswer]:
    """The answers in a run, step by step, in the order in which they came."""
    return _answers(db, "answer.run = ?", run.id)


def newest(db: Database, strategy: Strategy) -> list[StoredAnswer]:
    """Of each step and source of a strategy the newest answer, the newest one in full, and the
    newest one whose records were kept, the oldest first; without those that are being stored.
    """
    found = (
        "SELECT max(answer.id) FROM answer JOIN run ON run.id = answer.run"
        " WHERE run.strategy = ?1 AND answer.status != 'running'"
    )
    each = "GROUP BY answer.step, answer.source"
    return _answers(
        db,
        f"answer.id IN ({found} {each}"
        f" UNION {found} AND answer.status IN ('ok', 'empty') {each}"
        f" UNION {found} AND answer.fetched IS NOT NULL {each})",
        strategy.id,
        order="answer.id",
    )


def sources_of(db: Database, strategy: Strategy) -> dict[str, str]:
    """Name -> name for people of all sources that a strategy has asked: those of the newest run
    first, in the order in which they were named there.
    """
    labels: dict[str, str] = {
        row["source"]: row["label"]
        for row in db.all(
            "SELECT answer.source, answer.label, max(answer.id) FROM answer"
            " JOIN run ON run.id = answer.run WHERE run.strategy = ? GROUP BY answer.source"
            " ORDER BY min(answer.id)",
            strategy.id,
        )
    }
    named: dict[str, None] = {}
    for row in db.all(
        "SELECT options FROM run WHERE strategy = ? AND mode != 'import' ORDER BY id DESC LIMIT 20",
        strategy.id,
    ):
        named |= dict.fromkeys(orjson.loads(row["options"]).get("sources", ()))
    return {source: labels[source] for source in (*named, *labels) if source in labels}


def _answers(
    db: Database, where: str, value: int, *, order: str = "step.number, answer.id"
) -> list[StoredAnswer]:
    rows = db.all(
        "SELECT answer.*, run.number AS run_number, step.number AS step_number FROM answer"  # noqa: S608, own words
        " JOIN run ON run.id = answer.run JOIN step ON step.id = answer.step"
        f" WHERE {where} ORDER BY {order}",
        value,
    )
    return [answer_of(StoredAnswer, row) for row in rows]


def _run_of(row: sqlite3.Row) -> Run:
    dead = row["status"] == "running" and not carriers.lives(row)
    return from_row(Run, row, status="interrupted" if dead else row["status"], claim="")


def answer_of(kind: type[A], row: sqlite3.Row, **more: Any) -> A:
    """The answer of a row, with `run_number` and `step_number`. `more`: of what `kind` has more."""
    said = values.unpack_sentences(row["sentences"])
    computed = {
        "run": row["run_number"],
        "step": row["step_number"],
        "error": message_from_json(row["error"], said.get("error")),
        "advice": message_from_json(row["advice"], said.get("advice")),
        "requests": tuple(orjson.loads(row["requests"])),
        "notes": values.sentences(orjson.loads(row["notes"]), said.get("notes")),
    }
    return from_row(kind, row, **computed, **more)


def _as_json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=list).decode()
