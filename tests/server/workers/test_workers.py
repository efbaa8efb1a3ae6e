"""Several processes behind one address: what they know together, and what they tell one another."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from metasearch.adapters.fetch.health import LONGEST_PAUSE, Pause, SourceState
from metasearch.adapters.request import Budget
from metasearch.adapters.specs.registry import Registry
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.server import peers as peers_module
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import USER, ApiKeys
from metasearch.server.peers import (
    MOST_PAUSES,
    Peers,
    dump_pause,
    load_pause,
)
from metasearch.server.search_answers import relay
from metasearch.server.short_answers import answer_peers
from metasearch.server.site import SHARED
from metasearch.settings import Settings
from tests.adapters.fetch.loopback import Loopback, reply
from tests.cases import each
from tests.server.fake import FakeEngine, hit, so_far
from tests.server.test_metrics import samples

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need Unix-domain sockets")

Client = TestClient[web.Request, web.Application]
SEARCHED = 'metasearch_requests_total{code="200",face="json"}'


@asynccontextmanager
async def worker(
    folder: Path,
    number: int,
    engine: FakeEngine | Engine,
    keys: Sequence[str] = (),
    **options: object,
) -> AsyncIterator[Client]:
    """One worker of two, in this process; gives a client of it."""
    peers = Peers(folder, number, 2)
    app = make_app(
        lambda: engine,  # type: ignore[arg-type,return-value]
        options=Options(**options),  # type: ignore[arg-type]
        keys=ApiKeys(keys),
        peers=peers,
        secret=b"of all",
    )
    async with TestClient(TestServer(app)) as client, answer_peers(app[SHARED], peers):
        yield client


@asynccontextmanager
async def pair(
    folder: Path, **options: object
) -> AsyncIterator[tuple[tuple[Client, FakeEngine], ...]]:
    """Two workers with their engines."""
    async with AsyncExitStack() as stack:
        engines = FakeEngine(), FakeEngine()
        clients = [
            await stack.enter_async_context(worker(folder, number, engine, **options))
            for number, engine in enumerate(engines)
        ]
        yield tuple(zip(clients, engines, strict=True))


async def asked(client: Client, times: int = 1) -> None:
    """So many searches."""
    for _ in range(times):
        await (await client.get("/search?q=mice&format=json")).read()


async def test_metrics_are_the_sum_whoever_is_asked(folder):
    """What each has counted, and the number of both."""
    async with pair(folder) as ((left, _), (right, _)):
        await asked(left, 2)
        await asked(right, 3)
        found = [await samples(left), await samples(right)]

    assert [it[SEARCHED] for it in found] == [5, 5]
    assert [it['metasearch_source_duration_seconds_count{source="alpha"}'] for it in found] == [
        5,
        5,
    ]
    assert [it['metasearch_source_duration_seconds_sum{source="alpha"}'] for it in found] == [
        1.25,
        1.25,
    ]
    assert [it["metasearch_workers"] for it in found] == [2, 2]


async def test_a_worker_that_ends_takes_no_count_with_it(folder):
    """What was told once stays counted, while it is away and when another has its place."""
    async with worker(folder, 0, FakeEngine()) as left:
        async with worker(folder, 1, FakeEngine()) as right:
            await asked(right, 3)
            assert (await samples(left))[SEARCHED] == 3
        assert (await samples(left))[SEARCHED] == 3
        async with worker(folder, 1, FakeEngine()) as right:
            await asked(right)
            assert (await samples(left))[SEARCHED] == (await samples(right))[SEARCHED] == 4


async def test_pages_from_the_cache_stay_counted_and_errors_are_not_written_down(folder):
    """They are counted by the sources' states, which go with their worker; its last error goes,
    too."""
    age = 'metasearch_source_cached_pages_total{age="fresh",source="alpha"}'
    engines = FakeEngine(), FakeEngine(), FakeEngine()
    for fresh, engine in enumerate(engines, 1):
        engine.states = {"alpha": SourceState("alpha", last_error="not for the disk", fresh=fresh)}
    async with worker(folder, 0, engines[0]) as left:
        async with worker(folder, 1, engines[1]):
            assert (await samples(left))[age] == 1 + 2
        written = [it.read_bytes() for it in folder.glob("*.json")]
        assert (await samples(left))[age] == 1 + 2
        async with worker(folder, 1, engines[2]) as right:
            assert (await samples(left))[age] == (await samples(right))[age] == 1 + 2 + 3

    assert [b"fresh" in it for it in written] == [True, True]
    assert not any(b"not for the disk" in it for it in written)


async def test_the_state_of_a_source_is_the_worst_and_its_counts_are_sums(folder):
    """Whichever worker is asked says the same; a source that one of them leaves alone is not
    ready."""
    async with pair(folder) as ((left, first), (right, second)):
        first.states = {
            "alpha": SourceState(
                "alpha",
                requests=7,
                failures=1,
                fresh=4,
                p50_ms=10.0,
                p95_ms=20.0,
                budget=Budget(left=3.0, of=50.0, renewed=60.0),
            )
        }
        second.states = {
            "alpha": SourceState(
                "alpha",
                "paused",
                9.0,
                "busy",
                requests=2,
                failures=2,
                fresh=1,
                p95_ms=30.0,
                budget=Budget(left=4.0, of=50.0),
            )
        }
        told = [await (await client.get("/sources")).json() for client in (left, right)]
        ready = [await (await client.get("/readyz")).json() for client in (left, right)]

    assert told[0] == told[1]
    alpha = next(it for it in told[0] if it["name"] == "alpha")
    assert (alpha["status"], alpha["seconds_until_asked"], alpha["last_error"]) == (
        "paused",
        9.0,
        "busy",
    )
    assert (alpha["requests"], alpha["failures"]) == (9, 3)
    assert alpha["cached_pages"] == {"fresh": 5, "stale": 0, "spared": 0}
    assert (alpha["p50_ms"], alpha["p95_ms"]) == (10.0, 30.0)
    assert (alpha["budget"]["left"], alpha["budget"]["seconds_until_renewed"]) == (3.0, 60)
    assert [it["sources"] for it in ready] == [["beta"], ["beta"]]


async def test_a_stream_goes_on_at_another_worker(folder):
    """It gets the events after the last one seen, of the same search, which is made once."""
    async with pair(folder) as ((left, first), (right, second)):
        first.gate = asyncio.Event()
        broken = await left.get("/search?q=mice&format=sse")
        await broken.content.readuntil(b"id: s1-1\n")
        again = await right.get("/search?q=mice&format=sse", headers={"Last-Event-ID": "s1-1"})
        broken.close()
        first.gate.set()
        text = (await again.read()).decode()

    assert [line for line in text.splitlines() if line.startswith("id: ")] == [
        f"id: s1-{n}" for n in range(2, 8)
    ]
    assert text.startswith("retry: 1000\n")
    assert "event: done" in text
    assert len(first.searches) == 1
    assert not second.searches


async def test_who_leaves_another_worker_ends_the_search(folder):
    """The worker that makes the search sees its last reader leave, and closes it after the usual
    moment."""
    async with pair(folder, grace=0.01) as ((left, first), (right, _)):
        first.gate = asyncio.Event()
        async with left.get("/search?q=mice&format=sse") as broken:
            await broken.content.readuntil(b"id: s1-1\n")
            again = await right.get("/search?q=mice&format=sse", headers={"Last-Event-ID": "s1-1"})
        assert not first.searches[0].closed.is_set()
        again.close()
        async with asyncio.timeout(60):
            await first.searches[0].closed.wait()


@pytest.mark.parametrize("seen", ["s1-99", "s9-1", "nonsense", "../0-1", "a b-1", "\x80-1"])
async def test_nothing_to_go_on_with_is_told_by_all(folder, seen):
    """204, as from one process, whatever the client sends."""
    async with pair(folder) as ((left, _), (right, _)):
        await (await left.get("/search?q=mice&format=sse")).read()
        response = await right.get("/search?q=mice&format=sse", headers={"Last-Event-ID": seen})

    assert response.status == 204


@asynccontextmanager
async def updates_by(
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> AsyncIterator[None]:
    """The workers answer `/updates` with this handler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metasearch.server.short_answers.answer_peer_updates", handler)
        yield


