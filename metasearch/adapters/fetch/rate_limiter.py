"""The rate limiter of one source: starts per time, requests at once, and the order of those who
wait; that of one replica, and that of several.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from asyncio import Lock, Semaphore, sleep
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from math import inf

from asyncio_throttle.throttler import Throttler

from metasearch.adapters.request import Budget, Rate
from metasearch.adapters.spec import Limits
from metasearch.late_pattern import late_pattern
from metasearch.replicas import Away, SharedLimits, Sharing, Start


class NotInTime(Exception):
    """The rate lets a request start only after its deadline. `wait`: seconds until then."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


class FairThrottler:
    """`asyncio_throttle.Throttler`, first come first served, and without polling.

    The original alone polls every 10 ms, and a newcomer can pass the queue. Here callers come to it
    one by one, each when a start is free. Never more than `rate_limit` starts lie in any window of
    `period` seconds. Belongs to one event loop; waiters may be cancelled. `rate_limit`: starts per
    period. A fraction below 1 is one start in a longer period; above, it is rounded down. `period`:
    seconds. Raises ValueError: the rate is not positive.
    """

    def __init__(self, rate_limit: float, period: float = 1.0) -> None:
        if not (rate_limit > 0 and period >= 0):
            raise ValueError(f"a rate must be positive: {rate_limit} in {period} s")
        if rate_limit < 1:
            period, rate_limit = period / rate_limit, 1
        self._own = self._most, self._period = math.floor(min(rate_limit, 1e9)), period
        self._throttler = Throttler(self._most, period)
        #: Moments of the starts within the last period, the oldest first.
        self._starts: deque[float] = deque(maxlen=self._most)
        self._turn = Lock()

    def obey(self, requests: float, period: float) -> None:
        """Takes a rate that the source states from now on, where that is slower than ours."""
        most, own = self._own
        if requests * own < most * period:
            most, own = max(1, math.floor(requests)), period * max(1.0, 1 / requests)
        if (most, own) != (self._most, self._period):
            self._most, self._period = most, own
            self._throttler = Throttler(most, own)
            self._starts = deque(self._starts, maxlen=most)

    @property
    def due(self) -> float:
        """Seconds until the next start is free, if no other request waits for one."""
        return max(0.0, self._free_at() - time.monotonic())

    async def acquire(self) -> None:
        """Waits for the caller's turn and takes a start."""
        async with self._turn:
            while True:
                wait = self._free_at() - time.monotonic()
                if wait < 0:
                    break
                # A millisecond more: a start is free only when the period is over.
                await sleep(wait + 1e-3)
            await self._throttler.acquire()  # type: ignore[no-untyped-call]  # it has no types
            self.count()

    def count(self) -> None:
        """Counts a start that happens now; also one that has not been waited for."""
        starts, now = self._starts, time.monotonic()
        starts.append(now)
        # Where a source permits 100,000 starts, those of many hours would be kept.
        while starts[0] + self._period < now:
            starts.popleft()

    def _free_at(self) -> float:
        """When the next start is free, in monotonic seconds; it may be over."""
        full = len(self._starts) == self._most
        return self._starts[0] + self._period if full else -math.inf


class Behind(Enum):
    """The one user of all searches that nobody waits for."""

    ALL = "all"


#: A user who has a turn where no other user waits.
BEHIND = Behind.ALL


