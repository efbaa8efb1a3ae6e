"""One side of a comparison: a process that measures with the `metasearch` package of one checkout.

Reads a line of JSON for each call, {"call": "cpu", "with": {...}}, and answers with a line,
{"value": ...} or {"error": "..."}; the methods of `Side` are what can be called. It says {"value":
"ready"} first. `turns.py` is the other end.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from benchmarks import held, upstreams, zebra
from benchmarks.against.moved import moved
from benchmarks.latency import TICK, percentile, watched, with_missed
from metasearch.engine.engine import Engine
from metasearch.record import Record

#: Seconds that the searches of a benchmark may take, on a machine that does other things.
PATIENCE = 60.0


class Side:
    """What can be called, with an engine that is opened first."""

    def __init__(self) -> None:
        self._closing = AsyncExitStack()
        self._engine: Engine | None = None
        self._sources = 0
        self._sets: dict[str, Sequence[Record]] = {}

    async def open(self, base: str, shapes: Sequence[str]) -> None:
        """Open an engine for simulated databases of these shapes."""
        settings = upstreams.settings(base, shapes, PATIENCE)
        self._engine = await self._closing.enter_async_context(Engine(settings))
        self._sources = len(shapes)

    async def open_catalogues(self, targets: Mapping[str, str]) -> None:
        """Open an engine for catalogues, name -> URL."""
        self._engine = await self._closing.enter_async_context(Engine(zebra.settings(targets)))
        self._sources = len(targets)

    async def warm(self, query: str, rows: int) -> None:
        """Load what is loaded once."""
        await self._search(query, rows)
        await self.serving()

    async def serving(self) -> None:
        """Treat garbage and freed memory as the server of the package does."""
        await self._closing.enter_async_context(moved("spare_memory|sparing")())

    async def cpu(self, queries: Sequence[str], rows: int, at_once: int = 1) -> float:
        """Milliseconds of CPU of this process for one query, while so many are under way."""
        gc.collect()
        began = time.process_time()
        await self._all(queries, rows, at_once)
        return (time.process_time() - began) / len(queries) * 1000

    async def late(self, queries: Sequence[str], rows: int, at_once: int = 1) -> dict[str, float]:
        """p99 of the milliseconds by which what falls due meanwhile is late, as of
        `latency.stall`; and of those for which this process itself is the cause."""
        async with watched() as looks:
            await self._all(queries, rows, at_once)
        late = [look.late for look in looks]
        own = [min(look.late, look.computed) for look in looks]
        tick = TICK * 1000
        return {
            "late": percentile(with_missed(late, tick), 99),
            "own": percentile(with_missed(own, tick), 99),
        }

    async def idle(self, seconds: float) -> None:
        """Do nothing; the loop runs on."""
        await asyncio.sleep(seconds)

    async def memory(self) -> dict[str, int]:
        """Bytes that the process holds, and has held at most."""
        return {"now": held.resident(), "most": held.highest()}

    async def dedup(self, path: str) -> float:
        """Seconds of CPU for the works of a labelled set; it is read only once."""
        from metasearch.dedup import DEFAULT  # here, so that a process that searches has no more

        read, *_ = moved("read", "reason_to_skip|skipped", "A_SET")
        cluster, _ = moved("cluster", "OtherOrders|Shuffled")
        if path not in self._sets:
            self._sets[path] = read(Path(path)).records
        seconds: float = cluster(self._sets[path], DEFAULT)[-1]
        return seconds

    async def close(self) -> None:
        """Close the engine."""
        await self._closing.aclose()

    async def _all(self, queries: Sequence[str], rows: int, at_once: int) -> None:
        waiting: Iterator[str] = iter(queries)

        async def work() -> None:
            for query in waiting:
                await self._search(query, rows)

        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(work())

    async def _search(self, query: str, rows: int) -> None:
        assert self._engine is not None
        answer = await self._engine.search(query, per_source=rows)
        assert answer.counts.received == rows * self._sources, answer.sources


async def serve() -> None:
    """Answer the calls of standard input, until that ends."""
    side, loop = Side(), asyncio.get_running_loop()
    # What the package prints must not come between.
    out, sys.stdout = sys.stdout, sys.stderr

    def say(**said: Any) -> None:
        out.write(json.dumps(said) + "\n")
        out.flush()

    lines = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    say(value="ready")
    while line := await lines.readline():
        asked = json.loads(line)
        try:
            say(value=await getattr(side, asked["call"])(**asked["with"]))
        except Exception as exc:
            error = exc
            while isinstance(error, ExceptionGroup):
                error = error.exceptions[0]
            say(error=f"{type(error).__name__}: {error}"[:400])
    await side.close()


if __name__ == "__main__":
    asyncio.run(serve())
