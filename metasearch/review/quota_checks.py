"""The quotas of users, enforced where things happen.

Searches of the last half hour: another page of one of them is no new search.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aiohttp import web

from metasearch.adapters.specs.specfile import names_of
from metasearch.engine.options import SearchOptions
from metasearch.errors import QuotaExceeded
from metasearch.record import Record
from metasearch.review.runs.plan import RunOptions
from metasearch.review.runs.runs import Run
from metasearch.review.service import WORKSPACE, ProjectRequest, client_of, user_of
from metasearch.server.identity import who
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED

if TYPE_CHECKING:
    from metasearch.review.projects.projects import ProjectRow
    from metasearch.review.runs.imports import FileImport
    from metasearch.review.store.database import Database
    from metasearch.review.store.workspace import Workspace
    from metasearch.review.strategies.strategies import Strategy
    from metasearch.review.users.permissions_and_quotas import Daily, Quotas


#: Seconds for which a search counts as the same one, and searches that are remembered.
SAME_FOR, MOST = 1_800.0, 20_000


class RecentSearches:
    """Which searches a quota has counted. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: OrderedDict[Hashable, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seen)

    def is_new(self, search: Hashable) -> bool:
        """Whether a search was not seen for half an hour."""
        now = self._clock()
        while self._seen:
            oldest, at = next(iter(self._seen.items()))
            if len(self._seen) < MOST and now - at < SAME_FOR:
                break
            del self._seen[oldest]
        return search not in self._seen

    def remember(self, search: Hashable) -> None:
        self._seen[search] = self._clock()
        self._seen.move_to_end(search)

    async def close(self) -> None:
        self._seen.clear()


# The quotas of users, enforced where things happen: searches, exports, and records that are kept.
# Guests who are not logged in, and servers without users, have none here: the rate limit of clients
# holds for all.

T = TypeVar("T")

#: What the searches that are counted are kept under; see `ServerContext.kept`.
_RECENT = "recent searches of users"


async def take(request: web.Request, kind: Daily) -> None:
    """Count something of today: an export. Raises Problem: 429 where the quota of the user is used
    up.
    """
    uid = who(request)
    if uid:
        quotas = quotas_of(request)
        await _or_too_many(request, uid, lambda db: quotas.take(db, uid, kind))


async def take_export(request: web.Request, project: ProjectRow, what: str) -> None:
    """Count that something of a project is taken out, and tell it in the audit log. Raises Problem:
    429 where the quota of the user is used up.
    """
    uid = who(request)
    if not uid:
        return
    from metasearch.review.users import audit

    quotas, client = quotas_of(request), client_of(request)

    def taken(db: Database) -> None:
        with db.transaction():
            quotas.take(db, uid, "exports")
            audit.write(db, uid, "export", f"project:{project.uid}", {"what": what}, client)

    await _or_too_many(request, uid, taken)


async def count_search(request: web.Request, options: SearchOptions) -> None:
    """Count a search that asks sources: one for all its pages, filters and orders of half an hour.
    Raises Problem: 429 where it asks more sources than the user may, or the searches of today are
    used up.
    """
    uid = who(request)
    if not uid:
        return
    shared, quotas = request.app[SHARED], quotas_of(request)
    registry = shared.engine.registry
    names = [str(name) for name in names_of(options.sources) or ()]
    asked = registry.expand(names) if names else registry.default()
    recent = shared.kept(_RECENT, RecentSearches)
    search = (
        uid,
        str(options.query),
        options.syntax,
        str(options.years),
        options.per_source,
        frozenset(asked),
    )

    def counted(db: Database) -> None:
        quotas.check_sources(db, uid, len(asked))
        if is_new:
            quotas.take(db, uid, "searches")

    is_new = recent.is_new(search)
    await _or_too_many(request, uid, counted)
    if is_new:
        recent.remember(search)


async def check_records(request: web.Request, project: ProjectRow) -> None:
    """Check that a project may have one more record; it counts for its owner.

    Raises:
        Problem: 429 where it may not.
    """
    uid = who(request)
    if uid:
        quotas = quotas_of(request)
        await _or_too_many(request, uid, lambda db: quotas.check_storage(project.at(db), 1))


async def check_archive(request: web.Request, path: Path, largest: int | None = None) -> None:
    """Check that the user may have a project of an archive, by the rows and bytes that it brings.
    Raises UsageError: it is no archive, or none that may be read; Problem: 429 where they may not.
    """
    from metasearch.review.projects import archive_checks

    uid = who(request)
    if uid:
        quotas = quotas_of(request)
        records, size = await asyncio.to_thread(archive_checks.size_of, path, largest)
        await _or_too_many(request, uid, lambda db: quotas.check_owner(db, uid, records, size))


