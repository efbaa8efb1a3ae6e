"""Pages that all replicas have together, sealed, and one request for each of them."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from functools import partial
from hashlib import blake2b
from typing import Literal, TypeVar
from weakref import WeakValueDictionary

from metasearch.loop import cancel_all, keep_running
from metasearch.regular_files import deflate, inflate
from metasearch.replicas import Away, SharedPage
from metasearch.replicas.connection import KeyNames, RedisConnection, Script

# Values that lie in a server which others can write to: compressed, bounded, and with a code that
# shows that one of us wrote them.
#
#     "ms1" | code (32 bytes) | seconds that it may lie there, in ms (8 bytes) | zlib
#
# The code is keyed BLAKE2b (RFC 7693) over the name, the time and the compressed bytes: a value
# that was damaged, written by somebody else, or moved to another name is not opened. Nothing is
# unpickled, and nothing is decompressed before the code was compared.

#: Largest value as it is kept, in bytes; larger ones stay on the machine that made them.
LARGEST_SEALED = 1 << 21
#: Largest value after decompression, in bytes.
LARGEST_VALUE = 1 << 26
_MARK = b"ms1"
_CODE = 32
_HEAD = len(_MARK) + _CODE + 8


class Damaged(ValueError):
    """A value that was not sealed with this secret under this name."""


class Seal:
    """Seals and opens values."""

    def __init__(self, secret: bytes) -> None:
        self._key = blake2b(secret, person=b"ms-values", digest_size=32).digest()

    def __repr__(self) -> str:
        return "<Seal>"

    def seal(self, name: bytes, value: bytes, milliseconds: int) -> bytes | None:
        """The value as it is kept under a name for so long; None for one that is too large."""
        if len(value) > LARGEST_VALUE:
            return None
        rest = milliseconds.to_bytes(8, "big") + deflate(value)
        if _HEAD - 8 + len(rest) > LARGEST_SEALED:
            return None
        return _MARK + self._code(name, rest) + rest

    def open(self, name: bytes, sealed: bytes) -> tuple[bytes, int]:
        """What was sealed under a name. Returns the value, and the milliseconds for which it was to
        be kept. Raises Damaged: it was not sealed here, or does not belong there.
        """
        if not _HEAD < len(sealed) <= LARGEST_SEALED or not sealed.startswith(_MARK):
            raise Damaged("it is no value of ours")
        code, rest = sealed[len(_MARK) : _HEAD - 8], sealed[_HEAD - 8 :]
        if not hmac.compare_digest(code, self._code(name, rest)):
            raise Damaged("its code is not ours")
        try:
            value = inflate(rest[8:], LARGEST_VALUE)
        except ValueError as exc:
            raise Damaged(str(exc)) from exc
        return value, int.from_bytes(rest[:8], "big")

    def _code(self, name: bytes, rest: bytes) -> bytes:
        code = blake2b(name, key=self._key, digest_size=_CODE)
        code.update(b"\0")
        code.update(rest)
        return code.digest()


# Pages that all replicas have together, and one request for each of them. A page lies in the server
# as long as it may be answered from the cache (its ttl and its stale window), sealed (`Seal`),
# under a name that tells nothing (`Names`). Who does not find it there takes the *flight* for it in
# the same step: a key with a random token that expires by itself. It asks the source. Others who
# look for the page meanwhile wait for a message that the flight has ended, and look again. Every
# wait is bounded, and whatever goes wrong with the server costs a search this sharing only: then
# each replica asks for itself.

_log = logging.getLogger(__name__)
T = TypeVar("T")

#: Milliseconds after which a flight ends by itself, if the replica that has it is gone.
FLIGHT = 15_000
#: Seconds after which who waits looks again, message or not: messages may be lost.
LOOK = 0.5
#: Values of so many bytes are sealed and opened in a thread.
IN_THREAD = 1 << 15

#: KEYS page, flight, "somebody waits". ARGV token, FLIGHT, least ms that the page must still have,
#: LARGEST_SEALED. Returns {page, ms left}; 1 where the flight is ours now; 0 where another has it.
_CLAIM = Script("""
local left = redis.call('PTTL', KEYS[1])
if left > tonumber(ARGV[3]) then
  local size = redis.pcall('STRLEN', KEYS[1])
  if type(size) == 'number' and size <= tonumber(ARGV[4]) then
    return {redis.call('GET', KEYS[1]), left}
  end
