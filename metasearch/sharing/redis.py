"""`RedisSharing`: replicas share through a server of Redis or Valkey."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress

from metasearch.sharing.client_rates import ClientRates
from metasearch.sharing.connection import Connection
from metasearch.sharing.leases import Leases
from metasearch.sharing.names import Names
from metasearch.sharing.pages import RedisPages
from metasearch.sharing.pauses import Pauses
from metasearch.sharing.scripts import RELEASE, START
from metasearch.sharing.sharing import Away, Heard, SharedLimits, SharingState, Start

#: Starts of a source that the server remembers; a source that allows more in its period is asked as
#: if the period were shorter by as much.
MOST_STARTS = 10_000


class RedisSharing:
    """See `Sharing`, of which this is the one for replicas. Belongs to one event loop.

    `connection`: to the server; closed with this. `pages`: their pages; closed with this. None
    shares none.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        *,
        replicas: int = 2,
        sources: Callable[[], Iterable[str]] = tuple,
        pages: RedisPages | None = None,
    ) -> None:
        self.connection = connection
        self.names = names
        self.replicas = replicas
        self._replica = secrets.token_hex(8)
        self._leases = Leases(connection, names, self._replica)
        self._pauses = Pauses(connection, names, self._replica, sources)
        self._keys: dict[str, tuple[bytes, ...]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._probes: set[str] = set()
        self.pages = pages
        self._clients = ClientRates(connection, names)

    @property
    def away(self) -> bool:
        """See `Sharing`."""
        return self.connection.away

    @property
    def left(self) -> float:
        """See `Sharing`."""
        return self.connection.left

    @property
    def returned(self) -> float:
        """See `Sharing`."""
        return self.connection.returned

    @property
    def state(self) -> SharingState:
        """See `Sharing`."""
        return self.connection.state

    async def start(
        self, source: str, limits: SharedLimits, longest: float, missed: Start | None = None
    ) -> Start:
        """See `Sharing`."""
        most, per = _starts(limits)
        lease = self._leases.take(source) if missed is None else missed.lease
        moment = 0 if missed is None else missed.moment
        keys = self._keys.get(source)
        if keys is None:
            keys = self._keys[source] = (
                self.names.of("starts", source).encode(),
                self._leases.key(source).encode(),
                self.names.of("waiting", source).encode(),
                self.names.of("began").encode(),
            )
        ahead = int(longest * 1e6)
        word = f"{most} {per} {limits.concurrency} {ahead} {self._replica} {lease} {moment}"
        try:
            wait, state, at, free = await self.connection.script(START, keys, (word.encode(),))
        except BaseException:
            # The server may have done it all the same.
            self._leases.give_back(source, lease)
            raise
        if state == 1:
            self._leases.hold(source, lease, scarce=2 * free < limits.concurrency)
            return Start(wait / 1e6, lease, moment=int(at))
        if state == 0:
            self._leases.give_back(source, lease)
        else:
            self._leases.lost(source, lease)
        return Start(wait / 1e6, "", busy=state < 0)

    def finished(self, source: str, lease: str) -> None:
        """See `Sharing`."""
        self._leases.give_back(source, lease)

    async def probe(self, source: str, seconds: float) -> bool:
        """See `Sharing`."""
        answer = await self.connection.command(
            "SET", self._probe(source), self._replica, "NX", "PX", math.ceil(seconds * 1000)
        )
        if answer:
            self._probes.add(source)
        return bool(answer)

    def probed(self, source: str) -> None:
        """See `Sharing`."""
        if source in self._probes:
            self._probes.discard(source)
            task = asyncio.get_running_loop().create_task(self._end_probe(source))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def tell(self, source: str, cause: str, seconds: float) -> None:
        """See `Sharing`."""
        self._pauses.tell(source, cause, seconds)

    def listen(self, heard: Heard | None) -> None:
        """See `Sharing`."""
        self._pauses.listen(heard)

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        """See `Sharing`."""
        return await self._clients.take(client, limit, window)

    async def close(self) -> None:
        """See `Sharing`."""
        await self._pauses.close()
        if self._ending:
            await asyncio.wait(set(self._ending))
        await self._leases.close()
        if self.pages is not None:
            await self.pages.close()
        await self.connection.close()

    def _probe(self, source: str) -> str:
        return self.names.of("probe", source)

    async def _end_probe(self, source: str) -> None:
        with suppress(Away):
            await self.connection.script(RELEASE, (self._probe(source),), (self._replica,))


def _starts(limits: SharedLimits) -> tuple[int, int]:
    """(most starts, microseconds in which they lie): whole numbers, with no more starts in any
    time than the limits allow.
    """
    requests, per = limits.requests, limits.per
    if requests < 1:
        requests, per = 1, per / requests
    most = math.floor(min(requests, 1e9))
    if most > MOST_STARTS:
        per, most = per * MOST_STARTS / most, MOST_STARTS
    return most, math.ceil(per * 1e6)
