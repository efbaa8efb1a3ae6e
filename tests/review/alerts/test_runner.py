"""A server runs the saved searches that are due: one of its processes, and never in the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.request import Request
from metasearch.engine.engine import Engine
from metasearch.errors import WorkspaceError
from metasearch.review.alerts import news
from metasearch.review.alerts import runs as due
from metasearch.review.alerts import runs as saved_runner
from metasearch.review.alerts.news import SavedSearchRun
from metasearch.review.alerts.runs import RUNNER_LEASE as LEASE
from metasearch.review.alerts.runs import SavedSearchRunner
from metasearch.review.store import database
from metasearch.server.app import make_app, run_app
from metasearch.server.limits import Options
from metasearch.settings.alerts import AlertsSettings, MailSettings
from tests.engine.test_engine import works
from tests.review.alerts.searches import MARSH, Watched, watched


async def runs(watch: Watched) -> list[SavedSearchRun]:
    """Those of the saved search."""
    return await watch.workspace.read(news.runs_of, watch.saved)


async def until(there: Callable[[], Any]) -> None:
    """Wait until something is there."""
    async with asyncio.timeout(60):
        while not await there():
            await asyncio.sleep(0.01)


async def test_what_is_due_is_run(tmp_path: Path) -> None:
    """Once: then it is planned."""
    async with await watched(tmp_path) as watch:
        runner = SavedSearchRunner(watch.workspace, watch.engine)

        assert await runner.look() == 1
        assert await runner.look() == 0
        assert [run.status for run in await runs(watch)] == ["done"]


async def test_nothing_is_written_while_nothing_is_due(tmp_path: Path) -> None:
    """A server with nobody's searches leaves the file alone."""
    async with await watched(tmp_path, schedule="") as watch:
        before = await watch.workspace.write(lambda db: db.value("PRAGMA data_version"))
        changes = await watch.workspace.write(lambda db: db.value("SELECT total_changes()"))
        assert await SavedSearchRunner(watch.workspace, watch.engine).look() == 0
        assert changes == await watch.workspace.write(lambda db: db.value("SELECT total_changes()"))
        assert before == await watch.workspace.write(lambda db: db.value("PRAGMA data_version"))


async def test_while_another_process_does_so_nothing_is_run(tmp_path: Path) -> None:
    """When that one has ended, or was killed, its lease ends, too."""
    async with await watched(tmp_path) as watch:
        runner = SavedSearchRunner(watch.workspace, watch.engine)
        await watch.workspace.write(database.take_lease, LEASE, "other", 60)
        assert await runner.look() == 0

        await watch.workspace.write(database.release_lease, LEASE, "other")
        assert await runner.look() == 1
        assert await watch.workspace.read(lambda db: db.all("SELECT * FROM lease")) == []


async def test_its_end_stops_what_is_run(tmp_path: Path) -> None:
    """At once; the search is due again, and nothing of it was told."""
    asked = asyncio.Event()

    def waits(request: Request) -> Any:
        async def body() -> bytes:
            asked.set()
            await asyncio.sleep(3600)
            return b""

        return body()

    async with await watched(tmp_path, {"alpha": waits}) as watch:
        runner = SavedSearchRunner(watch.workspace, watch.engine, poll=0.01)
        runner.start()
        await asked.wait()
        await runner.close()

        assert [run.status for run in await runs(watch)] == ["stopped"]
        assert await watch.workspace.read(due.number_due) == 1
        assert await watch.workspace.read(lambda db: db.all("SELECT * FROM lease")) == []


async def test_a_failure_does_not_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks again later."""
    looks = 0

    async def look(_: SavedSearchRunner) -> int:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise WorkspaceError("workspace.db", "the disk is full")
        if looks == 2:
            raise ZeroDivisionError
        return 0

    async def looked() -> bool:
        return looks >= 3

    monkeypatch.setattr(saved_runner, "PAUSE", 0.001)
    monkeypatch.setattr(SavedSearchRunner, "look", look)
    async with await watched(tmp_path) as watch:
        runner = SavedSearchRunner(watch.workspace, watch.engine, poll=0.001)
        runner.start()
        await until(looked)
        await runner.close()


async def test_e_mails_are_sent_after_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And now and then without runs, for those that are tried again."""
    sent: list[int] = []

    async def send_due(*_: Any) -> None:
        sent.append(len(await runs(watch)))

    monkeypatch.setattr("metasearch.review.alerts.email_sender.send_due", send_due)
    async with await watched(tmp_path) as watch:
        watch.engine.settings = replace(
            watch.engine.settings, mail=MailSettings(host="mail.example.org")
        )
        runner = SavedSearchRunner(watch.workspace, watch.engine)
        await runner.look()
        await runner.look()
        assert sent == [1]
        monkeypatch.setattr(runner, "_mails_at", 0.0)
        await runner.look()

    assert sent == [1, 1]


# ------------------------------------------------------------------------- in a server


@asynccontextmanager
async def served(watch: Watched, *, run: bool = True, serve: bool = True) -> AsyncIterator[None]:
    """A server of the workspace of a saved search."""
    watch.engine.settings = replace(
        watch.engine.settings,
        workspace=watch.workspace.path,
        serve_workspace=serve,
        alerts=AlertsSettings(run=run),
    )

    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        yield watch.engine

    limits = Options()
    async with run_app(make_app(engine, options=limits), limits):
        yield


async def test_a_server_of_the_workspace_does_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a request."""
    monkeypatch.setattr(saved_runner, "POLL", 0.01)

    async def run() -> bool:
        return [each.status for each in await runs(watch)] == ["done"]

    async with await watched(tmp_path, {"alpha": works(MARSH)}) as watch, served(watch):
        await until(run)


@pytest.mark.parametrize("switched", [{"run": False}, {"serve": False}])
async def test_one_without_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switched: dict[str, bool]
) -> None:
    """Where it is switched off, or no workspace is served."""
    begun: list[object] = []
    monkeypatch.setattr(SavedSearchRunner, "start", begun.append)

    async with await watched(tmp_path) as watch, served(watch, **switched):
        assert begun == []
