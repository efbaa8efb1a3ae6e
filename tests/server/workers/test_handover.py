"""A server that starts anew: nobody who asks meanwhile is refused, cut off or forgotten."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from metasearch.server import handover
from metasearch.server.handover import VARIABLE, Handover
from metasearch.server.supervisor import _divided
from tests.server.workers.test_supervisor import (
    children,
    needs_proc,
    quiet,
    served,
    until_gone,
    workers,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need Unix-domain sockets")


def listener(port: int = 0) -> socket.socket:
    """A socket that others may share the address of."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen()
    return sock


def test_no_socket_is_left_without_a_worker():
    """As many workers as before have one each; fewer take several, more share."""
    one = listener()
    other = listener(one.getsockname()[1])
    with one, other:
        assert _divided([one, other], 2) == [[one], [other]]
        assert _divided([one, other], 1) == [[one, other]]
        assert _divided([one, other], 3) == [[one], [other], [one]]


def test_a_program_that_starts_first_has_nothing_of_before(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)

    assert Handover.take() == Handover()


def test_sockets_are_taken_once(monkeypatch):
    """A process that this one starts does not take them a second time."""
    given = listener()
    name = given.getsockname()
    given.set_inheritable(True)
    monkeypatch.setenv(VARIABLE, f"[[{given.detach()}], [7]]")
    taken = Handover.take()
    (sock,) = taken.sockets
    with sock:
        assert (sock.getsockname(), sock.get_inheritable()) == (name, False)
    assert (taken.processes, os.environ.get(VARIABLE)) == ({7}, None)


def test_a_program_that_is_gone_lets_the_server_go_on(monkeypatch, caplog):
    """As where an upgrade has moved the interpreter; its sockets are its own again."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    held = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with listener() as sock:
        handover.start_anew([sock], [])
        assert not sock.get_inheritable()
    assert "the server goes on as it is: /nowhere/python: No such file" in caplog.text
    assert VARIABLE not in os.environ
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == held


async def test_all_processes_of_before_are_waited_for(monkeypatch):
    """Also one that ends later than another."""
    alive, looks = {7: 1, 8: 3}, list[int]()

    def waitpid(pid: int, _options: int) -> tuple[int, int]:
        looks.append(pid)
        return (pid if looks.count(pid) == alive[pid] else 0, 0)

    monkeypatch.setattr(os, "waitpid", waitpid)
    monkeypatch.setattr(handover, "_EVERY", 0.0)
    before = Handover((), {7, 8})
    await before.reap()

    assert (before.processes, sorted(looks)) == (set(), [7, 8, 8, 8])


# ----------------------------------------------------------------------------------- real processes


async def answer(url: str, path: str) -> bytes:
    """The answer over a connection of its own, asked once: what is cut off stays cut off."""
    host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        head = f"GET /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        return await reader.read()
    finally:
        writer.close()


@pytest.mark.slow
@needs_proc
async def test_a_server_that_starts_anew_loses_no_request(folder):
    """Not those that come while there is no worker, nor a search that runs: all are answered. The
    process is the same, its workers are others, and the new configuration holds."""
    answers: list[bytes] = []
    anew = asyncio.Event()
    async with served(folder, "--demo") as (process, url):
        before = workers(process)
        assert process.stderr

        async def ask() -> None:
            while not anew.is_set() or len(answers) < 100:
                answers.append(await answer(url, "healthz"))

        search = "search?count=1&format=json&sources=demo-crossref&q=gambling"
        asking = [asyncio.create_task(ask()) for _ in range(4)]
        searching = [asyncio.create_task(answer(url, search + word)) for word in ("", "+harms")]
        for _ in range(2):  # the second time, from what the first has left
            process.send_signal(handover.SIGNAL)
            async with asyncio.timeout(120):
                said = (await process.stderr.readline()).decode()
                assert said == f"metasearch is listening on {url} (press Ctrl-C to stop)\n"
                await until_gone(before)
            before, last = workers(process), before
            assert len(before) == 2
            assert not before & last
        anew.set()
        await asyncio.gather(*asking)
        found = await asyncio.gather(*searching)
        process.terminate()
        _, rest = await process.communicate()

    assert {text.partition(b"\r\n")[0] for text in [*answers, *found]} == {b"HTTP/1.1 200 OK"}
    assert all(text.endswith(b"OK\n") for text in answers)
    assert (process.returncode, rest) == (0, b"")
    assert not list(folder.glob("metasearch-*"))


@pytest.mark.slow
@needs_proc
async def test_the_processes_of_before_are_reaped(folder):
    """None of them stays behind as a zombie of the parent."""
    async with served(folder, *quiet(folder)) as (process, url):
        started = children(process)
        assert process.stderr
        process.send_signal(handover.SIGNAL)
        async with asyncio.timeout(120):
            assert url in (await process.stderr.readline()).decode()
            while started & children(process):
                await asyncio.sleep(0.05)
        left: set[Path] = {path for pid in started if (path := Path(f"/proc/{pid}")).exists()}
        process.terminate()
        await process.communicate()

    assert (left, process.returncode) == (set(), 0)
