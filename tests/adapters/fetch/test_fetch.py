from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest

from metasearch.adapters.fetch import exchange
from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.health import FAILURES, OPEN_SECONDS, OVERLOAD_PAUSE
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.spec import Limits
from metasearch.cache import MemoryStore
from metasearch.errors import (
    AccessDenied,
    Blocked,
    ConnectFailed,
    NotAllowed,
    RateLimited,
    ServerFault,
    SourceError,
    TimedOut,
    TooLarge,
    Unreachable,
)
from tests.adapters.fetch.loopback import Loopback, raw, reply
from tests.cases import each

LIMITS = Limits(requests=1000, concurrency=10, timeout=5, ttl=60, max_bytes=1000, pause=30)
Answer = Page | SourceError | int


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Script:
    """A transport that plays answers in turn, the last one for ever; a gate holds all of them
    back."""

    def __init__(self, *answers: Answer | dict[str, Any]) -> None:
        self.answers = list(answers) or [200]
        self.sent: list[Request] = []
        self.timeouts: list[float] = []
        self.cancelled = 0
        self.closed = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        self.sent.append(request)
        self.timeouts.append(timeout)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(answer, SourceError):
            raise answer
        if isinstance(answer, Page):
            return answer
        facts = {"status": answer} if isinstance(answer, int) else answer
        return Page(
            **({"request": request, "body": b"{}", "content_type": "application/json"} | facts)
        )

    async def close(self) -> None:
        self.closed = True


def asked(query: str = "x", source: str = "db", **rest: Any) -> Request:
    return Request(source=source, url="https://x.example/works", params=(("q", query),), **rest)


def fetcher(transport: Any, store: MemoryStore | None = None, **rest: Any) -> Fetcher:
    return Fetcher(transport, store, **({"patience": 0} | rest))


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0)


def outcome(coroutine: Awaitable[Page]) -> asyncio.Future[Page]:
    return asyncio.ensure_future(coroutine)


DOWN = ConnectFailed("db", "no connection")


# The cache


async def test_a_page_is_fetched_once_and_then_kept() -> None:
    """The second page comes from the cache, says so, and is otherwise the same."""
    transport = Script({"body": b"\n{}\n", "content_type": "a/b", "seconds": 1.0})
    it = fetcher(transport, MemoryStore())
    first = await it.fetch(asked(), LIMITS)
    await it.finish_writes()
    second = await it.fetch(asked(), LIMITS)

    assert len(transport.sent) == 1
    assert (first.cached, second.cached) == (False, True)
    assert (second.status, second.content_type, second.body, second.seconds) == (
        200,
        "a/b",
        b"\n{}\n",
        0.0,
    )


async def test_a_kept_page_grows_old() -> None:
    """Without grace it is fetched again after limits.ttl seconds; a clock that ran backwards counts
    as old."""
    clock = Clock()
    transport = Script()
    it = fetcher(transport, MemoryStore(), clock=clock)
    limits = replace(LIMITS, grace=0)
    await it.fetch(asked(), limits)
    await it.finish_writes()
    clock.now += 59
    assert (await it.fetch(asked(), limits)).cached
    clock.now += 1
    assert not (await it.fetch(asked(), limits)).cached
    await it.finish_writes()
    clock.now -= 1000
    assert not (await it.fetch(asked(), limits)).cached


@each(
    ("status", "kept"),
    [(200, True), (204, True), (404, True), (400, False), (302, False), (410, False)],
)
async def test_only_usable_answers_are_kept(status: int, kept: bool) -> None:
    """2xx and 404 stay; whatever may pass is asked again."""
    it = fetcher(Script(status), MemoryStore())
    await it.fetch(asked(), LIMITS)
    await it.finish_writes()

    assert (await it.fetch(asked(), LIMITS)).cached is kept


async def test_an_empty_body_is_not_kept() -> None:
    """It is an accident, whatever its status says."""
    it = fetcher(Script({"body": b""}), MemoryStore())
    await it.fetch(asked(), LIMITS)
    await it.finish_writes()

    assert not (await it.fetch(asked(), LIMITS)).cached


