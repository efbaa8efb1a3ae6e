"""Ctrl-C in a run: what the sources have answered is kept, and the run is marked as stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metasearch.review.store.database import Database
from tests.cli.conftest import Run

#: A command line over the demo, whose slow database takes a minute.
_SLOW = """
import sys
from metasearch import demo
from metasearch.cli import main
made = demo.DemoDatabases
demo.DemoDatabases = lambda **_: made(latency={"demo-slow": 60.0})
sys.argv = ["metasearch", *sys.argv[1:]]
sys.exit(main())
"""


@pytest.mark.slow
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
        command("strategy", "run", "--demo", "--timeout", "100", "-s", "demo-pubmed,demo-slow"),
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


def test_a_run_that_was_interrupted_is_resumed_or_ended(
    file: Path, answered: Callable[..., Any], run: Run
) -> None:
    """With its own steps, sources and options; what was answered is not asked again."""
    answered("project", "new", "g")
    answered("strategy", "add", "gambling")
    whole = answered("strategy", "run", "--demo", "-s", "demo-pubmed,demo-openalex")
    with Database(file) as db:
        db.run("UPDATE run SET status = 'interrupted'")
        db.run("DELETE FROM answer WHERE source = 'demo-openalex'")

    refused = run("strategy", "run", "--resume", "1", "--steps", "1")
    again = answered("strategy", "run", "--resume", "1", "--demo")
    late = run("strategy", "run", "--resume", "1", "--demo")
    with Database(file) as db:
        db.run("UPDATE run SET status = 'interrupted'")
    ended = answered("strategy", "stop")
    gone = run("strategy", "stop", "1")

    assert (refused.code, "its own steps" in refused.err) == (2, True)
    assert (again["number"], again["status"]) == (1, "done")
    before, after = ({one["source"]: one for one in each["answers"]} for each in (whole, again))
    assert after["demo-pubmed"] == before["demo-pubmed"]
    assert after["demo-openalex"]["fetched"] == before["demo-openalex"]["fetched"]
    assert again["new_works"] == 0
    assert (late.code, "was not interrupted" in late.err) == (2, True)
    assert (ended["number"], ended["status"]) == (1, "stopped")
    assert (gone.code, "has ended already" in gone.err) == (2, True)
