"""What is told of a job beside its works: its numbers, and what the output has no place for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from metasearch.bulk.extra_tags import LeftOut
from metasearch.bulk.job import Outcome
from metasearch.bulk.prisma_numbers import CountedWorks, Numbers, numbers_of

#: Works from which on a process of its own pays.
MANY = 50_000


class Told(NamedTuple):
    """What is told.

    Attributes:
        numbers: The counts for the report.
        left_out: Sentences about content of the files that the output format cannot hold.
    """

    numbers: Numbers
    left_out: list[str]


def tell(outcome: Outcome, name: str | None) -> Told:
    """Find it out; the works are gone through once.

    Args:
        outcome: What the job has done.
        name: Of the format in which its works are written; None where they are not.
    """
    counted = CountedWorks()
    lost = LeftOut(outcome, name) if name is not None else None
    for work in outcome.works:
        counted.add(work)
        if lost is not None:
            lost.add(work)
    return Told(numbers_of(outcome, counted), lost.notes() if lost is not None else [])


def at_once(outcome: Outcome, workers: int) -> bool:
    """Whether worker processes go through the works: many that lie on disk."""
    return workers > 1 and len(outcome.works) > MANY and not isinstance(outcome.works, Sequence)


@contextmanager
def telling(outcome: Outcome, name: str | None, workers: int) -> Iterator[Callable[[], Told]]:
    """`tell` for a block. Many works that lie on disk are gone through by a worker process while
    the block goes on, and the block has the others; what is given waits for it.

    Args:
        outcome: What the job has done.
        name: As in `tell`.
        workers: Processes that the job may have.

    Raises:
        UsageError: What is given: a part of the works is damaged, or the process was ended.
    """
    if at_once(outcome, workers):
        from metasearch.bulk.staged.pool import in_background, kept

        with kept(workers), in_background(tell, outcome, name) as told:
            yield told
    else:
        found = tell(outcome, name)
        yield lambda: found
