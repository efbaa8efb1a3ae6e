"""One request to one source: its turn, its tries, its token, the circuit breaker, and the time that
it takes.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from metasearch.adapters.fetch.health import ENOUGH, Health, History, Pause, SourceState, Times
from metasearch.adapters.fetch.rate_limiter import NotInTime, RequestLimiter, SharedLimiter
from metasearch.adapters.fetch.status import is_overload, judge, may_pass, message_of
from metasearch.adapters.request import Grant, Page, Pairs, Request, Secret
from metasearch.adapters.spec import Limits
from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    NotRead,
    RateLimited,
    SourceError,
    TimedOut,
    Unreachable,
)
from metasearch.late_pattern import late_pattern
from metasearch.loop import lag
from metasearch.message import message
from metasearch.replicas import Alone, Away, Sharing

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport


# Waiting for one exchange: `wait_for` until it ends or a moment comes, and `in_usual_time`, which
# gives up an exchange that is far past its usual time.

#: The loop may call a timer this many seconds before its moment.
EARLY = 1e-3


class Overdue(Exception):
    """No answer came within `seconds`, where 95 % of the source's answers come within `usual`."""

    def __init__(self, seconds: float, usual: float) -> None:
        super().__init__(f"{seconds:.1f} s, usually {usual:.2g} s")
        self.seconds = seconds
        self.usual = usual


async def wait_for(task: asyncio.Task[Page], until: float | None) -> None:
    """Waits until the task is done, or until a moment; leaves the task running if cancelled.

    This is `asyncio.wait` for a single task, at half its cost. `until`: latest moment in
    `loop.time()` seconds; None waits without end.
    """
    if task.done():
        return
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not waiting.done():
            waiting.set_result(None)

    timer = None if until is None else loop.call_at(until, wake)
    task.add_done_callback(wake)
    try:
        await waiting
    finally:
        if timer is not None:
            timer.cancel()
        task.remove_done_callback(wake)


async def in_usual_time(sending: Coroutine[Any, Any, Page], times: Times) -> Page:
    """Returns the answer, unless it takes far longer than such answers usually take.

    The limit is looked up again when it is reached: where another exchange was found late
    meanwhile, this one goes on. Raises Overdue: the exchange was given up; SourceError: as raised
    by `sending`.
    """
    if times.longest is None:
        return await sending
    loop = asyncio.get_running_loop()
    began, lost = loop.time(), lag().total
    task = loop.create_task(sending)
    try:
        while not task.done():
            longest = times.longest
            # While the loop stood still, nothing could see whether an answer had come.
            stood_still = lag().total - lost
            await wait_for(task, None if longest is None else began + stood_still + longest)
            passed = loop.time() - began - (lag().total - lost) + EARLY
            longest = times.longest
            if not task.done() and longest is not None and passed >= longest:
                times.late()  # at once, so that of several late exchanges only one is given up
                raise Overdue(longest, times.usual or 0.0)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        elif not task.cancelled():
            task.exception()  # counts as seen where the caller was cancelled meanwhile


# Tokens that are fetched with our credentials: kept in memory, never on disk, until they expire or
# are refused. `plan` puts a `Grant` where a token belongs. The exchange has it filled in here, and
# whoever asked gets its page without ever seeing the token.

#: Seconds that a token is kept whose server does not say for how long it is good.
UNSAID = 1200.0
#: A token is not used in this share of its life, at its end, but for at most so many seconds.
MARGIN_SHARE, MARGIN = 0.1, 60.0
#: What may stand in a header; longer ones are none.
_TOKEN = late_pattern(r"[\x21-\x7e]{1,16384}")

#: Sends a request, with all that an exchange goes through.
Ask = Callable[[Request], Awaitable[Page]]


