"""`/updates`: what a running result page still lacks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import orjson
import pytest
from aiohttp import ClientError
from lxml import html
from yarl import URL

from metasearch.errors import UsageError
from metasearch.server.app import make_app
from metasearch.server.search import with_pings
from tests import cases
from tests.adapters.fetch.timeless import timeless
from tests.server.fake import FakeEngine, answer, hit, late, report, so_far
from tests.server.test_demo import started
from tests.server.test_stream import events, read_until
from tests.test_waiting import FAST, SLOW, asked, engine

KEYS = "key-of-the-one-user-of-forty-characters-x", "key-of-the-other-user-of-forty-character"
PAGES = "/search?q=marsh&format=html"


def states(body: str) -> list[tuple[str, dict]]:
    """(name, data) of each event."""
    return [(event["event"], orjson.loads(event["data"])) for event in events(body)]


async def updates(client, address="/updates?q=mice", **options) -> list[tuple[str, dict]]:
    """All events of a stream that ends."""
    response = await client.get(address, **options)
    assert response.status == 200
    return states(await response.text())


@pytest.fixture
def gate():
    """What the slow database waits for."""
    return asyncio.Event()


@pytest.fixture
def marshes(gate):
    """(an engine with a database that answers at once and one that waits for the gate, what they
    are asked)"""

    async def slow(_):
        await gate.wait()
        return SLOW

    return engine({"alpha": FAST, "beta": slow})


async def test_the_stream_continues_the_search_of_the_page(serve, marshes, gate):
    """No database is asked twice; it ends with the finished page, in the order of the JSON."""
    made, upstreams = marshes
    client = await serve(made, page_wait=0.05)
    page = html.fromstring(await (await client.get(PAGES)).text())
    (address,) = page.xpath("//@data-updates")
    response = await client.get(address)
    first = await read_until(response, b"\n\n")
    gate.set()
    received = states((first + await response.read()).decode())
    last = received[-1][1]
    assert asked(upstreams) == {"alpha": 1, "beta": 1}
    whole = await (await client.get("/search?q=marsh&format=json")).json()

    assert response.content_type == "text/event-stream"
    assert first.startswith(b"retry: ")
    assert not received[0][1].get("done")
    assert [data["done"] for name, data in received if name == "page"][-1]
    assert last["order"] == [each["id"] for each in whole["hits"]]
    assert len(last["order"]) == 3
    assert (last["answered"], last["asked"]) == (2, 2)


async def test_the_cards_amount_to_the_finished_page(serve, marshes, gate):
    """Those that the page had, and those that came: each work of the JSON answer has one."""
    made, _ = marshes
    client = await serve(made, page_wait=0.05)
    page = html.fromstring(await (await client.get(PAGES)).text())
    held = set(page.xpath("//ol[@id='hits']/li/@data-id"))
    response = await client.get(page.xpath("//@data-updates")[0])
    gate.set()
    received = states(await response.text())
    held |= {name for _, data in received for name, _ in data["cards"]}

    assert set(received[-1][1]["order"]) <= held


async def test_states_while_the_search_runs(serve):
    """Each as an event; only what has changed since."""
    fake = FakeEngine(answer(hit(1), hit(2)))
    fake.snapshots = [(0.0, so_far(running=("alpha", "beta"))), (0.0, so_far(hit(1)))]
    received = await updates(await serve(fake))

    assert [name for name, _ in received] == ["page"] * 3
    assert [data["order"] for _, data in received] == [
        [],
        ["alpha:alpha-1"],
        ["alpha:alpha-1", "alpha:alpha-2"],
    ]
    assert [[name for name, _ in data["cards"]] for _, data in received] == [
        [],
        ["alpha:alpha-1"],
        ["alpha:alpha-2"],
    ]
    assert [data["done"] for _, data in received] == [False, False, True]


async def test_a_finished_search_is_one_state(serve):
    """For a reader who comes late."""
    client = await serve(FakeEngine(answer(hit(1))))

    assert [(name, data["done"]) for name, data in await updates(client)] == [("page", True)]


async def test_the_search_is_that_of_the_page(serve):
    """The same parameters, so that it is the same search: size, facets, sources of the reader."""
    fake = FakeEngine(answer(hit(1)))
    client = await serve(fake)
    address = "q=mice&sort=date&filter=type:article&per_source=9&year=2020-"
    await client.get(f"/search?{address}&format=html")
    await updates(client, f"/updates?{address}&worker=0&lang=en")
    page, stream = fake.asked

    assert {name: value for name, value in page.items() if name != "wait"} == {
        name: value for name, value in stream.items() if name != "wait"
    }


async def test_a_search_that_fails_is_said(serve):
    """As an event, in the language of the reader, because the answer has begun."""
    fake = FakeEngine()
    fake.snapshots = [(0.0, so_far(hit(1)))]
    fake.fault = UsageError("nothing <b>can</b> be asked")
    client = await serve(fake)
    (_, _), (name, data) = await updates(client)

    assert name == "failed"
    assert data == {"title": "The search failed.", "detail": "nothing <b>can</b> be asked"}


async def test_an_error_of_ours_cuts_the_stream(serve, caplog):
    """No details are sent, and no end that would be taken for the whole answer."""
    fake = FakeEngine()
    fake.fault = RuntimeError("a secret detail")
    client = await serve(fake)
    response = await client.get("/updates?q=mice")
    body = bytearray()

    async def read() -> None:
        async for piece in response.content.iter_any():
            body.extend(piece)

    with pytest.raises(ClientError):
        await read()
    assert b"secret" not in body
    assert "RuntimeError" in caplog.text


@cases.each(
    ("address", "parameter"),
    [
        ("/updates", "q"),
        ("/updates?q=", "q"),
        ("/updates?q=(mice", "q"),
        ("/updates?q=mice&count=9999999", "count"),
        ("/updates?q=mice&sources=alpah", "sources"),
        ("/updates?q=mice&filter=odd:x", "filter"),
    ],
)
async def test_a_mistake_is_an_answer_of_its_own(client, engine, address, parameter):
    """Before anything is sent, and nothing is searched."""
    response = await client.get(address)

    assert response.status == 400
    assert response.content_type == "application/problem+json"
    assert (await response.json())["errors"][0]["parameter"] == parameter
    assert engine.searches == []


@cases.each("worker", ["0", "1", "999", "-1", "x", "1" * 400, "٣", ""])
async def test_a_worker_that_is_not_there(serve, worker):
    """The worker that is asked answers itself."""
    client = await serve(FakeEngine(answer(hit(1))))
    response = await client.get("/updates", params={"q": "mice", "worker": worker})

    assert response.status == 200
    assert states(await response.text())[-1][1]["done"]


@cases.each("seen", ["", "x", "." * 5_000, "ff" * 400, "<script>", "\ud83d\ude00"])
async def test_marks_that_are_not_ours(serve, seen):
    """Everything is sent."""
    client = await serve(FakeEngine(answer(hit(1))))
    response = await client.get("/updates", params={"q": "mice", "seen": seen})

    assert [name for name, _ in states(await response.text())[-1][1]["cards"]] == ["alpha:alpha-1"]


async def test_what_is_asked_of_another_worker_is_what_the_client_asked(serve, monkeypatch):
    """Letter by letter: the query may hold any sign."""
    client = await serve(FakeEngine(answer(hit(1))))
    passed: list[tuple] = []

    async def streamed(self, number, path_qs, headers, user):
        passed.append((number, path_qs, dict(headers), user))

    monkeypatch.setattr("metasearch.server.peers.Peers.open_stream", streamed)
    query = "q=a%26b%23c%2B%22d%22+%E4%B9%B3&worker=7"
    response = await client.get(
        URL(f"/updates?{query}", encoded=True),
        headers={"Accept-Language": "zh", "X-Odd": "1", "X-Metasearch-User": "another"},
    )

    assert response.status == 200
    ((number, path, headers, _),) = passed
    assert number == 7
    assert "a%26b%23c" in path
    assert not set(' "#\r\n') & set(path)
    assert headers["Accept-Language"] == "zh"
    assert "X-Metasearch-User" not in headers
    assert "X-Odd" not in headers


async def test_words_of_the_page(serve):
    """As `lang` says, which the address of the page's stream has; the cookie does not matter."""
    fake = FakeEngine(answer(hit(1)))
    client = await serve(fake)
    (_, data), *_ = await updates(client, "/updates?q=mice&lang=zh-Hans")

    assert any("\u4e00" <= char <= "\u9fff" for char in data["parts"]["heading"])


