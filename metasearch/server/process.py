"""What a server process uses of its system: event loop, workers."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from typing import Literal

from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed

LoopName = Literal["auto", "asyncio", "uvloop"]


def loop_factory(name: LoopName) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The factory of the loop, for `asyncio.Runner`; None for asyncio's own. Raises UsageError:
    uvloop is asked for by name and not installed.
    """
    if name == "asyncio":
        return None
    if not is_installed("uvloop"):
        if name == "uvloop":
            raise UsageError(
                "uvloop is not installed",
                advice=f"{how_to_install('uvloop')} Or leave --loop away.",
            )
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def running_loop_name() -> str:
    """The name of the running loop: "asyncio" or "uvloop"."""
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def supervisable() -> bool:
    """Whether this system can run workers under a parent; Windows cannot."""
    return hasattr(socket, "AF_UNIX") and hasattr(signal, "pthread_sigmask")
