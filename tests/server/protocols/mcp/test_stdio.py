"""`metasearch mcp`: a process that an assistant starts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

import pytest

from metasearch.server.limits import Options
from metasearch.server.protocols.mcp.arguments import Caller
from metasearch.settings import Settings
from tests.server.protocols.mcp.asking import over_stdio
from tests.server.protocols.mcp.conftest import MODES, demo_engine

mcp = pytest.importorskip("mcp")

COMMAND = (sys.executable, "-m", "metasearch", "mcp", "--demo")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_a_real_client_lists_the_tools(mode):
    async with over_stdio(mode) as client:
        tools = (await client.list_tools()).tools
        sources = await client.call_tool("list_sources", {})

    assert len(tools) == 5
    assert "demo-crossref" in {each["name"] for each in sources.structured_content["sources"]}


@pytest.mark.slow
def test_stdout_is_the_protocol_and_the_end_of_stdin_ends_it():
    """Messages for people go to stderr, also with --verbose."""
    done = subprocess.run(
        [*COMMAND, "--verbose"],
        input=json.dumps(HELLO).encode() + b"\nno json\n",
        capture_output=True,
        env=os.environ,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["result"]["serverInfo"]["name"] == "metasearch"
    assert "third parties" in answers[0]["result"]["instructions"]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)


@pytest.mark.slow
def test_without_the_extra_the_command_says_how_to_install_it():
    script = (
        "import metasearch.server.protocols.mcp as face\n"
        "face.is_installed = lambda name: False\n"
        "import metasearch.cli\n"
        "raise SystemExit(metasearch.cli.main(['mcp', '--demo']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert 'pip install ".[mcp]"' in done.stderr


class Watched(Caller):
    """Notes when searches begin and end."""

    def __init__(self, engine):
        super().__init__(engine, Options.of(Settings()))
        self.begun, self.ended = asyncio.Event(), asyncio.Event()

    def searching(self):
        return self

    async def __aenter__(self):
        self.begun.set()

    async def __aexit__(self, *_):
        self.ended.set()


async def test_a_cancelled_call_ends_its_search():
    """The database would answer in 30 s."""
    from metasearch.server.protocols.mcp.protocol import protocol_server

    async with demo_engine(latency={"demo-slow": 30}) as engine:
        caller = Watched(engine)
        async with mcp.Client(protocol_server(lambda _ctx: caller)) as client:
            call = asyncio.create_task(client.call_tool("search", {"query": "gambling"}))
            await caller.begun.wait()
            await asyncio.sleep(0.2)
            assert not caller.ended.is_set()
            call.cancel()
            async with asyncio.timeout(12):  # before the search ends by itself
                await caller.ended.wait()


async def test_a_search_has_an_end(engine):
    """The time limit of a call holds: what has come by then is the answer."""
    from metasearch.server.protocols.mcp.protocol import protocol_server

    async with demo_engine(latency={"demo-slow": 30}) as slow:
        caller = Caller(slow, Options.of(Settings()))
        async with mcp.Client(protocol_server(lambda _ctx: caller)) as client:
            answer = await client.call_tool("search_papers", {"query": "gambling", "timeout": 3.0})

    states = answer.structured_content["sources"]
    assert answer.structured_content["works"]
    assert {"demo-slow"} <= {name for group in states["failed"] for name in group["sources"]}
