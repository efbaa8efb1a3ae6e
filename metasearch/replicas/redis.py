"""`RedisSharing`: limits, leases and pauses of all replicas, on a server of Redis or Valkey."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing, suppress

from metasearch.loop import cancel_all, keep_running
from metasearch.replicas import Away, Heard, SharedLimits, SharingState, Start
from metasearch.replicas.connection import (
    KeyNames,
    RedisConnection,
    Script,
    Word,
)
from metasearch.replicas.pages import RedisPages

# What the server does in one step for the limits, leases and pauses of all replicas. All moments
# are microseconds of the server's own clock: replicas need not agree on the time. A clock that was
# set back is noticed (nothing can lie further ahead than it was put); what was kept is moved with
# it.

#: Seconds that a lease is good for, if it is not renewed.
LEASE = 10.0
#: Seconds by which a start may be taken in advance.
AHEAD = 1.0
#: Seconds for which a server that begins without data, of which others may know that it had some,
#: lets nothing start; no longer than the period of a limit.
FRESH = 3.0
#: Seconds that are added to the period of a limit, and the share of it that they are at most. The
#: way from the moment that the server names to the database takes one request longer than another;
#: while the difference is no more than this, the limit holds as the database counts.
MARGIN, LARGEST_MARGIN = 0.1, 0.1
#: Seconds for which the next free place is kept for a replica that asked for one in vain.
KEPT = 0.3

_NOW = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local function text(number) return string.format('%.0f', number) end
"""

#: Takes a place and a start at a source.
#:
#: A log of the last starts, not GCRA: as a source allows `most` starts at once and then none until
#: the period is over, a rate with a burst would either allow up to twice as many in a window, or
#: delay the first ones (docs/decisions/0043).
#:
#: Keys: the starts (list of moments, the oldest first, at most `most`), the leases (sorted set:
#: lease -> moment at which it ends), who waits for a place (string: a replica), when the server
#: began (string: a moment).
#:
#: Words: one, as each costs the client some µs: most starts in a period, the period in µs, places,
#: µs for which a start may be taken in advance, the replica, the lease, the moment of a start
#: that is exchanged (0: none; else the lease is the one that it came with); a blank between them.
#:
#: Returns [µs, state, moment as text, places that are free then]. State 1: taken, to be used in so
#: many µs, at that moment; 0: not taken, may be asked for again in so many µs; -1: no place is
#: free. What is exchanged is free again in any case.
START = Script(
    _NOW
    + f"""
local lease_time, ahead, fresh, kept = {LEASE * 1e6:.0f}, {AHEAD * 1e6:.0f}, {FRESH * 1e6:.0f}, """
    + f"""{KEPT * 1e3:.0f}
local margin, largest_margin = {MARGIN * 1e6:.0f}, {LARGEST_MARGIN}
local starts, leases, waiting, began = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local most, per, places, longest, replica, lease, missed =
  string.match(ARGV[1], '^(%d+) (%d+) (%d+) (%d+) (%S+) (%S+) (%d+)$')
most, per, places, longest = tonumber(most), tonumber(per), tonumber(places), tonumber(longest)
if missed ~= '0' then redis.call('LREM', starts, 1, missed) end

redis.call('ZREMRANGEBYSCORE', leases, '-inf', text(now))
local last = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')
if last[2] and tonumber(last[2]) > now + lease_time then
  for _, each in ipairs(redis.call('ZRANGE', leases, 0, -1)) do
    redis.call('ZADD', leases, text(now + lease_time), each)
  end
end
local used = redis.call('ZCARD', leases)
if redis.call('ZSCORE', leases, lease) then used = used - 1 end
local other = redis.call('GET', waiting)
if other == replica or missed ~= '0' then other = false end
if used >= places or (other and used + 1 >= places) then
  redis.call('ZREM', leases, lease)
  if not other then redis.call('SET', waiting, replica, 'PX', kept) end
  return {{0, -1, '0', 0}}
end

local newest = tonumber(redis.call('LINDEX', starts, -1) or 0)
if newest > now + ahead + 1000000 then
  local moved = redis.call('LRANGE', starts, 0, -1)
  redis.call('DEL', starts)
  for _, each in ipairs(moved) do
    redis.call('RPUSH', starts, text(tonumber(each) - newest + now))
  end
end
-- Never before the last one, as one before that may have been exchanged.
local at = math.max(now, tonumber(redis.call('LINDEX', starts, -1) or 0))
local first = redis.call('LINDEX', starts, -most)
per = per + math.ceil(math.min(margin, per * largest_margin))
if first then at = math.max(at, tonumber(first) + per) end
local born = tonumber(redis.call('GET', began) or 0)
if born == 0 or born > now then
  born = now
  redis.call('SET', began, text(now))
end
at = math.max(at, born + math.min(per, fresh))
if at - now > longest then return {{at - now, 0, '0', places - used}} end
redis.call('RPUSH', starts, text(at))
redis.call('LTRIM', starts, -most, -1)
redis.call('PEXPIRE', starts, text(math.ceil((at - now + per) / 1000) + 1000))
redis.call('ZADD', leases, text(now + lease_time), lease)
redis.call('PEXPIRE', leases, text(lease_time / 1000 + 1000))
if redis.call('GET', waiting) == replica then redis.call('DEL', waiting) end
return {{at - now, 1, text(at), places - used - 1}}
"""
)

