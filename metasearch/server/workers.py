"""Several processes that serve one address: a parent that starts them, replaces those that end, and takes them along.

The workers are new interpreters (multiprocessing's "spawn"), not forks: a fork would copy a loop, open connections and
the threads of libraries in the middle of what they do. The parent makes all listening sockets and keeps them, so that
connections which wait at a worker that has ended are answered by the one that replaces it. Docs: docs/server.md.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from metasearch.errors import MetasearchError, UsageError
from metasearch.server.app import BACKLOG, address, listen, make_app, searching, started
from metasearch.server.keys import ApiKeys
from metasearch.server.loops import LoopName, loop_factory
from metasearch.server.options import Options
from metasearch.server.peer_app import answering
from metasearch.server.peers import Peers
from metasearch.server.site import SHARED
from metasearch.settings import Settings

logger = logging.getLogger("metasearch.server")

#: Seconds before a worker that has ended is replaced; doubled each time, up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0
#: A worker that has lived so many seconds was well: the next pause is the first again.
WELL = 60.0
#: Seconds that workers have to end before they are killed; requests in flight have two of them.
PATIENCE = 6.0
#: Characters that the path of a Unix-domain socket may have, on every system.
_LONGEST_PATH = 100
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Job:
    """What each worker is told.

    Attributes:
        settings: The configuration, `settings.workers` of whom divide what sources allow.
        options: The limits of one worker.
        keys: Who may ask.
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
    """Keeps the workers at work until SIGINT or SIGTERM comes. Arguments and errors are those of `app.serve`."""
    if not hasattr(socket, "AF_UNIX") or not hasattr(signal, "pthread_sigmask"):
        raise UsageError("this system cannot run several workers", advice="Leave --workers away.")
    stopped = asyncio.Event()
    for name in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    divided = replace(settings, workers=workers)
    keys, options = ApiKeys.load(settings), Options.of(settings).divided(workers)
    await _rehearse(divided, demo=demo)
    with _private_folder() as folder:
        job = Job(divided, options, keys, demo, loop, prepare, folder, secrets.token_bytes(32))
        listeners = await _listeners(host, port, workers)
        try:
            posts = [_Post(job, number, sockets) for number, sockets in enumerate(listeners)]
            await _kept(posts, stopped, lambda: announce(address(listeners[0][0])))
        finally:
            for listener in {sock for sockets in listeners for sock in sockets}:
                listener.close()


class _Post:
    """The place of one worker, at which there is always one at work."""

    def __init__(self, job: Job, number: int, sockets: Sequence[socket.socket]) -> None:
        self.ready = asyncio.Event()
        self._arguments = (job, number, list(sockets))
        self._number = number
        self._process = _SPAWN.Process()
        self._dismissed = asyncio.Event()

    async def keep(self) -> None:
        """Starts a worker, and another one whenever it ends; returns after `dismiss`.

        Raises:
            MetasearchError: The first one could not begin.
        """
        clock = asyncio.get_running_loop().time
        pause = FIRST_PAUSE
        while not self._dismissed.is_set():
            began = clock()
            end = await self._life()
            if self._dismissed.is_set():
                return
            if not self.ready.is_set():
                raise MetasearchError(
                    f"a worker could not begin: it ended {end}", advice="Try without --workers: that tells more."
                )
            if clock() - began >= WELL:
                pause = FIRST_PAUSE
            logger.warning("worker %d ended %s; a new one starts in %g s", self._number, end, pause)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._dismissed.wait(), pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def dismiss(self) -> None:
        """Tells the worker to finish."""
        self._dismissed.set()
        if self._process.pid is not None:
            self._process.terminate()

    def kill(self) -> None:
        """Ends it."""
        if self._process.pid is not None and self._process.exitcode is None:
            logger.warning("worker %d did not end in time, and was killed", self._number)
            self._process.kill()

    async def _life(self) -> str:
        """Starts a worker and waits until it ends; gives how it did."""
        try:
            self._start()
        except OSError as exc:  # no memory or no place for one more process just now
            return f"before it began: {exc.strerror}"
        await _readable(self._process.sentinel)
        self._process.join()
        return _told(self._process.exitcode)

    def _start(self) -> None:
        told, tell = _SPAWN.Pipe(duplex=False)
        self._process = _SPAWN.Process(target=work, args=(*self._arguments, tell), daemon=True)
        # The worker begins with both held back: what is sent while it starts comes when it can do something about it.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        tell.close()
        loop = asyncio.get_running_loop()

        def heard() -> None:
            loop.remove_reader(told.fileno())
            with suppress(EOFError), told:
                told.recv()
                self.ready.set()

        loop.add_reader(told.fileno(), heard)


