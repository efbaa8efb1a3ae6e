"""A saved search in a workspace, and an engine whose sources answer from a table that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Request
from metasearch.engine.engine import Engine
from metasearch.errors import ConnectFailed
from metasearch.review.alerts import news as told
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.news import SavedSearchRun
from metasearch.review.alerts.runs import run_saved
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store.workspace import Workspace
from tests.engine.test_engine import Body, Upstreams, engine, item, works

#: Works of the simulated sources.
MARSH, PEAT, BIRDS = (
    item("Soil carbon in marshes", "10.1000/one"),
    item("Peat and soil carbon", "10.1000/two", year=2012),
    item("Salt marsh birds", "10.1000/three"),
)
SOURCES: Mapping[str, Body] = {
    "alpha": works(MARSH, PEAT),
    "beta": works(item("SOIL CARBON IN MARSHES", "10.1000/one"), BIRDS),
}
#: The year of all runs.
YEAR = 2026


def away(request: Request) -> bytes:
    """The body of a source that cannot be reached."""
    raise ConnectFailed(request.source, "no route to the host")


@dataclass(slots=True)
class Watched:
    """A saved search and its sources.

    Attributes:
        upstreams: Its `bodies` are a dict: what the sources answer from now on.
    """

    workspace: Workspace
    engine: Engine
    upstreams: Upstreams
    saved: SavedSearch

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.engine.close()
        await self.workspace.close()

    async def again(self, **bodies: Body) -> SavedSearchRun:
        """A run in which these sources answer otherwise than before."""
        self.upstreams.bodies = {**self.upstreams.bodies, **bodies}
        # No run is spoilt by the failures of the one before it: days lie between them.
        self.engine._fetcher = Fetcher(self.upstreams, None, patience=0)
        current = await self.current()
        return await run_saved(self.workspace, self.engine, current, year=YEAR)

    async def current(self) -> SavedSearch:
        """The saved search as it is now."""
        return await self.workspace.read(searches.by_id, self.saved.id)

    async def news(self, run: SavedSearchRun) -> dict[str, str]:
        """Title -> kind, of what a run has told."""
        found = await self.workspace.read(told.news_of, self.saved, run=run.number)
        return {each.hit.record.title: each.kind for each in found}


async def watched(folder: Path, bodies: Mapping[str, Body] = SOURCES, **more: Any) -> Watched:
    """A saved search of sources with these answers."""
    made, upstreams = engine(dict(bodies))
    workspace = Workspace(folder / "workspace.db")
    known: dict[str, Any] = {"schedule": "daily"} | more
    one = await workspace.write(searches.create, "soil", "soil carbon", **known)
    return Watched(workspace, made, upstreams, one)
