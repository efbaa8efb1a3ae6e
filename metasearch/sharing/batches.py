"""Commands to the server that replicas share: those of one turn of the loop go together, in one
write, and their answers come in the same order (Redis calls that pipelining). So do those that
come while others are under way, and those of a moment whose callers have time.

A search asks for a place at each of its sources in one turn. One connection for each of them takes
twice the CPU.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from metasearch.loop.ending import ended

if TYPE_CHECKING:  # takes 0.7 s
    from redis.asyncio import Redis
    from redis.asyncio.connection import AbstractConnection

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
            self._begin_waiting()
        elif self._timer is None:
            self._timer = loop.call_later(TOGETHER, self._begin_waiting)
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

    def _begin_waiting(self) -> None:
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
        await ended(sending)
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