async def peer_updates(request: web.Request) -> web.StreamResponse:
    """What a page follows: each answer of a search as one event."""
    engine = request.app[SHARED].engine
    search = engine.search(request.query["q"], user=request[USER])
    response = web.StreamResponse(headers={"X-Seen": request.headers.get("Last-Event-ID", "")})
    await response.prepare(request)
    async with aclosing(search.follow(0.1)) as growing:
        async for answer in growing:
            event = f"data: {len(answer.hits)} {','.join(answer.running)}\n\n"
            await response.write(event.encode())
    return response


async def test_a_page_is_followed_at_another_worker(folder):
    """Which is asked as the client has asked, in the name of the same user; the stream comes as it
    is made."""
    async with updates_by(peer_updates), pair(folder) as ((left, _), (_, second)):
        second.gate = asyncio.Event()
        second.snapshots = [(0, so_far()), (0.01, so_far(hit(1)))]
        peers = left.app[SHARED].peers
        headers = {"Last-Event-ID": "7"}
        response = await peers.open_stream(1, "/updates?q=a%2Bb%20%C3%A9", headers, "cafe01")
        assert response is not None
        async with response:
            first = await response.content.readuntil(b"\n\n")
            next_one = await response.content.readuntil(b"\n\n")
            second.gate.set()
            rest = await response.content.read()

    assert (first, next_one, rest) == (b"data: 0 beta\n\n", b"data: 1 beta\n\n", b"data: 2 \n\n")
    assert response.headers["X-Seen"] == "7"
    (asked_for,) = second.asked
    assert (asked_for["query"], asked_for["user"]) == ("a+b \xe9", "cafe01")


