"""Pages that replicas have together: found by all, fetched by one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from fakeredis import FakeServer

from metasearch.replicas import SharedPage
from metasearch.replicas import pages as pages_module
from metasearch.replicas.pages import RedisPages
from tests.replicas.fake import client, pages

DAY = 86_400.0


async def looked(it: RedisPages, key: str = "key", until: float | None = None) -> SharedPage | None:
    """What one replica gets that is content with any page."""
    return await it.claim(key, seconds=DAY, oldest=DAY, until=until)


def soon(seconds: float) -> float:
    """A moment of the loop."""
    return asyncio.get_running_loop().time() + seconds


@pytest.fixture
def server() -> FakeServer:
    """One that all replicas of a test use."""
    return FakeServer()


@pytest.fixture
async def replicas(server: FakeServer) -> AsyncIterator[list[RedisPages]]:
    """Three of them."""
    made = [pages(server) for _ in range(3)]
    yield made
    for each in made:
        await each.close()


async def test_a_page_that_one_has_kept_is_found_by_all(replicas: list[RedisPages]) -> None:
    """With its age, and without a flight."""
    one, other, _ = replicas
    assert await looked(one) is None
    await one.keep("key", b"page", DAY)
    found = await looked(other)
    assert found is not None
    assert found.value == b"page"
    assert 0 <= found.age < 60
    assert await looked(one) is not None


async def test_one_asks_and_the_others_wait(replicas: list[RedisPages]) -> None:
    """Whoever comes first has the flight; the others get its page."""
    one, *others = replicas
    assert await looked(one) is None
    waiting = [asyncio.create_task(looked(each)) for each in others for _ in range(2)]
    done, _ = await asyncio.wait(waiting, timeout=0.1)
    assert not done
    await one.keep("key", b"page", DAY)
    found = await asyncio.gather(*waiting)
    assert [each and each.value for each in found] == [b"page"] * 4


async def test_who_waits_is_told(
    replicas: list[RedisPages], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a message, however rarely it looks by itself."""
    monkeypatch.setattr(pages_module, "LOOK", 3600.0)
    one, other, _ = replicas
    assert await looked(one) is None
    waiting = asyncio.create_task(looked(other))
    while not other._waiting:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    await one.keep("key", b"page", DAY)
    found = await asyncio.wait_for(waiting, 60)
    assert found is not None