@dataclass(slots=True)
class _Token:
    """The token of one login, and until when it is good."""

    token: str = field(default="", repr=False)
    until: float = -math.inf
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Tokens:
    """The tokens of one process. Belongs to one event loop. `monotonic`: seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._kept: dict[Request, _Token] = {}

    def __repr__(self) -> str:
        return f"<Tokens of {len(self._kept)} logins>"

    async def send(self, request: Request, ask: Ask, env_name: str | None) -> Page:
        """The page for a request with a `Grant`: with the token that is known, and once with a new
        one after a 401.

        `request`: with one `Grant` or more. `ask`: sends, first the login where no good token is
        known, then the request. `env_name`: the variable of our credentials, for the advice of
        `AccessDenied`. Raises SourceError: no page came, or no token.
        """
        tokens = await self._of(request, ask, env_name)
        try:
            return await ask(_with(request, tokens))
        except AccessDenied as error:
            if error.code != 401:
                raise
        for grant, token in tokens.items():
            kept = self._kept[grant.login]
            if kept.token == token:  # else another request has fetched a new one already
                kept.until = -math.inf
        return await ask(_with(request, await self._of(request, ask, env_name)))

    async def _of(self, request: Request, ask: Ask, env_name: str | None) -> dict[Grant, str]:
        grants = [
            value for _, value in request.params + request.headers if isinstance(value, Grant)
        ]
        return {grant: await self._token(grant.login, ask, env_name) for grant in grants}

    async def _token(self, login: Request, ask: Ask, env_name: str | None) -> str:
        """The token of a login; of many who need it at once one fetches it for all."""
        kept = self._kept.setdefault(login, _Token())
        async with kept.lock:
            if self._monotonic() >= kept.until:
                began = self._monotonic()
                token, seconds = _read(await ask(login), env_name)
                kept.token, kept.until = (
                    token,
                    began + seconds - min(MARGIN, MARGIN_SHARE * seconds),
                )
            return kept.token


def _with(request: Request, tokens: dict[Grant, str]) -> Request:
    def fill(pairs: Pairs) -> Pairs:
        return tuple(
            (n, Secret(v.prefix + tokens[v], v.texts()) if isinstance(v, Grant) else v)
            for n, v in pairs
        )

    return replace(request, params=fill(request.params), headers=fill(request.headers))


def _read(page: Page, env_name: str | None) -> tuple[str, float]:
    """The token of a login's answer, and for how many seconds it is good (RFC 6749, 5.1). Raises
    AccessDenied: the login was refused; BadAnswer: there is no token in the answer, which is not
    quoted: it may hold a secret all the same.
    """
    request = page.request
    if page.status >= 400:
        raise AccessDenied(
            request.source,
            page.status,
            url=request.log_url,
            env_name=env_name,
            said=message_of(page),
        )
    facts: Any = None
    with suppress(ValueError):
        facts = orjson.loads(page.body)
    token = (facts.get("access_token") or facts.get("token")) if isinstance(facts, dict) else None
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise BadAnswer(
            request.source,
            message("the answer to the login has no token in it"),
            url=request.log_url,
        )
    return token, _seconds(facts.get("expires_in"))


def _seconds(value: Any) -> float:
    """`expires_in`, which some write as a string."""
    with suppress(ValueError, TypeError, OverflowError):
        seconds = float(value)
        if 0 < seconds < math.inf:
            return seconds
    return UNSAID


# One request to one source: its turn, its tries, the circuit breaker, and the time that it takes.
# May the source be asked (health.py)? Is it our turn (rate_limiter.py)? Then the transport sends,
# and status.py judges the answer by its status code and looks for bot walls. An exchange that takes
# far longer than usual is given up (health.py); a passing failure is tried again.

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
    """What is known of one source, and who is let through to it. `asked`: the last request."""

    health: Health
    history: History
    limiter: RequestLimiter
    asked: Request | None = None


class Exchanges:
    """Asks the sources of one process, and knows how they are doing. Belongs to one event loop.

    `listener`: called with each wait that a source's answers or its silence here lead to; None
    calls nothing.

    Args:
        transport: What sends; the caller closes it.
        monotonic: Seconds, for pauses and the breaker.
        patience: Factor on every wait of our own choice: throttle, backoff, jitter.
        sharing: With whom limits, pauses and probes are shared; None with nobody.
        keep: Called with the last request to a source and a wait that begins after it; None calls
            nothing.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        keep: Callable[[Request, Pause], None] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        patience: float,
        sharing: Sharing | None = None,
    ) -> None:
        self._transport = transport
        self._keep = keep
        self._sharing = Alone() if sharing is None else sharing
        self._monotonic = monotonic
        self._patience = patience
        self._sources: dict[str, _Source] = {}
        self._tokens = Tokens(monotonic)
        self.listener: Callable[[Pause], None] | None = None

    def __len__(self) -> int:
        return len(self._sources)

    def state(self, source: str) -> SourceState:
        """How a source is doing; "ok" for one that was never asked. The cache does not count."""
        known = self._sources.get(source)
        if known is None:
            return SourceState(source)
        p50, p95 = (known.history.times.quantile(share) for share in (0.5, 0.95))
        return replace(known.health.state, p50_ms=_milliseconds(p50), p95_ms=_milliseconds(p95))

    def knows(self, source: str) -> bool:
        """Whether a source was asked, or is left alone, in this process."""
        return source in self._sources

    def may_ask(self, source: str) -> bool:
        """Whether a source may be asked now, be it as a probe."""
        known = self._sources.get(source)
        return known is None or known.health.state.state not in ("paused", "open")

    def heed(self, pause: Pause, limits: Limits) -> None:
        """Leaves a source with these limits alone, because another process has to wait for it."""
        self._source_of(pause.source, limits).health.heed(pause)

    def note_error(self, source: str, error: SourceError) -> None:
        """An answer of a source said in its text that it had failed, or could not be read."""
        if (known := self._sources.get(source)) is not None:
            known.health.note_error(error)

    async def send(
        self, request: Request, limits: Limits, asking: Asker, env_name: str | None
    ) -> Page:
        """The exchange, and further tries while there is time; with a token that is fetched first,
        where it needs one. Raises SourceError: everything but a page that a parser may judge.
        """

        async def ask(asked: Request) -> Page:
            return await self._try(asked, limits, asking, env_name)

        if not any(isinstance(value, Grant) for _, value in request.params + request.headers):
            return await ask(request)
        return await self._tokens.send(request, ask, env_name)

    async def _try(
        self, request: Request, limits: Limits, asking: Asker, env_name: str | None
    ) -> Page:
        loop = asyncio.get_running_loop()
        known = self._source_of(request.source, limits)
        tries = 0
        while True:
            known.health.check()
            # A rate that is used up beyond the deadline is an error at once: waiting would only
            # cost the search its time.
            if 0 < asking.deadline - loop.time() < (due := known.limiter.due):
                raise _used_up(request, limits, due)
            try:
                async with known.limiter.hold_place(
                    asking.asker, asking.user, lambda: asking.deadline - loop.time()
                ):
                    return await self._exchange(
                        request, limits, asking.deadline - loop.time(), known, env_name
                    )
            except NotInTime as exc:
                raise _used_up(request, limits, exc.wait) from None
            except Unreachable as exc:
                wait = BACKOFF * 2**tries * random.uniform(0.5, 1.5) * self._patience  # noqa: S311
                late = asking.deadline - loop.time() < wait + WORTH_A_TRY
                hopeless = late or not may_pass(exc)
                if not asking.again or tries == RETRIES or hopeless or not known.health.ok:
                    if is_overload(exc):
                        known.health.note_overload(exc)
                    raise
                tries += 1
            await asyncio.sleep(wait)

    def _source_of(self, source: str, limits: Limits) -> _Source:
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
        known = self._sources.get(pause.source)
        if self._keep is not None and known is not None and known.asked is not None:
            self._keep(known.asked, pause)
        if self.listener is not None:
            self.listener(pause)

    async def _exchange(
        self, request: Request, limits: Limits, left: float, known: _Source, env_name: str | None
    ) -> Page:
        """One exchange, with its effect on the breaker and on what is known of the source."""
        if left <= 0:
            raise TimedOut(
                request.source,
                message("its turn did not come before the deadline"),
                url=request.log_url,
            )
        if not known.health.admit():
            return await self._send(request, limits, left, known, env_name, probe=False)
        await self._own_probe(known.health, limits)
        try:
            return await self._send(request, limits, left, known, env_name, probe=True)
        finally:
            self._sharing.end_probe(request.source)

    async def _own_probe(self, health: Health, limits: Limits) -> None:
        """Makes a probe the one of all replicas. Raises SourceError: as `Health.check`: another
        replica sends it just now.
        """
        try:
            mine = await self._sharing.probe(health.source, limits.timeout + PROBE_SLACK)
        except Away:
            return
        except BaseException:
            health.release_probe()
            raise
        if not mine:
            health.yield_probe()

    async def _send(
        self,
        request: Request,
        limits: Limits,
        left: float,
        known: _Source,
        env_name: str | None,
        *,
        probe: bool,
    ) -> Page:
        health, known.asked = known.health, request
        began, lost = self._monotonic(), lag().total
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
            hung = self._monotonic() - began - (lag().total - lost) >= limits.timeout / 2
            error = _no_answer(exc, request)
            if (
                isinstance(error, TimedOut)
                and not isinstance(exc, asyncio.CancelledError)
                and lag().is_stalled
            ):
                if probe:
                    health.release_probe()
                raise NotRead(
                    request.source,
                    message("this server was too busy to read an answer in time"),
                    url=request.log_url,
                ) from None
            if hung or not isinstance(error, TimedOut):
                health.note_failure(error)
            else:
                if isinstance(exc, Overdue):
                    health.note_error(error)
                if probe:
                    health.release_probe()
            if isinstance(exc, Overdue):
                raise error from None
            raise
        except SourceError as exc:
            health.note_answer()
            health.note_error(exc)
            raise
        except BaseException:
            if probe:
                health.release_probe()
            raise
        took = self._monotonic() - began
        if page.rate is not None:
            known.limiter.obey(page.rate)
        judge(page, limits, health, env_name)
        if lag().total - lost <= took * LATE_SHARE:
            known.history.add(request, took)
        return page


def _used_up(request: Request, limits: Limits, wait: float) -> RateLimited:
    own = f"{limits.requests:g} in {limits.per:g} s"
    return RateLimited(request.source, wait, url=request.log_url, own=own)


def _no_answer(exc: BaseException, request: Request) -> SourceError:
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
            url=request.log_url,
            advice=message(
                "Search again: until the source has answered {enough} more times, it "
                "gets the full timeout of its spec.",
                enough=ENOUGH,
            ),
        )
    return TimedOut(
        request.source, message("no whole answer before the search ended"), url=request.log_url
    )


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 1)