_SPAWN = get_context("spawn")


async def _kept(posts: Sequence[_Post], stopped: asyncio.Event, announce: Callable[[], None]) -> None:
    """All posts, from the first worker that starts to the last that ends."""
    resource_tracker.ensure_running()  # at its start it unblocks the signals that `_Post` holds back

    async def announced() -> None:
        for post in posts:
            await post.ready.wait()
        announce()
        await stopped.wait()

    keeping = [asyncio.create_task(post.keep()) for post in posts]
    waiting = [asyncio.create_task(announced()), asyncio.create_task(stopped.wait())]
    try:
        done, _ = await asyncio.wait([*keeping, *waiting], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in waiting:
            task.cancel()
        for post in posts:
            post.dismiss()
        _, late = await asyncio.wait(keeping, timeout=PATIENCE)
        if late:
            for post in posts:
                post.kill()
        await asyncio.gather(*keeping, *waiting, return_exceptions=True)


async def _rehearse(settings: Settings, *, demo: bool) -> None:
    """Fails as a worker would at its start, so that it is said once, and by whoever is asked."""
    from metasearch.engine import Engine

    async with Engine(settings) as engine:
        if not demo:
            for name in engine.registry.default():
                engine.registry.spec(name)


async def _listeners(host: str, port: int, workers: int) -> list[list[socket.socket]]:
    """The sockets of each worker; none accepts before a worker does.

    On Linux each worker has its own, and the system divides new connections between them: on a common one the worker
    that wakes first takes all that wait. Elsewhere that does not divide, so there they have one together.
    """
    probe = await listen(asyncio.Protocol, host, port, serve=False)  # shared with nobody, so that a taken port is told
    names = [sock.getsockname()[:2] for sock in probe.sockets]
    if not sys.platform.startswith("linux"):
        common = [sock.dup() for sock in probe.sockets]
        probe.close()
        return _listening([common] * workers)
    probe.close()
    listeners: list[list[socket.socket]] = []
    async with AsyncExitStack() as opened:
        for _ in range(workers):
            servers = [await listen(asyncio.Protocol, *name, shared=True, serve=False) for name in names]
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
                f"the folder for temporary files has too long a name: {folder.parent}", advice="Set TMPDIR."
            )
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


async def _readable(descriptor: int) -> None:
    """Waits until there is something to read, or the other end is gone."""
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    loop.add_reader(descriptor, event.set)
    try:
        await event.wait()
    finally:
        loop.remove_reader(descriptor)


def _told(exitcode: int | None) -> str:
    return f"by signal {-exitcode}" if exitcode is not None and exitcode < 0 else f"with code {exitcode}"


def work(job: Job, number: int, sockets: Sequence[socket.socket], ready: Connection) -> None:
    """One worker's life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent says when to end
    with job.prepare(), asyncio.Runner(loop_factory=loop_factory(job.loop)) as runner:
        runner.run(_work(job, number, sockets, ready))


async def _work(job: Job, number: int, sockets: Sequence[socket.socket], ready: Connection) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    peers = Peers(job.folder, number, job.settings.workers)
    factory, examples, notice = searching(job.settings, demo=job.demo)
    app = make_app(
        factory, options=job.options, keys=job.keys, examples=examples, notice=notice, peers=peers, secret=job.secret
    )
    orphaned = asyncio.create_task(_orphaned(stopped, job.folder))
    async with started(app, job.options) as protocol, answering(app[SHARED], peers):
        servers = [await loop.create_server(protocol, sock=sock, backlog=BACKLOG) for sock in sockets]
        ready.send(None)
        ready.close()
        await stopped.wait()
        for server in servers:
            server.close()
    orphaned.cancel()


async def _orphaned(stopped: asyncio.Event, folder: Path) -> None:
    """Ends a worker whose parent is gone, and clears up in its place."""
    parent = parent_process()
    assert parent is not None
    await _readable(parent.sentinel)
    stopped.set()
    rmtree(folder, ignore_errors=True)
