"""`Sharing`: what the fetch path asks of those with whom it shares the sources; and `Alone`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["Alone", "Away", "SharedLimits", "Sharing", "SharingState", "Start"]


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A value that one of the replicas has kept. `value`: as it was given to `Pages.keep`. `age`:
    seconds since then, by the server's clock.
    """

    value: bytes
    age: float


class SharedPages(Protocol):
    """What the fetch path asks of all replicas' pages; no method raises for the server."""

    async def claim(
        self, key: str, *, seconds: float, oldest: float, until: float | None
    ) -> SharedPage | None:
        """The value of a key; waits as long as another replica fetches it.

        `oldest`: the greatest age, in seconds, of a value that is wanted. `until`: latest moment of
        an answer, in `loop.time()` seconds; None waits as long as the other one may take. Returns
        None: the caller fetches it, and then calls `keep` or `release`.
        """
        ...

    async def keep(self, key: str, value: bytes, seconds: float) -> None:
        """Keeps a value for so long, for all, and ends the flight."""
        ...

    async def release(self, key: str) -> None:
        """Ends the flight without a value."""
        ...

    async def forget(self, key: str) -> None:
        """Deletes a value."""
        ...


#: Called with a pause that began in another replica: source, cause (see `health.Cause`), seconds
#: that are left of it.
Heard = Callable[[str, str, float], None]


class Away(Exception):
    """The server that replicas share cannot be used now: the caller decides alone.

    Only the code below a search sees it; no search fails because of it.
    """


@dataclass(frozen=True, slots=True)
class SharedLimits:
    """What all replicas together may ask of a source; see `metasearch.adapters.spec.Limits`.

    Attributes:
        requests: The most requests that start in `per` seconds; a fraction below 1 is one in a
            longer period.
        per: Seconds.
        concurrency: The most requests at once.
    """

    requests: float
    per: float
    concurrency: int


@dataclass(frozen=True, slots=True)
class Start:
    """What the server says to one who wants to ask a source.

    Attributes:
        wait: Seconds until the request may start; with an empty `lease`, seconds after which it is
            worth asking again.
        lease: What the request holds from now on, until `Sharing.finished`; "" where it may not
            start yet.
        busy: Without a lease: all places are taken, and nobody knows for how long.
        moment: Of the start, in µs of the server's clock; 0 without one.
    """

    wait: float
    lease: str
    busy: bool = False
    moment: int = 0


@dataclass(frozen=True, slots=True)
class SharingState:
    """How sharing goes, for /readyz and /metrics.

    Attributes:
        mode: "alone": nothing is shared; "shared"; "away": the server cannot be used now.
        commands: What the server was asked.
        failures: How often it was given up.
        reason: Why it is away; "" where it is not.
    """

    mode: Literal["alone", "shared", "away"] = "alone"
    commands: int = 0
    failures: int = 0
    reason: str = ""


class Sharing(Protocol):
    """What replicas decide together. Belongs to one event loop."""

    @property
    def replicas(self) -> int:
        """By how many the limits of a source are divided while nothing can be shared."""
        ...

    @property
    def away(self) -> bool:
        """Whether nothing can be shared now; `start` would raise `Away` at once."""
        ...

    @property
    def left(self) -> float:
        """When sharing ended last, in `loop.time()` seconds; -inf where it never has, or never
        began.
        """
        ...

    @property
    def returned(self) -> float:
        """When it could be shared again last, in `loop.time()` seconds; -inf where it was never
        away.
        """
        ...

    @property
    def state(self) -> SharingState: ...

    async def start(
        self, source: str, limits: SharedLimits, longest: float, missed: Start | None = None
    ) -> Start:
        """Takes a place and a start for a request, or says how long to wait.

        Args:
            source: Its name.
            limits: Its limits, for all replicas together.
            longest: Seconds for which a start may be taken in advance; where the wait is longer,
                none is taken.
            missed: A start of this source whose moment has passed unused: it is exchanged, and its
                lease is the caller's no more.

        Raises:
            Away: The server cannot be used.
        """
        ...

    def finished(self, source: str, lease: str) -> None:
        """The request with that lease has ended."""
        ...

    async def probe(self, source: str, seconds: float) -> bool:
        """Whether this replica may send the one probe to a source, for so many seconds at most.

        Raises:
            Away: The server cannot be used.
        """
        ...

    def end_probe(self, source: str) -> None:
        """The probe has ended, however; says nothing where this replica did not send it."""
        ...

    def tell(self, source: str, cause: str, seconds: float) -> None:
        """Has the other replicas pause a source, without waiting for them."""
        ...

    def listen(self, heard: Heard | None) -> None:
        """Calls `heard` with each pause that began in another replica; None ends that."""
        ...

    @property
    def pages(self) -> SharedPages | None:
        """The pages that all replicas have together; None where nothing is shared."""
        ...

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        """Counts a request of a client over all replicas, unless it is one too many.

        Args:
            client: Who asks.
            limit: Requests that a client may make in a window, at once or spread.
            window: Seconds.

        Returns:
            The requests that are left, and whether this one may be answered.

        Raises:
            Away: The server cannot be used.
        """
        ...

    async def close(self) -> None:
        """Gives back what this replica holds, and closes connections."""
        ...


class Alone:
    """Nothing is shared: each process has its own limits, and hears of no other."""

    replicas = 1
    away = True
    left = returned = float("-inf")
    state = SharingState()
    pages = None

    async def start(
        self, source: str, limits: SharedLimits, longest: float, missed: Start | None = None
    ) -> Start:
        """See `Sharing`."""
        raise Away

    def finished(self, source: str, lease: str) -> None:
        """See `Sharing`."""

    async def probe(self, source: str, seconds: float) -> bool:
        """See `Sharing`."""
        raise Away

    def end_probe(self, source: str) -> None:
        """See `Sharing`."""

    def tell(self, source: str, cause: str, seconds: float) -> None:
        """See `Sharing`."""

    def listen(self, heard: Heard | None) -> None:
        """See `Sharing`."""

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        """See `Sharing`."""
        raise Away

    async def close(self) -> None:
        """See `Sharing`."""


# What several processes that ask the same sources share: how often a source is asked, pauses, and
# who probes. `Sharing` is all that the fetch path knows of it. `Alone` shares nothing and costs
# nothing; between replicas, on one machine or many, `RedisSharing` (redis.py, imported when it is
# used) does it through a server of Redis or Valkey. Docs: docs/replicas.md, docs/decisions/0043.
