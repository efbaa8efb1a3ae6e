"""What the tests of evaluation share."""

from __future__ import annotations

import pytest

from metasearch.bulk.evaluate import run


@pytest.fixture(autouse=True)
def no_collection(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Collecting garbage takes long in a process that has run other tests; `memory` needs it."""
    if request.module.__name__.rpartition(".")[2] != "test_memory":
        monkeypatch.setattr(run.gc, "collect", lambda: 0)
