"""Processes that serve one address: how they are started, replaced and ended."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from metasearch.errors import MetasearchError, UsageError
from metasearch.server import supervisor
from metasearch.server.supervisor import WorkerKeeper, _listeners
from tests.server.workers.test_workers import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need Unix-domain sockets")

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def unstartable(monkeypatch) -> tuple[WorkerKeeper, list[int]]:
    """A worker that cannot be started, and how often that was tried."""
    tried: list[int] = []

    def start(self: WorkerKeeper) -> None:
        tried.append(len(tried))
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(WorkerKeeper, "_start", start)
    return WorkerKeeper(None, 3, ()), tried  # type: ignore[arg-type]


async def test_a_worker_that_cannot_be_started_again_is_tried_again(
    unstartable, monkeypatch, caplog
):
    """A machine that is short of processes for a moment costs that worker, not the server."""
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.0)
    worker, tried = unstartable
    worker.ready.set()
    keeping = asyncio.create_task(worker.keep())
    await until(lambda: len(tried) > 2)
    worker.finish()
    await keeping

    assert (
        "worker 3 ended before it began: no more processes; a new one starts in 0 s" in caplog.text
    )


async def test_a_first_worker_that_cannot_be_started_is_an_error(unstartable):
    """Nobody is served yet, so it is told at once."""
    with pytest.raises(
        MetasearchError,
        match="a worker could not begin: it ended before it began: no more processes",
    ):
        await unstartable[0].keep()


async def test_the_end_does_not_wait_for_a_pause(unstartable, monkeypatch):
    """A worker that would be replaced in an hour is not, when the server is told to stop."""
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 3600.0)
    worker, tried = unstartable
    worker.ready.set()
    keeping = asyncio.create_task(worker.keep())
    await until(lambda: tried)
    worker.finish()
    async with asyncio.timeout(60):
        await keeping

    assert len(tried) == 1


# ----------------------------------------------------------------------------------- real processes


@asynccontextmanager
async def served(
    folder: Path, *options: str, workers: int = 2, path: str = ""
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`metasearch serve` with workers; gives the parent and the address. `path` comes first on
    PYTHONPATH."""
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-m",
            "metasearch",
            "serve",
            "--workers",
            str(workers),
            "--port",
            "0",
            *options,
        ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [path, str(ROOT)])),
            "TMPDIR": str(folder),
        },
    )
    assert process.stderr
    try:
        async with asyncio.timeout(60):
            first = (await process.stderr.readline()).decode()
        assert first.startswith("metasearch is listening on "), first
        yield process, first.removeprefix("metasearch is listening on ").split()[0]
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def quiet(folder: Path) -> tuple[str, str]:
    """The option for a configuration that asks nobody."""
    config = folder / "config.toml"
    config.write_text("[search]\nsources = []\n[cache]\nenabled = false\n")
    return "--config", str(config)


def sockets(folder: Path) -> list[Path]:
    """Those by which workers ask one another."""
    return sorted(folder.glob("metasearch-*/*.sock"))


def children(process: asyncio.subprocess.Process) -> set[int]:
    """The processes that a process has started."""
    return {
        int(it)
        for it in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    }


def workers(process: asyncio.subprocess.Process) -> set[int]:
    """Those of them that serve."""
    return {
        it for it in children(process) if b"spawn_main" in Path(f"/proc/{it}/cmdline").read_bytes()
    }


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


async def until_gone(pids: set[int]) -> None:
    """Waits until all processes have ended."""
    async with asyncio.timeout(60):
        while any(alive(pid) for pid in pids):
            await asyncio.sleep(0.02)


async def got(url: str, **headers: str) -> str:
    """What is answered over a connection of its own, so that any worker may answer."""
    async with aiohttp.ClientSession(headers=headers) as session, session.get(url) as response:
        assert response.status == 200
        return await response.text()


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="looks for processes in /proc"
)


@needs_proc
@pytest.mark.slow
async def test_two_demos_with_workers_side_by_side(folder):
    """Neither takes a port from the other: all databases of both answer."""
    async with served(folder, "--demo") as (one, here), served(folder, "--demo") as (other, there):
        query = (
            "search?q=gambling+harms&count=1&format=json"
            "&sources=demo-crossref,demo-openalex,demo-pubmed"
        )
        for url in (here, there, here, there):
            answer = json.loads(await got(f"{url}{query}"))
            assert [it["status"] for it in answer["sources"]] == ["ok"] * 3
        for process in (one, other):
            process.terminate()
            _, rest = await process.communicate()
            assert (process.returncode, rest) == (0, b"")


@pytest.mark.slow
@needs_proc
async def test_the_demo_with_workers(folder):
    """Both answer at the address that was announced, a search finds something, and one that is
    killed is replaced."""
    async with served(folder, "--demo") as (process, url):
        before = workers(process)
        async with asyncio.timeout(60):
            while True:  # until each of the two was chosen by the system
                await got(f"{url}healthz")
                if (
                    len(
                        [
                            it
                            for it in folder.glob("metasearch-*/*.json")
                            if b"healthz" in it.read_bytes()
                        ]
                    )
                    == 2
                ):
                    break
                counted = await got(f"{url}metrics")
        answer = await got(f"{url}search?q=gambling+harms&count=1&sources=demo-crossref")
        assert '"rank":1' in answer
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        assert process.stderr
        async with asyncio.timeout(60):
            said = (await process.stderr.readline()).decode()
            while len(workers(process)) < 2 or len(sockets(folder)) < 2:
                await asyncio.sleep(0.02)
            told = [
                await got(f"{url}metrics") for _ in range(6)
            ]  # two of six connections come to the new one
        process.terminate()
        _, rest = await process.communicate()

    assert len(before) == 2
    assert 'code="200",face="healthz"' in counted
    assert all('code="200",face="healthz"' in it and "metasearch_workers 2" in it for it in told)
    assert "ended by signal 9; a new one starts in 0.25 s" in said
    assert (process.returncode, rest) == (0, b"")


@pytest.mark.slow
@needs_proc
async def test_the_end_leaves_nothing(folder):
    """No process, no socket, no folder, and nothing on stderr; until then the port is taken for
    others like it, too."""
    async with served(folder, *quiet(folder)) as (process, url):
        assert await got(f"{url}healthz") == "OK\n"
        assert [it.name for it in sockets(folder)] == ["0.sock", "1.sock"]
        assert sockets(folder)[0].parent.stat().st_mode & 0o777 == 0o700
        with pytest.raises(UsageError, match=r"cannot listen on 127\.0\.0\.1:"):
            await _listeners("127.0.0.1", int(url.rstrip("/").rpartition(":")[2]), 2)
        started = children(process)
        process.send_signal(signal.SIGINT)
        out, rest = await process.communicate()
        await until_gone(started)

    assert len(started) >= 2
    assert (process.returncode, out, rest) == (0, b"", b"")
    assert not list(folder.glob("metasearch-*"))


@pytest.mark.slow
@needs_proc
async def test_workers_end_when_their_parent_is_killed(folder):
    """Nobody is left who holds the port."""
    async with served(folder, *quiet(folder)) as (process, url):
        started = children(process)
        process.kill()
        await until_gone(started)
        with pytest.raises(aiohttp.ClientConnectorError):
            await got(f"{url}healthz")

    assert not sockets(folder)
