"""Hostile clients, on real sockets: what they can keep open, and for how long."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from metasearch.server.app import _bind, make_app
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ClientConnections, Clients
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit

SOON = 0.3


@contextlib.asynccontextmanager
async def connected(
    engine: FakeEngine | None = None, **options: object
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter, str]]:
    """A socket to a server with these options, and the server's address."""
    limits = Options(**options)
    running = engine or FakeEngine()
    async with _bind(make_app(lambda: running, options=limits), limits, "127.0.0.1", 0) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        try:
            async with asyncio.timeout(60):
                yield reader, writer, url
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def rest(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the other side closes, however it does that."""
    got = b""
    with contextlib.suppress(ConnectionError):
        while piece := await reader.read(65536):
            got += piece
    return got


async def test_an_ordinary_connection_is_kept():
    """Two requests, one after the other, on one socket."""
    async with connected() as (reader, writer, _):
        for _ in range(2):
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            assert await reader.readexactly(3) == b"OK\n"


@each("start", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: "])
async def test_a_head_that_never_ends_in_time_is_cut_off(start):
    """Slowloris: a connection that sends nothing, or byte after byte, is closed without an
    answer."""
    async with connected(head_timeout=SOON) as (reader, writer, _):
        writer.write(start)

        async def trickle() -> None:
            with contextlib.suppress(ConnectionError):
                while start:
                    writer.write(b"a")
                    await writer.drain()
                    await asyncio.sleep(SOON / 5)

        task = asyncio.create_task(trickle())
        got = await rest(reader)
        task.cancel()

    assert got == b""


async def test_the_second_head_must_be_in_time_too():
    """A good beginning buys nothing; mere silence is left to keep-alive."""
    async with connected(head_timeout=SOON) as (reader, writer, _):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"OK\n")
        await asyncio.sleep(SOON * 2)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /hea")
        await reader.readuntil(b"OK\n")

        assert await rest(reader) == b""


async def test_a_silent_connection_is_closed():
    """Keep-alive ends."""
    async with connected(keepalive=SOON) as (reader, writer, _):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")

        assert (await rest(reader)).endswith(b"OK\n")


async def test_a_long_search_is_not_a_late_head():
    """The client has said all that it had to say."""
    engine = FakeEngine()
    engine.gate = asyncio.Event()
    async with connected(engine, head_timeout=SOON) as (reader, writer, _):
        writer.write(b"GET /search?q=mice&format=json HTTP/1.1\r\nHost: x\r\n\r\n")
        asyncio.get_running_loop().call_later(SOON * 3, engine.gate.set)

        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")


@each("form", ["json", "ndjson"])
async def test_a_reader_that_does_not_read_is_cut_off(form):
    """Its search ends, and its place is free: otherwise 64 such readers would be the end of all
    searches."""
    engine = FakeEngine(answer(*(hit(number, title="long " * 20_000) for number in range(1, 60))))
    async with connected(engine, write_timeout=SOON, max_searches=1) as (reader, writer, url):
        writer.write(f"GET /search?q=mice&format={form} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while not engine.searches:
            await asyncio.sleep(0.01)
        await engine.searches[0].closed.wait()
        await asyncio.sleep(SOON * 8)
        metrics = b""
        while b"metasearch_searches_running 0" not in metrics:
            other, to_other = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
            to_other.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            metrics = await rest(other)
            to_other.close()
        got = await rest(reader)

    assert len(got) < 59 * 100_000


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Many: a\r\n" * 10_000 + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03<script>\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["line", "header", "headers", "no-http", "smuggling"],
)
async def test_a_head_that_is_no_head_is_refused(head, caplog):
    """400 with the usual headers; nothing of it is said back, or logged, and the connection is
    closed."""
    async with connected() as (reader, writer, _):
        writer.write(head)
        got = await rest(reader)

    assert got.startswith(b"HTTP/1.0 400 ")
    assert b"Content-Type: application/problem+json" in got
    assert b"X-Content-Type-Options: nosniff" in got
    assert b"Server: metasearch" in got
    assert b"aaa" not in got
    assert b"script" not in got
    assert caplog.text == ""


async def test_a_long_address_is_refused():
    """Up to 8 KB of path and query, then 414 before anything is read of it."""
    async with connected() as (reader, writer, _):
        writer.write(
            b"GET /search?q=" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        got = await rest(reader)

    assert got.startswith(b"HTTP/1.1 414 ")


@each("path", ["/", "/healthz", "/nowhere"])
async def test_an_expectation_is_not_repeated(path):
    """What is expected of us and cannot be met is told as a problem, whose words are all ours."""
    async with connected() as (reader, writer, _):
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: "
            f"<b>planted</b>\r\n\r\n".encode()
        )
        got = await rest(reader)

    assert got.startswith(b"HTTP/1.1 417 ")
    assert b"application/problem+json" in got
    assert b"X-Content-Type-Options: nosniff" in got
    assert b"planted" not in got


@each(
    ("head", "status"),
    [
        (b"POST /plan HTTP/1.1\r\n", b"405"),
        (b"POST /search HTTP/1.1\r\n", b"415"),
        (b"POST /search HTTP/1.1\r\nContent-Type: application/json\r\n", b"413"),
    ],
)
async def test_an_endless_body_is_not_read(head, status):
    """The answer comes as soon as it is known, and the connection is closed a moment later."""
    async with connected() as (reader, writer, _):
        writer.write(head + b"Host: x\r\nTransfer-Encoding: chunked\r\n\r\n")

        async def pour() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    writer.write(b"1000\r\n" + b"a" * 4096 + b"\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.01)

        task = asyncio.create_task(pour())
        got = await rest(reader)
        task.cancel()

    assert got.startswith(b"HTTP/1.1 " + status + b" ")


async def test_connections_are_bounded():
    """One more than there may be is closed at once; when one has gone there is room again."""
    async with connected(max_connections=1) as (reader, writer, url):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"OK\n")
        other, to_other = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        assert await rest(other) == b""
        to_other.close()
        writer.close()
        await writer.wait_closed()
        while True:
            third, to_third = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
            to_third.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            got = await rest(third)
            to_third.close()
            if got:
                break

    assert got.endswith(b"OK\n")


def test_one_address_cannot_take_all_connections():
    """Each has its share; proxies and this machine speak for many."""

    class Peer:
        def __init__(self, address: str) -> None:
            self.address = address

        def get_extra_info(self, name: str) -> tuple[str, int]:
            return self.address, 1

    limits = Options(max_connections=8, max_client_connections=2)
    connections = ClientConnections(limits, Clients(["10.0.0.0/8"]))
    opened = [connections.admit(Peer("192.0.2.1")) for _ in range(3)]

    assert [it is not None for it in opened] == [True, True, False]
    assert all(
        connections.admit(Peer(it)) is not None
        for it in ("10.0.0.1", "10.0.0.1", "10.0.0.1", "127.0.0.1")
    )
    connections.closed("192.0.2.1")
    assert connections.admit(Peer("192.0.2.1")) is not None
    assert len(connections) == 6
