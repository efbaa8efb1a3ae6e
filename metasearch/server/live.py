"""Searches whose event streams are being read, or could be continued: a browser that lost its
connection comes back with the id of the last event that it saw, and must get the rest of the same
search, never a second one.

Each search is drained by one task of the hub's, so that it outlives the request that began it by a
moment; if no reader has returned by then, it is closed, with its requests to the sources.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Literal, Protocol

from metasearch.events import Answer, FacetsChanged, Finished, SearchEvent
from metasearch.formats.events import sse
from metasearch.server.limits import Options
from metasearch.server.process import places_of

logger = logging.getLogger("metasearch.server")


class Events(Protocol):
    """The part of a search that a stream uses; see `page_links.SearchWithLinks`."""

    id: str

    def __aiter__(self) -> AsyncIterator[SearchEvent]: ...

    async def aclose(self) -> None: ...


class LiveSearch:
    """The events of one search so far, each a finished server-sent event.

    Facets replace the facets before them, so only the newest are held: a reader that is slow, or
    comes back, receives no others.

    Attributes:
        state: "running", "finished" once `done` is among the events, "broken" where it ended
            without.
        size: Bytes of the events that are held.
        gone: Events at its beginning that are held no more.
    """

    def __init__(self, search_id: str) -> None:
        self.id = search_id
        self.state: Literal["running", "finished", "broken"] = "running"
        self.size = 0
        self.gone = 0
        self._events: deque[bytes] = deque()  # b"" where newer facets have taken the place
        self._facets = 0  # number of the newest facets; 0 for none
        self._seen: dict[object, int] = {}  # by each who reads
        self._changed = asyncio.Event()
        self._read = asyncio.Event()

    def __len__(self) -> int:
        return self.gone + len(self._events)

    @property
    def readers(self) -> int:
        return len(self._seen)

    def publish(self, event: SearchEvent) -> None:
        """Adds an event; its id is "SEARCHID-N", N from 1."""
        if isinstance(event, Finished):
            self.state = "finished"
        if isinstance(event, FacetsChanged):
            self._drop_facets()
            self._facets = len(self) + 1
        written = sse(event, f"{self.id}-{len(self) + 1}")
        self._events.append(written)
        self.size += len(written)
        self._wake()

    def _drop_facets(self) -> None:
        """Let go of the facets that are held; their number stays theirs."""
        place = self._facets - 1 - self.gone
        if place >= 0:
            self.size -= len(self._events[place])
            self._events[place] = b""

    def close(self) -> None:
        if self.state == "running":
            self.state = "broken"
        self._wake()

    async def fit(self, most: Callable[[], int]) -> None:
        """Wait until no more bytes are held than `most` says: what all readers have seen is let go
        of.

        Nobody can come back to what is gone; but a reader who is slow, or has left, must not fill
        the memory.
        """
        while self.size > most():
            seen = min(self._seen.values(), default=self.gone)
            if seen > self.gone:
                self.size -= len(self._events.popleft())
                self.gone += 1
            else:
                self._read.clear()
                await self._read.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, seen: int, ping: float) -> AsyncGenerator[bytes]:
        """The events after the first `seen`, then new ones; b"" after `ping` seconds without."""
        reader = object()
        self._seen[reader] = seen
        try:
            while True:
                if seen < self.gone:  # it has come too late
                    return
                while seen < len(self):
                    event = self._events[seen - self.gone]
                    seen += 1
                    if event:
                        yield event
                    self._seen[reader] = seen  # it has been written: the next one is asked for
                    self._read.set()
                if self.state != "running":
                    return
                try:
                    async with asyncio.timeout(ping):
                        await self._changed.wait()
                except TimeoutError:
                    yield b""
        finally:
            del self._seen[reader]
            self._read.set()


class Hub:
    """All searches that have an event stream: bounded in number and bytes, the oldest finished one
    goes first. `finished`: called with each answer, even if it has no reader any more.
    """

    def __init__(
        self, options: Options, finished: Callable[[Answer], None] = lambda _: None
    ) -> None:
        self._options = options
        self._finished = finished
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._kept: dict[str, LiveSearch] = {}
        # They know searches by their ids: a timer that held the search would keep all its events
        # until it fires.
        self._timers: set[asyncio.TimerHandle] = set()

    @property
    def running(self) -> int:
        return len(self._tasks)

    def start(
        self,
        search: Events,
        ended: Callable[[], None] = lambda: None,
        answered: Callable[[Answer], None] = lambda _: None,
    ) -> LiveSearch:
        """Drains the search into a new `LiveSearch`. `ended`: called when it runs no more.
        `answered`: called with its answer before that, even if it has no reader any more.
        """
        live = LiveSearch(search.id)
        name = live.id

        def done(_: object) -> None:
            self._tasks.pop(name, None)
            ended()

        task = asyncio.create_task(self._drain(search, live, answered))
        self._kept[name] = live
        self._tasks[name] = task
        task.add_done_callback(done)
        self._later(self._options.grace, self._abandon, name)  # if its first reader has never come
        return live

    def find(self, event_id: str) -> tuple[LiveSearch, int] | None:
        """The search of an event's id, and its number; None where nothing can follow."""
        search_id, dash, number = event_id.rpartition("-")
        live = self._kept.get(search_id)
        if (
            not dash
            or live is None
            or not (number.isascii() and number.isdigit() and len(number) < 10)
        ):
            return None
        seen = int(number)
        over = live.state == "finished" and seen == len(live)
        if live.state == "broken" or over or not live.gone <= seen <= len(live):
            return None
        return live, seen

    async def follow(self, live: LiveSearch, seen: int = 0) -> AsyncGenerator[bytes]:
        """As `LiveSearch.after`; a running search without readers is closed after a moment."""
        try:
            async with aclosing(live.after(seen, self._options.ping)) as events:
                async for event in events:
                    yield event
        finally:
            if live.readers == 0 and live.id in self._tasks:
                self._later(self._options.grace, self._abandon, live.id)

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for live in self._kept.values():
            live.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._kept.clear()

    async def _drain(
        self, search: Events, live: LiveSearch, answered: Callable[[Answer], None]
    ) -> None:
        try:
            async with aclosing(search):
                async for event in search:
                    live.publish(event)
                    if isinstance(event, Finished):
                        self._finished(event.answer)
                        answered(event.answer)
                    else:
                        await live.fit(self._share)
        except Exception as error:
            logger.error("search %s failed\n%s", live.id, places_of(error))
        finally:
            live.close()
            self._later(self._options.keep, self._forget, live.id)
            self._make_room()

    def _share(self) -> int:
        """Bytes that one search may hold while it runs: as many as each other one."""
        return self._options.max_running_bytes // max(1, len(self._tasks))

    def _abandon(self, name: str) -> None:
        task, live = self._tasks.get(name), self._kept.get(name)
        if task is not None and live is not None and live.readers == 0:
            task.cancel()

    def _forget(self, name: str) -> None:
        self._kept.pop(name, None)

    def _make_room(self) -> None:
        finished = [live for live in self._kept.values() if live.state != "running"]
        total = sum(live.size for live in finished)
        for oldest in finished:
            if (
                len(finished) <= self._options.max_streams
                and total <= self._options.max_stream_bytes
            ):
                return
            finished = finished[1:]
            total -= oldest.size
            self._forget(oldest.id)

    def _later(self, seconds: float, action: Callable[[str], None], name: str) -> None:
        def fire() -> None:
            self._timers.discard(timer)
            action(name)

        timer = asyncio.get_running_loop().call_later(seconds, fire)
        self._timers.add(timer)
