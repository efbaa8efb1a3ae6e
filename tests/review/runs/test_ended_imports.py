"""Imports and runs that end otherwise than they should: what is left of them stops nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import UsageError, WorkspaceError
from metasearch.review.projects import projects, removal
from metasearch.review.runs import carriers, imports, runs
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from metasearch.review.works import intake, records
from tests.review.runs.test_killed_import import brought, made, ris


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    made(tmp_path / "workspace.db")
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


def killed(db: Database, monkeypatch: pytest.MonkeyPatch) -> int:
    """Begin an import, of which the process ends after the first portion; returns its run."""
    whole = records.keep

    def keep(*args: Any) -> None:
        found.append(db.value("SELECT max(number) FROM run WHERE status = 'running'"))
        whole(*args)
        if len(found) == 2:
            raise KeyboardInterrupt

    found: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(records, "keep", keep)
        patched.setattr(imports, "_take_back", lambda *_: None)
        patched.setattr(runs, "finish", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            brought(db, ris(10, 70))
    db.run("UPDATE run_carrier SET alive = 0, process = 0")
    return found[0]


def is_as_before(db: Database) -> None:
    """Nothing waits, and no half import is there."""
    assert db.value("SELECT count(*) FROM entering") == 0
    assert db.value("SELECT count(*) FROM record") == 20
    assert not check(db)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_import_that_a_person_stopped(
    db: Database, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Also where it was stopped before its process died, or before anybody has looked."""
    project = projects.find(db, "lakes")
    number = killed(db, monkeypatch)
    if moment == "before":
        with db.transaction():
            carriers.ask_to_stop(db, db.value("SELECT max(id) FROM run"))
    else:
        runs.stop(project, number)
    imports.recover(db)
    is_as_before(db)
    assert runs.find(project, number).status == "stopped"


def test_one_project_that_cannot_be_dealt_with(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are, all the same."""
    killed(db, monkeypatch)
    broken = projects.create(db, "broken", "review")
    whole = imports.take_back_dead

    def take_back_dead(project: projects.Project) -> None:
        if project.name == broken.name:
            raise WorkspaceError("w", "damaged")
        whole(project)

    monkeypatch.setattr(imports, "take_back_dead", take_back_dead)
    with pytest.raises(WorkspaceError, match="damaged"):
        imports.recover(db)
    is_as_before(db)


@pytest.mark.parametrize("moment", ["first record", "later record", "last step"])
@pytest.mark.parametrize("how", ["deleted", "hidden"])
def test_a_project_that_is_deleted_during_its_import(
    db: Database, monkeypatch: pytest.MonkeyPatch, moment: str, how: str
) -> None:
    """The import ends with an error of a person, and nothing of the project is left."""
    project, packed, keep = projects.find(db, "lakes"), records.pack_record, intake.keep_records
    packed_before: list[Any] = []

    def delete() -> None:
        (projects.delete if how == "deleted" else hide)(project)

    def hide(project: projects.Project) -> None:
        removal.hide(db, project.id)

    def pack(record: Any) -> Any:
        packed_before.append(record)
        if len(packed_before) == {"first record": 1, "later record": 40}.get(moment):
            delete()
        return packed(record)

    def kept(*args: Any) -> Any:
        found = keep(*args)
        if moment == "last step":
            delete()
        return found

    monkeypatch.setattr(records, "pack_record", pack)
    monkeypatch.setattr(intake, "keep_records", kept)
    with pytest.raises(UsageError):
        brought(db, ris(10, 70))
    removal.remove_hidden(db)
    for table in ("record", "entering", "run", "project"):
        assert db.value(f"SELECT count(*) FROM {table}") == 0
    assert not check(db)
