"""A server with users in a process of its own, which tells how late its event loop was.

`python -m benchmarks.beating FOLDER` is that process: it writes its address, and then, whenever a
line comes, the delays since the line before.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.latency import TICK, percentile, with_missed
from metasearch.server.app import open_server
from metasearch.settings import ServerSettings, Settings
from metasearch.settings.users import UsersSettings

#: The workspace in the folder.
FILE = "workspace.sqlite3"


@dataclass(frozen=True, slots=True)
class Late:
    """Milliseconds.

    Attributes:
        p99: By how much whatever was due came too late, as `latency.stall` counts; on a busy
            machine also because of others.
        worst: The latest.
        computed: The longest time that the loop itself computed without a pause.
    """

    p99: float
    worst: float
    computed: float


@dataclass(frozen=True, slots=True)
class Beating:
    """The server.

    Attributes:
        base: Its address.
        process: Its id.
    """

    base: str
    process: int
    _pipe: subprocess.Popen[str]

    def late(self) -> Late:
        """How late the loop was since the last call."""
        assert self._pipe.stdin is not None
        assert self._pipe.stdout is not None
        self._pipe.stdin.write("\n")
        self._pipe.stdin.flush()
        return Late(**json.loads(self._pipe.stdout.readline()))


@contextmanager
def beating(folder: Path) -> Iterator[Beating]:
    """A server of the workspace in a folder, with local users, over the databases of the demo."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.beating", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield Beating(process.stdout.readline().strip(), process.pid, process)
        finally:
            process.terminate()
            process.wait(20)


async def serve(folder: Path) -> None:
    """The process."""
    settings = Settings(
        workspace=folder / FILE,
        serve_workspace=True,
        users=UsersSettings(mode="local"),
        server=ServerSettings(rate_limit=0),
    )
    late: list[float] = []
    computed: list[float] = []

    async def beat() -> None:
        while True:
            began, own = time.perf_counter(), time.thread_time()
            await asyncio.sleep(TICK)
            late.append((time.perf_counter() - began - TICK) * 1000)
            computed.append((time.thread_time() - own) * 1000)

    async with open_server(settings, demo=True) as url:
        print(url, flush=True)
        watching = asyncio.create_task(beat())
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while await lines.readline():
            told, most = late[:] or [0.0], max(computed, default=0.0)
            late.clear()
            computed.clear()
            p99 = percentile(with_missed(told, TICK * 1000), 99)
            print(json.dumps({"p99": p99, "worst": max(told), "computed": most}), flush=True)
        watching.cancel()


if __name__ == "__main__":
    os.environ.setdefault("METASEARCH_LOG", "error")
    asyncio.run(serve(Path(sys.argv[1])))
