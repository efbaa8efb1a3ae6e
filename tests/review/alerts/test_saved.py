"""Saved searches: made, found, changed and removed by their owner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.errors import Conflict, QuerySyntaxError, UsageError
from metasearch.message import Message, message
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.runs import check_new
from metasearch.review.alerts.saved_searches import SavedSearch, create, find, of, update
from metasearch.review.store.database import Database
from metasearch.settings import Settings
from metasearch.settings.users import UsersSettings
from tests.cases import each


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


def has_run(db: Database, saved: SavedSearch) -> SavedSearch:
    """The saved search after its baseline."""
    searches.has_run(db, saved)
    return searches.by_id(db, saved.id)


def test_a_saved_search_is_found_by_name_and_by_uid(db: Database) -> None:
    """By its owner alone."""
    made = create(
        db, "Gene drives", "gene drive", owner="anna", sources=["crossref"], years="2015-"
    )

    assert find(db, "anna", "Gene drives") == find(db, "anna", made.uid) == made
    assert (made.query, made.syntax, made.sources) == ("gene drive", "auto", ("crossref",))
    assert (made.years, made.schedule, made.next_run, made.version) == ("2015-", "", None, 1)
    for owner in ("", "bert"):
        with pytest.raises(UsageError, match="no saved search"):
            find(db, owner, made.uid)


def test_names_are_those_of_one_owner(db: Database) -> None:
    """Two owners may have the same; one owner may not, and a close one is offered."""
    create(db, "drives", "gene drive", owner="anna")
    create(db, "drives", "gene drive", owner="bert")

    with pytest.raises(UsageError, match="already"):
        create(db, "drives", "other", owner="anna")
    with pytest.raises(UsageError) as caught:
        find(db, "anna", "drivs")
    assert "drives" in caught.value.advice
    assert [one.owner for one in of(db, "bert")] == ["bert"]


def test_a_query_that_cannot_be_read_is_refused_with_its_place(db: Database) -> None:
    """Nothing is saved."""
    with pytest.raises(QuerySyntaxError) as caught:
        create(db, "x", "(gene AND", syntax="simple")

    assert caught.value.position >= 0
    assert of(db, "") == []


@each(
    "given",
    [
        {"name": ""},
        {"name": " \n "},
        {"name": "x" * 101},
        {"name": "a\x00b"},
        {"query": ""},
        {"query": "x" * 30_001},
        {"query": "gene \ud800"},
        {"syntax": "klingon"},
        {"years": "2020-1990"},
        {"years": "soon"},
        {"sources": ["./mine.toml"]},
        {"sources": ["/etc/passwd"]},
        {"sources": [f"s{number}" for number in range(201)]},
        {"per_source": 0},
        {"per_source": 2_001},
        {"schedule": "hourly"},
    ],
)
def test_what_cannot_be_saved(db: Database, given: dict[str, object]) -> None:
    """Each value has bounds, and no file of the server can be named."""
    known: dict[str, object] = {"name": "x", "query": "gene"}

    with pytest.raises(UsageError):
        create(db, **(known | given))  # type: ignore[arg-type]
    assert of(db, "") == []


def test_with_a_schedule_the_baseline_is_due_at_once(db: Database) -> None:
    """Without one nothing is planned."""
    made = create(db, "x", "gene", schedule="weekly tuesday")

    assert made.schedule == "weekly tue"
    assert made.next_run == made.created


def test_the_number_of_a_user_is_their_quota(db: Database) -> None:
    """Nothing is saved beyond it; where there are no users, nothing is asked."""
    settings = Settings(users=UsersSettings(mode="local", quotas={"saved_searches": 2}))
    check = check_new(settings)
    assert check_new(Settings()) is None
    db.run("INSERT INTO user (uid, name, role, created) VALUES ('anna', 'anna', 'user', '')")

    for number in range(2):
        create(db, f"x{number}", "gene", owner="anna", check_owner=check)
    with pytest.raises(UsageError, match="2 saved searches"):
        create(db, "x", "gene", owner="anna", check_owner=check)
    assert len(of(db, "anna")) == 2
    create(db, "x", "gene", check_owner=check)


def test_the_number_of_a_workspace_is_bounded(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever owns them."""
    monkeypatch.setattr(searches, "MOST", 2)
    for owner in ("", "anna"):
        create(db, "x", "gene", owner=owner)

    with pytest.raises(UsageError, match="workspace"):
        create(db, "y", "gene")


