"""Searches whose databases answer one after the other, in the order of asking, so that nothing of
the answer depends on time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from metasearch.engine.engine import Engine
from metasearch.events import Answer, Finished, SearchEvent, SourceProgress


class InOrder:
    """A transport that lets the requests of a source wait until `next_source` was called for it.

    Args:
        inner: Sends the requests.

    Attributes:
        pages: Those that came since `begin`, in order.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._waiting: list[str] = []
        self._turns: dict[str, asyncio.Event] = {}
        self.pages: list[Any] = []

    def begin(self, sources: Sequence[str]) -> None:
        """Begin anew, with the turn of the first of these sources."""
        self.pages = []
        self._turns = {name: asyncio.Event() for name in sources}
        self._waiting = list(sources)
        self.ended("")

    def begin_together(self, sources: Sequence[str]) -> None:
        """Begin anew; all sources answer when they can."""
        self.begin(sources)
        for turn in self._turns.values():
            turn.set()

    def ended(self, source: str) -> None:
        """It is the turn of the first source that has not ended."""
        self._waiting = [name for name in self._waiting if name != source]
        if self._waiting:
            self._turns[self._waiting[0]].set()

    async def send(self, request: Any, *, timeout: float, max_bytes: int) -> Any:
        """As that of the transport inside."""
        await self._turns[request.source].wait()
        page = await self._inner.send(request, timeout=timeout, max_bytes=max_bytes)
        self.pages.append(page)
        return page

    async def close(self) -> None:
        """Closes the transport inside."""
        await self._inner.close()


async def plainly(engine: Engine, transport: InOrder, query: str, **options: Any) -> Answer:
    """A search of which nobody reads the events. Its sources answer when they can: an answer does
    not depend on who answers first."""
    transport.begin_together(engine.settings.default_sources or ())
    return await engine.search(query, **options)


async def searched(
    engine: Engine, transport: InOrder, query: str, **options: Any
) -> tuple[Answer, list[SearchEvent]]:
    """A search and its events; each source is sent nothing before the one before it has ended.

    Args:
        engine: Uses the transport.
        transport: Of the engine.
        query: Text.
        options: Of the search.
    """
    transport.begin(engine.settings.default_sources or ())
    events: list[SearchEvent] = []
    async for event in engine.search(query, **options):
        events.append(event)
        if isinstance(event, SourceProgress) and event.report.status != "running":
            transport.ended(event.report.source)
    last = events[-1]
    assert isinstance(last, Finished), last
    return last.answer, events
