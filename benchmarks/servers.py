"""`metasearch serve` as a process of its own, as benchmarks start it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.sides import NotMeasured

COMMAND = ("-m", "metasearch", "serve", "--port", "0")
#: Seconds for a server to begin, on a machine that does other things.
START = 60.0
_LISTENING = re.compile(r"listening on (\S+?)/? ")


def start(
    config: Path, log: Path, *options: str, python: str = sys.executable, **how: Any
) -> subprocess.Popen[bytes]:
    """Start a server at a port that the system chooses; a port that was free a moment ago may be
    another connection's by now.

    Args:
        config: Its configuration.
        log: File for what it says; `address` reads it.
        options: More of the command.
        python: The interpreter.
        how: More for `subprocess.Popen`.
    """
    with log.open("wb") as said:
        command = [python, *COMMAND, "--config", str(config), *options]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, **how)


def address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until a server listens; gives its URL, without a slash at the end.

    Raises:
        NotMeasured: It ended, or does not listen after `START`.
    """
    until = time.monotonic() + START
    while True:
        ended = process.poll()
        said = log.read_text(encoding="utf-8", errors="replace")
        if found := _LISTENING.search(said):
            return found[1]
        if ended is not None or time.monotonic() > until:
            state = f"still runs after {START:g} s" if ended is None else f"ended with {ended}"
            last = said.strip().rpartition("\n")[2]
            raise NotMeasured(
                f"`metasearch serve` does not listen; it {state} and said last: "
                f"{last[:200] or 'nothing'}"
            )
        time.sleep(0.05)
