"""One request to one source: its turn, its tries, the circuit breaker, and the time that it takes.

May the source be asked (health.py)? Is it our turn (throttle.py)? Then the transport sends, and
status.py judges the answer by its status code and looks for bot walls. An exchange that takes far
longer than usual is given up (history.py, overdue.py); a passing failure is tried again.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metasearch.adapters.fetch.health import Health, Pause, SourceState
from metasearch.adapters.fetch.history import ENOUGH, History
from metasearch.adapters.fetch.overdue import Overdue, in_usual_time
from metasearch.adapters.fetch.shared_limiter import SharedLimiter
from metasearch.adapters.fetch.status import judged, overloaded, passing
from metasearch.adapters.fetch.throttle import NotInTime, RequestLimiter
from metasearch.adapters.fetch.tokens import Tokens
from metasearch.adapters.request import Grant, Page, Request
from metasearch.adapters.spec import Limits
from metasearch.errors import NotRead, RateLimited, SourceError, TimedOut, Unreachable
from metasearch.loop.lag import lag
from metasearch.message import message
from metasearch.sharing import Alone, Away, Sharing

if TYPE_CHECKING:  # a replay needs no aiohttp
    from metasearch.adapters.fetch.transport import Transport

#: Further tries after a first that failed.
RETRIES = 2
#: Mean seconds before the first further try; doubled for the next one.
BACKOFF = 0.25
#: Another try needs at least this many seconds before the deadline.
WORTH_A_TRY = 0.1
#: Seconds by which a probe keeps those of other replicas back beyond its own timeout.
PROBE_SLACK = 2.0
#: An exchange during which the loop was late for a larger share of the time is no measure of the
#: source's speed.
LATE_SHARE = 0.1


@dataclass(slots=True)
class Asker:
    """Who asks, and until when.

    Attributes:
        deadline: Latest moment of an answer, in `loop.time()` seconds; may move while the request
            is under way.
        asker, user: For whom turns are fair, see `RoundRobin.acquire`.
        again: Whether a request is sent again where there is no answer.
    """

    deadline: float
    asker: Hashable = None
    user: Hashable = None
    again: bool = True


@dataclass(slots=True)
class _Source:
    """What is known of one source, and who is let through to it."""

    health: Health
    history: History
    limiter: RequestLimiter


class Exchanges:
    """Asks the sources of one process, and knows how they are doing. Belongs to one event loop.

    `listener`: called with each wait that a source's answers or its silence here lead to; None
    calls nothing.

    Args:
        transport: What sends; the caller closes it.
        monotonic: Seconds, for pauses and the breaker.
        patience: Factor on every wait of our own choice: throttle, backoff, jitter.
        sharing: With whom limits, pauses and probes are shared; None with nobody.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        patience: float,
        sharing: Sharing | None = None,
    ) -> None:
        self._transport = transport
        self._sharing = Alone() if sharing is None else sharing
        self._monotonic = monotonic
        self._patience = patience
        self._sources: dict[str, _Source] = {}
        self._tokens = Tokens(monotonic)
        self.listener: Callable[[Pause], None] | None = None

    def __len__(self) -> int:
        """How many sources were asked so far."""
        return len(self._sources)

    def state(self, source: str) -> SourceState:
        """How a source is doing; "ok" for one that was never asked. The cache does not count."""
        known = self._sources.get(source)
        if known is None:
            return SourceState(source)
        p50, p95 = (known.history.times.quantile(share) for share in (0.5, 0.95))
        return replace(
            known.health.state,
            p50_ms=_milliseconds(p50),
            p95_ms=_milliseconds(p95),
        )

    def well(self, source: str) -> bool:
        """Whether a source may be asked now, be it as a probe."""
        known = self._sources.get(source)
        return known is None or known.health.state.state not in ("paused", "open")

    def heed(self, pause: Pause, limits: Limits) -> None:
        """Leaves a source with these limits alone, because another process has to wait for it."""
        self._known(pause.source, limits).health.heed(pause)

    async def tried(
        self, request: Request, limits: Limits, asking: Asker, env_name: str | None
    ) -> Page:
        """The exchange, and further tries while there is time; with a token that is fetched first,
        where it needs one. Raises SourceError: everything but a page that a parser may judge.
        """

        async def ask(asked: Request) -> Page:
            return await self._tried(asked, limits, asking, env_name)

        if not any(isinstance(value, Grant) for _, value in request.params + request.headers):
            return await ask(request)
        return await self._tokens.sent(request, ask, env_name)

    async def _tried(
        self, request: Request, limits: Limits, asking: Asker, env_name: str | None
    ) -> Page:
        loop = asyncio.get_running_loop()
        known = self._known(request.source, limits)
        tries = 0
        while True:
            known.health.check()
            # A rate that is used up beyond the deadline is an error at once: waiting would only
            # cost the search its time.
            if 0 < asking.deadline - loop.time() < (due := known.limiter.due):
                raise _used_up(request, limits, due)
            try:
                async with known.limiter.passed(
                    asking.asker, asking.user, lambda: asking.deadline - loop.time()
                ):
                    return await self._exchanged(
                        request, limits, asking.deadline - loop.time(), known, env_name
                    )
            except NotInTime as exc:
                raise _used_up(request, limits, exc.wait) from None
            except Unreachable as exc:
                wait = BACKOFF * 2**tries * random.uniform(0.5, 1.5) * self._patience  # noqa: S311
                late = asking.deadline - loop.time() < wait + WORTH_A_TRY
                hopeless = late or not passing(exc)
                if not asking.again or tries == RETRIES or hopeless or not known.health.ok:
                    if overloaded(exc):
                        known.health.overloaded(exc)
                    raise
                tries += 1
            await asyncio.sleep(wait)

    def _known(self, source: str, limits: Limits) -> _Source:
        known = self._sources.get(source)
        if known is None:
            jitter = lambda: random.random() * self._patience  # noqa: E731, S311
            health = Health(source, self._monotonic, jitter, self._notify)
            limiter = (
                RequestLimiter(limits, patience=self._patience)
                if isinstance(self._sharing, Alone)
                else SharedLimiter(source, limits, self._sharing, patience=self._patience)
            )
            known = self._sources[source] = _Source(health, History(), limiter)
        return known

    def _notify(self, pause: Pause) -> None:
        self._sharing.tell(pause.source, pause.cause, pause.seconds)
        if self.listener is not None:
            self.listener(pause)

    async def _exchanged(
        self, request: Request, limits: Limits, left: float, known: _Source, env_name: str | None
    ) -> Page:
        """One exchange, with its effect on the breaker and on what is known of the source."""
        if left <= 0:
            raise TimedOut(
                request.source,
                message("its turn did not come before the deadline"),
                url=request.shown,
            )
        if not known.health.admit():
            return await self._sent(request, limits, left, known, env_name, probe=False)
        await self._own_probe(known.health, limits)
        try:
            return await self._sent(request, limits, left, known, env_name, probe=True)
        finally:
            self._sharing.probed(request.source)

    async def _own_probe(self, health: Health, limits: Limits) -> None:
        """Makes a probe the one of all replicas. Raises SourceError: as `Health.check`: another
        replica sends it just now.
        """
        try:
            mine = await self._sharing.probe(health.source, limits.timeout + PROBE_SLACK)
        except Away:
            return
        except BaseException:
            health.abandoned()
            raise
        if not mine:
            health.denied()

    async def _sent(
        self,
        request: Request,
        limits: Limits,
        left: float,
        known: _Source,
        env_name: str | None,
        *,
        probe: bool,
    ) -> Page:
        """The exchange itself, with what follows from it."""
        health = known.health
        began, lost = self._monotonic(), lag().lost
        try:
            page = await in_usual_time(
                self._transport.send(
                    request, timeout=min(limits.timeout, left), max_bytes=limits.max_bytes
                ),
                known.history.of(request),
            )
        except (Overdue, Unreachable, asyncio.CancelledError) as exc:
            # Our haste is not the source's fault: silence counts only if it lasted for half of its
            # timeout. Nor is our lateness: while the loop stood still, silence cannot be known.
            hung = self._monotonic() - began - (lag().lost - lost) >= limits.timeout / 2
            error = _no_answer(exc, request)
            if (
                isinstance(error, TimedOut)
                and not isinstance(exc, asyncio.CancelledError)
                and lag().stalled
            ):
                if probe:
                    health.abandoned()
                raise NotRead(
                    request.source,
                    message("this server was too busy to read an answer in time"),
                    url=request.shown,
                ) from None
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
        judged(page, limits, health, env_name)
        if lag().lost - lost <= took * LATE_SHARE:
            known.history.answered(request, took)
        return page


def _used_up(request: Request, limits: Limits, wait: float) -> RateLimited:
    """The rate of a source is used up for so many seconds."""
    own = f"{limits.requests:g} in {limits.per:g} s"
    return RateLimited(request.source, wait, url=request.shown, own=own)


def _no_answer(exc: BaseException, request: Request) -> SourceError:
    """What the end of an exchange without an answer is called."""
    if isinstance(exc, SourceError):
        return exc
    if isinstance(exc, Overdue):
        return TimedOut(
            request.source,
            message(
                "no whole answer within {seconds} s, far past its usual time: {share} of "
                "its last answers came within {usual} s",
                seconds=f"{exc.seconds:.1f}",
                share="95 %",
                usual=f"{exc.usual:.2g}",
            ),
            url=request.shown,
            advice=message(
                "Search again: until the source has answered {enough} more times, it "
                "gets the full timeout of its spec.",
                enough=ENOUGH,
            ),
        )
    return TimedOut(
        request.source, message("no whole answer before the search ended"), url=request.shown
    )


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 1)
