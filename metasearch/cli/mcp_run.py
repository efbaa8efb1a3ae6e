"""Runs `metasearch mcp`: the engine, and MCP over stdin and stdout around it.

Nothing but the protocol is written to stdout: the package sends what else is printed there to
stderr.
"""

from __future__ import annotations

from contextlib import AsyncExitStack

from mcp.server.stdio import stdio_server

from metasearch.engine.engine import Engine
from metasearch.server.faces.mcp.calls import Caller
from metasearch.server.faces.mcp.protocol import protocol_server
from metasearch.server.options import Options
from metasearch.settings import Settings


async def run(settings: Settings, *, demo: bool) -> None:
    """Answers until stdin is closed."""
    async with AsyncExitStack() as stack:
        if demo:
            from metasearch.demo import DemoDatabases

            databases = await stack.enter_async_context(DemoDatabases())
            settings = databases.settings(settings)
        # Names of sources come from a model: a path among them must not make this machine read it.
        engine = await stack.enter_async_context(Engine(settings, spec_files=False))
        caller = Caller(engine, Options.of(settings))
        server = protocol_server(lambda _ctx: caller)
        incoming, outgoing = await stack.enter_async_context(stdio_server())
        await server.run(incoming, outgoing, server.create_initialization_options())
