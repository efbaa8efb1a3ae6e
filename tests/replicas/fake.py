"""Replicas over a server that is simulated in this process."""

from __future__ import annotations

from typing import Any

from fakeredis import FakeAsyncRedis, FakeServer

from metasearch.replicas.connection import KeyNames, RedisConnection
from metasearch.replicas.pages import RedisPages

SECRET = b"a secret of all replicas"


def client(server: FakeServer) -> Any:
    """A client of the server, as redis-py gives it."""
    return FakeAsyncRedis(server=server, version=(7,))


def connected(server: FakeServer) -> RedisConnection:
    """The connection of one replica."""
    return RedisConnection("redis://localhost", client(server))


def pages(server: FakeServer, secret: bytes = SECRET) -> RedisPages:
    """The pages of all replicas, as one of them sees them."""
    return RedisPages(connected(server), KeyNames(secret))
