"""Worker processes of a job: one set for all its stages."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk.staged.pool import kept, run_all
from metasearch.errors import UsageError


def process(_: int) -> int:
    """The one that runs the task."""
    return os.getpid()


def end(_: int) -> None:
    """End the worker."""
    os._exit(1)


def test_stages_share_processes_where_these_are_kept() -> None:
    """And do not else."""
    with kept(2):
        one, other = (set(run_all(process, range(8), 2)) for _ in range(2))
        assert os.getpid() not in one
        assert len(one | other) <= 2
    assert not one & set(run_all(process, range(8), 2))


def test_one_process_needs_no_others() -> None:
    """Whether they are kept or not."""
    with kept(2):
        assert run_all(process, range(2), 1) == [os.getpid()] * 2


def test_a_worker_that_was_ended_is_named() -> None:
    """With what can be done."""
    with kept(2), pytest.raises(UsageError, match="ended from outside"):
        run_all(end, range(2), 2)
