"""Hosts of MCP, at /mcp and over stdin and stdout."""

from __future__ import annotations

import sys

import pytest

from tests.clients.programs import ROOT, python
from tests.clients.works import full_title

QUERY = "gambling"

HOST = """
import asyncio, json, os, sys
from mcp import Client, StdioServerParameters

async def main():
    where, mode, query = sys.argv[1:4]
    server = where if where.startswith("http") else StdioServerParameters(
        command=where, args=["-m", "metasearch", "mcp", "--demo"], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        found = (await client.call_tool("search", {"query": query})).structured_content["results"]
        work = await client.call_tool("fetch", {"id": found[0]["id"]})
        wrong = await client.call_tool("search", {"query": "(gambling"})
        print(json.dumps({"tools": tools, "titles": [each["title"] for each in found],
            "work": work.structured_content["title"], "wrong": wrong.is_error,
            "advice": wrong.content[0].text}))

asyncio.run(main())
"""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("way", ["HTTP", "stdio"])
def test_mcp(server, tried, listed, monkeypatch, way, mode):
    """The client of the Python SDK: tools, ten works, one of them, an error with advice."""
    row = tried("mcp (Python SDK)", f"search, fetch, an error: {way}, {mode}", package="mcp")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    found = python(HOST, f"{server}/mcp" if way == "HTTP" else sys.executable, mode, QUERY)

    expected = [full_title(hit) for hit in listed(QUERY)[:10]]
    assert found["titles"] == expected
    assert found["work"] == expected[0]
    assert found["wrong"]
    assert "Try: (gambling)" in found["advice"]
    row.came(f"{len(found['tools'])} tools, {len(expected)} works in order, one work, advice")