@each("use", [{"use_cache": False}, {"limits": replace(LIMITS, ttl=0)}])
async def test_the_cache_can_be_left_out(use: dict[str, Any]) -> None:
    """Without it nothing is read or written."""
    store = MemoryStore()
    transport = Script()
    it = fetcher(transport, store)
    for _ in range(2):
        await it.fetch(asked(), **({"limits": LIMITS} | use))
        await it.finish_writes()

    assert len(transport.sent) == 2
    assert await store.stats() == await MemoryStore().stats()


@each(
    "junk", [b"", b"{}", b"[]\n", b'{"status":"200","type":"","at":1}\n', b"\xff\n\n", b"null\n{}"]
)
async def test_junk_in_the_cache_is_a_miss(junk: bytes) -> None:
    """A value that is no page is fetched anew."""
    store = MemoryStore()
    await store.set(page_key(asked()), junk, 60)

    assert not (await fetcher(Script(), store).fetch(asked(), LIMITS)).cached


async def test_an_unusable_page_can_be_forgotten() -> None:
    """Whoever finds that a page says an error drops it, even while it is being written."""
    transport = Script()
    it = fetcher(transport, MemoryStore())
    await it.fetch(asked(), LIMITS)
    await it.forget(asked(), ServerFault("s", 500))
    await it.fetch(asked(), LIMITS)

    assert len(transport.sent) == 2


async def test_a_cached_page_is_served_while_the_source_is_away() -> None:
    """Pauses and the breaker concern the wire only."""
    it = fetcher(Script(200, 429), MemoryStore())
    await it.fetch(asked("kept"), LIMITS)
    await it.finish_writes()
    with pytest.raises(RateLimited):
        await it.fetch(asked("other"), LIMITS)

    assert (await it.fetch(asked("kept"), LIMITS)).cached


async def test_secrets_make_no_other_page() -> None:
    """The key of a request is not part of what a page is kept under."""
    it = fetcher(Script(), MemoryStore())
    await it.fetch(asked(), LIMITS)
    await it.finish_writes()

    assert (await it.fetch(asked(headers=(("X-Key", Secret("abc")),)), LIMITS)).cached


# Single flight


async def test_identical_requests_in_flight_are_one() -> None:
    """A server is asked once by many at the same time; each gets a page with its own request."""
    async with Loopback({"/works": raw(reply(b"{}"))}) as server:
        transport = HttpTransport(allow=frozenset({server.netloc}))
        it = fetcher(transport)
        requests = [
            Request(source="db", url=server.url("/works"), start=number) for number in range(20)
        ]
        pages = await asyncio.gather(*(it.fetch(request, LIMITS) for request in requests))
        other = await it.fetch(requests[0], LIMITS)
        await it.close()

        assert len(server.seen) == 2
        assert [page.request for page in pages] == requests
        assert other.body == b"{}"


async def test_one_waiter_leaving_does_not_disturb_the_others() -> None:
    """Cancelling a fetch cancels only that fetch, also for the one who was first."""
    transport = Script()
    transport.gate.clear()
    it = fetcher(transport)
    first, second = outcome(it.fetch(asked(), LIMITS)), outcome(it.fetch(asked(), LIMITS))
    await until(lambda: transport.sent)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    transport.gate.set()

    assert (await second).status == 200
    assert len(transport.sent) == 1


async def test_the_last_waiter_leaving_cancels_the_request() -> None:
    """Nothing is fetched for nobody; who comes afterwards starts anew."""
    transport = Script()
    transport.gate.clear()
    it = fetcher(transport)
    waiters = [outcome(it.fetch(asked(), LIMITS)) for _ in range(3)]
    await until(lambda: transport.sent)
    for waiter in waiters:
        waiter.cancel()
    await asyncio.gather(*waiters, return_exceptions=True)
    transport.gate.set()
    page = await it.fetch(asked(), LIMITS)

    assert page.status == 200
    assert transport.cancelled == 1
    assert len(transport.sent) == 2


