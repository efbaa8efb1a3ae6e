"""How many searches run at once: beyond that a client is told to come back, before anything is asked of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metasearch.server.problem import Problem

#: Seconds after which a client that was turned away may try again; most searches end sooner.
RETRY_AFTER = 2


class Gate:
    """Counts the searches of one server.

    Args:
        most: So many may run at once.
        elsewhere: How many run that have not come through `passing`: event streams outlive their requests.
    """

    def __init__(self, most: int, elsewhere: Callable[[], int] = lambda: 0) -> None:
        self._most = most
        self._elsewhere = elsewhere
        self._inside = 0

    @property
    def running(self) -> int:
        """How many run now."""
        return self._inside + self._elsewhere()

    def check(self) -> None:
        """Whether one more may begin.

        Raises:
            Problem: 503 with `Retry-After`.
        """
        if self.running >= self._most:
            raise Problem(
                503,
                "busy",
                f"{self._most} searches are running, and no more may at once. Try again in a moment.",
                headers={"Retry-After": str(RETRY_AFTER)},
            )

    @contextmanager
    def passing(self) -> Iterator[None]:
        """A search, from its begin to its end.

        Raises:
            Problem: As `check`.
        """
        self.check()
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