async def import_file(
    here: ProjectRequest, strategy: Strategy, content: bytes, name: str, **how: Any
) -> FileImport:
    """Import a file as `imports.import_file` does, if the project may have its records. Raises
    Problem: 429 where it may not; UsageError: as there.
    """
    from metasearch.review.runs import imports

    check = quotas_of(here.request).check_new if here.by else None
    work = here.work(imports.import_file, strategy, content, name, check=check, **how)
    try:
        return await _with_audit(here.workspace, work, here.by, client_of(here.request))
    except QuotaExceeded as error:
        raise Problem.of(error) from error


async def begin_run(here: ProjectRequest, strategy: Strategy, options: RunOptions) -> Run:
    """Begin a run in the share, and within the quotas, of who asks. Raises Problem: 429 where the
    project may have no more records; else as `WorkspaceService.begin_run`.
    """
    if options.mode == "records":
        await check_records(here.request, here.project)
    return await here.service.begin_run(
        here.project,
        strategy,
        options,
        by=here.by,
        user=user_of(here.request),
        limits=RunQuota(here.request, here.project),
    )


async def resume_run(here: ProjectRequest, run: Run) -> Run:
    """Resume a run, as `begin_run`."""
    if run.mode == "records":
        await check_records(here.request, here.project)
    limits = RunQuota(here.request, here.project)
    return await here.service.resume_run(
        here.project, run, user=user_of(here.request), limits=limits
    )


async def begin_check(here: ProjectRequest) -> None:
    """Begin a check of the included works in the share, and within the quotas, of who asks: it is
    one search. Raises MetasearchError, Problem: as `WorkspaceService.begin_check`.
    """
    limits = RunQuota(here.request, here.project)
    await here.service.begin_check(
        here.project, by=here.by, user=user_of(here.request), limits=limits
    )


class RunQuota:
    """What the quotas of a user hold of a run; a `RunLimits`. `request`: of the user who begins it;
    it may be answered before the run ends.
    """

    def __init__(self, request: web.Request, project: ProjectRow) -> None:
        self._workspace = request.app[WORKSPACE].workspace
        self._quotas = quotas_of(request)
        self._uid, self._client = who(request), client_of(request)
        self._project = project

    async def begins(self, searches: int, sources: int) -> None:
        """Count a run: each of its steps is a search of so many sources. Raises QuotaExceeded: it
        may not be made; nothing is counted.
        """

        def counted(db: Database) -> None:
            with db.transaction():
                self._quotas.check_sources(db, self._uid, sources)
                self._quotas.take(db, self._uid, "searches", searches)

        await self._enforce(self._workspace.write(counted))

    async def brings(self, records: Sequence[Record]) -> None:
        """Check that records may be stored. Raises QuotaExceeded: they would be too many."""
        await self._enforce(
            self._workspace.read(self._project.bind(self._quotas.check_new), records)
        )

    async def _enforce(self, check: Coroutine[None, None, None]) -> None:
        if self._uid:
            await _with_audit(self._workspace, check, self._uid, self._client)
        else:
            check.close()


async def with_quotas(request: web.Request, work: Callable[[Database, Quotas], T]) -> T:
    """What a function returns that changes the workspace and checks quotas of the user as it does;
    for a request of a user. Raises Problem: 429 where a quota of the user is used up.
    """
    made: list[T] = []
    quotas = quotas_of(request)
    await _or_too_many(request, who(request), lambda db: made.append(work(db, quotas)))
    return made[0]


def quotas_of(request: web.Request) -> Quotas:
    from metasearch.review.users.permissions_and_quotas import Quotas

    return Quotas(request.app[SHARED].engine.settings.users.quotas)


async def _or_too_many(request: web.Request, uid: str, check: Callable[[Database], None]) -> None:
    """As `_held`, for a request.

    Raises:
        Problem: 429.
    """
    workspace = request.app[WORKSPACE].workspace
    try:
        await _with_audit(workspace, workspace.write(check), uid, client_of(request))
    except QuotaExceeded as error:
        raise Problem.of(error) from error


async def _with_audit(workspace: Workspace, work: Awaitable[T], uid: str, client: str) -> T:
    """What comes of something that counts; its first excess of a user, a kind and a day is told in
    the audit log. Raises QuotaExceeded: it is too much.
    """
    try:
        return await work
    except QuotaExceeded as error:
        await workspace.write(partial(_write_excess, uid=uid, error=error, client=client))
        raise


def _write_excess(db: Database, *, uid: str, error: QuotaExceeded, client: str) -> None:
    """Write the line, unless today has it."""
    from metasearch.review.store.values import now
    from metasearch.review.users import audit

    about, facts = f"user:{uid}", {"exceeded": error.kind, "limit": error.limit}
    with db.transaction():
        today = now()[:10]
        newest = audit.lines(db, actor=uid, action="quota", most=50)
        if not any(
            line.at.startswith(today) and line.detail.get("exceeded") == error.kind
            for line in newest
        ):
            audit.write(db, uid, "quota", about, facts, client)
