"""What is told of a job beside its works: its numbers, and what the output has no place for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from metasearch.bulk.extra_tags import LeftOut
from metasearch.bulk.job import MergedWork, Outcome
from metasearch.bulk.prisma_numbers import CountedWorks, Numbers, numbers_of

#: Works from which on a process of its own pays.
MANY = 50_000


class Told(NamedTuple):
    """What is told. `left_out`: sentences on what the output format cannot hold."""

    numbers: Numbers
    left_out: list[str]


class Telling:
    """Finds out what is told while it looks at one work after another. `name`: of the format in
    which its works are written; None where they are not.
    """

    def __init__(self, outcome: Outcome, name: str | None) -> None:
        self._counted = CountedWorks()
        self._lost = LeftOut(outcome.files, name) if name is not None else None

    def add(self, work: MergedWork) -> None:
        """Look at one more."""
        self._counted.add(work)
        if self._lost is not None:
            self._lost.add(work)

    def join(self, other: Telling) -> None:
        """Take in what another one of the same job and format has seen, which come behind."""
        self._counted.join(other._counted)
        if self._lost is not None and other._lost is not None:
            self._lost.join(other._lost)

    def told(self, outcome: Outcome) -> Told:
        """What is told of the job, when all its works were looked at."""
        notes = self._lost.notes() if self._lost is not None else []
        return Told(numbers_of(outcome, self._counted), notes)


def tell(outcome: Outcome, name: str | None) -> Told:
    """Find it out; the works are gone through once. `name`: of the format in which its works are
    written; None where they are not.
    """
    telling = Telling(outcome, name)
    for work in outcome.works:
        telling.add(work)
    return telling.told(outcome)


def at_once(outcome: Outcome, workers: int) -> bool:
    """Whether worker processes go through the works: many that lie on disk."""
    return workers > 1 and len(outcome.works) > MANY and not isinstance(outcome.works, Sequence)


@contextmanager
def in_background(outcome: Outcome, name: str | None, workers: int) -> Iterator[Callable[[], Told]]:
    """`tell` for a block. Many works that lie on disk are gone through by a worker process while
    the block goes on, and the block has the others; what is given waits for it. Raises UsageError:
    what is given: a part of the works is damaged, or the process was ended.
    """
    if at_once(outcome, workers):
        from metasearch.bulk.staged import pool

        with pool.kept(workers), pool.in_background(tell, outcome, name) as told:
            yield told
    else:
        found = tell(outcome, name)
        yield lambda: found