async def test_a_reader_who_leaves_ends_the_search(serve, marshes):
    """With nobody else waiting, no database is asked in vain."""
    made, upstreams = marshes
    client = await serve(made, page_wait=0.05)
    response = await client.get("/updates?q=marsh")
    await read_until(response, b"\n\n")
    response.close()
    async with asyncio.timeout(60):
        while upstreams.cancelled != ["beta"]:
            await asyncio.sleep(0.01)


async def test_silence_is_filled(serve):
    """So that no proxy takes the stream for dead."""
    fake = FakeEngine(answer(hit(1)))
    fake.gate = asyncio.Event()
    client = await serve(fake, ping=0.02)
    response = await client.get("/updates?q=mice")

    await read_until(response, b": ping\n: ping\n")
    fake.gate.set()
    assert states((await response.read()).decode())[-1][1]["done"]


async def test_a_key_is_needed_where_a_search_needs_one(serve):
    """Without it nothing is said."""
    fake = FakeEngine(answer(hit(1)))
    client = await serve(fake, keys=KEYS)
    good = {"Authorization": f"Bearer {KEYS[0]}"}

    assert (await client.get("/updates?q=mice")).status == 401
    assert fake.searches == []
    assert (await client.get("/updates?q=mice", headers=good)).status == 200


