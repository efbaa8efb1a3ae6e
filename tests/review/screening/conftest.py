"""A workspace for the tests of a module's screening, and a project that two people screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from metasearch.review.store.database import Database
from tests.review.screening.screened import Screened
from tests.review.works import held


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A workspace; each test makes its own project in it."""
    with held.workspace(tmp_path_factory.mktemp("screening")) as database:
        yield database


@pytest.fixture
def screened(db: Database) -> Screened:
    """A review of three works, of which ann and bob screen the titles blind."""
    return Screened(db)
