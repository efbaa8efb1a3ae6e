"""The simulated databases behind real sockets, and without any."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from metasearch.adapters.request import Page, Request, public
from metasearch.demo.catalogue import NOTICE, Holdings, works
from metasearch.demo.catalogue_file import read_catalogue
from metasearch.demo.databases import all_holdings, databases, given_holdings
from metasearch.demo.databases.database import SimulatedDatabase
from metasearch.errors import TimedOut, TooLarge
from metasearch.message import message
from metasearch.settings import Settings

if TYPE_CHECKING:
    from aiohttp import web


HOST = "127.0.0.1"


class _World(NamedTuple):
    """What a demo is made of. `whole`: all of its works, for sentences."""

    databases: tuple[SimulatedDatabase, ...]
    holdings: Mapping[str, Holdings]
    whole: str


def demo_world(catalogue: Path | None = None, faults: bool | None = None) -> _World:
    """See `DemoDatabases`. Nothing changes a world: the demos of a process share it.

    Raises:
        FileFormatError: The catalogue cannot be read.
    """
    try:
        found = None if catalogue is None else catalogue.stat()
    except OSError:  # reading it says why
        found = None
    return _world(catalogue, faults, found and (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=4)
def _world(catalogue: Path | None, faults: bool | None, _state: tuple[int, int] | None) -> _World:
    """`_state`: another one is another file of the same name."""
    chosen = databases(catalogue is not None, faults)
    if catalogue is None:
        return _World(
            chosen, all_holdings(works()), message("the demo's {count} works", count=len(works()))
        )
    given = read_catalogue(catalogue)
    whole = message("the {count} works of {file}", count=f"{len(given):,}", file=catalogue.name)
    return _World(chosen, given_holdings(given, chosen), whole)


def notice(catalogue: Path | None = None) -> str:
    """For the start page of a server that runs the demo."""
    if catalogue is None:
        return NOTICE
    return message(
        "This is a demonstration: the databases are simulated on this machine, and nothing is sent "
        "elsewhere. They hold {works}.",
        works=demo_world(catalogue).whole,
    )


class DemoDatabases:
    """The databases run from entering to leaving, each on a port that the system chooses: any
    number of demos may run.

    Args:
        latency: Scales the time that each database takes to answer; 0 answers at once. Or the
            seconds by name; those that are not named answer at once.
        faults: Whether a slow and a failing database are there too; None has them with the
            built-in catalogue only.
        catalogue: A file of works instead of the built-in catalogue, one JSON object a line;
            docs/cli.md says what is in it. They are spread over the databases, each of which tells
            them in its own spelling.

    Raises:
        FileFormatError: The catalogue cannot be read.
    """

    def __init__(
        self,
        latency: float | Mapping[str, float] = 1.0,
        faults: bool | None = None,
        catalogue: Path | str | None = None,
    ) -> None:
        self._latency = latency
        self._world = demo_world(None if catalogue is None else Path(catalogue), faults)
        self._ports: dict[str, int] = {}
        self._running = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as starting:
            for database in self._world.databases:
                await self._start(database, self._world.holdings[database.name], starting)
            self._running = starting.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ports.clear()
        await self._running.aclose()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {port}" for name, port in self._ports.items())
        return f"<DemoDatabases {shown or 'closed'}>"

    @property
    def recorded_as(self) -> dict[str, str]:
        """Origin of each database -> the one that `replay_settings` gives it, for
        `Engine(recorded_as=...)`.
        """
        return {
            f"http://{_place(port)}": f"http://{_name(name)}" for name, port in self._ports.items()
        }

    @property
    def allow(self) -> frozenset[str]:
        """Each database's host:port, for the guard that refuses private addresses."""
        return frozenset(map(_place, self._ports.values()))

    def settings_tables(self) -> dict[str, dict[str, Any]]:
        """The `[sources.NAME]` tables, for `Settings.sources`."""
        return _tables(self._places(), self._world)

    def settings(self, rest: Settings | None = None) -> Settings:
        """Settings that know these databases and no others, so that nothing leaves this machine.

        Args:
            rest: Says everything else; keys and cache are left out.
        """
        return _settings(self._places(), self._world, rest or Settings())

    def _places(self) -> dict[str, str]:
        return {name: _place(port) for name, port in self._ports.items()}

    async def _start(
        self, database: SimulatedDatabase, holdings: Holdings, starting: AsyncExitStack
    ) -> None:
        from aiohttp import web

        scale = self._latency
        seconds = (
            scale.get(database.name, 0.0)
            if isinstance(scale, Mapping)
            else database.latency * scale
        )

        async def handle(request: web.Request) -> web.Response:
            params = dict(request.query)
            if request.method == "POST":
                params |= {
                    name: value
                    for name, value in (await request.post()).items()
                    if isinstance(value, str)
                }
            await asyncio.sleep(seconds)
            reply = database.answer(request.path, params, holdings)
            headers = {"Content-Type": reply.content_type, **reply.headers}
            return web.Response(body=reply.body, status=reply.status, headers=headers)

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handle)
        # A client that gives up, or the end of the demo, must not wait for a slow answer.
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.05
        )
        await runner.setup()
        starting.push_async_callback(runner.cleanup)
        listening = socket.create_server((HOST, 0))
        await web.SockSite(runner, listening).start()
        self._ports[database.name] = listening.getsockname()[1]