async def test_what_a_user_searched_is_suggested_to_nobody_else(serve):
    """The stream learns for its own user, as /search does; a client cannot say who it is."""
    client = await serve(FakeEngine(answer(hit(1))), keys=KEYS, suggest=True)
    one, other = ({"Authorization": f"Bearer {key}"} for key in KEYS)
    await updates(client, "/updates?q=marsh", headers={**one, "X-Metasearch-User": "another"})

    async def suggested(headers) -> list[str]:
        return (await (await client.get("/suggest?q=mar", headers=headers)).json())[1]

    assert await suggested(one) == ["marsh"]
    assert await suggested(other) == []
    assert await suggested({**other, "X-Metasearch-User": "another"}) == []


async def test_updates_count_for_the_quota(serve):
    """As every search does."""
    client = await serve(FakeEngine(), rate_limit=1, trusted_proxies=("127.0.0.1",))
    away = {"X-Forwarded-For": "198.51.100.7"}

    statuses = [(await client.get("/updates?q=mice", headers=away)).status for _ in range(2)]
    assert statuses == [200, 429]


async def test_too_many_searches(serve):
    """One that is no continuation waits for nobody's end: 503."""
    fake = FakeEngine()
    fake.gate = asyncio.Event()
    client = await serve(fake, max_searches=1)
    first = await client.get("/updates?q=mice")
    second = await client.get("/updates?q=rats")

    assert (first.status, second.status) == (200, 503)
    fake.gate.set()
    await first.read()
    assert (await client.get("/updates?q=rats")).status == 200


async def test_head(serve):
    """Its head alone; nothing is searched to the end."""
    fake = FakeEngine()
    fake.gate = asyncio.Event()
    client = await serve(fake)
    response = await client.head("/updates?q=mice")

    assert (response.status, response.content_type) == (200, "text/event-stream")
    assert all(search.started == 0 for search in fake.searches)


async def test_it_is_not_kept(client):
    """Neither by browsers and proxies nor by search engines."""
    response = await client.get("/updates?q=mice")

    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert response.headers["X-Accel-Buffering"] == "no"


async def test_only_finished_searches_are_counted(serve):
    """Once, whatever states came before."""
    fake = FakeEngine(answer(hit(1), reports=[report("alpha"), late("beta")]))
    fake.snapshots = [(0.0, so_far(hit(1)))] * 3
    client = await serve(fake)
    await updates(client)
    metrics = await (await client.get("/metrics")).text()

    assert 'metasearch_source_requests_total{outcome="ok",source="alpha"} 1.0' in metrics


async def test_the_demo_ends_in_the_order_of_the_json():
    """With ten databases: the last state of a page is the answer that programs get."""
    async with started(0.3, faults=True) as client:
        address = "q=machine+learning&count=50&timeout=30"  # also on a machine that is busy
        received = await updates(client, f"/updates?{address}")
        whole = await (await client.get(f"/search?{address}&format=json")).json()
        cards = {name for _, data in received for name, _ in data["cards"]}
        last = received[-1][1]

    assert last["done"]
    assert last["order"] == [each["id"] for each in whole["hits"]]
    assert set(last["order"]) <= cards
    assert last["answered"] == last["asked"] == len(whole["sources"])
    assert len(received) > 1


@timeless
async def test_pings_between_values():
    """As many as silence lasts, and none where there is none; the end is the end."""

    async def values() -> AsyncGenerator[int]:
        yield 1
        await asyncio.sleep(0.1)
        yield 2

    received = [value async for value in with_pings(values(), 0.03)]

    assert received == [1, None, None, None, 2]


async def test_a_fault_goes_through_the_pings():
    """And whoever leaves early leaves no task behind."""

    async def faulty() -> AsyncGenerator[int]:
        yield 1
        raise UsageError("broken")

    async def endless() -> AsyncGenerator[int]:
        await asyncio.Event().wait()
        yield 1

    with pytest.raises(UsageError):
        [value async for value in with_pings(faulty(), 1)]
    before = asyncio.all_tasks()
    waiting = with_pings(endless(), 0.001)
    assert await anext(waiting) is None
    await waiting.aclose()
    assert asyncio.all_tasks() == before


def test_there_is_one_route():
    """GET and HEAD, and not for search engines."""
    app = make_app(lambda: FakeEngine())  # type: ignore[arg-type,return-value]
    routes = [route for route in app.router.routes() if route.resource.canonical == "/updates"]

    assert {route.method for route in routes} == {"GET", "HEAD"}


async def test_a_short_timeout_is_the_wait_as_well(serve):
    """A search that ends before a page is usually sent is continued like any other."""
    engine = FakeEngine()
    client = await serve(engine, page_wait=1.0)
    response = await client.get("/updates?q=mice&timeout=0.5")

    assert response.status == 200
    assert (engine.asked[-1]["timeout"], engine.asked[-1]["wait"]) == (0.5, 0.5)
