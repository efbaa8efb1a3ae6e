"""Python's garbage collection is changed in processes that are ours, and nowhere else."""

from __future__ import annotations

import gc
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
        garbage_collection.loaded()
        assert gc.get_threshold() == garbage_collection.SEARCHING
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


def test_a_server_that_is_ready_leaves_out_what_is_loaded() -> None:
    """It is in no generation any more."""
    try:
        garbage_collection.settle()
        assert gc.get_threshold() == garbage_collection.SERVING
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