async def test_an_error_reaches_all_who_wait() -> None:
    """A failed flight fails for each of its passengers."""
    transport = Script(AccessDenied("db", 401))
    it = fetcher(transport)
    errors = await asyncio.gather(
        *(it.fetch(asked(), LIMITS) for _ in range(3)), return_exceptions=True
    )

    assert [type(error) for error in errors] == [AccessDenied] * 3
    assert len(transport.sent) == 1


async def test_each_waiter_has_its_own_deadline() -> None:
    """The impatient one is told in time, the patient one gets the page."""
    transport = Script()
    transport.gate.clear()
    it = fetcher(transport)
    now = asyncio.get_running_loop().time()
    patient = outcome(it.fetch(asked(), LIMITS, deadline=now + 60))
    with pytest.raises(TimedOut):
        await it.fetch(asked(), LIMITS, deadline=now + 0.02)
    transport.gate.set()

    assert (await patient).status == 200


# Time


async def test_an_exchange_gets_the_smaller_of_limit_and_rest() -> None:
    """The source's timeout, or what is left until the deadline of the search."""
    transport = Script()
    it = fetcher(transport)
    now = asyncio.get_running_loop().time()
    await it.fetch(asked("a"), LIMITS)
    await it.fetch(asked("b"), LIMITS, deadline=now + 2)

    assert transport.timeouts[0] == 5
    assert 1 < transport.timeouts[1] <= 2


async def test_a_deadline_in_the_past_asks_nobody() -> None:
    """It times out at once."""
    transport = Script()
    with pytest.raises(TimedOut):
        await fetcher(transport).fetch(
            asked(), LIMITS, deadline=asyncio.get_running_loop().time() - 1
        )

    assert not transport.sent


async def test_slow_headers_time_out() -> None:
    """Over a real socket: limits.timeout ends the exchange, and it is not tried again."""
    async with Loopback({"/works": raw(b"HTTP/1.1 200 OK\r\n", then="hang")}) as server:
        it = fetcher(HttpTransport(allow=frozenset({server.netloc})))
        with pytest.raises(TimedOut):
            await it.fetch(
                Request(source="db", url=server.url("/works")), replace(LIMITS, timeout=0.05)
            )
        await it.close()

        assert len(server.seen) == 1


async def test_at_most_so_many_requests_run_at_once() -> None:
    """The concurrency of a source's limits holds over all searches; other sources are not
    concerned."""
    transport = Script()
    transport.gate.clear()
    it = fetcher(transport)
    limits = replace(LIMITS, concurrency=2)
    waiting = [outcome(it.fetch(asked(str(number)), limits)) for number in range(6)]
    other = outcome(it.fetch(asked(source="other"), limits))
    await until(lambda: len(transport.sent) == 3)
    for _ in range(10):
        await asyncio.sleep(0)
    assert [request.source for request in transport.sent].count("db") == 2

    transport.gate.set()
    await asyncio.gather(*waiting, other)


# Further tries


@each("fault", [DOWN, 502, 503, 504])
async def test_what_may_pass_is_tried_again(fault: Answer) -> None:
    """Connection failures and gateway faults get two further tries."""
    transport = Script(fault, fault, 200)

    assert (await fetcher(transport).fetch(asked(), LIMITS)).status == 200
    assert len(transport.sent) == 3


@each(
    ("fault", "error"),
    [
        (500, ServerFault),
        (501, ServerFault),
        (429, RateLimited),
        (401, AccessDenied),
        (403, AccessDenied),
        (TimedOut("db", "silence"), TimedOut),
        (TooLarge("db", 9), TooLarge),
        (NotAllowed("db", "private"), NotAllowed),
        ({"status": 503, "retry_after": 5.0}, ServerFault),
    ],
)
async def test_what_will_not_pass_is_not(fault: Any, error: type) -> None:
    """One try, and the error that says what happened."""
    transport = Script(fault, 200)
    with pytest.raises(error):
        await fetcher(transport).fetch(asked(), LIMITS)

    assert len(transport.sent) == 1


