"""Runs of saved searches: which is due, what it asks, how its end is stored; and those of a server.
Each is claimed by one process at a time.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from metasearch.adapters.fetch.rate_limiter import BEHIND
from metasearch.engine.citations import GROUP, CitationOptions
from metasearch.engine.engine import Engine
from metasearch.engine.options import SearchOptions
from metasearch.errors import MetasearchError, UsageError, WorkspaceError
from metasearch.events import Answer, SourceReport
from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Hit
from metasearch.review.alerts import news, saved_searches
from metasearch.review.alerts.news import (
    OWNER_MAY,
    Judgement,
    SavedSearchRun,
    WorkOfRun,
    WorkState,
)
from metasearch.review.alerts.saved_searches import (
    CITATIONS,
    PER_SOURCE,
    QUIET_HOURS,
    Hours,
    SavedSearch,
    by_id,
)
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import citations
from metasearch.review.store import database
from metasearch.review.store.database import Database
from metasearch.review.store.values import moment_text
from metasearch.review.store.workspace import Workspace
from metasearch.review.works import work_checks
from metasearch.review.works.records import batches, in_marks
from metasearch.review.works.works import works_by_name
from metasearch.settings import NO_ENRICHER, Settings

if TYPE_CHECKING:
    from metasearch.review.users.permissions_and_quotas import Quotas


#: Seconds for which a lease holds, and between two renewals: what a process that was killed had
#: begun is begun again so much later.
LEASE, RENEWED = 90.0, 20.0
#: Of searches whose owner may still use the workspace.
_DUE = (
    f"saved_search WHERE next_run <= ?1 AND {OWNER_MAY} AND NOT EXISTS"  # noqa: S608, own words
    " (SELECT 1 FROM lease WHERE lease.name = 'saved ' || saved_search.uid"
    " AND lease.until > ?1)"
)


def lease_of(saved: SavedSearch) -> str:
    """The name of the lease of whoever runs a saved search."""
    return f"saved {saved.uid}"


def claim(db: Database, holder: str, *, at: float | None = None) -> SavedSearch | None:
    """Take the saved search that has been due for longest, and is not being run; None where there
    is none.

    `holder`: of `database.new_holder`; its lease is to be held with `hold_lease`. `at`: the moment
    in Unix time; None is now.
    """
    now = time.time() if at is None else at
    with db.transaction():
        number = db.value(f"SELECT id FROM {_DUE} ORDER BY next_run, id LIMIT 1", moment_text(now))  # noqa: S608, own words
        if number is None:
            return None
        saved = by_id(db, number)
        database.take_lease(db, lease_of(saved), holder, LEASE, at=now)
    return saved


def take(db: Database, saved: SavedSearch, holder: str) -> SavedSearch:
    """Claim one saved search, due or not; returns it as it is now. Raises UsageError: it is being
    run, or has been removed.
    """
    with db.transaction():
        current = by_id(db, saved.id)
        if not database.take_lease(db, lease_of(saved), holder, LEASE):
            raise UsageError(
                message("The saved search {name} is being run already", name=repr(current.name)),
                advice=message("Wait a minute; what it finds is then told."),
            )
    return current


def number_due(db: Database, *, at: float | None = None) -> int:
    """How many saved searches are due, and not being run."""
    now = time.time() if at is None else at
    return int(db.value(f"SELECT count(*) FROM {_DUE}", moment_text(now)))  # noqa: S608, own words


@asynccontextmanager
async def hold_lease(workspace: Workspace, name: str, holder: str) -> AsyncIterator[None]:
    """A block in which a lease that was taken is renewed; at its end it is given back."""
    renewing = asyncio.create_task(_renew_lease(workspace, name, holder), name=f"lease {name}")
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        given = asyncio.ensure_future(workspace.write(database.release_lease, name, holder))
        with suppress(WorkspaceError):  # it ends by itself
            try:
                await asyncio.shield(given)
            except asyncio.CancelledError:  # while it is given back
                await asyncio.wait({given})
                raise


async def _renew_lease(workspace: Workspace, name: str, holder: str) -> None:
    while True:
        await asyncio.sleep(RENEWED)
        with suppress(WorkspaceError):  # another process is writing; the next time may do
            await workspace.write(database.take_lease, name, holder, LEASE)


#: Names that a saved search remembers.
MOST_NAMES = 500_000
#: Names that one statement asks for.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRunOutcome:
    """What came of asking the sources.

    Attributes:
        error: Why the run has failed; "" where it has not.
        statuses: Source -> one of `metasearch.events.Status`.
        found: The works that are looked at.
        known: Works that are not told as new: of a search for citations those that the project has,
            and those that cite only works that were included since the last run.
        names: Further names that are kept: those of the works whose citations were asked for.
    """

    error: str = ""
    statuses: Mapping[str, str] = field(default_factory=dict)
    found: Sequence[WorkOfRun] = ()
    known: Sequence[WorkOfRun] = ()
    names: Sequence[str] = ()
    works: int = 0
    year: int = 0


def begin_run(db: Database, saved: SavedSearch) -> SavedSearchRun:
    with db.transaction():
        return news.begin(db, saved)


def stop_run(db: Database, run: SavedSearchRun) -> None:
    """End a run before its end, if it has none."""
    with db.transaction():
        news.end_stopped(db, run)


def store_outcome(
    db: Database,
    saved: SavedSearch,
    run: SavedSearchRun,
    outcome: SavedRunOutcome,
    holder: str,
    hours: Hours,
) -> SavedSearchRun:
    """End a run: what it tells, what it has seen, and when the next one is. Raises UsageError: it
    was removed meanwhile, or another process has run it; nothing was stored.
    """
    with db.transaction():
        current = saved_searches.by_id(db, saved.id)
        if not database.holds_lease(db, lease_of(saved), holder):
            raise UsageError(
                message(
                    "The saved search {name} was run by another process meanwhile",
                    name=repr(saved.name),
                )
            )
        if outcome.error:
            failures = news.end_failed(db, run, outcome.error, outcome.statuses)
            at = saved_searches.after_failure(failures, saved.uid, _now())
        else:
            failures = 0
            _store_done(db, saved, run, outcome)
            at = saved_searches.next_run(saved.schedule, saved.uid, _now(), hours)
        # One that was changed meanwhile is planned already.
        unchanged = current.schedule == saved.schedule and current.digest == saved.digest
        if saved.schedule and unchanged:
            if at is None:
                saved_searches.pause(db, saved, _pause_reason(failures, outcome.error))
            else:
                saved_searches.plan(db, saved, moment_text(at.timestamp()))
    return news.by_id(db, run.id)


def _pause_reason(failures: int, error: str) -> str:
    return message(
        "{count} runs in a row have failed, the last one because: {error}",
        count=failures,
        error=error,
    )


def _store_done(
    db: Database, saved: SavedSearch, run: SavedSearchRun, outcome: SavedRunOutcome
) -> None:
    """Store a run in which sources answered."""
    found = [*outcome.found, *outcome.known]
    states = _known_states(db, saved, (name for one in found for name in one.names))
    judging = partial(
        news.judge, known=states, answered=news.sources_before(db, run), year=outcome.year
    )
    judged = judging(outcome.found, baseline=run.baseline)
    quiet = judging(outcome.known, baseline=True)
    _remember(db, run, (*quiet.seen, *judged.seen), outcome.names)
    told = (*judged.told, *quiet.told)[: news.MOST_NEWS]
    news.add_news(db, run, [(one.kind, hits.write(one.found.hit)) for one in told if one.kind])
    news.end_done(
        db,
        run,
        works=outcome.works,
        waiting=judged.waiting,
        passed_over=judged.passed_over + outcome.works - len(found),
        statuses=outcome.statuses,
    )
    # The digest of what was asked: where it was changed meanwhile, the next run is a baseline.
    saved_searches.has_run(db, saved)
    if saved.paused:
        saved_searches.go_on(db, saved)


def _known_states(db: Database, saved: SavedSearch, names: Iterable[str]) -> dict[str, WorkState]:
    """Name -> state, of those that earlier runs have found."""
    known: dict[str, WorkState] = {}
    for some in batches(sorted(set(names)), _AT_ONCE):
        for row in db.all(
            f"SELECT name, state FROM saved_name WHERE saved = ? AND name IN ({in_marks(some)})",  # noqa: S608, own words
            saved.id,
            *some,
        ):
            known[row["name"]] = WorkState.of(row["state"])
    return known


def _remember(
    db: Database, run: SavedSearchRun, seen: Sequence[Judgement], further: Sequence[str]
) -> None:
    """Keep the names of works, and further names; of too many those that were found longest ago are
    forgotten.
    """
    states: dict[str, WorkState] = dict.fromkeys(further, WorkState())
    for one in seen:
        for name in one.found.names:
            # Two works of one answer may share an identifier.
            other = states.get(name, one.state)
            states[name] = WorkState(
                one.state.preprint and other.preprint, max(one.state.said, other.said)
            )
    db.run_many(
        "INSERT INTO saved_name (saved, name, state, run) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (saved, name) DO UPDATE SET state = excluded.state, run = excluded.run",
        [(run.saved, name, str(state), run.number) for name, state in states.items()],
    )
    count = int(db.value("SELECT count(*) FROM saved_name WHERE saved = ?", run.saved))
    if count > MOST_NAMES:
        db.run(
            "DELETE FROM saved_name WHERE saved = ?1 AND name IN (SELECT name FROM saved_name"
            " WHERE saved = ?1 ORDER BY run, name LIMIT ?2)",
            run.saved,
            count - MOST_NAMES,
        )


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


#: Seconds for a run: nobody waits for it, and busy sources permit a page in three seconds.
TIMEOUT = 120.0
#: Works of a run that are looked at, the newest first.
MOST_WORKS = 20_000

#: Decides whether a run may be made: quotas of users.
Admit = Callable[[Database, SavedSearch], object]

log = logging.getLogger("metasearch.saved")


def options_of(
    saved: SavedSearch, *, cache: bool = True, timeout: float = TIMEOUT
) -> SearchOptions:
    """The search that a saved search is."""
    return SearchOptions(
        query=saved.query,
        syntax=saved.syntax,
        sources=saved.sources or None,
        years=saved.years or None,
        # By relevance, a new work would stand behind hundreds of old ones, and never be received.
        sort="date",
        per_source=saved.per_source or PER_SOURCE,
        # A preprint and its article are one work, whatever the pages show.
        versions="group",
        enrich=NO_ENRICHER,
        timeout=timeout,
        wait=timeout,
        cache=cache,
        user=BEHIND,
    )


async def run_saved(
    workspace: Workspace,
    engine: Engine,
    saved: SavedSearch,
    *,
    holder: str | None = None,
    hours: Hours = QUIET_HOURS,
    cache: bool = True,
    timeout: float = TIMEOUT,  # noqa: ASYNC109, of the search
    year: int | None = None,
    admit: Admit | None = None,
) -> SavedSearchRun:
    """Run a saved search, and keep what is new; returns the run at its end.

    A run in which no source answered has failed: nothing of it was seen or told. Raises UsageError:
    it is being run, or was removed meanwhile.

    Args:
        holder: Who has claimed it, by `claim`; None claims it here.
        timeout: Seconds for the search.
        year: The year of the run; None is the current one.
        admit: Is called where the workspace is written, before a source is asked; where it raises a
            MetasearchError, the run has failed, because of that.
    """
    if holder is None:
        holder = database.new_holder()
        saved = await workspace.write(take, saved, holder)
    async with hold_lease(workspace, lease_of(saved), holder):
        run = await workspace.write(begin_run, saved)
        try:
            outcome = await _refusal(workspace, saved, admit)
            if outcome is None and saved.syntax == CITATIONS:
                outcome = await _follow_citations(workspace, engine, saved, cache, timeout, year)
            elif outcome is None:
                outcome = await _ask_sources(engine, saved, run, cache, timeout, year)
                if not outcome.error:
                    again = await _included_again(workspace, engine, saved)
                    outcome = replace(outcome, found=[*outcome.found, *again])
            return await workspace.write(store_outcome, saved, run, outcome, holder, hours)
        except MetasearchError:
            await _mark_stopped(workspace, run)
            raise
        except Exception:
            log.exception("the run %s of the saved search %s failed", run.number, saved.uid)
            # A failure is stored, so that it is not begun again at once.
            error = message("An internal error occurred; the log of the server has the details.")
            outcome = SavedRunOutcome(error=error)
            return await workspace.write(store_outcome, saved, run, outcome, holder, hours)
        except BaseException:  # by a shutdown
            await _mark_stopped(workspace, run)
            raise


async def _included_again(
    workspace: Workspace, engine: Engine, saved: SavedSearch
) -> list[WorkOfRun]:
    """Works that the search has found before, that projects of its owner include, and that are
    retracted or corrected now: a search by date finds them no more.
    """
    found: list[WorkOfRun] = []
    asked = 0
    where = "'doi:' || work.doi IN (SELECT name FROM saved_name WHERE saved = ?)"
    for project in await workspace.read(_projects_of, saved):
        again = await work_checks.check_again(
            workspace, engine, project, where, saved.id, user=BEHIND
        )
        works = map(WorkOfRun.of, again.hits.values())
        found += [work for work in works if work.state.said]
        asked += again.checked
        if asked >= work_checks.MOST_AGAIN:
            break
    return found


def _projects_of(db: Database, saved: SavedSearch) -> list[Project]:
    every = projects.every(db)
    if not saved.owner:
        return every
    from metasearch.review.projects import members  # of users

    theirs = members.projects_of(db, saved.owner)
    return [project for project in every if project.id in theirs]


async def _mark_stopped(workspace: Workspace, run: SavedSearchRun) -> None:
    """Mark a run that has not come to its end; the mark is not cancelled with it."""
    ending = asyncio.ensure_future(workspace.write(stop_run, run))
    await asyncio.wait({ending})
    if ending.exception() is not None:
        log.warning("a run that was stopped is not marked so: %s", ending.exception())


async def _refusal(
    workspace: Workspace, saved: SavedSearch, admit: Admit | None
) -> SavedRunOutcome | None:
    """The outcome of a run that may not be made; None where it may."""
    if admit is not None:
        try:
            await workspace.write(admit, saved)
        except WorkspaceError:
            raise
        except MetasearchError as error:
            return SavedRunOutcome(error=error.message)
    return None


async def _ask_sources(
    engine: Engine,
    saved: SavedSearch,
    run: SavedSearchRun,
    cache: bool,
    timeout: float,  # noqa: ASYNC109, of the search
    year: int | None,
) -> SavedRunOutcome:
    try:
        await engine.ready(saved.sources or ["default"])
        answer = await engine.search(options_of(saved, cache=cache, timeout=timeout))
    except MetasearchError as error:
        return SavedRunOutcome(error=error.message)
    statuses = {report.source: _status(report) for report in answer.sources}
    if not any(report.answered or report.count for report in answer.sources):
        return SavedRunOutcome(error=_why(answer), statuses=statuses)
    found = await asyncio.to_thread(lambda: [WorkOfRun.of(hit) for hit in answer.hits[:MOST_WORKS]])
    return SavedRunOutcome(
        statuses=statuses,
        found=found,
        works=len(answer.hits),
        year=year or dt.datetime.now(dt.UTC).year,
    )


async def _follow_citations(
    workspace: Workspace,
    engine: Engine,
    saved: SavedSearch,
    cache: bool,
    timeout: float,  # noqa: ASYNC109, of the search
    year: int | None,
) -> SavedRunOutcome:
    """Ask which works cite those that are included in a project."""
    try:
        project = await workspace.read(saved_searches.cited_project, saved.owner, saved.query)
        seeds = await workspace.read(project.bind(citations.included_seeds))
        if not seeds:
            raise UsageError(message("No work is included yet"))
        await engine.ready(saved.sources or [GROUP])
        options = CitationOptions(
            sources=saved.sources or None,
            directions=("cited_by",),
            timeout=timeout,
            cache=cache,
            user=BEHIND,
        )
        search = engine.cite(seeds, options)
        async for _ in search:
            pass
    except MetasearchError as error:
        return SavedRunOutcome(error=error.message)
    result = await asyncio.to_thread(search.result)
    errors = {report.source: report.error for report in result.reports if report.error}
    named = {link.source for work in result.works for link in work.links}
    statuses = {
        source: errors[source].outcome if source in errors else "ok" if source in named else "empty"
        for source in search.sources
    }
    if errors and not result.has_answers:
        source, why = next(iter(errors.items()))
        text = "no source answered; {source}: {error}"
        error_ = message(text, source=source, error=why.message)
        return SavedRunOutcome(error=error_, statuses=statuses)
    names = {seed.key: f"seed:{seed.key}" for seed in seeds}
    before = await workspace.read(_known_states, saved, names.values())
    of_before = {key for key, name in names.items() if name in before}
    found: list[WorkOfRun] = []
    known: list[WorkOfRun] = []
    works = result.works[:MOST_WORKS]
    there = await workspace.read(project.bind(_works_there), [work.hit for work in works])
    for work, is_there in zip(works, there, strict=True):
        one = WorkOfRun.of(work.hit)
        # An index that names works by identifiers alone has no record of them.
        one = replace(one, sources=one.sources | set(work.sources))
        is_old = is_there or not of_before.intersection(work.seeds)
        (known if is_old and of_before else found).append(one)
    return SavedRunOutcome(
        statuses=statuses,
        found=found,
        known=known,
        names=list(names.values()),
        works=len(result.works),
        year=year or dt.datetime.now(dt.UTC).year,
    )


def _works_there(project: Project, found: Sequence[Hit]) -> list[bool]:
    """Whether the project has each of some works."""
    names = [[name for record in hit.records for name in news.names_of(record)] for hit in found]
    there = works_by_name(project.db, project.id, (name for some in names for name in some))
    return [any(name in there for name in some) for some in names]


def _status(report: SourceReport) -> str:
    """A source for which an old page stood in has not shown what it has now."""
    return "error" if report.spared and report.answered else report.status


def _why(answer: Answer) -> str:
    for report in answer.sources:
        if report.error is not None:
            return message(
                "no source answered; {source}: {error}",
                source=report.source,
                error=report.error.message,
            )
    return message("no source answered")


# What the quotas of users hold of saved searches; nothing where there are no users.


def check_new(settings: Settings) -> Callable[[Database, str], object] | None:
    """What `saved.create` asks whether an owner may have one more."""
    quotas = _quotas(settings)
    return None if quotas is None else quotas.check_saved_searches


def count_run(settings: Settings) -> Admit | None:
    """What `run_saved` asks whether a planned run may be made."""
    quotas = _quotas(settings)
    if quotas is None:
        return None

    def admit(db: Database, saved: SavedSearch) -> None:
        quotas.take(db, saved.owner, "scheduled_runs")

    return admit


def _quotas(settings: Settings) -> Quotas | None:
    if settings.users.mode == "none":
        return None
    from metasearch.review.users.permissions_and_quotas import Quotas

    return Quotas(settings.users.quotas)


#: Saved searches that one process runs at once.
AT_ONCE = 2


async def run_due(
    workspace: Workspace,
    engine: Engine,
    holder: str,
    *,
    most: int | None = None,
    at_once: int = AT_ONCE,
    ended: Callable[[SavedSearch, SavedSearchRun], None] | None = None,
) -> int:
    """Run what is due, and what falls due meanwhile; returns how many were run. Other processes may
    do the same: each saved search is run by one of them.

    `holder`: of `database.new_holder`. `most`: at most so many; None runs all. `ended`: is called
    with each saved search and its run.
    """
    count = 0
    hours, admit = engine.settings.alerts.hours, count_run(engine.settings)

    async def some() -> None:
        nonlocal count
        while most is None or count < most:
            count += 1
            saved = await workspace.write(claim, holder)
            if saved is None:
                count -= 1
                return
            try:
                run = await run_saved(
                    workspace, engine, saved, holder=holder, hours=hours, admit=admit
                )
            except WorkspaceError:
                raise
            except UsageError as exc:  # it was removed meanwhile
                log.info("saved search %s: %s", saved.uid, exc)
                continue
            if ended is not None:
                ended(saved, run)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(some(), name="saved searches")
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    return count


# Runs the saved searches of a server's workspace when they are due, and sends their e-mails. Of all
# workers and servers that have the file open, one does so at a time; where it ends, another one
# takes over.

#: The lease of the one that runs them.
RUNNER_LEASE = "saved searches"
#: Seconds between two looks at what is due; after a failure; between two looks at e-mails that are
#: tried again.
POLL, PAUSE, MAILS = 15.0, 300.0, 600.0

logger = logging.getLogger("metasearch.server")


class SavedSearchRunner:
    """The loop of one process. `poll`: seconds between looks; None takes `POLL`."""

    def __init__(self, workspace: Workspace, engine: Engine, *, poll: float | None = None) -> None:
        self._workspace = workspace
        self._engine = engine
        self._poll = POLL if poll is None else poll
        self._holder = database.new_holder()
        self._mails_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first look comes after `poll` seconds, when the server listens."""
        self._task = asyncio.create_task(self._look_on(), name="saved searches")

    async def close(self) -> None:
        """Stop at once; a search that was being run is due again."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def look(self) -> int:
        """Run what is due, unless another process does; returns how many were run."""
        waiting = await self._workspace.read(number_due)
        if not waiting and not await self._mails_due():
            return 0  # nothing is written while there is nothing to do
        if not await self._workspace.write(database.take_lease, RUNNER_LEASE, self._holder, LEASE):
            return 0
        async with hold_lease(self._workspace, RUNNER_LEASE, self._holder):
            count = await run_due(self._workspace, self._engine, self._holder)
            await self._send()
        return count

    async def _look_on(self) -> None:
        while True:
            await asyncio.sleep(self._poll)
            try:
                await self.look()
            except MetasearchError as exc:
                logger.warning("saved searches: %s", exc)
                await asyncio.sleep(PAUSE)
            except Exception:
                logger.exception("saved searches could not be run")
                await asyncio.sleep(PAUSE)

    async def _mails_due(self) -> bool:
        """Whether it is time to look for e-mails, where any are sent; somebody who has typed an
        address waits for the link.
        """
        settings = self._engine.settings
        if not settings.mail.host:
            return False
        if asyncio.get_running_loop().time() >= self._mails_at:
            return True
        if settings.users.mode == "none" or not settings.public_url:
            return False
        from metasearch.review.users import addresses

        return await self._workspace.read(addresses.are_due)

    async def _send(self) -> None:
        if not self._engine.settings.mail.host:
            return
        from metasearch.review.alerts.email_sender import send_due

        self._mails_at = asyncio.get_running_loop().time() + MAILS
        await send_due(self._workspace, self._engine.settings, dt.datetime.now(dt.UTC))
