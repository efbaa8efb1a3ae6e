"""How the parent of the workers starts the program anew, with new code and a new configuration.

The process stays the same, so whoever watches it loses nothing, and it keeps its listening sockets:
connections wait in them until the new workers begin. The workers of before see that their parent is
gone, and end once their requests are answered.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker

logger = logging.getLogger("metasearch.server")

#: What asks for it. Not SIGHUP: a terminal that is closed sends that, and a server must end then.
SIGNAL = signal.SIGUSR2 if hasattr(signal, "SIGUSR2") else None
#: What the process is told by itself: descriptors of sockets, and the ids of processes.
VARIABLE = "METASEARCH_HANDOVER"
#: Seconds between two looks at the processes of before.
_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Handover:
    """What a parent has from the program that ran in its process before.

    Attributes:
        sockets: They listen.
        processes: Ids of children that are ending, or have ended.
    """

    sockets: Sequence[socket.socket] = ()
    processes: set[int] = field(default_factory=set)

    @classmethod
    def take(cls) -> Handover:
        """Takes it out of the environment, once; an empty one where the program starts first."""
        text = os.environ.pop(VARIABLE, "")
        if not text:
            return cls()
        descriptors, processes = json.loads(text)
        sockets = [socket.socket(fileno=number) for number in descriptors]
        for sock in sockets:
            sock.set_inheritable(False)
        return cls(sockets, set(processes))

    async def reap(self) -> None:
        """Waits until the processes of before have ended, so that the system forgets them."""
        while self.processes:
            self.processes.difference_update([pid for pid in self.processes if _ended(pid)])
            await asyncio.sleep(_EVERY)

    def kill(self) -> None:
        """Ends the processes of before at once."""
        for pid in self.processes:
            if not _ended(pid):
                os.kill(pid, signal.SIGKILL)


def start_anew(sockets: Iterable[socket.socket], processes: Iterable[int]) -> None:
    """Starts the program of this process from its beginning; returns only where that fails.

    `processes`: ids of the children, which the new program waits for.
    """
    assert SIGNAL is not None
    logger.info("the server starts anew; its sockets stay open")
    kept = list(sockets)
    # One of multiprocessing's own: it ends by itself, and its id is said nowhere else.
    tracker = getattr(getattr(resource_tracker, "_resource_tracker", None), "_pid", None)
    children = [*processes, *([tracker] if tracker else [])]
    os.environ[VARIABLE] = json.dumps([[sock.fileno() for sock in kept], children])
    # A second signal waits until the new program can handle it.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, [SIGNAL])
    for sock in kept:
        sock.set_inheritable(True)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - what the user has started
    except OSError as exc:
        logger.error("the server goes on as it is: %s: %s", sys.executable, exc.strerror)
        del os.environ[VARIABLE]
        for sock in kept:
            sock.set_inheritable(False)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _ended(pid: int) -> bool:
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True
