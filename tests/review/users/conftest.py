"""A workspace with three users, and a project that one of them owns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from metasearch.review.projects import members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from metasearch.review.users.accounts import User


@dataclass(frozen=True)
class People:
    """Who is there."""

    root: User
    anna: User
    ben: User


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new workspace."""
    with Database(tmp_path / "workspace.sqlite3") as opened:
        yield opened


@pytest.fixture
def people(db: Database) -> People:
    """An administrator and two users."""
    return People(
        accounts.create(db, "root", role="administrator"),
        accounts.create(db, "anna", shown="Anna Berg", email="anna@example.org"),
        accounts.create(db, "ben"),
    )


@pytest.fixture
def lakes(db: Database, people: People) -> Project:
    """A project of Anna's."""
    project = projects.create(db, "lakes", "review", "Lakes")
    members.add(project, people.anna, "owner")
    return project