# ------------------------------------------------------------------------- changes


def test_a_change_keeps_what_it_does_not_name(db: Database) -> None:
    """And counts as a version."""
    made = create(db, "x", "gene", sources=["crossref"])
    changed = update(db, made, name="y", schedule="daily", email=True)

    assert (changed.name, changed.schedule, changed.email) == ("y", "daily", True)
    assert (changed.query, changed.sources, changed.feed) == ("gene", ("crossref",), made.feed)
    assert changed.version == 2


@each(
    "change",
    [
        {"query": "other"},
        {"sources": ["arxiv"]},
        {"sources": []},
        {"years": "2020-"},
        {"per_source": 500},
        {"syntax": "simple"},
    ],
)
def test_to_ask_something_else_needs_a_word(db: Database, change: dict[str, object]) -> None:
    """The next run tells nothing then; before the first run it is no matter."""
    made = create(db, f"x {change}", "gene", sources=["crossref"], schedule="daily")
    made = update(db, made, years="2019-")  # before the first run
    made = has_run(db, made)

    with pytest.raises(UsageError) as caught:
        update(db, made, **change)  # type: ignore[arg-type]
    assert "--baseline" in caught.value.advice
    assert searches.by_id(db, made.id) == made

    changed = update(db, made, baseline=True, **change)  # type: ignore[arg-type]
    assert changed.digest != changed.baseline
    assert changed.next_run is not None


def test_a_change_of_the_schedule_plans_anew(db: Database) -> None:
    """At the configured hours; without a schedule none is planned."""
    made = has_run(db, create(db, "x", "gene", schedule="daily"))

    monthly = update(db, made, schedule="monthly 5", hours=(22, 23))
    assert monthly.next_run is not None
    assert monthly.next_run[8:13] == "05T22"
    assert update(db, monthly, schedule="none").next_run is None


def test_an_older_version_changes_nothing(db: Database) -> None:
    """The error has both, and the version that stands."""
    made = create(db, "x", "gene")
    update(db, made, name="theirs", version=1)

    with pytest.raises(Conflict) as caught:
        update(db, made, name="yours", version=1)
    assert caught.value.yours == {"name": "yours"}
    assert caught.value.theirs is not None
    assert caught.value.theirs["name"] == "theirs"
    assert caught.value.version == 2
    assert searches.by_id(db, made.id).name == "theirs"


def test_one_that_is_paused_says_why_until_it_goes_on(db: Database) -> None:
    """The reason can be translated."""
    made = has_run(db, create(db, "x", "gene", schedule="daily"))
    searches.pause(db, made, message("{count} runs in a row have failed", count=7))

    paused = searches.by_id(db, made.id)
    assert isinstance(paused.paused, Message)
    assert (str(paused.paused), paused.next_run) == ("7 runs in a row have failed", None)
    assert update(db, paused, schedule="weekly").next_run is None
    resumed = update(db, paused, resume=True)
    assert (resumed.paused, resumed.next_run is None) == ("", False)


def test_a_new_address_of_the_feed_ends_the_old_one(db: Database) -> None:
    """Each is too long to be guessed."""
    made = create(db, "x", "gene")
    changed = searches.new_feed(db, made)

    assert len(made.feed) >= 43
    assert made.feed != changed.feed


def test_what_is_removed_is_gone_with_all_that_belongs_to_it(db: Database) -> None:
    """And may not be changed any more."""
    made = create(db, "x", "gene")
    db.run(
        "INSERT INTO saved_run (saved, number, status, started) VALUES (?, 1, 'done', '')", made.id
    )
    db.run("INSERT INTO saved_name (saved, name, run) VALUES (?, 'doi:10.1000/one', 1)", made.id)
    searches.remove(db, made)

    assert db.value("SELECT count(*) FROM saved_name") == 0
    assert db.value("SELECT count(*) FROM saved_run") == 0
    with pytest.raises(UsageError, match="removed"):
        update(db, made, name="y")
