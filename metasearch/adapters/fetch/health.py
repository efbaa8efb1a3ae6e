"""The health of a source: pauses that it asked for, a circuit breaker, and how long it usually
takes. No I/O, no loop: a clock and a few counters.
"""

from __future__ import annotations

import random
import time
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

from metasearch.adapters.request import Budget, Request
from metasearch.errors import (
    Blocked,
    ConnectFailed,
    RateLimited,
    ServerFault,
    SourceError,
    Unreachable,
)
from metasearch.message import message

# How long a source usually takes, and after how long an exchange is late. Nothing here waits or
# reads a clock; nothing outlives the process. Docs: docs/politeness.md.

#: Answers that are remembered, of each kind; older ones no longer count.
KEPT = 100
#: Answers of a kind before anything follows from them.
ENOUGH = 20
#: An exchange is given up at so many times the p95 of its kind, but never before `LATE_FLOOR`
#: seconds.
LATE_FACTOR, LATE_FLOOR = 5.0, 2.0


class Times:
    """How long the last answers of one kind took.

    After a late exchange, what was known no longer holds: until `ENOUGH` further answers have
    come, nothing is late. A slow day therefore costs one exchange, not one after the other.
    """

    __slots__ = ("_arrived", "_since_late", "_sorted")

    def __init__(self) -> None:
        self._arrived: deque[float] = deque()
        self._sorted: list[float] = []
        self._since_late = ENOUGH

    def add(self, seconds: float) -> None:
        if len(self._arrived) == KEPT:
            del self._sorted[bisect_left(self._sorted, self._arrived.popleft())]
        self._arrived.append(seconds)
        insort(self._sorted, seconds)
        self._since_late += 1

    def late(self) -> None:
        """An exchange was given up, because it was far past the usual time."""
        self._since_late = 0

    def quantile(self, share: float) -> float | None:
        """Seconds within which that share of the answers came (nearest rank); None without any."""
        return self._sorted[max(0, ceil(share * len(self._sorted)) - 1)] if self._sorted else None

    @property
    def usual(self) -> float | None:
        """The p95 in seconds; None until enough is known."""
        return self.quantile(0.95) if len(self._sorted) >= ENOUGH else None

    @property
    def longest(self) -> float | None:
        """Seconds after which an exchange is late; None where only the source's timeout counts."""
        usual = self.usual
        return (
            None
            if usual is None or self._since_late < ENOUGH
            else max(LATE_FLOOR, LATE_FACTOR * usual)
        )


class History:
    """How long the exchanges with one source took."""

    def __init__(self) -> None:
        self.times = Times()
        self._kinds: dict[tuple[str, int], Times] = {}

    def of(self, request: Request) -> Times:
        """The times of requests like this one: same step, about the same size (powers of two)."""
        kind = (request.step, request.size.bit_length())
        times = self._kinds.get(kind)
        if times is None:
            times = self._kinds[kind] = Times()
        return times

    def add(self, request: Request, seconds: float) -> None:
        self.times.add(seconds)
        self.of(request).add(seconds)


# The health of a source: pauses that it asked for, and a circuit breaker. No I/O, no loop: a
# clock and a few counters.
#
# ok ──── refused (429, bot wall, 503 with Retry-After) ────> paused ── until then ──> half-open
# ok ──── an answer says that its budget is used up ────────> paused ── until then ──> half-open
# ok ──── 503 again and again, without Retry-After ─────────> paused ── OVERLOAD_PAUSE ──> half-open
# ok ──── FAILURES in a row without an answer ──────────────> open ── OPEN_SECONDS ──> half-open
# half-open ── one probe is let through: an answer ──> ok,  a refusal ──> paused,  none ──> open
#
# Both waits are stretched a little at random, so that several processes do not come back in the
# same moment. A wait that begins can be reported to other processes that ask the source (`Pause`);
# each of them stretches it for itself.

State = Literal["ok", "paused", "open", "half-open"]
#: Why a source is left alone: it named a time; it showed a bot wall; it answered 503 without a
#: time; it was silent.
Cause = Literal["limited", "blocked", "overloaded", "failing"]
#: The word of a cause, as processes tell it one another -> the cause.
CAUSES: Mapping[str, Cause] = {cause: cause for cause in get_args(Cause)}

