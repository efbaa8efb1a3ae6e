"""The worker processes of one address: a parent starts, watches, replaces and ends them; and one
worker, from its start to its end.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
import secrets
import signal
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from metasearch.errors import MetasearchError, UsageError
from metasearch.server import handover, process
from metasearch.server.handover import Handover
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ApiKeys
from metasearch.server.process import (
    BACKLOG,
    LoopName,
    address,
    listen,
    loop_factory,
    spare_memory,
    supervisable,
)
from metasearch.server.wing import server_wing
from metasearch.settings import Settings

#: Those that the parent is sent, and holds back in a worker that begins.
SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: Seconds that requests of a worker without its parent have: an answer takes no longer.
LAST_ANSWERS = 60.0


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
    job: WorkerJob,
    number: int,
    sockets: Sequence[socket.socket],
    ready: Connection,
    signs: Connection,
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
            process.write_stacks_on_signal(process.stacks_of(job.folder, number)),
            asyncio.Runner(loop_factory=loop_factory(job.loop)) as runner,
        ):
            runner.run(_work(job, number, sockets, ready, signs))
    except MetasearchError as exc:
        if ready.closed:
            raise
        ready.send(exc)


async def _work(
    job: WorkerJob,
    number: int,
    sockets: Sequence[socket.socket],
    ready: Connection,
    signs: Connection,
) -> None:
    # All that is heavy is loaded here, in the worker, and not by the parent, which imports this
    # module too.
    from metasearch.server.app import engine_and_examples, make_app, run_app
    from metasearch.server.cookies import load_key
    from metasearch.server.peers import Peers
    from metasearch.server.short_answers import answer_peers
    from metasearch.server.site import SHARED

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    process.beat(signs, job.settings.server.silence)
    peers = Peers(job.folder, number, job.settings.workers)
    factory, examples, notice = engine_and_examples(job.settings, demo=job.demo)
    app = make_app(
        factory,
        options=job.options,
        keys=job.keys,
        examples=examples,
        notice=notice,
        peers=peers,
        secret=job.secret,
        cookie_key=(None if job.demo else load_key(job.settings.cache_dir)) or _key(job.secret),
        users=job.settings.users.mode != "none",
    )
    orphaned = asyncio.create_task(_end_orphan(stopped, job.folder))
    async with AsyncExitStack() as stack:
        # A parent that is gone may have started anew: the others answer already.
        protocol = await stack.enter_async_context(
            run_app(app, job.options, lambda: LAST_ANSWERS if orphaned.done() else 0)
        )
        if peers.workers > 1:
            await stack.enter_async_context(answer_peers(app[SHARED], peers))
        servers = [
            await loop.create_server(protocol, sock=sock, backlog=BACKLOG) for sock in sockets
        ]
        await stack.enter_async_context(spare_memory())
        ready.send(None)
        ready.close()
        await stopped.wait()
        for server in servers:
            server.close()
    orphaned.cancel()


def _key(secret: bytes) -> bytes:
    """A key of its own from the secret that all workers have."""
    return blake2b(secret, person=b"cookies", digest_size=32).digest()


async def _end_orphan(stopped: asyncio.Event, folder: Path) -> None:
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


logger = logging.getLogger("metasearch.server")

#: Seconds before a worker that has ended is replaced; doubled each time, up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0
#: A worker that has lived so many seconds was well: the next pause is the first again.
WELL = 60.0
#: Seconds without a sign of life after which a worker that was told to finish is killed: its loop
#: has stopped, and what it does may take for ever.
STUCK = 1.5
#: Seconds that a worker has to begin; it shows no sign of life until its modules are loaded.
BEGINNING = 60.0
_SPAWN = get_context("spawn")


class Replacements:
    """Counts replaced workers by reason, in a file that the workers read for `/metrics`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._counts: Counter[str] = Counter()

    def count(self, reason: str) -> None:
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
        new = self._folder / f"{process.PARENT_FILE}.new"
        try:
            new.write_text(json.dumps(dump), encoding="utf-8")
            new.replace(self._folder / process.PARENT_FILE)
        except OSError as exc:
            logger.warning("the counts of replaced workers cannot be saved: %s", exc.strerror)


