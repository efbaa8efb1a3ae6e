"""A workspace in a program with an event loop: two threads, one that writes and one that reads."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from metasearch.errors import WorkspaceError
from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace


def names(db: Database) -> list[str]:
    return [project.name for project in projects.every(db)]


async def test_what_is_written_can_be_read(tmp_path: Path):
    """The file is made by the first call, and a read sees what was written before it."""
    async with Workspace(tmp_path / "w.sqlite3") as workspace:
        await workspace.write(projects.create, "a", "review", title="A")

        assert await workspace.read(names) == ["a"]


async def test_reading_does_not_wait_for_writing(tmp_path: Path):
    """While a change is being made, what was there before it is read."""
    goes_on = threading.Event()

    def slow(db: Database) -> None:
        with db.transaction():
            projects.create(db, "slow", "review")
            assert goes_on.wait(20)

    async with Workspace(tmp_path / "w.sqlite3") as workspace:
        await workspace.write(projects.create, "a", "review")
        writing = asyncio.create_task(workspace.write(slow))
        await asyncio.sleep(0)

        assert await workspace.read(names) == ["a"]

        goes_on.set()
        await writing
        assert sorted(await workspace.read(names)) == ["a", "slow"]


async def test_what_only_reads_changes_nothing(tmp_path: Path):
    """A function that changes something is refused by `read`."""
    async with Workspace(tmp_path / "w.sqlite3") as workspace:
        with pytest.raises(WorkspaceError):
            await workspace.read(projects.create, "a", "review")

        assert await workspace.read(names) == []


async def test_closing_waits_for_what_was_called(tmp_path: Path):
    """A change whose caller has gone is still made before the file is closed."""
    before = {*threading.enumerate()}
    file = tmp_path / "w.sqlite3"
    workspace = Workspace(file)
    writing = [
        asyncio.create_task(workspace.write(projects.create, f"p{number}", "review"))
        for number in range(20)
    ]
    await asyncio.sleep(0)
    writing[0].cancel()
    await workspace.close()
    await asyncio.gather(*writing, return_exceptions=True)

    with Database(file) as db:
        assert len(names(db)) == 20
    new = {*threading.enumerate()} - before
    assert not [each for each in new if each.name.startswith("workspace-")]


async def test_a_closed_workspace_stays_closed(tmp_path: Path):
    """Closing twice is allowed, and a call afterwards is a mistake of the program."""
    workspace = Workspace(tmp_path / "w.sqlite3")
    await workspace.write(projects.create, "a", "review")
    await workspace.close()
    await workspace.close()

    with pytest.raises(RuntimeError, match="is closed"):
        await workspace.read(names)


async def test_a_file_that_cannot_be_used_is_tried_again(tmp_path: Path):
    """The next call succeeds when what was wrong is mended."""
    file = tmp_path / "w.sqlite3"
    file.mkdir()
    async with Workspace(file) as workspace:
        with pytest.raises(WorkspaceError, match="folder"):
            await workspace.read(names)
        file.rmdir()

        assert await workspace.read(names) == []
