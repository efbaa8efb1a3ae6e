"""MCP over stdin and stdout, for a host that starts `metasearch mcp`. Nothing but the protocol is
written to stdout: the package sends what else is printed there to stderr.
"""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from metasearch.engine.engine import Engine
from metasearch.server.faces.mcp.calls import Caller
from metasearch.server.faces.mcp.protocol import protocol_server
from metasearch.server.options import Options


async def serve_stdio(engine: Engine) -> None:
    """Answers until stdin is closed."""
    caller = Caller(engine, Options.of(engine.settings))
    server = protocol_server(lambda _ctx: caller)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
