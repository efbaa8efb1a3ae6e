"""Other processes: what they and their descendants hold and use, as Linux tells it in /proc."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PROC = Path("/proc")
#: Whether this system tells.
TOLD = (_PROC / "self" / "status").exists()
#: What the kernel counts CPU time in, a second.
HERTZ = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
#: Seconds between two looks at what processes hold.
LOOK = 0.05


def family(process: int) -> list[int]:
    """The process and all that descend from it, as far as they run."""
    found = [process]
    for one in found:
        with suppress(OSError):
            for task in (_PROC / str(one) / "task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def cpu_of_all(process: int) -> float:
    """Seconds of CPU of a process and of all that descend from it, as far as they run."""
    ticks = 0
    for one in family(process):
        with suppress(OSError):
            # pid (name) state parent ...: a name may hold anything, so what follows its last
            # bracket counts.
            fields = (_PROC / str(one) / "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / HERTZ


def peak_of_all(process: int) -> int:
    """The most bytes of memory that each of them has held so far, together."""
    total = 0
    for one in family(process):
        with suppress(OSError):
            for line in (_PROC / str(one) / "status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    total += int(line.split()[1]) * 1024
    return total


@contextmanager
def watched(process: int) -> Iterator[list[int]]:
    """Measure the most bytes that the process and its descendants hold meanwhile; the list holds
    them, as of now.

    A process that takes another's place meanwhile counts in its place. Empty where this system does
    not tell.
    """
    peak: list[int] = []
    if not TOLD:
        yield peak
        return
    for one in family(process):
        with suppress(OSError):
            (_PROC / str(one) / "clear_refs").write_text("5")  # the peak begins anew
    ended = threading.Event()

    def look() -> None:
        peak[:] = [max([peak_of_all(process), *peak])]

    def again() -> None:
        while not ended.wait(LOOK):
            look()

    looking = threading.Thread(target=again, daemon=True)
    looking.start()
    try:
        yield peak
    finally:
        ended.set()
        looking.join()
        look()
