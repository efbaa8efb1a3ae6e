from __future__ import annotations

import asyncio
from typing import Any

import fakeredis
import pytest
from redis import exceptions

from metasearch.replicas import connection as batches
from metasearch.replicas.connection import MOST_BYTES, MOST_TOGETHER, Batches


class Watched(fakeredis.FakeAsyncRedis):
    """A client that counts what is written at once, and whose connection may fail while it reads.

    Attributes:
        writes: The number of bytes of each.
        fail_after: Answers that are still read; None for all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[int] = []
        self.fail_after: int | None = None
        pool: Any = self.connection_pool
        self._connect, pool.get_connection = pool.get_connection, self._connection

    async def _connection(self) -> Any:
        connection = await self._connect()
        send, read = connection.send_packed_command, connection.read_response

        async def send_packed_command(packed: Any, check_health: bool = True) -> None:
            self.writes.append(sum(len(part) for part in packed))
            await send(packed, check_health=check_health)

        async def read_response() -> Any:
            if self.fail_after is not None:
                self.fail_after -= 1
                if self.fail_after < 0:
                    raise exceptions.ConnectionError("gone")
            return await read()

        connection.send_packed_command, connection.read_response = (
            send_packed_command,
            read_response,
        )
        return connection


@pytest.fixture
def client() -> Watched:
    return Watched()


async def test_commands_of_one_turn_go_in_one_write_and_get_their_own_answers(
    client: Watched,
) -> None:
    """Each caller gets what belongs to its command."""
    sender = Batches(client)
    found = await asyncio.gather(*(sender.answer("ECHO", f"{n}") for n in range(20)))

    assert found == [b"%d" % n for n in range(20)]
    assert len(client.writes) == 1
    await sender.close()


async def test_very_many_go_in_several_writes(client: Watched) -> None:
    """So that none waits for all others."""
    sender = Batches(client)
    many = 3 * MOST_TOGETHER + 1
    found = await asyncio.gather(*(sender.answer("INCR", "a") for _ in range(many)))

    assert sorted(found) == list(range(1, many + 1))
    assert len(client.writes) == 4
    await sender.close()


async def under_way(sender: Batches, client: Watched) -> asyncio.Task[Any]:
    """A command that was sent, and is answered when something is put into the list "a"."""
    waiting = asyncio.create_task(sender.answer("BLPOP", "a", "0"))
    while not client.writes:
        await asyncio.sleep(0.001)
    return waiting


async def test_what_comes_while_others_are_under_way_goes_together(
    client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When these have come back, also where it came turn by turn."""
    monkeypatch.setattr(batches, "PATIENCE", 60.0)
    sender = Batches(client)
    first = await under_way(sender, client)
    others = []
    for n in range(5):
        others.append(asyncio.create_task(sender.answer("ECHO", f"{n}")))
        await asyncio.sleep(0)
    other = fakeredis.FakeAsyncRedis(connection_pool=client.connection_pool)
    assert len(client.writes) == 1
    await other.rpush("a", "1")

    assert await first == [b"a", b"1"]
    assert await asyncio.gather(*others) == [b"%d" % n for n in range(5)]
    assert len(client.writes) == 3  # with that of `other`
    await sender.close()


