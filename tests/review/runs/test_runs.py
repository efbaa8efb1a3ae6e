"""The rows of runs: numbers, what lives, and what was killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metasearch.errors import RunClash, UsageError, WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import carriers, runs
from metasearch.review.runs.carriers import LEASE
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Strategy
from tests.conftest import ROOT

#: Stores one answer of five records and then waits to be killed; run by a process of its own.
KILLED = """
import asyncio, sys
from pathlib import Path
from tests.engine.test_engine import works
from tests.review.runs.planned import MARSH, paged, planned
from metasearch.review.runs.run import run_strategy

async def never(request):
    await asyncio.sleep(60)

async def main():
    plan = await planned(Path(sys.argv[1]), ["soil"], {"alpha": paged(5), "never": never})
    await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy,
        progress=lambda answer: print(answer.source, answer.fetched, flush=True))

asyncio.run(main())
"""


@pytest.fixture
def db(tmp_path: Path) -> Database:
    """A new workspace."""
    return Database(tmp_path / "workspace.db")


@pytest.fixture
def project(db: Database) -> Project:
    """A new project."""
    return projects.create(db, "marshes", "review")


@pytest.fixture
def strategy(db: Database, project: Project) -> Strategy:
    """A strategy with one step."""
    made = strategies.create(project, "main")
    steps.add(db, made, "soil")
    return made


def test_runs_are_numbered_within_their_project(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """From one, and each names the one before it of the same strategy and mode."""
    first = runs.finish(db, runs.begin(project, strategy, "records"))
    counts = runs.finish(db, runs.begin(project.as_user("Berg"), strategy, "counts"))
    second = runs.begin(project, strategy, "records")
    other = projects.create(db, "other", "plain")
    elsewhere = runs.begin(other, strategies.create(other, "main"), "records")

    assert [first.number, counts.number, second.number, elsewhere.number] == [1, 2, 3, 1]
    assert second.options["follows"] == 1
    assert counts.options["follows"] is None
    assert (counts.by, counts.mode) == ("Berg", "counts")
    assert first.tool.startswith("metasearch ")
    assert [run.number for run in runs.of(project)] == [1, 2, 3]


def test_a_run_that_ends(db: Database, project: Project, strategy: Strategy) -> None:
    """Its end is kept, and its options hold what was asked for alone."""
    run = runs.begin(project, strategy, "records", options={"steps": [1]})

    done = runs.finish(db, run)

    assert (run.status, run.ended) == ("running", None)
    assert done.status == "done"
    assert done.ended is not None
    assert done.options == {"steps": [1], "follows": None}
    assert runs.find(project, 1) == done


def test_a_project_has_one_run_at_a_time_by_its_file(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """Whoever begins another is told which one is under way, since when, and what can be done; a
    file may be imported beside it."""
    run = runs.begin(project, strategy, "records")

    with Database(db.path) as other, pytest.raises(RunClash) as told:
        runs.begin(project.at(other), strategy, "counts")
    imported = runs.begin(project, strategy, "import")

    assert (told.value.status, told.value.kind) == (409, "running")
    assert "Run 1 " in str(told.value)
    assert run.started in str(told.value)
    assert "strategy stop" in told.value.advice
    assert [imported.number, imported.status] == [2, "running"]
    runs.finish(db, run)
    assert runs.begin(project, strategy, "counts").number == 3


def test_a_run_that_gives_no_sign_of_life_is_interrupted(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who reads it later sees that, whoever looks next writes it, and a run that lives stays."""
    silent = runs.begin(project, strategy, "records")
    other = projects.create(db, "other", "plain")
    lively = runs.begin(other, strategies.create(other, "main"), "records")
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + LEASE - 1)
    assert runs.renew(db, lively)
    monkeypatch.setattr(time, "time", lambda: began + LEASE + 1)

    read = runs.find(project, silent.number).status
    before = db.value("SELECT status FROM run WHERE id = ?", silent.id)
    runs.look(db)
    after = dict(db.all("SELECT id, status FROM run"))

    assert (read, before) == ("interrupted", "running")
    assert after == {silent.id: "interrupted", lively.id: "running"}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("process", 2**22 + 1),  # no process has such a number
        ("process", 2**62),
        ("began", "1"),  # another process has its number by now
    ],
)
def test_a_run_whose_process_is_gone_is_interrupted_at_once(
    db: Database, project: Project, strategy: Strategy, column: str, value: object
) -> None:
    """On this host nobody waits for the end of a lease."""
    run = runs.begin(project, strategy, "records")
    db.run(f"UPDATE run_carrier SET {column} = ? WHERE run = ?", value, run.id)
    gone = value != 2**62  # what is no number of a process here is left to the lease

    assert (runs.find(project, 1).status == "interrupted") is gone


