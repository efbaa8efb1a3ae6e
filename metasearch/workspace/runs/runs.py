"""Runs and the answers of the sources in them: written as they come, and read.

A run that was killed stays "running" in its row. While it lives, it renews a moment in its options;
where that is `LEASE` seconds old, the run is read as stopped, and marked so by the next run.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import orjson

from metasearch import __version__
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import sentences
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now
from metasearch.workspace.strategies.strategies import Strategy

#: Records of the sources; numbers of hits alone; a file that a person has brought.
Mode = Literal["records", "counts", "import"]
RunStatus = Literal["running", "done", "stopped"]
#: Where records come from, in the words of PRISMA 2020.
Place = Literal["database", "register", "other"]
PLACES: tuple[Place, ...] = get_args(Place)
#: Seconds after which a run that has not renewed its moment is taken to be killed, and between two
#: renewals.
LEASE, RENEWED = 90.0, 20.0
#: The largest number that is looked up; SQLite takes no larger ones.
_LARGEST = 2**63 - 1
#: The key of that moment in a run's options, in Unix time.
_ALIVE = "alive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a strategy.

    Attributes:
        id: Of its row.
        project: Id of its project.
        strategy: Id of its strategy.
        number: Within the project, from 1; never used again.
        mode: What was wanted.
        status: "stopped" where it ended before all sources had answered.
        by: Who started it.
        started, ended: Moments; `ended` is None while it runs.
        tool: Name and release of the program.
        options: As JSON: what was asked for: "steps", "sources", "per_source", "years", "timeout",
            "follows" (number of the run before it of the same strategy and mode), ...
        recorded: The folder with the pages of its sources; "" where none were kept.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAnswer:
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
    """

    id: int
    run: int
    step: int
    source: str
    label: str
    place: Place
    status: str
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

    @property
    def answered(self) -> bool:
        """Whether the source answered in full, with hits or without."""
        return self.status in ("ok", "empty")

    @property
    def failed(self) -> bool:
        """Whether it did not."""
        return self.status not in ("ok", "empty", "running")


# ------------------------------------------------------------------------- writing


def begin(
    db: Database,
    project: Project,
    strategy: Strategy,
    mode: Mode,
    *,
    by: str = "",
    options: Mapping[str, Any] | None = None,
    recorded: str = "",
) -> Run:
    """Start a run; those of the project that were killed are marked as stopped."""
    with db.transaction():
        mark_stopped(db, project)
        number = 1 + int(
            db.value("SELECT coalesce(max(number), 0) FROM run WHERE project = ?", project.id)
        )
        follows = db.value(
            "SELECT max(number) FROM run WHERE strategy = ? AND mode = ?", strategy.id, mode
        )
        known = {**(options or {}), "follows": follows, _ALIVE: time.time()}
        row = db.run(
            "INSERT INTO run (project, strategy, number, mode, status, by, started, tool, options,"
            " recorded) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)",
            project.id,
            strategy.id,
            number,
            mode,
            by,
            now(),
            f"metasearch {__version__}",
            _packed(known),
            recorded,
        )
    return _run_of(db.all("SELECT * FROM run WHERE id = ?", row)[0])


def renew(db: Database, run: Run) -> None:
    """Note that a run still lives; to be called every `RENEWED` seconds.

    One that was taken to be killed, because the machine slept, is running again.
    """
    with db.transaction():
        db.run(
            "UPDATE run SET options = json_set(options, ?, ?), status = 'running', ended = NULL"
            " WHERE id = ?",
            f"$.{_ALIVE}",
            time.time(),
            run.id,
        )


def finish(db: Database, run: Run, status: RunStatus = "done") -> Run:
    """End a run."""
    with db.transaction():
        _end(db, run.id, status)
    return _run_of(db.all("SELECT * FROM run WHERE id = ?", run.id)[0])


def mark_stopped(db: Database, project: Project) -> None:
    """Mark the runs of a project that were killed as stopped; what their sources had answered
    stays.
    """
    with db.transaction():
        for row in db.all("SELECT * FROM run WHERE project = ? AND status = 'running'", project.id):
            if not _lives(row):
                _end(db, row["id"], "stopped")