class WorkerKeeper:
    """Keeps one worker running: another process replaces each one that ends or hangs."""

    def __init__(
        self,
        job: WorkerJob,
        number: int,
        sockets: Sequence[socket.socket],
        replaced: Replacements | None = None,
    ) -> None:
        self.ready = asyncio.Event()
        self._job = job
        self._sockets = list(sockets)
        self._number = number
        self._replaced = replaced or Replacements()
        self._process = _SPAWN.Process()
        self._finishing = asyncio.Event()
        #: The error for which the worker could not begin, sent by the worker.
        self._refusal: MetasearchError | None = None
        #: How the parent has ended the worker; "" where it has not.
        self._ended = ""

    async def keep(self) -> None:
        """Starts a worker, and another one whenever it ends or hangs; returns after `finish`.
        Raises MetasearchError: the first one could not begin.
        """
        clock = asyncio.get_running_loop().time
        pause = FIRST_PAUSE
        while not self._finishing.is_set():
            began = clock()
            end = await self._life()
            if self._finishing.is_set():
                return
            if not self.ready.is_set():
                raise self._refusal or MetasearchError(
                    f"a worker could not begin: it ended {end}",
                    advice="Try --workers 0 for a full error message.",
                )
            if clock() - began >= WELL:
                pause = FIRST_PAUSE
            self._replaced.count("silent" if self._ended else "ended")
            logger.warning("worker %d ended %s; a new one starts in %g s", self._number, end, pause)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._finishing.wait(), pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    @property
    def pid(self) -> int | None:
        """The id of the worker's process; None before the first."""
        return self._process.pid

    def finish(self) -> None:
        self._finishing.set()
        if self._process.pid is not None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process.pid is not None and self._process.exitcode is None:
            logger.warning("worker %d did not end in time, and was killed", self._number)
            self._process.kill()

    async def _life(self) -> str:
        """Starts a worker and waits until it ends; returns how it ended, in words."""
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
            stacks := process.read_stacks(process.stacks_of(self._job.folder, self._number))
        ):
            logger.error("worker %d crashed; it was at:\n%s", self._number, stacks)
        if self._refusal is not None:
            return f"before it began: {self._refusal}"
        return self._ended or _exit_words(self._process.exitcode)

    def _start(self) -> tuple[Connection, Connection]:
        """Starts a process; returns the pipes of its readiness and of its heartbeat."""
        ready, send_ready = _SPAWN.Pipe(duplex=False)
        signs, send_signs = _SPAWN.Pipe(duplex=False)
        arguments = (self._job, self._number, self._sockets, send_ready, send_signs)
        self._process = _SPAWN.Process(target=work, args=arguments, daemon=True)
        # The worker begins with both signals blocked: one that is sent while it starts arrives
        # when it can handle it.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            send_ready.close()
            send_signs.close()
        os.set_blocking(signs.fileno(), False)
        return ready, signs

    async def _begun(self, ready: Connection) -> None:
        """Waits until the worker serves, reports an error, or ends."""
        await readable(ready.fileno())
        with suppress(EOFError), ready:
            self._refusal = ready.recv()
            if self._refusal is None:
                self.ready.set()

    async def _watch(self, signs: Connection) -> None:
        """Replaces the worker once it has shown no sign of life for too long.

        Time is counted in checks of this process, because the machine may have slept, or this
        process may have been stopped, while a worker was silent.
        """
        silence = self._job.settings.server.silence
        missed, began = 0, False
        while True:
            await asyncio.sleep(process.EVERY)
            if process.has_beaten(signs):
                missed, began = 0, True
                continue
            missed += 1
            seconds = missed * process.EVERY
            if self._finishing.is_set():
                if not began:
                    self._process.kill()  # it serves no client yet
                elif seconds >= STUCK:
                    await self._log_stacks(seconds)
                    self.kill()
                    return
            elif silence and seconds >= (silence if began else max(silence, BEGINNING)):
                await self._log_stacks(seconds)
                self._ended = f"by us, after {seconds:g} s of silence"
                self._process.kill()
                return

    async def _log_stacks(self, seconds: float) -> None:
        assert self._process.pid is not None
        stacks = await process.stacks(
            self._process.pid, process.stacks_of(self._job.folder, self._number)
        )
        where = f"; it is at:\n{stacks}" if stacks else ", and it did not write its stacks"
        logger.error("the loop of worker %d has stopped for %g s%s", self._number, seconds, where)


def _exit_words(exitcode: int | None) -> str:
    return (
        f"by signal {-exitcode}"
        if exitcode is not None and exitcode < 0
        else f"with code {exitcode}"
    )


