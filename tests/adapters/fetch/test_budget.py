"""What headers say of how often a source may be asked, and what follows from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from multidict import CIMultiDict

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.health import LONGEST_PAUSE
from metasearch.adapters.fetch.rate_limiter import budget, rate, retry_after
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Budget, Rate, Request, Secret
from metasearch.adapters.spec import Limits
from metasearch.cache import MemoryStore
from metasearch.errors import AccessDenied, RateLimited, SourceError
from tests.adapters.fetch.loopback import Loopback, reply
from tests.cases import each

NOW = 1_000_000_000.0
DATE = "Sun, 09 Sep 2001 01:46:40 GMT"  # NOW
KEPT = Limits(requests=1000, concurrency=10, timeout=60, max_bytes=1000)
LIMITS = Limits(requests=1000, concurrency=10, timeout=5, ttl=0, max_bytes=1000, pause=30)


def headers(text: str) -> CIMultiDict[str]:
    """The headers in lines of "Name: value"."""
    lines = (line.split(":", 1) for line in text.strip().splitlines())
    return CIMultiDict((name.strip(), value.strip()) for name, value in lines)


# Retry-After


@each(
    ("text", "seconds"),
    [
        ("Retry-After: 120", 120.0),
        ("Retry-After:  0 ", 0.0),
        ("Retry-After: 53578", 53578.0),
        (f"Retry-After: Sun, 09 Sep 2001 01:47:10 GMT\nDate: {DATE}", 30.0),
        (f"Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\nDate: {DATE}", 0.0),
        ("Retry-After: Sun, 09 Sep 2001 01:47:00 GMT", 20.0),
        ("Retry-After: 1000000090", 90.0),
        ("X-RateLimit-Retry-After: 2001-09-09T01:47:40+0000", 60.0),
        ("x-rate-limit-retry-after-seconds: 8", 8.0),
        ("Retry-After: soon", None),
        ("Retry-After: -5", None),
        ("Retry-After: ９", None),
        ("Retry-After: Fri, 99 Dec 99999 99:99:99 GMT", None),
        ("X-Other: 5", None),
    ],
)
def test_retry_after_is_read_in_all_forms(text: str, seconds: float | None) -> None:
    """Seconds, Unix time, or a date that is held against the server's own clock; nonsense is
    nothing."""
    assert retry_after(headers(text), NOW) == seconds


# Budgets


@each(
    ("text", "expected"),
    [
        (  # OpenAlex: the dollars say the same as the credits
            (
                "x-ratelimit-limit: 1000\nx-ratelimit-remaining: 997\nx-ratelimit-reset: 11987\n"
                "x-ratelimit-limit-usd: 0.1\nx-ratelimit-remaining-usd: 0.0997\n"
                "x-ratelimit-credits-used: 10\nx-ratelimit-cost-usd: 0.001\n"
                "x-ratelimit-onetime-remaining: 0\nx-ratelimit-prepaid-remaining-usd: 0"
            ),
            Budget(left=0.0997, of=0.1, unit="USD", cost=0.001, renewed=11987.0),
        ),
        (  # ADS, GitHub: a reset in Unix time; "used" is what all requests took
            (
                "X-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 4000\nX-RateLimit-Used: 4500\n"
                f"X-RateLimit-Reset: 1000003600\nDate: {DATE}"
            ),
            Budget(left=4000, of=5000, renewed=3600.0),
        ),
        (  # Elsevier: in milliseconds
            "X-RateLimit-Limit: 20000\nX-RateLimit-Remaining: 3\nX-RateLimit-Reset: 1000604800000",
            Budget(left=3, of=20000, renewed=604800.0),
        ),
        ("X-RateLimitRemaining: 9\nX-RateLimit-Limit: 10", Budget(left=9, of=10)),  # CORE
        (  # Kong: the window that is used up first
            (
                "X-RateLimit-Limit-Day: 50\nX-RateLimit-Remaining-Day: 0\n"
                "X-RateLimit-Limit-Second: 1\nX-RateLimit-Remaining-Second: 1\nRateLimit-Reset: 40"
            ),
            Budget(left=0, of=50, renewed=40.0),
        ),
        (  # Clarivate: the reset is that of the day, but a second is over in a second
            (
                "x-ratelimit-remaining-second: 0\nx-ratelimit-limit-second: 1\n"
                "ratelimit-reset: 40000"
            ),
            Budget(left=0, of=1, renewed=1.0),
        ),
        (  # Lens
            (
                "x-rate-limit-remaining-request-per-month: 20\n"
                "x-rate-limit-reset-date: 2001-10-09T01:46:40Z"
            ),
            Budget(left=20, renewed=2592000.0),
        ),
        ("X-RateLimit-Limit: 3\nX-RateLimit-Remaining: 2", Budget(left=2, of=3)),  # NCBI
        (  # revision 10 of the draft
            (
                'RateLimit-Policy: "burst";q=100;w=60, "daily";q=1000;w=86400\n'
                'RateLimit: "burst";r=50;t=30, "daily";r=10;t=40000'
            ),
            Budget(left=10, of=1000, renewed=40000.0),
        ),
        (  # revision 7
            "RateLimit: limit=100, remaining=50, reset=5\nRateLimit-Policy: 100;w=10",
            Budget(left=50, of=100, renewed=5.0),
        ),
        (  # revision 3
            "RateLimit-Limit: 100, 100;w=60\nRateLimit-Remaining: 7\nRateLimit-Reset: 9",
            Budget(left=7, of=100, renewed=9.0),
        ),
        ('RateLimit: "a";r=0;t=9\nRateLimit-Policy: "a";q=2;qu="concurrent-requests"', None),
        ("X-RateLimit-Remaining: many", None),
        ("X-RateLimit-Remaining: -1", None),
        ("X-Rated: 5\nContent-Type: text/html", None),
        ('RateLimit: ;;=,,=;\nRateLimit-Policy: "', None),
    ],
)
def test_a_budget_is_read_in_all_forms(text: str, expected: Budget | None) -> None:
    """What is left, of how much, and when it is renewed; of several the scarcest."""
    assert budget(headers(text), NOW) == expected


@each(
    ("left", "spent"),
    [
        ("x-ratelimit-remaining-usd: 0.0003", True),
        ("x-ratelimit-remaining-usd: 0.001", False),
        ("x-ratelimit-remaining-usd: 0\nx-ratelimit-prepaid-remaining-usd: 2.5", False),
    ],
)
def test_a_budget_is_spent_where_one_request_costs_more_than_is_left(
    left: str, spent: bool
) -> None:
    """What is paid in advance comes on top."""
    found = budget(headers(f"{left}\nx-ratelimit-cost-usd: 0.001\nx-ratelimit-reset: 60"), NOW)

    assert found is not None
    assert found.is_spent is spent


def test_a_flood_of_headers_is_read_in_part() -> None:
    """However many a hostile server sends."""
    flood = "\n".join(f"X-RateLimit-Remaining-{n}: 5" for n in range(10_000))

    assert budget(headers(flood), NOW) == Budget(left=5)


@each(
    ("text", "expected"),
    [
        ("X-Rate-Limit-Limit: 5\nX-Rate-Limit-Interval: 1s", Rate(5, 1)),  # Crossref
        ('RateLimit-Policy: "second";q=3;w=1, "day";q=1000;w=86400', Rate(3, 1)),
        ("RateLimit-Policy: 10;w=1, 50;w=10", Rate(50, 10)),
        ("X-RateLimit-Limit: 5", None),
        ("X-Rate-Limit-Limit: 0\nX-Rate-Limit-Interval: 1s", None),
        ("X-Rate-Limit-Limit: 5\nX-Rate-Limit-Interval: 0s", None),
    ],
)
def test_a_rate_is_read(text: str, expected: Rate | None) -> None:
    """Requests in a short window; a long window is a budget."""
    assert rate(headers(text)) == expected


def test_a_budget_in_words() -> None:
    """Users read what is left; they are warned below a tenth."""
    much = Budget(left=0.0997, of=0.1, unit="USD", renewed=3600)
    little = replace(much, left=0.0042)

    assert much.in_words.startswith("0.0997 of 0.1 USD are left until 2")
    assert much.in_words.endswith(" UTC")
    assert much.warning == ""
    assert little.warning.startswith("less than a tenth of its 0.1 USD is left until 2")
    assert replace(little, renewed=5).warning == ""
    assert Budget(left=1200).in_words == "1,200 requests are left"


# What follows, over real sockets


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with Loopback() as it:
        yield it


@pytest.fixture
async def asking(server: Loopback) -> AsyncIterator[tuple[Fetcher, Clock]]:
    clock = Clock()
    transport = HttpTransport(allow=frozenset({server.netloc}))
    fetcher = Fetcher(transport, monotonic=clock, patience=0)
    yield fetcher, clock
    await fetcher.close()


def asked(server: Loopback, number: int = 0) -> Request:
    return Request(source="db", url=server.url("/"), params=(("n", str(number)),))


async def test_a_source_whose_budget_is_spent_is_left_alone_until_it_is_renewed(
    server: Loopback, asking: tuple[Fetcher, Clock]
) -> None:
    """The answer that spends it is an answer; the next request does not go out, and says until
    when; the state says what is left."""
    fetcher, clock = asking
    server.routes["/"] = reply(
        X_RateLimit_Limit_USD="0.1",
        X_RateLimit_Remaining_USD="0.0003",
        X_RateLimit_Cost_USD="0.001",
        X_RateLimit_Reset="40000",
    )
    page = await fetcher.fetch(asked(server), LIMITS)
    with pytest.raises(RateLimited, match=r"used up: asked to wait until 2\d\d\d-.* UTC") as info:
        await fetcher.fetch(asked(server, 1), LIMITS)
    state = fetcher.state("db")

    assert page.status == 200
    assert (len(server.seen), info.value.retry_after) == (1, 40000.0)
    assert (state.state, state.until, state.failures) == ("paused", 40000.0, 0)
    assert state.budget == Budget(left=0.0003, of=0.1, unit="USD", cost=0.001, renewed=40000.0)

    clock.now = 40001.0
    server.routes["/"] = reply()
    await fetcher.fetch(asked(server, 2), LIMITS)

    assert (fetcher.state("db").state, fetcher.state("db").budget) == ("ok", None)


async def test_a_pause_of_hours_is_kept_to(server: Loopback, asking: tuple[Fetcher, Clock]) -> None:
    """A day's budget is used up: nothing is sent before its end, and nothing waits."""
    fetcher, clock = asking
    server.routes["/"] = reply(b"{}", 429, Retry_After="53578")
    with pytest.raises(RateLimited):
        await fetcher.fetch(asked(server), LIMITS)
    clock.now = 53000.0
    with pytest.raises(RateLimited) as info:
        await fetcher.fetch(asked(server, 1), LIMITS)

    assert (len(server.seen), info.value.retry_after) == (1, 578.0)