#: Renews and gives back leases. Keys: the leases of sources. Words: for each lease the number of
#: its key, from 1; "+" or "-"; the lease.
LEASES = Script(
    _NOW
    + f"""
local lease_time = {LEASE * 1e6:.0f}
for i = 1, #ARGV, 3 do
  local leases = KEYS[tonumber(ARGV[i])]
  if ARGV[i + 1] == '+' then
    redis.call('ZADD', leases, text(now + lease_time), ARGV[i + 2])
    redis.call('PEXPIRE', leases, text(lease_time / 1000 + 1000))
  else
    redis.call('ZREM', leases, ARGV[i + 2])
  end
end
return 0
"""
)

#: Begins a pause, and tells it. Keys: the pauses (sorted set: pause -> moment at which it ends),
#: the channel. Words: the pause; µs; the replica. A pause that lasts longer already stays as it is.
#: Returns the moment at which it ends, as text.
PAUSE = Script(
    _NOW
    + """
local ends = now + tonumber(ARGV[2])
local was = redis.call('ZSCORE', KEYS[1], ARGV[1])
if was and tonumber(was) > ends then return text(tonumber(was)) end
redis.call('ZADD', KEYS[1], text(ends), ARGV[1])
redis.call('PUBLISH', KEYS[2], ARGV[3] .. ' ' .. ARGV[1] .. ' ' .. text(ends) .. ' ' .. ARGV[2])
return text(ends)
"""
)

#: The pauses that are not over: [pause, moment of its end, µs that are left, ...], all as text, at
#: most a thousand. Keys: the pauses, when the server began (see START).
PAUSES = Script(
    _NOW
    + """
if not redis.call('GET', KEYS[2]) then redis.call('SET', KEYS[2], text(now)) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
local found, answer = redis.call('ZRANGE', KEYS[1], 0, 999, 'WITHSCORES'), {}
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = text(tonumber(found[i + 1]))
  answer[#answer + 1] = text(tonumber(found[i + 1]) - now)
end
return answer
"""
)

#: Deletes a key if it still has this value. Keys: it. Words: the value.
RELEASE = Script(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
)


# How often one client may ask all replicas together. The generic cell rate algorithm (ITU-T I.371,
# annex A): one moment a client, at which all that it has asked for would be paid back. It is the
# bucket of `ClientRateLimiter` in server/limits/client_limits.py, which fills evenly, in one
# number; by the server's clock, in microseconds.

#: KEYS the client's moment. ARGV µs a request, requests at once. A moment that lies further ahead
#: than it can have been put (a clock that was set back, a value that is not ours) becomes the
#: furthest one. Returns {1 where the request may be answered, millionths of requests left}.
_TAKE = Script("""
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local each, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local paid = tonumber(redis.pcall('GET', KEYS[1]) or 0) or 0
if paid ~= paid then paid = 0 end
local ahead = math.min(math.max(paid - now, 0), each * most)
local allowed = ahead + each <= each * most and 1 or 0
if allowed == 1 then ahead = ahead + each end
if allowed == 1 or paid > now + ahead then
  redis.call('SET', KEYS[1], string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000) + 1)
end
return {allowed, string.format('%.0f', (most - ahead / each) * 1000000)}
""")