class RoundRobin:
    """A lock that goes from user to user, and within a user from asker to asker; an asker's
    requests keep their order. The user `BEHIND` comes after all others.

    Belongs to one event loop; waiters may be cancelled.
    """

    def __init__(self) -> None:
        self.held = False
        #: User -> asker -> those of its requests that wait; who is next comes first.
        self._lines: dict[Hashable, dict[Hashable, deque[asyncio.Future[None]]]] = {}

    async def acquire(self, asker: Hashable, user: Hashable = None) -> None:
        """Waits for this asker's turn. `user`: whose search it is; None is a user of its own."""
        if not self.held:
            self.held = True
            return
        turn = asyncio.get_running_loop().create_future()
        user = (asker,) if user is None else user
        self._lines.setdefault(user, {}).setdefault(asker, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the turn came in the moment of leaving: the next one takes it
            else:
                self._forget(user, asker, turn)
            raise

    def release(self) -> None:
        """Passes the lock to the next request. Its asker goes to the end of the user's line, and
        the user to the end of the line of users.
        """
        while self._lines:
            user = next((user for user in self._lines if user is not BEHIND), BEHIND)
            askers = self._lines.pop(user)
            asker = next(iter(askers))
            line = askers.pop(asker)
            turn = line.popleft()
            if line:
                askers[asker] = line
            if askers:
                self._lines[user] = askers
            if not turn.done():
                turn.set_result(None)
                return
        self.held = False

    def _forget(self, user: Hashable, asker: Hashable, turn: asyncio.Future[None]) -> None:
        """Takes a request that was cancelled out of the lines, if it still stands in one."""
        askers = self._lines.get(user, {})
        line = askers.get(asker, deque())
        if turn not in line:
            return
        line.remove(turn)
        if not line:
            del askers[asker]
        if not askers:
            del self._lines[user]


class RequestLimiter:
    """Admits requests to one source: at most `concurrency` at once, at the rate of its limits.

    Waiting requests are admitted user by user and asker by asker: a search for fifty pages does not
    keep out a search for a single page, nor a user with twenty searches a user with one. The slot
    is taken before the start, so that a start is counted when it happens. `patience`: factor on the
    period; with 0, as in tests, nothing waits for the rate.
    """

    def __init__(self, limits: Limits, *, patience: float = 1.0) -> None:
        self._patience = patience
        self._queue = RoundRobin()
        self._slots = Semaphore(limits.concurrency)
        self._rate = FairThrottler(limits.requests, limits.per * patience)

    @asynccontextmanager
    async def hold_place(
        self,
        asker: Hashable = None,
        user: Hashable = None,
        left: Callable[[], float] = lambda: math.inf,
    ) -> AsyncIterator[None]:
        """Holds a place for a request of that asker, from its turn to its end; see
        `RoundRobin.acquire`.

        `left` returns the seconds until its deadline. Here it is not asked, as `due` says it
        before; where replicas share a limit, `NotInTime` is raised when its turn has come.
        """
        await self._enter(asker, user)
        try:
            yield
        finally:
            self._slots.release()

    @property
    def due(self) -> float:
        """Seconds until the source's rate lets another request start, be there a queue or not."""
        return self._rate.due

    def obey(self, rate: Rate) -> None:
        """Takes a rate that the source states, where that is slower than its limits."""
        self._rate.obey(rate.requests, rate.per * self._patience)

    async def _enter(self, asker: Hashable, user: Hashable = None) -> None:
        await self._queue.acquire(asker, user)
        try:
            await self._slots.acquire()
            try:
                await self._rate.acquire()
            except BaseException:
                self._slots.release()
                raise
        finally:
            self._queue.release()


# The rate limiter of a source that several replicas ask; see `metasearch.replicas`. The turns are
# this replica's own, as above. Whoever has the turn takes a place and a start from the server that
# the replicas share. While that cannot be used, this replica takes its part of the limits.

#: Seconds for which a start is taken in advance, at most: whoever dies meanwhile has wasted it.
AHEAD = 1.0
#: Seconds between two questions for a place while all are taken: the first pause, the longest.
SHORTEST_ASK, LONGEST_ASK = 0.01, 0.1
#: Seconds after its moment at which a start is used at most: half of what the server allows for
#: (`replicas.redis.MARGIN`), as the way to the database takes its time, too. A later one would be
#: among those of the next period.
LATE = 0.05
#: How often a start is asked for that comes too late each time; the last one is used all the same,
#: for a machine that is always late would never ask a source.
MOST_LATE = 3
#: Seconds for which nothing starts after the server went away, at most: what the other replicas
#: have begun in this period is not known.
HOLD = 1.0
#: Seconds after the server came back in which replicas may not have noticed.
UNNOTICED = 5.0


class SharedLimiter(RequestLimiter):
    """Admits requests to one source, as `RequestLimiter`, for all replicas together."""

    def __init__(
        self, source: str, limits: Limits, sharing: Sharing, *, patience: float = 1.0
    ) -> None:
        self._source = source
        self._sharing = sharing
        self._patience = patience
        self._own = self._shared = SharedLimits(
            limits.requests, limits.per * patience, limits.concurrency
        )
        self._part = limits.part(sharing.replicas)
        self._per = self._part.per * patience
        self._queue = RoundRobin()
        #: Counts the starts that go through the server, too: they belong to our part when it goes.
        self._rate = FairThrottler(self._part.requests, self._per)
        self._running = 0
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def hold_place(
        self, asker: Hashable = None, user: Hashable = None, left: Callable[[], float] = lambda: inf
    ) -> AsyncIterator[None]:
        lease = await self._begin(asker, user, left)
        try:
            yield
        finally:
            self._running -= 1
            self._freed.set()
            if lease:
                self._sharing.finished(self._source, lease)

    @property
    def due(self) -> float:
        """See `RequestLimiter.due`; 0.0 while the server knows."""
        return self._rate.due if self._sharing.away else 0.0

    def obey(self, rate: Rate) -> None:
        """See `RequestLimiter.obey`; the rate is that of all replicas together."""
        requests, per, own = rate.requests, rate.per * self._patience, self._own
        slower = requests * own.per < own.requests * per
        self._shared = replace(own, requests=requests, per=per) if slower else own
        self._rate.obey(requests / self._sharing.replicas, per)

    async def _begin(self, asker: Hashable, user: Hashable, left: Callable[[], float]) -> str:
        """Waits until a request may start; its lease, or "" where no server gave one."""
        await self._queue.acquire(asker, user)
        try:
            while self._running >= self._places:
                self._freed.clear()
                await self._freed.wait()
            self._running += 1
            try:
                return await self._admit(left)
            except BaseException:
                self._running -= 1
                self._freed.set()
                raise
        finally:
            self._queue.release()

    @property
    def _places(self) -> int:
        return self._part.concurrency if self._sharing.away else self._shared.concurrency

    async def _admit(self, left: Callable[[], float]) -> str:
        """The request with the turn, until it may start."""
        ask = SHORTEST_ASK
        counted = False
        while not self._sharing.away:
            if self._has_unknown_starts and not counted:
                await self._within_part(left)
                counted = True
            try:
                start = await self._start(left)
            except Away:
                break
            if start.lease:
                if not counted:
                    self._rate.count()
                return start.lease
            if start.busy:
                # Not at the same moments as the other replicas.
                await asyncio.sleep(ask * random.uniform(0.5, 1.0))  # noqa: S311
                ask = min(2 * ask, LONGEST_ASK)
            elif start.wait > left():
                raise NotInTime(start.wait)
            else:
                await asyncio.sleep(max(SHORTEST_ASK, start.wait - AHEAD / 2))
        if not counted:
            await self._within_part(left)
        return ""

    async def _start(self, left: Callable[[], float]) -> Start:
        """What the server says; a start whose moment passed in the waiting is exchanged."""
        clock = asyncio.get_running_loop().time
        missed = None
        for _ in range(MOST_LATE):
            asked = clock()  # the server names its moment after this one
            start = await self._sharing.start(
                self._source, self._shared, min(AHEAD, max(0.0, left())), missed
            )
            if not start.lease:
                break
            try:
                if start.wait > 0:
                    await asyncio.sleep(start.wait)
            except BaseException:
                self._sharing.finished(self._source, start.lease)
                raise
            if clock() - asked - start.wait <= LATE:
                break
            missed = start
        return start

    async def _within_part(self, left: Callable[[], float]) -> None:
        """Takes a start of our part of the limits."""
        hold = self._sharing.left + min(self._per, HOLD) - asyncio.get_running_loop().time()
        if (due := max(self._rate.due, hold)) > left():
            raise NotInTime(due)
        if hold > 0:
            await asyncio.sleep(hold)
        await self._rate.acquire()

    @property
    def _has_unknown_starts(self) -> bool:
        """Whether starts of other replicas, while the server was away, may still count."""
        since = asyncio.get_running_loop().time() - self._sharing.returned
        return since < self._per + UNNOTICED


# What the headers of an answer say of how often its source may be asked: `Retry-After`, what is
# left of a budget, and a rate.

# There are three families of such headers, and each is written in several ways:
#
# - `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3), and the same in names of its own:
#   `X-RateLimit-Retry-After` (CORE), `x-rate-limit-retry-after-seconds` (Lens);
# - `X-RateLimit-Limit`, `-Remaining` and `-Reset`, with or without "X-" and a second hyphen, and
#   with a word for what they count: `-USD` (OpenAlex), `-Day` (Kong), `-Request-Per-Month` (Lens).
#   A reset is in seconds from now, in Unix time (also in milliseconds), or a date;
# - `RateLimit` and `RateLimit-Policy` of the IETF draft, in the form of its revisions 7 and 10.

_NAME = late_pattern(r"(?:x-)?rate-?limit(?:-?(?=[a-z])(.*))?")
_NUMBER = late_pattern(r"[0-9]{1,15}(?:\.[0-9]{1,12})?")
#: Numbers from here on are Unix times, in seconds or in milliseconds.
_UNIX, _UNIX_MILLISECONDS = 1e9, 1e12
#: What comes on top of a budget, and is used when that is used up.
_ON_TOP = frozenset({"onetime", "prepaid"})
#: Words for what a request takes from a budget. "Used" alone is what all of them have taken.
_TAKEN = frozenset({"cost", "credits"})
#: Words for a window, and its seconds: a reset after it is that of another budget.
_WINDOWS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0}
#: What does not tell one budget from another.
_SILENT = _ON_TOP | _TAKEN | {"used", "required", "seconds", "date"}
#: Seconds of the longest window that is a rate; what a longer one allows is a budget.
_LONGEST_RATE = 10.0
#: Headers that are read; more are in no honest answer.
_MOST = 40


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `Retry-After` asks for, in any of its forms; None where there is none.

    A date is held against the server's own `Date`, so that a clock that is wrong here does not
    matter. `now`: Unix time in seconds, for a server that sends no `Date`.
    """
    if text := headers.get("Retry-After", "").strip():
        return _until(text, headers, now)
    for words, text in _rate_headers(headers):
        if "retry" in words and (seconds := _until(text, headers, now)) is not None:
            return seconds
    return None


def budget(headers: Mapping[str, str], now: float) -> Budget | None:
    """What is left, by the headers: of several budgets the one that is used up first, and for the
    longest time. `now`: as for `retry_after`.
    """
    found = [*_of_words(headers, now), *_of_draft(headers, now)]
    return max(found, key=_urgency, default=None)


def rate(headers: Mapping[str, str]) -> Rate | None:
    """How many requests may start in some seconds, by the headers; the slowest one."""
    found = [
        Rate(float(allowed), per)
        for allowed, per in _rates(headers)
        if allowed >= 1 and 0 < per <= _LONGEST_RATE
    ]
    return min(found, key=lambda stated: stated.requests / stated.per, default=None)


def _urgency(one: Budget) -> tuple[bool, float, float, bool]:
    share = one.left / one.of if one.of else 1.0
    wait = (one.renewed or 0.0) if one.is_spent else 0.0
    return one.is_spent, wait, -share, one.unit != "requests"


def _rate_headers(headers: Mapping[str, str]) -> Iterator[tuple[frozenset[str], str]]:
    """The headers of rates, each as the words of its name ("remaining", "usd") and its value."""
    count = 0
    for name, text in headers.items():
        lower = name.lower()
        match = _NAME.fullmatch(lower) if "rate" in lower[:6] else None
        if match is not None and match[1]:
            yield frozenset(match[1].split("-")), text.strip()
            count += 1
        if count == _MOST:
            return


def _of_words(headers: Mapping[str, str], now: float) -> Iterator[Budget]:
    """The budgets of `X-RateLimit-Remaining` and its like."""
    limits: dict[frozenset[str], float] = {}
    left: dict[frozenset[str], float] = {}
    taken: dict[frozenset[str], float] = {}
    renewed: dict[frozenset[str], float] = {}
    in_credits = False
    for words, text in _rate_headers(headers):
        number = _number(text)
        of = words - {"limit", "remaining", "reset"} - _SILENT
        in_credits |= "credits" in words
        if "reset" in words:
            if (seconds := _until(text, headers, now)) is not None:
                renewed[of] = seconds
        elif number is None:
            continue
        elif "remaining" in words:
            left[of] = left.get(of, 0.0) + number
        elif words & _TAKEN:
            taken[of] = max(taken.get(of, 0.0), number)
        elif "limit" in words and not words & _ON_TOP:
            limits[of] = number
    for of, number in left.items():
        counted = "credits" if in_credits and not of else "requests"
        reset = renewed.get(of, renewed.get(frozenset()))
        windows = [seconds for word, seconds in _WINDOWS.items() if word in of]
        yield Budget(
            left=number,
            of=limits.get(of),
            unit="USD" if "usd" in of else counted,
            cost=taken.get(of, 0.0),
            renewed=None if reset is None else min([reset, *windows]),
        )


def _of_draft(headers: Mapping[str, str], now: float) -> Iterator[Budget]:
    """The budgets of `RateLimit`: `"default";r=50;t=30`, or `limit=100, remaining=50, reset=30`."""
    policies = dict(_items(headers.get("RateLimit-Policy", "")))
    items = list(_items(headers.get("RateLimit", "")))
    if items and all(not name for name, _ in items):
        items = [("", {key: value for _, facts in items for key, value in facts.items()})]
    for name, facts in items:
        policy = policies.get(name, {})
        left = _number(facts.get("r", facts.get("remaining", "")))
        if left is None or policy.get("qu", "requests") == "concurrent-requests":
            continue
        yield Budget(
            left=left,
            of=_number(policy.get("q", facts.get("limit", ""))),
            unit=policy.get("qu", "requests")[:20],
            renewed=_until(facts.get("t", facts.get("reset", "")), headers, now),
        )


def _rates(headers: Mapping[str, str]) -> Iterator[tuple[float, float]]:
    """Requests and seconds of every window that is stated."""
    named = dict(_rate_headers(headers))
    interval = _number(named.get(frozenset({"interval"}), ""))
    allowed = _number(named.get(frozenset({"limit"}), ""))
    if interval is not None and allowed is not None:
        yield allowed, interval
    for name, facts in _items(headers.get("RateLimit-Policy", "")):
        allowed, window = _number(facts.get("q", name)), _number(facts.get("w", ""))
        if allowed is not None and window is not None and facts.get("qu", "requests") == "requests":
            yield allowed, window


def _items(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The members of a structured list, each with its parameters: `"a";q=1;w=2, b;q=3`. A member
    that is itself `name=value` has no name.
    """
    for item in text[:1000].split(","):
        first, *others = (part.strip() for part in item.split(";"))
        name = "" if "=" in first else first.strip('"')
        pairs = (part.partition("=") for part in (first, *others) if "=" in part)
        facts = {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
        if name or facts:
            yield name, facts


def _number(text: str) -> float | None:
    """The number that a text begins with: "100", "100, 100;w=60", "1s"."""
    match = _NUMBER.match(text)
    return float(match[0]) if match else None


def _until(text: str, headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until a moment: it is given in seconds from now, in Unix time, or as a date."""
    number = _number(text)
    if number is not None and _NUMBER.fullmatch(text.rstrip("s")):
        if number < _UNIX:
            return number
        moment: float | None = number / 1000 if number >= _UNIX_MILLISECONDS else number
    else:
        moment = _timestamp(text)
    if moment is None:
        return None
    there = _timestamp(headers.get("Date", ""))
    return max(0.0, moment - (now if there is None else there))


def _timestamp(text: str) -> float | None:
    """The Unix time of a date as HTTP or ISO 8601 writes it."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError, OverflowError, OSError):
            moment = read(text[:60])
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None
