"""Request to page: one exchange for all who ask for the same page, and the cache.

A fetch goes through these steps: is the page being fetched already? Is it in the cache, and may
it be used (page_cache.py)? Does another replica fetch it? Then the source is asked (exchange.py).
The parser gets only pages that may be answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metasearch.adapters.fetch.exchange import Asker, Exchanges, wait_for
from metasearch.adapters.fetch.health import Pause, SourceState
from metasearch.adapters.fetch.page_cache import PageCache, Worth, page_key
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.errors import (
    Blocked,
    ConnectFailed,
    RateLimited,
    SourceError,
    TimedOut,
    Unreachable,
)
from metasearch.loop import GRACE, ignore_failure, lag
from metasearch.message import message
from metasearch.replicas import Alone, Sharing

if TYPE_CHECKING:  # a replay needs neither aiohttp nor diskcache
    from metasearch.adapters.fetch.transport import Transport
    from metasearch.cache import Store

__all__ = ["Fetcher", "SourceState"]

#: Pages that are fetched anew in the background at once; others stay as they are until they
#: are asked for again.
RENEWALS = 16
#: Seconds that one of these may take, its turn at the source included.
LONGEST_RENEWAL = 60.0
#: Seconds before the deadline at which an old page is taken in place of one that does not come.
SPARE_TIME = 0.1


@dataclass(slots=True)
class _Flight(Asker):
    """One request on its way, and how many wait for it."""

    waiters: int = 0
    task: asyncio.Task[Page] | None = None


@dataclass(frozen=True, slots=True)
class _FetchJob:
    """A page that is asked for: see the arguments of `Fetcher.fetch`; `key` is the request's."""

    request: Request
    key: str
    limits: Limits
    env_name: str | None


