"""What the worked examples are made with: the engine, the run of a strategy, and decisions by rule.

The engine asks the demo's databases without sockets, so that what an example holds does not depend
on the machine or the moment; only its dates do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Protocol

from metasearch.demo import replayed
from metasearch.demo.server import DemoTransport, all_held
from metasearch.engine.engine import Engine
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Kind, Project
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.works import decisions, lists, works
from metasearch.review.works.filters import WorksQuery
from metasearch.review.works.works import Stage, Verdict, Work

#: A rule: the verdict on a work, and the reason; None where it says nothing.
Rule = Callable[[Work], tuple[Verdict, str] | None]


class Example(Protocol):
    """Makes the project of an example."""

    def __call__(
        self, workspace: Workspace, *, name: str = ..., by: str = ...
    ) -> Awaitable[Project]:
        """Make it. Raises UsageError: there is a project of this name, or it cannot be one."""


@asynccontextmanager
async def making(
    workspace: Workspace, name: str, kind: Kind, title: str, by: str
) -> AsyncIterator[tuple[Engine, Project]]:
    """An engine over the demo, and a new project, which is removed again if the block fails. Raises
    UsageError: there is a project of this name, or it cannot be one.
    """
    if await workspace.read(_exists, name):
        raise UsageError(
            message("There is a project {name} already", name=repr(name)),
            advice=message(
                "It may be this example: `metasearch project show {name}`. Delete it to make it "
                "anew.",
                name=name,
            ),
        )
    project = await workspace.write(projects.create, name, kind, title, by=by)
    try:
        await asyncio.to_thread(all_held)  # which takes a moment, the first time
        async with Engine(replayed(), transport=DemoTransport()) as engine:
            yield engine, project
    except BaseException:
        await workspace.write(projects.delete, project)
        raise


def content(name: str) -> bytes:
    """A file of the examples."""
    return (files("metasearch.review.examples") / "files" / name).read_bytes()


def found(db: Database, project: Project, query: WorksQuery) -> list[Work]:
    """All works of a list, in its order."""
    return works.read(db, lists.rows(db, project, query))


def decide(
    db: Database, project: Project, rule: Rule, *, stage: Stage = "title", by: str = ""
) -> None:
    """Decide on the works that are undecided in a stage, by a rule."""
    decided: dict[tuple[Verdict, str], list[str]] = {}
    for work in found(db, project, WorksQuery(verdict="undecided", stage=stage)):
        said = rule(work)
        if said is not None:
            decided.setdefault(said, []).append(work.uid)
    with db.transaction():
        for (verdict, reason), uids in decided.items():
            decisions.mark(db, project, uids, verdict, stage=stage, reason=reason, by=by)


def _exists(db: Database, name: str) -> bool:
    return db.one("SELECT 1 FROM project WHERE name = ?", name) is not None
