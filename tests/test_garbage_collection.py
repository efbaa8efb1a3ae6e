"""Python's garbage collection is changed in processes that are ours, and nowhere else."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from metasearch import garbage_collection
from metasearch.cli import main


@pytest.fixture(autouse=True)
def python_s_own() -> Iterator[tuple[int, int, int]]:
    """Afterwards the thresholds are as they were, and nothing is frozen that was not."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield before
    gc.set_threshold(*before)
    gc.unfreeze()


def test_a_block_restores_what_was_set() -> None:
    """What was set before the block."""
    with garbage_collection.rarely():
        assert gc.get_threshold() == garbage_collection.GROWING

    assert gc.get_threshold() == (700, 10, 10)


def test_a_command_that_is_the_process_collects_rarely(monkeypatch, capsys) -> None:
    """From its start; one that a program calls leaves the program's thresholds."""
    assert main(["--version"]) == 0
    assert gc.get_threshold() == (700, 10, 10)

    monkeypatch.setattr("sys.argv", ["metasearch", "--version"])
    assert main() == 0
    assert gc.get_threshold() == garbage_collection.LOADING
    assert capsys.readouterr().out.count("\n") == 2


def test_a_command_that_searches_leaves_out_what_is_loaded() -> None:
    """And collects as often as a server does."""
    try:
        garbage_collection.begin()
        garbage_collection.end_loading()
        assert gc.get_threshold() == garbage_collection.SEARCHING
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


@pytest.mark.slow
def test_a_search_of_the_command_line_ends_without_a_look_at_what_is_alive() -> None:
    """What it loaded and found is left to the system, and so is the parent of its process; a
    program that calls the command has its objects looked through as before."""
    script = (
        "import atexit, gc, sys\n"
        "from metasearch.cli import main\n"
        "atexit.register(lambda: print(len(gc.get_objects()), file=sys.stderr))\n"
        "args = ['--demo', '--sources', 'demo-crossref', '-q', 'gambling harms']\n"
        "sys.argv[1:] = args\n"
        "{}"
    )
    alive = [
        [
            int(line)
            for line in subprocess.run(
                [sys.executable, "-c", script.format(call)],
                capture_output=True,
                text=True,
                check=True,
            ).stderr.split()
        ]
        for call in ("main()", "main(args)")
    ]

    assert max(alive[0]) < 2_000 < min(alive[1])


def test_a_server_that_is_ready_leaves_out_what_is_loaded() -> None:
    """It is in no generation any more."""
    try:
        garbage_collection.settle()
        assert gc.get_threshold() == garbage_collection.SERVING
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
