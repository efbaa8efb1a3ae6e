"""One worker of a server, from its start by the parent to its end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import rmtree
from socket import socket
from typing import TYPE_CHECKING

from metasearch.errors import MetasearchError
from metasearch.server.memory import sparing
from metasearch.server.process import LoopName, loop_factory
from metasearch.server.sockets import BACKLOG
from metasearch.server.workers import heartbeat
from metasearch.settings import Settings

if TYPE_CHECKING:
    from metasearch.server.limits.keys import ApiKeys
    from metasearch.server.options import Options

#: Those that the parent is sent, and holds back in a worker that begins.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What each worker receives from its parent.

    Attributes:
        settings: The configuration, `settings.workers` of whom divide what sources allow.
        demo: Whether it answers from demo databases of its own.
        loop: Which event loop it runs on.
        prepare: Entered for as long as it lives.
        folder: Where the sockets are by which workers ask one another.
        secret: What pseudonyms of clients are made with.
    """

    settings: Settings
    options: Options
    keys: ApiKeys
    demo: bool
    loop: LoopName
    prepare: Callable[[], AbstractContextManager[object]]
    folder: Path
    secret: bytes = field(repr=False)


def work(
    job: WorkerJob, number: int, sockets: Sequence[socket], ready: Connection, signs: Connection
) -> None:
    """One worker's life. `number`: which of the workers it is, from 0. `ready`: told None once it
    serves, or the error for which it cannot.
    """
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches all processes; the parent says when to end
    try:
        with (
            job.prepare(),
            heartbeat.telling_stacks(heartbeat.stacks_of(job.folder, number)),
            asyncio.Runner(loop_factory=loop_factory(job.loop)) as runner,
        ):
            runner.run(_work(job, number, sockets, ready, signs))
    except MetasearchError as exc:
        if ready.closed:
            raise
        ready.send(exc)


async def _work(
    job: WorkerJob, number: int, sockets: Sequence[socket], ready: Connection, signs: Connection
) -> None:
    # All that is heavy is loaded here, in the worker, and not by the parent, which imports this
    # module too.
    from metasearch.server.app import make_app, searching, started
    from metasearch.server.cookies import kept_key
    from metasearch.server.site import SHARED
    from metasearch.server.workers.peer_app import answering
    from metasearch.server.workers.peers import Peers

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    heartbeat.beat(signs, job.settings.server.silence)
    peers = Peers(job.folder, number, job.settings.workers)
    factory, examples, notice = searching(job.settings, demo=job.demo)
    app = make_app(
        factory,
        options=job.options,
        keys=job.keys,
        examples=examples,
        notice=notice,
        peers=peers,
        secret=job.secret,
        cookie_key=(None if job.demo else kept_key(job.settings.cache_dir)) or _key(job.secret),
        users=job.settings.users.mode != "none",
    )
    orphaned = asyncio.create_task(_orphaned(stopped, job.folder))
    async with AsyncExitStack() as stack:
        protocol = await stack.enter_async_context(started(app, job.options))
        if peers.workers > 1:
            await stack.enter_async_context(answering(app[SHARED], peers))
        servers = [
            await loop.create_server(protocol, sock=sock, backlog=BACKLOG) for sock in sockets
        ]
        await stack.enter_async_context(sparing())
        ready.send(None)
        ready.close()
        await stopped.wait()
        for server in servers:
            server.close()
    orphaned.cancel()


def _key(secret: bytes) -> bytes:
    """A key of its own from the secret that all workers have."""
    return blake2b(secret, person=b"cookies", digest_size=32).digest()


async def _orphaned(stopped: asyncio.Event, folder: Path) -> None:
    """Ends a worker whose parent is gone, and clears up in its place."""
    parent = parent_process()
    assert parent is not None
    await readable(parent.sentinel)
    stopped.set()
    rmtree(folder, ignore_errors=True)


async def readable(descriptor: int) -> None:
    """Waits until there is something to read, or the other end is gone."""
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    loop.add_reader(descriptor, event.set)
    try:
        await event.wait()
    finally:
        loop.remove_reader(descriptor)
