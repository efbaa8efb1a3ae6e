"""Worker processes, and what decides in a staged job as they take it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from multiprocessing.connection import wait as wait_for_one
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import pyarrow as pa

from metasearch import garbage_collection
from metasearch.bulk.engines import Done, Judge
from metasearch.bulk.staged.parts import metadata_of, read_part, rows_of, write_part
from metasearch.dedup import Chain, strategy
from metasearch.dedup.matchers import (
    Matcher,
    MatcherSignatures,
    key_matchers,
    signature_matchers,
    unbounded_searchers,
)
from metasearch.dedup.pins import Pins
from metasearch.errors import UsageError
from metasearch.record import VersionsMode


@dataclass(frozen=True)
class JobRules:
    """The matchers of a job; can be pickled. `strategy`: its name; see `metasearch strategies`.
    `versions`: what becomes of preprint and article.
    """

    strategy: str = "default"
    pins: Pins = field(default_factory=Pins)
    versions: VersionsMode = "separate"

    @cached_property
    def chain(self) -> Chain:
        return strategy(self.strategy).chain.with_pins(self.pins)

    @property
    def separate(self) -> bool:
        return self.versions == "separate"

    @cached_property
    def key_matchers(self) -> tuple[Matcher, ...]:
        """Pins and matchers whose keys tell which records may be one work."""
        return key_matchers(self.chain)

    @cached_property
    def signature_matchers(self) -> tuple[MatcherSignatures, ...]:
        """The matchers of which near signatures tell it. Raises UsageError: a matcher finds records
        in a way that cannot be kept on disk.
        """
        if unbounded_searchers(self.chain):
            raise UsageError(
                f"--dedup {self.strategy} finds duplicates by more than keys and signatures, "
                f"for which all records must be in memory",
                advice="Use --engine memory, or another strategy.",
            )
        return signature_matchers(self.chain)

    @property
    def distances(self) -> dict[str, int]:
        """Name of each matcher that has signatures -> bits in which near ones differ at most."""
        return {matcher.name: matcher.distance for matcher in self.signature_matchers}

    @property
    def alone(self) -> bool:
        """Whether each component is judged alone: components share no key but blocks of
        signatures, by chance.
        """
        return len(self.key_matchers) < len(self.chain.finders)

    def __getstate__(self) -> dict[str, object]:
        # The chain is made anew where it is needed: some matchers hold what cannot be pickled.
        return {"strategy": self.strategy, "pins": self.pins, "versions": self.versions}


# Worker processes: each task is a call that writes its own parts, so that a job that was killed
# goes on with those that are missing.

R = TypeVar("R")
T = TypeVar("T")
P = ParamSpec("P")
#: Tasks that wait for each worker: their arguments are kept in memory.
WAITING = 2
#: Seconds between two looks at what there is to do beside the tasks.
LOOK = 0.2
#: Key of the number of passed over comparisons among the metadata of a part of works.
_PASSED_OVER = b"passed_over"


class SideTasks(NamedTuple):
    """What can be done while tasks run, because they have written something by then. `found`: gives
    what `call` is to be called with next; nothing twice.
    """

    call: Callable[[Any], Any]
    found: Callable[[], Iterator[Any]]


def run_all(
    call: Callable[[T], Any],
    tasks: Iterable[T],
    workers: int,
    done: Done = lambda _: None,
    beside: SideTasks | None = None,
) -> list[Any]:
    """Call a function for each task, in worker processes if `workers` is more than 1; the results
    in the order of the tasks.

    `tasks`: what it is called with; can be pickled. Raises UsageError: a worker was killed, most
    likely because memory was short. Raises Exception: what a call raises; tasks that run are
    finished first.
    """
    if workers < 2:
        results = []
        for number, task in enumerate(tasks, 1):
            results.append(call(task))
            done(number)
        return results
    with _workers(workers) as pool, _worker_errors():
        try:
            return _run(pool, call, tasks, workers, done, beside)
        except BaseException:
            # What failed ends the job, also where the processes were kept for it.
            pool.shutdown(wait=True, cancel_futures=True)
            raise


#: The worker processes that `kept` keeps.
_KEPT: ContextVar[ProcessPoolExecutor | None] = ContextVar("kept", default=None)


@contextmanager
def keep_workers(workers: int) -> Iterator[None]:
    """Keep so many worker processes for all calls of `run_all` in the block. They begin when they
    are needed.
    """
    if workers < 2:
        yield
        return
    with _pool(workers) as pool:
        token = _KEPT.set(pool)
        try:
            yield
        finally:
            _KEPT.reset(token)


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """The worker processes that are kept, or else so many for the block."""
    own = _KEPT.get()
    with nullcontext(own) if own is not None else _pool(count) as pool:
        yield pool


@contextmanager
def _worker_errors() -> Iterator[None]:
    """Say what it means that a worker was ended."""
    try:
        yield
    except BrokenProcessPool as exc:
        raise UsageError(
            "a worker process of the job was ended from outside, most likely because memory was "
            "short",
            advice="Run it again with --resume and fewer --workers.",
        ) from exc


def _pool(workers: int) -> ProcessPoolExecutor:
    # Processes begin with nothing of ours in memory, and hold no lock of a thread.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_begin_worker)


def in_order(call: Callable[[T], R], tasks: Iterable[T], workers: int) -> Iterator[R]:
    """The result of each task in their order, as soon as it is there; worker processes are ahead by
    some tasks.

    `tasks`: what it is called with; can be pickled. Raises UsageError: a worker was killed;
    Exception: what a call raises.
    """
    with _workers(workers) as pool, _worker_errors():
        coming = iter(tasks)
        running: deque[Future[R]] = deque()
        while True:
            running += [
                pool.submit(call, task) for task in islice(coming, workers * WAITING - len(running))
            ]
            if not running:
                return
            try:
                yield running.popleft().result()
            except BaseException:
                for future in running:
                    future.cancel()
                raise


@contextmanager
def in_background(
    call: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> Iterator[Callable[[], T]]:
    """Call a function in a process of its own, or in one that is kept, while the block goes on;
    what is given waits for the result. Without kept ones, the block ends when the call does. Raises
    UsageError: what is given: the process was ended.
    """
    with _workers(1) as pool:
        future = pool.submit(call, *args, **kwargs)

        def result() -> T:
            with _worker_errors():
                return future.result()

        yield result


def _run(
    pool: ProcessPoolExecutor,
    call: Callable[[T], Any],
    tasks: Iterable[T],
    workers: int,
    done: Done,
    beside: SideTasks | None,
) -> list[Any]:
    coming = enumerate(tasks)
    running: dict[Future[Any], int] = {}
    results: dict[int, Any] = {}
    # Calls of `beside`; they do not keep tasks waiting.
    others: set[Future[Any]] = set()
    while True:
        for number, task in islice(coming, workers * WAITING - len(running)):
            running[pool.submit(call, task)] = number
        if not running:
            for future in others:
                future.result()
            return [results[number] for number in sorted(results)]
        if beside is not None:
            idle = max(0, workers - len(running) - len(others))
            others |= {pool.submit(beside.call, found) for found in islice(beside.found(), idle)}
        timeout = None if beside is None else LOOK
        ended = wait({*running, *others}, timeout, return_when=FIRST_COMPLETED).done
        for future in ended:
            if future in others:
                others.remove(future)
                future.result()
            else:
                results[running.pop(future)] = future.result()
        done(len(results))


def _begin_worker() -> None:
    garbage_collection.make_rare()
    _end_with_parent()


def _end_with_parent() -> None:
    """End this worker when the job's process has ended, also where that was killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait_for_one([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="end with parent").start()


def judge_all(
    judge: Judge, chunks: Sequence[Path], into: Path, workers: int, done: Done = lambda _: None
) -> None:
    """`Engine.judge` in worker processes of this machine."""
    missing = [path for path in chunks if not (into / path.name).exists()]
    # A large one that comes last would be judged alone.
    missing.sort(key=rows_of, reverse=True)
    before = len(chunks) - len(missing)
    run_all(
        _judge_one,
        ((judge, path, into / path.name) for path in missing),
        min(workers, len(missing)),
        lambda number: done(before + number),
    )


def _judge_one(task: tuple[Judge, Path, Path]) -> None:
    judge, chunk, path = task
    works, passed_over = judge(read_part(chunk))
    keep(works, passed_over, path)


def keep(works: pa.Table, passed_over: int, path: Path) -> None:
    """Write the works of a chunk, and how many comparisons were passed over."""
    metadata = {_PASSED_OVER: str(passed_over).encode()}
    write_part(path, works.replace_schema_metadata(metadata))


def passed_over(path: Path) -> int:
    return int(metadata_of(path).get(_PASSED_OVER, b"0"))