async def test_who_leaves_the_page_of_another_worker_leaves_its_search(folder):
    """That worker sees it, and its reader leaves."""
    async with updates_by(peer_updates), pair(folder) as ((left, _), (_, second)):
        second.gate, second.snapshots = asyncio.Event(), [(0, so_far(hit(1)))]
        response = await left.app[SHARED].peers.open_stream(1, "/updates?q=mice", {}, "cafe01")
        assert response is not None
        await response.content.readuntil(b"\n\n")
        response.close()
        await until(lambda: second.searches[0].left)


async def test_a_followed_page_is_passed_on_to_the_client(folder):
    """What comes from the other worker is sent as it is, behind what this one has to say."""
    async with updates_by(peer_updates), pair(folder) as ((left, _), (_, second)):
        second.snapshots = [(0, so_far(hit(1)))]
        peers = left.app[SHARED].peers

        async def follow(request: web.Request) -> web.StreamResponse:
            elsewhere = await peers.open_stream(1, "/updates?q=mice", {}, "cafe01")
            assert elsewhere is not None
            return await relay(request, elsewhere, "", b"retry: 5\n")

        app = web.Application()
        app[SHARED] = left.app[SHARED]
        app.router.add_get("/follow", follow)
        async with TestClient(TestServer(app)) as client:
            response = await client.get("/follow")
            body = await response.read()

    assert response.content_type == "text/event-stream"
    assert body == b"retry: 5\ndata: 1 beta\n\ndata: 2 \n\n"


@pytest.mark.parametrize("number", [0, 2, -1])
async def test_no_other_worker_has_a_page(folder, number):
    """Neither this one nor one that does not exist is asked."""
    async with updates_by(peer_updates), pair(folder) as ((left, first), (_, second)):
        peers = left.app[SHARED].peers
        assert await peers.open_stream(number, "/updates?q=mice", {}, "cafe01") is None
        assert first.asked == second.asked == []


@pytest.mark.parametrize("manner", ["refuses", "hangs", "is empty"])
async def test_a_worker_that_has_no_stream_is_passed_over(folder, monkeypatch, manner):
    """After its patience, so that the client is answered by the worker that it has asked."""
    monkeypatch.setattr(peers_module, "PATIENCE", 0.05)

    async def answer(_: web.Request) -> web.StreamResponse:
        if manner == "refuses":
            raise UsageError("there is no such page")
        if manner == "hangs":
            await asyncio.sleep(100)
        return web.Response(status=204)

    async with updates_by(answer), pair(folder) as ((left, _), _):
        response = await left.app[SHARED].peers.open_stream(1, "/updates?q=mice", {}, "cafe01")

    assert response is None


async def test_a_client_has_one_quota_at_all_workers(folder):
    """Its requests are counted in one place, wherever they arrive."""
    mine = {"X-Forwarded-For": "192.0.2.1"}
    async with pair(folder, rate_limit=4, trusted_proxies=("127.0.0.1",)) as (
        (left, _),
        (right, _),
    ):
        turns = (left, right, right, left, left, right)
        statuses = [(await client.get("/sources", headers=mine)).status for client in turns]
        other = await left.get("/sources", headers={"X-Forwarded-For": "192.0.2.2"})

    assert statuses == [200, 200, 200, 200, 429, 429]
    assert other.status == 200