#: Exchanges without an answer, in a row, that open the breaker.
FAILURES = 5
#: How long it stays open.
OPEN_SECONDS = 30.0
#: A source that asks for a longer pause is tried again after this many seconds: the longest budget
#: of a database is that of a week.
LONGEST_PAUSE = 7 * 86_400.0
#: A source that is overloaded, and does not say for how long, is tried again after this many
#: seconds.
OVERLOAD_PAUSE = 5.0
#: Most by which a pause is stretched: a share of it, and seconds.
STRETCH, LONGEST_STRETCH = 0.1, 5.0


@dataclass(frozen=True, slots=True)
class SourceState:
    """How a source is doing, for people and for /sources.

    Attributes:
        state: "ok"; "paused" because it asked for it; "open": left alone after failures;
            "half-open": to be probed.
        until: Seconds until it is asked again; 0.0 where it may be asked now.
        last_error: The last failure, kept until an answer comes; None where there is none.
        requests: How often it was asked, further tries included.
        failures: How many of these brought an error.
        fresh: Pages that were answered from the cache, within their ttl.
        stale: Pages that were answered from the cache past their ttl, while (or although not) a
            newer one was fetched.
        spared: Old pages that stood in because the source could not be asked.
        budget: What is left of what it allows, as its last answer said; None where it does not.
        p50_ms, p95_ms: Within how many milliseconds half, and 95 %, of the last answers came; None
            before the first.
    """

    source: str
    state: State = "ok"
    until: float = 0.0
    last_error: str | None = None
    requests: int = 0
    failures: int = 0
    fresh: int = 0
    stale: int = 0
    spared: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    budget: Budget | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait that begins now, for all requests to the source. `cause`: "failing" opens the breaker,
    the others pause the source. `seconds`: up to `LONGEST_PAUSE`, before it is stretched.
    """

    source: str
    cause: Cause
    seconds: float
    reason: str

    @property
    def error(self) -> SourceError:
        """The error as the caller would have got it."""
        match self.cause:
            case "blocked":
                return Blocked(self.source, self.reason)
            case "overloaded":
                return ServerFault(self.source, 503)
            case "failing":
                return ConnectFailed(self.source, self.reason)
            case _:
                return SourceError(self.source, self.reason)


class Health:
    """Pauses and breaker of one source.

    `clock`: monotonic seconds. `jitter`: a new number between 0 and 1 with every call; how far a
    pause is stretched. `report`: called with each wait that begins here; not with those that come
    from elsewhere (`heed`).
    """

    def __init__(
        self,
        source: str,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
        report: Callable[[Pause], None] = lambda _: None,
    ) -> None:
        self.source = source
        self._clock = clock
        self._jitter = jitter
        self._report = report
        self._requests = 0
        self._failed = 0
        self._failures = 0
        self._paused_until: float | None = None
        self._open_until: float | None = None
        self._probing = False
        self._refusal: SourceError | None = None
        self._last_error: SourceError | None = None
        #: What is left, and when it is renewed by the clock.
        self._budget: tuple[Budget, float] | None = None

    @property
    def state(self) -> SourceState:
        """A snapshot; what History knows is not in it."""
        state, until = self._state_and_wait()
        error = str(self._last_error) if self._last_error else None
        return SourceState(
            self.source,
            state,
            until,
            error,
            self._requests,
            self._failed,
            budget=self._budget_now(),
        )

    @property
    def ok(self) -> bool:
        """Whether any request may be sent."""
        return self._state_and_wait()[0] == "ok"

    def check(self) -> None:
        """Raises where a request would be of no use.

        Raises:
            RateLimited: It asked for a pause that is not over; or the probe after it is just under
                way.
            Blocked: The same, after a bot wall.
            Unreachable: The same, after it was overloaded.
            ConnectFailed: It failed too often; or the probe is just under way.
        """
        state, until = self._state_and_wait()
        if state == "ok" or (state == "half-open" and not self._probing):
            return
        wait = (
            message("for {seconds} s", seconds=f"{until:.0f}")
            if until
            else message("until a probe has come back")
        )
        if self._paused_until is not None and state != "open":
            cause = _cause(self._refusal)
            if cause == "blocked":
                raise Blocked(
                    self.source,
                    message("left alone {wait}: {refusal}", wait=wait, refusal=str(self._refusal)),
                )
            if cause == "overloaded":
                raise Unreachable(
                    self.source,
                    message("left alone {wait}: {refusal}", wait=wait, refusal=str(self._refusal)),
                )
            raise RateLimited(self.source, until or None)
        raise ConnectFailed(
            self.source,
            message(
                "left alone {wait} after repeated failures: {error}",
                wait=wait,
                error=str(self._last_error),
            ),
        )

    def admit(self) -> bool:
        """`check`, for a request that goes out now; whether it probes a half-open breaker."""
        self.check()
        self._requests += 1
        self._probing = not self.ok
        return self._probing

    def yield_probe(self) -> None:
        """Another process sends the probe that `admit` let through here. Raises as `check`."""
        try:
            self.check()
        except SourceError:
            self._requests -= 1
            raise
        finally:
            self._probing = False

    def note_budget(self, budget: Budget) -> None:
        self._budget = budget, self._clock() + (budget.renewed or 0.0)

    def note_answer(self) -> None:
        """An answer came, of whatever kind; one to an older request does not end a pause."""
        self._failures = 0
        self._open_until = None
        self._probing = False
        if self._paused_until is None or self._clock() >= self._paused_until:
            self._paused_until = self._last_error = None

    def note_failure(self, error: SourceError) -> None:
        """No answer came."""
        self.note_error(error)
        self._failures += 1
        if self._probing or self._failures >= FAILURES:
            now = self._clock()
            self._open_until = now + self._stretch(OPEN_SECONDS)
            if self._paused_until is not None and now >= self._paused_until:
                self._paused_until = None
            self._report(Pause(self.source, "failing", OPEN_SECONDS, str(error)))
        self._probing = False

    def note_refusal(self, error: SourceError, pause: float) -> None:
        """It answered that it does not want to be asked for `pause` seconds."""
        self.note_answer()
        self.note_error(error)
        self._begin(error, min(pause, LONGEST_PAUSE))

    def note_empty_budget(self, seconds: float) -> None:
        """It answered, and with that all that it allows is used up for so many seconds."""
        self._last_error = error = RateLimited(self.source, seconds)
        self._begin(error, min(seconds, LONGEST_PAUSE))

    def note_overload(self, error: SourceError) -> None:
        """It went on answering, also when asked again, that it cannot now; a breaker that has
        opened names it already.

        The error has been counted (`failed`).
        """
        if self.ok:
            self._begin(error, OVERLOAD_PAUSE)

    def heed(self, pause: Pause) -> None:
        """Waits as another process does, which counts the error; the listener is not called."""
        self._last_error = pause.error
        if pause.cause == "failing":
            until = self._clock() + self._stretch(pause.seconds)
            self._open_until = until if self._open_until is None else max(self._open_until, until)
        else:
            self._pause(pause.error, pause.seconds)

    def note_error(self, error: SourceError) -> None:
        """An error that neither opens the breaker nor pauses the source, but is worth showing."""
        self._last_error = error
        self._failed += 1

    def release_probe(self) -> None:
        """The request was given up by us: a probe is free again."""
        self._probing = False

    def _budget_now(self) -> Budget | None:
        """What is left; None once it is renewed, for then nobody knows."""
        if self._budget is None:
            return None
        budget, until = self._budget
        if budget.renewed is None:
            return budget
        left = until - self._clock()
        return replace(budget, renewed=left) if left > 0 else None

    def _state_and_wait(self) -> tuple[State, float]:
        """The state, and the seconds until it is asked again."""
        if self._paused_until is None and self._open_until is None:
            return "ok", 0.0
        now = self._clock()
        if self._paused_until is not None and now < self._paused_until:
            return "paused", self._paused_until - now
        if self._open_until is not None and now < self._open_until:
            return "open", self._open_until - now
        return "half-open", 0.0

    def _begin(self, error: SourceError, seconds: float) -> None:
        self._pause(error, seconds)
        if seconds > 0:
            self._report(Pause(self.source, _cause(error), seconds, str(error)))

    def _pause(self, error: SourceError, seconds: float) -> None:
        self._refusal = error
        until = self._clock() + self._stretch(seconds)
        self._paused_until = until if self._paused_until is None else max(self._paused_until, until)

    def _stretch(self, seconds: float) -> float:
        return seconds + min(seconds * STRETCH, LONGEST_STRETCH) * self._jitter()


def _cause(error: SourceError | None) -> Cause:
    """Why a source is paused that has answered with this error."""
    if isinstance(error, Blocked):
        return "blocked"
    return (
        "overloaded" if isinstance(error, ServerFault) and error.retry_after is None else "limited"
    )
