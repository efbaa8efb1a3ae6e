"""The transport against real sockets; what it decides without one is in test_guard.py and
test_redirects.py."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
import traceback
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import brotli
import pytest

from metasearch.adapters.fetch import guard
from metasearch.adapters.fetch.transport import (
    MAX_REDIRECTS,
    HttpTransport,
    translate_error,
)
from metasearch.adapters.request import Page, Request, Secret
from metasearch.errors import BadAnswer, ConnectFailed, NotAllowed, SourceError, TimedOut, TooLarge
from tests.adapters.fetch.loopback import Loopback, raw, reply

KEY = "s3cr3tk3y"
Send = Callable[..., Awaitable[Page]]


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with Loopback() as it:
        yield it


@pytest.fixture
async def send(server: Loopback) -> AsyncIterator[Send]:
    """Sends to a server that is allowed."""
    transport = HttpTransport(allow=frozenset({server.netloc}), user_agent="metasearch/test")

    async def call(url: str, *, timeout: float = 5, max_bytes: int = 1 << 20, **rest: Any) -> Page:
        return await transport.send(
            Request(source="db", url=url, **rest), timeout=timeout, max_bytes=max_bytes
        )

    yield call
    await transport.close()


async def test_a_page_comes_back_whole(server: Loopback, send: Send) -> None:
    """Status, content type and body are as sent, and the request went out as it was planned."""
    server.routes["/works"] = reply(
        b'{"a": 1}', 200, Content_Type="application/json; charset=utf-8"
    )
    page = await send(
        server.url("/works"),
        params=(("q", '{"x"}:y'), ("key", Secret(KEY))),
        headers=(("Accept", "a/b"),),
    )

    assert (page.status, page.content_type, page.body) == (
        200,
        "application/json; charset=utf-8",
        b'{"a": 1}',
    )
    assert page.fetched_at == pytest.approx(time.time(), abs=60)
    assert page.seconds > 0
    assert server.seen[0].target == f"/works?q=%7B%22x%22%7D%3Ay&key={KEY}"
    assert server.seen[0].headers["user-agent"] == "metasearch/test"
    assert server.seen[0].headers["accept"] == "a/b"
    assert "gzip" in server.seen[0].headers["accept-encoding"]


async def test_a_post_arrives_as_a_form(server: Loopback, send: Send) -> None:
    """The body's fields are in the body, encoded."""
    server.routes["/"] = reply()
    await send(server.url(), method="POST", body=(("id", "1,2"), ("db", "pubmed")))

    assert server.seen[0].method == "POST"
    assert server.seen[0].body == b"id=1%2C2&db=pubmed"


@pytest.mark.parametrize("status", [400, 404, 429, 500])
async def test_every_status_is_a_page(server: Loopback, send: Send, status: int) -> None:
    """The transport judges no status; that is the fetcher's work."""
    server.routes["/"] = reply(b"oops", status, Retry_After="7")
    page = await send(server.url())

    assert (page.status, page.body, page.retry_after) == (status, b"oops", 7.0)


async def test_connections_are_kept_alive(server: Loopback, send: Send) -> None:
    """Several requests in a row share one connection."""
    server.routes["/"] = reply()
    for _ in range(3):
        await send(server.url())

    assert (len(server.seen), server.connections) == (3, 1)


async def test_no_cookie_is_kept(server: Loopback, send: Send) -> None:
    """One search leaves no trace in the next."""
    server.routes["/"] = reply(Set_Cookie="track=1")
    await send(server.url())
    await send(server.url())

    assert "cookie" not in server.seen[1].headers


# Where requests may go


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "0x7f.1"]
)
async def test_private_addresses_are_refused(server: Loopback, host: str) -> None:
    """However an address of our own network is spelled, nothing is sent there."""
    transport = HttpTransport()
    with pytest.raises((NotAllowed, ConnectFailed)) as caught:
        await transport.send(
            Request(source="db", url=f"http://{host}:{server.port}/"), timeout=60, max_bytes=9
        )
    await transport.close()

    assert server.connections == 0
    if host != "0x7f.1":  # not every resolver reads this
        assert isinstance(caught.value, NotAllowed)


