from __future__ import annotations

import asyncio
import heapq
from collections.abc import Sequence
from typing import Any

import fakeredis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.rate_limiter import LATE
from metasearch.replicas import SharedLimits, Start
from metasearch.replicas.connection import Script
from metasearch.replicas.redis import LEASE, MARGIN, MOST_STARTS, START, RedisSharing, _starts
from tests.cases import sample
from tests.replicas.conftest import ServerClock
from tests.replicas.servers import in_memory, replica

Two = tuple[RedisSharing, RedisSharing]
#: More places than any test here needs.
MANY = 1_000


async def used(
    who: Sequence[RedisSharing], clock: ServerClock, limits: SharedLimits, steps: Sequence[float]
) -> list[float]:
    """When requests start that the replicas want to send in turns, so many seconds apart."""
    moments = []
    for number, step in enumerate(steps):
        clock.now += step
        start = await who[number % len(who)].start("db", limits, 1.0)
        if start.lease:
            moments.append(clock.now + start.wait)
    return moments


async def free(one: RedisSharing) -> None:
    """Waits until the only place of a source is free for a replica."""
    async with asyncio.timeout(60):
        while not (await one.start("db", SharedLimits(MANY, 1.0, 1), 1.0)).lease:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("requests", "per", "most"), sample([(5, 1.0, 5), (0.5, 1.0, 1), (1, 0.3, 1)], 3)
)
async def test_no_window_holds_more_starts_than_allowed(
    two: Two, clock: ServerClock, requests: float, per: float, most: int
) -> None:
    """In any window of the period lie at most so many starts of both replicas together."""
    limits = SharedLimits(requests, per, MANY)
    window = per / requests if requests < 1 else per

    moments = await used(two, clock, limits, [0.05] * 160)

    assert len(moments) > most + 2
    assert moments == sorted(moments)
    for first, later in zip(moments, moments[most:], strict=False):
        assert later - first > window


@given(st.lists(st.floats(0, 0.6), max_size=40), st.integers(1, 6))
def test_whatever_the_moments_no_window_holds_more(steps: list[float], most: int) -> None:
    """As above, for requests that come in bursts and pauses."""
    with pytest.MonkeyPatch.context() as patch:
        clock = ServerClock()
        patch.setattr("fakeredis.commands_mixins.server_mixin.time", clock)

        async def moments() -> list[float]:
            memory = fakeredis.FakeServer()
            both = replica(in_memory(memory)), replica(in_memory(memory))
            found = await used(both, clock, SharedLimits(most, 1.0, MANY), steps)
            for one in both:
                await one.close()
            return found

        found = asyncio.run(moments())

    for first, later in zip(found, found[most:], strict=False):
        assert later - first > 1.0


def most_in_window(moments: Sequence[float], seconds: float) -> int:
    """The most of these moments that lie in any window of so many seconds."""
    ordered = sorted(moments)
    return max(
        (sum(first <= each < first + seconds for each in ordered) for first in ordered), default=0
    )


@given(
    requests=st.lists(
        st.tuples(st.floats(0, 0.5), st.lists(st.floats(0, 0.7), max_size=3), st.floats(0, 1)),
        max_size=25,
    ),
    most=st.integers(1, 6),
)
def test_no_window_of_a_database_holds_more_although_replicas_are_late(
    requests: list[tuple[float, list[float], float]], most: int
) -> None:
    """Requests wake late, exchange a start whose moment has passed, and are on their way for a
    while: as long as what is left of the lateness is within the margin, the database counts no
    more than the limit in any period.

    Each request: seconds since the one before; by how many seconds it wakes late, time for time;
    the share of the rest of the margin that its way takes.
    """
    limits = SharedLimits(most, 1.0, MANY)
    with pytest.MonkeyPatch.context() as patch:
        clock = ServerClock()
        patch.setattr("fakeredis.commands_mixins.server_mixin.time", clock)

        async def arrived() -> list[float]:
            memory = fakeredis.FakeServer()
            both = replica(in_memory(memory)), replica(in_memory(memory))
            moments = []
            asks: list[tuple[float, int, float, Start | None]] = []  # moment, request, late, start
            at = clock.now
            for number, (step, _, _) in enumerate(requests):
                at += step
                heapq.heappush(asks, (at, number, 0.0, None))
            while asks:
                clock.now, number, late, start = heapq.heappop(asks)
                _, wakes, way = requests[number]
                if start is None or late > LATE:
                    start = await both[number % 2].start("db", limits, 1.0, start)
                    late = wakes.pop(0) if wakes and start.lease else 0.0
                    if not start.lease:
                        heapq.heappush(asks, (clock.now + start.wait, number, 0.0, None))
                        continue
                    heapq.heappush(asks, (clock.now + start.wait + late, number, late, start))
                else:
                    moments.append(clock.now + way * (MARGIN - LATE))
            for one in both:
                await one.close()
            return moments

        moments = asyncio.run(arrived())

    assert len(moments) == len(requests)
    assert most_in_window(moments, 1.0) <= most


