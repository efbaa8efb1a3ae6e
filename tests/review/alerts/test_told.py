"""What a saved search has told: read page by page, and bounded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.formats import hits
from metasearch.record import Hit, Record
from metasearch.review.alerts import news as history
from metasearch.review.alerts import news as told
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.news import SavedSearchRun
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.store.database import Database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


@pytest.fixture
def saved(db: Database) -> SavedSearch:
    return searches.create(db, "soil", "soil carbon")


def run(db: Database, saved: SavedSearch, *titles: str, kind: told.Kind = "new") -> SavedSearchRun:
    """A run that tells works of these titles."""
    begun = history.begin(db, saved)
    packed = [hits.write(Hit("h1", Record(source="a", title=title), (), {})) for title in titles]
    told.add_news(db, begun, [(kind, one) for one in packed])
    history.end_done(db, begun, works=9, waiting=0, passed_over=0, statuses={"a": "ok"})
    return history.by_id(db, begun.id)


def titles(news: list[told.News]) -> list[str]:
    return [one.hit.record.title for one in news]


def test_the_last_run_comes_first_and_its_first_works_first(
    db: Database, saved: SavedSearch
) -> None:
    """Page by page, none is left out and none comes twice."""
    run(db, saved, "a", "b", "c")
    run(db, saved, "d", "e", kind="retracted")

    everything = told.news_of(db, saved)
    assert titles(everything) == ["d", "e", "a", "b", "c"]
    first = told.news_of(db, saved, most=2)
    second = told.news_of(db, saved, most=9, before=first[-1].id)
    assert first + second == everything
    assert len({one.uid for one in everything}) == told.count_news(db, saved) == 5


def test_news_of_one_run_and_of_some_kinds(db: Database, saved: SavedSearch) -> None:
    """And those of another saved search are not among them."""
    run(db, saved, "a", "b")
    last = run(db, saved, "c", kind="late")
    run(db, searches.create(db, "other", "x"), "z")

    assert (last.number, last.told) == (2, 1)
    assert titles(told.news_of(db, saved, run=1)) == ["a", "b"]
    assert titles(told.news_of(db, saved, kinds=("late", "version"))) == ["c"]


def test_the_oldest_news_are_forgotten(
    db: Database, saved: SavedSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept of one saved search is bounded; others are not touched."""
    monkeypatch.setattr(told, "MOST_OF_A_SEARCH", 3)
    other = searches.create(db, "other", "x")
    run(db, other, "x", "y", "z")
    run(db, saved, "a", "b")
    run(db, saved, "c", "d")

    assert titles(told.news_of(db, saved)) == ["c", "d", "a"]
    assert told.count_news(db, other) == 3


def test_news_of_another_release_are_passed_over(db: Database, saved: SavedSearch) -> None:
    """The others are read."""
    run(db, saved, "a", "b")
    db.run("UPDATE saved_news SET hit = ? WHERE id = (SELECT min(id) FROM saved_news)", b"{}")

    assert titles(told.news_of(db, saved)) == ["a"]


def test_old_runs_without_news_are_forgotten(
    db: Database, saved: SavedSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers are not used again."""
    monkeypatch.setattr(history, "MOST_RUNS", 3)
    run(db, saved, "a")
    for _ in range(6):
        run(db, saved)

    assert [one.number for one in history.runs_of(db, saved)] == [7, 6, 5, 1]
    assert history.last(db, saved) == history.runs_of(db, saved)[0]
