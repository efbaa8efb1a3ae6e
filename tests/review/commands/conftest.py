"""Commands about a workspace of the test's own, in front of the demo's databases, which answer at
once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, demo_at_once, engine, own_folders, run

__all__ = ("demo_at_once", "engine", "own_folders", "run")

Json = Callable[..., Any]


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The workspace, which does not exist yet."""
    place = tmp_path / "work" / "space.sqlite3"
    monkeypatch.setenv("METASEARCH_WORKSPACE", str(place))
    return place


@pytest.fixture
def answered(run: Run) -> Json:
    """Runs a command with `--json`, which must succeed, and returns its document."""

    def answered(*args: str, code: int = 0) -> Any:
        outcome = run(*args, "--json")
        assert outcome.code == code, outcome.err
        return json.loads(outcome.out)

    return answered