def _end(db: Database, run: int, status: RunStatus) -> None:
    db.run(
        "UPDATE run SET status = ?, ended = ?, options = json_remove(options, ?) WHERE id = ?",
        status,
        now(),
        f"$.{_ALIVE}",
        run,
    )
    # Of an answer that was being stored, what is there counts.
    error = message("the run was stopped while its records were stored")
    db.run(
        "UPDATE answer SET status = 'error', error = ?, sentences = ?, fetched ="
        " (SELECT count(*) FROM finding WHERE finding.answer = answer.id)"
        " WHERE run = ? AND status = 'running'",
        error,
        sentences.packed(error=error),
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
    """Add the row of an answer, in which its records can be stored; returns its id.

    Args:
        db: The workspace.
        run: The run.
        step: Id of the row of the step.
        source: Its name.
        label: Its name for people.
        place: What kind of place it is.
        digest: Of the query.
        query: In metasearch's syntax.
    """
    return db.run(
        "INSERT INTO answer (run, step, source, label, place, status, digest, query)"
        " VALUES (?, ?, ?, ?, ?, 'running', ?, ?)",
        run.id,
        step,
        source,
        label,
        place,
        digest,
        query,
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
) -> SourceAnswer:
    """Fill in what is known of an answer: see `SourceAnswer`."""
    with db.transaction():
        db.run(
            "UPDATE answer SET status = ?, error = ?, advice = ?, sent = ?, requests = ?,"
            " claimed = ?, exact = ?, fetched = ?, filtered = ?, unread = ?, asked_at = ?,"
            " cached = ?, seconds = ?, notes = ?, sentences = ?, spec = ? WHERE id = ?",
            status,
            error,
            advice,
            sent,
            _packed(requests),
            claimed,
            int(exact),
            fetched,
            filtered,
            unread,
            asked_at,
            int(cached),
            seconds,
            _packed(notes),
            sentences.packed(error=error, advice=advice, notes=notes),
            spec,
            answer,
        )
    return _answers(db, "answer.id = ?", answer)[0]


# ------------------------------------------------------------------------- reading


def of(db: Database, project: Project) -> list[Run]:
    """The runs of a project, the oldest first."""
    return [
        _run_of(row)
        for row in db.all("SELECT * FROM run WHERE project = ? ORDER BY number", project.id)
    ]


def find(db: Database, project: Project, number: int) -> Run:
    """The run with this number.

    Raises:
        UsageError: There is none.
    """
    row = None
    if 0 < number <= _LARGEST:
        row = db.one("SELECT * FROM run WHERE project = ? AND number = ?", project.id, number)
    if row is None:
        last = db.value("SELECT max(number) FROM run WHERE project = ?", project.id)
        raise UsageError(
            message("There is no run {number}", number=number),
            advice=message("The last one is {last}.", last=last)
            if last
            else message("`metasearch strategy run` starts the first one."),
        )
    return _run_of(row)


def answers(db: Database, run: Run) -> list[SourceAnswer]:
    """The answers in a run, step by step, in the order in which they came."""
    return _answers(db, "answer.run = ?", run.id)


def newest(db: Database, strategy: Strategy) -> list[SourceAnswer]:
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
) -> list[SourceAnswer]:
    rows = db.all(
        "SELECT answer.*, run.number AS run_number, step.number AS step_number FROM answer"  # noqa: S608, own words
        " JOIN run ON run.id = answer.run JOIN step ON step.id = answer.step"
        f" WHERE {where} ORDER BY {order}",
        value,
    )
    return [_answer_of(row) for row in rows]


def _run_of(row: sqlite3.Row) -> Run:
    options = orjson.loads(row["options"])
    options.pop(_ALIVE, None)
    return Run(
        id=row["id"],
        project=row["project"],
        strategy=row["strategy"],
        number=row["number"],
        mode=row["mode"],
        status=row["status"] if _lives(row) else "stopped",
        by=row["by"],
        started=row["started"],
        ended=row["ended"],
        tool=row["tool"],
        options=options,
        recorded=row["recorded"],
    )


def _lives(row: sqlite3.Row) -> bool:
    """Whether a run is what its row says."""
    if row["status"] != "running":
        return True
    return time.time() - float(orjson.loads(row["options"]).get(_ALIVE) or 0) < LEASE


def _answer_of(row: sqlite3.Row) -> SourceAnswer:
    said = sentences.unpacked(row["sentences"])
    return SourceAnswer(
        id=row["id"],
        run=row["run_number"],
        step=row["step_number"],
        source=row["source"],
        label=row["label"],
        place=row["place"],
        status=row["status"],
        error=sentences.sentence(row["error"], said.get("error")),
        advice=sentences.sentence(row["advice"], said.get("advice")),
        digest=row["digest"],
        query=row["query"],
        sent=row["sent"],
        requests=tuple(orjson.loads(row["requests"])),
        claimed=row["claimed"],
        exact=bool(row["exact"]),
        fetched=row["fetched"],
        filtered=row["filtered"],
        unread=row["unread"],
        asked_at=row["asked_at"],
        cached=bool(row["cached"]),
        seconds=row["seconds"],
        notes=sentences.sentences(orjson.loads(row["notes"]), said.get("notes")),
        spec=row["spec"],
    )


def _packed(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=list).decode()
