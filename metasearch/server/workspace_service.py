"""The workspace of a server: its file, and the runs that it does in the background.

The pages and the JSON interface both use this one object; `site.workspace_of` gives it to a
handler. Workers of one server share the file; a run belongs to the worker that began it, and the
others see its answers in the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from metasearch.server.background import Jobs
from metasearch.workspace import projects
from metasearch.workspace.projects import Project
from metasearch.workspace.workspace import Workspace

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine


class WorkspaceService:
    """What the handlers of one process share of a workspace.

    Args:
        path: Of the file; made where it does not exist.
        engine: Asks the sources.

    Attributes:
        workspace: Its file: `await service.workspace.read(function, ...)`.
        jobs: The runs of this process, by the id of their project.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self.workspace = Workspace(path)
        self.engine = engine
        self.jobs: Jobs[object] = Jobs()

    async def open(self) -> None:
        """Open the file, so that a server that cannot use it does not start.

        Raises:
            WorkspaceError: It cannot be used.
        """
        await self.workspace.write(projects.every)

    async def close(self) -> None:
        """End the runs, whose answers so far are saved, and close the file."""
        await self.jobs.close()
        await self.workspace.close()

    async def projects(self) -> list[Project]:
        """All projects, the newest first."""
        return await self.workspace.read(projects.every)

    async def project(self, name: str) -> Project:
        """The project with this uid or name.

        Raises:
            UsageError: There is none.
        """
        return await self.workspace.read(projects.find, name)
