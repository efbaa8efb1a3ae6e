"""Which transport sends what, by the scheme of the request's URL: not every source speaks HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from metasearch.adapters.request import Page, Request

if TYPE_CHECKING:  # specs are read without aiohttp
    from metasearch.adapters.fetch.transport import Transport


class SchemeTransport:
    """Passes each request to the transport of its scheme, which is made when the first one comes.

    Args:
        usual: For every scheme that is not among the others.
        others: Scheme, in small letters and without a colon -> what makes its transport.
    """

    def __init__(self, usual: Transport, others: Mapping[str, Callable[[], Transport]]) -> None:
        self._usual = usual
        self._others = others
        self._made: dict[str, Transport] = {}

    def __repr__(self) -> str:
        return f"<SchemeTransport over {self._usual!r}, and for {', '.join(self._others)}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`."""
        return await self._of(request.url.partition(":")[0].lower()).send(
            request, timeout=timeout, max_bytes=max_bytes
        )

    async def close(self) -> None:
        """Closes all that were made."""
        for transport in (self._usual, *self._made.values()):
            await transport.close()

    def _of(self, scheme: str) -> Transport:
        make = self._others.get(scheme)
        if make is None:
            return self._usual
        if scheme not in self._made:
            self._made[scheme] = make()
        return self._made[scheme]
