"""More clients at once than a server can search for: who is let in is served well, the others are
told when to come.

    python3 tasks.py bench overload [--clients 8,64,128] [--seconds 20] [--own]

Each client searches, and searches again when it was answered; one that is turned away comes back
when it was told to. Every search is for something new and asks ten databases that answer after 200
ms with 20 records each; the server is `metasearch serve`, as it comes. The databases are the
simulated ones beside the checkout, where they are there, else (and with --own) those of
`benchmarks/pages/database.py`.

Exits 1 where an accepted search lacks a record, where a 503 has no Retry-After, where anything else
came, and where the p95 of accepted searches is more than twice that of the first number of clients.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from benchmarks import upstreams
from benchmarks.held import MIB
from benchmarks.latency import percentile
from benchmarks.pages.database import databases
from benchmarks.processes import cpu_of_all, watched
from benchmarks.throughput import configuration, serving

DATABASES, ROWS, LATENCY = 10, 20, 200
#: By how much the p95 of accepted searches may exceed that of the first number of clients.
SLOWER = 2.0
#: Seconds after which a client comes back that was not told when; and after which it takes an
#: answer for lost.
UNTOLD, LOST = 1.0, 90.0
_ALL_THERE = {f"db{number}": ("ok", ROWS) for number in range(DATABASES)}


@dataclass(slots=True)
class Load:
    """What so many clients saw.

    Attributes:
        took: Seconds of each accepted search, from connecting to the last byte.
        refused: How many were turned away with a 503.
        untold: How many of these were not told when to come back.
        lacking: Status of a source -> how often an accepted search lacked its records for that.
        incomplete: How many accepted searches lacked any.
        odd: What else came -> how often.
        seconds: How long it took, and of that the CPU of the server and of the clients.
        peak: Bytes that the server held at most.
    """

    clients: int
    took: list[float] = field(default_factory=list)
    refused: int = 0
    untold: int = 0
    lacking: Counter[str] = field(default_factory=Counter)
    incomplete: int = 0
    odd: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    server_cpu: float = 0.0
    client_cpu: float = 0.0
    peak: int = 0

    @property
    def p95(self) -> float:
        """Seconds; 0 where none was accepted."""
        return percentile(self.took, 95) if self.took else 0.0

    def wrong(self, first: Load) -> Iterator[str]:
        """What does not hold, in words; `first` is the load that it is compared with."""
        if not self.took:
            yield "no search was accepted"
        if self.incomplete:
            why = ", ".join(f"{count} x {status}" for status, count in self.lacking.most_common())
            yield (
                f"{self.incomplete} of {len(self.took)} accepted searches lack records of "
                f"healthy databases ({why})"
            )
        if self.untold:
            yield (
                f"{self.untold} of {self.refused} that were turned away were not told when to "
                f"come back"
            )
        for text, count in self.odd.items():
            yield f"{count} x {text}"
        if self.p95 > SLOWER * first.p95:
            yield (
                f"p95 is {self.p95 / first.p95:.1f} times that of {first.clients} clients, "
                f"allowed is {SLOWER:g}"
            )


def look_at(body: bytes, load: Load) -> None:
    """Note what an accepted answer lacks."""
    found = {
        report["source"]: (report["status"], report["count"])
        for report in orjson.loads(body)["sources"]
    }
    if found != _ALL_THERE:
        load.incomplete += 1
        load.lacking.update(
            found.get(name, ("absent", 0))[0]
            for name, whole in _ALL_THERE.items()
            if found.get(name) != whole
        )


async def _client(url: str, queries: Iterator[str], until: float, load: Load) -> None:
    """Search again and again; each time over a connection of its own."""
    address = urllib.parse.urlsplit(url)
    while time.monotonic() < until:
        params = {"q": next(queries), "format": "json", "per_source": ROWS}
        target = f"{address.path}?{urllib.parse.urlencode(params)}"
        began = time.monotonic()
        try:
            async with asyncio.timeout(LOST):
                status, headers, body = await _get(
                    str(address.hostname), int(address.port or 80), target
                )
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as exc:
            load.odd[f"{type(exc).__name__}"] += 1
            await asyncio.sleep(UNTOLD)
            continue
        if status == 200:
            load.took.append(time.monotonic() - began)
            look_at(body, load)
        elif status == 503:
            load.refused += 1
            load.untold += "retry-after" not in headers
            await asyncio.sleep(float(headers.get("retry-after", UNTOLD)))
        else:
            load.odd[f"status {status}"] += 1
            await asyncio.sleep(UNTOLD)


async def _get(host: str, port: int, target: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in lower case and body of one answer."""
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 20)
    try:
        writer.write(
            f"GET {target} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode()
        )
        told = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in told[1:] if line)
        }
        if "content-length" in headers:
            body = await reader.readexactly(int(headers["content-length"]))
        else:
            body = (
                _joined(await reader.read())
                if "transfer-encoding" in headers
                else await reader.read()
            )
        return int(told[0].split()[1]), headers, body
    finally:
        writer.close()