class ClientRates:
    """Counts the requests of clients. Belongs to one event loop."""

    def __init__(self, connection: RedisConnection, names: KeyNames) -> None:
        self._connection = connection
        self._names = names

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        words = (max(1, round(window * 1e6 / limit)), limit)
        allowed, left = await self._connection.script(
            _TAKE, (self._names.of("client", client),), words
        )
        return int(left) / 1e6, allowed == 1


# The leases that one replica holds: renewed while its requests run, given back when they end.

#: Seconds after which a lease that nobody of this replica needs is given back, if places at its
#: source are scarce, and if at least half of them are free. Those of several requests go together,
#: and the next request of the same source takes one over.
SCARCE, PLENTY = 0.02, 1.0


class Leases:
    """The leases of one replica. Belongs to one event loop.

    Renewals and returns go one after the other, so that none overtakes another. A server that is
    away is told nothing: leases end by themselves, and those still held are renewed when it is
    back.
    """

    def __init__(self, connection: RedisConnection, names: KeyNames, replica: str) -> None:
        self._connection = connection
        self._names = names
        self._replica = replica
        self._made = 0
        #: Source -> leases of requests that run, and leases that can be taken over.
        self._held: dict[str, set[str]] = {}
        self._spare: dict[str, list[str]] = {}
        #: Sources of which less than half of the places were free when one was taken last.
        self._scarce: set[str] = set()
        self._turn = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None
        #: Seconds that a task waits before it gives back what is spare -> it.
        self._returning: dict[float, asyncio.Task[None]] = {}

    def key(self, source: str) -> str:
        """The name of the leases of a source."""
        return self._names.of("leases", source)

    def take(self, source: str) -> str:
        """A lease for a request: a spare one, or a new one that the server does not know yet."""
        spare = self._spare.get(source)
        if spare:
            return spare.pop()
        self._made += 1
        return f"{self._replica}:{self._made}"

    def hold(self, source: str, lease: str, *, scarce: bool) -> None:
        """The server has given the lease: it is renewed until `give_back`."""
        (self._scarce.add if scarce else self._scarce.discard)(source)
        self._held.setdefault(source, set()).add(lease)
        if self._renewing is None:
            self._renewing = asyncio.get_running_loop().create_task(self._renew())

    def give_back(self, source: str, lease: str) -> None:
        """The request has ended."""
        self._held.get(source, set()).discard(lease)
        self._spare.setdefault(source, []).append(lease)
        wait = SCARCE if source in self._scarce else PLENTY
        if wait not in self._returning:
            task = asyncio.get_running_loop().create_task(self._give_back(wait))
            self._returning[wait] = task

    def forget(self, source: str, lease: str) -> None:
        """The server has given the place to another one, or never gave it."""
        self._held.get(source, set()).discard(lease)

    async def close(self) -> None:
        """Gives everything back, if the server can be told."""
        await cancel_all((*filter(None, (self._renewing,)), *self._returning.values()))
        for source, leases in self._held.items():
            self._spare.setdefault(source, []).extend(leases)
        self._held.clear()
        await self._return_spare([*self._spare])

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE / 2)
            await self._send(self._held, "+")

    async def _give_back(self, wait: float) -> None:
        await asyncio.sleep(wait)
        del self._returning[wait]  # those that end from now on go with the next
        await self._return_spare([*(self._spare if wait == PLENTY else self._scarce)])

    async def _return_spare(self, sources: Iterable[str]) -> None:
        await self._send({source: self._spare.pop(source, []) for source in sources}, "-")

    async def _send(self, leases: Mapping[str, set[str] | list[str]], sign: str) -> None:
        async with self._turn:
            keys: list[str] = []
            words: list[Word] = []
            for source, some in leases.items():
                if some:
                    keys.append(self.key(source))
                    for lease in some:
                        words += (len(keys), sign, lease)
            if not keys:
                return
            with suppress(Away):
                await self._connection.script(LEASES, keys, words)


