"""Servers of raw sockets, each connection in a thread of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable


def accepting(listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    """Has each connection served in a thread, until the listener is shut down."""

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:  # the test is over
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
