"""The connection to the server that replicas share: Redis or Valkey, by redis-py.

A search must lose nothing when that server is dead, slow, full, read-only or wrongly configured.
So nothing is tried twice here, nothing is waited for longer than `PATIENCE`, and after the first
failure of any kind the server is left alone ("away") until a probe in the background, which
writes, has succeeded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from hashlib import sha1
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.loop.ending import ended
from metasearch.loop.lag import lag
from metasearch.message import message
from metasearch.sharing.batches import MOST_CONNECTIONS, PATIENCE, Batches, Word
from metasearch.sharing.names import PREFIX
from metasearch.sharing.sharing import Away, SharingState

if TYPE_CHECKING:  # takes 0.7 s
    from redis.asyncio import Redis

logger = logging.getLogger(__name__)

#: Seconds between two probes of a server that is away.
PROBE = 5.0
#: Characters of an error of the server that are logged.
_LONGEST_REASON = 200


class Script:
    """A Lua script, sent once and then called by the SHA-1 of its text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest().encode()


class Connection:
    """Commands to the server. Belongs to one event loop; nothing is connected before the first.

    `url`: "redis://", "rediss://" (TLS) or "unix://". `client`: what sends, in place of a client
    for that URL: for tests. Raises UsageError: the package redis is not installed, or the URL
    cannot be used.
    """

    def __init__(self, url: str, client: Redis | None = None) -> None:
        self._where = _shown(url)
        self._client = _client(url) if client is None else client
        self._reason = ""
        self._commands = self._failures = 0
        self._batches = Batches(self._client)
        self._probing: asyncio.Task[None] | None = None
        self._closed = False
        self._answered = False
        #: When the server was left alone last, having answered before, and when it came back, in
        #: `loop.time()` seconds.
        self.left = self.returned = float("-inf")
        #: Called each time that the server has come back.
        self.when_back: list[Callable[[], None]] = []

    @property
    def away(self) -> bool:
        """Whether commands raise `Away` at once."""
        return bool(self._reason) or self._closed

    @property
    def state(self) -> SharingState:
        """A snapshot."""
        return SharingState(
            "away" if self._reason else "shared", self._commands, self._failures, self._reason
        )

    async def command(self, *words: Word) -> Any:
        """The server's answer: bytes, an integer, a list of these, None. Raises Away: none came."""
        from redis.exceptions import RedisError

        self._begin()
        try:
            answer = await self._batches.answer(*words)
            self._answered = True
            return answer
        except (RedisError, OSError, TimeoutError) as exc:
            self._failed(exc)
            raise Away from exc

    async def script(
        self,
        script: Script,
        keys: Sequence[str | bytes],
        words: Sequence[Word],
        *,
        soon: bool = True,
    ) -> Any:
        """What a script returns, as `command`. `soon`: see `Batches.answer`. Raises Away: the
        server cannot be used.
        """
        from redis.exceptions import NoScriptError, RedisError

        self._begin()
        rest = (b"%d" % len(keys), *keys, *words)  # bytes are sent as they are
        try:
            try:
                answer = await self._batches.answer("EVALSHA", script.sha, *rest, soon=soon)
            except NoScriptError:  # the first call since the server has started
                answer = await self._batches.answer("EVAL", script.text, *rest)
            self._answered = True
            return answer
        except (RedisError, OSError, TimeoutError) as exc:
            self._failed(exc)
            raise Away from exc

    async def messages(self, channel: str) -> AsyncGenerator[bytes | None, None]:
        """What is published on a channel, until the caller ends; None each time that it is
        subscribed to, as messages may have been missed before. Outlives all failures.
        """
        while not self._closed:
            with suppress(Exception):  # whatever it is, it is tried again
                async with aclosing(self._subscribed(channel)) as found:
                    async for each in found:
                        yield each
            await asyncio.sleep(PROBE)

    async def close(self) -> None:
        """Closes all connections."""
        self._closed = True
        if self._probing is not None:
            await ended((self._probing,))
        await self._batches.close()

    async def _subscribed(self, channel: str) -> AsyncGenerator[bytes | None, None]:
        async with self._client.pubsub(ignore_subscribe_messages=True) as subscription:
            async with asyncio.timeout(PATIENCE):
                await subscription.subscribe(channel)
            yield None
            while not self._closed:
                found = await subscription.get_message(timeout=PROBE)
                if found is not None and isinstance(found.get("data"), bytes):
                    yield found["data"]

    def _begin(self) -> None:
        if self.away:
            raise Away
        self._commands += 1

    def _failed(self, exc: Exception) -> None:
        """Leaves the server alone from now on, unless it was we who were late."""
        if self.away or (isinstance(exc, TimeoutError) and lag().stalled):
            return
        self._failures += 1
        self._reason = _reason(exc)
        logger.warning(
            "the server at %s that replicas share cannot be used (%s); until it is back, this "
            "replica takes its part of each limit, and shares nothing",
            self._where,
            self._reason,
        )
        loop = asyncio.get_running_loop()
        if self._answered:
            self.left = loop.time()
        self._probing = loop.create_task(self._probe())

    async def _probe(self) -> None:
        """Waits until the server can be written to again."""
        while True:
            await asyncio.sleep(PROBE)
            with suppress(Exception):
                async with asyncio.timeout(PATIENCE):
                    await self._batches.connect_anew()
                await self._batches.answer("SET", f"{PREFIX}probe", "1", "PX", 1000)
                break
        self._reason, self._answered = "", True
        self.returned = asyncio.get_running_loop().time()
        logger.warning("the server at %s that replicas share is back", self._where)
        for call in self.when_back:
            call()


