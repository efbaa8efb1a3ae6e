"""A server whose users have passwords, with an administrator and a user."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.review.users.server.served import Served, serving


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[Served]:
    """The administrator is called root, the user ann."""
    async with serving(tmp_path) as served:
        served.user("root", "administrator")
        served.user("ann", shown="Ann Example", email="ann@example.org")
        yield served
