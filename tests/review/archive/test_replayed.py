"""A run that has kept its pages can be repeated from an archive, on another computer."""

from __future__ import annotations

import shutil
from pathlib import Path

from metasearch.demo import replay_settings
from metasearch.demo.server import DemoTransport
from metasearch.engine.engine import Engine
from metasearch.review.projects import projects
from metasearch.review.projects.archive_format import export_to
from metasearch.review.projects.archive_reader import import_project
from metasearch.review.projects.projects import Project
from metasearch.review.runs import runs
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import replay_run, run_strategy
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Strategy


def begun(db: Database) -> tuple[Project, Strategy]:
    project = projects.create(db, "lakes", "review")
    strategy = strategies.create(project, "main", sources=("demo-openalex", "demo-library"))
    steps.add(db, strategy, "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)")
    return project, strategy


async def test_an_archive_replays_to_the_same_records(tmp_path: Path):
    """The pages that a run has kept travel with the project; repeated from them, after the folder
    and the workspace of the first computer are gone, it finds the same records."""
    first, second = tmp_path / "first", tmp_path / "second"
    async with (
        Workspace(first / "w.sqlite3") as workspace,
        Engine(replay_settings(), transport=DemoTransport()) as engine,
    ):
        project, strategy = await workspace.write(begun)
        await run_strategy(workspace, engine, project, strategy, RunOptions(record=first / "pages"))
        exported = await workspace.read(project.bind(export_to), tmp_path / "lakes.zip")
    shutil.rmtree(first)

    async with Workspace(second / "w.sqlite3") as workspace:
        copy = (await workspace.write(import_project, tmp_path / "lakes.zip")).project
        (run,) = await workspace.read(copy.bind(runs.of))
        into = await workspace.write(projects.create, "again", "review")
        repeated = await replay_run(workspace, replay_settings(), run, into)

    assert exported.pages > 0
    assert exported.lacking == ()
    assert repeated.same >= 10
    assert repeated.lacking == repeated.added == ()