def _client(url: str) -> Redis:
    """A client that tries nothing twice and says nothing of itself: Valkey and old servers do not
    know those commands.
    """
    try:
        from redis.asyncio import BlockingConnectionPool, Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
        from redis.maint_notifications import MaintNotificationsConfig
    except ImportError as exc:
        raise UsageError(
            message("[shared] url needs the package redis"),
            advice=how_to_install("redis"),
        ) from exc
    try:
        return Redis.from_pool(
            BlockingConnectionPool.from_url(
                url,
                max_connections=MOST_CONNECTIONS,
                timeout=PATIENCE,
                socket_connect_timeout=PATIENCE,
                socket_timeout=None,  # each command has one timer, which is ours
                retry=Retry(NoBackoff(), 0),
                protocol=2,
                driver_info=None,
                maint_notifications_config=MaintNotificationsConfig(enabled=False),
            )
        )
    except (ValueError, TypeError) as exc:
        raise UsageError(
            message("[shared] url cannot be used"),
            advice=message("Write it as redis://user:password@host:6379/0"),
        ) from exc


def _shown(url: str) -> str:
    """The address without user, password and options, for logs."""
    parts = urlsplit(url)
    where = parts.netloc.rpartition("@")[2] or parts.path
    return "".join(char for char in where if char.isprintable())


def _reason(exc: Exception) -> str:
    """Why the server cannot be used, in words."""
    from redis import exceptions as errors

    if isinstance(exc, TimeoutError | errors.TimeoutError):
        return f"no answer within {PATIENCE:g} s"
    if isinstance(exc, errors.AuthenticationError | errors.NoPermissionError):
        return "it does not accept the user or the password"
    # Where a script fails, the word stands in its error.
    if isinstance(exc, errors.ReadOnlyError) or "READONLY" in str(exc):
        return "it is read-only"
    if isinstance(exc, errors.OutOfMemoryError) or "OOM command not allowed" in str(exc):
        return "it is full"
    if isinstance(exc, errors.ConnectionError | OSError):
        return "it cannot be reached"
    text = "".join(char if char.isprintable() else " " for char in str(exc))
    return f"it answered: {text[:_LONGEST_REASON]}"
