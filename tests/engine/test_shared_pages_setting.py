"""Where an engine keeps the pages that replicas share."""

from __future__ import annotations

from pathlib import Path

from metasearch.engine.engine import Engine
from metasearch.replicas.pages import RedisPages
from metasearch.settings import Settings, SharedSettings
from metasearch.settings.server import NO_PAGES

SERVER, OTHER = "redis://127.0.0.1:1/0", "redis://127.0.0.1:2/0"


async def test_pages_lie_in_the_common_server_in_another_or_nowhere(tmp_path: Path) -> None:
    """As `[shared] pages` says; nothing is connected before the first search."""
    where = []
    for pages in ("", OTHER, NO_PAGES):
        settings = Settings(shared=SharedSettings(SERVER, pages=pages), cache_dir=tmp_path)
        async with Engine(settings) as engine:
            kept = engine._fetcher.sharing.pages
            where.append(kept._connection._where if isinstance(kept, RedisPages) else None)
    assert where == ["127.0.0.1:1", "127.0.0.1:2", None]


async def test_without_a_server_no_pages_are_shared() -> None:
    """Nor is anything of it loaded."""
    async with Engine(Settings()) as engine:
        assert engine._fetcher.sharing.pages is None
