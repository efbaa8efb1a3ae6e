"""Pauses that one replica tells the others.

They are published, which reaches those who listen at that moment, and kept, which is read at the
start, each `READ` seconds, and whenever messages may have been missed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from contextlib import aclosing, suppress

from metasearch.loop.ending import ended
from metasearch.sharing.connection import Connection
from metasearch.sharing.names import Names
from metasearch.sharing.scripts import PAUSE, PAUSES
from metasearch.sharing.sharing import Away, Heard

#: Seconds between two readings of what is kept.
READ = 30.0
#: Pauses that are being told at once; the others learn of more from the sources.
MOST_TOLD = 64
_PAUSE = re.compile(r"([0-9a-f]{32}) ([a-z]{1,20})", re.ASCII)
_MESSAGE = re.compile(rb"([0-9a-f]{1,32}) ([0-9a-f]{32} [a-z]{1,20}) ([0-9]{1,17}) ([0-9]{1,17})")


class Pauses:
    """The pauses of all replicas, as one of them knows them. Belongs to one event loop."""

    def __init__(
        self,
        connection: Connection,
        names: Names,
        replica: str,
        sources: Callable[[], Iterable[str]],
    ) -> None:
        self._connection = connection
        self._names = names
        self._replica = replica
        self._sources = sources
        self._heard: Heard | None = None
        self._key, self._channel = names.of("pauses"), names.of("told")
        self._of_digest: dict[str, str] = {}
        #: Pause -> moment of its end by the server's clock, of all that have been acted on.
        self._known: dict[str, int] = {}
        #: Those that this replica is telling now: its own are not heard.
        self._own: set[str] = set()
        self._telling: set[asyncio.Task[None]] = set()
        self._listening: list[asyncio.Task[None]] = []
        connection.when_back.append(self._back)

    def listen(self, heard: Heard | None) -> None:
        """Calls `heard` with the pauses of other replicas from now on; None ends that."""
        self._heard = heard
        if heard is not None and not self._listening:
            loop = asyncio.get_running_loop()
            self._listening = [loop.create_task(self._listen()), loop.create_task(self._look())]

    def tell(self, source: str, cause: str, seconds: float) -> None:
        """Has the other replicas pause a source, without waiting for them."""
        if len(self._telling) < MOST_TOLD:
            pause = f"{self._names.digest('source', source)} {cause}"
            task = asyncio.get_running_loop().create_task(self._tell(pause, round(seconds * 1e6)))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def read(self) -> None:
        """Acts on all pauses that are kept and not known yet."""
        with suppress(Away):
            found = await self._connection.script(PAUSES, (self._key, self._names.of("began")), ())
            texts = [text.decode("ascii", "replace") for text in found]
            known = set()
            for pause, ends, left in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
                known.add(pause)
                self._act(pause, int(ends), int(left))
            self._known = {pause: ends for pause, ends in self._known.items() if pause in known}

    async def close(self) -> None:
        """Ends all that runs here."""
        await ended((*self._telling, *self._listening))

    async def _tell(self, pause: str, microseconds: int) -> None:
        self._own.add(pause)
        try:
            with suppress(Away):
                ends = await self._connection.script(
                    PAUSE, (self._key, self._channel), (pause, microseconds, self._replica)
                )
                self._known[pause] = max(self._known.get(pause, 0), int(ends))
        finally:
            self._own.discard(pause)

    def _back(self) -> None:
        """The server is back: others may have told it what this replica has not heard."""
        if self._heard is not None:
            task = asyncio.get_running_loop().create_task(self.read())
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(READ)
            await self.read()

    async def _listen(self) -> None:
        async with aclosing(self._connection.messages(self._channel)) as messages:
            async for message in messages:
                if message is None:
                    await self.read()
                elif (found := _MESSAGE.fullmatch(message)) is not None:
                    replica, pause, ends, left = found.groups()
                    if replica.decode() != self._replica:
                        self._act(pause.decode(), int(ends), int(left))

    def _act(self, pause: str, ends: int, left: int) -> None:
        """Passes a pause on, if it lasts longer than what is known."""
        match = _PAUSE.fullmatch(pause)
        if pause in self._own:  # read before the server has answered what was told
            return
        if match is None or left <= 0 or ends <= self._known.get(pause, 0):
            return
        self._known[pause] = ends
        source = self._source(match[1])
        if source is not None and self._heard is not None:
            self._heard(source, match[2], left / 1e6)

    def _source(self, digest: str) -> str | None:
        """The source of that name; None if this replica has none."""
        if digest not in self._of_digest:
            self._of_digest = {
                self._names.digest("source", source): source for source in self._sources()
            }
        return self._of_digest.get(digest)
