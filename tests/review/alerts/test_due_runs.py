"""All that is due is run, a few at a time, each once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.request import Request
from metasearch.errors import WorkspaceError
from metasearch.review.alerts import news
from metasearch.review.alerts import runs as due
from metasearch.review.alerts import runs as due_runs
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.news import SavedSearchRun
from metasearch.review.alerts.runs import run_due, run_saved
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store import database
from metasearch.settings.users import UsersSettings
from tests.engine.test_engine import works
from tests.review.alerts.searches import MARSH, Watched, away, watched


async def several(watch: Watched, count: int) -> None:
    """Further saved searches that are due, each of another query."""
    for number in range(count):
        await watch.workspace.write(
            searches.create, f"s{number}", f"soil {number}", schedule="daily"
        )


async def test_each_is_run_once_and_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where two processes do so."""
    now, most, ended = 0, 0, []

    async def counted(*given: Any, **more: Any) -> SavedSearchRun:
        nonlocal now, most
        now += 1
        most = max(most, now)
        try:
            return await run_saved(*given, **more)
        finally:
            now -= 1

    def told(saved: SavedSearch, run: SavedSearchRun) -> None:
        assert run.status == "done"
        ended.append(saved.name)

    monkeypatch.setattr(due_runs, "run_saved", counted)
    async with await watched(tmp_path, {"alpha": works(MARSH)}) as watch:
        await several(watch, 7)
        counts = await asyncio.gather(
            *(
                run_due(watch.workspace, watch.engine, database.new_holder(), ended=told)
                for _ in range(2)
            )
        )
        waiting = await watch.workspace.read(due.number_due)

    assert sorted(ended) == sorted(["soil", *(f"s{number}" for number in range(7))])
    assert (sum(counts), waiting) == (8, 0)
    assert 1 < most <= 2 * due_runs.AT_ONCE


async def test_so_many_at_most(tmp_path: Path) -> None:
    """The others stay due."""
    async with await watched(tmp_path) as watch:
        await several(watch, 4)
        count = await run_due(watch.workspace, watch.engine, database.new_holder(), most=3)
        waiting = await watch.workspace.read(due.number_due)

    assert (count, waiting) == (3, 2)


async def test_a_failure_does_not_keep_the_others_from_being_run(tmp_path: Path) -> None:
    """It is tried again later, and not at once."""
    statuses: dict[str, str] = {}

    async with await watched(tmp_path, {"alpha": away, "beta": works(MARSH)}) as watch:
        await watch.workspace.write(
            searches.create, "poor", "soil", sources=["alpha"], schedule="daily"
        )
        await run_due(
            watch.workspace,
            watch.engine,
            database.new_holder(),
            at_once=1,
            ended=lambda saved, run: statuses.__setitem__(saved.name, run.status),
        )

    assert statuses == {"soil": "done", "poor": "failed"}


async def test_one_that_is_removed_while_it_is_run_is_passed_over(tmp_path: Path) -> None:
    """The others are run."""

    def removed(request: Request) -> Any:
        async def body() -> bytes:
            await watch.workspace.write(searches.remove, watch.saved)
            return works(MARSH)

        return body()

    async with await watched(tmp_path, {"alpha": removed}) as watch:
        await several(watch, 2)
        await run_due(watch.workspace, watch.engine, database.new_holder(), at_once=1)
        waiting = await watch.workspace.read(due.number_due)

    assert waiting == 0


async def test_planned_runs_count_for_the_quota_of_their_owner(tmp_path: Path) -> None:
    """A run beyond it has failed, and says why; no source is asked."""
    users = UsersSettings(mode="local", quotas={"scheduled_runs": 1})
    async with await watched(tmp_path, owner="anna") as watch:
        watch.engine.settings = replace(watch.engine.settings, users=users)
        await watch.workspace.write(
            lambda db: db.run(
                "INSERT INTO user (uid, name, role, created) VALUES ('anna', 'anna', 'user', '')"
            )
        )
        asked = []
        for _ in range(2):
            await run_due(watch.workspace, watch.engine, database.new_holder())
            asked.append(len(watch.upstreams.asked))
            await watch.workspace.write(searches.plan, watch.saved, "2020-01-01T00:00:00Z")
        runs = await watch.workspace.read(news.runs_of, watch.saved)

    assert asked[0] == asked[1] > 0
    assert [run.status for run in runs] == ["failed", "done"]
    assert "1 times a day" in runs[0].error


async def test_a_file_that_cannot_be_used_ends_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its own error; nothing is asked again and again."""

    def broken(*_: object) -> None:
        raise WorkspaceError("workspace.db", "the disk is full")

    async with await watched(tmp_path) as watch:
        monkeypatch.setattr(due, "claim", broken)
        with pytest.raises(WorkspaceError, match="disk is full"):
            await run_due(watch.workspace, watch.engine, database.new_holder())
