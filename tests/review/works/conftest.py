"""A workspace for the tests of a module's works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from metasearch.review.store.database import Database
from tests.review.works import held


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A workspace; each test makes its own project in it."""
    with held.workspace(tmp_path_factory.mktemp("works")) as database:
        yield database
