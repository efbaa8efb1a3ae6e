"""Runs `metasearch mcp`: the engine, and the protocol around it."""

from __future__ import annotations

from contextlib import AsyncExitStack

from metasearch.engine.engine import Engine
from metasearch.server.faces.mcp import check_extra
from metasearch.settings import Settings


async def run(settings: Settings, *, demo: bool) -> None:
    """Answers until stdin is closed.

    Args:
        settings: The configuration.
        demo: Whether simulated databases are searched.

    Raises:
        UsageError: The extra `mcp` is not installed.
    """
    check_extra()
    from metasearch.server.faces.mcp.stdio import serve_stdio

    async with AsyncExitStack() as stack:
        if demo:
            from metasearch.demo import DemoDatabases

            databases = await stack.enter_async_context(DemoDatabases())
            settings = databases.settings(settings)
        # Names of sources come from a model: a path among them must not make this machine read it.
        engine = await stack.enter_async_context(Engine(settings, spec_files=False))
        await serve_stdio(engine)