def test_a_run_of_another_host_lives_by_its_signs(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process is none of this host; it is interrupted when it gives no sign for too long."""
    run = runs.begin(project, strategy, "records")
    db.run("UPDATE run_carrier SET place = 'elsewhere', process = 4194305 WHERE run = ?", run.id)
    assert runs.find(project, 1).status == "running"
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + LEASE + 1)

    assert runs.find(project, 1).status == "interrupted"


def test_a_run_that_slept_goes_on(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that was asleep wakes up: the run that was taken to be dead lives."""
    run = runs.begin(project, strategy, "records")
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + 10 * LEASE)
    runs.look(db)
    assert runs.find(project, 1).status == "interrupted"

    assert runs.renew(db, run)

    assert runs.find(project, 1).status == "running"
    assert runs.finish(db, run).status == "done"


def test_a_run_that_slept_while_another_began_goes_on_no_more(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told so by its next sign of life, and its end changes nothing."""
    slept = runs.begin(project, strategy, "records")
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + 10 * LEASE)
    other = runs.begin(project, strategy, "records")

    assert not runs.renew(db, slept)
    runs.finish(db, other)
    again = runs.resume(project, slept.number)

    assert not runs.renew(db, slept)
    assert runs.finish(db, slept).status == "running"
    assert runs.finish(db, again).status == "done"


def test_half_an_answer_of_a_run_that_ended_counts_what_is_there(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a failure with the number of its records, not an answer without; it is begun again in
    its place where the run is resumed."""
    run = runs.begin(project, strategy, "records")
    (step,) = steps.of(db, strategy)
    with db.transaction():
        runs.begin_answer(db, run, step.id, "alpha", label="Alpha", place="database")
    (before,) = runs.answers(db, run)
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + LEASE + 1)

    runs.look(db)
    (after,) = runs.answers(db, run)
    again = runs.resume(project, 1)
    with db.transaction():
        row = runs.begin_answer(db, again, step.id, "alpha", label="Alpha", place="database")
    runs.finish_answer(db, row, status="empty", fetched=0)
    (whole,) = runs.answers(db, run)

    assert (before.status, before.fetched) == ("running", None)
    assert (after.status, after.fetched, after.claimed, after.half) == ("error", 0, None, True)
    assert "ended" in after.error
    assert (whole.id, whole.status, whole.error, whole.half) == (before.id, "empty", "", False)
    with pytest.raises(WorkspaceError, match="already"), db.transaction():
        runs.begin_answer(db, again, step.id, "alpha", label="Alpha", place="database")


def test_a_person_ends_an_interrupted_run(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it is stopped for good: it is neither ended again nor resumed."""
    runs.begin(project, strategy, "records")
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + LEASE + 1)

    assert runs.stop(project, 1).status == "stopped"
    with pytest.raises(RunClash, match="ended already"):
        runs.stop(project, 1)
    with pytest.raises(RunClash, match="not interrupted"):
        runs.resume(project, 1)


def test_a_run_that_a_person_wants_stopped_is_stopped_by_its_end(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """Whoever carries it out says "interrupted"; the wish makes "stopped" of that."""
    run = runs.begin(project, strategy, "records")

    assert runs.stop(project, 1).status == "running"
    assert carriers.is_to_stop(db, run.id)
    assert runs.finish(db, run, "interrupted").status == "stopped"


def test_an_import_is_not_resumed(db: Database, project: Project, strategy: Strategy) -> None:
    """Its file is not here; the error says what to do."""
    run = runs.begin(project, strategy, "import")
    runs.finish(db, run, "interrupted")

    with pytest.raises(UsageError) as told:
        runs.resume(project, 1)
    assert "again" in told.value.advice


def test_a_run_that_does_not_exist(db: Database, project: Project, strategy: Strategy) -> None:
    """The error names the last one."""
    with pytest.raises(UsageError, match="no run 1"):
        runs.find(project, 1)
    runs.begin(project, strategy, "records")
    with pytest.raises(UsageError) as told:
        runs.find(project, 2)

    assert "1" in told.value.advice
    with pytest.raises(UsageError, match="no run"):
        runs.find(project, 10**30)


@pytest.mark.slow
async def test_a_killed_process_has_kept_what_it_told(tmp_path: Path) -> None:
    """After kill -9 the answers that were told are there with their records and works."""
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    told = await asyncio.to_thread(child.stdout.readline)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()

    with Database(tmp_path / "workspace.db") as db:
        project = projects.find(db, "marshes")
        (run,) = runs.of(project)
        answers = runs.answers(db, run)
        works = db.value("SELECT count(*) FROM work")

    assert told == "alpha 5\n"
    assert [(answer.source, answer.fetched) for answer in answers] == [("alpha", 5)]
    assert works == 5
