"""The windows of tests/browser, and servers with every kind of page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pytest_asyncio

from tests.browser.conftest import browser, search, window

__all__ = ("addresses", "browser", "search", "window")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def addresses() -> AsyncIterator[Mapping[str, str]]:
    """Servers whose pages are looked at state by state; see `states`."""
    from tests.review.browser.states import servers

    async with servers() as running:
        yield running
