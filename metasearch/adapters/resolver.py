"""Host names to addresses, without ever keeping the process waiting.

A lookup cannot be cancelled. In the loop's default executor one that hangs would hold up every other user of that
executor, and the program's exit. Here each lookup has a daemon thread of its own; aiohttp caches the answers and joins
lookups of the same name, so there are few.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult


class DaemonResolver(AbstractResolver):
    """Asks the operating system, each time in a daemon thread."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of a host.

        Raises:
            OSError: The name has none, or cannot be resolved.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[Any]] = loop.create_future()

        def tell(value: list[Any] | None, error: OSError | None) -> None:
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(value or [])

        def look_up() -> None:
            found: list[Any] | None = None
            failure: OSError | None = None
            try:
                found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
            except OSError as exc:
                failure = exc
            except UnicodeError:
                failure = socket.gaierror(socket.EAI_NONAME, "not a host name")
            try:
                loop.call_soon_threadsafe(tell, found, failure)
            except RuntimeError:
                return  # the loop has been closed in the meantime: nobody waits for the answer

        threading.Thread(target=look_up, name=f"resolve {host}", daemon=True).start()
        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=address[1],
                family=kin,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kin, _, protocol, _, address in await answer
            if kin in (socket.AF_INET, socket.AF_INET6)
        ]

    async def close(self) -> None:
        """Nothing is held."""