@pytest.mark.parametrize(
    ("status", "extra", "error", "pause"),
    [
        (429, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "900"}, RateLimited, 900.0),
        (403, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "900"}, RateLimited, 900.0),
        (429, {"X_RateLimit_Remaining": "0"}, RateLimited, LIMITS.pause),
        (429, {"Retry_After": "9999999"}, RateLimited, LONGEST_PAUSE),
        (403, {"X_RateLimit_Remaining": "7"}, AccessDenied, 0.0),
        (200, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "1"}, None, 0.0),
        (200, {"X_RateLimit_Remaining": "0"}, None, 0.0),
    ],
)
async def test_how_long_a_source_is_left_alone(
    server: Loopback,
    asking: tuple[Fetcher, Clock],
    status: int,
    extra: dict[str, str],
    error: type[SourceError] | None,
    pause: float,
) -> None:
    """As long as it says; what is renewed within seconds is a rate, to which our own limits
    keep."""
    fetcher, _ = asking
    server.routes["/"] = reply(b"{}", status, **extra)
    if error is None:
        await fetcher.fetch(asked(server), LIMITS)
    else:
        with pytest.raises(error):
            await fetcher.fetch(asked(server), LIMITS)

    assert fetcher.state("db").until == pause


async def test_another_process_keeps_to_a_long_pause(server: Loopback) -> None:
    """It is kept beside the pages, until its end; who has got a key since is not bound by it."""
    store, day = MemoryStore(clock=lambda: 0.0), Clock()
    server.routes["/"] = reply(b"{}", 429, Retry_After="40000")

    def process() -> Fetcher:
        transport = HttpTransport(allow=frozenset({server.netloc}))
        return Fetcher(transport, store, clock=day, monotonic=lambda: 0.0, patience=0)

    first, second, third = process(), process(), process()
    with pytest.raises(RateLimited):
        await first.fetch(asked(server), KEPT)
    await first.finish_writes()
    day.now = 30000.0
    with pytest.raises(RateLimited) as info:
        await second.fetch(asked(server), KEPT)
    assert (len(server.seen), info.value.retry_after) == (1, 10000.0)

    server.routes["/"] = reply()
    await third.fetch(replace(asked(server), headers=(("key", Secret("hush")),)), KEPT)
    day.now = 40001.0
    fourth = process()
    await fourth.fetch(asked(server), KEPT)
    assert len(server.seen) == 3
    for fetcher in (first, second, third, fourth):
        await fetcher.close()


@pytest.mark.parametrize(
    "kept", [b"", b"x", b"{}", b"[1]", b'["a", "b"]', b"[null, 5]", b'[1e400, ""]']
)
async def test_a_pause_on_a_file_that_somebody_else_wrote(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, kept: bytes
) -> None:
    """What is no pause is none."""
    store = MemoryStore()

    async def get(key: str) -> bytes:
        return kept

    monkeypatch.setattr(store, "get", get)
    server.routes["/"] = reply()
    fetcher = Fetcher(HttpTransport(allow=frozenset({server.netloc})), store, patience=0)

    assert (await fetcher.fetch(asked(server), KEPT)).status == 200
    await fetcher.close()
