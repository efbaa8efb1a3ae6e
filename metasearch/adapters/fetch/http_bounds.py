"""Bounds on what a server sends that aiohttp does not set: on heads, on framing, on what is read
without a pause.

aiohttp reads interim responses (100 to 199) as long as more of them come. It parses at once all
that one read of the socket gave, which in chunks of one byte keeps the loop for a tenth of a
second. It counts neither framing nor bytes that decode to nothing. And it keeps what comes on a
connection that waits for its next request. `BoundedConnector` is its connector, with a protocol
that ends all of this.

This is the one file that uses aiohttp's inside: `BaseConnector._factory`, which makes the protocol
of each connection, and the methods that inform that protocol. test_http_bounds.py fails
where a version of aiohttp does otherwise.
"""

from __future__ import annotations

import asyncio
import functools
import sys
import time
from collections import deque
from typing import Any, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

#: Bytes that the heads of one exchange may have together, interim ones included; an ordinary head
#: has a few hundred.
MAX_HEAD = 64 * 1024
#: Interim responses before the answer; a server that sends any sends one or two.
MAX_INTERIM = 8
#: Bytes of framing (sizes of chunks, their extensions, trailers) beyond as many as the body has.
#: Bodies in chunks of five bytes or more never reach it; smaller chunks cost so much time that not
#: many can be taken.
MAX_FRAMING = 128 * 1024
#: Bytes that are parsed at once where they may be chunks or heads (in the smallest chunks that
#: takes some 8 ms), and seconds after which others get their turn before the next.
PART, TURN = 16 * 1024, 0.005
#: Parts that may wait for their turn before reading from the socket stops.
WAITING = 32


class TooMuchHead(aiohttp.ClientError):
    """Interim responses, or a head, without end."""


class TooMuchFraming(aiohttp.ClientError):
    """Nearly all that comes after the head is no body."""


class TooMuchBody(aiohttp.ClientError):
    """The body, as it is sent, is larger than allowed; what it decodes to may be nothing."""


class BoundedProtocol(ResponseHandler):
    """One connection. It counts anew for each exchange, from `set_response_params` on."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self._parts: deque[bytes] = deque()
        self._turn: asyncio.Handle | None = None
        #: Whether aiohttp wants no more for now, and whether too much waits here.
        self._held = self._is_held_back = False
        #: How the connection ended, where parts of what came before that still wait.
        self._end: tuple[BaseException | None] | None = None
        self._begin()

    def _begin(self) -> None:
        self._head_bytes = self._rest_bytes = self._interim = 0
        self._most = sys.maxsize
        self._body: StreamReader | None = None
        #: Bytes of a body without chunks; 0 for one in chunks.
        self._length = 0
        self._refusal: aiohttp.ClientError | None = None

    def set_response_params(self, **params: Any) -> None:
        """Called before each request."""
        self._begin()
        super().set_response_params(**params)

    def allow(self, size: int) -> None:
        """Bounds the body of this exchange as it is sent, compressed or not."""
        self._most = size + MAX_HEAD  # what cannot be compressed gets a little longer

    # What aiohttp and the event loop call

    def data_received(self, data: bytes) -> None:
        """Bytes have come; or none, when what the parser held back may be parsed."""
        if self._refusal is not None or (data and self._is_idle()):
            self._leave()  # no more was asked for
        elif not data:
            super().data_received(data)
        elif not self._parts and (len(data) <= PART or self._is_mere_body(len(data))):
            self._take(data)
        else:
            self._parts.extend(data[at : at + PART] for at in range(0, len(data), PART))
            if self._turn is None:
                self._next()
            self._hold_back()

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """A head has been parsed."""
        message, body = data
        if self._refusal is not None:
            return
        if self._body is not None:  # a second answer to one request
            self._leave()
        elif 100 <= message.code < 200 and message.code != 101:
            self._interim += 1
            if self._interim > MAX_INTERIM:
                self._refuse(TooMuchHead(f"more than {MAX_INTERIM} interim responses"))
            else:
                super().feed_data(data, size)
        else:
            self._body = body
            if not message.chunked:
                length = message.headers.get("Content-Length", "")
                self._length = int(length) if length.isdecimal() else sys.maxsize
            super().feed_data(data, size)

    def pause_reading(self) -> None:
        """Enough is there to be read."""
        self._held = True
        super().pause_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """More is wanted: first what waits here."""
        self._held = False
        super().resume_reading(resume_parser)
        self._hold_back()
        self._plan()

    def connection_lost(self, exc: BaseException | None) -> None:
        """The connection has ended; what came before that is parsed first."""
        if self._parts and self._refusal is None:
            self._end = (exc,)
            self._plan()
            return
        super().connection_lost(exc)
        if self._refusal is not None and self._body is not None:
            self._body.set_exception(
                self._refusal
            )  # not that the body broke off, which it did because of us

    def close(self) -> None:
        super().close()
        self._drop()

    def abort(self) -> None:
        super().abort()
        self._drop()

    # How much is parsed at once

    def _hold_back(self) -> None:
        if len(self._parts) > WAITING and self.transport is not None:
            self._is_held_back = True
            self.transport.pause_reading()

    def _plan(self) -> None:
        """Has the next part parsed, after others had their turn."""
        if self._parts and self._turn is None and not self._held:
            self._turn = asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._turn = None
        end = time.perf_counter() + TURN
        while self._parts and not self._held:
            self._take(self._parts.popleft())
            if time.perf_counter() > end:
                break
        if self._parts:
            self._plan()
        elif self._end is not None:
            self._drop()
        elif self._is_held_back and not self._held and self.transport is not None:
            self._is_held_back = False
            self.transport.resume_reading()

    def _drop(self) -> None:
        self._parts.clear()
        if self._end is not None:
            (exc,), self._end = self._end, None
            self.connection_lost(exc)

    # What is counted

    def _take(self, data: bytes) -> None:
        if self._is_idle():
            self._leave()
            return
        headless = self._body is None
        super().data_received(data)
        if self._refusal is not None:
            return
        if headless:
            self._head_bytes += len(data)
            if self._body is None and self._head_bytes > MAX_HEAD:
                self._refuse(TooMuchHead(f"more than {MAX_HEAD:,} bytes before its answer"))
        elif self._body is not None and not self._is_idle():
            self._rest_bytes += len(data)
            size = self._body.total_raw_bytes
            if size > self._most:
                self._refuse(TooMuchBody(f"more than {self._most:,} bytes of body"))
            elif self._rest_bytes > 2 * size + MAX_FRAMING:
                self._refuse(TooMuchFraming(f"{self._rest_bytes:,} bytes for {size:,} of body"))

    def _is_mere_body(self, size: int) -> bool:
        """Whether the next bytes are of the body and nothing else: nothing for the parser to do."""
        return self._body is not None and self._body.total_raw_bytes + size <= self._length

    def _is_idle(self) -> bool:
        """Whether the answer has come whole, and the next request has not been sent."""
        return self._body is not None and self._body.is_eof()

    def _refuse(self, why: aiohttp.ClientError) -> None:
        self._refusal = why
        if self._body is None:
            self.set_exception(why)
        else:
            self._body.set_exception(why)
        self._leave()

    def _leave(self) -> None:
        self._parts.clear()
        self.force_close()
        if self.transport is not None:
            self.transport.abort()


class BoundedConnector(aiohttp.TCPConnector):
    """aiohttp's connector, whose connections are bounded; it takes the same arguments."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = cast(
            "functools.partial[ResponseHandler]",
            functools.partial(BoundedProtocol, loop=self._loop),
        )