async def test_the_margin_costs_a_tenth_at_most(two: Two, clock: ServerClock) -> None:
    """Of what the limit allows in a long time, be its period short or long."""
    for per in (0.1, 1.0, 60.0):
        began = clock.now
        for _ in range(110):
            start = await two[0].start(f"db {per}", SharedLimits(5, per, MANY), 99.0)
            clock.now += start.wait
        assert clock.now - began <= 110 / 5 * per / 0.9


async def test_what_is_exchanged_is_free_again(two: Two, clock: ServerClock) -> None:
    """A start whose moment passed unused counts no more; its place is still the request's, whoever
    waits for one.
    """
    limits = SharedLimits(1, 60.0, 1)
    first = await two[0].start("db", limits, 1.0)
    clock.now += 1
    assert (await two[1].start("db", limits, 1.0)).busy

    second = await two[0].start("db", limits, 1.0, first)
    assert (second.wait, second.lease) == (0, first.lease)
    assert second.moment - first.moment == 1_000_000


async def test_starts_at_once_are_at_once(two: Two, clock: ServerClock) -> None:
    """A source that allows five in a second may be sent five in one moment, not one each 200 ms."""
    starts = [await two[0].start("db", SharedLimits(5, 1.0, MANY), 1.0) for _ in range(6)]

    assert [start.wait for start in starts[:5]] == [0.0] * 5
    assert starts[5].wait == pytest.approx(1.1)


async def test_a_start_that_is_too_far_away_is_not_taken(two: Two, clock: ServerClock) -> None:
    """Its wait is told, and the next one has the same."""
    limits = SharedLimits(1, 60.0, MANY)
    assert (await two[0].start("db", limits, 1.0)).lease
    clock.now += 10

    for one in (*two, *two):
        assert await one.start("db", limits, 1.0) == Start(pytest.approx(50.1), "")


async def test_places_are_one_for_all(two: Two, clock: ServerClock) -> None:
    """What one replica uses, the other has not; what has ended is free again."""
    limits = SharedLimits(MANY, 1.0, 1)
    first = await two[0].start("db", limits, 1.0)

    assert first.lease
    assert (await two[1].start("db", limits, 1.0)).busy
    assert (await two[1].start("other", limits, 1.0)).lease

    two[0].finished("db", first.lease)
    await free(two[1])


async def test_a_place_goes_to_who_waits_for_it(two: Two, clock: ServerClock) -> None:
    """A replica that sends one request after the other does not keep the others out."""
    limits = SharedLimits(MANY, 1.0, 1)
    first = await two[0].start("db", limits, 1.0)
    assert (await two[1].start("db", limits, 1.0)).busy

    two[0].finished("db", first.lease)
    assert (await two[0].start("db", limits, 1.0)).busy
    assert (await two[1].start("db", limits, 1.0)).lease


async def test_a_place_that_nobody_waits_for_is_taken_over(two: Two, clock: ServerClock) -> None:
    """The next request of the same replica has it as it is: one command each."""
    limits = SharedLimits(MANY, 1.0, 1)
    for _ in range(5):
        start = await two[0].start("db", limits, 1.0)
        assert start.lease
        two[0].finished("db", start.lease)

    assert two[0].state.commands == 6  # and the one that says when the server began


