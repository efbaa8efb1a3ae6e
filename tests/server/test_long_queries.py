"""Long queries do not hold up the server for others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from metasearch import demo
from metasearch.demo import DemoDatabases
from metasearch.query.reader import QueryReader
from metasearch.query.simple_tokens import _Lexer as Lexer
from metasearch.server.app import open_server
from metasearch.server.limits import admission
from metasearch.settings import Settings

#: More than is read on the loop, whatever the syntax.
WORDS = [f"{letter}{number}" for number in range(8) for letter in "bcdfghjklmnpqrstvwxyz"]
OR = " OR ".join(WORDS)
CQL = " or ".join(f"dc.title={word}" for word in WORDS)
SOURCE = "demo-pubmed"
#: Path and parameters of what computes from a text, and whether they are posted.
ROUTES: dict[str, tuple[str, dict[str, str], bool]] = {
    "translate": ("/translate", {"q": OR}, True),
    "translate, by GET": ("/translate", {"q": OR, "to": "ovid"}, False),
    "plan": ("/plan", {"q": OR, "sources": SOURCE}, False),
    "the expert form": ("/advanced", {"q": OR, "tab": "expert", "do": "plan"}, False),
    "the rows": ("/advanced", {"q": OR, "do": "rows"}, False),
    "one long row": ("/advanced", {"text": " ".join(WORDS), "do": "expert"}, False),
    "help": ("/help", {"q": OR}, False),
    "search": ("/search", {"q": OR, "sources": SOURCE, "format": "json"}, True),
    "a page of results": ("/search", {"q": OR, "sources": SOURCE, "format": "html"}, False),
    "a stream": ("/search", {"q": OR, "sources": SOURCE, "format": "sse"}, False),
    "SRU": (
        "/sru",
        {"query": CQL, "operation": "searchRetrieve", "version": "1.2", "x-sources": SOURCE},
        True,
    ),
    "SearXNG": ("/searxng", {"q": OR, "format": "json", "engines": SOURCE}, True),
}


@pytest.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """The address of a server over the demo's databases, which answer at once."""
    monkeypatch.setattr(demo, "DemoDatabases", lambda **more: DemoDatabases(latency=0, **more))
    async with open_server(Settings(cache_dir=tmp_path), demo=True) as url:
        yield url.rstrip("/")


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The threads in which long texts are read, whatever their syntax."""
    found: list[int] = []

    def note(begin: Callable[..., None]) -> Callable[..., None]:
        def noted(self: object, text: str, *more: object) -> None:
            if len(text) > admission.SHORT:
                found.append(threading.get_ident())
            begin(self, text, *more)

        return noted

    for reader in (QueryReader, Lexer):  # of foreign syntaxes; of our own
        monkeypatch.setattr(reader, "__init__", note(reader.__init__))
    return found


@pytest.mark.parametrize("route", ROUTES)
async def test_a_long_query_is_read_beside_the_loop(
    server: str, readers: list[int], route: str
) -> None:
    """Of each route that reads the text of a client: the loop serves others meanwhile."""
    path, parameters, posted = ROUTES[route]
    async with aiohttp.ClientSession() as session:
        how: dict[str, Any] = {"data": parameters} if posted else {"params": parameters}
        async with session.request("POST" if posted else "GET", f"{server}{path}", **how) as sent:
            body = await sent.read()

    assert sent.status == 200, body[:500]
    assert readers
    assert threading.get_ident() not in readers


@pytest.mark.slow
async def test_thirty_long_queries_leave_room_for_others(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one of them is computed, and the others of the same client wait or are told when to
    come again, /healthz, the list of sources and a short query are answered."""
    begun, gone = threading.Event(), threading.Event()

    def held(*_: object) -> dict[str, Any]:
        begun.set()
        gone.wait(30)
        return {}

    async with aiohttp.ClientSession() as session:
        # What is loaded once, and a short query.
        async with session.get(f"{server}/translate", params={"q": "soil"}) as short:
            assert short.status == 200
        monkeypatch.setattr("metasearch.server.short_answers.translations_object", held)

        async def translated() -> tuple[int, bool]:
            async with session.post(f"{server}/translate", data={"q": OR}) as sent:
                return sent.status, "Retry-After" in sent.headers

        thirty = [asyncio.ensure_future(translated()) for _ in range(30)]
        await asyncio.to_thread(begun.wait)
        others = []
        for path in ("/healthz", "/sources?format=json", "/plan?q=soil"):
            async with session.get(f"{server}{path}") as answered:
                others.append(answered.status)
        gone.set()
        statuses = await asyncio.gather(*thirty)

    assert others == [200, 200, 200]
    assert set(statuses) == {(200, False), (429, True)}
    assert statuses.count((200, False)) == 1 + admission.MOST_OF_USER
