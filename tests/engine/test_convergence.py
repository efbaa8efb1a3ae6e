"""Replicas answer as one engine alone does, however their searches come between one another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fakeredis import FakeServer
from hypothesis import Phase, given
from hypothesis import strategies as st

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import Request
from metasearch.cache import MemoryStore
from metasearch.engine.engine import Engine
from metasearch.formats.answer import answer_object
from metasearch.replicas.connection import KeyNames
from metasearch.replicas.redis import RedisSharing
from tests.answers import untimed
from tests.engine.test_engine import Upstreams, engine, item, works
from tests.examples import examples
from tests.replicas.fake import SECRET, client, connected, pages

QUERIES = ("soil", "marsh", "peat")
SOURCES = ("alpha", "beta", "gamma")
#: A search: which replica, which of the queries, after how many turns of the loop it begins.
Asked = tuple[int, str, int]


def _body(request: Request) -> bytes:
    """The works of a source for a query: some are the same in all sources, one has none."""
    query = next(value for name, value in request.params if name.startswith("query"))
    assert isinstance(query, str)
    if (request.source, query) == ("beta", "peat"):
        return works()
    found = [item(f"{query} of {request.source}"), item(f"On {query}", f"10.1000/{query}")]
    return works(*found, item(f"{query} and carbon", year=2019 + len(request.source)))


#: An example runs for a tenth of a second and longer: the first that fails is told as it is.
UNSHRUNK = (Phase.explicit, Phase.generate)
BODIES = dict.fromkeys(SOURCES, _body)


@dataclass
class Replicas:
    """Two engines over one simulated server."""

    engines: Sequence[Engine]
    upstreams: Upstreams
    server: FakeServer

    async def close(self) -> None:
        """Closes both."""
        for each in self.engines:
            await each.close()


async def replicas(turns: dict[str, int]) -> Replicas:
    """Two, each with a cache of its own; sources answer after so many turns of the loop."""
    server = FakeServer()
    # The server began long ago: one that begins anew lets nothing start for a moment.
    await client(server).set(KeyNames(SECRET).of("began"), "1")
    engines = [engine(BODIES)[0] for _ in range(2)]
    upstreams = Upstreams(BODIES, turns)
    for each in engines:
        sharing = RedisSharing(
            connected(server), KeyNames(SECRET), sources=lambda: SOURCES, pages=pages(server)
        )
        each._fetcher = Fetcher(upstreams, MemoryStore(), patience=0, sharing=sharing)
    return Replicas(engines, upstreams, server)


def plain(answer: Any) -> Any:
    """What an answer says, apart from how long it took and where its pages lay."""
    told = untimed(answer_object(answer))
    for report in told["sources"]:
        report.pop("cached", None)
    return told


@cache
def alone(query: str) -> Any:
    """The answer of one engine that shares nothing."""

    async def run() -> Any:
        made, _ = engine(BODIES)
        answer = plain(await made.search(query))
        await made.close()
        return answer

    return asyncio.run(run())


async def _turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def _asked(made: Replicas, asked: Sequence[Asked]) -> list[Any]:
    """The answers of searches that go on at the same time."""

    async def one(number: int, query: str, after: int) -> Any:
        await _turns(after)
        return plain(await made.engines[number].search(query))

    return await asyncio.gather(*(one(*each) for each in asked))


SEARCHES = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(QUERIES), st.integers(0, 40)),
    min_size=1,
    max_size=6,
)
TURNS = st.fixed_dictionaries({name: st.integers(0, 30) for name in SOURCES})


@examples(0.3, phases=UNSHRUNK)
@given(SEARCHES, TURNS)
def test_searches_of_two_replicas_get_the_answers_of_one_engine(
    asked: list[Asked], turns: dict[str, int]
) -> None:
    """Equal or different, in any order; and each request is sent once."""

    expected = [alone(query) for _, query, _ in asked]

    async def run() -> None:
        made = await replicas(turns)
        found = await _asked(made, asked)
        again = await _asked(made, [(1 - number, query, 0) for number, query, _ in asked])
        sent = [page_key(request) for request in made.upstreams.asked]
        await made.close()
        assert found == again == expected
        assert len(sent) == len(set(sent))

    asyncio.run(run())


@examples(0.3, phases=UNSHRUNK)
@given(SEARCHES, TURNS, st.integers(0, 120))
def test_a_server_that_goes_away_costs_no_search_its_answer(
    asked: list[Asked], turns: dict[str, int], after: int
) -> None:
    """Whenever that happens."""

    expected = [alone(query) for _, query, _ in asked]

    async def run() -> None:
        made = await replicas(turns)

        async def lost() -> None:
            await _turns(after)
            made.server.connected = False

        found, _ = await asyncio.gather(_asked(made, asked), lost())
        found_after = await _asked(made, asked)
        await made.close()
        assert found == found_after == expected

    asyncio.run(run())


@examples(0.2, phases=UNSHRUNK)
@given(SEARCHES, TURNS, st.binary(max_size=60), st.sampled_from(["damage", "delete", "forge"]))
def test_what_others_write_into_the_server_changes_no_answer(
    asked: list[Asked], turns: dict[str, int], foreign: bytes, how: str
) -> None:
    """Pages that are damaged, deleted or forged between two searches are asked for anew."""

    expected = [alone(query) for _, query, _ in asked]

    async def run() -> None:
        made = await replicas(turns)
        await _asked(made, asked)
        for each in made.engines:
            await each._fetcher.finish_writes()
        redis = client(made.server)
        for name in await redis.keys("ms:{v1}:page:*"):
            kept = await redis.get(name)
            if how == "delete":
                await redis.delete(name)
            else:
                new = foreign if how == "forge" else kept[:-1] + bytes([kept[-1] ^ 1])
                await redis.set(name, new, keepttl=True)
        fresh = await _asked(made, [(1 - number, query, 0) for number, query, _ in asked])
        await made.close()
        assert fresh == expected

    asyncio.run(run())


async def test_no_query_is_told_to_the_server() -> None:
    """Neither in the name of a key nor in a name within its value; pages are not readable
    without the library, but that is no secret."""
    made = await replicas({})
    await _asked(made, [(0, query, 0) for query in QUERIES])
    for each in made.engines:
        await each._fetcher.finish_writes()
    redis = client(made.server)
    told: list[bytes] = []
    for name in await redis.keys("*"):
        told.append(name)
        match await redis.type(name):
            case b"string":
                told.append(await redis.get(name))
            case b"zset":
                told += await redis.zrange(name, 0, -1)
            case b"list":
                told += await redis.lrange(name, 0, -1)
            case b"none":  # it has expired since
                pass
            case other:
                raise AssertionError(f"{name!r} is a {other!r}")
    await made.close()

    assert any(b":page:" in text for text in told)
    for word in (*QUERIES, *SOURCES):
        assert not any(word.encode() in text for text in told)
