"""`Pages`: what the fetch path asks of the pages that replicas have together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """A value that one of the replicas has kept. `value`: as it was given to `Pages.keep`. `age`:
    seconds since then, by the server's clock.
    """

    value: bytes
    age: float


class Pages(Protocol):
    """What the fetch path asks of all replicas' pages; no method raises for the server."""

    async def claim(
        self, key: str, *, seconds: float, oldest: float, until: float | None
    ) -> Found | None:
        """The value of a key; waits as long as another replica fetches it.

        `oldest`: the greatest age, in seconds, of a value that is wanted. `until`: latest moment of
        an answer, in `loop.time()` seconds; None waits as long as the other one may take. Returns
        None: the caller fetches it, and then calls `keep` or `release`.
        """
        ...

    async def keep(self, key: str, value: bytes, seconds: float) -> None:
        """Keeps a value for so long, for all, and ends the flight."""
        ...

    async def release(self, key: str) -> None:
        """Ends the flight without a value."""
        ...

    async def forget(self, key: str) -> None:
        """Deletes a value."""
        ...
