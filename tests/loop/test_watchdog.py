"""The watchdog for programs that use the library."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from metasearch.loop import watchdog

ROOT = Path(__file__).resolve().parents[2]
#: A loop that is held up in C for longer than the watchdog is patient, and then goes on.
SCRIPT = """
import asyncio, ctypes, sys
from metasearch.loop import watchdog

def busy():
    "Three seconds in one call that lets go of nothing, as PyDLL does not."
    if sys.platform == "win32":
        ctypes.PyDLL("kernel32").Sleep(3_000)
    else:
        ctypes.PyDLL(None).sleep(3)

async def main():
    async with watchdog(1.0, end={end}):
        for _ in range(8):
            await asyncio.sleep(0.25)
        print("all was well", flush=True)
        busy()
        print("went on", flush=True)
    import faulthandler, time
    time.sleep(1.5)  # nobody watches any more

asyncio.run(main())
"""


def run(*, end: bool) -> subprocess.CompletedProcess[str]:
    """The script, to its end."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT.format(end=end)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


@pytest.mark.slow
def test_a_loop_that_stops_is_told_once() -> None:
    """The place is named, and the program goes on; a loop that runs is not told of."""
    done = run(end=False)

    assert (done.returncode, done.stdout) == (0, "all was well\nwent on\n")
    assert done.stderr.count("Timeout (0:00:01") == 1
    assert "in busy" in done.stderr


@pytest.mark.slow
def test_a_process_that_hangs_can_be_ended() -> None:
    """With `end` it does not outlive its loop."""
    done = run(end=True)

    assert (done.returncode, done.stdout) == (1, "all was well\n")
    assert "in busy" in done.stderr


async def test_what_cannot_watch_is_refused() -> None:
    """A time that is none, and a file without a descriptor."""
    for seconds, file in ((0, None), (float("nan"), None), (1, io.StringIO())):
        with pytest.raises(ValueError):
            async with watchdog(seconds, file=file):
                pass
