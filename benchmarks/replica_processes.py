"""Replicas: several `metasearch serve` with one configuration, which share a server or do not."""

from __future__ import annotations

import asyncio
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from benchmarks import servers, upstreams
from benchmarks.throughput import configuration

#: Records asked from each database.
ROWS = 5


@dataclass(frozen=True, slots=True)
class Replica:
    """One server.

    Attributes:
        url: Of its searches.
        process: What runs it.
    """

    url: str
    process: subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a search.

    Attributes:
        query: That was asked.
        seconds: From asking to the last byte.
        complete: Whether every database gave its records.
        lacking: Status of the databases that did not.
        answer: The JSON; empty where none came.
    """

    query: str
    seconds: float
    complete: bool
    lacking: tuple[str, ...] = ()
    answer: Mapping[str, Any] | None = None


def given_up(made: Sequence[Replica]) -> int:
    """How often these replicas gave the shared server up; one that does not answer: never."""
    times = 0
    for replica in made:
        with (
            suppress(OSError),
            urllib.request.urlopen(f"{replica.url}/metrics", timeout=10) as told,
        ):
            for line in told.read().decode().splitlines():
                if line.startswith("metasearch_shared_failures_total"):
                    times += int(float(line.split()[-1]))
    return times


@contextmanager
def lateness() -> Iterator[list[float]]:
    """By how many seconds a thread that sleeps was woken too late, at most, while the block lasts:
    so late was everything else here, too.
    """
    worst = [0.0]
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            began = time.monotonic()
            time.sleep(0.005)
            worst[0] = max(worst[0], time.monotonic() - began - 0.005)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield worst
    finally:
        ended.set()
        looking.join()


def tables(base: str, count: int, **limits: Any) -> dict[str, dict[str, Any]]:
    """So many databases of `pages.database`, with these limits."""
    return {
        f"db{number}": {
            "extends": "crossref",
            "url": f"{base}/healthy/{number}",
            "limits": {**upstreams.UNLIMITED, "timeout": 20.0, **limits},
        }
        for number in range(count)
    }


@contextmanager
def replicas(
    base: str, sources: Mapping[str, Mapping[str, Any]], shared: str | None, count: int = 2
) -> Iterator[list[Replica]]:
    """Running replicas, each with a page cache of its own.

    Args:
        base: URL of the databases.
        sources: Source -> its table.
        shared: URL of the server that they share; None shares nothing.
        count: How many.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        begun = []
        for number in range(count):
            text = configuration(base, sources).replace(
                "enabled = false", f'dir = "{folder / str(number)}"'
            )
            text = text.replace("[search]\n", "[search]\ntimeout = 30.0\n")
            if shared is not None:
                text += f'[shared]\nurl = "{shared}"\nreplicas = {count}\n'
            config = folder / f"{number}.toml"
            config.write_text(text, encoding="utf-8")
            log = folder / f"{number}.log"
            process = stack.enter_context(servers.start(config, log))
            stack.callback(process.kill)
            begun.append((process, log))
        made = [Replica(servers.address(*one), one[0]) for one in begun]
        yield made


async def search(session: aiohttp.ClientSession, replica: Replica, query: str) -> Outcome:
    """One search at one replica; it never raises."""
    began = time.monotonic()
    params = {"q": query, "format": "json", "per_source": str(ROWS)}
    try:
        async with session.get(f"{replica.url}/search", params=params) as response:
            answer = await response.json()
            status = response.status
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as exc:
        return Outcome(query, time.monotonic() - began, False, (type(exc).__name__,))
    if status != 200:
        return Outcome(query, time.monotonic() - began, False, (f"status {status}",))
    lacking = tuple(report["status"] for report in answer["sources"] if (report["status"] != "ok"))
    return Outcome(query, time.monotonic() - began, not lacking, lacking, answer)


async def searches(
    asked: Sequence[tuple[Replica, str]], at_once: int | None = None
) -> list[Outcome]:
    """Searches at replicas, all or so many at once."""
    places = asyncio.Semaphore(at_once or len(asked) or 1)
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def one(replica: Replica, query: str) -> Outcome:
            async with places:
                return await search(session, replica, query)

        return list(await asyncio.gather(*(one(*each) for each in asked)))
