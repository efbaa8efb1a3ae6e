"""MCP over HTTP: the real client against a server on a socket, in both eras of the protocol, and
what the server refuses."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from functools import partial

import aiohttp
import pytest

from metasearch.server.app import make_app, run_app
from metasearch.server.limits import Options
from metasearch.server.process import address, listen
from metasearch.server.site import SHARED
from tests.cases import each
from tests.server.protocols.mcp.conftest import MODES, connected, demo_engine, server

mcp = pytest.importorskip("mcp")

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"query": "gambling harm military personnel"}},
}
#: An address that is not this machine's, so that quotas count.
STRANGER = {"X-Forwarded-For": "192.0.2.7"}


async def post(running, message=LIST, **headers):
    async with (
        aiohttp.ClientSession() as session,
        session.post(running.make_url("/mcp"), json=message, headers=HEADERS | headers) as response,
    ):
        return response.status, await response.text(), response.headers


@each("mode", MODES)
async def test_a_real_client_searches_and_fetches(mode):
    """Tools, progress, a result, its work, and an error."""
    progress = []

    async def note(done, total, message):
        progress.append((done, total))

    async with server() as running, connected(running, mode) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool(
            "search", {"query": "gambling harm military personnel"}, progress_callback=note
        )
        work = answer.structured_content["results"][0]
        fetched = await client.call_tool("fetch", {"id": work["id"]})
        wrong = await client.call_tool("search", {"query": "(gambling"})

    assert len(tools) == 5
    assert progress == [(number, 7) for number in range(1, 8)]
    assert fetched.structured_content["title"] == work["title"]
    assert wrong.is_error
    assert "Try: (gambling)" in wrong.content[0].text


async def test_ids_outlast_the_server_and_are_known_to_other_workers(tmp_path):
    """An id that one server gave is fetched from another one with the same cache."""
    engine = partial(demo_engine, tmp_path)
    async with server(engine) as first, connected(first) as client:
        answer = await client.call_tool("search", {"query": "gambling harm military personnel"})
        work = answer.structured_content["results"][0]
        async with server(engine) as beside, connected(beside) as other:
            at_once = await other.call_tool("fetch", {"id": work["id"]})
    async with server(engine) as later, connected(later) as client:
        afterwards = await client.call_tool("fetch", {"id": work["id"]})
        explained = await client.call_tool("explain", {"id": work["id"]})

    assert at_once.structured_content["title"] == work["title"]
    assert afterwards.structured_content == at_once.structured_content
    assert len(explained.structured_content["records"]) == 3


async def test_the_list_is_that_of_search():
    """The same works in the same order, with the same ids."""
    async with server() as running, connected(running) as client:
        answer = await client.call_tool("search_papers", {"query": "gambling harm", "limit": 20})
        async with (
            aiohttp.ClientSession() as session,
            session.get(running.make_url("/search?q=gambling+harm&count=20&format=json")) as reply,
        ):
            hits = (await reply.json())["hits"]

    works = answer.structured_content["works"]
    assert [work["id"] for work in works] == [hit["id"] for hit in hits]
    assert [work["rank"] for work in works] == [hit["rank"] for hit in hits]


async def test_foreign_hosts_and_origins_are_refused():
    """A page that reaches this server under a name of its own gets nothing."""
    async with server(cors=("https://chat.example.org",)) as running:
        port = running.port
        assert (await post(running, Host="evil.example"))[0] == 421
        assert (await post(running, Host=f"127.0.0.1:{port + 1}"))[0] == 421
        assert (await post(running, Host=f"localhost:{port}"))[0] == 200
        assert (await post(running, Origin="https://evil.example"))[0] == 403
        assert (await post(running, Origin="null"))[0] == 403
        assert (await post(running, Origin=f"http://localhost:{port}"))[0] == 200
        status, _, headers = await post(running, Origin="https://chat.example.org")
        assert status == 200
        assert headers["Access-Control-Allow-Origin"] == "https://chat.example.org"


async def test_the_public_address_is_a_name_of_the_server():
    engine = partial(demo_engine, public_url="https://search.example.org/meta")
    async with server(engine) as running:
        assert (await post(running, Host="search.example.org"))[0] == 200
        assert (await post(running, Host="search.example.org:443"))[0] == 200
        assert (await post(running, Origin="https://search.example.org"))[0] == 200
        assert (await post(running, Origin="http://search.example.org"))[0] == 403
        assert (await post(running, Host="other.example.org"))[0] == 421


async def test_keys_are_those_of_the_server():
    key = "k" * 20
    async with server(keys=(key,)) as running:
        assert (await post(running))[0] == 401
        assert (await post(running, Authorization=f"Bearer {key}"))[0] == 200


async def test_searches_are_counted_apart_from_lists():
    """Lists of tools do not use up the quota of searches, and have one of their own."""
    async with server(rate_limit=3) as running:
        lists = [(await post(running, LIST, **STRANGER))[0] for _ in range(4)]
        searches = [(await post(running, SEARCH, **STRANGER))[0] for _ in range(4)]

    assert lists == [200, 200, 200, 429]
    assert searches == [200, 200, 200, 429]


async def test_a_busy_server_says_so_as_an_error_of_the_tool(monkeypatch):
    async with server(partial(demo_engine, latency={"demo-slow": 30}), max_searches=1) as running:
        first = asyncio.create_task(post(running, SEARCH))
        async with asyncio.timeout(60):
            while not running.app[SHARED].admission.running:
                await asyncio.sleep(0.02)
        _, text, _ = await post(running, SEARCH)
        first.cancel()

    assert "searches are running" in text
    assert '"isError":true' in text


@each("mode", MODES)
async def test_a_client_that_leaves_ends_its_search(mode):
    """The permit of the search is free again, though a database answers in an hour."""
    engine = partial(demo_engine, latency={"demo-slow": 3_600})
    async with server(engine) as running:
        admission = running.app[SHARED].admission
        async with connected(running, mode) as client:
            call = asyncio.create_task(client.call_tool("search", {"query": "gambling"}))
            async with asyncio.timeout(60):
                while not admission.running:
                    await asyncio.sleep(0.02)
            call.cancel()
            await asyncio.wait((call,))
        async with asyncio.timeout(60):
            while admission.running:
                await asyncio.sleep(0.02)


async def test_the_server_ends_although_a_call_runs():
    """The database would answer in an hour; nothing of the call is left behind."""
    app = make_app(partial(demo_engine, latency={"demo-slow": 3_600}))
    async with aiohttp.ClientSession() as session:
        async with run_app(app, Options()) as protocol:
            listener = await listen(protocol, "127.0.0.1", 0)
            url = f"{address(listener.sockets[0]).rstrip('/')}/mcp"
            call = asyncio.create_task(session.post(url, json=SEARCH, headers=HEADERS))
            async with asyncio.timeout(60):
                while app[SHARED].admission.running != 1:
                    await asyncio.sleep(0.02)
            listener.close()
        with contextlib.suppress(aiohttp.ClientError):
            (await call).close()
    assert app[SHARED].admission.running == 0


async def test_what_is_no_message_is_refused():
    """GET has no stream; a body is bounded; what is no JSON-RPC gets an error of the protocol."""
    async with server() as running, aiohttp.ClientSession() as session:
        url = running.make_url("/mcp")
        async with session.get(url) as response:
            assert (response.status, response.headers["Allow"]) == (405, "POST")
        for body, status in ((b"x" * 300_000, 413), (b"{", 400), (b"[]", 400), (b"[" * 9_999, 400)):
            async with session.post(url, data=body, headers=HEADERS) as response:
                assert response.status == status, body[:9]
        async with session.post(url, json=LIST) as response:  # it accepts no JSON
            assert response.status == 200
        async with session.post(url, json=LIST, headers={"Accept": "text/html"}) as response:
            assert response.status == 406


async def test_without_the_extra_the_answer_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("metasearch.server.protocols.mcp.is_installed", lambda _name: False)
    async with server() as running:
        status, text, _ = await post(running)

    assert status == 501
    assert 'pip install \\".[mcp]\\"' in text


@pytest.mark.slow
def test_a_server_loads_the_package_with_the_first_message_only():
    script = "import sys, metasearch.server.app; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert done.stdout.strip() == b"False"
