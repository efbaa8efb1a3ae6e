"""Processes that serve one address: a parent that starts them, replaces those that end or are
silent, and ends them.

The workers are new interpreters (multiprocessing's "spawn"), not forks: a fork would copy a loop,
open connections and the threads of libraries in the middle of what they do. The parent makes all
listening sockets and keeps them, so that connections which wait at a worker that has ended are
answered by the one that replaces it. It loads nothing that answers requests, so that it costs
little. Docs: docs/server.md, why: docs/decisions/0020-the-watchdog.md.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from metasearch.errors import MetasearchError, UsageError
from metasearch.server.limits.keys import ApiKeys
from metasearch.server.loops import LoopName
from metasearch.server.options import Options
from metasearch.server.serving import supervisable
from metasearch.server.sockets import BACKLOG, address, listen
from metasearch.server.workers import heartbeat
from metasearch.server.workers.worker import SIGNALS, Job, readable, work
from metasearch.settings import Settings

logger = logging.getLogger("metasearch.server")

#: Seconds before a worker that has ended is replaced; doubled each time, up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0
#: A worker that has lived so many seconds was well: the next pause is the first again.
WELL = 60.0
#: Seconds that workers have to end before they are killed; requests in flight have two of them.
PATIENCE = 6.0
#: Seconds without a sign of life after which a worker that was told to finish is killed: its loop
#: has stopped, and what it does may take for ever.
STUCK = 1.5
#: Seconds that a worker has to begin; it shows no sign of life until its modules are loaded.
BEGINNING = 60.0
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
    """Keeps the workers at work until SIGINT or SIGTERM comes. Arguments and errors are those of
    `app.serve`.
    """
    if not supervisable():
        raise UsageError("this system cannot run several workers", advice="Leave --workers away.")
    stopped = asyncio.Event()
    for name in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    divided = replace(settings, workers=workers)
    keys, options = ApiKeys.load(settings), Options.of(settings).divided(workers)
    with _private_folder() as folder:
        job = Job(divided, options, keys, demo, loop, prepare, folder, secrets.token_bytes(32))
        replaced = _Replaced(folder)
        listeners = await _listeners(host, port, workers)
        try:
            posts = [
                _Post(job, number, sockets, replaced) for number, sockets in enumerate(listeners)
            ]
            await _kept(posts, stopped, lambda: announce(address(listeners[0][0])))
        finally:
            for listener in {sock for sockets in listeners for sock in sockets}:
                listener.close()


class _Replaced:
    """Counts the workers that were replaced, by the reason, where the others can read it for
    `/metrics`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._counts: Counter[str] = Counter()

    def count(self, reason: str) -> None:
        """One more."""
        self._counts[reason] += 1
        if self._folder is None:
            return
        # A `Dump` of `metasearch.server.metrics`, which this process does not load.
        dump = {
            "metasearch_workers_replaced": [
                ["metasearch_workers_replaced_total", {"reason": name}, number]
                for name, number in self._counts.items()
            ]
        }
        new = self._folder / f"{heartbeat.PARENT_FILE}.new"
        try:
            new.write_text(json.dumps(dump), encoding="utf-8")
            new.replace(self._folder / heartbeat.PARENT_FILE)
        except OSError as exc:
            logger.warning("how often workers were replaced cannot be kept: %s", exc.strerror)


