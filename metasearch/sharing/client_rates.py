"""How often one client may ask all replicas together.

The generic cell rate algorithm (ITU-T I.371, annex A): one moment a client, at which all that it
has asked for would be paid back. It is the bucket of `metasearch.server.limits.rate.RateLimiter`,
which fills evenly, in one number; by the server's clock, in microseconds.
"""

from __future__ import annotations

from metasearch.sharing.connection import Connection, Script
from metasearch.sharing.names import Names

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

    def __init__(self, connection: Connection, names: Names) -> None:
        self._connection = connection
        self._names = names

    async def take(self, client: str, limit: int, window: float) -> tuple[float, bool]:
        """Counts a request, unless it is one too many.

        `window`: seconds. Returns the requests that are left, and whether this one may be answered.
        Raises Away: the server cannot be used.
        """
        words = (max(1, round(window * 1e6 / limit)), limit)
        allowed, left = await self._connection.script(
            _TAKE, (self._names.of("client", client),), words
        )
        return int(left) / 1e6, allowed == 1
