"""Loading and computing for strategies, off the loop: a dictionary takes seconds, a page of texts
milliseconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from metasearch.dedup import Chain, Fingerprint, Strategy
from metasearch.errors import MetasearchError

T = TypeVar("T")

#: Names of the strategies that have loaded what they need, in this process; two must not load at
#: once.
_LOADED: set[str] = set()
_LOADING = threading.Lock()
#: Records that are prepared on the loop, in less than the milliseconds for which a thread would
#: keep the interpreter.
AT_ONCE = 20


class Workshop:
    """Where all searches of an engine have loaded and computed what their strategies need; made
    inside the loop.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._warm = False  # whether what the default strategy computes with has been imported

    async def load(self, chosen: Strategy) -> None:
        """Load what a strategy needs, off the loop; at once where that is done or nothing is
        needed.

        Raises:
            MetasearchError: It cannot be loaded.
        """
        if chosen.loads and chosen.name not in _LOADED:
            await self._in_thread(_load, chosen)

    async def prepare(self, chosen: Strategy, chain: Chain, prints: Sequence[Fingerprint]) -> None:
        """Compute what comparing these records takes long to compute; the fingerprints keep it.

        Raises:
            MetasearchError: What the strategy needs cannot be loaded.
        """
        if chosen.loads and prints:
            await self.load(chosen)
            await self._in_thread(_compute, chain, prints)
        elif chain.has_work(prints):
            if self._warm and len(prints) <= AT_ONCE:
                chain.prepare(prints)
                return
            await self._in_thread(chain.prepare, prints)
            self._warm = True

    async def _in_thread(self, do: Callable[..., T], *args: Any) -> T:
        """Let a thread do it: one at a time, because they would share one interpreter."""
        async with self._turn:
            return await asyncio.to_thread(do, *args)


def _load(chosen: Strategy) -> None:
    """Load what a strategy needs, once a process; may take a second or two, so it runs in a thread.

    Raises:
        MetasearchError: It cannot be loaded.
    """
    with _LOADING:
        if chosen.name in _LOADED:
            return
        try:
            chosen.load()
        except MetasearchError:
            raise
        except Exception as exc:  # a dictionary or a compiled library of others
            raise MetasearchError(
                f"the strategy {chosen.name!r} cannot load what it needs: {type(exc).__name__}: "
                f"{exc}",
                advice="Choose another one; `metasearch strategies` lists all.",
            ) from exc
        _LOADED.add(chosen.name)


def _compute(chain: Chain, prints: Iterable[Fingerprint]) -> None:
    """Compute all that a chain compares of records; fingerprints keep it, so that it can be done in
    a thread.

    Whoever compares a record with itself has looked at everything that is compared with another
    one.
    """
    for it in prints:
        for matcher in chain.matchers:
            list(matcher.keys(it))
            matcher.compare(it, it)
