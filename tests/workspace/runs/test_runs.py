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

from metasearch.errors import UsageError
from metasearch.workspace import projects
from metasearch.workspace.projects import Project
from metasearch.workspace.runs import runs
from metasearch.workspace.runs.runs import LEASE
from metasearch.workspace.store.database import Database
from metasearch.workspace.strategies import steps, strategies
from metasearch.workspace.strategies.strategies import Strategy
from tests.conftest import ROOT

#: Stores one answer of five records and then waits to be killed; run by a process of its own.
KILLED = """
import asyncio, sys
from pathlib import Path
from tests.engine.test_engine import works
from tests.workspace.runs.planned import MARSH, paged, planned
from metasearch.workspace.runs.run import run_strategy

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
    made = strategies.create(db, project, "main")
    steps.add(db, made, "soil")
    return made


def test_runs_are_numbered_within_their_project(
    db: Database, project: Project, strategy: Strategy
) -> None:
    """From one, and each names the one before it of the same strategy and mode."""
    first = runs.begin(db, project, strategy, "records")
    counts = runs.begin(db, project, strategy, "counts", by="Berg")
    second = runs.begin(db, project, strategy, "records")
    other = projects.create(db, "other", "plain")
    elsewhere = runs.begin(db, other, strategies.create(db, other, "main"), "records")

    assert [first.number, counts.number, second.number, elsewhere.number] == [1, 2, 3, 1]
    assert second.options["follows"] == 1
    assert counts.options["follows"] is None
    assert (counts.by, counts.mode) == ("Berg", "counts")
    assert first.tool.startswith("metasearch ")
    assert [run.number for run in runs.of(db, project)] == [1, 2, 3]


def test_a_run_that_ends(db: Database, project: Project, strategy: Strategy) -> None:
    """Its end is kept, and its options hold what was asked for alone."""
    run = runs.begin(db, project, strategy, "records", options={"steps": [1]})

    done = runs.finish(db, run)

    assert (run.status, run.ended) == ("running", None)
    assert done.status == "done"
    assert done.ended is not None
    assert done.options == {"steps": [1], "follows": None}
    assert runs.find(db, project, 1) == done


def test_a_run_that_does_not_renew_its_moment_is_stopped(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads it later sees that, and the next run writes it; a run that lives stays."""
    killed = runs.begin(db, project, strategy, "records")
    lives = runs.begin(db, project, strategy, "records")
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + LEASE - 1)
    runs.renew(db, lives)
    monkeypatch.setattr(time, "time", lambda: began + LEASE + 1)

    read = {run.number: run.status for run in runs.of(db, project)}
    runs.begin(db, project, strategy, "counts")
    written = {row["number"]: row["status"] for row in db.all("SELECT number, status FROM run")}

    assert read == {killed.number: "stopped", lives.number: "running"}
    assert written == {killed.number: "stopped", lives.number: "running", 3: "running"}


def test_a_run_that_slept_goes_on(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that was asleep wakes up: the run that was taken to be killed lives."""
    run = runs.begin(db, project, strategy, "records")
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + 10 * LEASE)
    runs.mark_stopped(db, project)

    runs.renew(db, run)

    assert runs.find(db, project, 1).status == "running"
    assert runs.finish(db, run).status == "done"


def test_half_an_answer_of_a_killed_run_counts_what_is_there(
    db: Database, project: Project, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a failure with the number of its records, not an answer without."""
    run = runs.begin(db, project, strategy, "records")
    (step,) = steps.of(db, strategy)
    with db.transaction():
        runs.begin_answer(db, run, step.id, "alpha", label="Alpha", place="database")
    (before,) = runs.answers(db, run)
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + LEASE + 1)

    runs.mark_stopped(db, project)
    (after,) = runs.answers(db, run)

    assert (before.status, before.fetched) == ("running", None)
    assert (after.status, after.fetched, after.claimed) == ("error", 0, None)
    assert "stopped" in after.error


def test_a_run_that_does_not_exist(db: Database, project: Project, strategy: Strategy) -> None:
    """The error names the last one."""
    with pytest.raises(UsageError, match="no run 1"):
        runs.find(db, project, 1)
    runs.begin(db, project, strategy, "records")
    with pytest.raises(UsageError) as told:
        runs.find(db, project, 2)

    assert "1" in told.value.advice
    with pytest.raises(UsageError, match="no run"):
        runs.find(db, project, 10**30)


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
        (run,) = runs.of(db, project)
        answers = runs.answers(db, run)
        works = db.value("SELECT count(*) FROM work")

    assert told == "alpha 5\n"
    assert [(answer.source, answer.fetched) for answer in answers] == [("alpha", 5)]
    assert works == 5
