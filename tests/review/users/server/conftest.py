"""Servers with users."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from metasearch.settings import ServerSettings
from metasearch.settings.users import UsersSettings
from tests.review.users.server.served import Served, serving


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[Served]:
    """One whose users have passwords; who is not logged in may do nothing."""
    async with serving(tmp_path) as served:
        yield served


@pytest.fixture
async def open_(tmp_path: Path) -> AsyncIterator[Served]:
    """One where guests may search."""
    async with serving(tmp_path, users=UsersSettings(mode="local", guests=True)) as served:
        yield served


@pytest.fixture
async def proxied(tmp_path: Path) -> AsyncIterator[Served]:
    """One behind a proxy on this machine that names users."""
    users = UsersSettings(mode="header")
    server = ServerSettings(trusted_proxies=("127.0.0.1",))
    async with serving(tmp_path, users=users, server=server) as served:
        yield served
