"""A project with a strategy, and an engine whose sources answer from a table."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.request import Page, Request
from metasearch.engine.engine import Engine
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import runs
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Step, Strategy
from tests.engine.test_engine import Body, Upstreams, engine, item, works

#: Works of the simulated sources, by what they are about.
MARSH, PEAT, BIRDS = (
    item("Soil carbon in marshes", "10.1000/one"),
    item("Peat and soil carbon", "10.1000/two", year=2012),
    item("Salt marsh birds", "10.1000/three"),
)
SOURCES: Mapping[str, Body] = {
    "alpha": works(MARSH, PEAT),
    "beta": works(item("SOIL CARBON IN MARSHES", "10.1000/one"), BIRDS),
}


def paged(total: int, **more: Any) -> Any:
    """A source with so many works, which gives the page that is asked for."""

    def page(request: Request) -> bytes:
        params = dict(request.params)
        start, size = int(str(params["offset"])), int(str(params["rows"]))
        numbers = range(start + 1, min(total, start + size) + 1)
        made = [item(f"Soil {one}", f"10.1000/{request.source}.{one}", **more) for one in numbers]
        return works(*made, total=total)

    return page


class Dated(Upstreams):
    """Upstreams whose pages have the time at which they were fetched."""

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        """As of any transport."""
        page = await super().send(request, timeout=timeout, max_bytes=max_bytes)
        return replace(page, fetched_at=time.time())


@dataclass(slots=True)
class Planned:
    """A project in a workspace of its own.

    Attributes:
        engine: Its sources answer from a table.
        upstreams: What they were asked.
    """

    workspace: Workspace
    engine: Engine
    upstreams: Upstreams
    project: Project
    strategy: Strategy

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.engine.close()
        await self.workspace.close()

    async def answers(self, run: Run) -> dict[tuple[int, str], StoredAnswer]:
        """The answers in a run, by step and source."""
        found = await self.workspace.read(runs.answers, run)
        return {(answer.step, answer.source): answer for answer in found}

    async def titles(self) -> list[str]:
        """The titles of the works of the project."""
        return await self.workspace.read(
            lambda db: [row["title"] for row in db.all("SELECT title FROM work ORDER BY title")]
        )

    async def add(self, *texts: str) -> list[Step]:
        """Further steps."""
        return [
            await self.workspace.write(steps.add, self.strategy, text, syntax="simple")
            for text in texts
        ]


async def planned(
    folder: Path,
    texts: Sequence[str],
    bodies: Mapping[str, Body] = SOURCES,
    *,
    years: str = "",
    **settings: Any,
) -> Planned:
    """A project with these steps, and sources with these answers."""
    workspace = Workspace(folder / "workspace.db")
    project = await workspace.write(projects.create, "marshes", "review")
    strategy = await workspace.write(project.bind(strategies.create), "main", years=years)
    whole = _with_engine(workspace, project, strategy, bodies, settings)
    await whole.add(*texts)
    return whole


async def reopened(folder: Path, bodies: Mapping[str, Body] = SOURCES, **settings: Any) -> Planned:
    """The project that `planned` has made there, perhaps in a process that is gone."""
    workspace = Workspace(folder / "workspace.db")
    project = await workspace.read(projects.find, "marshes")
    strategy = await workspace.read(project.bind(strategies.find), "main")
    return _with_engine(workspace, project, strategy, bodies, settings)


def _with_engine(
    workspace: Workspace,
    project: Project,
    strategy: Strategy,
    bodies: Mapping[str, Body],
    settings: Mapping[str, Any],
) -> Planned:
    made, _ = engine(bodies, **settings)
    upstreams = Dated(bodies)
    made._fetcher = Fetcher(upstreams, None, patience=0)
    return Planned(workspace, made, upstreams, project, strategy)
