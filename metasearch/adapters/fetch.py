"""Request to page, politely: cache, single flight, throttle, retry, breaker.

What a fetch goes through, in order: is the page in the cache? is somebody fetching it already? is the source well
(health.py)? is it our turn (throttle.py)? Then the transport sends, and what came back is judged by its status and for
bot walls. The parser sees only what may be an answer.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from metasearch.adapters.challenge import challenge
from metasearch.adapters.health import Health, SourceState
from metasearch.adapters.request import Page, Request, without_secrets
from metasearch.adapters.spec import Limits
from metasearch.adapters.throttle import Turnstile
from metasearch.errors import (
    AccessDenied,
    Blocked,
    ConnectFailed,
    RateLimited,
    Refused,
    ServerFault,
    SourceError,
    TimedOut,
    Unreachable,
)
from metasearch.normalise import plain

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
#: Characters of a refusal's own words that are passed on.
LONGEST_MESSAGE = 200
#: Pages that may wait to be written to the cache; more are not kept.
PENDING_WRITES = 32
#: Faults that pass; a 500 or 501 is more likely to be about the request.
_PASSING = frozenset({502, 503, 504})


@dataclass(slots=True)
class _Flight:
    """One request on its way, and who waits for it."""

    deadline: float
    waiters: int = 0
    task: asyncio.Task[Page] | None = None


class Fetcher:
    """Fetches pages for all searches of one process, and knows how the sources are doing.

    Belongs to one event loop. Owns what it is given: `close` closes the transport and the store.

    Args:
        transport: What sends.
        store: Where pages are kept; None keeps nothing.
        clock: Unix time in seconds, for the age of cached pages.
        monotonic: Seconds, for pauses and the breaker.
        patience: Factor on every wait of our own choice (throttle, backoff): 0 in tests and replays.
    """

    def __init__(
        self,
        transport: Transport,
        store: Store | None = None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        patience: float = 1.0,
    ) -> None:
        self._transport = transport
        self._store = store
        self._clock = clock
        self._monotonic = monotonic
        self._patience = patience
        self._flights: dict[tuple[str, bool], _Flight] = {}
        self._tasks: set[asyncio.Task[Page]] = set()
        self._writes: set[asyncio.Task[None]] = set()
        self._turnstiles: dict[str, Turnstile] = {}
        self._health: dict[str, Health] = {}

    def __repr__(self) -> str:
        return f"<Fetcher over {self._transport!r}, {len(self._flights)} in flight, {len(self._health)} sources known>"

    async def fetch(
        self,
        request: Request,
        limits: Limits,
        *,
        deadline: float | None = None,
        use_cache: bool = True,
        env_name: str | None = None,
    ) -> Page:
        """The page for a request. Cancelling it leaves others who wait for the same page alone.

        Args:
            request: What to ask.
            limits: The source's.
            deadline: Latest moment of an answer, in `loop.time()` seconds; None sets none.
            use_cache: Whether the cache may be read and written.
            env_name: The variable that would hold the source's key, for the advice of `AccessDenied`.

        Raises:
            SourceError: Everything but a page that a parser may judge (2xx, 3xx, 400, 404 and other 4xx are pages).
        """
        loop = asyncio.get_running_loop()
        latest = float("inf") if deadline is None else deadline
        name = (request.key, use_cache)
        flight = self._flights.get(name)
        if flight is None or flight.task is None or flight.task.done():
            flight = self._flights[name] = _Flight(latest)
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

    def state(self, source: str) -> SourceState:
        """How a source is doing; "ok" for one that was never asked."""
        health = self._health.get(source)
        return health.state if health is not None else SourceState(source)

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
        if store is not None and (kept := await store.get(request.key)) is not None:
            page = _unpacked(kept, request)
            if page is not None and 0 <= self._clock() - page.fetched_at < limits.ttl:
                return page
        page = await self._tried(request, limits, flight, env_name)
        if store is not None and page.body and (200 <= page.status < 300 or page.status == 404):
            self._keep(store, page, limits.ttl)
        return page

    async def _tried(self, request: Request, limits: Limits, flight: _Flight, env_name: str | None) -> Page:
        """The exchange, and further tries while there is time."""
        loop = asyncio.get_running_loop()
        source = request.source
        health = self._health.get(source) or self._health.setdefault(source, Health(source, self._monotonic))
        turnstile = self._turnstiles.get(source)
        if turnstile is None:
            turnstile = self._turnstiles[source] = Turnstile(limits, patience=self._patience)
        tries = 0
        while True:
            health.check()
            try:
                async with turnstile:
                    page = await self._exchanged(request, limits, flight.deadline - loop.time(), health)
                    return _judged(page, limits, health, env_name)
            except Unreachable as exc:
                wait = BACKOFF * 2**tries * random.uniform(0.5, 1.5) * self._patience  # noqa: S311
                late = flight.deadline - loop.time() < wait + WORTH_A_TRY
                if tries == RETRIES or late or not _passing(exc) or health.state.state != "ok":
                    raise
                tries += 1
            await asyncio.sleep(wait)

    async def _exchanged(self, request: Request, limits: Limits, left: float, health: Health) -> Page:
        """One exchange, with its effect on the breaker."""
        if left <= 0:
            raise TimedOut(request.source, "its turn did not come before the deadline", url=request.shown)
        probe = health.admit()
        began = self._monotonic()
        try:
            return await self._transport.send(request, timeout=min(limits.timeout, left), max_bytes=limits.max_bytes)
        except (Unreachable, asyncio.CancelledError) as exc:
            # Our haste is not the source's fault: silence counts only if it lasted for half of the usual time.
            hung = self._monotonic() - began >= limits.timeout / 2
            if isinstance(exc, asyncio.CancelledError):
                error: SourceError = TimedOut(request.source, "no whole answer before the search ended")
            else:
                error = exc
            if hung or not isinstance(error, TimedOut):
                health.failed(error)
            elif probe:
                health.abandoned()
            raise
        except SourceError as exc:
            health.answered()
            health.noted(exc)
            raise
        except BaseException:
            if probe:
                health.abandoned()
            raise

    def _keep(self, store: Store, page: Page, ttl: float) -> None:
        """Has the page written, without waiting for it."""
        if len(self._writes) >= PENDING_WRITES:
            return
        packed = _packed(page, self._clock())
        task = asyncio.get_running_loop().create_task(store.set(page.request.key, packed, ttl))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def _settled(self) -> None:
        """Waits for the writes that are under way."""
        if self._writes:
            await asyncio.wait(set(self._writes))


def _judged(page: Page, limits: Limits, health: Health, env_name: str | None) -> Page:
    """The page, if it may be an answer; tells `health` what it means for the source."""
    error = _objection(page, env_name)
    if error is None:
        health.answered()
        return page
    if isinstance(error, Blocked | RateLimited) or page.retry_after is not None:
        health.refused(error, limits.pause if page.retry_after is None else page.retry_after)
    elif isinstance(error, Refused):
        health.answered()
        health.noted(error)
    else:
        health.failed(error)
    raise error


def _objection(page: Page, env_name: str | None) -> SourceError | None:
    request, status = page.request, page.status
    wall = challenge(page.body, page.content_type)
    if wall is not None:
        return Blocked(request.source, f"{wall} where an answer should be (HTTP {status})", url=request.shown)
    if status == 429:
        return RateLimited(request.source, page.retry_after, url=request.shown)
    if status in (401, 403):
        return AccessDenied(request.source, status, url=request.shown, env_name=env_name, said=_said(page))
    if status >= 500:
        return ServerFault(request.source, status, url=request.shown, retry_after=page.retry_after)
    return None


def _said(page: Page) -> str:
    """The message in a JSON body, as interfaces send it with a refusal; "" where there is none."""
    with suppress(ValueError):
        facts = orjson.loads(page.body)
        texts = [facts.get(name) for name in ("error", "message", "detail")] if isinstance(facts, dict) else []
        said = " ".join(dict.fromkeys(plain(text) for text in texts if isinstance(text, str)))
        return without_secrets(said, page.request)[:LONGEST_MESSAGE]
    return ""


def _passing(error: Unreachable) -> bool:
    """Whether the same request may fare better in a moment."""
    if isinstance(error, ServerFault):
        return error.code in _PASSING and error.retry_after is None
    return isinstance(error, ConnectFailed)


def _packed(page: Page, now: float) -> bytes:
    """A line of JSON facts, then the body."""
    return orjson.dumps({"status": page.status, "type": page.content_type, "at": now}) + b"\n" + page.body


def _unpacked(kept: bytes, request: Request) -> Page | None:
    """The page that was packed; None for anything else."""
    head, _, body = kept.partition(b"\n")
    with suppress(ValueError, KeyError, TypeError):
        facts = orjson.loads(head)
        status, kind, at = facts["status"], facts["type"], facts["at"]
        if type(status) is int and type(kind) is str and type(at) in (int, float):
            return Page(request=request, status=status, content_type=kind, body=body, fetched_at=at, cached=True)
    return None
