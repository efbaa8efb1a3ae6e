"""Work on a list that is done in steps: generators that yield after each stretch, so that a caller
can do other work in between, and that return the result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

#: Hits of a stretch: to merge and score so many takes about a millisecond.
STRETCH = 40


def stretches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items, `STRETCH` at a time."""
    return (items[start : start + STRETCH] for start in range(0, len(items), STRETCH))


def all_at_once(steps: Generator[None, None, T]) -> T:
    """The result of steps, which are taken one right after the other."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
