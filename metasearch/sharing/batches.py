"""Commands to the server that replicas share: those of one turn of the loop go together, in one
write, and their answers come in the same order (Redis calls that pipelining).

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
#: Seconds after which a connection that was not used is looked at before it is used again: the
#: server, or what lies between, may have closed it.
_UNUSED = 1.0

Word: TypeAlias = str | bytes | int | float
_Batch: TypeAlias = list[tuple[tuple[Word, ...], asyncio.Future[Any]]]


class Batches:
    """Sends commands without the client's tries, telemetry and turns at its pool, which cost more
    CPU than sending them. Belongs to one event loop.

    Args:
        client: Has the connections; it is closed with this.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client
        #: Connections that no batch uses, with the moment of their last use. They are the pool's,
        #: which never has them back.
        self._idle: list[tuple[AbstractConnection, float]] = []
        self._places = asyncio.Semaphore(MOST_CONNECTIONS - _LISTENING)
        #: What the next turn of the loop sends.
        self._open: _Batch | None = None
        self._sending: set[asyncio.Task[None]] = set()

    async def answer(self, *words: Word) -> Any:
        """What the server answers to a command.

        Raises:
            RedisError, OSError: It cannot be asked, or answers with an error.
            TimeoutError: It took longer than `PATIENCE`.
        """
        loop = asyncio.get_running_loop()
        batch = self._open
        if batch is None:
            batch = self._open = []
            task = loop.create_task(self._send(batch))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        future = loop.create_future()
        batch.append((words, future))
        if len(batch) == MOST_TOGETHER:
            self._open = None
        return await future

    async def connect_anew(self) -> None:
        """Closes the connections that no batch uses: they may be dead without knowing it."""
        await self._client.connection_pool.disconnect(inuse_connections=False)
        for connection, _ in list(self._idle):
            await connection.disconnect()

    async def close(self) -> None:
        """Closes all connections; who waits for an answer gets a `ConnectionError`."""
        await ended(self._sending)
        with suppress(Exception):
            async with asyncio.timeout(PATIENCE):
                await self._client.aclose()
                await self._client.connection_pool.disconnect()

    async def _send(self, batch: _Batch) -> None:
        if self._open is batch:
            self._open = None
        try:
            async with asyncio.timeout(PATIENCE), self._places:
                await self._exchange(batch)
        except Exception as exc:
            _fail(batch, exc)
        except asyncio.CancelledError:
            _fail(batch, ConnectionError("closed"))
            raise

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
