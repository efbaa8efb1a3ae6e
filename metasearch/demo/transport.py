"""The simulated databases without sockets: requests are answered where they are made."""

from __future__ import annotations

import time
from urllib.parse import parse_qsl, urlsplit

from metasearch.adapters.request import Page, Request, public
from metasearch.demo.databases import FAULTY, SOUND
from metasearch.demo.server import all_held

_DATABASES = {f"{database.name}.invalid": database for database in SOUND + FAULTY}


class DemoTransport:
    """Answers requests to the addresses of `replayed()` at once, and sends nothing: an engine with
    both searches the same works as the demo, and its requests are the same on every day.
    """

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`; answers are small and there at once.

        Raises:
            ValueError: The address is that of no simulated database.
        """
        address = urlsplit(request.url)
        database = _DATABASES.get(address.netloc)
        if database is None:
            raise ValueError(f"{request.shown} is no address of the demo")
        params = dict(parse_qsl(address.query))
        params |= dict(public(request.params)) | dict(public(request.body))
        reply = database.answer(address.path, params, all_held()[database.name])
        return Page(
            request=request,
            status=reply.status,
            content_type=reply.content_type,
            body=reply.body,
            fetched_at=time.time(),
        )

    async def close(self) -> None:
        """Nothing is held."""