async def test_a_client_is_counted_although_its_counter_is_gone(folder):
    """The worker that is left counts for itself."""
    statuses = []
    async with worker(
        folder, 0, FakeEngine(), rate_limit=2, trusted_proxies=("127.0.0.1",)
    ) as left:
        for host in range(1, 5):
            headers = {"X-Forwarded-For": f"192.0.2.{host}"}
            statuses.append(
                [(await left.get("/sources", headers=headers)).status for _ in range(3)]
            )

    assert statuses == [[200, 200, 429]] * 4


async def test_suggestions_come_from_all(folder):
    """What a user has searched at one is completed for them at the other, once; and for nobody
    else."""
    keys = "key-of-the-one-user", "key-of-the-other-user"
    mine, others = ({"Authorization": f"Bearer {key}"} for key in keys)
    async with pair(folder, keys=keys, suggest=True) as ((left, _), (right, _)):
        for client in (left, right):
            await (await client.get("/search?q=island+mice&format=json", headers=mine)).read()
        await (await left.get("/search?q=island+birds&format=json", headers=mine)).read()
        told = await (await right.get("/suggest?q=island", headers=mine)).json(content_type=None)
        told_others = await (await right.get("/suggest?q=island", headers=others)).json(
            content_type=None
        )

    assert sorted(it for it in told[1] if it.startswith("island")) == [
        "island birds",
        "island mice",
    ]
    assert told_others[1] == []


# ------------------------------------------------------------------------------------------- pauses

PAUSE = Pause("alpha", "limited", 40.0, "too many requests")


async def until(met: Callable[[], object]) -> None:
    """Waits for something that happens between tasks."""
    async with asyncio.timeout(60):
        while not met():
            await asyncio.sleep(0.001)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (reply(b"{}", 429, Retry_After="600"), "paused"),
        (reply(b"{}", 503, Retry_After="600"), "paused"),
    ],
)
async def test_a_pause_that_one_worker_is_asked_for_holds_at_the_other(folder, answer, state):
    """The other leaves the source alone without having asked it, and says why; the source hears of
    one request."""
    async with Loopback({"/works": answer}) as source, AsyncExitStack() as stack:
        table = {"extends": "crossref", "url": source.url("/works")}
        settings = Settings(
            sources={"mine": table},
            default_sources=("mine",),
            shipped=False,
            workers=2,
            allow=frozenset({source.netloc}),
        )
        engines = Engine(settings), Engine(settings)
        left, right = [
            await stack.enter_async_context(worker(folder, number, engine))
            for number, engine in enumerate(engines)
        ]
        assert (await left.get("/search?q=mice&format=json")).status == 502
        await until(lambda: engines[1].source_states()[0].state != "ok")
        refused = await (await right.get("/search?q=mice&format=json")).json()
        states = [engine.source_states()[0] for engine in engines]

    assert [it.state for it in states] == [state, state]
    assert all(600 <= it.until + 1 <= 606 for it in states)
    assert [it.requests for it in states] == [1, 0]
    assert states[0].last_error == states[1].last_error
    assert refused["sources"][0]["status"] == "limited"
    assert len(source.seen) == 1


async def test_an_open_breaker_is_told_and_nothing_is_told_back(folder):
    """Each hears what began at the other, once; what it hears it keeps for itself."""
    async with AsyncExitStack() as stack:
        settings = Settings(
            sources={"mine": {"extends": "crossref"}},
            default_sources=("mine",),
            shipped=False,
            workers=2,
        )
        engines = Engine(settings), FakeEngine()
        engines[1].registry.specs["mine"] = engines[0].registry.spec("mine")
        for number, engine in enumerate(engines):
            await stack.enter_async_context(worker(folder, number, engine))
        pause = Pause("mine", "failing", 30.0, "no connection can be made")
        engines[1].listener(pause)
        await until(lambda: engines[0].source_states()[0].state == "open")
        health = engines[0]._fetcher._exchanges._sources["mine"].health
        for _ in range(5):
            health.note_failure(pause.error)
        await until(lambda: engines[1].heeded)

    assert engines[1].heeded == [
        pause
    ]  # the one that began at the other; its own did not come back
    assert engines[1].listener is None


