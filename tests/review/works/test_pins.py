"""Pins of a project take effect at once, and can be undone."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log
from metasearch.review.store.database import Database
from metasearch.review.works import decisions, pins
from metasearch.review.works.undo import undo
from tests.review.works.held import Held, keys, paper

ONE = paper("a", 1)
OTHER = paper("b", 2, "Soil of the northern plains", author="Okafor")


def test_two_works_are_one(db: Database) -> None:
    """The older one is kept; undone, the other one is there again with its id and what was said of
    it."""
    held = Held(db)
    held.add(ONE, OTHER)
    one, other = held.works()
    decisions.mark(held.project, [other.uid], "excluded", reason="soil")
    done = pins.pin(held.project, "same", other.uid, one.uid, note="same study")
    assert done.joined == [(one.uid, other.uid)]
    assert keys(held.works()) == [["a:1", "b:2"]]
    assert "same study" in held.works()[0].hit.matches[0].because
    change = next(line for line in log.lines(db, held.project.id) if line.action == pins.PIN)
    undo(held.project, change.id)
    first, second = held.works()
    assert (first.uid, second.uid) == (one.uid, other.uid)
    assert second.decisions["title"].reason == "soil"
    assert pins.of(held.project) == []


def test_two_records_are_different(db: Database) -> None:
    """A work is divided by the keys of two of its records, and is one again when the pin goes."""
    held = Held(db)
    held.add(ONE, paper("b", 2))
    (work,) = held.works()
    with pytest.raises(UsageError, match="one work"):
        pins.pin(held.project, "different", work.uid, work.uid)
    pins.pin(held.project, "different", "a:1", "b:2")
    assert keys(held.works()) == [["a:1"], ["b:2"]]
    (made,) = pins.of(held.project)
    pins.unpin(held.project, made.id)
    assert keys(held.works()) == [["a:1", "b:2"]]
    assert held.works()[0].uid == work.uid


def test_pins_that_contradict_change_nothing(db: Database) -> None:
    """a is b, b is c: a cannot be other than c."""
    held = Held(db)
    held.add(ONE, OTHER, paper("c", 3, "Whales of southern seas", author="Ali"))
    pins.pin(held.project, "same", "a:1", "b:2")
    pins.pin(held.project, "same", "b:2", "c:3")
    with pytest.raises(UsageError, match="contradict"):
        pins.pin(held.project, "different", "a:1", "c:3")
    assert len(pins.of(held.project)) == 2
    assert len(held.works()) == 1


def test_a_pin_that_is_turned_round(db: Database) -> None:
    """The same two, decided otherwise: the later decision counts, and undone the earlier one."""
    held = Held(db)
    held.add(ONE, OTHER)
    pins.pin(held.project, "same", "a:1", "b:2")
    pins.pin(held.project, "different", "b:2", "a:1")
    assert len(held.works()) == 2
    change = log.lines(db, held.project.id)[0:2]
    undo(held.project, next(line.id for line in change if line.action == pins.PIN))
    assert len(held.works()) == 1


def test_what_is_derived_is_made_again(db: Database) -> None:
    """After an import of a project its places are missing: the first change makes them."""
    held = Held(db)
    held.add(ONE, OTHER)
    for table in ("works_made", "record_place", "journal_title"):
        db.run(f"DELETE FROM {table} WHERE project = ?", held.project.id)
    pins.pin(held.project, "same", "a:1", "b:2")
    assert len(held.works()) == 1
    pins.unpin(held.project, pins.of(held.project)[0].id)
    held.add(paper("c", 3))
    assert keys(held.works()) == [["a:1", "c:3"], ["b:2"]]
