"""A server that never stops sending, in a thread of its own so that it is as fast as the
machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.adapters.threaded import accepting

#: Bytes that are handed to the socket at once.
_STRETCH = 1 << 16
#: Seconds after which a client that does not read is left.
_PATIENCE = 10.0


class Flood:
    """What a test sees of the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.sent = 0
        #: Set when a client has gone.
        self.left = threading.Event()

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}/"


@contextmanager
def flood(start: bytes, again: bytes, *, most: int = 1 << 28) -> Iterator[Flood]:
    """A server that answers each request with `start`, and then with `again` until the client has
    gone.

    Args:
        start: What is sent first.
        again: What is repeated.
        most: Bytes after which it closes the connection, so that a client without a limit ends too.
    """
    stretch = again * max(1, _STRETCH // len(again))
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Flood(listener.getsockname()[1])

        def serve(connection: socket.socket) -> None:
            with connection:
                connection.settimeout(_PATIENCE)
                try:
                    asked = b""
                    while not asked.endswith(b"\r\n\r\n"):
                        more = connection.recv(65_536)
                        if not more:
                            return
                        asked += more
                    connection.sendall(start)
                    server.sent += len(start)
                    while server.sent < most and not over.is_set():
                        connection.sendall(stretch)
                        server.sent += len(stretch)
                except OSError:  # the client has had enough
                    pass
            server.left.set()

        accepting(listener, serve)
        yield server
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