# Pauses that one replica tells the others. They are published, which reaches those who listen at
# that moment, and kept, which is read at the start, each `READ` seconds, and whenever messages may
# have been missed.

#: Seconds between two readings of what is kept.
READ = 30.0
#: Pauses that are being told at once; the others learn of more from the sources.
MOST_TOLD = 64
_PAUSE = re.compile(r"([0-9a-f]{32}) ([a-z]{1,20})", re.ASCII)
_MESSAGE = re.compile(rb"([0-9a-f]{1,32}) ([0-9a-f]{32} [a-z]{1,20}) ([0-9]{1,17}) ([0-9]{1,17})")


class Pauses:
    """The pauses of all replicas, as one of them knows them. Belongs to one event loop."""

    def __init__(
        self,
        connection: RedisConnection,
        names: KeyNames,
        replica: str,
        sources: Callable[[], Iterable[str]],
    ) -> None:
        self._connection = connection
        self._names = names
        self._replica = replica
        self._sources = sources
        self._heard: Heard | None = None
        self._key, self._channel = names.of("pauses"), names.of("told")
        self._of_digest: dict[str, str] = {}
        #: Pause -> moment of its end by the server's clock, of all that have been acted on.
        self._known: dict[str, int] = {}
        #: Those that this replica is telling now: its own are not heard.
        self._own: set[str] = set()
        self._telling: set[asyncio.Task[None]] = set()
        self._listening: list[asyncio.Task[None]] = []
        connection.when_back.append(self._back)

    def listen(self, heard: Heard | None) -> None:
        self._heard = heard
        if heard is not None and not self._listening:
            loop = asyncio.get_running_loop()
            self._listening = [loop.create_task(self._listen()), loop.create_task(self._look())]

    def tell(self, source: str, cause: str, seconds: float) -> None:
        if len(self._telling) < MOST_TOLD:
            pause = f"{self._names.digest('source', source)} {cause}"
            keep_running(self._tell(pause, round(seconds * 1e6)), self._telling)

    async def read(self) -> None:
        """Acts on all pauses that are kept and not known yet."""
        with suppress(Away):
            found = await self._connection.script(PAUSES, (self._key, self._names.of("began")), ())
            texts = [text.decode("ascii", "replace") for text in found]
            known = set()
            for pause, ends, left in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
                known.add(pause)
                self._act(pause, int(ends), int(left))
            self._known = {pause: ends for pause, ends in self._known.items() if pause in known}

    async def close(self) -> None:
        """Ends all that runs here."""
        await cancel_all((*self._telling, *self._listening))

    async def _tell(self, pause: str, microseconds: int) -> None:
        self._own.add(pause)
        try:
            with suppress(Away):
                ends = await self._connection.script(
                    PAUSE, (self._key, self._channel), (pause, microseconds, self._replica)
                )
                self._known[pause] = max(self._known.get(pause, 0), int(ends))
        finally:
            self._own.discard(pause)

    def _back(self) -> None:
        """The server is back: others may have told it what this replica has not heard."""
        if self._heard is not None:
            keep_running(self.read(), self._telling)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(READ)
            await self.read()

    async def _listen(self) -> None:
        async with aclosing(self._connection.messages(self._channel)) as messages:
            async for message in messages:
                if message is None:
                    await self.read()
                elif (found := _MESSAGE.fullmatch(message)) is not None:
                    replica, pause, ends, left = found.groups()
                    if replica.decode() != self._replica:
                        self._act(pause.decode(), int(ends), int(left))

    def _act(self, pause: str, ends: int, left: int) -> None:
        """Passes a pause on, if it lasts longer than what is known."""
        match = _PAUSE.fullmatch(pause)
        if pause in self._own:  # read before the server has answered what was told
            return
        if match is None or left <= 0 or ends <= self._known.get(pause, 0):
            return
        self._known[pause] = ends
        source = self._source(match[1])
        if source is not None and self._heard is not None:
            self._heard(source, match[2], left / 1e6)

    def _source(self, digest: str) -> str | None:
        """The source of that name; None if this replica has none."""
        if digest not in self._of_digest:
            self._of_digest = {
                self._names.digest("source", source): source for source in self._sources()
            }
        return self._of_digest.get(digest)


