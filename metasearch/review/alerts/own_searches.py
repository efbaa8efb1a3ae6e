"""The saved searches of who asks, and what may be done with them.

Runs of saved searches that somebody has asked for now; they go on in the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message
from metasearch.review import quota_checks
from metasearch.review.alerts import news as history
from metasearch.review.alerts import news as told
from metasearch.review.alerts import outbox, saved_searches
from metasearch.review.alerts import runs as due
from metasearch.review.alerts.news import News, SavedRun
from metasearch.review.alerts.outbox import MailState
from metasearch.review.alerts.runs import run_saved
from metasearch.review.alerts.saved_searches import Hours, SavedSearch
from metasearch.review.background import Shares
from metasearch.review.service import WorkspaceService, user_of, workspace_of
from metasearch.review.store import database
from metasearch.review.store.database import Database
from metasearch.review.store.values import is_uid
from metasearch.review.store.workspace import Workspace
from metasearch.server.identity import check, who
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, ServerContext, Site, site_of

if TYPE_CHECKING:
    from metasearch.review.users.permissions import Quotas


log = logging.getLogger("metasearch.saved")

#: Runs at once, in a process: each is a search of two minutes at most.
MOST = 4


class RunsNow:
    """The runs of one process that somebody has asked for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._shares = Shares(message("saved searches that are run"), MOST)

    async def begin(
        self,
        service: WorkspaceService,
        saved: SavedSearch,
        hours: Hours,
        admit: Callable[[], Awaitable[None]],
        user: str,
    ) -> None:
        """Begin a run. `admit`: counts the run, or raises what says that there may be none. Raises
        UsageError: it is being run, or was removed.
        """
        give_back = self._shares.take(user)
        holder = database.new_holder()
        try:
            claimed = await service.workspace.write(due.take, saved, holder)
            try:
                await admit()
            except BaseException:
                await service.workspace.write(database.release_lease, due.lease_of(saved), holder)
                raise
        except BaseException:
            give_back()
            raise
        task = asyncio.create_task(
            _run(service, claimed, holder, hours), name=f"saved search {saved.uid}"
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: give_back())

    async def close(self) -> None:
        """End the runs; what they have not told is told by the next ones."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _run(service: WorkspaceService, saved: SavedSearch, holder: str, hours: Hours) -> None:
    try:
        await run_saved(service.workspace, service.engine, saved, holder=holder, hours=hours)
    except MetasearchError as exc:  # removed meanwhile, or the file cannot be written
        log.warning("the run of the saved search %s was not kept: %s", saved.uid, exc)


# The saved searches of whoever asks, for pages and the JSON interface in the same way.

#: The same for what is not there and what is somebody else's.
UNKNOWN = message("There is no such saved search.")


@dataclass(frozen=True, slots=True)
class Shown:
    """A saved search with what has become of it. `runs`: the newest ones, the last one first."""

    saved: SavedSearch
    runs: Sequence[SavedRun]
    news: Sequence[News]
    count: int


@dataclass(frozen=True, slots=True)
class Mine:
    """Saved searches of who asks. `owner`: uid of the user; "" on a server without users."""

    request: web.Request
    service: WorkspaceService
    owner: str

    @property
    def workspace(self) -> Workspace:
        """The file."""
        return self.service.workspace

    @property
    def shared(self) -> ServerContext:
        """What every handler of the server uses."""
        return self.request.app[SHARED]

    @property
    def site(self) -> Site:
        """Where the server is reachable."""
        return site_of(self.request)

    async def all(self) -> list[Shown]:
        """All of them, by name, each with its last run."""
        async with self.shared.admission.brief():
            return await self.workspace.read(_all, self.owner)

    async def one(self) -> SavedSearch:
        """The one that the address names by its uid."""
        uid = self.request.match_info["saved"]
        found = await self.workspace.read(_find, self.owner, uid)
        if found is None:
            raise Problem(404, None, UNKNOWN)
        return found

    async def shown(
        self, one: SavedSearch, *, news: int, runs: int = 20, before: int | None = None
    ) -> Shown:
        """A saved search with at most so many runs and news; the news are those `before` an id."""
        async with self.shared.admission.brief():
            return await self.workspace.read(_shown, one.id, runs, news, before)

    async def create(self, **given: Any) -> SavedSearch:
        """Save a search, as `saved.create` does. Raises UsageError: it cannot be saved."""
        asked = self._checked_sources(given.get("sources") or ())
        if not self.owner:
            return await self.workspace.write(saved_searches.create, **given)

        def made(db: Database, quotas: Quotas) -> SavedSearch:
            with db.transaction():
                quotas.check_sources(db, self.owner, asked)
                check = quotas.check_saved
                return saved_searches.create(db, owner=self.owner, check_owner=check, **given)

        return await quota_checks.enforced(self.request, made)

    async def change(self, one: SavedSearch, **given: Any) -> SavedSearch:
        """Change one, as `saved.update` does. Raises UsageError: it cannot be changed so."""
        asked = self._checked_sources(given.get("sources") or ())
        hours = self.shared.engine.settings.alerts.hours
        if not self.owner:
            return await self.workspace.write(saved_searches.update, one, hours=hours, **given)

        def changed(db: Database, quotas: Quotas) -> SavedSearch:
            with db.transaction():
                if given.get("sources") is not None:
                    quotas.check_sources(db, self.owner, asked)
                return saved_searches.update(db, one, hours=hours, **given)

        return await quota_checks.enforced(self.request, changed)

    async def remove(self, one: SavedSearch) -> None:
        """Remove one."""
        await self.workspace.write(saved_searches.remove, one)

    async def new_feed(self, one: SavedSearch) -> SavedSearch:
        """Give its feed another address."""
        return await self.workspace.write(saved_searches.new_feed, one)

    async def run(self, one: SavedSearch) -> None:
        """Begin a run, which goes on in the background. Raises UsageError: it is being run."""
        runs = self.shared.kept("saved", RunsNow)
        hours = self.shared.engine.settings.alerts.hours
        await runs.begin(
            self.service,
            one,
            hours,
            lambda: quota_checks.take(self.request, "scheduled_runs"),
            user_of(self.request),
        )

    async def mails(self) -> MailState:
        """Whether e-mails are sent."""
        to = self.shared.engine.settings.mail.to
        return await self.workspace.read(outbox.state, self.owner, to)

    @property
    def sends_mails(self) -> bool:
        """Whether the server sends e-mails at all."""
        return bool(self.shared.engine.settings.mail.host)

    def _checked_sources(self, sources: Sequence[str]) -> int:
        """How many sources are asked, where there are such now; later they may be gone, which the
        run says. Raises UnknownSource: there is none of this name.
        """
        registry = self.shared.engine.registry
        known = set(registry.names())
        asked = registry.expand(list(sources)) if sources else registry.default()
        for name in asked:
            if name not in known:
                registry.spec(name)
        return len(asked)


def mine(request: web.Request) -> Mine:
    """The saved searches of whoever asks."""
    service = workspace_of(request)
    check(request, "save search")
    return Mine(request, service, who(request))


def _all(db: Database, owner: str) -> list[Shown]:
    with db.snapshot():
        return [
            Shown(one, history.of(db, one, most=1), (), told.count_news(db, one))
            for one in saved_searches.of(db, owner)
        ]


def _find(db: Database, owner: str, uid: str) -> SavedSearch | None:
    # By uid alone: a name may be that of a search that was removed, and now is another one's.
    try:
        found = saved_searches.find(db, owner, uid) if is_uid(uid) else None
    except UsageError:
        return None
    return found if found is not None and found.uid == uid else None


def _shown(db: Database, number: int, runs: int, news: int, before: int | None) -> Shown:
    with db.snapshot():
        one = saved_searches.by_id(db, number)
        return Shown(
            one,
            history.of(db, one, most=runs),
            told.news_of(db, one, most=news, before=before),
            told.count_news(db, one),
        )
