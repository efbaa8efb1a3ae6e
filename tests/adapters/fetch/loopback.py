"""A server on a loopback socket that answers byte for byte what a test wants, and remembers what it
was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Self

Script = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Seen:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def reply(body: bytes = b"{}", status: int = 200, **headers: str) -> bytes:
    """A whole HTTP answer; `Content_Type="..."` names a header."""
    lines = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + body


def raw(data: bytes, *, then: str = "close") -> Script:
    """Sends these bytes, then closes the connection, resets it ("reset") or stays silent
    ("hang")."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if then == "hang":
            await asyncio.Event().wait()
        if then == "reset":
            writer.transport.abort()

    return play


class Loopback:
    """`async with Loopback({"/path": reply(...)}) as server`: `server.url("/path")`,
    `server.seen`."""

    def __init__(
        self, routes: Mapping[str, bytes | Script] | None = None, host: str = "127.0.0.1"
    ) -> None:
        self.routes = dict(routes or {})
        self.seen: list[Seen] = []
        self.connections = 0
        self.host = host
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._talk, self.host, 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def netloc(self) -> str:
        return f"{self.host}:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.netloc}{path}"

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while line := await reader.readline():
                method, target, _ = line.decode().split()
                headers = {}
                while header := (await reader.readline()).decode().strip():
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.seen.append(Seen(method, target, headers, body))
                answer = self.routes.get(target.partition("?")[0], reply(b"", 404))
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)
                    return
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
