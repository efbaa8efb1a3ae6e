"""A review that has searched the demo's databases, and follows citations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports.numbers import ReportNumbers, numbers
from metasearch.review.runs import citations, runs
from metasearch.review.runs.citations import CitationStep
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.run import run_strategy
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.works import decisions, works
from metasearch.review.works.works import CitationLink

#: Of the demo's databases those that know citations.
INDEXES = ("demo-crossref", "demo-openalex", "demo-pubmed")


@dataclass
class Review:
    """A project that has searched the demo's databases."""

    workspace: Workspace
    engine: Engine
    project: Project
    strategy: Strategy
    demo: DemoDatabases

    async def run(self, *numbers: int, **options: Any) -> Run:
        wanted = RunOptions(**{"steps": numbers or None, **options})
        place = self.workspace, self.engine, self.project, self.strategy
        return await run_strategy(*place, wanted)

    async def include(self, count: int, verdict: Any = "relevant") -> list[str]:
        """Decide on the oldest works that are undecided; returns their uids."""

        def decide(project: Project) -> list[str]:
            rows = project.db.all(
                "SELECT uid FROM work WHERE id NOT IN (SELECT work FROM decision)"
                " AND doi <> '' ORDER BY id LIMIT ?",
                count,
            )
            uids = [row["uid"] for row in rows]
            decisions.mark(project, uids, verdict, stage="fulltext")
            return uids

        return await self.workspace.write(self.project.bind(decide))

    async def step(self, **wanted: Any) -> Step:
        """A step that follows citations."""
        wanted = {"indexes": INDEXES, **wanted}
        adding = self.project.bind(citations.add_step)
        return await self.workspace.write(adding, self.strategy, CitationStep(**wanted))

    async def answers(self, run: Run) -> dict[str, StoredAnswer]:
        found = await self.workspace.read(runs.answers, run)
        return {answer.source: answer for answer in found}

    async def numbers(self) -> ReportNumbers:
        return await self.workspace.read(self.project.bind(numbers))

    async def uids(self, run: int | None = None) -> list[str]:
        """The works of the project, or those that a run has found first."""
        return await self.workspace.read(
            lambda db: [
                row["uid"]
                for row in db.all(
                    "SELECT work.uid FROM work JOIN run ON run.id = work.first_run"
                    " WHERE ?1 IS NULL OR run.number = ?1 ORDER BY work.id",
                    run,
                )
            ]
        )

    async def links(self, uid: str) -> list[CitationLink]:
        def read(project: Project) -> list[CitationLink]:
            return works.links_of(project, works.find(project, uid))

        return await self.workspace.read(self.project.bind(read))


@asynccontextmanager
async def review(folder: Path, *, faults: bool = False) -> AsyncIterator[Review]:
    """A review whose search has brought some works."""
    async with DemoDatabases(latency=0, faults=faults) as demo:
        workspace = Workspace(folder / "workspace.db")
        engine = Engine(demo.settings(), recorded_as=demo.recorded_as)
        async with workspace, engine:
            project = await workspace.write(projects.create, "review", "review")
            strategy = await workspace.write(project.bind(strategies.create), "main")
            await workspace.write(steps.add, strategy, "learning")
            made = Review(workspace, engine, project, strategy, demo)
            await made.run(sources=["demo-crossref", "demo-openalex"], per_source=60)
            yield made