@each(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b'["alpha", "limited", 40.0]',
        b'["alpha", "limited", true, "r"]',
        b'["alpha", "limited", "40", "r"]',
        b'["alpha", "fun", 40.0, "r"]',
        b'[1, "limited", 40.0, "r"]',
        b'["alpha", "limited", NaN, "r"]',
        b'["alpha", "limited", 40.0, "%b"]' % (b"r" * 501),
        b"[" * 100_000,
    ],
)
def test_what_is_no_pause_is_refused(body):
    """Whatever is missing, of another kind, unknown or too long."""
    with pytest.raises(ValueError, match=r"."):
        load_pause(body)


@each("reason", ["", "r" * 9999, "\ud800 \x00", "\U0001f600" * 600])
def test_a_pause_is_told_whatever_the_reason(reason):
    """Cut, and with what cannot be written replaced."""
    told = load_pause(dump_pause(replace(PAUSE, reason=reason)))

    assert replace(told, reason="") == replace(PAUSE, reason="")
    assert len(told.reason) <= 500


@each(
    "changes",
    [
        {"source": "unheard-of"},
        {"seconds": -1.0},
        {"seconds": LONGEST_PAUSE + 1},
        {"seconds": float("inf")},
    ],
)
async def test_an_engine_takes_no_impossible_pause(changes):
    """Neither for a source that there is not, nor for longer than any."""
    async with Engine(
        Settings(sources={"alpha": {"extends": "crossref"}}, shipped=False)
    ) as engine:
        with pytest.raises(UsageError):
            engine.pause(replace(PAUSE, **changes))
        assert [it.state for it in engine.source_states()] == ["ok"]


async def test_what_cannot_be_a_pause_costs_the_asker_a_400(folder):
    """Over the socket, too, and for the engine nothing happens."""
    engine = FakeEngine()
    connector = aiohttp.UnixConnector(str(folder / "1.sock"))
    async with (
        worker(folder, 1, engine),
        aiohttp.ClientSession("http://worker/", connector=connector) as session,
    ):
        bodies = (
            b"{}",
            dump_pause(replace(PAUSE, source="unheard-of")),
            b"x" * 100_000,
            dump_pause(PAUSE),
        )
        statuses = [(await session.post("/pause", data=body)).status for body in bodies]

    assert statuses == [400, 400, 413, 204]
    assert engine.heeded == [PAUSE]


async def test_pauses_on_their_way_are_bounded_and_end_with_the_worker(folder):
    """Nobody answers there: a flood of them makes no more tasks than are allowed, and none is left
    at the end."""
    before = asyncio.all_tasks()
    peers = Peers(folder, 0, 2)
    for _ in range(3 * MOST_PAUSES):
        peers.send_pause(PAUSE)
    telling = asyncio.all_tasks() - before
    await peers.close()

    assert len(telling) == MOST_PAUSES
    assert asyncio.all_tasks() == before


async def test_one_process_tells_nobody():
    """A server without workers has no sockets."""
    before = asyncio.all_tasks()
    Peers().send_pause(PAUSE)

    assert asyncio.all_tasks() == before


def test_what_a_source_allows_is_divided():
    """All together start no more than it allows; one request at once stays for each; what is shown
    is the whole."""
    table = {"extends": "crossref", "limits": {"requests": 5, "per": 1.0, "concurrency": 3}}
    settings = Settings(sources={"mine": table}, shipped=False)
    divided = Registry(replace(settings, workers=2))
    tight = Registry(replace(settings, workers=8)).spec("mine").limits

    assert (divided.spec("mine").limits.requests, divided.spec("mine").limits.concurrency) == (
        2.5,
        1,
    )
    assert (tight.requests, tight.concurrency) == (0.625, 1)
    assert divided.limits("mine") == Registry(settings).spec("mine").limits


def test_what_a_server_holds_is_divided():
    """All workers together hold no more than one process would."""
    whole, part = Options(), Options().divided(4)

    of_all = ("max_searches", "max_streams", "max_stream_bytes", "max_running_bytes")
    for name in (*of_all, "max_connections", "max_client_connections"):
        assert 0 < 4 * getattr(part, name) <= getattr(whole, name)
    assert part.rate_limit == whole.rate_limit


async def test_only_metrics_write_counts_down(folder):
    """Anybody may ask whether the server is ready, again and again; that writes nothing."""
    async with pair(folder) as ((left, _), (right, _)):
        await left.get("/readyz")
        await right.get("/sources")
        before = sorted(folder.glob("*.json"))
        await left.get("/metrics")
        after = sorted(folder.glob("*.json"))

    assert before == []
    assert len(after) == 2
