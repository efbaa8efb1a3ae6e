"""What the longest queries cost everybody else: thirty clients have queries of 990 terms
translated, planned, read and searched for, while `/healthz` is asked.

    python3 tasks.py bench queries [--clients 30] [--seconds 10] [--route translate]

A search asks ten databases of this machine; the other routes ask none. A client asks, and asks
again when it was answered, each time over a connection of its own; one that is turned away comes
back when it was told to.

Exits 1 where the slowest of the answers of /healthz took 200 ms or more, where a client was turned
away without Retry-After, where anything but 200, 429 and 503 came, and where no client was
answered.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field

import aiohttp
from yarl import URL

from benchmarks.latency import percentile
from benchmarks.overload import sources
from benchmarks.throughput import serving

#: Milliseconds that an answer of /healthz may take at most, and seconds between two of them.
GOAL, PAUSE = 200.0, 0.02
TERMS = 990
#: Seconds after which a client comes back that was not told when.
UNTOLD = 1.0

_LETTERS = "bcdfghjklmnpqrstvwxyz"
#: Short words, so that an address holds as many as a query may have.
_WORDS = [f"{letter}{number}" for number in range(48) for letter in _LETTERS][:TERMS]
_OR = " OR ".join(_WORDS)
_FIELDS = (
    f"({' OR '.join(f'title:marsh{word}*' for word in _WORDS[::2])}) AND "
    f"({' OR '.join(f'author:{word}' for word in _WORDS[1::2])})"
)
_CQL = " or ".join(f"dc.title={word}soil" for word in _WORDS)
#: Name -> method, path and parameters: each computes from a text as long as it may be.
ROUTES: dict[str, tuple[str, str, dict[str, str]]] = {
    "translate": ("POST", "/translate", {"q": _FIELDS}),
    "plan": ("GET", "/plan", {"q": _OR}),
    "advanced-plan": ("GET", "/advanced", {"q": _OR, "tab": "expert", "do": "plan"}),
    "advanced-rows": ("GET", "/advanced", {"q": _OR, "do": "rows"}),
    "help": ("GET", "/help", {"q": _OR}),
    "search": ("POST", "/search", {"q": _OR, "format": "json"}),
    "sru": (
        "POST",
        "/sru",
        {"query": _CQL, "operation": "searchRetrieve", "version": "1.2", "maximumRecords": "1"},
    ),
    "searxng": ("POST", "/searxng", {"q": _FIELDS, "format": "json"}),
}


@dataclass(slots=True)
class Pressed:
    """What the clients and /healthz saw.

    Attributes:
        healthy: Milliseconds of each answer of /healthz.
        took: Seconds of each answer with 200.
        refused: How many were turned away.
        untold: How many of these were not told when to come back.
        odd: What else came -> how often.
    """

    healthy: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    refused: int = 0
    untold: int = 0
    odd: Counter[str] = field(default_factory=Counter)

    def wrong(self) -> list[str]:
        """What does not hold, in words."""
        found = [f"{count} x {text}" for text, count in self.odd.items()]
        if max(self.healthy, default=GOAL) >= GOAL:
            found.append(
                f"/healthz took {max(self.healthy, default=GOAL):.0f} ms, {GOAL:g} allowed"
            )
        if self.untold:
            found.append(f"{self.untold} of {self.refused} refusals name no time")
        if not self.took:
            found.append("no client was answered")
        return found


async def _client(base: str, route: str, until: float, seen: Pressed) -> None:
    method, path, parameters = ROUTES[route]
    place, data = f"{base}{path}", parameters
    if method == "GET":
        place, data = f"{place}?{urllib.parse.urlencode(parameters)}", {}
    while time.monotonic() < until:
        began = time.monotonic()
        connector = aiohttp.TCPConnector(force_close=True)
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.request(method, URL(place, encoded=True), data=data) as response,
        ):
            await response.read()
        if response.status == 200:
            seen.took.append(time.monotonic() - began)
        elif response.status in (429, 503):
            seen.refused += 1
            seen.untold += "Retry-After" not in response.headers
            await asyncio.sleep(float(response.headers.get("Retry-After", UNTOLD)))
        else:
            seen.odd[f"status {response.status}"] += 1
            await asyncio.sleep(UNTOLD)


async def _healthz(base: str, until: float, seen: Pressed) -> None:
    async with aiohttp.ClientSession() as session:
        while time.monotonic() < until:
            began = time.monotonic()
            async with session.get(f"{base}/healthz") as response:
                await response.read()
            seen.healthy.append((time.monotonic() - began) * 1_000)
            await asyncio.sleep(PAUSE)


async def pressed(base: str, route: str, clients: int, seconds: float) -> Pressed:
    """What so many clients of a route, and /healthz beside them, see in so many seconds."""
    seen, until = Pressed(), time.monotonic() + seconds
    await asyncio.gather(
        _healthz(base, until, seen), *(_client(base, route, until, seen) for _ in range(clients))
    )
    return seen


def main() -> int:
    """Print a line for each route; exit 1 on a violation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each route")
    parser.add_argument("--route", choices=tuple(ROUTES), action="append")
    options = parser.parse_args()
    if not 1 <= options.clients <= 1_000 or not 1 <= options.seconds <= 600:
        parser.error("--clients is 1 to 1,000, --seconds 1 to 600")
    wrong = 0
    print("| route | answered | refused | p50 of an answer | healthz p50 | p95 | slowest |")
    print(f"|{' --- |' * 7}")
    with sources(own=True) as configured, serving(configured, 1) as (url, _):
        base = url.removesuffix("/search")
        for route in options.route or ROUTES:
            asyncio.run(pressed(base, route, 1, 1.0))  # what is loaded once
            seen = asyncio.run(pressed(base, route, options.clients, options.seconds))
            p50 = percentile(seen.took, 50) if seen.took else 0.0
            healthy = seen.healthy or [0.0]
            print(
                f"| {route} | {len(seen.took)} | {seen.refused} | {p50:.2f} s |"
                f" {percentile(healthy, 50):.0f} ms | {percentile(healthy, 95):.0f} ms |"
                f" {max(healthy):.0f} ms |",
                flush=True,
            )
            for text in seen.wrong():
                wrong += 1
                print(f"  VIOLATION  {route}: {text}")
    print(f"\n{wrong} violation(s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
