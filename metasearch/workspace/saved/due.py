"""Which saved search is run next, and by whom: each is claimed by one process at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from metasearch.errors import UsageError, WorkspaceError
from metasearch.message import message
from metasearch.workspace.saved.saved import SavedSearch, by_id
from metasearch.workspace.saved.words import OWNER_MAY
from metasearch.workspace.store import leases
from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import written
from metasearch.workspace.workspace import Workspace

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

    `holder`: of `leases.new_holder`; its lease is to be held with `holding`. `at`: the moment in
    Unix time; None is now.
    """
    now = time.time() if at is None else at
    with db.transaction():
        number = db.value(f"SELECT id FROM {_DUE} ORDER BY next_run, id LIMIT 1", written(now))  # noqa: S608, own words
        if number is None:
            return None
        saved = by_id(db, number)
        leases.take(db, lease_of(saved), holder, LEASE, at=now)
    return saved


def take(db: Database, saved: SavedSearch, holder: str) -> SavedSearch:
    """Claim one saved search, due or not; returns it as it is now. Raises UsageError: it is being
    run, or has been removed.
    """
    with db.transaction():
        current = by_id(db, saved.id)
        if not leases.take(db, lease_of(saved), holder, LEASE):
            raise UsageError(
                message("The saved search {name} is being run already", name=repr(current.name)),
                advice=message("Wait a minute; what it finds is then told."),
            )
    return current


def number_due(db: Database, *, at: float | None = None) -> int:
    """How many saved searches are due, and not being run."""
    now = time.time() if at is None else at
    return int(db.value(f"SELECT count(*) FROM {_DUE}", written(now)))  # noqa: S608, own words


@asynccontextmanager
async def holding(workspace: Workspace, name: str, holder: str) -> AsyncIterator[None]:
    """A block in which a lease that was taken is renewed; at its end it is given back."""
    renewing = asyncio.create_task(_renewed(workspace, name, holder), name=f"lease {name}")
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        given = asyncio.ensure_future(workspace.write(leases.release, name, holder))
        with suppress(WorkspaceError):  # it ends by itself
            try:
                await asyncio.shield(given)
            except asyncio.CancelledError:  # while it is given back
                await asyncio.wait({given})
                raise


async def _renewed(workspace: Workspace, name: str, holder: str) -> None:
    while True:
        await asyncio.sleep(RENEWED)
        with suppress(WorkspaceError):  # another process is writing; the next time may do
            await workspace.write(leases.take, name, holder, LEASE)
