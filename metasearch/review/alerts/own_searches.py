"""The saved searches of who asks, and what may be done with them: also a run now, which goes on in
the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from metasearch.errors import MetasearchError, UsageError
from metasearch.loop import keep_running
from metasearch.message import message
from metasearch.review import quota_checks
from metasearch.review.alerts import email_outbox, saved_searches
from metasearch.review.alerts import news as history
from metasearch.review.alerts import runs as due
from metasearch.review.alerts.email_outbox import MailState
from metasearch.review.alerts.news import News, SavedSearchRun
from metasearch.review.alerts.runs import run_saved
from metasearch.review.alerts.saved_searches import Hours, SavedSearch
from metasearch.review.background import Shares
from metasearch.review.service import WorkspaceRequest, WorkspaceService, user_of, workspace_of
from metasearch.review.store import database
from metasearch.review.store.database import Database
from metasearch.review.store.values import is_uid
from metasearch.server.identity import check, who
from metasearch.server.problem import Problem
from metasearch.server.site import Site, site_of

if TYPE_CHECKING:
    from metasearch.review.users.permissions_and_quotas import Quotas


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
        run = _run(service, claimed, holder, hours)
        task = keep_running(run, self._tasks, f"saved search {saved.uid}")
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
class SavedSearchState:
    """A saved search with what has become of it. `runs`: the newest ones, the last one first."""

    saved: SavedSearch
    runs: Sequence[SavedSearchRun]
    news: Sequence[News]
    count: int


@dataclass(frozen=True, slots=True)
class SavedSearchRequest(WorkspaceRequest):
    """Saved searches of who asks. `owner`: uid of the user; "" on a server without users."""

    owner: str

    @property
    def site(self) -> Site:
        return site_of(self.request)

    async def all(self) -> list[SavedSearchState]:
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
    ) -> SavedSearchState:
        """A saved search with at most so many runs and news; the news are those `before` an id."""
        async with self.shared.admission.brief():
            return await self.workspace.read(_state, one.id, runs, news, before)

    async def create(self, **given: Any) -> SavedSearch:
        """Save a search, as `saved.create` does. Raises UsageError: it cannot be saved."""
        asked = self._count_sources(given.get("sources") or ())
        if not self.owner:
            return await self.workspace.write(saved_searches.create, **given)

        def create_within_quotas(db: Database, quotas: Quotas) -> SavedSearch:
            with db.transaction():
                quotas.check_sources(db, self.owner, asked)
                check = quotas.check_saved_searches
                return saved_searches.create(db, owner=self.owner, check_owner=check, **given)

        return await quota_checks.with_quotas(self.request, create_within_quotas)

    async def change(self, one: SavedSearch, **given: Any) -> SavedSearch:
        """Change one, as `saved.update` does. Raises UsageError: it cannot be changed so."""
        asked = self._count_sources(given.get("sources") or ())
        hours = self.shared.engine.settings.alerts.hours
        if not self.owner:
            return await self.workspace.write(saved_searches.update, one, hours=hours, **given)

        def change_within_quotas(db: Database, quotas: Quotas) -> SavedSearch:
            with db.transaction():
                if given.get("sources") is not None:
                    quotas.check_sources(db, self.owner, asked)
                return saved_searches.update(db, one, hours=hours, **given)

        return await quota_checks.with_quotas(self.request, change_within_quotas)

    async def remove(self, one: SavedSearch) -> None:
        await self.workspace.write(saved_searches.remove, one)

    async def new_feed(self, one: SavedSearch) -> SavedSearch:
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
        return await self.workspace.read(email_outbox.state, self.owner, to)

    @property
    def sends_mails(self) -> bool:
        """Whether the server sends e-mails at all."""
        return bool(self.shared.engine.settings.mail.host)

    def _count_sources(self, sources: Sequence[str]) -> int:
        """How many sources are asked, where there are such now; later they may be gone, which the
        run says. Raises UnknownSource: there is none of this name.
        """
        registry = self.shared.engine.registry
        asked = registry.expand(list(sources)) if sources else registry.default()
        saved_searches.check_sources_exist(registry, asked)
        return len(asked)


def saved_search_request(request: web.Request) -> SavedSearchRequest:
    """The saved searches of whoever asks."""
    service = workspace_of(request)
    check(request, "save search")
    return SavedSearchRequest(request, service, who(request))


def _all(db: Database, owner: str) -> list[SavedSearchState]:
    with db.snapshot():
        return [
            SavedSearchState(one, history.runs_of(db, one, most=1), (), history.count_news(db, one))
            for one in saved_searches.of(db, owner)
        ]


def _find(db: Database, owner: str, uid: str) -> SavedSearch | None:
    # By uid alone: a name may be that of a search that was removed, and now is another one's.
    try:
        found = saved_searches.find(db, owner, uid) if is_uid(uid) else None
    except UsageError:
        return None
    return found if found is not None and found.uid == uid else None


def _state(db: Database, number: int, runs: int, news: int, before: int | None) -> SavedSearchState:
    with db.snapshot():
        one = saved_searches.by_id(db, number)
        return SavedSearchState(
            one,
            history.runs_of(db, one, most=runs),
            history.news_of(db, one, most=news, before=before),
            history.count_news(db, one),
        )
