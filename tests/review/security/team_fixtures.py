"""Servers of a team, for tests; conftest.py has them for every test here."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from metasearch.server.app import make_app
from metasearch.server.limits import Options
from tests.review.security.team import Person, Team
from tests.review.security.team import team as made_team
from tests.server.fake import FakeEngine

#: Name of a user -> somebody who asks as this user.
As = Callable[[str], Person]
Serving = Callable[..., Awaitable[As]]


@pytest.fixture(scope="session")
def team_template(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """A workspace with users, made once."""
    return made_team(tmp_path_factory.mktemp("team") / "workspace.sqlite3")


@pytest.fixture
def team(team_template: Team, tmp_path: Path) -> Team:
    """A workspace with users; each test has its own copy."""
    path = tmp_path / "workspace.sqlite3"
    shutil.copy(team_template.filled.path, path)
    return replace(team_template, filled=replace(team_template.filled, path=path))


@pytest.fixture
async def serve_team(team: Team) -> AsyncIterator[Serving]:
    """Starts a server of the team, also with other `Options`; gives those who ask it, by their
    names.
    """
    async with AsyncExitStack() as stack:

        async def start(*, guests: bool = False, **options: Any) -> As:
            settings = team.settings(guests=guests)
            app = make_app(
                lambda: FakeEngine(settings=settings),  # type: ignore[arg-type,return-value]
                options=Options(trusted_proxies=settings.server.trusted_proxies, **options),
                users=True,
            )
            client = await stack.enter_async_context(TestClient(TestServer(app)))
            return lambda name: Person(client, name)

        yield start


@pytest.fixture
async def people(serve_team: Serving) -> As:
    """Those who ask a server of the team."""
    return await serve_team()
