"""Leases: one holder at a time, who loses it in time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.review.store import database
from metasearch.review.store.database import Database
from tests.review.store.processes import started

#: Takes a lease as often as it can, and says when it has it and when it gives it back.
TAKER = """
import sys, time
from pathlib import Path
from metasearch.review.store import database as leases
from metasearch.review.store.database import Database

holder = leases.new_holder()
with Database(Path(sys.argv[1])) as db:
    taken = 0
    while taken < 6:
        if leases.take_lease(db, "it", holder, 60):
            taken += 1
            with db.transaction():
                db.run("INSERT INTO audit (at, action) VALUES (?, 'in')", holder)
            with db.transaction():
                db.run("INSERT INTO audit (at, action) VALUES (?, 'out')", holder)
            leases.release_lease(db, "it", holder)
        time.sleep(0.001)
"""
#: Takes a lease, says so, and never gives it back.
KEEPER = """
import sys, time
from pathlib import Path
from metasearch.review.store import database as leases
from metasearch.review.store.database import Database

with Database(Path(sys.argv[1])) as db:
    print(leases.take_lease(db, "it", leases.new_holder(), 60), flush=True)
    time.sleep(600)
"""
NOW = 1_800_000_000.0


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


def test_one_holder_at_a_time(db: Database) -> None:
    """Until the lease is given back; nobody gives back that of another."""
    assert database.take_lease(db, "it", "anna", 60, at=NOW)
    assert not database.take_lease(db, "it", "bert", 60, at=NOW + 59)
    database.release_lease(db, "it", "bert")
    assert database.holds_lease(db, "it", "anna")
    database.release_lease(db, "it", "anna")
    assert database.take_lease(db, "it", "bert", 60, at=NOW + 59)


def test_a_lease_ends_by_itself(db: Database) -> None:
    """So that what a killed process had begun is begun again."""
    database.take_lease(db, "it", "anna", 60, at=NOW)

    assert database.take_lease(db, "it", "bert", 60, at=NOW + 60)
    assert not database.holds_lease(db, "it", "anna")
    assert not database.take_lease(db, "it", "anna", 60, at=NOW + 61)


def test_its_holder_renews_it(db: Database) -> None:
    """From the moment of the renewal."""
    database.take_lease(db, "it", "anna", 60, at=NOW)

    assert database.take_lease(db, "it", "anna", 60, at=NOW + 50)
    assert not database.take_lease(db, "it", "bert", 60, at=NOW + 70)


def test_leases_have_names(db: Database) -> None:
    """One says nothing of another."""
    assert database.take_lease(db, "it", "anna", 60, at=NOW)
    assert database.take_lease(db, "other", "bert", 60, at=NOW)


def test_leases_that_nobody_gave_back_do_not_heap_up(db: Database) -> None:
    """A day later they are forgotten."""
    for number in range(5):
        database.take_lease(db, f"old {number}", "anna", 60, at=time.time() - 200_000)
    database.take_lease(db, "it", "anna", 60)
    database.release_lease(db, "it", "anna")

    assert db.all("SELECT * FROM lease") == []


@pytest.mark.slow
def test_several_processes_never_hold_one_lease_at_once(tmp_path: Path) -> None:
    """Between the beginning and the end of a holder is nobody else's."""
    path = tmp_path / "workspace.db"
    with Database(path) as db:
        several = [started(TAKER, path) for _ in range(2)]
        for process in several:
            _, error = process.communicate(timeout=60)
            assert process.returncode == 0, error
        said = [(row["at"], row["action"]) for row in db.all("SELECT * FROM audit ORDER BY id")]

    assert len(said) == 24
    for (holder, first), (same, last) in zip(said[::2], said[1::2], strict=True):
        assert (first, last, holder) == ("in", "out", same)
    assert len({holder for holder, _ in said}) == 2


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_a_lease_that_ends(tmp_path: Path) -> None:
    """Until then nobody takes it."""
    path = tmp_path / "workspace.db"
    with Database(path) as db:
        process = started(KEEPER, path)
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "True"
        process.kill()
        process.communicate()

        assert not database.take_lease(db, "it", "anna", 60)
        assert database.take_lease(db, "it", "anna", 60, at=time.time() + 61)


def test_a_clock_that_was_set_back(db: Database) -> None:
    """A lease that would end much later than any does is one of before."""
    assert database.take_lease(db, "it", "anna", 60, at=NOW)
    assert not database.take_lease(db, "it", "bert", 60, at=NOW - 50)
    assert database.take_lease(db, "it", "bert", 60, at=NOW - 86_400)
