"""Users who share a server share its sources, too: whoever asks much waits for themselves, not
others for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import orjson
import pytest

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Page, Request
from metasearch.engine.engine import Engine
from metasearch.settings import Settings
from tests.cases import each

KEYS = "key-of-the-greedy-one", "key-of-the-modest-one"
BODY = orjson.dumps(
    {"message": {"total-results": 1, "items": [{"DOI": "10.5555/1", "title": ["Island mice"]}]}}
)


class Slow:
    """A source that answers nobody before the gate is open, and remembers in which order it was
    asked."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.asked: list[str] = []

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.asked.append(
            next(value for _, value in request.params if str(value).startswith("word"))
        )
        await self.gate.wait()
        return Page(request=request, body=BODY, content_type="application/json")

    async def close(self) -> None:
        pass


def engine_over(slow: Slow) -> Engine:
    """An engine whose one source lets one request through at a time."""
    table = {
        "extends": "crossref",
        "url": "https://slow.example/works",
        "limits": {"concurrency": 1, "timeout": 60.0},
    }
    sources = {"slow": table}
    settings = Settings(sources=sources, default_sources=("slow",), shipped=False, timeout=60.0)
    made = Engine(settings)
    made._fetcher = Fetcher(slow, None, patience=0)
    return made


async def until(met: Callable[[], object]) -> None:
    """Waits for something that other tasks bring about."""
    async with asyncio.timeout(60):
        while not met():
            await asyncio.sleep(0)


@each("form", ["json", "ndjson", "sse"])
@each("keys", [(), KEYS], ids=["by address", "by key"])
async def test_twenty_searches_of_one_user_do_not_keep_out_another(serve, form, keys):
    """The single search of the other has its turn after one or two of them, although it came
    last."""
    slow = Slow()
    engine = engine_over(slow)
    client = await serve(engine, keys=keys, trusted_proxies=("127.0.0.1",), rate_limit=0)
    greedy, modest = [{"Authorization": f"Bearer {key}"} for key in keys] or [
        {"X-Forwarded-For": address} for address in ("192.0.2.1", "192.0.2.2")
    ]

    async def search(word: str, headers: dict[str, str]) -> None:
        async with client.get(f"/search?q={word}&format={form}", headers=headers) as response:
            assert response.status == 200
            await response.read()

    searches = [asyncio.create_task(search(f"word{number}", greedy)) for number in range(20)]
    await until(lambda: len(engine._fetcher._flights) == 20)
    searches.append(asyncio.create_task(search("word-modest", modest)))
    await until(lambda: len(engine._fetcher._flights) == 21)
    await asyncio.sleep(
        0
    )  # a request that has begun stands in the line at the next turn of the loop
    slow.gate.set()
    await asyncio.gather(*searches)

    assert len(slow.asked) == 21
    assert (
        slow.asked.index("word-modest") <= 3
    )  # one is under way, one at the turnstile, one next in the round


async def test_engines_know_no_addresses(serve, engine):
    """A user is a word that is the same for one client, another for each, and has nothing of an
    address or a key."""
    client = await serve(engine, keys=KEYS, trusted_proxies=("127.0.0.1",))
    for key, address in ((KEYS[0], "192.0.2.1"), (KEYS[0], "192.0.2.2"), (KEYS[1], "192.0.2.1")):
        headers = {"Authorization": f"Bearer {key}", "X-Forwarded-For": address}
        assert (await client.get("/search?q=mice&format=json", headers=headers)).status == 200
    users = [it["user"] for it in engine.asked]

    assert users[0] == users[1] != users[2]
    assert all(len(user) == 32 and "192.0" not in user for user in users)
    assert not any(key in user for key in KEYS for user in users)


async def test_users_are_neither_logged_nor_counted(
    serve, engine, caplog: pytest.LogCaptureFixture
):
    """The word is in no line of the log and no label."""
    client = await serve(engine, trusted_proxies=("127.0.0.1",))
    with caplog.at_level("DEBUG"):
        await client.get("/search?q=mice&format=json", headers={"X-Forwarded-For": "192.0.2.1"})
    metrics = await (await client.get("/metrics")).text()
    (user,) = (it["user"] for it in engine.asked)

    assert user not in caplog.text
    assert not any(user in str(vars(record)) for record in caplog.records)
    assert user not in metrics
