"""The quotas of users, enforced where things happen: searches, exports, and records that are kept.

Guests who are not logged in, and servers without users, have none here: the rate limit of clients
holds for all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from aiohttp import web

from metasearch.adapters.specs.ownspecs import names_of
from metasearch.engine.options import SearchOptions
from metasearch.errors import QuotaExceeded
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.users.identity import identity_of
from metasearch.server.users.recent import RecentSearches

if TYPE_CHECKING:
    from metasearch.workspace.projects import Project
    from metasearch.workspace.store.database import Database
    from metasearch.workspace.users.quotas import Daily, Quotas

T = TypeVar("T")

#: What the searches that are counted are kept under; see `ServerContext.kept`.
_RECENT = "recent searches of users"


async def take(request: web.Request, kind: Daily) -> None:
    """Count something of today: an export.

    Raises:
        Problem: 429 where the quota of the user is used up.
    """
    uid = _uid(request)
    if uid:
        quotas = quotas_of(request)
        await _checked(request, uid, lambda db: quotas.take(db, uid, kind))


async def take_export(request: web.Request, project: Project, what: str) -> None:
    """Count that something of a project is taken out, and tell it in the audit log.

    Args:
        request: Of the user.
        project: Whose works, or whose archive.
        what: The format.

    Raises:
        Problem: 429 where the quota of the user is used up.
    """
    uid = _uid(request)
    if not uid:
        return
    from metasearch.workspace.users import audit

    quotas, client = quotas_of(request), _client(request)

    def taken(db: Database) -> None:
        with db.transaction():
            quotas.take(db, uid, "exports")
            audit.write(db, uid, "export", f"project:{project.uid}", {"what": what}, client)

    await _checked(request, uid, taken)


async def count_search(request: web.Request, options: SearchOptions) -> None:
    """Count a search that asks sources: one for all its pages, filters and orders of half an hour.

    Raises:
        Problem: 429 where it asks more sources than the user may, or the searches of today are used
            up.
    """
    uid = _uid(request)
    if not uid:
        return
    shared, quotas = request.app[SHARED], quotas_of(request)
    registry = shared.engine.registry
    names = [str(name) for name in names_of(options.sources) or ()]
    asked = registry.expand(names) if names else registry.default()
    recent = shared.kept(_RECENT, RecentSearches)
    search = uid, str(options.query), options.syntax, str(options.years), frozenset(asked)

    def counted(db: Database) -> None:
        quotas.check_sources(db, uid, len(asked))
        if is_new:
            quotas.take(db, uid, "searches")

    is_new = recent.is_new(search)
    await _checked(request, uid, counted)
    if is_new:
        recent.remember(search)


async def check_records(request: web.Request, project: Project, records: int = 1) -> None:
    """Check that a project may have more records; they count for its owner.

    Raises:
        Problem: 429 where it may not.
    """
    uid = _uid(request)
    if uid:
        quotas = quotas_of(request)
        await _checked(request, uid, lambda db: quotas.check_stored(db, project, records))


async def enforced(request: web.Request, work: Callable[[Database, Quotas], T]) -> T:
    """What a function returns that changes the workspace and checks quotas of the user as it does;
    for a request of a user.

    Raises:
        Problem: 429 where a quota of the user is used up.
    """
    made: list[T] = []
    quotas = quotas_of(request)
    await _checked(request, _uid(request), lambda db: made.append(work(db, quotas)))
    return made[0]


def quotas_of(request: web.Request) -> Quotas:
    """The quotas of the server."""
    from metasearch.workspace.users.quotas import Quotas

    return Quotas(request.app[SHARED].engine.settings.users.quotas)


async def _checked(request: web.Request, uid: str, check: Callable[[Database], None]) -> None:
    """Do what counts; the first excess of a user, a kind and a day is told in the audit log.

    Raises:
        Problem: 429.
    """
    shared = request.app[SHARED]
    assert shared.workspace is not None
    workspace = shared.workspace.workspace
    try:
        await workspace.write(check)
    except QuotaExceeded as error:
        await workspace.write(partial(_told, uid=uid, error=error, client=_client(request)))
        raise Problem.of(error) from error


def _told(db: Database, *, uid: str, error: QuotaExceeded, client: str) -> None:
    """Write the line, unless today has it."""
    from metasearch.workspace.store.times import now
    from metasearch.workspace.users import audit

    about, facts = f"user:{uid}", {"exceeded": error.kind, "limit": error.limit}
    with db.transaction():
        today = now()[:10]
        newest = audit.lines(db, actor=uid, action="quota", most=50)
        if not any(
            line.at.startswith(today) and line.detail.get("exceeded") == error.kind
            for line in newest
        ):
            audit.write(db, uid, "quota", about, facts, client)


def _uid(request: web.Request) -> str:
    identity = identity_of(request)
    return identity.uid if identity is not None else ""


def _client(request: web.Request) -> str:
    """A pseudonym of the address, for the audit log."""
    clients = request.app[SHARED].clients
    return clients.pseudonym(clients.of(request))