async def test_an_allowed_url_opens_nothing_else(server: Loopback, send: Send) -> None:
    """Neither another name for the same address nor the connection that is kept alive to it is
    exempt."""
    server.routes["/"] = reply()
    await send(server.url())
    for url in (f"http://localhost:{server.port}/", f"http://[::ffff:127.0.0.1]:{server.port}/"):
        with pytest.raises(NotAllowed):
            await send(url)

    assert len(server.seen) == 1


async def test_an_allowed_name_is_resolved(server: Loopback) -> None:
    """The allow list takes names as well as addresses."""
    server.routes["/"] = reply(b"hello")
    transport = HttpTransport(allow=frozenset({f"localhost:{server.port}"}))
    page = await transport.send(
        Request(source="db", url=f"http://LOCALHOST:{server.port}/"), timeout=60, max_bytes=9
    )
    await transport.close()

    assert page.body == b"hello"


async def test_a_redirect_to_a_private_address_is_refused(server: Loopback, send: Send) -> None:
    """A redirect goes through the guard like a first request; the other server hears nothing, and
    is named."""
    async with Loopback() as other:
        server.routes["/"] = reply(b"", 302, Location=other.url())
        with pytest.raises(NotAllowed, match=f"redirects to 127.0.0.1:{other.port}"):
            await send(server.url())

        assert other.connections == 0


