"""Host names to addresses, without ever keeping the process waiting.

A lookup cannot be cancelled, so each has a daemon thread of its own. aiohttp caches the answers and
joins lookups of the same name, so there are few.
"""

from __future__ import annotations

import socket
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from metasearch.loop.threads import in_daemon_thread


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
