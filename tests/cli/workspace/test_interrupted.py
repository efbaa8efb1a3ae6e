"""Ctrl-C in a run: what the sources have answered is kept, and the run is marked as stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

#: A command line over the demo, whose slow database takes a minute.
_SLOW = """
import sys
from metasearch import demo
from metasearch.cli import main
made = demo.DemoDatabases
demo.DemoDatabases = lambda: made(latency={"demo-slow": 60.0})
sys.argv = ["metasearch", *sys.argv[1:]]
sys.exit(main())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no fork")
def test_an_interrupted_run_keeps_what_has_come(file: Path, tmp_path: Path) -> None:
    """Exit code 130; the works of the source that answered are in the project."""
    env = os.environ | {"METASEARCH_WORKSPACE": str(file), "HOME": str(tmp_path)}

    def command(*args: str) -> list[str]:
        return [sys.executable, "-c", _SLOW, *args]

    def answered(*args: str) -> Any:
        done = subprocess.run(command(*args, "--json"), env=env, capture_output=True, check=True)
        return json.loads(done.stdout)

    answered("project", "new", "g")
    answered("strategy", "add", "gambling")
    running = subprocess.Popen(
        command("strategy", "run", "--demo", "-s", "demo-pubmed,demo-slow"),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while not answered("project", "show")["holds"]["works"] and time.monotonic() < until:
        time.sleep(0.1)

    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    held = answered("project", "show")["holds"]

    assert running.returncode == 130, err
    assert b"stopping; what has come is kept" in err
    assert b"Traceback" not in err
    assert held["works"] > 0
    (known,) = answered("strategy", "show")["figures"]["steps"]
    assert [count["source"] for count in known["counts"]] == ["demo-pubmed"]
