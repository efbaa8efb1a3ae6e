"""The workspace of a server: its file, and the runs that it does in the background.

The pages and the JSON interface both use this one object; `workspace_of` gives it to a handler.
Workers of one server share the file; a run belongs to the worker that began it, and the others see
its answers in the file, and stop it by the file.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Literal, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from aiohttp import web
from aiohttp.typedefs import Handler

from metasearch.engine.lookup import LookupOptions
from metasearch.errors import MetasearchError, RunClash, WorkspaceError
from metasearch.loop import keep_running
from metasearch.message import message
from metasearch.review.background import OWNER, Job, Jobs, Shares
from metasearch.review.projects import projects, removal
from metasearch.review.projects.archive_reader import (
    ProjectImport,
    import_project,
)
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.projects.removal import remove_hidden
from metasearch.review.runs import runs
from metasearch.review.runs.imports import recover
from metasearch.review.runs.plan import RunLimits, RunOptions
from metasearch.review.runs.run import resume_run, run_strategy
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works.intake import are_made, make_works
from metasearch.review.works.work_checks import check_again, check_works
from metasearch.server.forms import FORM
from metasearch.server.identity import check, identity_of, who
from metasearch.server.limits.client_limits import USER
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, ServerContext

if TYPE_CHECKING:
    from metasearch.engine.engine import Engine
    from metasearch.review.users.permissions_and_quotas import Action, ProjectRole


P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger("metasearch.server")

#: Archives that are received or written at once: each takes disk, and a thread.
MOST_ARCHIVES = 2
#: Exports that are written and sent at once: each takes disk and turns of the reader.
MOST_EXPORTS = 8
#: Files that are received and kept at once: each takes memory until its records are stored.
MOST_UPLOADS = 8
#: Runs that go on at once.
MOST_RUNS = 8
#: Streams of the progress of runs that are sent at once, and to one user: each reads the file
#: twice a second.
MOST_STREAMS, MOST_USER_STREAMS = 64, 8
#: Seconds that a request waits for a run of another process to stop, and between two looks.
_STOPPING, _LOOKED = 5.0, 0.1


class WorkspaceService:
    """What the handlers of one process share of a workspace. `path`: of the file; made where it
    does not exist.

    Attributes:
        workspace: Its file: `await service.workspace.read(function, ...)`.
        jobs: The runs of this process, by the id of their project.
        archives: Permits for archives that are received or written.
        uploads: Permits for files that are received.
        streams: Permits for streams of the progress of runs.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self.workspace = Workspace(path)
        self.engine = engine
        runs_ = Shares(message("runs"), MOST_RUNS)
        self.jobs: Jobs[StoredAnswer] = Jobs(runs_)
        self.archives = Shares(message("archives that are received or written"), MOST_ARCHIVES)
        self.exports = Shares(message("exports"), MOST_EXPORTS)
        self.uploads = Shares(message("files that are received"), MOST_UPLOADS)
        self.streams = Shares(message("runs that are followed"), MOST_STREAMS, MOST_USER_STREAMS)
        self._cleaning: set[asyncio.Task[None]] = set()
        self._made: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def open(self) -> None:
        """Open the file, so that a server that cannot use it does not start."""
        with suppress(OSError):
            tempfile.gettempdir()  # which is found by writing, and then known: also on a full disk
        await self.workspace.write(projects.every)
        await self.workspace.write(runs.look)
        self._clean(remove_hidden)
        self._clean(recover)

    def _clean(self, remove: Callable[..., object], *of: ProjectRow) -> None:
        """Remove what a process has left that died, beside all else: no request waits for it."""

        async def cleaned() -> None:
            try:
                await self.workspace.work(remove, *of)
            except (MetasearchError, RuntimeError) as error:  # also where the server ends meanwhile
                logger.warning("what a process has left is removed the next time: %s", error)

        keep_running(cleaned(), self._cleaning, "clean the workspace")

    async def close(self) -> None:
        """End the runs, whose answers so far are saved, and close the file."""
        await self.jobs.close()
        await self.workspace.close()
        await asyncio.gather(*self._cleaning)

    async def projects(self) -> list[Project]:
        """All projects, the newest first."""
        return await self.workspace.read(projects.every)

    async def project(self, name: str) -> ProjectRow:
        """The project with this uid or name. Raises UsageError: there is none."""
        found = await self.workspace.read(projects.find, name)
        await self.settle(found)
        return found

    async def settle(self, project: ProjectRow) -> None:
        """Deal with runs of a project whose processes are gone."""
        if await self.workspace.look(runs.has_dead, project):
            await self.workspace.write(runs.look, project)
            self._clean(recover, project)

    async def ready(self, project: ProjectRow) -> None:
        """Let a pin touch few works only, where the project came of an archive or its rules have
        changed: all its works are made anew then, beside others who write.
        """
        if await self.workspace.look(project.bind(are_made)):
            return
        # One request does it: the others, which would each hold a thread, wait here.
        turn = self._made.get(project.id)
        if turn is None:
            turn = self._made[project.id] = asyncio.Lock()
        async with turn:
            if not await self.workspace.look(project.bind(are_made)):
                await self.workspace.work(project.bind(make_works))

    # ---------------------------------------------------------------- runs

    async def begin_run(
        self,
        project: ProjectRow,
        strategy: Strategy,
        options: RunOptions,
        *,
        by: str = "",
        user: str = OWNER,
        limits: RunLimits | None = None,
    ) -> Run:
        """Begin a run that goes on in the background; `jobs.of(project.id)` follows it. `limits`:
        what the user may still take; None for all.

        Raises:
            UsageError: A step, a source or a number cannot be used; nothing was asked.
            QuotaExceeded: The user may not; nothing was asked.
            RunClash: A run of the project is under way in another process.
            Problem: 409 where one is under way in this process, 429 where the user has as many as
                one user may, 503 where too many are.
        """

        async def work(job: Job[StoredAnswer]) -> Run:
            return await run_strategy(
                self.workspace,
                self.engine,
                project,
                strategy,
                options,
                by=by,
                begun=lambda run: job.set_number(run.number),
                progress=job.tell,
                limits=limits,
            )

        return await self._begun(project, work, user)

    async def resume_run(
        self,
        project: ProjectRow,
        run: Run,
        *,
        user: str = "",
        limits: RunLimits | None = None,
    ) -> Run:
        """Resume a run that was interrupted; it goes on in the background as one that is begun.

        Raises:
            UsageError: It cannot be resumed.
            RunClash: It was not interrupted, or another one is under way.
            Problem: As `begin_run`.
        """

        async def work(job: Job[StoredAnswer]) -> Run:
            return await resume_run(
                self.workspace,
                self.engine,
                project,
                run.number,
                begun=lambda again: job.set_number(again.number),
                progress=job.tell,
                limits=limits,
            )

        return await self._begun(project, work, user)

    async def _begun(
        self, project: ProjectRow, work: Callable[[Job[StoredAnswer]], Awaitable[Run]], user: str
    ) -> Run:
        """The run that `work` has begun, and carries out in the background; then what is included
        is checked again, for which the next run does not wait.
        """

        async def check(_: Job[StoredAnswer]) -> None:
            await check_again(self.workspace, self.engine, project)

        async def whole(job: Job[StoredAnswer]) -> None:
            if (await work(job)).mode == "records":
                with suppress(Problem):  # one is under way, or the server has no room for it
                    self.jobs.begin(("check", project.id), check)

        job = self.jobs.begin(project.id, whole, user)
        await job.wait_for_number()
        if job.number is None:
            raise job.error or WorkspaceError(
                str(self.workspace.path), message("the run was ended")
            )
        return await self.workspace.read(project.bind(runs.find), job.number)

    async def begin_check(
        self, project: ProjectRow, *, by: str, user: str, limits: RunLimits
    ) -> None:
        """Begin a check of the included works, which goes on in the background. Raises UsageError,
        QuotaExceeded, RunClash: as `check_works`; Problem: as `begin_run`.
        """

        async def work(job: Job[StoredAnswer]) -> None:
            place = self.workspace, self.engine, project, LookupOptions(user=project.uid)
            try:
                await check_works(*place, by=by, begun=job.set_number, limits=limits)
            except RunClash:
                if job.number is None:  # else somebody has stopped it
                    raise

        job = self.jobs.begin(("check", project.id), work, user)
        await job.wait_for_number()
        if job.number is None and job.error is not None:
            raise job.error

    def check_error(self, project: ProjectRow) -> str | None:
        """Why the last check of this process was broken off, where it was."""
        job = self.jobs.last(("check", project.id))
        return None if job is None else job.reason

    async def stop_run(self, project: ProjectRow, run: Run) -> Run:
        """End a run that is under way, in whichever process, or was interrupted; what its sources
        have answered is kept. Returns the run; one of another process may be running still. Raises
        RunClash: it has ended.
        """
        stopped = await self.workspace.write(project.bind(runs.stop), run.number)
        job = self.jobs.of(project.id)
        if job is not None and job.number == run.number:
            await job.stop()
        for _ in range(int(_STOPPING / _LOOKED)):
            stopped = await self.workspace.read(project.bind(runs.find), run.number)
            if stopped.status != "running":
                break
            await asyncio.sleep(_LOOKED)
        return stopped


