"""Lateness of our own is told as such: it costs no database its name, its records or its turn."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from metasearch.adapters.fetch.exchange import Asker, Exchanges
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.engine.engine import Engine
from metasearch.errors import NotRead, TimedOut
from metasearch.events import Answer
from metasearch.loop import GRACE, lag
from metasearch.settings import Settings
from tests.adapters.fetch.timeless import TimelessLoop, timeless
from tests.engine.test_engine import item, works
from tests.stalls import Stalls
from tests.test_waiting import after, engine, statuses

BODY = works(item("Salt marsh birds"), item("Reeds"))


def block(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)
    loop.pass_by(seconds)


@asynccontextmanager
async def held_up(made: Engine) -> AsyncIterator[None]:
    """Nobody has a turn, as where others compute all the time."""
    scheduler = made._scheduler
    serve, scheduler._serve = scheduler._serve, lambda loop: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        scheduler._serve = serve  # type: ignore[method-assign]


@timeless
async def test_a_page_that_came_and_was_not_read_is_our_lateness():
    """Its database is neither called slow nor held to have failed; one that says nothing is."""
    made, _ = engine({"alpha": BODY, "beta": after(60.0, BODY)})
    async with made, held_up(made):
        answer = await made.search("marsh", timeout=2)

    assert statuses(answer) == {"alpha": "late", "beta": "timeout"}
    error = answer.sources[0].error
    assert isinstance(error, NotRead)
    assert "too busy to read" in str(error)
    assert (answer.complete, answer.sources[0].failed) == (False, True)
    assert made._fetcher.state("alpha").failures == 0
    assert made._fetcher.state("alpha").state == "ok"


@timeless
async def test_a_page_that_came_just_in_time_is_read():
    """At its deadline a search goes before all others, for a moment."""
    made, _ = engine({"alpha": after(1.95, BODY)})
    loop = asyncio.get_running_loop()

    async def others() -> None:
        while True:
            await made._scheduler.turns().next()
            block(0.005)

    async with made:
        crowd = [asyncio.create_task(others()) for _ in range(100)]
        began = loop.time()
        answer = await made.search("marsh", timeout=2)
        took = loop.time() - began
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)

    assert statuses(answer) == {"alpha": "ok"}
    assert took <= 2 + GRACE + 0.1


class Database(BaseHTTPRequestHandler):
    """Answers from a thread of its own, so that it goes on while the loop stands still."""

    asked = threading.Event()

    def do_GET(self) -> None:
        self.asked.set()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def database() -> Iterator[str]:
    """Its host and port."""
    Database.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Database) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
async def test_what_came_while_the_loop_stood_still_counts(database: str) -> None:
    """Both deadlines passed meanwhile, its own and the search's; the records are there all the
    same, and soon after."""
    limits = {"timeout": 1.0, "requests": 50}
    table = {"extends": "crossref", "url": f"http://{database}/works", "limits": limits}
    settings = Settings(
        sources={"alpha": table}, default_sources=("alpha",), allow=frozenset({database})
    )
    async with Engine(settings) as made:
        await made.search("warm up")  # what is imported once is imported
        Database.asked.clear()
        search = asyncio.create_task(_answered(made))
        while not Database.asked.is_set():
            await asyncio.sleep(0)
        time.sleep(1.5)
        async with Stalls() as stalls:
            answer = await search
        state = made._fetcher.state("alpha")

    assert statuses(answer) == {"alpha": "ok"}
    assert answer.counts.received == 2
    assert stalls.rounds < 1_000  # of a millisecond, where they are idle
    assert (state.state, state.failures) == ("ok", 0)


async def _answered(made: Engine) -> Answer:
    return await made.search("marsh", timeout=0.9)


class Slow:
    """Answers when the loop has stood still."""

    def __init__(self, stall: float, then: float) -> None:
        self.stall, self.then = stall, then

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        block(self.stall)
        try:
            async with asyncio.timeout(timeout - self.stall):
                await asyncio.sleep(self.then)
        except TimeoutError:
            raise TimedOut(request.source, "no whole answer") from None
        return Page(request=request, body=b"{}", content_type="application/json")

    async def close(self) -> None:
        pass


def request() -> Request:
    return Request(source="db", url="https://db.example/works", params=(("q", "x"),))


@timeless
async def test_a_sources_usual_time_does_not_learn_from_our_lateness():
    """An answer during which the loop stood still teaches nothing."""
    loop = asyncio.get_running_loop()
    exchanges = Exchanges(Slow(3.0, 0.1), monotonic=loop.time, patience=0)
    with lag().watch():
        await page(exchanges, 30.0)
    assert exchanges.state("db").p50_ms is None
    calm = Exchanges(Slow(0.0, 0.1), monotonic=loop.time, patience=0)
    with lag().watch():
        await asyncio.sleep(1)
        await page(calm, 30.0)
    assert calm.state("db").p50_ms == 100.0


async def page(exchanges: Exchanges, seconds: float) -> Page:
    asker = Asker(asyncio.get_running_loop().time() + seconds)
    return await exchanges.send(request(), Limits(timeout=8.0), asker, None)


@timeless
async def test_breakers_do_not_open_because_of_us():
    """However often the loop stands still for as long as a source may take."""
    loop = asyncio.get_running_loop()
    exchanges = Exchanges(Slow(7.99, 60.0), monotonic=loop.time, patience=0)
    with lag().watch():
        for _ in range(8):
            with pytest.raises(NotRead, match="too busy"):
                await page(exchanges, 30.0)
    state = exchanges.state("db")

    assert (state.state, state.failures) == ("ok", 0)
