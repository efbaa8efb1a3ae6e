"""The rate limit of a client over replicas, and what holds while they cannot ask one another."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from fakeredis import FakeServer

from metasearch.replicas.connection import KeyNames
from metasearch.replicas.redis import ClientRates
from metasearch.server.app import _part
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ClientRateLimiter
from metasearch.server.middleware import _take_quota
from metasearch.server.peers import Peers
from metasearch.settings import Settings
from metasearch.settings.server import SharedSettings
from tests.replicas.fake import SECRET, connected


@dataclass
class Replica:
    """One server, as far as it counts requests."""

    context: Any
    limiter: ClientRateLimiter
    rates: ClientRates

    async def allows(self, client: str) -> bool:
        """Whether a request of the client is answered."""
        return (await _take_quota(self.context, self.limiter, client)).allowed


def replica(server: FakeServer, limit: int, replicas: int = 2) -> Replica:
    """One of so many."""
    rates = ClientRates(connected(server), KeyNames(SECRET))
    settings = Settings(shared=SharedSettings("redis://localhost", replicas))
    engine: Any = SimpleNamespace(settings=settings, take=rates.take)
    options = Options(rate_limit=limit, rate_window=3600.0)
    context = SimpleNamespace(engine=engine, options=options, peers=Peers())
    limiter = ClientRateLimiter(_part(limit, engine), options.rate_window)
    return Replica(context, limiter, rates)


async def test_a_client_has_one_quota_at_all_replicas() -> None:
    """And the headers tell it."""
    server = FakeServer()
    one, other = replica(server, 3), replica(server, 3)
    assert [await each.allows("a") for each in (one, other, one, other, one)] == [
        *(True, True, True),
        *(False, False),
    ]
    quota = await _take_quota(one.context, one.limiter, "b")
    assert quota.headers["RateLimit-Policy"] == '"default";q=3;w=3600'
    assert quota.headers["RateLimit"].startswith('"default";r=2;')
    for each in (one, other):
        await each.rates._connection.close()


async def test_without_the_server_each_allows_its_part() -> None:
    """At least one request."""
    server = FakeServer()
    server.connected = False
    for limit, part in ((6, 3), (1, 1)):
        it = replica(server, limit)
        assert [await it.allows("a") for _ in range(part + 1)] == [*[True] * part, False]
        await it.rates._connection.close()


async def test_who_shares_nothing_asks_no_server() -> None:
    """The limit is whole."""
    engine: Any = SimpleNamespace(settings=Settings())
    assert _part(6, engine) == 6
    options = Options(rate_limit=6)
    context: Any = SimpleNamespace(engine=engine, options=options, peers=Peers())
    assert (await _take_quota(context, ClientRateLimiter(6), "a")).allowed
