from __future__ import annotations

import asyncio
import logging
from typing import Any

import fakeredis
import pytest
from redis import exceptions

from metasearch.errors import UsageError
from metasearch.replicas import Away, connection
from metasearch.replicas.connection import RedisConnection, Script
from tests.cases import each
from tests.replicas.servers import in_memory


class Broken(fakeredis.FakeAsyncRedis):
    """A client whose server answers with an error for as long as there is one."""

    error: Exception | None = None

    def __init__(self) -> None:
        super().__init__()
        pool: Any = self.connection_pool
        self._connect, pool.get_connection = pool.get_connection, self._connection

    async def _connection(self) -> Any:
        connection = await self._connect()
        answer = connection.read_response

        async def read_response() -> Any:
            found = await answer()
            if self.error is not None:
                raise self.error
            return found

        connection.read_response = read_response
        return connection


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes come soon."""
    monkeypatch.setattr(connection, "PROBE", 0.05)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (exceptions.ConnectionError("gone"), "cannot be reached"),
        (exceptions.TimeoutError(), "no answer within"),
        (OSError("no route"), "cannot be reached"),
        (exceptions.AuthenticationError("WRONGPASS"), "does not accept"),
        (exceptions.NoPermissionError("NOPERM"), "does not accept"),
        (exceptions.ReadOnlyError("READONLY"), "read-only"),
        (exceptions.OutOfMemoryError("OOM"), "full"),
        (exceptions.ResponseError("Error running script: -READONLY You can't write"), "read-only"),
        (exceptions.ResponseError("Error running script: -OOM command not allowed"), "full"),
        (exceptions.ResponseError("LOADING\r\nthe data\x1b[31m"), "it answered: LOADING  the data"),
    ],
    ids=lambda it: type(it).__name__ if isinstance(it, Exception) else "",
)
async def test_any_failure_leaves_the_server_alone_until_a_probe(
    error: Exception, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The first failure is logged once, with its reason; nothing is sent until a write succeeds,
    which is logged, too.
    """
    caplog.set_level(logging.INFO, "metasearch.replicas")
    client = Broken()
    shared = RedisConnection("redis://user:hidden@redis.example.org:6390/0", client)
    back: list[bool] = []
    shared.when_back.append(lambda: back.append(shared.away))
    assert await shared.command("SET", "a", "1")

    client.error = error
    results = await asyncio.gather(
        *(shared.command("GET", "a") for _ in range(5)), return_exceptions=True
    )
    assert all(isinstance(result, Away) for result in results)
    assert shared.away
    assert words in shared.state.reason
    assert (shared.state.mode, shared.state.failures) == ("away", 1)
    sent = shared.state.commands
    with pytest.raises(Away):
        await shared.command("GET", "a")
    assert shared.state.commands == sent

    await asyncio.sleep(0.12)
    assert shared.away
    client.error = None
    while shared.away:
        await asyncio.sleep(0.01)
    assert await shared.command("GET", "a") == b"1"
    assert back == [False]
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert words in lines[0]
    assert all("redis.example.org:6390" in line and "hidden" not in line for line in lines)
    await shared.close()


@pytest.mark.slow
async def test_a_server_that_is_not_there_costs_less_than_a_second() -> None:
    """Nothing is tried twice."""
    shared = RedisConnection("redis://127.0.0.1:1/0")
    began = asyncio.get_running_loop().time()

    with pytest.raises(Away):
        await shared.command("GET", "a")

    assert asyncio.get_running_loop().time() - began < 10 * connection.PATIENCE
    assert shared.left == float("-inf")
    await shared.close()


async def test_more_commands_than_connections_wait_for_one() -> None:
    """A hundred at once are answered, through sixteen connections at most."""
    shared = in_memory(fakeredis.FakeServer())
    answers = await asyncio.gather(*(shared.command("INCR", "a") for _ in range(100)))

    assert sorted(answers) == list(range(1, 101))
    assert not shared.away
    await shared.close()


async def test_a_script_is_sent_once() -> None:
    """Then it is called by its name, and sent again where the server has forgotten it."""
    shared = in_memory(fakeredis.FakeServer())
    script = Script("return redis.call('INCR', KEYS[1])")

    assert await shared.script(script, ["a"], []) == 1
    assert await shared.script(script, ["a"], []) == 2
    await shared.command("SCRIPT", "FLUSH")
    assert await shared.script(script, ["a"], []) == 3
    await shared.close()


async def test_a_caller_who_leaves_breaks_nothing() -> None:
    """A command that is cancelled does not mark the server as away."""
    shared = in_memory(fakeredis.FakeServer())
    task = asyncio.create_task(shared.command("BLPOP", "a", "0.1"))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])

    assert not shared.away
    assert await shared.command("SET", "b", "1")
    await shared.close()


async def test_after_closing_nothing_is_sent() -> None:
    """A task that comes late decides alone."""
    shared = in_memory(fakeredis.FakeServer())
    await shared.close()

    with pytest.raises(Away):
        await shared.command("GET", "a")


@each("url", ["http://redis.example.org", "redis://host:port/0", "redis"])
def test_an_address_that_cannot_be_used_is_refused_without_being_repeated(url: str) -> None:
    """It may hold a password."""
    with pytest.raises(UsageError) as info:
        RedisConnection(url)

    assert url not in str(info.value)