async def test_tries_end() -> None:
    """The last failure is the one that is told."""
    transport = Script(DOWN, 503, 502)
    with pytest.raises(ServerFault, match="502"):
        await fetcher(transport).fetch(asked(), LIMITS)

    assert len(transport.sent) == 3


async def test_no_try_that_the_deadline_would_cut() -> None:
    """A wait that does not fit is not begun."""
    transport = Script(DOWN)
    deadline = asyncio.get_running_loop().time() + exchange.WORTH_A_TRY / 2
    with pytest.raises(ConnectFailed):
        await fetcher(transport).fetch(asked(), LIMITS, deadline=deadline)

    assert len(transport.sent) == 1


async def test_waits_grow_and_are_jittered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wait is drawn around twice the one before."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with pytest.raises(ConnectFailed):
        await fetcher(Script(DOWN), patience=1).fetch(asked(), LIMITS)

    base = exchange.BACKOFF
    assert len(waits) == exchange.RETRIES == 2
    assert base / 2 <= waits[0] <= 1.5 * base
    assert base <= waits[1] <= 3 * base


# Pauses and the breaker


@each("form", ["seconds", "date"])
async def test_retry_after_pauses_the_source(form: str) -> None:
    """Over a real socket, in both forms: others fail fast and unsent until the time is over, then
    all is well."""
    now = time.time()
    header = "20" if form == "seconds" else formatdate(now + 20, usegmt=True)
    clock = Clock()
    async with Loopback(
        {"/works": reply(b"", 429, Retry_After=header, Date=formatdate(now, usegmt=True))}
    ) as server:
        it = fetcher(HttpTransport(allow=frozenset({server.netloc})), monotonic=clock)
        request = Request(source="db", url=server.url("/works"))
        with pytest.raises(RateLimited) as caught:
            await it.fetch(request, LIMITS)
        assert caught.value.retry_after == pytest.approx(20, abs=2)
        assert it.state("db").state == "paused"
        assert it.state("db").until == pytest.approx(20, abs=2)

        clock.now += 10
        with pytest.raises(RateLimited) as caught:
            await it.fetch(request, LIMITS)
        assert caught.value.retry_after == pytest.approx(10, abs=2)
        assert len(server.seen) == 1

        server.routes["/works"] = reply()
        clock.now += 15
        assert (await it.fetch(request, LIMITS)).status == 200
        assert it.state("db").state == "ok"
        await it.close()


async def test_a_429_without_a_time_pauses_for_the_usual_one() -> None:
    """limits.pause seconds; another source goes on."""
    it = fetcher(Script(429, 200))
    with pytest.raises(RateLimited) as caught:
        await it.fetch(asked(), LIMITS)

    assert caught.value.retry_after is None
    assert it.state("db").until == pytest.approx(30, abs=1)
    assert (await it.fetch(asked(source="other"), LIMITS)).status == 200


async def test_a_503_with_a_time_pauses_too() -> None:
    """The server has said when to come back."""
    it = fetcher(Script({"status": 503, "retry_after": 12.0}))
    with pytest.raises(ServerFault):
        await it.fetch(asked(), LIMITS)
    with pytest.raises(RateLimited):
        await it.fetch(asked("other"), LIMITS)

    assert it.state("db").until == pytest.approx(12, abs=1)


async def test_a_503_that_does_not_pass_pauses_for_a_moment() -> None:
    """Asked three times, it is left alone shortly: others fail at once and unsent. Then a probe
    finds it well."""
    clock = Clock()
    transport = Script(503, 503, 503, 200)
    it = fetcher(transport, monotonic=clock)
    with pytest.raises(ServerFault):
        await it.fetch(asked(), LIMITS)
    with pytest.raises(Unreachable, match="left alone for 5 s: the database answered 503"):
        await it.fetch(asked("other"), LIMITS)

    assert it.state("db").state == "paused"
    assert len(transport.sent) == 3
    clock.now += OVERLOAD_PAUSE + 1
    assert (await it.fetch(asked(), LIMITS)).status == 200
    assert it.state("db").state == "ok"


