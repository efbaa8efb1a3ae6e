"""Request to page, politely: cache, single flight, throttle, retry, breaker.

What a fetch goes through, in order: is the page in the cache? is somebody fetching it already? is the source well
(health.py)? is it our turn (throttle.py)? Then the transport sends, and what came back is judged by its status and for
bot walls (verdict.py). What takes far longer than usual is given up or asked twice (history.py, hedge.py). The parser
sees only what may be an answer.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metasearch.adapters.health import Health, SourceState
from metasearch.adapters.hedge import Overdue, raced
from metasearch.adapters.history import History
from metasearch.adapters.kept import (
    NEGATIVE_SECONDS,
    Kept,
    Worth,
    ageing,
    is_negative,
    keepable,
    lifetime,
    packed,
    spared,
    unpacked,
)
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.adapters.throttle import Turnstile
from metasearch.adapters.verdict import judged, objection, passing
from metasearch.errors import (
    Blocked,
    ConnectFailed,
    RateLimited,
    SourceError,
    TimedOut,
    Unreachable,
)

if TYPE_CHECKING:  # a replay needs neither aiohttp nor diskcache
    from metasearch.adapters.transport import Transport
    from metasearch.cache import Store

__all__ = ["Fetcher", "SourceState"]

#: Further tries after a first that failed.
RETRIES = 2
#: Mean seconds before the first further try; doubled for the next one.
BACKOFF = 0.25
#: Another try needs at least this many seconds before the deadline.
WORTH_A_TRY = 0.1
#: A source that allows fewer requests a second is never asked twice for one answer.
TIGHT = 2.0
#: Pages that may wait to be written to the cache; more are not kept.
PENDING_WRITES = 32
#: Pages that are fetched anew in the background at once; others stay as they are until somebody wants them again.
RENEWALS = 16
#: Seconds that one of these may take, its turn at the source included.
LONGEST_RENEWAL = 60.0
#: Seconds before the deadline at which an old page is taken in place of one that does not come.
SPARE_TIME = 0.1


@dataclass(slots=True)
class _Flight:
    """One request on its way, and who waits for it."""

    deadline: float
    asker: Hashable = None
    waiters: int = 0
    task: asyncio.Task[Page] | None = None


@dataclass(slots=True)
class _Source:
    """What is known of one source, and who is let through to it."""

    health: Health
    history: History
    turnstile: Turnstile


class Fetcher:
    """Fetches pages for all searches of one process, and knows how the sources are doing.

    Belongs to one event loop. Owns what it is given: `close` closes the transport and the store.

    Args:
        transport: What sends.
        store: Where pages are kept; None keeps nothing.
        clock: Unix time in seconds, for the age of cached pages.
        monotonic: Seconds, for pauses and the breaker.
        patience: Factor on every wait of our own choice (throttle, backoff, jitter): 0 in tests and replays.
        hedging: Whether a second request may go out where the first is slow; not where every exchange is recorded.
    """

    def __init__(
        self,
        transport: Transport,
        store: Store | None = None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        patience: float = 1.0,
        hedging: bool = True,
    ) -> None:
        self._transport = transport
        self._store = store
        self._clock = clock
        self._monotonic = monotonic
        self._patience = patience
        self._hedging = hedging
        self._flights: dict[tuple[str, bool], _Flight] = {}
        self._tasks: set[asyncio.Task[Page]] = set()
        self._writes: set[asyncio.Task[None]] = set()
        self._renewals: dict[str, asyncio.Task[Page]] = {}
        self._sources: dict[str, _Source] = {}

    def __repr__(self) -> str:
        return f"<Fetcher over {self._transport!r}, {len(self._flights)} in flight, {len(self._sources)} sources known>"

    async def fetch(
        self,
        request: Request,
        limits: Limits,
        *,
        deadline: float | None = None,
        use_cache: bool = True,
        env_name: str | None = None,
        asker: Hashable = None,
    ) -> Page:
        """The page for a request. Cancelling it leaves others who wait for the same page alone.

        Args:
            request: What to ask.
            limits: The source's.
            deadline: Latest moment of an answer, in `loop.time()` seconds; None sets none.
            use_cache: Whether the cache may be read and written.
            env_name: The variable that would hold the source's key, for the advice of `AccessDenied`.
            asker: Who asks, for whom turns are fair: requests of one asker wait for one another before others wait
                for them. None takes the task that calls, which does for a search with one task a source.

        Raises:
            SourceError: Everything but a page that a parser may judge (2xx, 3xx, 400, 404 and other 4xx are pages).
        """
        loop = asyncio.get_running_loop()
        latest = float("inf") if deadline is None else deadline
        name = (request.key, use_cache)
        flight = self._flights.get(name)
        if flight is None or flight.task is None or flight.task.done():
            flight = self._flights[name] = _Flight(latest, asker or asyncio.current_task())
            flight.task = loop.create_task(self._fly(request, limits, flight, use_cache=use_cache, env_name=env_name))
            self._tasks.add(flight.task)
            flight.task.add_done_callback(self._landed)
        flight.deadline = max(flight.deadline, latest)
        task = flight.task
        assert task is not None
        left = None if deadline is None else max(0.0, deadline - loop.time())
        flight.waiters += 1
        try:
            await asyncio.wait((task,), timeout=left)
        finally:
            flight.waiters -= 1
            if not flight.waiters:
                if self._flights.get(name) is flight:
                    del self._flights[name]
                task.cancel()
        if not task.done():
            raise TimedOut(request.source, "no whole answer before the deadline of the search", url=request.shown)
        if task.cancelled():
            raise ConnectFailed(request.source, "given up, because the program is closing", url=request.shown)
        page = task.result()
        # Requests with one key may differ in bookkeeping (start, wanted, step), which the parser needs.
        return page if page.request is request else replace(page, request=request)

    async def forget(self, request: Request) -> None:
        """Drops a page from the cache, for an answer that turned out to be unusable."""
        if self._store is not None:
            await self._settled()
            await self._store.delete(request.key)

    async def found_nothing(self, page: Page, limits: Limits) -> None:
        """Has a page without hits kept for a moment only; for whoever has parsed it, and may use the cache."""
        if self._store is None or limits.ttl <= 0:
            return
        if not page.cached:
            self._keep(self._store, page, limits, negative=True)
        elif self._clock() - page.fetched_at >= NEGATIVE_SECONDS:
            await self.forget(page.request)

    def state(self, source: str) -> SourceState:
        """How a source is doing; "ok" for one that was never asked."""
        known = self._sources.get(source)
        if known is None:
            return SourceState(source)
        p50, p95 = (known.history.times.quantile(share) for share in (0.5, 0.95))
        return replace(
            known.health.state, hedges=known.history.hedges, p50_ms=_milliseconds(p50), p95_ms=_milliseconds(p95)
        )

    async def close(self) -> None:
        """Cancels what is in flight, lets the cache finish its writes, closes transport and store."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._settled()
        await self._transport.close()
        if self._store is not None:
            await self._store.close()

    def _landed(self, task: asyncio.Task[Page]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # seen, even if everybody who waited has left

    async def _fly(
        self, request: Request, limits: Limits, flight: _Flight, *, use_cache: bool, env_name: str | None
    ) -> Page:
        store = self._store if use_cache and limits.ttl > 0 else None
        kept = await self._found(store, request) if store is not None else None
        worth = kept.worth(limits, self._clock()) if kept is not None else Worth.NOTHING
        if store is None or kept is None or worth is Worth.NOTHING:
            page = await self._tried(request, limits, flight, env_name)
        elif worth is Worth.FRESH:
            return kept.page
        elif worth is Worth.AGEING:
            renewed = self._renew(store, request, limits, env_name)
            return ageing(kept.page, self._clock(), renewed=renewed)
        else:
            page = await self._tried_or_spared(request, limits, flight, env_name, kept.page)
        if store is not None and not page.cached:
            self._keep(store, page, limits, negative=is_negative(page))
        return page

    async def _found(self, store: Store, request: Request) -> Kept | None:
        value = await store.get(request.key)
        return None if value is None else unpacked(value, request)

    async def _tried_or_spared(
        self, request: Request, limits: Limits, flight: _Flight, env_name: str | None, spare: Page
    ) -> Page:
        """A new page; the spare one where the source cannot be asked, in time for whoever waits."""
        now = asyncio.get_running_loop().time()
        left = max(0.0, flight.deadline - now)
        until = None if left == float("inf") else now + left - min(SPARE_TIME, left / 4)
        try:
            async with asyncio.timeout_at(until):
                return await self._tried(request, limits, flight, env_name)
        except TimeoutError:
            reason = "the database did not answer in time"
        except (Unreachable, RateLimited, Blocked) as exc:
            reason = str(exc)
        return spared(spare, self._clock(), reason)

    def _renew(self, store: Store, request: Request, limits: Limits, env_name: str | None) -> bool:
        """Has a page fetched anew in the background, for those who ask next; says whether it is being fetched."""
        key = request.key
        if key in self._renewals:
            return True
        if len(self._renewals) >= RENEWALS or self.state(request.source).state in ("paused", "open"):
            return False
        task = asyncio.get_running_loop().create_task(self._renewed(store, request, limits, env_name))
        self._renewals[key] = task
        self._tasks.add(task)
        task.add_done_callback(self._landed)
        task.add_done_callback(lambda _: self._renewals.pop(key, None))
        return True

    async def _renewed(self, store: Store, request: Request, limits: Limits, env_name: str | None) -> Page:
        flight = _Flight(asyncio.get_running_loop().time() + LONGEST_RENEWAL)
        page = await self._tried(request, limits, flight, env_name)
        self._keep(store, page, limits, negative=is_negative(page))
        return page

    def _known(self, source: str, limits: Limits) -> _Source:
        known = self._sources.get(source)
        if known is None:
            health = Health(source, self._monotonic, lambda: random.random() * self._patience)  # noqa: S311
            known = self._sources[source] = _Source(health, History(), Turnstile(limits, patience=self._patience))
        return known

    async def _tried(self, request: Request, limits: Limits, flight: _Flight, env_name: str | None) -> Page:
        """The exchange, and further tries while there is time."""
        loop = asyncio.get_running_loop()
        known = self._known(request.source, limits)
        tries = 0
        while True:
            known.health.check()
            try:
                async with known.turnstile.passed(flight.asker):
                    return await self._exchanged(request, limits, flight.deadline - loop.time(), known, env_name)
            except Unreachable as exc:
                wait = BACKOFF * 2**tries * random.uniform(0.5, 1.5) * self._patience  # noqa: S311
                late = flight.deadline - loop.time() < wait + WORTH_A_TRY
                if tries == RETRIES or late or not passing(exc) or not known.health.ok:
                    raise
                tries += 1
            await asyncio.sleep(wait)

    async def _exchanged(
        self, request: Request, limits: Limits, left: float, known: _Source, env_name: str | None
    ) -> Page:
        """One exchange, with its effect on the breaker and on what is known of the source."""
        if left <= 0:
            raise TimedOut(request.source, "its turn did not come before the deadline", url=request.shown)
        health = known.health
        probe = health.admit()
        known.history.asked()
        began = self._monotonic()
        try:
            page, other = await self._answered(request, limits, min(limits.timeout, left), known)
        except (Overdue, Unreachable, asyncio.CancelledError) as exc:
            # Our haste is not the source's fault: silence counts only if it lasted for half of its timeout.
            hung = self._monotonic() - began >= limits.timeout / 2
            error = _no_answer(exc, request)
            if hung or not isinstance(error, TimedOut):
                health.failed(error)
            else:
                if isinstance(exc, Overdue):
                    health.noted(error)
                if probe:
                    health.abandoned()
            if isinstance(exc, Overdue):
                raise error from None
            raise
        except SourceError as exc:
            health.answered()
            health.noted(exc)
            raise
        except BaseException:
            if probe:
                health.abandoned()
            raise
        took = self._monotonic() - began
        if other is not None:
            with suppress(SourceError):  # a refusal of the second request counts, whatever came of the first
                judged(other, limits, health, env_name)
        judged(page, limits, health, env_name)
        known.history.answered(request, took)
        return page

    async def _answered(
        self, request: Request, limits: Limits, allowed: float, known: _Source
    ) -> tuple[Page, Page | None]:
        """What is sent for one exchange: a request, and a second one where the first is slow; see `raced`."""
        times = known.history.of(request)
        first = self._transport.send(request, timeout=allowed, max_bytes=limits.max_bytes)
        if times.usual is None:
            return await first, None

        async def second(passed: float) -> asyncio.Task[Page] | None:
            rest = allowed - passed
            if rest < (times.usual or 0.0) or not self._may_hedge(request, limits, known):
                return None
            if not await known.turnstile.pass_at_once():
                return None
            known.history.hedged()
            send = self._transport.send(request, timeout=rest, max_bytes=limits.max_bytes)
            task = asyncio.get_running_loop().create_task(send)
            task.add_done_callback(lambda _: known.turnstile.leave())
            return task

        return await raced(first, second, times, lambda page: objection(page) is None)

    def _may_hedge(self, request: Request, limits: Limits, known: _Source) -> bool:
        """Whether the source bears a second request."""
        loose = limits.requests >= TIGHT * limits.per
        return self._hedging and request.method == "GET" and loose and known.health.calm and known.history.may_hedge

    def _keep(self, store: Store, page: Page, limits: Limits, *, negative: bool) -> None:
        """Has the page written, without waiting for it."""
        if len(self._writes) >= PENDING_WRITES or not keepable(page):
            return
        value = packed(page, self._clock(), negative=negative)
        seconds = lifetime(limits, negative=negative)
        write = store.set(page.request.key, value, seconds, tag=page.request.source)
        task = asyncio.get_running_loop().create_task(write)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def _settled(self) -> None:
        """Waits for the writes that are under way."""
        if self._writes:
            await asyncio.wait(set(self._writes))


def _no_answer(exc: BaseException, request: Request) -> SourceError:
    """What the end of an exchange without an answer is called."""
    if isinstance(exc, SourceError):
        return exc
    if isinstance(exc, Overdue):
        return TimedOut(
            request.source,
            f"no whole answer within {exc.seconds:.1f} s, far past its usual time: "
            f"95 % of its last answers came within {exc.usual:.2g} s",
            url=request.shown,
            advice="Ask again: until the source has answered a while, it gets all the time that its spec gives it.",
        )
    return TimedOut(request.source, "no whole answer before the search ended", url=request.shown)


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 1)
