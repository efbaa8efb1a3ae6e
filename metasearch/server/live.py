"""Searches whose event streams are being read, or could be continued: a browser that lost its connection comes back
with the id of the last event that it saw, and must get the rest of the same search, never a second one.

Each search is drained by one task of the hub's, so that it outlives the request that began it by a moment; if nobody
has come back by then, it is closed, and with it its requests to the databases.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal

from metasearch.events import Answer, Finished, SearchEvent
from metasearch.formats.events import sse
from metasearch.server.options import Options

if TYPE_CHECKING:
    from metasearch.server.linked import Events

logger = logging.getLogger("metasearch.server")


class LiveSearch:
    """The events of one search so far, each a finished server-sent event.

    Attributes:
        id: Of the search.
        state: "running", "finished" once `done` is among the events, "broken" where it ended without.
        size: Bytes of all events.
        finished: The last event of a search that ended well.
    """

    def __init__(self, search_id: str) -> None:
        self.id = search_id
        self.state: Literal["running", "finished", "broken"] = "running"
        self.size = 0
        self.finished: Finished | None = None
        self.readers = 0
        self._events: list[bytes] = []
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._events)

    def publish(self, event: SearchEvent) -> None:
        """Adds an event; its id is "SEARCHID-N", N from 1."""
        if isinstance(event, Finished):
            self.finished = event
            self.state = "finished"
        written = sse(event, f"{self.id}-{len(self._events) + 1}")
        self._events.append(written)
        self.size += len(written)
        self._wake()

    def close(self) -> None:
        """No more events will come."""
        if self.state == "running":
            self.state = "broken"
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, seen: int, ping: float) -> AsyncGenerator[bytes]:
        """The events after the first `seen`, then each as it comes; b"" after `ping` seconds without one."""
        while True:
            while seen < len(self._events):
                seen += 1
                yield self._events[seen - 1]
            if self.state != "running":
                return
            try:
                async with asyncio.timeout(ping):
                    await self._changed.wait()
            except TimeoutError:
                yield b""


class Hub:
    """All searches that have an event stream: bounded in number and bytes, the oldest finished one goes first.

    Args:
        options: The bounds.
        finished: Told each answer, whether or not anybody still reads it.
    """

    def __init__(self, options: Options, finished: Callable[[Answer], None] = lambda _: None) -> None:
        self._options = options
        self._finished = finished
        self._tasks: dict[LiveSearch, asyncio.Task[None]] = {}
        self._kept: dict[str, LiveSearch] = {}
        self._timers: set[asyncio.TimerHandle] = set()

    @property
    def running(self) -> int:
        """How many searches are being drained."""
        return len(self._tasks)

    def start(self, search: Events) -> LiveSearch:
        """Drains the search into a new `LiveSearch`."""
        live = LiveSearch(search.id)
        task = asyncio.create_task(self._drain(search, live))
        self._kept[live.id] = live
        self._tasks[live] = task
        task.add_done_callback(lambda _: self._tasks.pop(live, None))
        return live

    def find(self, event_id: str) -> tuple[LiveSearch, int] | None:
        """The search that an event's id belongs to and the event's number; None where nothing can follow it."""
        search_id, dash, number = event_id.rpartition("-")
        live = self._kept.get(search_id)
        if not dash or live is None or not (number.isascii() and number.isdigit() and len(number) < 10):
            return None
        seen = int(number)
        if live.state == "broken" or seen > len(live) or (live.state == "finished" and seen == len(live)):
            return None
        return live, seen

    async def follow(self, live: LiveSearch, seen: int = 0) -> AsyncGenerator[bytes]:
        """As `LiveSearch.after`; once the last reader has left a running search, it is closed after a moment."""
        live.readers += 1
        try:
            async with aclosing(live.after(seen, self._options.ping)) as events:
                async for event in events:
                    yield event
        finally:
            live.readers -= 1
            if live.readers == 0 and live in self._tasks:
                self._later(self._options.grace, lambda: self._abandon(live))

    async def close(self) -> None:
        """Ends all searches and all streams."""
        tasks = list(self._tasks.values())
        for live in list(self._tasks):
            live.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._kept.clear()

    async def _drain(self, search: Events, live: LiveSearch) -> None:
        try:
            async with aclosing(search):
                async for event in search:
                    live.publish(event)
                    if isinstance(event, Finished):
                        self._finished(event.answer)
        except Exception:
            logger.exception("search %s failed", live.id)
        finally:
            live.close()
            self._later(self._options.keep, lambda: self._forget(live))
            self._make_room()

    def _abandon(self, live: LiveSearch) -> None:
        task = self._tasks.get(live)
        if task is not None and live.readers == 0:
            task.cancel()

    def _forget(self, live: LiveSearch) -> None:
        self._kept.pop(live.id, None)

    def _make_room(self) -> None:
        finished = [it for it in self._kept.values() if it.state != "running"]
        total = sum(it.size for it in finished)
        for oldest in finished:
            if len(finished) <= self._options.max_streams and total <= self._options.max_stream_bytes:
                return
            finished = finished[1:]
            total -= oldest.size
            self._forget(oldest)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        def fire() -> None:
            self._timers.discard(timer)
            action()

        timer = asyncio.get_running_loop().call_later(seconds, fire)
        self._timers.add(timer)