async def test_a_place_that_is_scarce_is_given_back_soon_and_others_later(
    two: Two, clock: ServerClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replica keeps places for its next requests for a while, but at most half of a source's."""
    monkeypatch.setattr("metasearch.replicas.redis.PLENTY", 1.5)
    limits = SharedLimits(MANY, 1.0, 4)
    taken = [await two[0].start("db", limits, 1.0) for _ in range(2)]
    for start in taken:
        two[0].finished("db", start.lease)
    await asyncio.sleep(0.1)
    others = [await two[1].start("db", limits, 1.0) for _ in range(3)]
    assert [bool(start.lease) for start in others] == [True, True, False]
    assert others[-1].busy
    await asyncio.sleep(1.6)
    assert (await two[1].start("db", limits, 1.0)).lease

    last = await two[0].start("db", limits, 1.0)
    two[0].finished("db", last.lease)
    while not (await two[1].start("db", limits, 1.0)).lease:
        await asyncio.sleep(0.01)


async def test_places_of_a_replica_that_died_come_back(two: Two, clock: ServerClock) -> None:
    """Its leases end by themselves."""
    limits = SharedLimits(MANY, 1.0, 1)
    assert (await two[0].start("db", limits, 1.0)).lease
    assert (await two[1].start("db", limits, 1.0)).busy

    clock.now += LEASE + 0.1
    assert (await two[1].start("db", limits, 1.0)).lease


async def test_a_request_that_lasts_keeps_its_place(
    two: Two, clock: ServerClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease is renewed for as long as it runs."""
    monkeypatch.setattr("metasearch.replicas.redis.LEASE", 0.02)
    limits = SharedLimits(MANY, 1.0, 1)
    assert (await two[0].start("db", limits, 1.0)).lease

    for _ in range(3):
        clock.now += LEASE * 0.7
        commands = two[0].state.commands
        while two[0].state.commands < commands + 2:
            await asyncio.sleep(0.01)
    assert (await two[1].start("db", limits, 1.0)).busy


async def test_closing_gives_places_back(two: Two, clock: ServerClock) -> None:
    """A replica that ends as it should keeps nothing."""
    limits = SharedLimits(MANY, 1.0, 1)
    assert (await two[0].start("db", limits, 1.0)).lease

    await two[0].close()
    assert (await two[1].start("db", limits, 1.0)).lease


async def test_a_clock_that_was_set_back_stops_nothing(two: Two, clock: ServerClock) -> None:
    """Neither starts nor leases wait for the old time to come again, and the limit holds."""
    limits = SharedLimits(2, 1.0, 3)
    for _ in range(2):
        assert (await two[0].start("db", limits, 1.0)).lease
    clock.now -= 3600

    third = await two[1].start("db", limits, 1.2)
    assert third.lease
    assert third.wait == pytest.approx(1.1)
    assert (await two[1].start("db", limits, 1.2)).busy
    clock.now += LEASE + 0.1
    assert (await two[1].start("db", limits, 1.1)).lease


async def test_a_clock_that_was_set_forward_stops_nothing(two: Two, clock: ServerClock) -> None:
    """What was kept is over."""
    limits = SharedLimits(2, 1.0, 2)
    for _ in range(2):
        assert (await two[0].start("db", limits, 1.0)).lease
    clock.now += 3600

    assert (await two[1].start("db", limits, 1.0)).lease


async def test_a_server_that_has_lost_its_data_begins_slowly(clock: ServerClock) -> None:
    """It may have known of starts: the first one waits for a period, of three seconds at most."""
    one = replica(in_memory(fakeredis.FakeServer()))

    assert (await one.start("db", SharedLimits(5, 1.0, 4), 2.0)).wait == pytest.approx(1.1)
    assert (await one.start("rare", SharedLimits(1, 60.0, 1), 9.0)).wait == pytest.approx(3.0)
    await one.close()


async def test_a_cancelled_request_holds_no_place(
    two: Two, clock: ServerClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that is cancelled when the server has given the place, and before it has said so."""
    real = two[0].connection.script
    given = asyncio.Event()

    async def slow(script: Script, *rest: Any) -> Any:
        answer = await real(script, *rest)
        if script is START:
            given.set()
            await asyncio.sleep(60)
        return answer

    monkeypatch.setattr(two[0].connection, "script", slow)
    task = asyncio.create_task(two[0].start("db", SharedLimits(MANY, 1.0, 1), 1.0))
    await given.wait()
    assert (await two[1].start("db", SharedLimits(MANY, 1.0, 1), 1.0)).busy
    task.cancel()
    await asyncio.wait([task])

    await free(two[1])


def test_numbers_of_the_server_allow_no_more_than_the_limits() -> None:
    """Fractions become longer periods, and very large numbers smaller ones with fewer starts."""
    assert _starts(SharedLimits(0.5, 1.0, 1)) == (1, 2_000_000)
    assert _starts(SharedLimits(2.9, 1.0, 1)) == (2, 1_000_000)
    most, per = _starts(SharedLimits(1e12, 1.0, 1))
    assert most == MOST_STARTS
    assert most / per <= 1e9 / 1e6