class Fetcher:
    """Fetches pages for all searches of one process, and knows how the sources are doing.

    Belongs to one event loop. Owns what it is given: `close` closes transport, store and sharing.

    Args:
        store: Where pages and long pauses are kept; None keeps nothing.
        clock: Unix time in seconds, for the age of cached pages.
        monotonic: Seconds, for pauses and the breaker.
        patience: Factor on every wait of our own choice (throttle, backoff, jitter): 0 in tests and
            replays.
        sharing: With whom limits, pauses, probes and pages are shared; None with nobody.
    """

    def __init__(
        self,
        transport: Transport,
        store: Store | None = None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        patience: float = 1.0,
        sharing: Sharing | None = None,
    ) -> None:
        self._transport = transport
        self.sharing: Sharing = Alone() if sharing is None else sharing
        self._cache = None if store is None else PageCache(store, clock, self.sharing.pages)
        self._exchanges = Exchanges(
            transport,
            monotonic=monotonic,
            patience=patience,
            sharing=self.sharing,
            keep=None if self._cache is None else self._cache.keep_pause,
        )
        self._flights: dict[tuple[str, bool], _Flight] = {}
        self._tasks: set[asyncio.Task[Page]] = set()
        self._renewals: dict[str, asyncio.Task[Page]] = {}

    def __repr__(self) -> str:
        return (
            f"<Fetcher over {self._transport!r}, {len(self._flights)} in flight, "
            f"{len(self._exchanges)} sources known>"
        )

    async def fetch(
        self,
        request: Request,
        limits: Limits,
        *,
        deadline: float | None = None,
        use_cache: bool = True,
        env_name: str | None = None,
        asker: Hashable = None,
        user: Hashable = None,
        again: bool = True,
    ) -> Page:
        """The page for a request. Cancelling it leaves others who wait for the same page alone.
        Raises SourceError: everything but a page that a parser may judge (2xx, 3xx, 400, 404 and
        other 4xx are pages).

        Args:
            deadline: Latest moment of an answer, in `loop.time()` seconds; None sets none.
            use_cache: Whether the cache may be read and written.
            env_name: The variable that would hold the source's key, for the advice of
                `AccessDenied`.
            asker: Who asks, for whom turns are fair: requests of one asker wait for one another
                before others wait for them. None takes the task that calls, which does for a search
                with one task a source.
            user: For whom the asker asks: turns go from user to user, and from asker to asker
                within one. None is a user with this one asker.
            again: Whether the request may be sent again where there is no answer; those who wait
                for a page together share what the first of them allows.
        """
        loop = asyncio.get_running_loop()
        latest = float("inf") if deadline is None else deadline
        key = page_key(request)
        name = (key, use_cache)
        flight = self._flights.get(name)
        if flight is None or flight.task is None or flight.task.done():
            flight = self._flights[name] = _Flight(
                latest, asker or asyncio.current_task(), user, again
            )
            wanted = _FetchJob(request, key, limits, env_name)
            fly = self._fly(wanted, flight, use_cache=use_cache)
            flight.task = loop.create_task(fly)
            self._tasks.add(flight.task)
            flight.task.add_done_callback(self._discard)
        flight.deadline = max(flight.deadline, latest)
        task = flight.task
        flight.waiters += 1
        try:
            await wait_for(task, deadline)
            if not task.done() and lag().is_stalled:  # what has come meanwhile is read in a moment
                await wait_for(task, loop.time() + GRACE)
        finally:
            flight.waiters -= 1
            if not flight.waiters:
                if self._flights.get(name) is flight:
                    del self._flights[name]
                task.cancel()
        if not task.done():
            raise TimedOut(
                request.source,
                message("no whole answer before the deadline of the search"),
                url=request.log_url,
            )
        if task.cancelled():
            raise ConnectFailed(
                request.source,
                message("stopped, because the program is closing"),
                url=request.log_url,
            )
        page = task.result()
        # Requests with one key may differ in bookkeeping (start, wanted, step), which the parser
        # needs.
        return page if page.request is request else replace(page, request=request)

    async def forget(self, request: Request, error: SourceError) -> None:
        """Drops a page from the cache, for an answer that turned out to be unusable, and remembers
        why it was.
        """
        self._exchanges.note_error(request.source, error)
        if self._cache is not None:
            await self._cache.forget(request)

    async def keep_empty(self, page: Page, limits: Limits) -> None:
        """Keeps a page without hits for a moment only; for searches that may use the cache."""
        if self._cache is not None and limits.ttl > 0:
            await self._cache.keep_empty(page, limits)

    def state(self, source: str) -> SourceState:
        """How a source is doing; "ok" for one that was never asked."""
        state = self._exchanges.state(source)
        return state if self._cache is None else self._cache.with_counts(state)

    def heed(self, pause: Pause, limits: Limits) -> None:
        """Leaves a source with these limits alone, because another process has to wait for it;
        the listener is not called.
        """
        self._exchanges.heed(pause, limits)

    def listen(self, listener: Callable[[Pause], None] | None) -> None:
        """Calls the listener with each wait that answers or silence lead to; None ends that."""
        self._exchanges.listener = listener

    async def close(self) -> None:
        """Cancels what is in flight, finishes writes, closes sharing, transport and store."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.finish_writes()
        await self.sharing.close()
        await self._transport.close()
        if self._cache is not None:
            await self._cache.close()

    async def finish_writes(self) -> None:
        """Waits until the pages that have come are written to the cache."""
        if self._cache is not None:
            await self._cache.finish_writes()

    def _discard(self, task: asyncio.Task[Page]) -> None:
        self._tasks.discard(task)
        ignore_failure(task)  # even if no caller waits any more

    async def _fly(self, wanted: _FetchJob, flight: _Flight, *, use_cache: bool) -> Page:
        cache, limits = self._cache, wanted.limits
        if cache is None or not use_cache or limits.ttl <= 0 or wanted.request.private:
            return await self._exchanges.send(wanted.request, limits, flight, wanted.env_name)
        kept, worth = await cache.look_up(wanted.request, wanted.key, limits)
        if kept is None:
            return await self._ask(cache, wanted, flight)
        if worth is Worth.SPARE:
            return await self._ask_or_spare(cache, wanted, flight, kept)
        return self._answer(cache, wanted, kept, worth)

    def _answer(self, cache: PageCache, wanted: _FetchJob, kept: Page, worth: Worth) -> Page:
        """A page that was kept, as the answer; fetched anew behind if it is ageing."""
        if worth is Worth.FRESH:
            return cache.serve_fresh(kept)
        return cache.serve_ageing(kept, renewed=self._renew(cache, wanted))

    async def _ask(
        self, cache: PageCache, wanted: _FetchJob, asking: Asker, *, fresh: bool = False
    ) -> Page:
        """The page of another replica, else a new one of the source, which is kept.

        `fresh`: whether that of another replica must be as good as a new one.
        """
        request, key, limits = wanted.request, wanted.key, wanted.limits
        kept, worth = await cache.claim(request, key, limits, deadline=asking.deadline, fresh=fresh)
        if kept is not None:
            return self._answer(cache, wanted, kept, worth)
        try:
            if not self._exchanges.knows(request.source):
                pause = await cache.find_pause(request)
                if pause is not None:
                    self._exchanges.heed(pause, limits)
            page = await self._exchanges.send(request, limits, asking, wanted.env_name)
        except BaseException:
            cache.release(key)
            raise
        cache.keep(key, page, limits)
        return page

    async def _ask_or_spare(
        self, cache: PageCache, wanted: _FetchJob, flight: _Flight, spare: Page
    ) -> Page:
        """A new page, or the spare one where the source cannot be asked in time."""
        now = asyncio.get_running_loop().time()
        left = max(0.0, flight.deadline - now)
        until = None if left == float("inf") else now + left - min(SPARE_TIME, left / 4)
        try:
            async with asyncio.timeout_at(until):
                return await self._ask(cache, wanted, flight)
        except TimeoutError:
            reason: str = message("the database did not answer in time")
        except (Unreachable, RateLimited, Blocked) as exc:
            reason = str(exc)
        return cache.serve_spare(spare, reason)

    def _renew(self, cache: PageCache, wanted: _FetchJob) -> bool:
        """Has a page fetched anew in the background; returns whether it is being fetched."""
        key = wanted.key
        if key in self._renewals:
            return True
        if len(self._renewals) >= RENEWALS or not self._exchanges.may_ask(wanted.request.source):
            return False
        loop = asyncio.get_running_loop()
        asking = Asker(loop.time() + LONGEST_RENEWAL)
        task = loop.create_task(self._ask(cache, wanted, asking, fresh=True))
        self._renewals[key] = task
        self._tasks.add(task)
        task.add_done_callback(self._discard)
        task.add_done_callback(lambda _: self._renewals.pop(key, None))
        return True
