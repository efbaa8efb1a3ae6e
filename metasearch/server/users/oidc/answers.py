"""JSON of the provider: asked for with the guards of all requests that this program sends, bounded
in size and time, and never kept.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import orjson

from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Pairs, Request, Secret
from metasearch.errors import SourceError
from metasearch.message import message
from metasearch.server.users.oidc.failures import ProviderFault

#: Bytes of an answer, and seconds that it may take.
LARGEST, PATIENCE = 500_000, 10.0
#: What the provider is called where a request names a source.
_NAME = "login"


class Answers:
    """Asks the provider.

    `issuer`: its address. It may be in one's own network: whoever configured it has said so.
    `allow`: "host:port" of other addresses in one's own network that may be asked.
    """

    def __init__(self, issuer: str, allow: frozenset[str] = frozenset()) -> None:
        self._transport = HttpTransport(allow=allow | {_origin(issuer)})

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def get(self, address: str) -> dict[str, Any]:
        """The JSON object at an address. Raises ProviderFault: there is none, or it is too large or
        too slow.
        """
        status, found = await self._asked(
            Request(
                source=_NAME, url=address, headers=(("Accept", "application/json"),), private=True
            )
        )
        if status != 200:
            raise ProviderFault(
                message("The login provider answers {status} to {url}.", status=status, url=address)
            )
        return found

    async def post(
        self, address: str, fields: Pairs, authorization: Secret | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Status and JSON object of the answer to a form. Raises ProviderFault: there is none, or
        it is too large or too slow.
        """
        headers: Pairs = (("Accept", "application/json"),)
        if authorization is not None:
            headers += (("Authorization", authorization),)
        return await self._asked(
            Request(
                source=_NAME,
                url=address,
                method="POST",
                headers=headers,
                body=fields,
                private=True,
            )
        )

    async def _asked(self, request: Request) -> tuple[int, dict[str, Any]]:
        try:
            page = await self._transport.send(request, timeout=PATIENCE, max_bytes=LARGEST)
        except SourceError as exc:
            raise ProviderFault(
                message("The login provider cannot be asked: {reason}", reason=exc.message),
                advice=exc.advice or None,
            ) from exc
        try:
            found = orjson.loads(page.body)
        except orjson.JSONDecodeError as exc:
            raise _no_object(page.status) from exc
        if not isinstance(found, dict):
            raise _no_object(page.status)
        return page.status, found


def _no_object(status: int) -> ProviderFault:
    return ProviderFault(
        message("The login provider answers {status} without a JSON object.", status=status)
    )


def _origin(address: str) -> str:
    """ "host:port" of an address."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