end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[2])
return 0
""")
#: KEYS as above. ARGV token or "", page or "", its ms, channel. The flight ends whatever happens to
#: the page, but only by who has it. Returns what went wrong with the page, or "".
_LAND = Script("""
local wrong = ''
if ARGV[2] ~= '' then
  local kept = redis.pcall('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  if type(kept) == 'table' and kept.err then wrong = kept.err end
end
if ARGV[1] ~= '' and redis.pcall('GET', KEYS[2]) == ARGV[1] then
  redis.call('DEL', KEYS[2])
  if redis.call('DEL', KEYS[3]) == 1 then redis.call('PUBLISH', ARGV[4], KEYS[2]) end
end
return wrong
""")


class RedisPages:
    """`Pages` in a server of Redis or Valkey. Belongs to one event loop. `connection`: to the
    server; closed with this. `names`: what keys are called there.
    """

    def __init__(self, connection: RedisConnection, names: KeyNames) -> None:
        self._connection = connection
        self._names = names
        self._seal = Seal(names.secret("values"))
        self._channel = names.of("done")
        #: Key of a request -> the token of its flight, where this process has it.
        self._tokens: dict[str, str] = {}
        #: Name of a flight -> those who wait for its end.
        self._waiting: dict[bytes, set[asyncio.Event]] = {}
        self._listening: asyncio.Task[None] | None = None
        #: Key of a request -> orders the changes of its page: two connections may overtake each
        #: other.
        self._changing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        #: Flights that are ended for callers that did not stay.
        self._ending: set[asyncio.Task[None]] = set()
        #: What the server said last of a page that it did not keep.
        self._wrong = ""

    async def claim(
        self, key: str, *, seconds: float, oldest: float, until: float | None
    ) -> SharedPage | None:
        least = max(0, int((seconds - oldest) * 1000))
        found = await self._look(key, least)
        if found != "waits":
            return found
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())
        flight, landed = self._keys(key)[1], asyncio.Event()
        self._waiting.setdefault(flight, set()).add(landed)
        loop = asyncio.get_running_loop()
        try:
            # Looked again at once: the message may have come before we waited for it.
            while (found := await self._look(key, least)) == "waits":
                wait = LOOK if until is None else min(LOOK, until - loop.time())
                if wait <= 0:
                    return None
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await landed.wait()
                landed.clear()
        finally:
            self._waiting[flight].discard(landed)
            if not self._waiting[flight]:
                del self._waiting[flight]
        return found

    async def keep(self, key: str, value: bytes, seconds: float) -> None:
        milliseconds = int(seconds * 1000)
        async with self._changing.setdefault(key, asyncio.Lock()):
            keys = self._keys(key)
            seal = partial(self._seal.seal, keys[0], value, milliseconds)
            sealed = await _run(seal, len(value)) if milliseconds > 0 else None
            await self._land(keys, self._tokens.pop(key, ""), sealed or b"", milliseconds)

    async def release(self, key: str) -> None:
        if token := self._tokens.pop(key, ""):
            await self._land(self._keys(key), token)

    async def forget(self, key: str) -> None:
        async with self._changing.setdefault(key, asyncio.Lock()):
            with suppress(Away):
                await self._connection.command("DEL", self._keys(key)[0])

    async def close(self) -> None:
        """Ends the flights that this process has, and the waits."""
        await asyncio.gather(*map(self.release, list(self._tokens)))
        if self._listening is not None:
            await cancel_all((self._listening,))
        if self._ending:
            await asyncio.wait(self._ending)
        await self._connection.close()

    async def _look(self, key: str, least: int) -> SharedPage | Literal["waits"] | None:
        """What there is under a key, or the flight, or "waits" where another one has that. `least`:
        milliseconds for which a value must still be kept.
        """
        if self._connection.away:
            return None
        keys = self._keys(key)
        token = secrets.token_hex(16)
        words = (token, FLIGHT, least, LARGEST_SEALED)
        try:
            reply = await self._connection.script(_CLAIM, keys, words)
        except Away:
            return None
        except asyncio.CancelledError:
            # The flight may be ours, and nobody would end it.
            keep_running(self._land(keys, token), self._ending)
            raise
        if reply == 0:
            return "waits"
        if reply == 1:
            self._tokens[key] = token
            return None
        return await self._open(keys[0], *reply)

    async def _open(self, name: bytes, sealed: bytes, left: int) -> SharedPage | None:
        unseal = partial(self._seal.open, name, sealed)
        try:
            value, whole = await _run(unseal, len(sealed))
            if left > whole:
                raise Damaged("it is kept for longer than it says")
        except Damaged as exc:
            _log.warning("a page in the server that replicas share is not used: %s", exc)
            return None
        return SharedPage(value, (whole - left) / 1000)

    async def _land(
        self, keys: Sequence[bytes], token: str, sealed: bytes = b"", milliseconds: int = 0
    ) -> None:
        """Keeps what is sealed, and ends the flight with this token."""
        if not token and not sealed:
            return
        try:
            words = (token, sealed, milliseconds, self._channel)
            wrong = await self._connection.script(_LAND, keys, words, soon=False)
        except Away:
            return
        text = wrong.decode(errors="replace")[:200]
        if text and text != self._wrong:  # once, and not with every page
            _log.warning("the server that replicas share keeps no pages: %r", text)
        self._wrong = text

    async def _listen(self) -> None:
        async with aclosing(self._connection.messages(self._channel)) as messages:
            async for message in messages:
                if message is None:  # some may have been missed: all look
                    woken = [event for events in self._waiting.values() for event in events]
                else:
                    woken = list(self._waiting.get(message, ()))
                for event in woken:
                    event.set()

    def _keys(self, key: str) -> list[bytes]:
        """The names of the page, of its flight, and of "somebody waits"."""
        return self._names.all_of(("page", "flight", "waits"), key)


async def _run(work: Callable[[], T], size: int) -> T:
    """What the work returns; in a thread where it has to do with many bytes."""
    return await asyncio.to_thread(work) if size >= IN_THREAD else work()
