"""Is a source well? Pauses that it asked for, and a circuit breaker. No I/O, no loop: a clock and a few counters.

ok ──── refused (429, bot wall, 503 with Retry-After) ────> paused ── time passes ──> ok
ok ──── FAILURES in a row without an answer ──────────────> open ── OPEN_SECONDS ──> half-open
half-open ── one probe is let through: an answer ──> ok,  none ──> open
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from metasearch.errors import Blocked, ConnectFailed, RateLimited, SourceError

#: Exchanges without an answer, in a row, that open the breaker.
FAILURES = 5
#: How long it stays open.
OPEN_SECONDS = 30.0
#: A source that asks for a longer pause is tried again after this many seconds.
LONGEST_PAUSE = 3600.0


@dataclass(frozen=True, slots=True)
class SourceState:
    """How a source is doing, for people and for /sources.

    Attributes:
        source: Its name.
        state: "ok"; "paused" because it asked for it; "open": left alone after failures; "half-open": to be probed.
        until: Seconds until it is asked again; 0.0 where it may be asked now.
        last_error: The last failure, kept until an answer comes; None where there is none.
    """

    source: str
    state: Literal["ok", "paused", "open", "half-open"] = "ok"
    until: float = 0.0
    last_error: str | None = None


class Health:
    """Pauses and breaker of one source.

    Args:
        source: Its name.
        clock: Monotonic seconds.
    """

    def __init__(self, source: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.source = source
        self._clock = clock
        self._failures = 0
        self._paused_until = 0.0
        self._open_until: float | None = None
        self._probing = False
        self._last_error: SourceError | None = None

    @property
    def state(self) -> SourceState:
        """A snapshot."""
        now = self._clock()
        told = str(self._last_error) if self._last_error else None
        if now < self._paused_until:
            return SourceState(self.source, "paused", self._paused_until - now, told)
        if self._open_until is None:
            return SourceState(self.source, "ok", 0.0, told)
        if now < self._open_until:
            return SourceState(self.source, "open", self._open_until - now, told)
        return SourceState(self.source, "half-open", 0.0, told)

    def check(self) -> None:
        """Says at once that asking is of no use.

        Raises:
            RateLimited: It asked for a pause that is not over.
            Blocked: The same, after a bot wall.
            ConnectFailed: It failed too often; or a probe is just under way.
        """
        state = self.state
        if state.state == "ok":
            return
        if state.state == "paused":
            if isinstance(self._last_error, Blocked):
                raise Blocked(self.source, f"left alone for {state.until:.0f} s: {state.last_error}")
            raise RateLimited(self.source, state.until)
        if state.state == "open" or self._probing:
            wait = f"for {state.until:.0f} s" if state.until else "until a probe has come back"
            raise ConnectFailed(self.source, f"left alone {wait} after repeated failures: {state.last_error}")

    def admit(self) -> bool:
        """`check`, for a request that goes out now: says whether it is the probe of a half-open breaker."""
        self.check()
        self._probing = self._open_until is not None
        return self._probing

    def answered(self) -> None:
        """An answer came, of whatever kind."""
        self._failures = 0
        self._open_until = None
        self._probing = False
        self._last_error = None

    def failed(self, error: SourceError) -> None:
        """No answer came."""
        self._last_error = error
        self._failures += 1
        if self._probing or self._failures >= FAILURES:
            self._open_until = self._clock() + OPEN_SECONDS
        self._probing = False

    def refused(self, error: SourceError, pause: float) -> None:
        """It answered that it does not want to be asked for `pause` seconds."""
        self.answered()
        self.noted(error)
        self._paused_until = max(self._paused_until, self._clock() + min(pause, LONGEST_PAUSE))

    def noted(self, error: SourceError) -> None:
        """An error that neither opens the breaker nor pauses the source, but is worth showing."""
        self._last_error = error

    def abandoned(self) -> None:
        """The request was given up by us: a probe is free again."""
        self._probing = False