@dataclass(frozen=True, slots=True)
class WorkspaceRequest:
    request: web.Request
    service: WorkspaceService

    @property
    def workspace(self) -> Workspace:
        return self.service.workspace

    @property
    def shared(self) -> ServerContext:
        return self.request.app[SHARED]

    @property
    def by(self) -> str:
        return who(self.request)


@dataclass(frozen=True, slots=True)
class ProjectRequest(WorkspaceRequest):
    """A request about a project: what both its pages and its JSON interface need. The functions
    that it calls get the project in the file of their thread, acting for who asks.
    """

    project: ProjectRow

    def needs(self, action: Action) -> None:
        """Refuse what the role of who asks does not suffice for."""
        check(self.request, action)

    async def read(
        self, function: Callable[Concatenate[Project, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """`Workspace.read` of a function of the project."""
        return await self.workspace.read(self.project.bind(function, self.by), *args, **kwargs)

    async def write(
        self, function: Callable[Concatenate[Project, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """`Workspace.write` of a function of the project."""
        return await self.workspace.write(self.project.bind(function, self.by), *args, **kwargs)

    async def long(
        self, function: Callable[Concatenate[Project, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """`Workspace.long` of a function of the project."""
        return await self.workspace.long(self.project.bind(function, self.by), *args, **kwargs)

    async def work(
        self, function: Callable[Concatenate[Project, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """`Workspace.work` of a function of the project."""
        return await self.workspace.work(self.project.bind(function, self.by), *args, **kwargs)

    async def undo(self, change: int) -> int:
        """Undo a change of the project; returns the number of the new one. One that is not of who
        asks needs the role to edit. Raises UsageError: it cannot be undone.
        """
        from metasearch.review.works.undo import is_own, undo

        if not await self.read(is_own, change):
            self.needs("edit")
        await self.service.ready(self.project)
        return await self.write(undo, change)


#: The workspace of a server that serves one.
WORKSPACE = web.AppKey("workspace", WorkspaceService)


def workspace_of(request: web.Request) -> WorkspaceService:
    """The workspace of the server.

    Raises:
        Problem: 404 where none is served.
    """
    service = request.app.get(WORKSPACE)
    if service is None:
        raise Problem(
            404,
            "no-workspace",
            message(
                "This server has no workspace. `metasearch serve --workspace` or `serve = true` "
                "under [workspace] in the configuration switches it on."
            ),
        )
    return service


# What people of a server with users are called, and who has signed what, for pages and programs. On
# a server without users nobody has a name: everything here then finds nothing, and imports nothing
# of the users.


async def names(
    request: web.Request, workspace: Workspace, uids: Iterable[str]
) -> Mapping[str, str] | None:
    """Uid -> name for people; None on a server without users."""
    if identity_of(request) is None:
        return None
    from metasearch.review.users.accounts import names_for_people as shown

    wanted = {uid for uid in uids if uid}
    return await workspace.read(shown, wanted) if wanted else {}


def client_of(request: web.Request) -> str:
    """A pseudonym of the address of a request, for the audit log."""
    clients = request.app[SHARED].clients
    return clients.pseudonym(clients.of(request))


# Projects that a request makes: on a server with users, their maker owns them. A name of a project
# is known in the whole workspace. Where there are users, one that is taken gets "-2" behind it, as
# in an import: nobody is told to whom the other one belongs.


@dataclass(frozen=True, slots=True)
class Maker:
    """Who makes projects. `uid`: of the user; None on a server without users. `client`: a pseudonym
    of the address, for the audit log.
    """

    uid: str | None
    client: str

    def create(self, db: Database, name: str, kind: projects.Kind, title: str = "") -> Project:
        """Make a project. Raises UsageError: as `projects.create`."""
        with db.transaction():
            free = self._free(db, name)
            made = projects.create(db, free, kind, title or name, by=self.uid or "")
            self._own(made)
            return made

    def import_archive(
        self,
        db: Database,
        path: Path,
        name: str | None,
        largest: int | None = None,
    ) -> ProjectImport:
        """Make a project of an archive; without a name it has that of the archive. Raises
        UsageError: as `import_project`; WorkspaceError: as `import_project`.
        """
        free = self._free(db, name) if name else None
        by = self.uid or ""
        return import_project(db, path, name=free, largest=largest, by=by, last=self._own)

    def projects_of(self, db: Database) -> list[Project]:
        """The projects that are theirs, the newest first; all of them where there are no users."""
        every = projects.every(db)
        if self.uid is None:
            return every
        theirs = self._roles(db)
        return [project for project in every if project.id in theirs]

    def editable(self, db: Database) -> frozenset[str]:
        """The uids of those of the projects that they may change and that are not archived."""
        from metasearch.review.users.permissions_and_quotas import IN_PROJECT

        roles = None if self.uid is None else self._roles(db)
        return frozenset(
            project.uid
            for project in self.projects_of(db)
            if not project.archived and (roles is None or "edit" in IN_PROJECT[roles[project.id]])
        )

    def _roles(self, db: Database) -> Mapping[int, ProjectRole]:
        from metasearch.review.projects import members

        return members.projects_of(db, self.uid or "")

    def _free(self, db: Database, name: str) -> str:
        return name if self.uid is None else projects.free_name(db, name)

    def _own(self, project: Project) -> None:
        if self.uid is None:
            return
        from metasearch.review.projects import members
        from metasearch.review.users import accounts

        user = accounts.find(project.db, self.uid)
        members.add(project, user, "owner", client=self.client)


def maker_of(request: web.Request) -> Maker:
    identity = identity_of(request)
    return Maker(None if identity is None else identity.uid, client_of(request))


async def delete_project(request: web.Request, workspace: Workspace, project: ProjectRow) -> None:
    detail = {"name": project.name, "title": project.title}
    await workspace.write(removal.hide, project.id)
    if (identity := identity_of(request)) is not None:
        from metasearch.review.users import audit

        about, client = f"project:{project.uid}", client_of(request)
        await workspace.write(audit.write, identity.uid, "delete", about, detail, client)
    await workspace.work(removal.remove, project.id)


# Requests that take a permit while they are answered, and in whose share. A user with accounts is
# the account, whatever address it comes from; else the API key, else the client. Who asks from this
# machine on a server without accounts owns it and has no share.

#: Kinds of `WorkspaceService`, which has a `Shares` of each.
Kind = Literal["archives", "exports", "uploads", "streams"]


@contextmanager
def permit(request: web.Request, kind: Kind) -> Iterator[None]:
    """A block that has a permit of the user of a request; without a workspace it needs none. Raises
    Problem: as `Shares.take`.
    """
    service = request.app.get(WORKSPACE)
    if service is None:
        yield
        return
    shares: Shares = getattr(service, kind)
    give_back = shares.take(user_of(request))
    try:
        yield
    finally:
        give_back()


def in_share(kind: Kind, *methods: str) -> Callable[[Handler], Handler]:
    """Makes a handler hold a permit until its answer is sent: for requests of these methods, HEAD
    as GET, and of POST for those that are no forms without a file. Raises Problem: the handler then
    raises what `Shares.take` does, before it begins.
    """

    def decorated(handler: Handler) -> Handler:
        @wraps(handler)
        async def permitted(request: web.Request) -> web.StreamResponse:
            method = "GET" if request.method == "HEAD" else request.method
            # The type of a GET says nothing: it has no body.
            is_form = method == "POST" and request.content_type == FORM
            if method not in methods or is_form:
                return await handler(request)
            with permit(request, kind):
                return await handler(request)

        return permitted

    return decorated


def user_of(request: web.Request) -> str:
    if not who(request) and request.app[SHARED].clients.of(request).local:
        return OWNER
    return request[USER]
