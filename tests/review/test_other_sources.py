"""Other ways of searching: added, changed and removed, with sums that hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.projects.projects import Project
from metasearch.review.runs import other_sources
from metasearch.review.store.database import Database
from tests import cases
from tests.cases import each


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


@pytest.fixture
def project(db: Database) -> Project:
    return projects.create(db, "harms", "review")


def test_what_was_added_is_listed_with_what_follows_from_its_numbers(
    db: Database, project: Project
) -> None:
    """Assessed and included are computed."""
    added = other_sources.add(
        project,
        "citation",
        "Citations of the included studies",
        how="Forward, in two databases",
        date="2026-11-02",
        identified=30,
        sought=24,
        not_retrieved=2,
        excluded={"No harm measured": 15, "Not original research": 3},
    )
    assert other_sources.of(project) == [added]
    assert (added.assessed, added.included) == (22, 4)
    assert other_sources.of(project, "website") == []


def test_what_is_not_known_is_not_0(db: Database, project: Project) -> None:
    """Without the reports that were sought, nothing is known of those that were read."""
    added = other_sources.add(project, "contact", "Authors", identified=3)
    assert (added.sought, added.assessed, added.included) == (None, None, None)


def test_a_change_keeps_what_it_does_not_name(db: Database, project: Project) -> None:
    """The log has what was there before."""
    added = other_sources.add(project, "website", "Regulator", identified=5)
    changed = other_sources.edit(project.as_user("li"), added.id, {"identified": 6})
    assert (changed.name, changed.identified) == ("Regulator", 6)
    assert other_sources.find(project, added.id) == changed
    line = log.lines(db, project.id)[0]
    assert (line.action, line.object, line.by) == (
        "edit other source",
        f"other_source:{added.id}",
        "li",
    )
    assert (line.before["identified"], line.after["identified"]) == (5, 6)


def test_what_was_removed_is_gone_and_stays_in_the_log(db: Database, project: Project) -> None:
    """And another project cannot remove it."""
    added = other_sources.add(project, "browse", "Tables of contents")
    other = projects.create(db, "other", "review")
    with pytest.raises(UsageError):
        other_sources.remove(other, added.id)
    other_sources.remove(project, added.id)
    assert other_sources.of(project) == []
    assert log.lines(db, project.id)[0].before["name"] == "Tables of contents"


@cases.each(
    ("changes", "reason"),
    [
        ({"name": " "}, "it is empty"),
        ({"name": "x" * 301}, "301 characters"),
        ({"how": "\x00"}, r"U\+0000"),
        ({"date": "soon"}, "no date"),
        ({"identified": -1}, "no whole number"),
        ({"identified": True}, "no whole number"),
        ({"identified": 10**9}, "no whole number"),
        ({"identified": 1, "sought": 2}, "larger than the number identified"),
        ({"sought": 1, "not_retrieved": 2}, "larger than the number sought"),
        ({"sought": 1, "excluded": {"x": 2}}, "more than were assessed"),
        ({"excluded": {"x": 2}}, "sought"),
        ({"excluded": {str(number): 0 for number in range(51)}}, "50 reasons"),
        ({"kind": "dream"}, "no kind of other source"),
        ({"included": 3}, "have no 'included'"),
        ({"id": 3}, "have no 'id'"),
    ],
)
def test_what_cannot_be_is_refused(
    db: Database, project: Project, changes: Mapping[str, Any], reason: str
) -> None:
    """Nothing is changed then."""
    added = other_sources.add(project, "website", "Regulator")
    with pytest.raises(UsageError, match=reason):
        other_sources.edit(project, added.id, changes)
    assert other_sources.of(project)[-1] == added


@each(
    "row",
    [
        ("website", "x", "[]"),
        ("website", "x", '{"excluded": {}, "more": 1}'),
        ("website", "x", "{}"),
        ("website", "x", '{"excluded": 5}'),
        ("website", "x", '{"excluded": {}, "sought": -1}'),
        ("dream", "x", '{"excluded": {}}'),
        ("website", "", '{"excluded": {}}'),
    ],
)
def test_rows_from_elsewhere_are_checked(row: tuple[str, str, str]) -> None:
    """An archive brings no row that could not have been added."""
    with pytest.raises(UsageError):
        other_sources.check(*row)
    other_sources.check("website", "x", '{"excluded": {"a": 1}, "sought": 2}')
