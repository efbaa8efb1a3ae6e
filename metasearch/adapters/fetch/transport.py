"""Sending one request: aiohttp behind guards."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any, Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from metasearch.adapters.fetch.guard import (
    REDIRECTS,
    AllowList,
    ForbiddenAddress,
    address_refusal,
    first_hop,
    hop_refusal,
    is_named,
    next_hop,
)
from metasearch.adapters.fetch.http_bounds import (
    BoundedConnector,
    BoundedProtocol,
    TooMuchBody,
    TooMuchFraming,
    TooMuchHead,
)
from metasearch.adapters.fetch.rate_limiter import budget, rate, retry_after
from metasearch.adapters.request import Page, Request, redact, secrets_of, without_secrets
from metasearch.errors import BadAnswer, ConnectFailed, NotAllowed, SourceError, TimedOut, TooLarge
from metasearch.loop import in_daemon_thread, patient
from metasearch.message import Message, message

# Host names to addresses, without ever keeping the process waiting. A lookup cannot be cancelled,
# so each has a daemon thread of its own. aiohttp caches the answers and joins lookups of the same
# name, so there are few.


class DaemonResolver(AbstractResolver):
    """Asks the operating system, each time in a daemon thread."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of a host. Raises OSError: the name has none, or cannot be resolved."""

        def look_up() -> list[Any]:
            try:
                return socket.getaddrinfo(
                    host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG
                )
            except UnicodeError:
                raise socket.gaierror(socket.EAI_NONAME, "not a host name") from None

        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=address[1],
                family=kin,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kin, _, protocol, _, address in await in_daemon_thread(look_up, f"resolve {host}")
            if kin in (socket.AF_INET, socket.AF_INET6)
        ]

    async def close(self) -> None:
        """Nothing is held."""


#: Foreign error -> our own, and its sentence; the first line that fits counts.
TRANSLATIONS: tuple[tuple[type[Exception], type[SourceError], Message], ...] = (
    (aiohttp.ClientConnectorDNSError, ConnectFailed, message("its host name cannot be resolved")),
    (
        aiohttp.ClientConnectorCertificateError,
        ConnectFailed,
        message("its TLS certificate is not valid"),
    ),
    (aiohttp.ClientSSLError, ConnectFailed, message("no TLS connection can be made")),
    (aiohttp.ClientConnectorError, ConnectFailed, message("no connection can be made")),
    (
        aiohttp.ServerDisconnectedError,
        ConnectFailed,
        message("it closed the connection without an answer"),
    ),
    (aiohttp.ClientOSError, ConnectFailed, message("the connection broke")),
    (
        aiohttp.http_exceptions.ContentEncodingError,
        BadAnswer,
        message("its answer is not compressed as its header declares"),
    ),
    (aiohttp.http_exceptions.HttpProcessingError, BadAnswer, message("its answer is not HTTP")),
    (aiohttp.ClientPayloadError, ConnectFailed, message("its answer broke off")),
    (aiohttp.ClientResponseError, BadAnswer, message("its answer is not HTTP")),
    (
        TooMuchHead,
        BadAnswer,
        message("its answer has too many interim responses, or too long a header"),
    ),
    (
        TooMuchFraming,
        BadAnswer,
        message("its answer consists of chunk headers with next to no content"),
    ),
    (aiohttp.InvalidURL, NotAllowed, message("the URL cannot be used")),
    (aiohttp.ClientError, ConnectFailed, message("the exchange failed")),
    (TimeoutError, TimedOut, message("no whole answer")),
    (OSError, ConnectFailed, message("the connection failed")),
    (ValueError, NotAllowed, message("the request cannot be written as HTTP")),
)

#: What aiohttp's parser raises where a body ends before its declared length or its last chunk.
BROKEN_OFF = (
    aiohttp.http_exceptions.ContentLengthError,
    aiohttp.http_exceptions.TransferEncodingError,
)


