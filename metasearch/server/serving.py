"""`serve`, which the command line calls: in this process, or as the parent of workers."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress

from metasearch.server.process import LoopName, loop_factory, supervisable
from metasearch.server.wing import server_wing
from metasearch.settings import Settings


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
            from metasearch.server.workers.supervisor import supervise

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
    from metasearch.server.app import listening
    from metasearch.server.process import sparing

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: Ctrl-C arrives as KeyboardInterrupt
            loop.add_signal_handler(name, stopped.set)
    async with listening(settings, host=host, port=port, demo=demo) as url, sparing():
        announce(url)
        await stopped.wait()
