"""What this process holds: tasks, sockets, open files and memory, for the commands that look for
leaks."""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

MIB = 1024 * 1024
_STATUS = Path("/proc/self/status")
_FILES = next((path for path in (Path("/proc/self/fd"), Path("/dev/fd")) if path.is_dir()), None)


class Held(NamedTuple):
    """Counts of what is open just now; -1 where this system does not tell.

    Attributes:
        tasks: Of the running loop, the one that counts left out.
        sockets: Those among the files.
        files: File descriptors of every kind, sockets among them.
    """

    tasks: int
    sockets: int
    files: int


def held() -> Held:
    """Count now. Belongs inside the running loop."""
    files = sockets = -1
    if _FILES is not None:
        links = []
        for path in list(_FILES.iterdir()):
            with suppress(OSError):  # the one that listed them is closed by now
                links.append(str(path.readlink()) if _FILES.parent.name == "self" else path.name)
        files, sockets = len(links), sum(link.startswith("socket:") for link in links)
    return Held(len(asyncio.all_tasks()) - 1, sockets, files)


async def settled(least: Held, seconds: float = 2.0) -> Held:
    """Count again until no more is held than that, or the seconds are over: closing takes a turn or
    two of the loop."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    found = held()
    while any(now > then for now, then in zip(found, least, strict=True)) and loop.time() < until:
        await asyncio.sleep(0.01)
        found = held()
    return found


def resident() -> int:
    """Bytes of memory that are held now; the most so far where this system does not tell."""
    return _status("VmRSS") or _most()


def highest() -> int:
    """The most bytes of memory that were held so far."""
    return _status("VmHWM") or _most()


@contextmanager
def peak() -> Iterator[list[int]]:
    """Measure the most bytes that are held meanwhile beyond those at the start; the list holds them
    at the end."""
    before = resident()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak begins anew
    grown: list[int] = []
    yield grown
    grown.append(max(0, highest() - before))


def _status(name: str) -> int | None:
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None


def _most() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
