"""New workspaces as copies of one: the tests make thousands, and the tables alone take 20 ms."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

import pytest

from metasearch.review.store import database

_prepare_empty = database._prepare
_CONTENTS: dict[str, bytes] = {}


def make_once(name: str, file: Path, make: Callable[[], object]) -> None:
    """Let a workspace of this name be made in the file; later it is a copy of the first."""
    if name not in _CONTENTS:
        make()
        with closing(sqlite3.connect(file)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _CONTENTS[name] = file.read_bytes()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(_CONTENTS[name])
    file.chmod(0o600)


@pytest.fixture(scope="session", autouse=True)
def new_workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new file has all tables at once, and no commit waits for the disk."""
    template = tmp_path_factory.mktemp("template") / "workspace.sqlite3"
    database.Database(template).close()

    def prepare(path: Path, *, make: bool) -> None:
        # Another process may make the file, too: it finds it whole or not at all.
        if make and not path.exists():
            with suppress(OSError, ValueError):
                path.parent.mkdir(parents=True, exist_ok=True)
                copy = path.parent / uuid4().hex
                shutil.copy(template, copy)
                try:
                    os.link(copy, path)
                finally:
                    copy.unlink()
        _prepare_empty(path, make=make)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_prepare", prepare)
        patch.setattr(database, "DURABILITY", "OFF")
        yield


@pytest.fixture
def empty_workspaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for users: a new file is empty until its tables are made, and commits wait."""
    monkeypatch.setattr(database, "_prepare", _prepare_empty)
    monkeypatch.setattr(database, "DURABILITY", "FULL")
