"""What a server may send at most, against real sockets; `flood` is as fast as the machine."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable

import aiohttp
import pytest

from metasearch.adapters.fetch.http_bounds import (
    MAX_HEAD,
    MAX_INTERIM,
    BoundedConnector,
    BoundedProtocol,
)
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Page, Request
from metasearch.errors import BadAnswer, ConnectFailed, SourceError, TimedOut, TooLarge
from tests.adapters.fetch.flooding import flood
from tests.adapters.fetch.loopback import Loopback, raw, reply
from tests.cases import sample
from tests.stalls import unit_of_work

Send = Callable[..., Awaitable[Page]]

#: Units of work for which the loop may be kept.
MOST_UNITS = 5.0
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
GZIPPED = b"Content-Encoding: gzip\r\n"


def _begun() -> bytes:
    """The first bytes of a body in gzip, of which nothing has been decoded yet."""
    packer = zlib.compressobj(wbits=31)
    return packer.compress(b"") + packer.flush(zlib.Z_SYNC_FLUSH)


#: A block of deflate that holds nothing.
_NOTHING = b"\x00\x00\x00\xff\xff"
_BEGUN = _begun()
_CRUMBS = b"".join(b"1\r\n%c\r\n" % byte for byte in _NOTHING)

#: What comes before the answer, without end.
HEADS = {
    "100": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 without a word": (b"", b"HTTP/1.1 100\r\n\r\n"),
    "102": (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "103": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"),
    "an unknown one": (b"", b"HTTP/1.1 199 Odd\r\nX-A: b\r\n\r\n"),
    "empty lines": (b"", b"\r\n"),
    "a status line": (b"HTTP/1.1 200 ", b"a"),
    "a name": (OK, b"a"),
    "a value": (OK + b"X-A: ", b"b"),
    "headers": (OK, b"X-A: b\r\n"),
    "long headers": (OK, b"X-A: " + b"b" * 8000 + b"\r\n"),
}
#: What comes beside the body, without end.
FRAMES = {
    "an extension": (CHUNKED + b"1;", b"a=b;"),
    "extensions": (CHUNKED, b"1;a=bbbbbbbbbbbbbb\r\nx\r\n"),
    "the size of a chunk": (CHUNKED, b"0"),
    "trailers": (CHUNKED + b"0\r\n", b"X-A: b\r\n"),
    "chunks of a byte": (CHUNKED, b"1\r\nx\r\n"),
    "chunks of a byte, compressed": (
        OK + GZIPPED + CHUNKED[len(OK) :] + b"%x\r\n%b\r\n" % (len(_BEGUN), _BEGUN), _CRUMBS
    ),
}  # fmt: skip
#: Bodies without end.
BODIES = {
    "chunks": (CHUNKED, b"10000\r\n" + bytes(1 << 16) + b"\r\n"),
    "until it closes": (OK + b"\r\n", bytes(1 << 16)),
    "nothing, compressed": (OK + GZIPPED + b"\r\n" + _BEGUN, _NOTHING),
}
#: One compressed nothing after the other, each of which needs a decompressor of its own.
MEMBERS = (OK + GZIPPED + b"\r\n", gzip.compress(b""))


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with Loopback() as it:
        yield it


@pytest.fixture
async def send(server: Loopback) -> AsyncIterator[Send]:
    """Sends to a server that is allowed."""
    transport = HttpTransport(allow=frozenset({server.netloc}))

    async def call(url: str, *, max_bytes: int = 1 << 20) -> Page:
        return await transport.send(Request(source="db", url=url), timeout=20, max_bytes=max_bytes)

    yield call
    await transport.close()


async def asked(netloc: str, *, max_bytes: int = 1 << 20) -> Page:
    """A page of a server, by a transport of its own."""
    transport = HttpTransport(allow=frozenset({netloc}))
    try:
        request = Request(source="db", url=f"http://{netloc}/")
        return await transport.send(request, timeout=20, max_bytes=max_bytes)
    finally:
        await transport.close()


# --------------------------------------------------------------------------- what has no end


@pytest.mark.parametrize(
    ("start", "again", "error"),
    sample(
        [
            *(pytest.param(*it, BadAnswer, id=name) for name, it in (HEADS | FRAMES).items()),
            *(pytest.param(*it, TooLarge, id=name) for name, it in BODIES.items()),
            pytest.param(*MEMBERS, (BadAnswer, TooLarge), id="members of gzip"),
        ],
        6,
    ),
)
async def test_what_has_no_end_is_left_early(
    start: bytes, again: bytes, error: type[SourceError] | tuple[type[SourceError], ...]
) -> None:
    """Long before the timeout, with little read and little kept, and the server is left."""
    with flood(start, again) as server:
        tracemalloc.start()
        try:
            with pytest.raises(error):
                await asked(server.netloc)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

        assert await asyncio.to_thread(server.left.wait, 60)
    assert peak < 6 << 20
    assert server.sent < 40 << 20  # most of it lies in the buffers of two sockets


@pytest.mark.slow
@pytest.mark.parametrize("name", ["100 without a word", "an unknown one", *FRAMES, "members"])
async def test_crumbs_leave_the_loop_to_others(name: str) -> None:
    """However small the pieces, what is read at once takes no longer than others may wait."""
    start, again = (HEADS | FRAMES | {"members": MEMBERS})[name]
    longest: list[float] = []
    # 1.5 at most, on a machine that does nothing else; one undisturbed round is enough.
    while len(longest) < 10 and min(longest, default=MOST_UNITS) >= MOST_UNITS:
        unit = unit_of_work()
        with flood(start, again) as server:
            task = asyncio.create_task(asked(server.netloc, max_bytes=1 << 24))
            gaps = [0.0]
            while not task.done():
                began = time.thread_time()
                await asyncio.sleep(0)
                gaps.append(time.thread_time() - began)
            await asyncio.wait((task,))
            assert task.exception() is not None
        longest.append(max(gaps) / unit)

    assert min(longest) < MOST_UNITS, longest


# --------------------------------------------------------------------------- what is well


async def test_interim_responses_are_read_over(server: Loopback, send: Send) -> None:
    """As many as a server may send come before its answer, and one more is too many."""
    hint = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    server.routes["/"] = hint * MAX_INTERIM + reply(b"here")
    server.routes["/more"] = hint * (MAX_INTERIM + 1) + reply(b"here")

    for _ in range(2):  # it is counted anew for each request
        assert (await send(server.url())).body == b"here"
    assert server.connections == 1
    with pytest.raises(BadAnswer, match="too many interim responses"):
        await send(server.url("/more"))


async def test_trailers_that_come_after_the_body_was_begun_are_refused_as_such(
    server: Loopback, send: Send
) -> None:
    """The parser refuses them when the response has long been handed over; the body did not merely
    break off."""

    async def slowly(writer: asyncio.StreamWriter) -> None:
        writer.write(CHUNKED + b"1\r\nx\r\n0\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)
        writer.write(b"X-A: b\r\n" * 1000)
        await writer.drain()
        await asyncio.Event().wait()

    server.routes["/"] = slowly

    with pytest.raises(BadAnswer, match="not HTTP"):
        await send(server.url())


async def test_a_large_head_is_read(server: Loopback, send: Send) -> None:
    """Only what no server has is too much."""
    server.routes["/"] = reply(b"here", **{f"X-{n}": "x" * 500 for n in range(100)})
    server.routes["/more"] = reply(
        b"here", **{f"X-{n}": "x" * 8000 for n in range(MAX_HEAD // 4000)}
    )

    assert (await send(server.url())).body == b"here"
    with pytest.raises(BadAnswer):
        await send(server.url("/more"))


@pytest.mark.parametrize("size", [5, 40, 4096])
async def test_a_body_in_small_chunks_is_read(server: Loopback, send: Send, size: int) -> None:
    """As servers send that write word by word; also slowly, and to the last byte that is
    allowed."""
    body = bytes(range(256)) * 512
    parts = (body[at : at + size] for at in range(0, len(body), size))
    server.routes["/"] = (
        CHUNKED + b"".join(b"%x\r\n%b\r\n" % (len(it), it) for it in parts) + b"0\r\n\r\n"
    )

    assert (await send(server.url(), max_bytes=len(body))).body == body


@pytest.mark.parametrize("end", ["", "length", "close", "chunks"])
async def test_a_body_of_many_lines_is_read_in_parts(
    server: Loopback, send: Send, end: str
) -> None:
    """Whatever tells its end, all of it is read before the end of the connection is."""
    body = b"".join(b"%d\n" % n for n in range(200_000))
    length, chunk = (
        b"Content-Length: %d\r\n\r\n" % len(body),
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body),
    )
    server.routes["/"] = {
        "": OK + length + body,
        "length": raw(OK + b"Connection: close\r\n" + length + body),
        "close": raw(OK + b"\r\n" + body),
        "chunks": raw(CHUNKED + chunk),
    }[end]

    for _ in range(2):
        assert (await send(server.url(), max_bytes=len(body))).body == body


async def test_a_body_in_parts_that_breaks_off_is_told(server: Loopback, send: Send) -> None:
    """As one that comes at once."""
    server.routes["/"] = raw(
        OK + b"Content-Length: 9000000\r\n\r\n" + b"\n" * 500_000, then="reset"
    )

    with pytest.raises(ConnectFailed):
        await send(server.url(), max_bytes=1 << 24)


async def test_a_body_in_parts_is_given_up_at_the_timeout() -> None:
    """And nothing is left of its connection."""
    body = b"\n" * 500_000
    async with Loopback(
        {"/": raw(OK + b"Content-Length: 9000000\r\n\r\n" + body, then="hang")}
    ) as server:
        transport = HttpTransport(allow=frozenset({server.netloc}))
        with pytest.raises(TimedOut):
            await transport.send(
                Request(source="db", url=server.url()), timeout=0.2, max_bytes=1 << 24
            )
        await asyncio.wait_for(transport.close(), 60)


async def test_a_body_that_cannot_be_compressed_is_read(server: Loopback, send: Send) -> None:
    """It is longer on the wire than it is, by what the format needs."""
    body = b"".join(zlib.crc32(b"%d" % n).to_bytes(4) for n in range(1 << 18))
    packed = gzip.compress(body)
    assert len(packed) > len(body)
    server.routes["/"] = (
        OK + GZIPPED + CHUNKED[len(OK) :] + b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    )

    assert (await send(server.url(), max_bytes=len(body))).body == body


async def test_only_what_is_bounded_is_asked_for(server: Loopback, send: Send) -> None:
    """Compressions that are decoded step by step, each of which test_transport.py tries with a
    bomb."""
    server.routes["/"] = reply()
    await send(server.url())

    assert server.seen[0].headers["accept-encoding"] == "gzip, deflate, br"


# --------------------------------------------------------------------------- what nobody asked for


@pytest.mark.parametrize(
    "more", [reply(b"two"), reply(b"two") * 99, b"HTTP/1.1 100 Continue\r\n\r\n"]
)
async def test_what_follows_an_answer_is_nobodys(server: Loopback, send: Send, more: bytes) -> None:
    """A second answer to one request is not taken for that to the next: the connection is
    closed."""
    server.routes["/"] = reply(b"one") + more
    server.routes["/next"] = reply(b"next")

    assert (await send(server.url())).body == b"one"
    assert (await send(server.url("/next"))).body == b"next"
    assert server.connections == 2


async def test_an_answer_that_goes_on_as_something_else_is_a_bad_one(
    server: Loopback, send: Send
) -> None:
    """It costs its own page, and not the next."""
    server.routes["/"] = reply(b"one") + b"garbage"
    server.routes["/next"] = reply(b"next")

    with pytest.raises(BadAnswer):
        await send(server.url())
    assert (await send(server.url("/next"))).body == b"next"
    assert server.connections == 2


async def test_what_comes_unasked_ends_the_connection() -> None:
    """A server that goes on sending while the connection waits for a next request fills no memory,
    and is left."""
    with flood(reply(b"one"), reply(b"more")) as server:
        transport = HttpTransport(allow=frozenset({server.netloc}))
        page = await transport.send(Request(source="db", url=server.url), timeout=20, max_bytes=99)
        for _ in range(1_000):
            if server.left.is_set():
                break
            await asyncio.sleep(0.05)

        assert server.left.is_set()
        await transport.close()

    assert page.body == b"one"
    assert server.sent < 40 << 20


async def test_an_answer_that_switches_protocols_is_none(server: Loopback, send: Send) -> None:
    """We never ask for another protocol."""
    server.routes["/"] = raw(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nhello", then="hang"
    )

    with pytest.raises(BadAnswer):
        await send(server.url())


# --------------------------------------------------------------------------- what aiohttp must do


async def test_aiohttp_makes_its_connections_with_our_protocol(server: Loopback) -> None:
    """Fails where a version of aiohttp makes them otherwise: then http_bounds.py must follow, or
    nothing is bounded."""
    server.routes["/"] = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", then="hang")
    async with aiohttp.ClientSession(connector=BoundedConnector(limit=0)) as session:
        response = await session.get(server.url())
        assert response.connection is not None
        assert isinstance(response.connection.protocol, BoundedProtocol)
        response.close()


async def _is_bounded() -> None:
    for name in ("103", "headers", "chunks of a byte"):
        with flood(*(HEADS | FRAMES)[name]) as endless, pytest.raises(BadAnswer):
            await asked(endless.netloc)


def test_the_bounds_hold_under_uvloop_too() -> None:
    """Which has sockets and timers of its own."""
    uvloop = pytest.importorskip("uvloop")

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_is_bounded())
