"""How the server that replicas share fails, each for as long as a block lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from benchmarks.redis_server import RedisServer

Fault: TypeAlias = Callable[[RedisServer], AbstractContextManager[None]]


@contextmanager
def killed(server: RedisServer) -> Iterator[None]:
    """It ends, and begins again, empty."""
    server.kill()
    try:
        yield
    finally:
        server.start()


@contextmanager
def slow(server: RedisServer) -> Iterator[None]:
    """It accepts commands and answers none of them for a minute."""
    server.told("CLIENT", "PAUSE", "60000", "ALL")
    yield


@contextmanager
def full(server: RedisServer) -> Iterator[None]:
    """It has no memory for one more value, and may delete none."""
    server.told("CONFIG", "SET", "maxmemory-policy", "noeviction")
    server.told("CONFIG", "SET", "maxmemory", "1")
    try:
        yield
    finally:
        server.told("CONFIG", "SET", "maxmemory", "0")


@contextmanager
def read_only(server: RedisServer) -> Iterator[None]:
    """It became a replica of another one, which is not there."""
    server.told("REPLICAOF", "127.0.0.1", "1")
    try:
        yield
    finally:
        server.told("REPLICAOF", "NO", "ONE")


@contextmanager
def locked(server: RedisServer) -> Iterator[None]:
    """It asks for another password, of all connections."""
    server.told("CONFIG", "SET", "requirepass", "another")
    server.told("CLIENT", "KILL", "TYPE", "normal")
    yield


@contextmanager
def emptied(server: RedisServer) -> Iterator[None]:
    """All that it held is deleted."""
    server.told("FLUSHALL")
    yield


#: What is wrong, in words -> how.
FAULTS: Mapping[str, Fault] = {
    "killed": killed,
    "slow": slow,
    "full": full,
    "read-only": read_only,
    "with another password": locked,
    "emptied": emptied,
}
