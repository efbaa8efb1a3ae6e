from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import fakeredis
import pytest
import pytest_asyncio

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.health import Pause
from metasearch.adapters.fetch.rate_limiter import NotInTime, SharedLimiter
from metasearch.adapters.request import Page, Rate, Request
from metasearch.adapters.spec import Limits
from metasearch.errors import ConnectFailed, RateLimited, SourceError
from metasearch.replicas import Alone, Away, SharedLimits, Start
from metasearch.replicas.redis import RedisSharing
from tests.replicas.servers import in_memory, replica


class Told(Alone):
    """A server that answers as the test says.

    Attributes:
        answers: What it answers to the next ones who want to start; None is away.
        ended: The leases that were given back.
    """

    replicas = 2
    away = False

    def __init__(self, *answers: Start | None) -> None:
        self.answers = list(answers)
        self.ended: list[str] = []
        self.asked: list[SharedLimits] = []
        self.missed: list[Start | None] = []

    async def start(
        self, source: str, limits: SharedLimits, longest: float, missed: Start | None = None
    ) -> Start:
        self.asked.append(limits)
        self.missed.append(missed)
        if (answer := self.answers.pop(0)) is None:
            self.away = True
            raise Away
        return answer

    def finished(self, source: str, lease: str) -> None:
        self.ended.append(lease)


LIMITS = Limits(requests=4, per=60.0, concurrency=4)


async def test_a_request_starts_when_the_server_says() -> None:
    """It asks again while all places are taken, waits for its start, and gives its place back."""
    told = Told(Start(0, "", busy=True), Start(0.6, ""), Start(0.02, "lease"))
    began = asyncio.get_running_loop().time()
    async with SharedLimiter("db", LIMITS, told).hold_place():
        assert asyncio.get_running_loop().time() - began >= 0.1
        assert told.ended == []

    assert told.ended == ["lease"]
    assert told.asked == [SharedLimits(4, 60.0, 4)] * 3


async def test_a_rate_that_the_source_states_is_that_of_all_replicas() -> None:
    """Where it is slower than the limits."""
    told = Told(Start(0, "a"), Start(0, "b"))
    limiter = SharedLimiter("db", LIMITS, told)
    for stated in (Rate(1, 30.0), Rate(9, 1.0)):
        limiter.obey(stated)
        async with limiter.hold_place():
            pass

    assert told.asked == [SharedLimits(1, 30.0, 4), SharedLimits(4, 60.0, 4)]


async def test_a_start_after_the_deadline_is_told_at_once() -> None:
    """Nobody waits for what comes too late."""
    limiter = SharedLimiter("db", LIMITS, Told(Start(50, "")))
    with pytest.raises(NotInTime) as info:
        async with limiter.hold_place(left=lambda: 10):
            pass

    assert info.value.wait == 50


async def test_who_leaves_while_it_waits_gives_its_place_back() -> None:
    """The next one has its turn."""
    told = Told(Start(30, "first"), Start(0, "second"))
    limiter = SharedLimiter("db", LIMITS, told)

    async def send() -> None:
        async with limiter.hold_place():
            pass

    first = asyncio.create_task(send())
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.wait([first])
    await send()
    assert told.ended == ["first", "second"]


