from __future__ import annotations

import asyncio

import fakeredis
import pytest

from metasearch.replicas import redis
from metasearch.replicas.redis import RedisSharing
from tests.replicas.servers import in_memory, replica

Two = tuple[RedisSharing, RedisSharing]
Heard = list[tuple[str, str, float]]


def heard_by(one: RedisSharing) -> Heard:
    """What a replica hears from now on."""
    found: Heard = []
    one.listen(lambda *pause: found.append(pause))
    return found


async def until(found: Heard, count: int) -> None:
    """Waits until so many pauses were heard."""
    async with asyncio.timeout(60):
        while len(found) < count:
            await asyncio.sleep(0.01)


async def test_a_pause_is_heard_by_the_others_alone(two: Two) -> None:
    """Source, cause and seconds; who has told it does not hear it."""
    own, other = heard_by(two[0]), heard_by(two[1])
    await asyncio.sleep(0.05)
    two[0].tell("db", "limited", 30.0)
    await until(other, 1)

    assert other == [("db", "limited", pytest.approx(30.0, abs=5))]
    assert own == []


async def test_who_comes_later_hears_what_is_left_of_it() -> None:
    """A pause is kept as long as it lasts; the longer of two counts."""
    memory = fakeredis.FakeServer()
    first, late = replica(in_memory(memory)), replica(in_memory(memory))
    first.tell("db", "failing", 30.0)
    first.tell("db", "failing", 5.0)
    await asyncio.sleep(0.1)

    found = heard_by(late)
    await until(found, 1)
    assert found == [("db", "failing", pytest.approx(30.0, abs=5))]
    await first.close()
    await late.close()


async def test_what_no_message_told_is_read(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages get lost; what is kept is read again and again, and acted on once."""
    monkeypatch.setattr(redis, "READ", 0.05)
    found = heard_by(two[1])
    await asyncio.sleep(0.02)
    monkeypatch.setattr(two[0]._pauses, "_channel", "nobody listens here")
    two[0].tell("db", "overloaded", 5.0)
    await until(found, 1)
    await asyncio.sleep(0.2)

    assert [pause[:2] for pause in found] == [("db", "overloaded")]


async def test_a_pause_of_an_unknown_source_is_passed_over(two: Two) -> None:
    """Replicas need not have the same sources."""
    found = heard_by(two[1])
    await asyncio.sleep(0.05)
    two[0].tell("only here", "limited", 30.0)
    two[0].tell("db", "limited", 30.0)
    await until(found, 1)

    assert [pause[0] for pause in found] == ["db"]


@pytest.mark.parametrize(
    "message", [b"", b"\xff" * 50, b"a b c d", b"0" * 100_000, b"ab " + b"0" * 32 + b" limited 1 1"]
)
async def test_what_is_no_pause_is_passed_over(two: Two, message: bytes) -> None:
    """Whoever may write to the server cannot make a replica fail."""
    found = heard_by(two[1])
    await asyncio.sleep(0.05)
    await two[0].connection.command("PUBLISH", two[1]._pauses._channel, message)
    await two[0].connection.command("ZADD", two[1]._pauses._key, "9e15", message)
    await two[1]._pauses.read()
    two[0].tell("db", "limited", 30.0)
    await until(found, 1)

    assert [pause[0] for pause in found] == ["db"]


async def test_no_name_of_a_source_is_sent(two: Two) -> None:
    """Neither in keys, nor in values, nor in messages."""
    two[0].tell("db", "limited", 30.0)
    await two[0].probe("db", 1.0)
    while not (kept := await two[0].connection.command("ZRANGE", two[0]._pauses._key, "0", "-1")):
        await asyncio.sleep(0.01)

    keys = await two[0].connection.command("KEYS", "*")
    assert keys
    assert not any(b"db" in text.replace(two[0].names.digest("source", "db").encode(), b"")
                   for text in kept)  # fmt: skip
    assert all(key.startswith(b"ms:{v1}:") for key in keys)


async def test_one_replica_probes_at_a_time(two: Two) -> None:
    """The others may when it has ended, or has not ended in time."""
    assert await two[0].probe("db", 30.0)
    assert not await two[1].probe("db", 30.0)
    assert await two[1].probe("other", 0.05)

    two[1].end_probe("db")  # not its own
    await asyncio.sleep(0.05)
    assert not await two[1].probe("db", 30.0)
    two[0].end_probe("db")
    while not await two[1].probe("db", 30.0):
        await asyncio.sleep(0.01)
    assert await two[0].probe("other", 30.0)