def replay_settings(
    rest: Settings | None = None, *, catalogue: Path | None = None, faults: bool | None = None
) -> Settings:
    """Settings as those of `DemoDatabases.settings`, for a replay or a plan: no database runs, and
    each has a name instead of a port, which is the same in every run. `catalogue`: by default that
    of `rest`.
    """
    rest = rest or Settings()
    catalogue = catalogue or rest.demo_catalogue
    world = demo_world(catalogue, faults)
    places = {database.name: _name(database.name) for database in world.databases}
    return _settings(places, world, replace(rest, demo_catalogue=catalogue))


def _place(port: int) -> str:
    return f"{HOST}:{port}"


def _name(database: str) -> str:
    """A host that exists nowhere (RFC 6761), so that nothing is ever sent there."""
    return f"{database}.invalid"


def _settings(places: Mapping[str, str], world: _World, rest: Settings) -> Settings:
    tables = _tables(places, world)
    return replace(
        rest,
        sources=tables,
        default_sources=tuple(tables),
        enrich=(),
        allow=frozenset(place for place in places.values() if ":" in place),
        shipped=False,
        cache_dir=None,
        env={},
    )


def _tables(places: Mapping[str, str], world: _World) -> dict[str, dict[str, Any]]:
    return {
        database.name: {
            "extends": database.extends,
            "label": database.label,
            "coverage": message(
                "{count} of {works}",
                count=len(world.holdings[database.name].works),
                works=world.whole,
            ),
            "url": f"http://{places[database.name]}{database.path}",
            # The catalogue may differ from run to run, and no one is spared by asking slowly.
            "limits": {"requests": 100, "per": 1.0, "concurrency": 8, "ttl": 0},
        }
        for database in world.databases
        if database.name in places
    }


class DemoTransport:
    """Answers requests to the addresses of `replayed()`, and sends nothing: an engine with both
    searches the same works as the demo, its requests are the same on every day, and no HTTP client
    or server is loaded.

    `latency`: scales the time that each database takes to answer; 0 answers at once. `catalogue`,
    `faults`: as of `DemoDatabases`.
    """

    def __init__(
        self, latency: float = 0.0, *, catalogue: Path | None = None, faults: bool | None = None
    ) -> None:
        self._latency = latency
        self._world = demo_world(catalogue, faults)
        self._databases = {_name(database.name): database for database in self._world.databases}

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`.

        Raises:
            TimedOut: The database takes longer.
            TooLarge: The answer is larger.
            ValueError: The address is that of no simulated database.
        """
        began = time.perf_counter()
        address = urlsplit(request.url)
        database = self._databases.get(address.netloc)
        if database is None:
            raise ValueError(f"{request.log_url} is no address of the demo")
        seconds = database.latency * self._latency
        if seconds:
            await asyncio.sleep(min(seconds, timeout))
        if seconds > timeout:
            late = message("no whole answer within {seconds} s", seconds=f"{timeout:g}")
            raise TimedOut(request.source, late, url=request.log_url)
        params = dict(parse_qsl(address.query))
        params |= dict(public(request.params)) | dict(public(request.body))
        reply = database.answer(unquote(address.path), params, self._world.holdings[database.name])
        if len(reply.body) > max_bytes:
            raise TooLarge(request.source, max_bytes, url=request.log_url)
        return Page(
            request=request,
            status=reply.status,
            content_type=reply.content_type,
            body=reply.body,
            fetched_at=time.time(),
            seconds=time.perf_counter() - began,
        )

    async def close(self) -> None:
        """Nothing is held."""