async def test_a_message_that_is_lost_delays_the_page_only(
    replicas: list[RedisPages], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits looks again by itself."""
    monkeypatch.setattr(pages_module, "LOOK", 0.05)
    one, other, _ = replicas

    async def silent(_: str) -> AsyncGenerator[bytes | None, None]:
        await asyncio.Event().wait()
        yield None

    monkeypatch.setattr(other._connection, "messages", silent)
    assert await looked(one) is None
    waiting = asyncio.create_task(looked(other))
    await asyncio.sleep(0.1)
    await one.keep("key", b"page", DAY)
    assert await asyncio.wait_for(waiting, 60) is not None


async def test_a_flight_without_a_page_passes_on(replicas: list[RedisPages]) -> None:
    """One of those who wait has it next, and the other goes on waiting."""
    one, *others = replicas
    assert await looked(one) is None
    waiting = {asyncio.create_task(looked(each)): each for each in others}
    await asyncio.sleep(0.1)
    await one.release("key")
    done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=30)
    (first,), (last,) = done, rest
    assert first.result() is None
    await waiting[first].keep("key", b"page", DAY)
    assert await asyncio.wait_for(last, 60) is not None


async def test_nobody_waits_beyond_its_moment(replicas: list[RedisPages]) -> None:
    """Then it asks itself, and the flight stays whose it is."""
    one, other, third = replicas
    assert await looked(one) is None
    assert await looked(other, until=soon(0.1)) is None
    assert await looked(other, until=soon(-1)) is None
    await other.release("key")  # it has none
    waiting = asyncio.create_task(looked(third))
    done, _ = await asyncio.wait([waiting], timeout=0.2)
    assert not done
    await one.release("key")
    assert await asyncio.wait_for(waiting, 60) is None


async def test_the_flight_of_one_that_is_gone_ends_by_itself(
    replicas: list[RedisPages], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another has it then, and who comes back late does not end that."""
    monkeypatch.setattr(pages_module, "FLIGHT", 100)
    monkeypatch.setattr(pages_module, "LOOK", 0.05)
    one, other, third = replicas
    assert await looked(one) is None
    monkeypatch.setattr(pages_module, "FLIGHT", 60_000)
    assert await asyncio.wait_for(looked(other), 60) is None
    await one.release("key")
    assert await looked(third, until=soon(0.1)) is None
    assert "key" not in third._tokens
    assert "key" in other._tokens


async def test_who_is_cancelled_while_it_takes_a_flight_leaves_none(
    server: FakeServer, replicas: list[RedisPages], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer was on the way: the flight would be nobody's."""
    one, other, _ = replicas
    script = one._connection.script

    async def slow(*arguments: Any, **how: bool) -> object:
        reply = await script(*arguments, **how)
        await asyncio.sleep(30 if reply == 1 else 0)
        return reply

    monkeypatch.setattr(one._connection, "script", slow)
    claiming = asyncio.create_task(looked(one))
    while not await client(server).exists(one._keys("key")[1]):
        await asyncio.sleep(0.01)
    claiming.cancel()
    await asyncio.wait([claiming])
    assert await asyncio.wait_for(looked(other), 60) is None
    assert "key" in other._tokens


async def test_an_old_page_is_none_for_who_wants_a_new_one(replicas: list[RedisPages]) -> None:
    """It takes the flight for a new one."""
    one, other, _ = replicas
    await one.keep("key", b"page", 100)
    assert await other.claim("key", seconds=100, oldest=60, until=None) is not None
    assert await other.claim("key", seconds=200, oldest=60, until=None) is None
    assert "key" in other._tokens


async def test_a_page_is_kept_for_its_time(replicas: list[RedisPages]) -> None:
    """After it there is none."""
    one, other, _ = replicas
    await one.keep("key", b"page", 0.05)
    await asyncio.sleep(0.1)
    assert await looked(other) is None
    await other.keep("key", b"page", 0.0)
    assert await looked(one) is None


async def test_the_last_change_holds(replicas: list[RedisPages]) -> None:
    """Those of one replica do not overtake each other, however large they are."""
    one, other, _ = replicas
    for number in range(10):
        large, small = b"%d" % number * 100_000, b"small %d" % number
        await asyncio.gather(one.keep("key", large, DAY), one.keep("key", small, DAY))
        found = await looked(other)
        assert found is not None
        assert found.value == small
        await asyncio.gather(one.keep("key", large, DAY), one.forget("key"))
        assert await looked(other) is None
        await other.release("key")


@pytest.mark.parametrize("foreign", ["text", "list", "moved", "for ever", "longer", "secret"])
async def test_what_is_damaged_or_foreign_is_a_miss(
    foreign: str,
    server: FakeServer,
    replicas: list[RedisPages],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whoever wrote it; it is logged, and the next page takes its place."""
    one, other, _ = replicas
    redis, name = client(server), one._keys("key")[0]
    await one.keep("key", b"page", 1000)
    match foreign:
        case "text":
            await redis.set(name, b"ms1 something", px=1_000_000)
        case "list":
            await redis.delete(name)
            await redis.rpush(name, "a", "b")
            await redis.pexpire(name, 1_000_000)
        case "moved":
            await one.keep("other", b"another page", 1000)
            moved = await redis.get(one._keys("other")[0])
            await redis.set(name, moved, px=1_000_000)
        case "for ever":
            await redis.persist(name)
        case "longer":
            await redis.pexpire(name, 1_000_000_000)
        case "secret":
            strange = pages(server, b"another secret")
            strange._names = other._names
            await strange.keep("key", b"forged", 1000)
            await strange.close()
    caplog.set_level(logging.WARNING)
    assert await looked(other) is None
    if foreign not in ("list", "for ever"):  # these are passed over in the server
        assert "is not used" in caplog.text
    await other.keep("key", b"new", 1000)
    found = await looked(one)
    assert found is not None
    assert found.value == b"new"


async def test_a_page_that_is_too_large_stays_here(
    replicas: list[RedisPages], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flight ends all the same."""
    monkeypatch.setattr("metasearch.replicas.pages.LARGEST_SEALED", 100)
    one, other, _ = replicas
    assert await looked(one) is None
    await one.keep("key", bytes(range(256)) * 10, DAY)
    assert await asyncio.wait_for(looked(other), 60) is None
    assert "key" in other._tokens


async def test_without_the_server_everybody_asks(
    server: FakeServer, replicas: list[RedisPages]
) -> None:
    """At once, and also who waits just then; nothing is raised."""
    one, other, _ = replicas
    assert await looked(one) is None
    waiting = asyncio.create_task(looked(other))
    await asyncio.sleep(0.05)
    server.connected = False
    assert await asyncio.wait_for(waiting, 60) is None
    assert await looked(one, "another") is None
    await one.keep("key", b"page", DAY)
    await one.release("key")
    await one.forget("key")


async def test_the_server_sees_nothing_of_a_key(
    server: FakeServer, replicas: list[RedisPages]
) -> None:
    """Neither in names nor in messages."""
    one, other, _ = replicas
    key = "gambling harms"
    subscription = client(server).pubsub(ignore_subscribe_messages=True)
    await subscription.subscribe(one._names.of("done"))
    assert await looked(one, key) is None
    waiting = asyncio.create_task(looked(other, key))
    await asyncio.sleep(0.1)
    held = [name.decode() for name in await client(server).keys("*")]
    await one.keep(key, b"page", DAY)
    await waiting
    held += [name.decode() for name in await client(server).keys("*")]
    async with aclosing(subscription):
        while not any("done" in text for text in held):
            if (message := await subscription.get_message(timeout=0.02)) is not None:
                held.append(f"{message['channel'].decode()} {message['data']!r}")

    assert all(name.startswith("ms:{v1}:") for name in held)
    assert not any(word in name for name in held for word in ("gambling", "harms"))