#: Starts of a source that the server remembers; a source that allows more in its period is asked as
#: if the period were shorter by as much.
MOST_STARTS = 10_000


class RedisSharing:
    """See `Sharing`, of which this is the one for replicas. Belongs to one event loop.

    `connection`: to the server; closed with this. `pages`: their pages; closed with this. None
    shares none.
    """

    def __init__(
        self,
        connection: RedisConnection,
        names: KeyNames,
        *,
        replicas: int = 2,
        sources: Callable[[], Iterable[str]] = tuple,
        pages: RedisPages | None = None,
    ) -> None:
        self.connection = connection
        self.names = names
        self.replicas = replicas
        self._replica = secrets.token_hex(8)
        self._leases = Leases(connection, names, self._replica)
        self._pauses = Pauses(connection, names, self._replica, sources)
        self._keys: dict[str, tuple[bytes, ...]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._probes: set[str] = set()
        self.pages = pages
        self._clients = ClientRates(connection, names)

    @property
    def away(self) -> bool:
        return self.connection.away

    @property
    def left(self) -> float:
        return self.connection.left

    @property
    def returned(self) -> float:
        return self.connection.returned

    @property
    def state(self) -> SharingState:
        return self.connection.state

    async def start(
        self, source: str, limits: SharedLimits, longest: float, missed: Start | None = None
    ) -> Start:
        most, per = _starts(limits)
        lease = self._leases.take(source) if missed is None else missed.lease
        moment = 0 if missed is None else missed.moment
        keys = self._keys.get(source)
        if keys is None:
            keys = self._keys[source] = (
                self.names.of("starts", source).encode(),
                self._leases.key(source).encode(),
                self.names.of("waiting", source).encode(),
                self.names.of("began").encode(),
            )
        ahead = int(longest * 1e6)
        word = f"{most} {per} {limits.concurrency} {ahead} {self._replica} {lease} {moment}"
        try:
            wait, state, at, free = await self.connection.script(START, keys, (word.encode(),))
        except BaseException:
            # The server may have done it all the same.
            self._leases.give_back(source, lease)
            raise
        if state == 1:
            self._leases.hold(source, lease, scarce=2 * free < limits.concurrency)
            return Start(wait / 1e6, lease, moment=int(at))
        if state == 0:
            self._leases.give_back(source, lease)
        else:
            self._leases.forget(source, lease)
        return Start(wait / 1e6, "", busy=state < 0)

    def finished(self, source: str, lease: str) -> None:
        self._leases.give_back(source, lease)

    async def probe(self, source: str, seconds: float) -> bool:
        answer = await self.connection.command(
            "SET", self._probe(source), self._replica, "NX", "PX", math.ceil(seconds * 1000)
        )
        if answer:
            self._probes.add(source)
        return bool(answer)

    def end_probe(self, source: str) -> None:
        if source in self._probes:
            self._probes.discard(source)
            keep_running(self._end_probe(source), self._ending)

    def tell(self, source: str, cause: str, seconds: float) -> None:
        self._pauses.tell(source, cause, seconds)

    def listen(self, heard: Heard | None) -> None:
        self._pauses.listen(heard)

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        return await self._clients.take(client, limit, window)

    async def close(self) -> None:
        await self._pauses.close()
        if self._ending:
            await asyncio.wait(set(self._ending))
        await self._leases.close()
        if self.pages is not None:
            await self.pages.close()
        await self.connection.close()

    def _probe(self, source: str) -> str:
        return self.names.of("probe", source)

    async def _end_probe(self, source: str) -> None:
        with suppress(Away):
            await self.connection.script(RELEASE, (self._probe(source),), (self._replica,))


def _starts(limits: SharedLimits) -> tuple[int, int]:
    """(most starts, microseconds in which they lie): whole numbers, with no more starts in any
    time than the limits allow.
    """
    requests, per = limits.requests, limits.per
    if requests < 1:
        requests, per = 1, per / requests
    most = math.floor(min(requests, 1e9))
    if most > MOST_STARTS:
        per, most = per * MOST_STARTS / most, MOST_STARTS
    return most, math.ceil(per * 1e6)
