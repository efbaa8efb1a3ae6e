"""The connection to the server that replicas share, Redis or Valkey: names, commands in batches."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from hashlib import blake2b, sha1
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from metasearch.errors import UsageError
from metasearch.extras import how_to_install
from metasearch.loop import cancel_all, lag
from metasearch.message import message
from metasearch.replicas import Away, SharingState

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.connection import AbstractConnection


# What things are called in the server that replicas share: a keyed hash, never the thing itself. A
# query is personal, and a name of a key is what everyone who may look at the server reads first.

#: Begins every name; what is kept in another form in a later version gets another number. The
#: braces keep all names in one slot of a cluster, as scripts with several keys need it.
PREFIX = "ms:{v1}:"
#: Bytes of a hash that a name has.
_SIZE = 16


def secret_of(url: str, secret: str = "") -> bytes:
    """The secret that all replicas have: the configured one, else made of the password in the URL
    of the server, else of the URL.
    """
    parts = urlsplit(url)
    return f"metasearch:{secret or parts.password or url}".encode()


class KeyNames:
    """Names in the server. `secret`: equal in all replicas; see `secret_of`."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._key = blake2b(secret, person=b"ms-names", digest_size=32).digest()

    def of(self, kind: str, *parts: str) -> str:
        """The name of a key or channel. `kind`: a word of our code, such as "starts"."""
        return f"{PREFIX}{kind}:{self.digest(kind, *parts)}" if parts else f"{PREFIX}{kind}"

    def all_of(self, kinds: Sequence[str], *parts: str) -> list[bytes]:
        """The names of several keys for one thing, which share the hash of it."""
        digest = self.digest(" ".join(kinds), *parts)
        return [f"{PREFIX}{kind}:{digest}".encode() for kind in kinds]

    def digest(self, kind: str, *parts: str) -> str:
        """The keyed BLAKE2b (RFC 7693) of the parts, as it stands in a name: 128 bits, hexadecimal.

        A source request asks for some ten names. HMAC-SHA256 takes four times as long, and gives
        the interpreter's lock away meanwhile.
        """
        # The lengths keep ("ab", "c") and ("a", "bc") apart.
        text = "".join(f"{len(part)}:{part}" for part in (kind, *parts))
        told = text.encode("utf-8", "surrogatepass")
        return blake2b(told, key=self._key, digest_size=_SIZE).hexdigest()

    def secret(self, use: str) -> bytes:
        """A secret for something else than names, equal in all replicas."""
        return hmac.digest(self._secret, f"secret:{use}".encode(), "sha256")


# Commands to the server that replicas share: those of one turn of the loop go together, in one
# write, and their answers come in the same order (Redis calls that pipelining). So do those that
# come while others are under way, and those of a moment whose callers have time. A search asks for
# a place at each of its sources in one turn. One connection for each of them takes twice the CPU.

#: Seconds for a connection, and for a batch with its turn at a connection.
PATIENCE = 0.3
#: Connections of one process; further batches wait for one.
MOST_CONNECTIONS = 16
#: Those of them that listen to channels.
_LISTENING = 2
#: Commands that go together; more go in several batches, so that none has to wait for very many.
MOST_TOGETHER = 32
#: Seconds that a command waits at most for others to go with, where its caller has time, and the
#: bytes of words from which on they go at once.
TOGETHER, MOST_BYTES = 0.02, 1 << 18
#: Seconds after which a connection that was not used is looked at before it is used again: the
#: server, or what lies between, may have closed it.
_UNUSED = 1.0

Word: TypeAlias = str | bytes | int | float
_Command: TypeAlias = tuple[tuple[Word, ...], asyncio.Future[Any]]
_Batch: TypeAlias = list[_Command]


