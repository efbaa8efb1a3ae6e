"""What is due is claimed by one process, that which waits longest first."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.alerts import runs
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store import database
from metasearch.review.store.database import Database
from metasearch.review.store.values import moment_text
from tests.review.store.processes import started

#: Claims what is due until nothing is, plans it for a later day, and says which it had.
CLAIMER = """
import sys
from pathlib import Path
from metasearch.review.alerts import runs as due
from metasearch.review.store import database as leases
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.store.database import Database

holder = leases.new_holder()
with Database(Path(sys.argv[1])) as db:
    while (saved := due.claim(db, holder)) is not None:
        print(saved.uid, flush=True)
        with db.transaction():
            searches.plan(db, saved, "2999-01-01T00:00:00Z")
        leases.release_lease(db, due.lease_of(saved), holder)
"""
NOW = 1_800_000_000.0


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


def saved(db: Database, name: str, at: float | None, *, owner: str = "") -> SavedSearch:
    """A saved search whose next run is at this moment."""
    made = searches.create(db, name, "gene", owner=owner)
    searches.plan(db, made, None if at is None else moment_text(at))
    return searches.by_id(db, made.id)


def claimed(db: Database, holder: str = "anna", at: float = NOW) -> list[str]:
    """The names of all that can be claimed, in order."""
    found = []
    while (one := runs.claim(db, holder, at=at)) is not None:
        found.append(one.name)
    return found


def test_what_waits_longest_is_first(db: Database) -> None:
    """What is due later, or never, is not claimed."""
    for name, at in (("b", NOW - 10), ("a", NOW), ("c", NOW - 99), ("d", NOW + 1), ("e", None)):
        saved(db, name, at)

    assert runs.number_due(db, at=NOW) == 3
    assert claimed(db) == ["c", "b", "a"]
    assert runs.number_due(db, at=NOW) == 0


def test_what_is_claimed_is_nobody_elses_until_its_lease_ends(db: Database) -> None:
    """Not even for another task of the same process."""
    saved(db, "a", NOW)

    assert claimed(db, "anna") == ["a"]
    assert claimed(db, "anna") == claimed(db, "bert") == []
    assert claimed(db, "bert", at=NOW + runs.LEASE) == ["a"]


def test_one_that_is_run_by_hand_is_not_claimed(db: Database) -> None:
    """And one that is claimed is not run by hand."""
    one, other = saved(db, "a", time.time() - 5), saved(db, "b", time.time() - 5)
    runs.take(db, one, "anna")

    assert claimed(db, "bert", at=time.time()) == ["b"]
    with pytest.raises(UsageError, match="being run"):
        runs.take(db, other, "anna")


def test_searches_of_a_user_who_is_switched_off_or_gone_are_not_run(db: Database) -> None:
    """Those of nobody are."""
    for name, disabled in (("anna", 0), ("bert", 1)):
        db.run(
            "INSERT INTO user (uid, name, role, disabled, created) VALUES (?, ?, 'user', ?, '')",
            name,
            name,
            disabled,
        )
    for owner in ("anna", "bert", "carl", ""):
        saved(db, f"of {owner}", NOW, owner=owner)

    assert sorted(claimed(db)) == ["of", "of anna"]


@pytest.mark.slow
def test_several_processes_claim_each_once(tmp_path: Path) -> None:
    """None twice, and none is left."""
    path = tmp_path / "workspace.db"
    with Database(path) as db:
        uids = {saved(db, f"s{number}", time.time() - 60).uid for number in range(20)}
        several = [started(CLAIMER, path) for _ in range(3)]
        had: Counter[str] = Counter()
        for process in several:
            out, error = process.communicate(timeout=60)
            assert process.returncode == 0, error
            had.update(out.split())

    assert set(had) == uids
    assert set(had.values()) == {1}
    assert database.new_holder() != database.new_holder()