# The parent of worker processes that serve one address: it starts, watches and ends them. The
# workers are new interpreters (multiprocessing's "spawn"), not forks: a fork would copy a loop,
# open connections and the threads of libraries in the middle of what they do. The parent makes all
# listening sockets and keeps them, so that connections which wait at a worker that has ended are
# answered by the one that replaces it. It loads nothing that answers requests, so that it costs
# little. Docs: docs/server.md, why: docs/decisions/0020-the-watchdog.md.

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
    """Keeps workers running until SIGINT or SIGTERM; arguments and errors as `serve`."""
    if not supervisable():
        raise UsageError("this system cannot run several workers", advice="Leave --workers away.")
    stopped = asyncio.Event()
    for name in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    before = Handover.take()
    worker_settings = replace(settings, workers=workers)
    keys, options = ApiKeys.load(settings), Options.of(settings).divided(workers)
    with _private_folder() as folder:
        job = WorkerJob(
            worker_settings, options, keys, demo, loop, prepare, folder, secrets.token_bytes(32)
        )
        replaced = Replacements(folder)
        listeners = (
            _divided(before.sockets, workers)
            if before.sockets
            else await _listeners(host, port, workers)
        )
        common = list(dict.fromkeys(sock for sockets in listeners for sock in sockets))
        reaping = asyncio.create_task(before.reap())
        try:
            keepers = [
                WorkerKeeper(job, number, sockets, replaced)
                for number, sockets in enumerate(listeners)
            ]
            _handle_handover(common, keepers)
            await _run(keepers, stopped, lambda: announce(address(listeners[0][0])))
        finally:
            reaping.cancel()
            before.kill()
            for listener in common:
                listener.close()


def _handle_handover(sockets: Sequence[socket.socket], keepers: Sequence[WorkerKeeper]) -> None:
    """Has the signal start the program anew from now on."""
    assert handover.SIGNAL is not None

    def start_anew() -> None:
        pids = [keeper.pid for keeper in keepers if keeper.pid is not None]
        handover.start_anew(sockets, pids)

    asyncio.get_running_loop().add_signal_handler(handover.SIGNAL, start_anew)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [handover.SIGNAL])


def _divided(sockets: Sequence[socket.socket], workers: int) -> list[list[socket.socket]]:
    """The sockets of before for each worker: of each address its own ones, or one with others."""
    of_address: dict[object, list[socket.socket]] = {}
    for sock in sockets:
        of_address.setdefault(sock.getsockname(), []).append(sock)
    return [
        [sock for group in of_address.values() for sock in group[number::workers] or group[:1]]
        for number in range(workers)
    ]


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
        return _listen([common] * workers)
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
    return _listen(listeners)


def _listen(listeners: list[list[socket.socket]]) -> list[list[socket.socket]]:
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


# `serve`, which the command line calls: in this process, or as the parent of workers.


def say(address: str) -> None:
    """Says on stderr where the server listens."""
    sys.stderr.write(f"metasearch is listening on {address} (press Ctrl-C to stop)\n")
    sys.stderr.flush()


def serve(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    demo: bool = False,
    announce: Callable[[str], None] = say,
    workers: int = 0,
    loop: LoopName = "auto",
    prepare: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Serves until SIGINT or SIGTERM comes.

    Args:
        host: A name or address of this machine; those beyond loopback are reachable from outside.
        port: 0 takes any free one.
        demo: Answers from the embedded demo databases instead of the configured sources.
        announce: Told the address, once the server listens; by itself it is written to stderr.
        workers: Processes that answer, each of which this one watches; 0 answers in this one, which
            no parent watches. So does 1 on systems without workers. See docs/server.md.
        loop: "auto" takes uvloop where it is installed.
        prepare: Entered by each worker for as long as it lives, as by whoever calls this for the
            process that there is already; it can be pickled.

    Raises:
        UsageError: It cannot listen there, or the loop is not installed.
        MetasearchError: The workers end as soon as they begin.
        SettingsError: An API key that the configuration speaks of is not there or too weak, or its
            [users] cannot be used with the rest of it.
        SpecError: A source that is asked by default has a wrong spec.
    """
    wing = server_wing()
    wing.check(settings)
    if not _is_loopback(host):
        wing.warn(settings, host)
    with suppress(KeyboardInterrupt):
        if workers > 1 or (workers == 1 and supervisable()):
            asyncio.run(supervise(settings, host, port, demo, announce, workers, loop, prepare))
        else:
            with asyncio.Runner(loop_factory=loop_factory(loop)) as runner:
                runner.run(_serve(settings, host, port, demo, announce))


def _is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server on this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _serve(
    settings: Settings, host: str, port: int, demo: bool, announce: Callable[[str], None]
) -> None:
    from metasearch.server.app import open_server

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: Ctrl-C arrives as KeyboardInterrupt
            loop.add_signal_handler(name, stopped.set)
    async with open_server(settings, host=host, port=port, demo=demo) as url, spare_memory():
        announce(url)
        await stopped.wait()