class Batches:
    """Sends commands without the client's tries, telemetry and turns at its pool, which cost more
    CPU than sending them. Belongs to one event loop.

    `client`: has the connections; it is closed with this.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        #: Connections that no batch uses, with the moment of their last use. They are the pool's,
        #: which never has them back.
        self._idle: list[tuple[AbstractConnection, float]] = []
        self._places = asyncio.Semaphore(MOST_CONNECTIONS - _LISTENING)
        #: What the next turn of the loop sends.
        self._open: _Batch | None = None
        #: Batches of commands that have no time, which are under way, and what goes when one of
        #: these has come back.
        self._under_way = 0
        self._next: _Batch = []
        #: What goes when its time is over, and the bytes of it. It does not go with the others: no
        #: start of a request waits for pages that are written before it.
        self._waiting: _Batch = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._sending: dict[asyncio.Task[None], _Batch] = {}

    async def answer(self, *words: Word, soon: bool = True) -> Any:
        """What the server answers to a command.

        `soon`: whether it goes in this turn of the loop, or as soon as those that are under way
        have come back; else it waits up to `TOGETHER` for others of this kind, because waking up,
        writing and reading for one alone takes more CPU than the command. Raises RedisError,
        OSError: it cannot be asked, or answers with an error; TimeoutError: it took longer than
        `PATIENCE`.
        """
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        if soon:
            self._add((words, future))
            return await future
        self._waiting.append((words, future))
        self._bytes += sum(len(word) for word in words if isinstance(word, bytes))
        if len(self._waiting) == MOST_TOGETHER or self._bytes >= MOST_BYTES:
            self._begin_late()
        elif self._timer is None:
            self._timer = loop.call_later(TOGETHER, self._begin_late)
        return await future

    def _add(self, command: _Command) -> None:
        """Puts a command into the batch of this turn. Where another one is under way, it goes when
        that has come back: the server does one after the other in any case.
        """
        if self._open is None and self._under_way:
            self._next.append(command)
            if len(self._next) == MOST_TOGETHER:
                self._begin_next()
            return
        if self._open is None:
            self._open = []
            self._begin(self._open, soon=True)
        self._open.append(command)
        if len(self._open) == MOST_TOGETHER:
            self._open = None

    def _begin_next(self) -> None:
        batch, self._next = self._next, []
        self._begin(batch, soon=True)

    def _begin_late(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._waiting, self._bytes = self._waiting, [], 0
        self._begin(batch, soon=False)

    def _begin(self, batch: _Batch, *, soon: bool) -> None:
        self._under_way += soon
        task = asyncio.get_running_loop().create_task(self._send(batch, soon=soon))
        self._sending[task] = batch
        task.add_done_callback(self._sending.pop)

    async def connect_anew(self) -> None:
        """Closes the connections that no batch uses: they may be dead without knowing it."""
        await self._client.connection_pool.disconnect(inuse_connections=False)
        for connection, _ in list(self._idle):
            await connection.disconnect()

    async def close(self) -> None:
        """Closes all connections; who waits for an answer gets a `ConnectionError`."""
        if self._timer is not None:
            self._timer.cancel()
        unsent = [*self._next, *self._waiting]
        sending = dict(self._sending)
        await cancel_all(sending)
        for batch in (unsent, *sending.values()):
            _fail(batch, ConnectionError("closed"))
        with suppress(Exception):
            async with asyncio.timeout(PATIENCE):
                await self._client.aclose()
                await self._client.connection_pool.disconnect()

    async def _send(self, batch: _Batch, *, soon: bool) -> None:
        if self._open is batch:
            self._open = None
        try:
            async with asyncio.timeout(PATIENCE), self._places:
                await self._exchange(batch)
        except Exception as exc:
            _fail(batch, exc)
            if soon:  # what waited for this would find the same
                _fail(self._next, exc)
                self._next = []
        if soon:
            self._under_way -= 1
            if self._next:
                self._begin_next()

    async def _exchange(self, batch: _Batch) -> None:
        from redis.exceptions import ResponseError

        pool, clock = self._client.connection_pool, asyncio.get_running_loop().time
        if self._idle:
            connection, used = self._idle.pop()
        else:
            connection, used = await pool.get_connection(), clock()
        try:
            if clock() - used > _UNUSED:
                await pool.ensure_connection(connection)
            packed = [part for words, _ in batch for part in connection.pack_command(*words)]
            # A connection that has failed was closed by that, and is connected anew here.
            await connection.send_packed_command(packed, check_health=False)
            for one in batch:
                try:
                    found = await connection.read_response()
                except ResponseError as exc:  # of this command alone
                    _fail([one], exc)
                    continue
                if not one[1].done():
                    one[1].set_result(found)
        except BaseException:
            # Answers that were not read must not be taken for those of the next batch.
            await connection.disconnect(nowait=True)
            raise
        finally:
            self._idle.append((connection, clock()))


def _fail(batch: _Batch, exc: Exception) -> None:
    """Gives an error to all that still wait."""
    for _, future in batch:
        if not future.done():
            future.set_exception(exc)
            future.exception()  # a caller who leaves just now does not ask for it


# The connection to the server that replicas share: Redis or Valkey, by redis-py. A search must lose
# nothing when that server is dead, slow, full, read-only or wrongly configured. So nothing is tried
# twice here, nothing is waited for longer than `PATIENCE`, and after the first failure of any kind
# the server is left alone ("away") until a probe in the background, which writes, has succeeded.

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


class RedisConnection:
    """Commands to the server. Belongs to one event loop; nothing is connected before the first.

    `url`: "redis://", "rediss://" (TLS) or "unix://". `client`: what sends, in place of a client
    for that URL: for tests. Raises UsageError: the package redis is not installed, or the URL
    cannot be used.
    """

    def __init__(self, url: str, client: Redis | None = None) -> None:
        self._where = _address(url)
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
            self._give_up(exc)
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
            self._give_up(exc)
            raise Away from exc

    async def messages(self, channel: str) -> AsyncGenerator[bytes | None, None]:
        """What is published on a channel, until the caller ends; None each time that it is
        subscribed to, as messages may have been missed before. Outlives all failures.
        """
        while not self._closed:
            with suppress(Exception):  # whatever it is, it is tried again
                async with aclosing(self._subscribe(channel)) as found:
                    async for each in found:
                        yield each
            await asyncio.sleep(PROBE)

    async def close(self) -> None:
        self._closed = True
        if self._probing is not None:
            await cancel_all((self._probing,))
        await self._batches.close()

    async def _subscribe(self, channel: str) -> AsyncGenerator[bytes | None, None]:
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

    def _give_up(self, exc: Exception) -> None:
        """Leaves the server alone from now on, unless it was we who were late."""
        if self.away or (isinstance(exc, TimeoutError) and lag().is_stalled):
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


def _address(url: str) -> str:
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
