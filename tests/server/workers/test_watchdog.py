"""A worker that hangs in C code: neither it nor its clients are lost for longer than the
configuration says."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from metasearch.server import process as heartbeat
from tests.server.workers.test_supervisor import (
    alive,
    got,
    needs_proc,
    served,
    until_gone,
    workers,
)
from tests.stuck import STUCK, site

pytestmark = [
    needs_proc,
    pytest.mark.skipif(sys.platform == "win32", reason="workers need Unix-domain sockets"),
]


@asynccontextmanager
async def hanging(
    folder: Path, silence: float, *options: str, number: int = 1
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str, asyncio.Task[bytes]]]:
    """A server with a worker that hangs in C by now; gives the parent, the address and the request
    that did it."""
    config = folder / "config.toml"
    config.write_text(
        f"[search]\nsources = []\n[cache]\nenabled = false\n[server]\nsilence = {silence}\n"
    )
    path = site(folder, "metasearch.query.any_syntax", "read")
    async with served(folder, "--config", str(config), *options, workers=number, path=path) as (
        process,
        url,
    ):
        assert await got(f"{url}healthz") == "OK\n"

        async def ask() -> bytes:
            host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
            reader, writer = await asyncio.open_connection(
                host, int(port)
            )  # aiohttp would ask a second time
            try:
                writer.write(f"GET /search?q={STUCK} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                return await reader.read()
            finally:
                writer.close()

        asking = asyncio.create_task(ask())
        try:
            async with asyncio.timeout(60):
                await busy(process)
            yield process, url, asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)


async def busy(process: asyncio.subprocess.Process) -> None:
    """Waits until a worker has computed for a third of a second: none of them has anything else to
    do."""
    before = {pid: spent(pid) for pid in workers(process)}
    while all(spent(pid) - cpu < 0.3 for pid, cpu in before.items()):
        await asyncio.sleep(0.05)


def spent(pid: int) -> float:
    """Seconds of CPU time of a process; without end where it has been replaced already."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
async def test_a_silent_worker_is_replaced(folder):
    """Those who wait are answered by the next one, the log says where it was and not what was
    asked, and it counts."""
    async with hanging(folder, 5) as (process, url, asking):
        before = workers(process)
        async with asyncio.timeout(60):
            assert await got(f"{url}healthz") == "OK\n"
            (lost,) = await asyncio.gather(asking, return_exceptions=True)
            assert workers(process).isdisjoint(before)
            counted = await got(f"{url}metrics")
        process.terminate()
        _, said = await process.communicate()

    told = said.decode()
    assert lost == b"" or isinstance(lost, ConnectionResetError)
    assert 'metasearch_workers_replaced_total{reason="silent"} 1.0\n' in counted
    assert "the loop of worker 0 has stopped for 5 s; it is at:" in told
    assert 'tests/stuck.py", line ' in told
    assert "in hang_in_c" in told
    assert "worker 0 ended by us, after 5 s of silence; a new one starts in 0.25 s" in told
    assert STUCK not in told
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_stuck_worker_ends_soon_after_a_signal(folder, number):
    """The other workers of the server do so as ever."""
    async with hanging(folder, 0, number=2) as (process, _, _asking):
        started = workers(process)
        began = time.monotonic()
        process.send_signal(number)
        _, said = await process.communicate()
        took = time.monotonic() - began

    assert took < 40, "it would compute for minutes"
    assert not any(alive(pid) for pid in started)
    assert process.returncode == 0
    assert b"did not end in time, and was killed" in said


@pytest.mark.slow
async def test_a_stuck_worker_ends_without_its_parent(folder):
    """The kernel ends it, when nobody is left who could."""
    async with hanging(folder, 6) as (process, _, _asking):
        started = workers(process)
        process.kill()
        await process.communicate()
        await until_gone(started)


@pytest.mark.slow
async def test_a_worker_that_crashes_tells_where(folder):
    """The log has the stacks of a process that was ended by a fault in C code."""
    config = folder / "config.toml"
    config.write_text("[search]\nsources = []\n[cache]\nenabled = false\n")
    async with served(folder, "--config", str(config), workers=1) as (process, url):
        (victim,) = workers(process)
        os.kill(victim, signal.SIGSEGV)
        async with asyncio.timeout(60):
            while workers(process) == {victim}:
                await asyncio.sleep(0.05)
            assert await got(f"{url}healthz") == "OK\n"
            assert 'metasearch_workers_replaced_total{reason="ended"} 1.0\n' in await got(
                f"{url}metrics"
            )
        process.terminate()
        _, said = await process.communicate()

    assert "worker 0 crashed; it was at:\nFatal Python error: Segmentation fault" in said.decode()
    assert "worker 0 ended by signal 11" in said.decode()


@pytest.mark.slow
async def test_one_worker_can_do_without_a_parent(folder):
    """`--workers 0` answers in the process itself."""
    config = folder / "config.toml"
    config.write_text("[search]\nsources = []\n[cache]\nenabled = false\n")
    async with served(folder, "--config", str(config), workers=0) as (process, url):
        assert await got(f"{url}healthz") == "OK\n"
        assert workers(process) == set()
        assert "metasearch_workers 1.0\n" in await got(f"{url}metrics")
        process.terminate()
        out, said = await process.communicate()

    assert (process.returncode, out, said) == (0, b"", b"")


@pytest.mark.slow
async def test_what_a_worker_refuses_is_told_by_its_parent(folder):
    """A source with a wrong spec is named, with exit code 2 and without a traceback, however many
    workers there are."""
    config = folder / "config.toml"
    config.write_text('[search]\nsources = ["nowhere"]\n[cache]\nenabled = false\n')
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "metasearch", "serve", "--port", "0", "--config", str(config)),
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()

    assert process.returncode == 2
    assert said.decode().startswith("error: ")
    assert "nowhere" in said.decode()
    assert "Traceback" not in said.decode()


@pytest.mark.slow
async def test_a_parent_that_does_not_read_stops_no_loop():
    """Signs of life that nobody takes are dropped, and the loop goes on."""
    from multiprocessing import Pipe

    told, show = Pipe(duplex=False)
    with told, show:
        os.set_blocking(show.fileno(), False)
        os.set_blocking(told.fileno(), False)
        while True:
            try:
                os.write(show.fileno(), b"\0" * 4096)
            except BlockingIOError:
                break
        heartbeat.beat(show, 0)
        await asyncio.sleep(0)
        assert heartbeat.has_beaten(told)