async def test_a_start_that_comes_too_late_is_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its moment has passed, and others may start by now: the server gives another one. Who is
    late each time starts at last.
    """
    monkeypatch.setattr("metasearch.adapters.fetch.rate_limiter.LATE", -1.0)
    starts = [Start(0, "lease", moment=number) for number in range(3)]
    told = Told(*starts)
    async with SharedLimiter("db", LIMITS, told).hold_place():
        pass

    assert told.missed == [None, *starts[:2]]
    assert told.ended == ["lease"]


async def test_without_the_server_a_replica_has_its_part() -> None:
    """Four requests in a minute and four at once are two for each of two replicas."""
    told = Told(None)
    limiter = SharedLimiter("db", LIMITS, told)
    for _ in range(2):
        async with limiter.hold_place(left=lambda: 10):
            pass
    with pytest.raises(NotInTime) as info:
        async with limiter.hold_place(left=lambda: 10):
            pass

    assert info.value.wait == pytest.approx(60, abs=5)
    assert limiter.due == pytest.approx(60, abs=5)


async def test_what_the_server_allowed_belongs_to_the_part() -> None:
    """A replica that has sent two of four does not send two more when the server goes."""
    told = Told(Start(0, "a"), Start(0, "b"), None)
    limiter = SharedLimiter("db", LIMITS, told)
    for _ in range(2):
        async with limiter.hold_place():
            pass

    with pytest.raises(NotInTime):
        async with limiter.hold_place(left=lambda: 10):
            pass


async def test_after_the_server_went_nothing_starts_for_a_moment() -> None:
    """What the other replicas have begun is not known: a second is waited, or a period if it is
    shorter."""
    told = Told(None)
    told.left = asyncio.get_running_loop().time()
    limiter = SharedLimiter("db", Limits(requests=10, per=0.2), told)
    began = asyncio.get_running_loop().time()
    async with limiter.hold_place():
        assert asyncio.get_running_loop().time() - began >= 0.19


async def test_after_the_server_came_back_both_hold() -> None:
    """What other replicas have begun meanwhile, it does not know."""
    told = Told(*(Start(0, "lease") for _ in range(9)))
    told.returned = asyncio.get_running_loop().time()
    limiter = SharedLimiter("db", LIMITS, told)
    for _ in range(2):
        async with limiter.hold_place(left=lambda: 10):
            pass
    with pytest.raises(NotInTime):
        async with limiter.hold_place(left=lambda: 10):
            pass

    told.returned = float("-inf")
    async with limiter.hold_place(left=lambda: 10):
        pass


class Database:
    """Answers with what the test says; an error is raised."""

    def __init__(self) -> None:
        self.error: SourceError | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = 0

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked += 1
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        return Page(request=request, content_type="application/json", body=b"{}")

    async def close(self) -> None:
        """Nothing is open."""


class Replica:
    """One process with its fetcher, connected to the others."""

    def __init__(self, sharing: RedisSharing, database: Database, now: list[float]) -> None:
        self.fetcher = Fetcher(
            database,  # type: ignore[arg-type]
            monotonic=lambda: now[0],
            patience=0,
            sharing=sharing,
        )
        sharing.listen(
            lambda source, cause, seconds: self.fetcher.heed(
                Pause(source, cause, seconds, "told"),  # type: ignore[arg-type]
                LIMITS,
            )
        )
        self._count = 0

    async def ask(self) -> Page:
        self._count += 1
        request = Request(source="db", url=f"https://db.example.org/{id(self)}/{self._count}")
        return await self.fetcher.fetch(request, Limits(requests=1000), again=False)

    @property
    def state(self) -> str:
        return self.fetcher.state("db").state


NOW = [1000.0]


@pytest_asyncio.fixture
async def database() -> Database:
    return Database()


@pytest_asyncio.fixture
async def two(database: Database) -> AsyncIterator[tuple[Replica, Replica]]:
    """Two replicas over one database; their clock stands at `NOW`."""
    memory = fakeredis.FakeServer()
    shared = [replica(in_memory(memory)) for _ in range(2)]
    await shared[0].connection.command("SET", shared[0].names.of("began"), "1")
    both = [Replica(one, database, NOW) for one in shared]
    await asyncio.sleep(0.05)
    yield both[0], both[1]
    for one in both:
        await one.fetcher.close()


async def until(state: str, one: Replica) -> None:
    async with asyncio.timeout(60):
        while one.state != state:
            await asyncio.sleep(0.01)


async def test_a_pause_of_one_replica_is_one_of_all(
    database: Database, two: tuple[Replica, Replica]
) -> None:
    """A source that fails in one replica is left alone by the other, which sends nothing."""
    database.error = ConnectFailed("db", "refused")
    for _ in range(5):
        with pytest.raises(ConnectFailed):
            await two[0].ask()
    await until("open", two[1])

    asked = database.asked
    with pytest.raises(ConnectFailed):
        await two[1].ask()
    assert database.asked == asked


async def test_one_probe_for_all(database: Database, two: tuple[Replica, Replica]) -> None:
    """While one replica probes, requests of the other fail at once; then it is its turn."""
    database.error = ConnectFailed("db", "refused")
    for _ in range(5):
        with pytest.raises(ConnectFailed):
            await two[0].ask()
    await until("open", two[1])
    NOW[0] += 100
    assert [one.state for one in two] == ["half-open"] * 2
    database.error = None
    database.gate.clear()
    asked = database.asked

    probe = asyncio.create_task(two[0].ask())
    while database.asked == asked:
        await asyncio.sleep(0.01)
    with pytest.raises((ConnectFailed, RateLimited)):
        await two[1].ask()
    assert two[1].fetcher.state("db").requests == 0
    database.gate.set()
    await probe
    assert database.asked == asked + 1
    while two[1].state != "ok":
        with suppress(ConnectFailed, RateLimited):
            await two[1].ask()
        await asyncio.sleep(0.01)
    assert [one.state for one in two] == ["ok"] * 2