def translate_error(exc: Exception, request: Request, timeout: float) -> SourceError | None:
    """Returns our error for one of aiohttp's, the socket's or the codec's; None for any other.

    The message is ours, because aiohttp's texts hold URLs, and so keys. Only the system's name for
    an error number is added.
    """
    inner = _root_cause(exc)
    for foreign, own, sentence in TRANSLATIONS:
        if isinstance(inner, foreign):
            text = sentence
            if own is TimedOut:
                text = message("no whole answer within {seconds} s", seconds=f"{timeout:g}")
            number = inner.errno if isinstance(inner, OSError) else None
            if own is ConnectFailed and number is not None and number > 0:
                # asyncio puts texts of its own into `strerror`
                detail = os.strerror(number)
                text = message("{sentence} ({detail})", sentence=sentence, detail=detail)
            return own(request.source, text, url=request.log_url)
    return None


def _root_cause(exc: Exception) -> Exception:
    """The most precise error of a chain: aiohttp wraps those of decoders and HTTP parser."""
    cause = exc.__cause__
    if not isinstance(exc, aiohttp.ClientPayloadError) or isinstance(cause, BROKEN_OFF):
        return exc
    return cause if isinstance(cause, aiohttp.http_exceptions.HttpProcessingError) else exc


def shareable(exc: Exception, request: Request) -> Exception | None:
    """The cause to keep: None where its texts, which a log may print, repeat a secret."""
    trace = "".join(traceback.format_exception(exc))
    return exc if without_secrets(trace, request) == trace else None


# Sending one request: aiohttp behind guards. `Transport` is the seam: whatever has `send` and
# `close` can stand here, and cassette.py does. `HttpTransport` takes care of what a hostile or
# broken server can do to us: where it may send us (guard.py, at connect time and at each redirect),
# how much it may send (the body is counted after decompression), and how long it may take (one
# clock over all redirects). `SchemeTransport` chooses the transport by the scheme of the URL,
# because not every source speaks HTTP.

MAX_REDIRECTS = 5
#: Seconds that a name's addresses are remembered.
DNS_TTL = 300
#: Connections to one public host and port; several sources may live on one.
PER_HOST = 16
#: Bytes of a body that are read ahead, as they are after decompression: twice as many may wait for
#: us.
READ_AHEAD = 1 << 17
#: What aiohttp decodes step by step, never more than was asked for: each of them has a test with a
#: bomb.
ENCODINGS = "gzip, deflate, br"
#: Bytes of a body after which the loop gets a turn, although more may be there to be decoded.
TURN = 1 << 20
#: In bodies of more bytes secrets are looked for in a thread, so that the loop does not stall.
LARGE_BODY = 1_000_000


class Transport(Protocol):
    """Sends requests, or replays their answers."""

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """One exchange, whatever its status.

        Args:
            request: What to ask.
            timeout: Seconds for the whole exchange, redirects and body included.
            max_bytes: Largest body, counted after decompression.

        Raises:
            SourceError: No page came: `ConnectFailed`, `TimedOut`, `TooLarge`, `BadAnswer`,
                `NotAllowed`.
        """
        ...

    async def close(self) -> None:
        """Closes connections and files."""
        ...


