"""The sockets that a server listens on."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from metasearch.errors import UsageError

if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket

#: Connections that wait to be accepted.
BACKLOG = 128


async def listen(
    protocol: Callable[[], asyncio.BaseProtocol],
    host: str,
    port: int,
    *,
    shared: bool = False,
    serve: bool = True,
) -> asyncio.Server:
    """The sockets of an address.

    `port`: 0 takes any free one. `shared`: whether several may take the same address, and the
    system divides connections between them. Raises UsageError: the address cannot be taken.
    """
    try:
        return await asyncio.get_running_loop().create_server(
            protocol, host, port, backlog=BACKLOG, reuse_port=shared or None, start_serving=serve
        )
    except (OSError, OverflowError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise UsageError(
            f"cannot listen on {host}:{port}: {reason}", advice="Choose another --port or --host."
        ) from exc


def address(listener: socket.socket | TransportSocket) -> str:
    """Where a socket is reached by HTTP."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
