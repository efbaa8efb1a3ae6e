"""How often one client may ask: a token bucket for each, in a table of bounded size."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from metasearch.message import message
from metasearch.server.problem import Problem


@dataclass(frozen=True, slots=True)
class Quota:
    """What a client has left.

    Attributes:
        window: Seconds.
        tokens: Requests that it may make at once; less than 1 where this one was too many.
        allowed: Whether this one may be answered.
    """

    limit: int
    window: float
    tokens: float
    allowed: bool

    @property
    def headers(self) -> dict[str, str]:
        """As the IETF draft on RateLimit headers; `t` is when the whole quota is there again."""
        full = math.ceil((self.limit - self.tokens) * self.window / self.limit)
        return {
            "RateLimit-Policy": f'"default";q={self.limit};w={self.window:.0f}',
            "RateLimit": f'"default";r={int(self.tokens)};t={full}',
        }

    @property
    def wait(self) -> int:
        """Whole seconds until one more request may be made."""
        return max(0, math.ceil((1 - self.tokens) * self.window / self.limit))

    def check(self) -> None:
        """Whether the request may be answered. Raises Problem: 429 with `Retry-After`."""
        if not self.allowed:
            raise Problem(
                429,
                "rate-limited",
                message(
                    "More than {limit} requests in {window} seconds. Try again in {wait} seconds.",
                    limit=self.limit,
                    window=f"{self.window:.0f}",
                    wait=self.wait,
                ),
                headers={"Retry-After": str(self.wait)},
            )


class RateLimiter:
    """Buckets of all clients: each begins full and fills evenly; a request that is refused takes
    nothing.

    `window`: seconds. `most_clients`: so many are kept; beyond that, the one that has been silent
    longest is forgotten. `clock`: monotonic seconds.
    """

    def __init__(
        self,
        limit: int,
        window: float = 60.0,
        most_clients: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._window = window
        self._most = most_clients
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, client: str) -> Quota:
        """Count a request."""
        now = self._clock()
        tokens, seen = self._buckets.get(client, (float(self._limit), now))
        tokens = min(float(self._limit), tokens + (now - seen) * self._limit / self._window)
        allowed = tokens >= 1
        tokens -= allowed
        self._buckets[client] = (tokens, now)
        self._buckets.move_to_end(client)
        self._forget(now)
        return Quota(self._limit, self._window, tokens, allowed)

    def _forget(self, now: float) -> None:
        # Whoever has been silent for a whole window has a full bucket, as a new client has.
        while self._buckets:
            client, (_, seen) = next(iter(self._buckets.items()))
            if len(self._buckets) <= self._most and now - seen < self._window:
                return
            del self._buckets[client]