class HttpTransport:
    """The real thing. Belongs to the event loop of its first `send`. `allow`: "host:port" of URLs
    that may lead to private addresses, see guard.py.
    """

    def __init__(
        self, *, allow: frozenset[str] = frozenset(), user_agent: str = "metasearch"
    ) -> None:
        self._allow = AllowList.parse(allow)
        self._user_agent = user_agent
        self._public: aiohttp.ClientSession | None = None
        self._exempt: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"<HttpTransport, {len(self._allow.origins)} private origins allowed>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        try:
            async with patient(timeout):
                page = await self._follow(request, max_bytes)
                if request.private:  # never kept or shown; its token may repeat our credentials
                    return page
                if len(page.body) > LARGE_BODY and secrets_of(request):
                    return await asyncio.to_thread(redact, page)
                return redact(page)
        except SourceError:
            raise
        except Exception as exc:
            error = translate_error(exc, request, timeout)
            if error is None:
                raise
            raise error from shareable(exc, request)

    async def close(self) -> None:
        for session in (self._public, self._exempt):
            if session is not None:
                await session.close()

    async def _follow(self, request: Request, max_bytes: int) -> Page:
        started = time.perf_counter()
        hop, exempt, redirected = first_hop(request), True, False
        own = hop
        for _ in range(MAX_REDIRECTS + 1):
            # A public host must not send us into our own network, not even to an address that is
            # allowed.
            exempt = exempt and self._allow.holds(str(hop.url.raw_host), hop.url.port or 0)
            if exempt and not hop.trusted and not is_named(hop, request, own):
                raise hop_refusal(request, hop)
            try:
                async with self._session(exempt=exempt).request(
                    hop.method, hop.url, headers=hop.headers, data=hop.data, allow_redirects=False
                ) as response:
                    status, headers = response.status, response.headers
                    if status < 200:
                        raise BadAnswer(
                            request.source,
                            message("it switches to another protocol"),
                            url=request.log_url,
                        )
                    if status in REDIRECTS and (location := headers.get("Location")):
                        hop, redirected = next_hop(request, hop, status, location), True
                        continue
                    body = await _read(response, request, max_bytes)
            except aiohttp.ClientConnectorError as exc:
                if isinstance(exc.os_error, ForbiddenAddress):
                    raise address_refusal(request, hop, redirected=redirected) from exc
                raise
            now = time.time()
            return Page(
                request=request,
                status=status,
                content_type=headers.get("Content-Type", "")[:200]
                .encode("ascii", "replace")
                .decode(),
                body=body,
                fetched_at=now,
                seconds=time.perf_counter() - started,
                retry_after=retry_after(headers, now) if status >= 400 else None,
                budget=budget(headers, now),
                rate=rate(headers),
                total=_total(headers, request.total_header),
            )
        raise BadAnswer(
            request.source,
            message("it redirects more than {max_redirects} times", max_redirects=MAX_REDIRECTS),
            url=request.log_url,
        )

    def _session(self, *, exempt: bool) -> aiohttp.ClientSession:
        session = self._exempt if exempt else self._public
        if session is None:
            connector = BoundedConnector(
                socket_factory=self._allow.connect_exempt if exempt else self._allow.connect_public,
                resolver=DaemonResolver(),
                ttl_dns_cache=DNS_TTL,
                limit=0,
                limit_per_host=0 if exempt else PER_HOST,
            )
            session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": self._user_agent, "Accept-Encoding": ENCODINGS},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trust_env=False,
                read_bufsize=READ_AHEAD,
            )
            if exempt:
                self._exempt = session
            else:
                self._public = session
        return session


class SchemeTransport:
    """Passes each request to the transport of its scheme, which is made for the first such request.
    `others`: scheme, in small letters and without a colon -> what makes its transport.
    """

    def __init__(self, usual: Transport, others: Mapping[str, Callable[[], Transport]]) -> None:
        self._usual = usual
        self._others = others
        self._made: dict[str, Transport] = {}

    def __repr__(self) -> str:
        return f"<SchemeTransport over {self._usual!r}, and for {', '.join(self._others)}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        return await self._of(request.url.partition(":")[0].lower()).send(
            request, timeout=timeout, max_bytes=max_bytes
        )

    async def close(self) -> None:
        for transport in (self._usual, *self._made.values()):
            await transport.close()

    def _of(self, scheme: str) -> Transport:
        make = self._others.get(scheme)
        if make is None:
            return self._usual
        if scheme not in self._made:
            self._made[scheme] = make()
        return self._made[scheme]


async def _read(response: aiohttp.ClientResponse, request: Request, limit: int) -> bytes:
    """The body, given up as soon as it passes `limit` bytes; `response.read()` has no limit."""
    size = response.content_length or 0
    connection = response.connection
    if connection is not None and isinstance(connection.protocol, BoundedProtocol):
        connection.protocol.allow(limit)
    with suppress(TooMuchBody):
        if size <= limit:
            size = 0
            # Unlike a join of chunks it never holds the body twice; and what is refused is let go
            # here, not with the error.
            with BytesIO() as body:
                turn = TURN
                while chunk := await response.content.readany():
                    size += len(chunk)
                    if size > limit:
                        break
                    body.write(chunk)
                    if size > turn:  # where there is always more to read, no other task would run
                        turn = size + TURN
                        await asyncio.sleep(0)
                else:
                    return body.getvalue()
    response.close()
    raise TooLarge(request.source, limit, url=request.log_url)


def _total(headers: Mapping[str, str], name: str) -> int | None:
    """The whole number in a header; None for anything else."""
    text = headers.get(name, "").strip() if name else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