async def test_a_public_host_cannot_redirect_to_an_allowed_private_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The exemption is for requests that begin inside, not for what the Internet would like to read
    there."""
    monkeypatch.setattr(guard, "is_public", lambda address: address == "127.0.0.1")
    async with (
        Loopback() as public,
        Loopback({"/": reply(b"private")}, host="127.0.0.2") as private,
    ):
        public.routes["/"] = reply(b"", 302, Location=private.url())
        transport = HttpTransport(allow=frozenset({private.netloc}))
        direct = await transport.send(
            Request(source="db", url=private.url()), timeout=60, max_bytes=99
        )
        with pytest.raises(NotAllowed):
            await transport.send(Request(source="db", url=public.url()), timeout=60, max_bytes=99)
        await transport.close()

        assert direct.body == b"private"
        assert len(private.seen) == 1


async def test_an_allowed_server_cannot_redirect_to_another_one(server: Loopback) -> None:
    """Each was allowed for the sources that ask it; the refusal says which, and that nothing was
    sent there."""
    async with Loopback({"/": reply(b"private")}, host="127.0.0.2") as other:
        server.routes["/"] = reply(b"", 302, Location=other.url())
        transport = HttpTransport(allow=frozenset({server.netloc, other.netloc}))
        with pytest.raises(
            NotAllowed, match=f"redirects to {other.netloc}, another server"
        ) as caught:
            await transport.send(Request(source="db", url=server.url()), timeout=60, max_bytes=99)
        await transport.close()

        assert f'request.redirects = ["{other.netloc}"]' in caught.value.advice
        assert other.connections == 0


async def test_an_allowed_server_may_redirect_to_one_that_the_source_names(
    server: Loopback,
) -> None:
    """And back to its own; a name in the spec alone opens nothing that is not allowed."""
    async with Loopback(host="127.0.0.2") as other:
        server.routes |= {"/": reply(b"", 302, Location=other.url()), "/back": reply(b"here")}
        other.routes["/"] = reply(b"", 302, Location=server.url("/back"))
        request = Request(source="db", url=server.url(), redirects=(other.netloc,))
        for allow in ({server.netloc, other.netloc}, {server.netloc}):
            transport = HttpTransport(allow=frozenset(allow))
            if other.netloc in allow:
                assert (await transport.send(request, timeout=60, max_bytes=99)).body == b"here"
            else:
                with pytest.raises(NotAllowed, match="not at a public address"):
                    await transport.send(request, timeout=60, max_bytes=99)
            await transport.close()

        assert len(other.seen) == 1


async def test_redirects_within_the_origin_are_followed(server: Loopback, send: Send) -> None:
    """The page of the last hop is the page of the request, and the key went along."""
    server.routes["/"] = reply(b"", 301, Location="/a")
    server.routes["/a"] = reply(b"", 307, Location="b?x=%2F")
    server.routes["/b"] = reply(b"here")
    page = await send(server.url(), headers=(("X-Api-Key", Secret(KEY)),))

    assert page.body == b"here"
    assert [seen.target for seen in server.seen] == ["/", "/a", "/b?x=%2F"]
    assert {seen.headers["x-api-key"] for seen in server.seen} == {KEY}


async def test_secrets_stay_with_their_origin(server: Loopback) -> None:
    """Another port is another origin: header, parameter and form field do not reach it."""
    async with Loopback({"/": reply(b"there")}) as other:
        server.routes["/"] = reply(b"", 307, Location=other.url(f"/?key={KEY}&q=1"))
        transport = HttpTransport(allow=frozenset({server.netloc, other.netloc}))
        secret = (("key", Secret(KEY)),)
        request = Request(
            source="db", url=server.url(), method="POST", params=secret, headers=secret,
            body=secret,
            redirects=(other.netloc,),
        )  # fmt: skip
        page = await transport.send(request, timeout=60, max_bytes=99)
        await transport.close()

        assert page.body == b"there"
        assert KEY not in repr(other.seen)
        assert repr(server.seen).count(KEY) == 3


async def test_a_redirect_loop_ends(server: Loopback, send: Send) -> None:
    """After a few hops the answer is called unusable."""
    server.routes["/"] = reply(b"", 302, Location="/")
    with pytest.raises(BadAnswer, match="redirects"):
        await send(server.url())

    assert len(server.seen) == MAX_REDIRECTS + 1


async def test_a_redirect_without_a_target_is_a_page(server: Loopback, send: Send) -> None:
    """There is nothing to follow, so the parser sees it."""
    server.routes["/"] = reply(b"?", 302)

    assert (await send(server.url())).status == 302


# How much and how long


def _bomb(encoding: str, size: int) -> bytes:
    if encoding == "br":
        return brotli.compress(bytes(size), quality=5)
    return gzip.compress(bytes(size)) if encoding == "gzip" else zlib.compress(bytes(size))


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
async def test_a_bomb_is_stopped_with_flat_memory(
    server: Loopback, send: Send, encoding: str
) -> None:
    """The cap counts what comes out of the decompressor, and memory never sees the whole of it."""
    server.routes["/"] = reply(_bomb(encoding, 48 << 20), Content_Encoding=encoding)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge) as caught:
            await send(server.url(), max_bytes=1 << 20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert caught.value.limit == 1 << 20
    assert peak < 24 << 20


async def test_a_large_body_is_held_once(server: Loopback, send: Send) -> None:
    """What is read is not put together out of parts that are there beside it."""
    size = 24 << 20
    server.routes["/"] = reply(gzip.compress(bytes(size)), Content_Encoding="gzip")
    tracemalloc.start()
    try:
        page = await send(server.url(), max_bytes=size)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert len(page.body) == size
    assert peak < 1.5 * size


async def test_a_body_of_the_largest_size_passes(server: Loopback, send: Send) -> None:
    """The limit is the largest body that is taken, and one byte more is too many."""
    server.routes["/"] = reply(bytes(1000))
    server.routes["/gz"] = reply(gzip.compress(bytes(1000)), Content_Encoding="gzip")

    for path in ("/", "/gz"):
        assert len((await send(server.url(path), max_bytes=1000)).body) == 1000
        with pytest.raises(TooLarge):
            await send(server.url(path), max_bytes=999)


async def test_an_endless_body_ends(server: Loopback, send: Send) -> None:
    """A server that never stops sending is left as soon as the cap is passed."""

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"1000\r\n" + bytes(4096) + b"\r\n")
            await writer.drain()

    server.routes["/"] = endless
    with pytest.raises(TooLarge):
        await send(server.url())


@pytest.mark.parametrize(
    "start",
    [b"", b"HTTP/1.1 200 OK\r\nX-A: 1\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"],
    ids=["nothing", "half the headers", "half the body"],
)
async def test_silence_ends_at_the_timeout(server: Loopback, send: Send, start: bytes) -> None:
    """One clock runs over connecting, headers and body."""
    server.routes["/"] = raw(start, then="hang")
    with pytest.raises(TimedOut, match=r"within 0.05 s"):
        await send(server.url(), timeout=0.05)


async def test_the_timeout_spans_all_hops(server: Loopback, send: Send) -> None:
    """A chain of redirects does not get a new clock at each hop."""
    server.routes["/"] = reply(b"", 302, Location="/slow")
    server.routes["/slow"] = raw(b"", then="hang")
    with pytest.raises(TimedOut):
        await send(server.url(), timeout=0.1)


# What goes wrong on the way


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (raw(b""), ConnectFailed),
        (raw(b"", then="reset"), ConnectFailed),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"), ConnectFailed),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", then="reset"), ConnectFailed),
        (
            raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            ConnectFailed,
        ),
        (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"), BadAnswer),
        (raw(b"220 ftp.example.org ready\r\n\r\n"), BadAnswer),
        (raw(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000 + b"\r\n\r\n"), BadAnswer),
        (reply(b"not gzip at all", Content_Encoding="gzip"), BadAnswer),
    ],
    ids=[
        "close",
        "reset",
        "short",
        "short-reset",
        "cut-chunks",
        "bad-chunks",
        "not-http",
        "long-header",
        "bad-gzip",
    ],
)
async def test_broken_answers_become_our_errors(
    server: Loopback, send: Send, answer: Any, error: type
) -> None:
    """Each has the source, the URL without its key, the cause, and no secret, not even in the
    traceback."""
    server.routes["/"] = answer
    with pytest.raises(SourceError) as caught:
        await send(server.url(), params=(("q", "x"), ("key", Secret(KEY))))

    assert type(caught.value) is error
    assert caught.value.source == "db"
    assert caught.value.url == server.url("/?q=x")
    assert KEY not in "".join(traceback.format_exception(caught.value))


async def test_the_cause_is_kept_where_it_tells_no_secret(server: Loopback, send: Send) -> None:
    """For whoever looks for the reason, aiohttp's own exception hangs on ours."""
    server.routes["/"] = raw(b"220 no HTTP\r\n\r\n")
    with pytest.raises(BadAnswer) as caught:
        await send(server.url())

    assert type(caught.value.__cause__).__name__ == "ClientResponseError"


