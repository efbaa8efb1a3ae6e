"""A run that kept its pages can be repeated without a network, and finds the same works."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from metasearch.demo import DemoDatabases, replay_settings
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import runs
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import replay_run, run_strategy
from metasearch.review.runs.runs import Run
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.works import works


async def recorded(workspace: Workspace, folder: Path) -> Run:
    """A run of two steps over the demo's databases, with its pages in a folder."""
    async with (
        DemoDatabases(latency=0) as demo,
        Engine(demo.settings(), recorded_as=demo.recorded_as) as engine,
    ):
        project = await workspace.write(projects.create, "review", "review")
        strategy = await workspace.write(project.bind(strategies.create), "main", years="2000-")
        for text in ("gambling harms", "novelty retrieval", "year:2010-", "#1 OR #2"):
            await workspace.write(steps.add, strategy, text)
        await workspace.write(steps.remove, strategy, 3)
        return await run_strategy(
            workspace,
            engine,
            project,
            strategy,
            RunOptions(steps=[1, 4], per_source=40, record=folder),
        )


def found(db: Database, project: Project) -> dict[str, list[str]]:
    """Id of each hit of a project -> the keys of its records."""
    ids = [
        row["id"] for row in db.all("SELECT id FROM work WHERE project = ? ORDER BY id", project.id)
    ]
    return {
        work.hit.id: sorted(record.key for record in work.hit.records)
        for work in works.read(db, ids)
    }


async def test_the_archive_replays_to_the_same_works(tmp_path: Path) -> None:
    """Ids of hits, keys of records, positions and dates are those of the run; nothing is sent."""
    async with Workspace(tmp_path / "workspace.db") as workspace:
        run = await recorded(workspace, tmp_path / "pages")
        old = await workspace.read(projects.find, "review")
        new = await workspace.write(projects.create, "again", "review")

        again = await replay_run(workspace, replay_settings(), run, new)

        assert await workspace.read(found, old) == await workspace.read(found, new)
        before = await workspace.read(runs.answers, run)
        after = await workspace.read(runs.answers, again.run)

    assert again.same > 50
    assert (again.lacking, again.added) == ((), ())
    assert {(one.step, one.source): (one.digest, one.fetched) for one in before} == {
        (one.step, one.source): (one.digest, one.fetched) for one in after
    }
    assert [one.asked_at for one in sorted(before, key=lambda one: (one.step, one.source))] == [
        one.asked_at for one in sorted(after, key=lambda one: (one.step, one.source))
    ]


async def test_a_page_that_is_lost_is_told(tmp_path: Path) -> None:
    """Its source fails in the replay, and the records that it had are listed."""
    async with Workspace(tmp_path / "workspace.db") as workspace:
        run = await recorded(workspace, tmp_path / "pages")
        shutil.rmtree(tmp_path / "pages" / "demo-pubmed")
        new = await workspace.write(projects.create, "again", "review")

        again = await replay_run(workspace, replay_settings(), run, new)

    assert {source for _, source, _ in again.lacking} == {"demo-pubmed"}
    assert not again.added


async def test_a_run_without_pages(tmp_path: Path) -> None:
    """It cannot be replayed, and neither can one whose folder is gone."""
    async with Workspace(tmp_path / "workspace.db") as workspace:
        run = await recorded(workspace, tmp_path / "pages")
        new = await workspace.write(projects.create, "again", "review")
        shutil.move(tmp_path / "pages", tmp_path / "moved")

        with pytest.raises(UsageError, match="no folder"):
            await replay_run(workspace, replay_settings(), run, new)
        again = await replay_run(workspace, replay_settings(), run, new, folder=tmp_path / "moved")
        with pytest.raises(UsageError, match="kept no pages"):
            await replay_run(workspace, replay_settings(), again.run, new)

    assert not again.lacking
