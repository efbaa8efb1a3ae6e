"""A process that is killed while it runs a saved search: another one runs it again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from metasearch.review.alerts import news
from metasearch.review.alerts import runs as due
from metasearch.review.alerts.runs import run_due
from metasearch.review.store import database
from metasearch.review.store.values import moment_text
from tests.review.alerts.searches import watched
from tests.review.store.processes import started

#: Begins to run what is due, and says so; its source never answers.
RUNNER = """
import asyncio, sys
from pathlib import Path
from metasearch.engine.engine import Engine
from metasearch.settings import Settings
from metasearch.review.store import database as leases
from metasearch.review.alerts.runs import run_due
from metasearch.review.store.workspace import Workspace

class Silent:
    async def send(self, request, *, timeout, max_bytes):
        print("asked", flush=True)
        await asyncio.sleep(600)

    async def close(self):
        pass

async def main():
    sources = {"alpha": {"extends": "crossref", "url": "https://alpha.example/works"}}
    settings = Settings(sources=sources, default_sources=("alpha",))
    async with Workspace(Path(sys.argv[1])) as workspace:
        async with Engine(settings, transport=Silent()) as engine:
            await run_due(workspace, engine, leases.new_holder())

asyncio.run(main())
"""


@pytest.mark.slow
async def test_what_a_killed_process_was_running_is_run_by_another(tmp_path: Path) -> None:
    """After its lease has ended, and not before; once."""
    async with await watched(tmp_path) as watch:
        process = started(RUNNER, watch.workspace.path)
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        process.kill()
        process.communicate()

        assert await run_due(watch.workspace, watch.engine, database.new_holder()) == 0
        assert await watch.workspace.read(due.number_due, at=time.time() + due.LEASE + 1) == 1
        # As if the time had passed.
        over = moment_text(time.time() - 1)
        await watch.workspace.write(lambda db: db.run("UPDATE lease SET until = ?", over))
        assert await run_due(watch.workspace, watch.engine, database.new_holder()) == 1
        assert await run_due(watch.workspace, watch.engine, database.new_holder()) == 0
        runs = await watch.workspace.read(news.runs_of, watch.saved)

    assert [run.status for run in runs] == ["done", "stopped"]
