"""The hostile database and the healthy ones: an HTTP server on a loopback port, in a process of its
own.

    python -m benchmarks.pages.database [--latency 200]

prints its port and answers

    /hostile/NAME            what the page of that name sends
    /benign/SHAPE            an ordinary page in that shape
    /healthy/N?query=&rows= so many works of database N, other ones for each query; after --latency
    milliseconds
    /begun/NAME              when the page was last asked for, by the clock that all processes of a
                             machine share; null
    /asked/N                 requests to /healthy/N: [begun, ended or null, query], by that clock

What a page sends is made while it is sent, and what was made is not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.generated import Library
from benchmarks.pages import PAGES
from benchmarks.pages.made import BENIGN, Pieces, answered, head, work, works
from metasearch.record import Record

#: Records that one healthy answer holds where the request names no number, and the works that they
#: are taken from.
ROWS, WORKS = 20, 2_000


class Database:
    """Answers each connection once and closes it, so that nothing of one page is left for the
    next."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._begun: dict[str, float] = {}
        self._asked: dict[str, list[list[Any]]] = {}
        self._library = Library()
        self._works: list[dict[str, Any]] = []

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            request = await reader.readuntil(b"\r\n\r\n")
            begun = time.monotonic()
            address = urlsplit(request.split(b" ", 2)[1].decode("latin-1"))
            for piece in await self._answer(address.path, parse_qs(address.query), begun):
                if isinstance(piece, float):
                    await asyncio.sleep(piece)
                    if reader.at_eof():
                        break
                else:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)  # drain alone does not let the others run
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def _answer(self, path: str, asked: dict[str, list[str]], begun: float) -> Pieces:
        _, kind, name = path.split("/", 2)
        name = unquote(name)
        if kind == "hostile":
            self._begun[name] = begun
            return PAGES[name].pieces()
        if kind == "begun":
            return answered("crossref", lambda: json.dumps(self._begun.get(name)).encode())()
        if kind == "asked":
            return answered("crossref", lambda: json.dumps(self._asked.get(name, [])).encode())()
        queries = [values[0] for key, values in asked.items() if key.startswith("query")]
        request: list[Any] = [begun, None, " ".join(queries)]
        if kind == "healthy":
            self._asked.setdefault(name, []).append(request)
        await asyncio.sleep(self._latency - (time.monotonic() - begun))
        request[1] = time.monotonic()
        if kind == "benign":
            self._begun[name] = begun
            return answered(name, BENIGN[name])()
        if kind == "healthy":
            rows = int(asked.get("rows", [str(ROWS)])[0])
            return answered(
                "crossref",
                lambda: works(*self._found(int(name), asked.get("query", [""])[0], rows)),
            )()
        return iter([head("crossref", "Content-Length: 0", status="404 Not Found")])

    def _found(self, number: int, query: str, rows: int) -> Iterator[dict[str, Any]]:
        """The works of a database for a query; a part of them is in every database's answer."""
        if not self._works:
            self._works = [_work(n, self._library.work(n)) for n in range(WORKS)]
        place = zlib.crc32(query.encode())
        for row in range(rows):
            shared = row % 4 == 0
            chosen = (place + row + (0 if shared else 97 * (number + 1))) % WORKS
            yield {**self._works[chosen], "alternative-id": [f"{number}-{row}"]}


def _work(number: int, record: Record) -> dict[str, Any]:
    """A record as Crossref tells it."""
    return work(
        number,
        DOI=record.doi or f"10.5555/healthy.{number}",
        title=[record.title],
        author=[{"family": author.family, "given": author.given} for author in record.authors],
        issued={"date-parts": [[record.year]]},
        page=record.pages,
        volume=record.volume,
        **{"container-title": [record.venue]},
    )


async def serve(latency: float) -> None:
    """Answer until the process is ended."""
    server = await asyncio.start_server(
        Database(latency).talk, "127.0.0.1", 0, limit=1 << 20, backlog=2048
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def databases(latency: int = 0) -> Iterator[str]:
    """A running one; gives its base URL.

    Args:
        latency: Milliseconds in which healthy and ordinary answers come.
    """
    command = [sys.executable, "-m", "benchmarks.pages.database", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def begun(base: str, name: str) -> float | None:
    """When the page was last asked for, by `time.monotonic`; None where it never was."""
    with urllib.request.urlopen(f"{base}/begun/{name}", timeout=10) as response:
        found: float | None = json.load(response)
    return found


def asked(base: str, number: int) -> list[tuple[float, float | None, str]]:
    """All requests to a healthy database: when each began and ended, and its query."""
    with urllib.request.urlopen(f"{base}/asked/{number}", timeout=10) as response:
        return [(begun, ended, query) for begun, ended, query in json.load(response)]


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency", type=int, default=0, metavar="MS")
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args().latency / 1000))


if __name__ == "__main__":
    main()
