"""How often one client may ask."""

from __future__ import annotations

from metasearch.server.limits.client_limits import ClientRateLimiter
from tests.cases import each


class Clock:
    """Seconds that pass when told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def limiter(limit: int = 3, most: int = 10) -> tuple[ClientRateLimiter, Clock]:
    """Buckets over a minute, and their clock."""
    clock = Clock()
    return ClientRateLimiter(limit, 60.0, most, clock), clock


def test_a_bucket_empties_and_fills_evenly():
    """As many at once as fit in, then one each time that a part of the window has passed."""
    buckets, clock = limiter()
    assert [buckets.take("a").allowed for _ in range(5)] == [True, True, True, False, False]

    clock.now += 19.9
    assert not buckets.take("a").allowed
    clock.now += 0.2
    assert buckets.take("a").allowed
    assert not buckets.take("a").allowed
    clock.now += 1000
    assert [buckets.take("a").allowed for _ in range(4)] == [True, True, True, False]


def test_clients_do_not_share():
    """What one has used is there for the others."""
    buckets, _ = limiter(1)

    assert [buckets.take(name).allowed for name in ("a", "b", "a")] == [True, True, False]


def test_the_table_is_bounded():
    """Many addresses cost no more memory than few; who was silent longest is forgotten first."""
    buckets, _ = limiter(1, most=10)
    buckets.take("first")
    for number in range(9):
        buckets.take(str(number))
    assert not buckets.take("first").allowed
    for number in range(9, 1000):
        buckets.take(str(number))

    assert len(buckets) == 10
    assert buckets.take("first").allowed


def test_full_buckets_are_not_kept():
    """Whoever has been silent for a window is as good as new."""
    buckets, clock = limiter()
    buckets.take("a")
    clock.now += 60
    buckets.take("b")

    assert len(buckets) == 1


def test_headers_say_what_is_left():
    """As the IETF draft writes them; and when to come again."""
    buckets, clock = limiter()
    first = buckets.take("a")
    assert first.headers == {
        "RateLimit-Policy": '"default";q=3;w=60',
        "RateLimit": '"default";r=2;t=20',
    }
    for _ in range(3):
        last = buckets.take("a")
    clock.now += 5.5
    last = buckets.take("a")

    assert (last.headers["RateLimit"], last.wait) == ('"default";r=0;t=55', 15)


PROXIED = {"X-Forwarded-For": "192.0.2.7"}


async def test_too_many_requests_are_told_when_to_come_again(serve, engine):
    """429 as a problem document, with Retry-After, and without asking a source."""
    client = await serve(engine, rate_limit=2)
    first = await client.get("/search?q=mice&format=json", headers=PROXIED)
    await client.get("/sources", headers=PROXIED)
    last = await client.get("/search?q=mice&format=json", headers=PROXIED)
    assert (await client.get("/plan?q=mice", headers=PROXIED)).status == 429
    problem = await last.json(content_type="application/problem+json")

    assert (first.status, first.headers["RateLimit-Policy"]) == (200, '"default";q=2;w=60')
    assert first.headers["RateLimit"].startswith('"default";r=1;t=')
    assert (last.status, problem["type"]) == (429, "urn:metasearch:problem:rate-limited")
    assert 1 <= int(last.headers["Retry-After"]) <= 30
    assert last.headers["RateLimit"].startswith('"default";r=0;t=')
    assert len(engine.asked) == 1


async def test_streams_say_what_is_left(serve):
    """Their headers go out before the first event."""
    client = await serve(rate_limit=2)
    response = await client.get("/search?q=mice&format=sse", headers=PROXIED)

    assert response.headers["RateLimit"].startswith('"default";r=1;')


@each("path", ["/static/style.css", "/favicon.ico", "/healthz", "/readyz", "/metrics"])
async def test_what_is_not_counted(serve, path):
    """Files and who watches the server."""
    client = await serve(rate_limit=1)
    responses = [await client.get(path, headers=PROXIED) for _ in range(3)]

    assert {it.status for it in responses} == {200}
    assert all("RateLimit" not in it.headers for it in responses)


async def test_this_machine_is_not_counted(serve):
    """Who works at it has no quota, and no header speaks of one."""
    client = await serve(rate_limit=1)
    responses = [await client.get("/sources") for _ in range(3)]

    assert {it.status for it in responses} == {200}
    assert "RateLimit" not in responses[0].headers


async def test_no_limit(serve):
    """0 is any number."""
    client = await serve(rate_limit=0)

    assert {(await client.get("/sources", headers=PROXIED)).status for _ in range(3)} == {200}