@each("fault", [500, 502, 504])
async def test_another_fault_pauses_nothing(fault: int) -> None:
    """Only 503 says that the source is overloaded; the breaker counts the others."""
    it = fetcher(Script(fault))
    with pytest.raises(ServerFault):
        await it.fetch(asked(), LIMITS)

    assert it.state("db").state == "ok"


async def test_turns_go_by_user() -> None:
    """One user's searches wait for one another before another user's waits for them."""
    transport = Script()
    it = fetcher(transport)
    limits = replace(LIMITS, concurrency=1)
    who = [
        (user, f"{user}{number}")
        for user, count in (("greedy", 5), ("modest", 1))
        for number in range(count)
    ]
    transport.gate.clear()
    tasks = [outcome(it.fetch(asked(name), limits, asker=name, user=user)) for user, name in who]
    await until(lambda: transport.sent)
    transport.gate.set()
    await asyncio.gather(*tasks)

    order = [request.params[0][1] for request in transport.sent]
    assert (
        order.index("modest0") <= 3
    )  # one is under way, one is at the turnstile, one is next in the round
    assert sorted(order) == sorted(name for _, name in who)


async def test_who_waits_in_the_queue_hears_of_the_pause() -> None:
    """A request that waited for its slot is not sent once the source has asked for a pause."""
    transport = Script(429, 200)
    transport.gate.clear()
    it = fetcher(transport)
    limits = replace(LIMITS, concurrency=1)
    tasks = [outcome(it.fetch(asked(str(number)), limits)) for number in range(3)]
    await until(lambda: transport.sent)
    transport.gate.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(error) for error in errors] == [RateLimited] * 3
    assert len(transport.sent) == 1


async def test_the_breaker_opens_and_closes() -> None:
    """After repeated failures the source is left alone; a probe that is answered closes it."""
    clock = Clock()
    transport = Script(*[500] * FAILURES, 200)
    it = fetcher(transport, monotonic=clock)
    for number in range(FAILURES):
        with pytest.raises(ServerFault):
            await it.fetch(asked(str(number)), LIMITS)
    with pytest.raises(ConnectFailed, match="left alone"):
        await it.fetch(asked(), LIMITS)
    assert len(transport.sent) == FAILURES
    assert it.state("db").state == "open"
    assert it.state("db").last_error == "the database answered 500"

    clock.now += OPEN_SECONDS
    assert it.state("db").state == "half-open"
    assert (await it.fetch(asked(), LIMITS)).status == 200
    assert it.state("db").state == "ok"


async def test_a_breaker_that_opens_ends_the_tries() -> None:
    """Whoever is between two tries fails at once."""
    transport = Script(DOWN)
    it = fetcher(transport)
    for number in range(3):
        with pytest.raises(ConnectFailed):
            await it.fetch(asked(str(number)), LIMITS)

    assert len(transport.sent) == FAILURES


async def test_a_probe_that_is_cancelled_leaves_room_for_another() -> None:
    """The half-open breaker does not stay shut because a user went away."""
    clock = Clock()
    transport = Script(*[500] * FAILURES, 200)
    it = fetcher(transport, monotonic=clock)
    for number in range(FAILURES):
        with pytest.raises(ServerFault):
            await it.fetch(asked(str(number)), LIMITS)
    clock.now += OPEN_SECONDS
    transport.gate.clear()
    probe = outcome(it.fetch(asked("probe"), LIMITS))
    await until(lambda: len(transport.sent) > FAILURES)
    with pytest.raises(ConnectFailed, match="probe"):
        await it.fetch(asked("other"), LIMITS)
    probe.cancel()
    await asyncio.gather(probe, return_exceptions=True)
    transport.gate.set()
    await until(lambda: transport.cancelled)

    assert (await it.fetch(asked("again"), LIMITS)).status == 200


