"""A strategy to add steps to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.resolve import ResolvedStep, resolve_step
from metasearch.review.strategies.strategies import Strategy


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as database:
        yield database


@pytest.fixture
def project(db: Database) -> Project:
    return projects.create(db, "harms", "review", "Gambling harms")


@pytest.fixture
def strategy(db: Database, project: Project) -> Strategy:
    return strategies.create(project, "main")


@pytest.fixture
def added(db: Database, strategy: Strategy) -> Callable[..., ResolvedStep]:
    """Adds a step and returns what it searches for."""

    def add(text: str, syntax: str = "auto") -> ResolvedStep:
        step = steps.add(db, strategy, text, syntax=syntax)
        return resolve_step(steps.of(db, strategy), step.number)

    return add
