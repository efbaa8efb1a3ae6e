"""Worker processes of a job: one set for all its stages."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk.staged.pool import (
    SideTasks,
    in_background,
    in_order,
    keep_workers,
    run_all,
)
from metasearch.errors import UsageError


def process(_: int) -> int:
    """The one that runs the task."""
    return os.getpid()


def end(_: int) -> None:
    """End the worker."""
    os._exit(1)


@pytest.mark.slow
def test_stages_share_processes_where_these_are_kept() -> None:
    """And do not else."""
    with keep_workers(2):
        one, other = (set(run_all(process, range(8), 2)) for _ in range(2))
        assert os.getpid() not in one
        assert len(one | other) <= 2
    assert not one & set(run_all(process, range(8), 2))


@pytest.mark.slow
def test_one_process_needs_no_others() -> None:
    """Whether they are kept or not."""
    with keep_workers(2):
        assert run_all(process, range(2), 1) == [os.getpid()] * 2


@pytest.mark.slow
def test_a_worker_that_was_ended_is_named() -> None:
    """With what can be done."""
    with keep_workers(2), pytest.raises(UsageError, match="ended from outside"):
        run_all(end, range(2), 2)


def write_in_turn(folder: Path) -> None:
    """Write three files, each when something else has dealt with the one before."""
    for number in range(3):
        (folder / f"{number}.written").touch()
        until = time.monotonic() + 60
        while not (folder / f"{number}.read").exists() and time.monotonic() < until:
            time.sleep(0.01)


def read(path: Path) -> None:
    """Deal with one of them."""
    path.with_suffix(".read").touch()


@pytest.mark.slow
def test_what_a_task_has_written_is_dealt_with_while_it_runs(tmp_path: Path) -> None:
    """By a worker that has no task; each once."""
    given: list[Path] = []

    def found() -> Iterator[Path]:
        for path in sorted(set(tmp_path.glob("*.written")) - set(given)):
            given.append(path)
            yield path

    run_all(write_in_turn, [tmp_path], 2, beside=SideTasks(read, found))

    assert [path.name for path in given] == ["0.written", "1.written", "2.written"]
    assert len(list(tmp_path.glob("*.read"))) == 3


@pytest.mark.slow
def test_what_fails_beside_tasks_ends_the_job() -> None:
    """As a task that fails does."""
    with pytest.raises(UsageError, match="ended from outside"):
        run_all(time.sleep, [1.0], 2, beside=SideTasks(end, lambda: iter([1])))


@pytest.mark.slow
def test_a_call_in_the_background_has_its_result_and_its_error() -> None:
    """When it is asked for."""
    with in_background(divmod, 7, 2) as result, in_background(divmod, 7, 0) as error:
        assert result() == (3, 1)
        with pytest.raises(ZeroDivisionError):
            error()
    with in_background(end, 1) as ended, pytest.raises(UsageError, match="ended from outside"):
        ended()


def later(seconds: float) -> float:
    """The first ones take longer."""
    time.sleep(seconds)
    return seconds


@pytest.mark.slow
def test_results_come_in_the_order_of_the_tasks() -> None:
    """Also where later ones are there earlier, and in processes that are kept."""
    tasks = [0.3, 0.2, 0.1, 0.0, 0.0, 0.0]
    assert list(in_order(later, tasks, 2)) == tasks
    with keep_workers(2):
        assert list(in_order(later, iter(tasks), 2)) == tasks
        assert list(in_order(later, [], 2)) == []


@pytest.mark.slow
def test_what_fails_in_order_is_raised_where_it_stands() -> None:
    """What came before is there."""
    results = in_order(abs, [-1, -2, "x", -4], 2)  # type: ignore[arg-type, list-item]
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(TypeError):
        next(results)
    with pytest.raises(UsageError, match="ended from outside"):
        list(in_order(end, [1], 2))