async def test_what_waited_for_a_batch_that_failed_fails_with_it(
    client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits no second time for a server that does not answer; what comes later is asked."""
    monkeypatch.setattr(batches, "PATIENCE", 0.1)
    sender = Batches(client)
    first = await under_way(sender, client)
    found = await asyncio.gather(first, sender.answer("GET", "b"), return_exceptions=True)

    assert [type(each) for each in found] == [TimeoutError, TimeoutError]
    assert len(client.writes) == 1
    monkeypatch.setattr(batches, "PATIENCE", 60.0)
    assert await sender.answer("ECHO", "later") == b"later"
    await sender.close()


async def test_commands_whose_callers_have_time_go_together(
    client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a moment in one write of their own, and not before a command that goes at once."""
    monkeypatch.setattr(batches, "TOGETHER", 1.0)
    sender = Batches(client)
    patient = []
    for n in range(5):
        patient.append(asyncio.create_task(sender.answer("ECHO", f"{n}", soon=False)))
        await asyncio.sleep(0)

    assert await sender.answer("ECHO", "now") == b"now"
    assert not any(task.done() for task in patient)
    assert await asyncio.gather(*patient) == [b"%d" % n for n in range(5)]
    assert len(client.writes) == 2
    await sender.close()


@pytest.mark.parametrize(("words", "writes"), [(MOST_TOGETHER, 1), (2 * MOST_TOGETHER, 2)])
async def test_many_such_commands_go_at_once(
    words: int, writes: int, client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No write has more than so many."""
    monkeypatch.setattr(batches, "TOGETHER", 3600.0)
    sender = Batches(client)
    found = await asyncio.gather(*(sender.answer("ECHO", "x", soon=False) for _ in range(words)))

    assert found == [b"x"] * words
    assert len(client.writes) == writes
    await sender.close()


async def test_much_that_has_time_goes_at_once(
    client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of so many bytes do not wait in memory for more of them."""
    monkeypatch.setattr(batches, "TOGETHER", 3600.0)
    sender = Batches(client)
    page = b"x" * (MOST_BYTES // 2)
    await asyncio.gather(*(sender.answer("SET", key, page, soon=False) for key in "ab"))

    assert len(client.writes) == 1
    await sender.close()


async def test_an_error_belongs_to_its_command_alone(client: Watched) -> None:
    """The others of the batch are answered."""
    sender = Batches(client)
    first, wrong, last = await asyncio.gather(
        sender.answer("SET", "a", "1"),
        sender.answer("LPUSH", "a", "1"),
        sender.answer("GET", "a"),
        return_exceptions=True,
    )

    assert (first, last) == (b"OK", b"1")
    assert isinstance(wrong, exceptions.ResponseError)
    await sender.close()


async def test_answers_that_were_not_read_are_not_taken_for_others(client: Watched) -> None:
    """A connection that fails within a batch is closed: who was answered keeps the answer, all
    others get the error, and the next command its own answer.
    """
    sender = Batches(client)
    client.fail_after = 2
    found = await asyncio.gather(
        *(sender.answer("ECHO", f"{n}") for n in range(5)), return_exceptions=True
    )
    client.fail_after = None

    assert found[:2] == [b"0", b"1"]
    assert all(isinstance(each, exceptions.ConnectionError) for each in found[2:])
    assert await sender.answer("ECHO", "next") == b"next"
    await sender.close()


async def test_a_caller_who_leaves_costs_the_others_nothing(client: Watched) -> None:
    """Its answer is read and forgotten."""
    sender = Batches(client)
    leaving = asyncio.create_task(sender.answer("ECHO", "one"))
    staying = asyncio.create_task(sender.answer("ECHO", "two"))
    await asyncio.sleep(0)
    leaving.cancel()

    assert await staying == b"two"
    assert leaving.cancelled()
    await sender.close()


async def test_a_server_that_does_not_answer_is_waited_for_once(
    client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands of the batch end at the same time, also those that it has not come to."""
    monkeypatch.setattr(batches, "PATIENCE", 0.05)
    sender = Batches(client)
    found = await asyncio.gather(
        sender.answer("BLPOP", "a", "0"), sender.answer("GET", "b"), return_exceptions=True
    )

    assert [type(each) for each in found] == [TimeoutError, TimeoutError]
    await sender.close()


@pytest.mark.parametrize("soon", [True, False])
async def test_closing_ends_the_waits(
    soon: bool, client: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for an answer that will not come."""
    monkeypatch.setattr(batches, "TOGETHER", 3600.0)
    sender = Batches(client)
    waiting = asyncio.create_task(sender.answer("BLPOP", "a", "0", soon=soon))
    await asyncio.sleep(0.01)
    await sender.close()

    with pytest.raises(ConnectionError):
        await asyncio.wait_for(waiting, 60)
