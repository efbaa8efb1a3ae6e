"""The simulated databases without sockets: requests are answered where they are made."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import parse_qsl, urlsplit

from metasearch.adapters.request import Page, Request, public
from metasearch.demo.databases import FAULTY, SOUND
from metasearch.demo.server import all_held
from metasearch.errors import TimedOut, TooLarge
from metasearch.message import message

_DATABASES = {f"{database.name}.invalid": database for database in SOUND + FAULTY}


class DemoTransport:
    """Answers requests to the addresses of `replayed()`, and sends nothing: an engine with both
    searches the same works as the demo, its requests are the same on every day, and no HTTP client
    or server is loaded.

    `latency`: scales the time that each database takes to answer; 0 answers at once.
    """

    def __init__(self, latency: float = 0.0) -> None:
        self._latency = latency

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`.

        Raises:
            TimedOut: The database takes longer.
            TooLarge: The answer is larger.
            ValueError: The address is that of no simulated database.
        """
        began = time.perf_counter()
        address = urlsplit(request.url)
        database = _DATABASES.get(address.netloc)
        if database is None:
            raise ValueError(f"{request.shown} is no address of the demo")
        seconds = database.latency * self._latency
        if seconds:
            await asyncio.sleep(min(seconds, timeout))
        if seconds > timeout:
            late = message("no whole answer within {seconds} s", seconds=f"{timeout:g}")
            raise TimedOut(request.source, late, url=request.shown)
        params = dict(parse_qsl(address.query))
        params |= dict(public(request.params)) | dict(public(request.body))
        reply = database.answer(address.path, params, all_held()[database.name])
        if len(reply.body) > max_bytes:
            raise TooLarge(request.source, max_bytes, url=request.shown)
        return Page(
            request=request,
            status=reply.status,
            content_type=reply.content_type,
            body=reply.body,
            fetched_at=time.time(),
            seconds=time.perf_counter() - began,
        )

    async def close(self) -> None:
        """Nothing is held."""
