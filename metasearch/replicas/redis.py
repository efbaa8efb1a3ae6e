"""What the server does in one step for the limits, leases and pauses of all replicas.

All moments are microseconds of the server's own clock: replicas need not agree on the time. A clock
that was set back is noticed (nothing can lie further ahead than it was put); what was kept is moved
with it.
"""

from __future__ import annotations

from metasearch.sharing.connection import Script

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
