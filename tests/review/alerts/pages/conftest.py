"""Servers with saved searches: in front of the demo's databases, and around a scripted engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestClient

from metasearch.server.app import open_server
from metasearch.settings import Settings
from metasearch.settings.alerts import AlertsSettings, MailSettings
from tests.review.api.conftest import Api
from tests.server.fake import FakeEngine

MAIL = MailSettings(host="mail.example.org", sender="alerts@example.org", to="me@example.org")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of a server whose saved searches are run when they are asked for."""
    return Settings(
        workspace=tmp_path / "workspace.sqlite3",
        serve_workspace=True,
        alerts=AlertsSettings(run=False),
        mail=MAIL,
    )


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """The interface of such a server."""
    async with open_server(settings, demo=True) as url, aiohttp.ClientSession() as session:
        yield Api(session, f"{url.rstrip('/')}/api/saved")


@pytest.fixture
async def browser(serve, settings: Settings) -> TestClient:
    """A browser at a server whose sources are called alpha and beta."""
    return await serve(FakeEngine(settings=settings))
