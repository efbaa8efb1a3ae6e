"""A result page whose every event a test sends itself: the script of the page and its style sheet
are real, the cards come from the real template, and the server does nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import orjson
from aiohttp import web
from aiohttp.test_utils import TestServer

from metasearch.language import DEFAULT, language
from metasearch.record import Record
from metasearch.server.pages.environment import ASSETS, macro
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.page import CONTENT_SECURITY_POLICY
from tests.server.fake import hit, record

_HERE = Path(__file__).parent
FRAME = (_HERE / "frame.html").read_text()
FACETS = (_HERE / "facets.html").read_text()
ABSTRACT = "Mice were counted twice, before and after the drive was released on the island. " * 6


@dataclass(frozen=True)
class Work:
    """One work of the list; a test changes it with `dataclasses.replace`."""

    number: int
    title: str = ""
    sources: tuple[str, ...] = ("alpha",)
    abstract: str = ABSTRACT
    also: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        return id_of(self.number)

    def card(self, rank: int = 0) -> str:
        """Its HTML, from the template of the server."""
        title = self.title or f"Work {self.number} on gene drives in island mice"
        fields: dict[str, Any] = {
            "title": title,
            "abstract": self.abstract,
            "doi": f"10.5555/{self.number}",
        }
        records: tuple[Record, ...] = tuple(
            record(source, self.number, **fields) for source in self.sources
        )
        made = replace(
            hit(self.number, **fields),
            id=self.id,
            rank=rank or self.number,
            records=records,
            also=tuple(map(id_of, self.also)),
        )
        view = hit_view(made, {}, "http://127.0.0.1/", page=f"/work/{self.id}")
        return str(_article(view, f"{title}. 2021.")).strip()


_article = macro("_hit.html", "article", language(DEFAULT))


def id_of(number: int) -> str:
    """As ids of hits are: "h" and 12 hexadecimal digits."""
    return f"h{number:012x}"


def works(*numbers: int) -> list[Work]:
    return [Work(number) for number in numbers]


class ScriptedSearch:
    """A server with one page, `/search`, and the stream that continues it."""

    def __init__(self) -> None:
        self.first: Sequence[Work] = ()  # works of the page as it is sent
        self.over = False  # whether the page is sent finished
        self.refuses = False  # whether a connection of the stream is refused
        self.facets = FACETS
        self.asked: list[str] = []  # addresses of pages that were asked for
        self.posted: list[list[tuple[str, str]]] = []
        self.connections = 0
        self._streams: list[web.StreamResponse] = []
        self._connected = asyncio.Condition()
        self._state: bytes | None = None
        app = web.Application()
        app.router.add_get("/search", self._page)
        app.router.add_get("/updates", self._updates)
        app.router.add_post("/basket", self._basket)
        app.router.add_get("/static/{name}", self._asset)
        app.router.add_get("/{elsewhere:.*}", self._elsewhere)
        self._server = TestServer(app)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.drop()
        await self._server.close()

    @property
    def address(self) -> str:
        return str(self._server.make_url("/search?q=mice"))

    async def send(self, name: str, data: Any) -> None:
        """Sends an event to the reader, and waits for one where there is none."""
        async with self._connected:
            await self._connected.wait_for(lambda: self._streams)
            await self._streams[-1].write(_event(name, data))

    async def page(
        self,
        shown: Iterable[Work],
        *,
        changed: Iterable[Work] | None = None,
        done: bool = False,
        **more: Any,
    ) -> None:
        """Sends a state of the page: its works in order; `changed` of None sends all cards."""
        shown = list(shown)
        cards = [(work.id, work.card()) for work in (shown if changed is None else changed)]
        while len(cards) > 20:
            await self.send("cards", {"cards": cards[:20]})
            cards = cards[20:]
        answered = more.pop("answered", 10 if done else 5)
        state = {
            "status": f"{answered} of 10 databases have answered, {len(shown)} works.",
            "answered": answered,
            "asked": 10,
            "start": 0,
            "parts": {},
            "counts": {},
            "cards": cards,
            "order": [work.id for work in shown],
            "done": done,
            **more,
        }
        await self.send("page", state)

    async def drop(self) -> None:
        """Breaks all connections of the stream."""
        for stream in list(self._streams):
            transport = stream.test_transport  # type: ignore[attr-defined]
            if transport is not None:
                transport.abort()
        while self._streams:
            await asyncio.sleep(0.01)

    async def _page(self, request: web.Request) -> web.Response:
        self.asked.append(str(request.rel_url))
        running = not self.over
        text = FRAME.format(
            busy='aria-busy="true"' if running else "",
            updates='data-updates="/updates?q=mice"' if running else "",
            hidden="" if running else "hidden",
            facets=self.facets,
            cards="\n".join(work.card(rank) for rank, work in enumerate(self.first, 1)),
        )
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Cache-Control": "no-store"}
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _updates(self, request: web.Request) -> web.StreamResponse:
        self.connections += 1
        if self.refuses:
            return web.Response(status=503)
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        stream.test_transport = request.transport  # type: ignore[attr-defined]
        await stream.write(b"retry: 200\n\n")
        async with self._connected:
            self._streams.append(stream)
            self._connected.notify_all()
        try:
            await asyncio.Event().wait()
        finally:  # the reader has gone
            self._streams.remove(stream)

    async def _basket(self, request: web.Request) -> web.Response:
        form = await request.post()
        self.posted.append([(name, str(value)) for name, value in form.items()])
        return web.Response(text="<!DOCTYPE html><title>Basket</title>", content_type="text/html")

    async def _asset(self, request: web.Request) -> web.Response:
        asset = ASSETS[request.match_info["name"]]
        return web.Response(body=asset.body, content_type=asset.media_type)

    async def _elsewhere(self, request: web.Request) -> web.Response:
        return web.Response(
            text="<!DOCTYPE html><title>Elsewhere</title>", content_type="text/html"
        )


def _event(name: str, data: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))
