"""The leases that one replica holds: renewed while its requests run, given back when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress

from metasearch.loop.ending import ended
from metasearch.sharing.batches import Word
from metasearch.sharing.connection import Connection
from metasearch.sharing.names import Names
from metasearch.sharing.scripts import LEASE, LEASES
from metasearch.sharing.sharing import Away

#: Seconds after which a lease that nobody of this replica needs is given back, if places at its
#: source are scarce, and if at least half of them are free. Those of several requests go together,
#: and the next request of the same source takes one over.
SCARCE, PLENTY = 0.02, 1.0


class Leases:
    """The leases of one replica. Belongs to one event loop.

    Renewals and returns go one after the other, so that none overtakes another. A server that is
    away is told nothing: leases end by themselves, and those still held are renewed when it is
    back.
    """

    def __init__(self, connection: Connection, names: Names, replica: str) -> None:
        self._connection = connection
        self._names = names
        self._replica = replica
        self._made = 0
        #: Source -> leases of requests that run, and leases that can be taken over.
        self._held: dict[str, set[str]] = {}
        self._spare: dict[str, list[str]] = {}
        #: Sources of which less than half of the places were free when one was taken last.
        self._scarce: set[str] = set()
        self._turn = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None
        #: Seconds that a task waits before it gives back what is spare -> it.
        self._returning: dict[float, asyncio.Task[None]] = {}

    def key(self, source: str) -> str:
        """The name of the leases of a source."""
        return self._names.of("leases", source)

    def take(self, source: str) -> str:
        """A lease for a request: a spare one, or a new one that the server does not know yet."""
        spare = self._spare.get(source)
        if spare:
            return spare.pop()
        self._made += 1
        return f"{self._replica}:{self._made}"

    def hold(self, source: str, lease: str, *, scarce: bool) -> None:
        """The server has given the lease: it is renewed until `give_back`."""
        (self._scarce.add if scarce else self._scarce.discard)(source)
        self._held.setdefault(source, set()).add(lease)
        if self._renewing is None:
            self._renewing = asyncio.get_running_loop().create_task(self._renew())

    def give_back(self, source: str, lease: str) -> None:
        """The request has ended."""
        self._held.get(source, set()).discard(lease)
        self._spare.setdefault(source, []).append(lease)
        wait = SCARCE if source in self._scarce else PLENTY
        if wait not in self._returning:
            task = asyncio.get_running_loop().create_task(self._give_back(wait))
            self._returning[wait] = task

    def lost(self, source: str, lease: str) -> None:
        """The server has given the place to another one, or never gave it."""
        self._held.get(source, set()).discard(lease)

    async def close(self) -> None:
        """Gives everything back, if the server can be told."""
        await ended((*filter(None, (self._renewing,)), *self._returning.values()))
        for source, leases in self._held.items():
            self._spare.setdefault(source, []).extend(leases)
        self._held.clear()
        await self._return_spare([*self._spare])

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE / 2)
            await self._send(self._held, "+")

    async def _give_back(self, wait: float) -> None:
        await asyncio.sleep(wait)
        del self._returning[wait]  # those that end from now on go with the next
        await self._return_spare([*(self._spare if wait == PLENTY else self._scarce)])

    async def _return_spare(self, sources: Iterable[str]) -> None:
        await self._send({source: self._spare.pop(source, []) for source in sources}, "-")

    async def _send(self, leases: Mapping[str, set[str] | list[str]], sign: str) -> None:
        async with self._turn:
            keys: list[str] = []
            words: list[Word] = []
            for source, some in leases.items():
                if some:
                    keys.append(self.key(source))
                    for lease in some:
                        words += (len(keys), sign, lease)
            if not keys:
                return
            with suppress(Away):
                await self._connection.script(LEASES, keys, words)
