"""The life of a server."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer

from metasearch.errors import UnknownSource, UsageError
from metasearch.server.app import (
    engine_and_examples,
    make_app,
    open_server,
)
from metasearch.server.limits import Options
from metasearch.settings import ServerSettings, Settings
from tests.server.fake import FakeEngine

#: A configuration that can be served without asking anybody.
QUIET = Settings(default_sources=())
CONFIG = "[search]\nsources = []\n[cache]\nenabled = false\n"


async def test_engine_lives_as_long_as_the_server():
    """It is made at start-up and closed at clean-up."""
    engine = FakeEngine()
    async with TestClient(TestServer(make_app(lambda: engine))) as client:
        await client.get("/healthz")

        assert not engine.closed
    assert engine.closed


async def test_start_up_fails_for_a_default_source_that_does_not_exist():
    """A server that could not search says so before it listens."""
    engine = FakeEngine()
    engine.registry.default = lambda: ["alpha", "nonsuch"]
    with pytest.raises(UnknownSource):
        await TestServer(make_app(lambda: engine)).start_server()

    assert engine.closed


async def test_no_request_has_a_spec_file_of_the_server_read(tmp_path):
    """A path is a 400, and the engine of a server refuses one by itself; the folder of the
    configuration counts."""
    file = tmp_path / "fx.toml"
    file.write_text('extends = "crossref"\nlabel = "Mine"\n', encoding="utf-8")
    make, _, _ = engine_and_examples(replace(QUIET, spec_dir=tmp_path), demo=False)

    async with TestClient(TestServer(make_app(make))) as client:
        for path in (
            f"/search?format=json&q=x&sources={file}",
            f"/plan?q=x&sources={file}",
            f"/?q=x&sources={file}",
        ):
            response = await client.get(path)
            assert response.status == 400 or "Mine" not in await response.text()
        assert (await client.get(f"/search?format=json&q=x&sources={file}")).status == 400
        listed = await (await client.get("/sources")).text()
    async with make() as engine:
        with pytest.raises(UsageError, match="only names"):
            engine.search("x", sources=[file])

    assert "Mine" in listed


async def test_clean_up_ends_running_streams(engine):
    """A server that stops leaves no search behind and no reader waiting."""
    engine.gate = asyncio.Event()
    async with TestClient(TestServer(make_app(lambda: engine))) as client:
        response = await client.get("/search?q=mice&format=sse")
        async with asyncio.timeout(60):
            await response.content.readuntil(b"id: s1-1\n")
            await client.server.close()

    assert engine.searches[0].closed.is_set()


async def test_listening_gives_its_address():
    """Port 0 takes any free port, and the address says which."""
    async with (
        open_server(QUIET, port=0) as url,
        aiohttp.ClientSession() as session,
        session.get(url + "healthz") as response,
    ):
        assert await response.text() == "OK\n"


async def test_a_line_that_is_too_long_gets_a_problem_document():
    """As any other mistake does; aiohttp itself would answer with a line of text."""
    async with (
        open_server(QUIET, port=0) as url,
        aiohttp.ClientSession() as session,
        session.get(url + "search", params={"q": "a" * 9000}) as response,
    ):
        assert response.status == 414
        assert response.content_type == "application/problem+json"
        assert "POST to /search" in (await response.json(content_type=None))["detail"]


async def test_the_configuration_reaches_the_server(tmp_path):
    """Keys, limit, proxies and timing of `[server]`."""
    server = ServerSettings(
        keys=("MINE",), rate_limit=2, trusted_proxies=("127.0.0.1",), server_timing=False
    )
    settings = replace(QUIET, server=server, env={"MINE": "correct-horse-battery"})
    mine = {"Authorization": "Bearer correct-horse-battery", "X-Forwarded-For": "192.0.2.1"}
    async with open_server(settings) as url, aiohttp.ClientSession() as session:
        statuses = []
        for headers in (
            {"X-Forwarded-For": "192.0.2.1"},
            mine,
            mine,
            {**mine, "X-Forwarded-For": "192.0.2.2"},
        ):
            async with session.get(url + "sources", headers=headers) as response:
                statuses.append(response.status)

    assert statuses == [401, 200, 429, 200]
    assert not Options.of(settings).server_timing


async def test_a_taken_port_is_a_usage_error():
    """It says what is taken and what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}") as raised:
            async with open_server(QUIET, port=port):
                pass

    assert "--port" in raised.value.advice


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_serve_until_a_signal_comes(tmp_path, number):
    """The command says on stderr where it listens, answers, and stops without a traceback."""
    config = tmp_path / "config.toml"
    config.write_text(CONFIG)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import sys; from pathlib import Path; from metasearch.server.supervisor import serve;"
        "from metasearch.settings import Settings; serve(Settings.load(Path(sys.argv[1]), {}), "
        "port=0)",
        str(config),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    assert process.stderr
    async with asyncio.timeout(60):
        first = (await process.stderr.readline()).decode()
        url = first.removeprefix("metasearch is listening on ").split()[0]
        async with aiohttp.ClientSession() as session, session.get(f"{url}healthz") as response:
            status = response.status
        process.send_signal(number)
        out, rest = await process.communicate()

    assert (status, process.returncode, out, rest) == (200, 0, b"", b"")
