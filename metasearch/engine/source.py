"""One source in one search: what asking it for the query and asking it for single works have in
common.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from metasearch.adapters.parse.parse import PageReading
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.engine.context import SearchContext
from metasearch.engine.scheduler import Turns
from metasearch.errors import SourceError
from metasearch.events import Status
from metasearch.record import Record

log = logging.getLogger("metasearch")

#: Takes the records of a stretch.
Take = Callable[[tuple[Record, ...]], Awaitable[None]]


@dataclass(slots=True)
class SourceRun:
    """What is known of one source while it is asked.

    Attributes:
        seconds: From the start of the search to the last answer of the source.
        error: Why it failed; None where it did not.
        pages: Pages that it answered.
        cached_pages: Those of them that came from the cache.
        old_pages: Those of them that are past their time, and say so.
        spared: The note that says why an old page stood in for one that it did not give.
    """

    name: str
    spec: AdapterSpec
    notes: list[str] = field(default_factory=list)
    status: Status = "running"
    seconds: float = 0.0
    error: SourceError | None = None
    pages: int = 0
    cached_pages: int = 0
    old_pages: int = 0
    spared: str = ""

    @property
    def cached(self) -> bool:
        """Whether every page came from the cache."""
        return self.pages > 0 and self.pages == self.cached_pages

    def fail(self, error: SourceError) -> None:
        """Note why the source failed; what it answered before stays."""
        # An answer may be kept for long, and what led to the error holds whole pages.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        self.error = error
        self.status = error.outcome  # type: ignore[assignment]

    def unexpected(self, exc: Exception, context: SearchContext) -> SourceError:
        """A fault of ours as a failure of the source: it must not cost the other sources."""
        log.exception("search %s: %s failed unexpectedly", context.search, self.name)
        return SourceError(self.name, f"unexpected {type(exc).__name__} while reading the answer")

    async def fetch(self, request: Request, context: SearchContext) -> Page:
        """Ask for one page, and count it.

        Raises:
            SourceError: There is no answer.
        """
        options = context.resolved.options
        page = await context.shared.fetcher.fetch(
            request,
            self.spec.limits,
            deadline=context.deadline,
            use_cache=options.cache,
            env_name=self.spec.key_env,
            asker=context.search,
            user=options.user,
        )
        self.pages += 1
        self.cached_pages += page.cached
        self.old_pages += bool(page.note)
        self.notes += [page.note] if page.note else []
        if page.spare:
            self.spared = self.spared or page.note
        return page

    async def read(
        self, page: Page, most: int, context: SearchContext, take: Take | None = None
    ) -> PageReading:
        """Read a page to its end: a stretch a turn, or in a thread where it is not light. A page
        that cannot be read is removed from the cache.

        Args:
            page: Of this source.
            most: Records that are read.
            context: Of the search.
            take: Is given the records of each stretch, but for those that only `PageReading.parsed`
                has at the end.

        Raises:
            SourceError: As `parse`.
        """
        try:
            reading = PageReading(page, self.spec, most)
            await _read_in_turns(reading, context.turns, take)
        except SourceError:
            await context.shared.fetcher.forget(page.request)
            raise
        return reading


async def _read_in_turns(reading: PageReading, turns: Turns, take: Take | None) -> None:
    if not reading.light:
        await turns.apart(reading.finish)
        return
    for records in reading:
        if records and take is not None:
            await take(records)
        await turns.next()


async def collect_until(
    deadline: float,
    asking: Mapping[str, Coroutine[Any, Any, None]],
    collect: Callable[[], Awaitable[None]],
    late: Callable[[], Awaitable[None]],
) -> None:
    """Run tasks that put what they have into an inbox, and take it out, until the deadline; then
    cancel those that are left.

    Args:
        deadline: In `loop.time()` seconds.
        asking: Name of a task -> what it does.
        collect: Empties the inbox; returns when all have ended.
        late: Awaited where the deadline came first, before the tasks are cancelled.

    Raises:
        ExceptionGroup: A task failed.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asks, name=name) for name, asks in asking.items()]
        try:
            async with asyncio.timeout_at(deadline):
                await collect()
        except TimeoutError:
            await late()
        for task in tasks:
            task.cancel()
