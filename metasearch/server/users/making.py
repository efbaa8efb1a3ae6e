"""Projects that a request makes: on a server with users, their maker owns them.

A name of a project is known in the whole workspace. Where there are users, one that is taken gets
"-2" behind it, as in an import: nobody is told to whom the other one belongs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from metasearch.server.identity import identity_of
from metasearch.server.users.people import client_of
from metasearch.workspace import projects
from metasearch.workspace.archive.reading import ImportedProject, import_project
from metasearch.workspace.projects import Kind, Project
from metasearch.workspace.store.database import Database


@dataclass(frozen=True, slots=True)
class Maker:
    """Who makes projects. `uid`: of the user; None on a server without users. `client`: a pseudonym
    of the address, for the audit log.
    """

    uid: str | None
    client: str

    def create(self, db: Database, name: str, kind: Kind, title: str = "") -> Project:
        """Make a project. Raises UsageError: as `projects.create`."""
        with db.transaction():
            free = self._free(db, name)
            made = projects.create(db, free, kind, title or name, by=self.uid or "")
            self._own(db, made)
            return made

    def imported(
        self,
        db: Database,
        path: Path,
        name: str | None,
        largest: int | None = None,
    ) -> ImportedProject:
        """Make a project of an archive; without a name it has that of the archive. Raises
        UsageError: as `import_project`; WorkspaceError: as `import_project`.
        """
        free = self._free(db, name) if name else None
        by = self.uid or ""
        return import_project(db, path, name=free, largest=largest, by=by, last=self._own)

    def listed(self, db: Database) -> list[Project]:
        """The projects that are theirs, the newest first; all of them where there are no users."""
        every = projects.every(db)
        if self.uid is None:
            return every
        theirs = self._roles(db)
        return [project for project in every if project.id in theirs]

    def _roles(self, db: Database) -> Mapping[int, str]:
        from metasearch.workspace.users import members

        return members.projects_of(db, self.uid or "")

    def _free(self, db: Database, name: str) -> str:
        return name if self.uid is None else projects.free_name(db, name)

    def _own(self, db: Database, project: Project) -> None:
        if self.uid is None:
            return
        from metasearch.workspace.users import accounts, members

        user = accounts.find(db, self.uid)
        members.add(db, project, user, "owner", by=self.uid, client=self.client)


def maker_of(request: web.Request) -> Maker:
    """Who asks."""
    identity = identity_of(request)
    return Maker(None if identity is None else identity.uid, client_of(request))
