"""A run of a saved search: one ordinary search, what is new in it, and when the next one is."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable

from metasearch.adapters.fetch.throttle import BEHIND
from metasearch.engine.engine import Engine
from metasearch.engine.options import SearchOptions
from metasearch.errors import MetasearchError, WorkspaceError
from metasearch.events import Answer, SourceReport
from metasearch.message import message
from metasearch.settings import NO_ENRICHER
from metasearch.workspace.saved import due
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.news import Found
from metasearch.workspace.saved.saved import PER_SOURCE, SavedSearch
from metasearch.workspace.saved.schedule import QUIET_HOURS, Hours
from metasearch.workspace.saved.storing import Outcome, begin, stop, store
from metasearch.workspace.store import leases
from metasearch.workspace.store.database import Database
from metasearch.workspace.workspace import Workspace

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
) -> SavedRun:
    """Run a saved search, and keep what is new; returns the run at its end.

    A run in which no source answered has failed: nothing of it was seen or told. Raises UsageError:
    it is being run, or was removed meanwhile.

    Args:
        holder: Who has claimed it, by `due.claim`; None claims it here.
        timeout: Seconds for the search.
        year: The year of the run; None is the current one.
        admit: Is called where the workspace is written, before a source is asked; where it raises a
            MetasearchError, the run has failed, because of that.
    """
    if holder is None:
        holder = leases.new_holder()
        saved = await workspace.write(due.take, saved, holder)
    async with due.holding(workspace, due.lease_of(saved), holder):
        run = await workspace.write(begin, saved)
        try:
            outcome = await _refused(workspace, saved, admit)
            if outcome is None:
                outcome = await _searched(engine, saved, run, cache, timeout, year)
            return await workspace.write(store, saved, run, outcome, holder, hours)
        except MetasearchError:
            await _stopped(workspace, run)
            raise
        except Exception:
            log.exception("the run %s of the saved search %s failed", run.number, saved.uid)
            # A failure is stored, so that it is not begun again at once.
            return await workspace.write(store, saved, run, _internal(), holder, hours)
        except BaseException:  # by a shutdown
            await _stopped(workspace, run)
            raise


async def _stopped(workspace: Workspace, run: SavedRun) -> None:
    """Mark a run that has not come to its end; the mark is not cancelled with it."""
    ending = asyncio.ensure_future(workspace.write(stop, run))
    await asyncio.wait({ending})
    if ending.exception() is not None:
        log.warning("a run that was stopped is not marked so: %s", ending.exception())


def _internal() -> Outcome:
    return Outcome(
        error=message("An internal error occurred; the log of the server has the details.")
    )


async def _refused(workspace: Workspace, saved: SavedSearch, admit: Admit | None) -> Outcome | None:
    """The outcome of a run that may not be made; None where it may."""
    if admit is not None:
        try:
            await workspace.write(admit, saved)
        except WorkspaceError:
            raise
        except MetasearchError as error:
            return Outcome(error=error.message)
    return None


async def _searched(
    engine: Engine,
    saved: SavedSearch,
    run: SavedRun,
    cache: bool,
    timeout: float,  # noqa: ASYNC109, of the search
    year: int | None,
) -> Outcome:
    """Ask the sources."""
    try:
        await engine.ready(saved.sources or ["default"])
        answer = await engine.search(options_of(saved, cache=cache, timeout=timeout))
    except MetasearchError as error:
        return Outcome(error=error.message)
    statuses = {report.source: _status(report) for report in answer.sources}
    if not any(report.answered or report.count for report in answer.sources):
        return Outcome(error=_why(answer), statuses=statuses)
    found = await asyncio.to_thread(lambda: [Found.of(hit) for hit in answer.hits[:MOST_WORKS]])
    return Outcome(
        statuses=statuses,
        found=found,
        works=len(answer.hits),
        year=year or dt.datetime.now(dt.UTC).year,
    )


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