class _Post:
    """The place of one worker, at which there is always one at work."""

    def __init__(
        self,
        job: Job,
        number: int,
        sockets: Sequence[socket.socket],
        replaced: _Replaced | None = None,
    ) -> None:
        self.ready = asyncio.Event()
        self._job = job
        self._sockets = list(sockets)
        self._number = number
        self._replaced = replaced or _Replaced()
        self._process = _SPAWN.Process()
        self._dismissed = asyncio.Event()
        #: Why the worker could not begin, as it says itself.
        self._refusal: MetasearchError | None = None
        #: How the worker has ended, where that was the parent's doing.
        self._ended = ""

    async def keep(self) -> None:
        """Starts a worker, and another one whenever it ends or falls silent; returns after
        `dismiss`.

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
                raise self._refusal or MetasearchError(
                    f"a worker could not begin: it ended {end}",
                    advice="Try --workers 0: that tells more.",
                )
            if clock() - began >= WELL:
                pause = FIRST_PAUSE
            self._replaced.count("silent" if self._ended else "ended")
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
        self._ended, self._refusal = "", None
        try:
            ready, signs = self._start()
        except OSError as exc:  # no memory or no place for one more process just now
            return f"before it began: {exc.strerror}"
        beginning = asyncio.create_task(self._begun(ready))
        watching = asyncio.create_task(self._watch(signs))
        try:
            await readable(self._process.sentinel)
            await beginning
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            signs.close()
        self._process.join()
        crashed = self._process.exitcode not in (0, -signal.SIGKILL, -signal.SIGTERM)
        if crashed and (
            stacks := heartbeat.written(heartbeat.stacks_of(self._job.folder, self._number))
        ):
            logger.error("worker %d crashed; it was at:\n%s", self._number, stacks)
        if self._refusal is not None:
            return f"before it began: {self._refusal}"
        return self._ended or _told(self._process.exitcode)

    def _start(self) -> tuple[Connection, Connection]:
        """Starts a process; gives where it says that it is ready, and where it shows that it
        lives.
        """
        ready, tell = _SPAWN.Pipe(duplex=False)
        signs, show = _SPAWN.Pipe(duplex=False)
        arguments = (self._job, self._number, self._sockets, tell, show)
        self._process = _SPAWN.Process(target=work, args=arguments, daemon=True)
        # The worker begins with both held back: what is sent while it starts comes when it can do
        # something about it.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            tell.close()
            show.close()
        os.set_blocking(signs.fileno(), False)
        return ready, signs

    async def _begun(self, ready: Connection) -> None:
        """Waits until the worker serves, or says why it cannot, or is gone."""
        await readable(ready.fileno())
        with suppress(EOFError), ready:
            self._refusal = ready.recv()
            if self._refusal is None:
                self.ready.set()

    async def _watch(self, signs: Connection) -> None:
        """Replaces the worker once it has shown no sign of life for too long.

        Time is counted in looks of this process: where it was stopped itself, or the machine slept,
        nobody was silent.
        """
        silence = self._job.settings.server.silence
        missed, began = 0, False
        while True:
            await asyncio.sleep(heartbeat.EVERY)
            if heartbeat.heard(signs):
                missed, began = 0, True
                continue
            missed += 1
            seconds = missed * heartbeat.EVERY
            if self._dismissed.is_set():
                if not began:
                    self._process.kill()  # nobody is served by it yet
                elif seconds >= STUCK:
                    await self._stopped(seconds)
                    self.kill()
                    return
            elif silence and seconds >= (silence if began else max(silence, BEGINNING)):
                await self._stopped(seconds)
                self._ended = f"by us, after {seconds:g} s of silence"
                self._process.kill()
                return

    async def _stopped(self, seconds: float) -> None:
        """Logs where a silent worker is."""
        assert self._process.pid is not None
        told = await heartbeat.stacks(
            self._process.pid, heartbeat.stacks_of(self._job.folder, self._number)
        )
        where = f"; it is at:\n{told}" if told else ", and does not say where it is"
        logger.error("the loop of worker %d has stopped for %g s%s", self._number, seconds, where)


_SPAWN = get_context("spawn")


async def _kept(
    posts: Sequence[_Post], stopped: asyncio.Event, announce: Callable[[], None]
) -> None:
    """All posts, from the first worker that starts to the last that ends."""
    # at its start it unblocks the signals that `_Post` holds back
    resource_tracker.ensure_running()

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


async def _listeners(host: str, port: int, workers: int) -> list[list[socket.socket]]:
    """The sockets of each worker; none accepts before a worker does.

    On Linux each worker has its own, and the system divides new connections between them: on a
    common one the worker that wakes first takes all that wait. Elsewhere that does not divide, so
    there they have one together.
    """
    probe = await listen(
        asyncio.Protocol, host, port, serve=False
    )  # shared with nobody, so that a taken port is told
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


def _told(exitcode: int | None) -> str:
    return (
        f"by signal {-exitcode}"
        if exitcode is not None and exitcode < 0
        else f"with code {exitcode}"
    )
