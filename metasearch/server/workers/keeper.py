"""One worker process, seen from its parent: started, watched, replaced when it ends or hangs."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from metasearch.errors import MetasearchError
from metasearch.server.workers import heartbeat
from metasearch.server.workers.worker import SIGNALS, WorkerJob, readable, work

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
        """Counts one worker."""
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

    def finish(self) -> None:
        """Tells the worker to finish."""
        self._finishing.set()
        if self._process.pid is not None:
            self._process.terminate()

    def kill(self) -> None:
        """Ends it."""
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
            stacks := heartbeat.written(heartbeat.stacks_of(self._job.folder, self._number))
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
            await asyncio.sleep(heartbeat.EVERY)
            if heartbeat.heard(signs):
                missed, began = 0, True
                continue
            missed += 1
            seconds = missed * heartbeat.EVERY
            if self._finishing.is_set():
                if not began:
                    self._process.kill()  # it serves no client yet
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
        """Logs the stacks of a silent worker."""
        assert self._process.pid is not None
        stacks = await heartbeat.stacks(
            self._process.pid, heartbeat.stacks_of(self._job.folder, self._number)
        )
        where = f"; it is at:\n{stacks}" if stacks else ", and it did not write its stacks"
        logger.error("the loop of worker %d has stopped for %g s%s", self._number, seconds, where)


def _exit_words(exitcode: int | None) -> str:
    return (
        f"by signal {-exitcode}"
        if exitcode is not None and exitcode < 0
        else f"with code {exitcode}"
    )