@each(("patience", "counts"), [(4.0, True), (0.5, False)])
async def test_our_haste_is_not_the_source_s_fault(patience: float, counts: bool) -> None:
    """A search that ends early says nothing about the source, one that ends after long silence
    does."""
    clock = Clock()
    transport = Script()
    transport.gate.clear()
    it = fetcher(transport, monotonic=clock)
    for number in range(FAILURES):
        task = outcome(it.fetch(asked(str(number)), LIMITS))
        await until(lambda number=number: len(transport.sent) > number)
        clock.now += patience
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await until(lambda: transport.cancelled == FAILURES)

    assert it.state("db").state == ("open" if counts else "ok")


async def test_an_unknown_source_is_well() -> None:
    """Its state can be asked before the first request."""
    assert fetcher(Script()).state("never").state == "ok"


# What came back


@each("status", [200, 204, 302, 400, 404, 410, 422])
async def test_what_may_be_an_answer_is_a_page(status: int) -> None:
    """The parser judges it."""
    assert (await fetcher(Script(status)).fetch(asked(), LIMITS)).status == status


@each("status", [200, 403, 429, 500, 503])
async def test_a_bot_wall_is_called_one(status: int) -> None:
    """Under every status, with its kind, never as no hits; and the source is left alone for a
    while."""
    wall = b"<html><title>Just a moment...</title></html>"
    transport = Script({"status": status, "body": wall, "content_type": "text/html"})
    it = fetcher(transport, MemoryStore())
    for _ in range(2):
        with pytest.raises(Blocked, match="Cloudflare"):
            await it.fetch(asked(), LIMITS)

    assert len(transport.sent) == 1
    assert it.state("db").state == "paused"


async def test_a_missing_key_names_its_variable() -> None:
    """The advice says what to set."""
    with pytest.raises(AccessDenied) as caught:
        await fetcher(Script(401)).fetch(asked(), LIMITS, env_name="METASEARCH_DB_KEY")

    assert "METASEARCH_DB_KEY" in caught.value.advice


async def test_a_refusal_is_told_in_its_own_words() -> None:
    """What the database says about it is passed on, without the key that it may repeat."""
    answer = {
        "status": 403,
        "body": b'{"error": "Invalid key abcdef", "message": "Ask for another", "status": 403}',
    }
    with pytest.raises(AccessDenied) as caught:
        await fetcher(Script(answer)).fetch(asked(headers=(("X-Key", Secret("abcdef")),)), LIMITS)

    assert str(caught.value) == "access denied (403): Invalid key *** Ask for another"


async def test_errors_say_what_was_asked_without_the_key() -> None:
    """Source and URL are there, the secret is not."""
    request = Request(
        source="db", url="https://x.example/works", params=(("q", "x"), ("key", Secret("abcdef")))
    )
    with pytest.raises(ServerFault) as caught:
        await fetcher(Script(500)).fetch(request, LIMITS)

    assert caught.value.source == "db"
    assert caught.value.url == "https://x.example/works?q=x"


# The end


async def test_closing_ends_what_is_in_flight() -> None:
    """Waiters get an error of ours, the transport is closed, and no task is left behind."""
    transport = Script()
    transport.gate.clear()
    it = fetcher(transport, MemoryStore())
    waiter = outcome(it.fetch(asked(), LIMITS))
    await until(lambda: transport.sent)
    await it.close()
    with pytest.raises(ConnectFailed, match="closing"):
        await waiter

    assert transport.closed
    assert not it._tasks
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_it_explains_itself() -> None:
    """A log line costs nothing to write."""
    assert "0 in flight" in repr(fetcher(Script()))


async def test_an_allowance_that_is_used_up_is_told_at_once() -> None:
    """Nobody waits for a turn that comes after the deadline; the source is neither paused nor taken
    for ill."""
    sent = Script()
    it = fetcher(sent, patience=1)
    limits = replace(LIMITS, requests=1, per=3600.0)
    loop = asyncio.get_running_loop()
    await it.fetch(asked("first"), limits, deadline=loop.time() + 5)

    with pytest.raises(
        RateLimited, match=r"1 in 3600 s, is used up: the next one may go in 3\d\d\d s"
    ):
        await it.fetch(asked("second"), limits, deadline=loop.time() + 5)
    assert it.state("db").state == "ok"
