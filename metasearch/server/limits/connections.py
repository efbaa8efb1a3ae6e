"""Connections, below requests: how many there may be, and how long a client may keep one waiting.

aiohttp closes connections that stay silent; what it leaves open are heads that arrive a byte at a
time and readers that do not read. Both would hold a socket, and the second a search, for as long as
a client likes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from http import HTTPStatus
from typing import cast

from aiohttp import web

from metasearch.server.limits.clients import Clients
from metasearch.server.options import Options
from metasearch.server.problem import Problem

#: Characters of a request's path and query.
LONGEST_LINE = 8190
#: Seconds in which the rest of a body that nobody wants is read, so that its sender gets to see the
#: answer.
_LINGER = 1.0

logger = logging.getLogger("metasearch.server")


class Connections:
    """All connections of one server."""

    def __init__(self, options: Options, clients: Clients) -> None:
        self.options = options
        self._clients = clients
        self._open = 0
        self._of_client: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open

    def make(self, server: web.Server) -> Connection:
        """A protocol for a new connection."""
        return Connection(self, server)

    def opened(self, transport: asyncio.BaseTransport) -> str | None:
        """Count a connection; the name it was counted under, None where it is one too many."""
        peer = self._clients.peer(transport.get_extra_info("peername"))
        # Proxies and what runs on this machine speak for many.
        name = "" if peer is None or peer.is_loopback or self._clients.trusts(peer) else str(peer)
        if self._open >= self.options.max_connections:
            return None
        if name and self._of_client[name] >= self.options.max_client_connections:
            return None
        self._open += 1
        self._of_client[name] += 1
        return name

    def closed(self, name: str) -> None:
        """It is gone."""
        self._open -= 1
        self._of_client[name] -= 1
        if not self._of_client[name]:
            del self._of_client[name]


class Connection(web.RequestHandler):
    """One connection: aiohttp's, with patience for slow clients that comes to an end."""

    __slots__ = ("_all", "_answering", "_counted", "_head", "_more", "_unread")

    def __init__(self, connections: Connections, server: web.Server) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=connections.options.keepalive,
            access_log=None,  # type: ignore[arg-type]  # as aiohttp's own runner hands it on
            # Longer than what the middleware lets pass: what is refused here gets no instance and
            # no page.
            max_line_size=8 * LONGEST_LINE,
            lingering_time=_LINGER,
        )
        self._all = connections
        self._counted: str | None = None
        self._answering = False
        self._more = False
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Counts it, and expects the head of a request."""
        self._counted = self._all.opened(transport)
        if self._counted is None:
            cast("asyncio.Transport", transport).abort()
            return
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Ends what waits."""
        if self._counted is None:
            return
        self._all.closed(self._counted)
        for timer in (self._head, self._unread):
            if timer:
                timer.cancel()
        self._head = self._unread = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The first bytes after an answer begin another head."""
        self._more = not data.endswith(
            b"\r\n\r\n"
        )  # what follows a whole head begins another one, too
        if not self._answering:
            self._expect_head()
        super().data_received(data)

    def begun(self) -> None:
        """A whole head is there and being answered."""
        self._answering = True
        if self._head:
            self._head.cancel()
            self._head = None

    def ended(self) -> None:
        """It is answered; what has arrived beside it is part of the next head."""
        self._answering = False
        if self._more:
            self._more = False
            self._expect_head()

    def pause_writing(self) -> None:
        """More waits to be sent than is good."""
        super().pause_writing()
        self._unread = asyncio.get_running_loop().call_later(
            self._all.options.write_timeout, self._abort
        )

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        if self._unread:
            self._unread.cancel()
            self._unread = None

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answers what is no HTTP, or went wrong outside of all else, without saying it back or
        naming our parts.
        """
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            logger.error("a request failed", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("cut off: a part of the answer is already sent")
        detail = (
            "The head of the request is not HTTP, or it is too long."
            if status == HTTPStatus.BAD_REQUEST
            else ""
        )
        response = Problem(status, None, detail, headers={"Cache-Control": "no-store"}).response("")
        set_security_headers(response)
        response.force_close()
        return response

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Sends an answer; to an unmet `Expect` ours, because aiohttp's repeats the header."""
        if isinstance(resp, web.HTTPExpectationFailed):
            headers = {"Cache-Control": "no-store"}
            resp = Problem(
                417, None, "Only 100-continue can be expected.", headers=headers
            ).response("")
        return await super().finish_response(request, resp, start_time)

    def _expect_head(self) -> None:
        if self._head is None and self.transport is not None:
            self._head = asyncio.get_running_loop().call_later(
                self._all.options.head_timeout, self._late
            )

    def _late(self) -> None:
        self._head = None
        if self._unread:  # the client still reads the answer before
            self._expect_head()
        else:
            self._abort()

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()


def set_security_headers(response: web.StreamResponse, policy: str = "") -> None:
    """The headers of every answer; `policy`: what a page may load, "" for what is none."""
    headers = response.headers
    headers["Server"] = "metasearch"
    headers["X-Content-Type-Options"] = "nosniff"
    # Where a reader goes from here must not learn what was searched for.
    headers["Referrer-Policy"] = "no-referrer"
    # No other site may load an answer into its own pages, not even without reading it.
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Content-Security-Policy"] = policy or "default-src 'none'; frame-ancestors 'none'"
    if policy:
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
