"""A process that searches through the engine: a line of JSON in is a search, a line out what came
of it.

python -m benchmarks.pages.searcher CONFIG
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from benchmarks.pages.faces import QUERY
from metasearch.engine.engine import Engine
from metasearch.settings import Settings


async def searched() -> None:
    """Until the input ends."""
    print("ready", flush=True)
    async with Engine(Settings.load(Path(sys.argv[1]), {})) as engine:
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            began = time.monotonic()
            answer = await engine.search(
                QUERY, sources=asked["sources"], per_source=20, timeout=asked["timeout"]
            )
            ended = time.monotonic()
            kept: dict[str, int] = {}
            for hit in answer.hits:
                for record in hit.records:
                    kept[record.source] = kept.get(record.source, 0) + 1
            status = {report.source: report.status for report in answer.sources}
            print(
                json.dumps({"ended": ended, "began": began, "kept": kept, "status": status}),
                flush=True,
            )


if __name__ == "__main__":
    asyncio.run(searched())