async def test_nobody_listens(send: Send, server: Loopback) -> None:
    """A refused connection is told with the system's word for it."""
    await server.__aexit__()
    with pytest.raises(ConnectFailed, match=r"no connection can be made \(.+\)"):
        await send(server.url())


async def test_an_unknown_host_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name without an address is not a network failure of unknown kind."""

    def fail(*_: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    transport = HttpTransport()
    with pytest.raises(ConnectFailed, match="name cannot be resolved"):
        await transport.send(
            Request(source="db", url="http://nowhere.example/"), timeout=60, max_bytes=9
        )
    await transport.close()


async def test_a_lookup_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends at the timeout, and its thread keeps neither the loop nor the program from ending."""
    release = threading.Event()

    def hang(*_: object) -> list[Any]:
        release.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    transport = HttpTransport()
    with pytest.raises(TimedOut):
        await transport.send(
            Request(source="db", url="http://slow.example/"), timeout=0.05, max_bytes=9
        )
    left = [thread for thread in threading.enumerate() if thread.name == "resolve slow.example"]
    await transport.close()
    release.set()

    assert left
    assert all(thread.daemon for thread in left)


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00"])
async def test_a_header_cannot_be_smuggled(server: Loopback, send: Send, value: str) -> None:
    """A line break in a header's value is refused before anything is sent."""
    with pytest.raises(NotAllowed):
        await send(server.url(), headers=(("X-Q", value),))

    assert not server.seen


async def test_cancelling_a_send_is_not_an_error_of_the_source(
    server: Loopback, send: Send
) -> None:
    """Cancellation passes through untranslated."""
    server.routes["/"] = raw(b"", then="hang")
    task = asyncio.ensure_future(send(server.url()))
    while not server.seen:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_unknown_exceptions_are_not_dressed_up() -> None:
    """A fault of our own stays what it is."""
    assert (
        translate_error(TypeError("bug"), Request(source="db", url="http://x.example/"), 1) is None
    )
