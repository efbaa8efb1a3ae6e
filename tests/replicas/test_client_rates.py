"""How often one client may ask all replicas together."""

from __future__ import annotations

import asyncio

import pytest
from fakeredis import FakeServer
from hypothesis import given
from hypothesis import strategies as st

from metasearch.replicas import Away
from metasearch.replicas.connection import KeyNames
from metasearch.replicas.redis import ClientRates
from metasearch.server.limits.client_limits import ClientRateLimiter
from tests import cases
from tests.replicas.fake import SECRET, client, connected


def rates(server: FakeServer) -> ClientRates:
    """Those of one replica."""
    return ClientRates(connected(server), KeyNames(SECRET))


async def test_a_client_has_one_quota_over_all_replicas() -> None:
    """Whichever it asks; another client has its own."""
    server = FakeServer()
    one, other = rates(server), rates(server)
    taken = [await (one, other)[turn % 2].take("192.0.2.1", 4, 3600) for turn in range(6)]
    assert [allowed for _, allowed in taken] == [True] * 4 + [False] * 2
    assert [round(left) for left, _ in taken] == [3, 2, 1, 0, 0, 0]
    assert (await other.take("192.0.2.2", 4, 3600))[1]
    for each in (one, other):
        await each._connection.close()


async def test_a_quota_fills_evenly() -> None:
    """A request that is refused takes nothing."""
    it = rates(FakeServer())
    for _ in range(3):
        assert (await it.take("a", 2, 3.0))[1] is (_ < 2)
    await asyncio.sleep(1.6)
    assert (await it.take("a", 2, 3.0))[1]
    await it._connection.close()


@given(st.integers(1, 50), st.integers(1, 80))
def test_it_allows_what_one_process_allows(limit: int, asked: int) -> None:
    """The same numbers as the bucket in memory, in a window in which nothing fills."""

    async def both() -> None:
        shared, alone = rates(FakeServer()), ClientRateLimiter(limit, 1e5, clock=lambda: 0.0)
        for _ in range(asked):
            left, allowed = await shared.take("a", limit, 1e5)
            quota = alone.take("a")
            assert allowed is quota.allowed
            assert left == pytest.approx(quota.tokens, abs=0.01)
        await shared._connection.close()

    asyncio.run(both())


@cases.each("foreign", ["9" * 30, "no number", "", "-5", "nan", "inf"])
async def test_a_foreign_value_neither_locks_a_client_out_nor_fails(foreign: str) -> None:
    """It counts as one that could have been put there."""
    server = FakeServer()
    it = rates(server)
    await client(server).set(KeyNames(SECRET).of("client", "a"), foreign)
    left, _ = await it.take("a", 5, 0.05)
    assert 0 <= left <= 5
    await asyncio.sleep(0.1)
    assert (await it.take("a", 5, 0.05))[1]
    await it._connection.close()


async def test_no_address_is_told_to_the_server_and_nothing_stays() -> None:
    """The name is a keyed hash, and expires."""
    server = FakeServer()
    it = rates(server)
    await it.take("192.0.2.1", 5, 60)
    (name,) = await client(server).keys("*")
    assert b"192" not in name
    assert 0 < await client(server).pttl(name) <= 60_000
    await it._connection.close()


async def test_without_the_server_it_says_so() -> None:
    """The caller counts for itself."""
    server = FakeServer()
    it = rates(server)
    server.connected = False
    for _ in range(2):
        with pytest.raises(Away):
            await it.take("a", 5, 60)
    await it._connection.close()
