"""A run whose process is killed, at whichever moment, is interrupted: nothing that was kept is
lost, and resumed it ends as one that was left alone.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from metasearch.errors import RunClash
from metasearch.review.runs import runs
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import resume_run, run_strategy
from metasearch.review.runs.runs import Run
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from tests.conftest import ROOT
from tests.review.runs.planned import Planned, paged, planned, reopened

#: Two sources of which each step has several records, and the steps.
BODIES = {"alpha": paged(5), "beta": paged(3)}
STEPS = ["soil", "carbon"]

#: Begins or resumes a run, and kills its own process at a moment: before a statement is done, when
#: the run is begun, when a source is asked, or when an answer was kept.
CHILD = """
import asyncio, os, signal, sys
from pathlib import Path
from metasearch.review.runs import carriers, runs, execution as storing, execution as under_way
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import resume_run, run_strategy
from metasearch.review.store.database import Database
from tests.review.security.test_killed_runs import BODIES, STEPS
from tests.review.runs.planned import planned, reopened

folder, what, moment, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
seen = 0

def passed(here):
    global seen
    seen += here == moment or (here not in ("begun", "asked", "kept") and moment in here)
    if seen == count:
        os.kill(os.getpid(), signal.SIGKILL)

opened = Database.__init__

def traced(self, *args, **kwargs):
    opened(self, *args, **kwargs)
    self._db.set_trace_callback(passed)

Database.__init__ = traced
storing.AT_A_TIME = 2
under_way.LOOKED = 0.01
carriers.RENEWED = 0.01 if "alive" in moment else 20.0

async def slow(request):
    await asyncio.sleep(60)

def asked(request):
    passed("asked")
    return BODIES["alpha"](request)

async def main():
    bodies = {**BODIES, "alpha": slow if "alive" in moment or what == "stop" else asked}
    plan = await (reopened(folder, bodies) if what == "resume" else planned(folder, STEPS, bodies))
    stops = []

    def kept(answer):
        passed("kept")
        if what == "stop" and not stops:
            with Database(folder / "workspace.db") as db:
                runs.stop(plan.project.at(db), 1)
            stops.append(answer)

    if what == "resume":
        await resume_run(plan.workspace, plan.engine, plan.project, 1, progress=kept)
    else:
        await run_strategy(plan.workspace, plan.engine, plan.project, plan.strategy,
            RunOptions(steps=[1, 2]),
            begun=lambda run: passed("begun"), progress=kept)

asyncio.run(main())
"""


class Moment(NamedTuple):
    """When a child is killed: what it does, where, and at which of several times."""

    what: str
    where: str
    time: int = 1


MOMENTS = {
    "before the begin is committed": Moment("run", "INTO run_carrier"),
    "after the begin": Moment("run", "begun"),
    "while a source is asked": Moment("run", "asked", 2),
    "while an answer is stored": Moment("run", "INTO finding", 4),
    "between two answers": Moment("run", "kept", 2),
    "at the end, before it is written": Moment("run", "UPDATE run SET status = 'done'"),
    "while it is stopped": Moment("stop", "UPDATE run SET status = 'stopped'"),
    "while it is resumed": Moment("resume", "kept", 1),
    "while it gives a sign of life": Moment("run", "UPDATE run_carrier SET alive"),
}


def killed(folder: Path, moment: Moment) -> None:
    """Have a process begin or resume the run, and be killed."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), moment.what, moment.where, str(moment.time)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


def kept(db: Database) -> dict[tuple[str, int], list[str]]:
    """Source and step of each answer in full -> the keys of its records."""
    rows = db.all(
        "SELECT answer.source, step.number, record.key FROM answer"
        " JOIN step ON step.id = answer.step LEFT JOIN finding ON finding.answer = answer.id"
        " LEFT JOIN record ON record.id = finding.record"
        " WHERE answer.half = 0 AND answer.status != 'running' ORDER BY record.key"
    )
    found: dict[tuple[str, int], list[str]] = {}
    for row in rows:
        found.setdefault((row["source"], row["number"]), []).append(row["key"])
    return found


def works(db: Database) -> list[tuple[str, int]]:
    """Title of each work, and how many records it has."""
    return [
        tuple(row)
        for row in db.all(
            "SELECT title, (SELECT count(*) FROM work_record WHERE work = work.id) FROM work"
            " ORDER BY title"
        )
    ]


async def begun(plan: Planned) -> Run:
    """A run that nobody disturbs."""
    return await run_strategy(
        plan.workspace, plan.engine, plan.project, plan.strategy, RunOptions(steps=[1, 2])
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("stage", MOMENTS)
async def test_a_run_whose_process_is_killed_is_interrupted_and_can_be_resumed(
    tmp_path: Path, stage: str
) -> None:
    """At once no run and no answer is "running"; what was answered is there; resumed, the run asks
    what is missing alone and ends with the answers and works of one that was left alone."""
    moment = MOMENTS[stage]
    alone, disturbed = tmp_path / "alone", tmp_path / "disturbed"
    async with await planned(alone, STEPS, BODIES) as plan:
        await begun(plan)
    if moment.what == "resume":
        await asyncio.to_thread(killed, disturbed, Moment("run", "kept", 1))
    await asyncio.to_thread(killed, disturbed, moment)

    with Database(disturbed / "workspace.db") as db:
        runs.look(db)
        states = [row[0] for row in db.all("SELECT status FROM run")]
        answers = [row[0] for row in db.all("SELECT DISTINCT status FROM answer WHERE half = 0")]
        before = kept(db)
        carried = db.value("SELECT count(*) FROM run_carrier")
        damage = check(db)
    async with await reopened(disturbed, BODIES) as plan:
        if not states:
            await begun(plan)
        elif moment.what != "stop":
            await resume_run(plan.workspace, plan.engine, plan.project, 1)
        asked = bool(plan.upstreams.asked)
    with Database(alone / "workspace.db") as whole, Database(disturbed / "workspace.db") as db:
        after = {row[0]: row[1] for row in db.all("SELECT number, status FROM run")}
        if moment.what == "stop":
            assert kept(db) == before
        else:
            assert kept(db) == kept(whole)
            assert works(db) == works(whole)
        wanted = kept(whole)

    expected = {"run": "interrupted", "resume": "interrupted", "stop": "stopped"}[moment.what]
    assert states == ([] if stage.startswith("before") else [expected])
    assert set(answers) <= {"ok"}
    assert (carried, damage) == (0, [])
    assert all(wanted[key] == keys for key, keys in before.items())
    assert asked is (len(before) < len(wanted) and moment.what != "stop")
    assert after == {1: "stopped" if moment.what == "stop" else "done"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_a_run_is_resumed_once(tmp_path: Path) -> None:
    """Two who resume it at once do not both ask: one of them is told that it is under way."""
    await asyncio.to_thread(killed, tmp_path, MOMENTS["after the begin"])
    async with await reopened(tmp_path, BODIES) as one, await reopened(tmp_path, BODIES) as two:
        done = await asyncio.gather(
            *(resume_run(plan.workspace, plan.engine, plan.project, 1) for plan in (one, two)),
            return_exceptions=True,
        )

    assert sorted(type(each) is Run for each in done) == [False, True]
    (refused,) = (each for each in done if not isinstance(each, Run))
    assert isinstance(refused, RunClash)
    assert refused.status == 409