def _joined(chunked: bytes) -> bytes:
    """A body out of its chunks."""
    parts, place = [], 0
    while size := int(chunked[place : (end := chunked.index(b"\r\n", place))], 16):
        parts.append(chunked[end + 2 : end + 2 + size])
        place = end + 4 + size
    return b"".join(parts)


async def _clients(url: str, queries: Iterator[str], seconds: float, load: Load) -> None:
    until = time.monotonic() + seconds
    await asyncio.gather(*(_client(url, queries, until, load) for _ in range(load.clients)))


def loaded(url: str, process: int, queries: Iterator[str], clients: int, seconds: float) -> Load:
    """What so many clients see of a server in so many seconds; searches under way then are waited
    for."""
    load = Load(clients)
    cpu, own, began = cpu_of_all(process), time.process_time(), time.monotonic()
    with watched(process) as peak:
        asyncio.run(_clients(url, queries, seconds, load))
    load.seconds, load.peak = time.monotonic() - began, max(peak, default=0)
    load.server_cpu, load.client_cpu = cpu_of_all(process) - cpu, time.process_time() - own
    return load


@contextmanager
def sources(own: bool) -> Iterator[str]:
    """Ten running databases; gives the configuration that names them, in TOML."""
    if own or not upstreams.MOCK.exists():
        with databases(LATENCY) as base:
            tables: Mapping[str, Mapping[str, Any]] = {
                f"db{number}": {
                    "extends": "crossref",
                    "url": f"{base}/healthy/{number}",
                    "limits": {**upstreams.UNLIMITED, "timeout": 8.0},
                }
                for number in range(DATABASES)
            }
            yield configuration(base, tables)
    else:
        with upstreams.mock(DATABASES, "--set", f"all latency={LATENCY}") as base:
            yield configuration(base)


_COLUMNS = (
    "clients",
    "accepted",
    "503",
    "with Retry-After",
    "incomplete",
    "other answers",
    "p50",
    "p95",
    "x first",
    "server CPU",
    "memory",
    "clients' CPU",
)


def line(load: Load, first: Load) -> str:
    """A line of the table, in Markdown."""
    p50 = percentile(load.took, 50) if load.took else 0.0
    cells: Sequence[object] = (
        load.clients,
        len(load.took),
        load.refused,
        load.refused - load.untold,
        load.incomplete,
        sum(load.odd.values()),
        f"{p50:.2f} s",
        f"{load.p95:.2f} s",
        f"{load.p95 / first.p95:.1f}" if first.p95 else "-",
        f"{load.server_cpu / load.seconds:.2f} cores",
        f"{load.peak / MIB:.0f} MiB",
        f"{load.client_cpu / load.seconds:.2f} cores",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Print a line for each number of clients; exit 1 on a violation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--clients",
        default="8,64,128",
        metavar="N,...",
        help="how many at once; the first is the measure",
    )
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="how long each number of them goes on"
    )
    parser.add_argument("--own", action="store_true", help="ask our own databases in any case")
    options = parser.parse_args()
    try:
        numbers = [int(text) for text in options.clients.split(",")]
    except ValueError:
        numbers = [0]
    if not all(0 < number <= 1000 for number in numbers):
        parser.error("--clients is a list of numbers between 1 and 1,000")
    if not 1 <= options.seconds <= 600:
        parser.error("--seconds is between 1 and 600")
    queries = upstreams.queries()
    loads: list[Load] = []
    with sources(options.own) as configured, serving(configured, 1) as (url, process):
        loaded(url, process, queries, min(numbers[0], 4), 1.0)  # what is loaded once
        print(f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}", flush=True)
        for number in numbers:
            loads.append(loaded(url, process, queries, number, options.seconds))
            print(line(loads[-1], loads[0]), flush=True)
    wrong = [(load.clients, text) for load in loads for text in load.wrong(loads[0])]
    print()
    for clients, text in wrong:
        print(f"  VIOLATION  {clients} clients: {text}")
    print(f"{len(wrong)} violation(s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
