"""The parent of worker processes that serve one address: it starts, watches and ends them.

The workers are new interpreters (multiprocessing's "spawn"), not forks: a fork would copy a loop,
open connections and the threads of libraries in the middle of what they do. The parent makes all
listening sockets and keeps them, so that connections which wait at a worker that has ended are
answered by the one that replaces it. It loads nothing that answers requests, so that it costs
little. Docs: docs/server.md, why: docs/decisions/0020-the-watchdog.md.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from dataclasses import replace
from multiprocessing import resource_tracker
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from metasearch.errors import UsageError
from metasearch.server.limits.keys import ApiKeys
from metasearch.server.options import Options
from metasearch.server.process import LoopName, supervisable
from metasearch.server.sockets import BACKLOG, address, listen
from metasearch.server.workers.keeper import Replacements, WorkerKeeper
from metasearch.server.workers.worker import SIGNALS, WorkerJob
from metasearch.settings import Settings

logger = logging.getLogger("metasearch.server")

#: Seconds that workers have to end before they are killed; requests in flight have two of them.
PATIENCE = 6.0
#: Characters that the path of a Unix-domain socket may have, on every system.
_LONGEST_PATH = 100


async def supervise(
    settings: Settings,
    host: str,
    port: int,
    demo: bool,
    announce: Callable[[str], None],
    workers: int,
    loop: LoopName,
    prepare: Callable[[], AbstractContextManager[object]],
) -> None:
    """Keeps workers running until SIGINT or SIGTERM; arguments and errors as `serving.serve`."""
    if not supervisable():
        raise UsageError("this system cannot run several workers", advice="Leave --workers away.")
    stopped = asyncio.Event()
    for name in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    worker_settings = replace(settings, workers=workers)
    keys, options = ApiKeys.load(settings), Options.of(settings).divided(workers)
    with _private_folder() as folder:
        job = WorkerJob(
            worker_settings, options, keys, demo, loop, prepare, folder, secrets.token_bytes(32)
        )
        replaced = Replacements(folder)
        listeners = await _listeners(host, port, workers)
        try:
            keepers = [
                WorkerKeeper(job, number, sockets, replaced)
                for number, sockets in enumerate(listeners)
            ]
            await _run(keepers, stopped, lambda: announce(address(listeners[0][0])))
        finally:
            for listener in {sock for sockets in listeners for sock in sockets}:
                listener.close()


async def _run(
    keepers: Sequence[WorkerKeeper], stopped: asyncio.Event, announce: Callable[[], None]
) -> None:
    """Runs all keepers, from the first worker that starts to the last that ends."""
    # at its start it unblocks the signals that `WorkerKeeper` holds back
    resource_tracker.ensure_running()

    async def announced() -> None:
        for keeper in keepers:
            await keeper.ready.wait()
        announce()
        await stopped.wait()

    keeping = [asyncio.create_task(keeper.keep()) for keeper in keepers]
    waiting = [asyncio.create_task(announced()), asyncio.create_task(stopped.wait())]
    try:
        done, _ = await asyncio.wait([*keeping, *waiting], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in waiting:
            task.cancel()
        for keeper in keepers:
            keeper.finish()
        _, late = await asyncio.wait(keeping, timeout=PATIENCE)
        if late:
            for keeper in keepers:
                keeper.kill()
        await asyncio.gather(*keeping, *waiting, return_exceptions=True)


async def _listeners(host: str, port: int, workers: int) -> list[list[socket.socket]]:
    """The sockets of each worker; none accepts before a worker does.

    On Linux each worker has its own, and the system divides new connections between them: on a
    common one the worker that wakes first takes all that wait. Elsewhere that does not divide, so
    there they have one together.
    """
    probe = await listen(
        asyncio.Protocol, host, port, serve=False
    )  # not shared, so that a port in use is an error
    names = [sock.getsockname()[:2] for sock in probe.sockets]
    if workers == 1 or not sys.platform.startswith("linux"):
        common = [sock.dup() for sock in probe.sockets]
        probe.close()
        return _listening([common] * workers)
    probe.close()
    listeners: list[list[socket.socket]] = []
    async with AsyncExitStack() as opened:
        for _ in range(workers):
            servers = [
                await listen(asyncio.Protocol, *name, shared=True, serve=False) for name in names
            ]
            for server in servers:
                opened.callback(server.close)
            listeners.append([sock.dup() for server in servers for sock in server.sockets])
    return _listening(listeners)


def _listening(listeners: list[list[socket.socket]]) -> list[list[socket.socket]]:
    for sock in (sock for sockets in listeners for sock in sockets):
        sock.listen(BACKLOG)
    return listeners


@contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder that only this account may enter, for as long as the block lasts."""
    folder = Path(mkdtemp(prefix="metasearch-"))
    try:
        if len(os.fsencode(folder)) + len("/999.sock") > _LONGEST_PATH:
            raise UsageError(
                f"the folder for temporary files has too long a name: {folder.parent}",
                advice="Set TMPDIR.",
            )
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)
