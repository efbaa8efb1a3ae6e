"""Quotas: how much a user may take, and what is told when it is used up."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

import pytest

from metasearch.errors import QuotaExceeded
from metasearch.record import Record
from metasearch.review.projects import members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.store import workspace
from metasearch.review.store.database import Database
from metasearch.review.users import accounts
from metasearch.review.users.permissions_and_quotas import DAILY, Quotas
from metasearch.settings.users import QUOTAS
from tests.review.filled import Filled
from tests.review.users.conftest import People
from tests.review.works.held import Held


def test_the_own_number_of_a_user_counts_before_the_configured_one(
    db: Database, people: People
) -> None:
    """And the configured one before the usual one; nothing is known of kinds that are no more."""
    quotas = Quotas({"searches": 7, "exports": 8})
    accounts.update(db, people.anna, quotas={"searches": 3})
    db.run("""UPDATE user SET quotas = '{"wishes": 3}' WHERE name = 'ben'""")

    assert quotas.limits(db, people.anna.uid) == {**QUOTAS, "searches": 3, "exports": 8}
    assert quotas.limits(db, people.ben.uid) == {**QUOTAS, "searches": 7, "exports": 8}
    assert quotas.limits(db, "gone") == {**QUOTAS, "searches": 7, "exports": 8}


def test_what_is_taken_counts_for_its_user_its_kind_and_its_day(
    db: Database, people: People
) -> None:
    """Others have all of theirs; tomorrow there is all of it again."""
    quotas = Quotas({"searches": 3})
    quotas.take(db, people.anna.uid, "searches")
    quotas.take(db, people.anna.uid, "searches", 2)

    assert quotas.left(db, people.anna.uid, "searches") == 0
    assert quotas.left(db, people.anna.uid, "exports") == QUOTAS["exports"]
    assert quotas.left(db, people.ben.uid, "searches") == 3
    yesterday = (dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1)).isoformat()
    db.run("UPDATE usage SET day = ?", yesterday)
    assert quotas.left(db, people.anna.uid, "searches") == 3


@pytest.mark.parametrize("kind", DAILY)
def test_what_is_too_much_is_refused_as_a_whole(db: Database, people: People, kind: str) -> None:
    """Nothing of it is counted; the error says how much, and when it begins anew."""
    quotas = Quotas({kind: 3})
    quotas.take(db, people.anna.uid, kind, 2)  # type: ignore[arg-type]

    with pytest.raises(QuotaExceeded) as told:
        quotas.take(db, people.anna.uid, kind, 2)  # type: ignore[arg-type]
    assert (told.value.status, told.value.kind, told.value.limit) == (429, kind, 3)
    assert "3" in told.value.message
    assert "00:00 UTC" in told.value.advice
    assert told.value.retry_after is not None
    assert 0 < told.value.retry_after <= 86_401
    quotas.take(db, people.anna.uid, kind, 1)  # type: ignore[arg-type]


def test_nothing_is_taken_of_a_quota_of_0(db: Database, people: People) -> None:
    """A user whom nothing is allowed is told so."""
    accounts.update(db, people.anna, quotas={"exports": 0})

    with pytest.raises(QuotaExceeded):
        Quotas().take(db, people.anna.uid, "exports")


def test_nothing_is_counted_for_nobody(db: Database) -> None:
    """The command line, and guests who are not logged in."""
    quotas = Quotas(dict.fromkeys(QUOTAS, 0))
    quotas.take(db, "", "searches", 5)
    quotas.check_sources(db, "", 500)
    quotas.check_saved_searches(db, "")

    assert db.value("SELECT count(*) FROM usage") == 0


def test_old_figures_are_removed(db: Database, people: People) -> None:
    """By the next thing that the user takes."""
    Quotas().take(db, people.anna.uid, "searches")
    db.run("UPDATE usage SET day = '2020-01-01'")
    Quotas().take(db, people.anna.uid, "searches")

    assert db.value("SELECT count(*) FROM usage") == 1


def test_sources_of_a_search(db: Database, people: People) -> None:
    """As many as the quota, and not one more."""
    quotas = Quotas({"sources": 3})
    quotas.check_sources(db, people.anna.uid, 3)

    with pytest.raises(QuotaExceeded, match="3 sources") as told:
        quotas.check_sources(db, people.anna.uid, 4)
    assert told.value.retry_after is None


def test_saved_searches_of_a_user(db: Database, people: People) -> None:
    """Those of others do not count."""
    quotas = Quotas({"saved_searches": 1})
    add = (
        "INSERT INTO saved_search (uid, owner, name, query, feed, created)"
        " VALUES (?1, ?2, 'a', 'lakes', ?1, '2026-11-23T05:40:00Z')"
    )
    db.run(add, "one", people.ben.uid)
    quotas.check_saved_searches(db, people.anna.uid)
    db.run(add, "two", people.anna.uid)

    with pytest.raises(QuotaExceeded, match="saved searches"):
        quotas.check_saved_searches(db, people.anna.uid)


@pytest.fixture
def filled(db: Database) -> Callable[[str], Project]:
    """Makes projects with two records."""

    def made(name: str) -> Project:
        project = Filled(db, name)
        project.found({"a": [1, 2]})
        return project.project

    return made


def test_records_count_for_the_first_owner_of_their_project(
    db: Database, people: People, filled: Callable[[str], Project]
) -> None:
    """Whoever adds them; those of projects where one is something else do not."""
    own, shared, other = filled("own"), filled("shared"), filled("other")
    members.add(own, people.anna, "owner")
    members.add(shared, people.ben, "owner")
    db.run("UPDATE member SET added = '2020-01-01T00:00:00Z' WHERE user = ?", people.ben.id)
    members.add(shared, people.anna, "owner")
    members.add(other, people.ben, "owner")
    members.add(other, people.anna, "editor")
    quotas = Quotas({"stored_records": 4})

    assert quotas.stored(db, people.anna.uid).records == 2
    assert quotas.stored(db, people.ben.uid).records == 4
    quotas.check_storage(own, 2)
    with pytest.raises(QuotaExceeded, match="projects of Anna Berg"):
        quotas.check_storage(own, 3)
    with pytest.raises(QuotaExceeded, match="projects of ben"):
        quotas.check_storage(shared, 1)


def test_records_that_are_there_as_they_are_need_no_room(db: Database, people: People) -> None:
    """Those that say otherwise do: each version is kept."""
    made = Held(db)
    same = [Record(source="a", source_id=f"{n}", title=f"Title {n}") for n in range(2)]
    made.add(*same)
    members.add(made.project, people.anna, "owner")
    quotas = Quotas({"stored_records": 2})

    quotas.check_new(made.project, same)
    with pytest.raises(QuotaExceeded):
        quotas.check_new(made.project, [*same, replace(same[0], title="Another title")])


def test_bytes_are_those_of_records_reports_log_and_pages(
    db: Database, people: People, filled: Callable[[str], Project]
) -> None:
    """A quota of them holds for what is brought, together with what is there."""
    project = filled("own")
    members.add(project, people.anna, "owner")
    bodies = db.value("SELECT sum(length(body)) FROM record")
    log = db.value("SELECT sum(length(before) + length(after)) FROM change")
    workspace.set_pages(db, project.id, 1_000)

    held = Quotas().stored(db, people.anna.uid)

    assert (held.records, held.bytes) == (2, bodies + log + 1_000)
    Quotas({"stored_bytes": held.bytes + 5}).check_owner(db, people.anna.uid, 0, 5)
    with pytest.raises(QuotaExceeded, match="bytes"):
        Quotas({"stored_bytes": held.bytes + 5}).check_owner(db, people.anna.uid, 0, 6)


def test_a_project_without_an_owner_has_no_limit(
    db: Database, people: People, filled: Callable[[str], Project]
) -> None:
    """As one of a server without users."""
    project = filled("open")
    members.add(project, people.anna, "editor")

    Quotas({"stored_records": 0}).check_storage(project, 1_000_000)


def test_a_deleted_project_holds_nothing(
    db: Database, people: People, filled: Callable[[str], Project]
) -> None:
    """There is room again."""
    project = filled("own")
    members.add(project, people.anna, "owner")
    projects.delete(project)

    assert Quotas().stored(db, people.anna.uid) == (0, 0)
