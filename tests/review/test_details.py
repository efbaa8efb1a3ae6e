"""Answers to the questions of reports: checked, kept in namespaces, and known when missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log, projects
from metasearch.review.projects import projects as details
from metasearch.review.projects.projects import Project
from metasearch.review.reports.questions import BY_KEY, KINDS, QUESTIONS
from metasearch.review.store.database import Database
from tests import cases


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.db") as opened:
        yield opened


@pytest.fixture
def project(db: Database) -> Project:
    return projects.create(db, "lake", "novelty", "Lakes")


def test_an_answer_is_kept_in_the_namespace_of_its_question(db: Database, project: Project) -> None:
    """`details` has it at its namespace and name, and `answers` at its key."""
    project = details.answer(project, {"novelty.client": "  Lake  institute "})
    assert project.details == {"novelty": {"client": "Lake institute"}}
    assert details.answers(project) == {"novelty.client": "Lake institute"}


def test_answers_are_taken_as_people_type_them(db: Database, project: Project) -> None:
    """A list as lines, several choices with commas; texts keep their lines where they may."""
    project = details.answer(
        project,
        {
            "novelty.points": "one\n\n  two ",
            "novelty.purpose": "立项, 报奖,立项",
            "novelty.essentials": "first\r\nsecond",
            "novelty.ordered": "20261012",
        },
    )
    assert details.answers(project) == {
        "novelty.points": ("one", "two"),
        "novelty.purpose": ("立项", "报奖"),
        "novelty.essentials": "first\nsecond",
        "novelty.ordered": "2026-10-12",
    }


def test_an_empty_answer_removes_what_was_there(db: Database, project: Project) -> None:
    """Be it None or an empty text; the namespace goes with its last answer."""
    for empty in (None, "", "  ", ()):
        project = details.answer(project, {"novelty.points": ("one",)})
        project = details.answer(project, {"novelty.points": empty})
        assert project.details == {}


@cases.each(
    ("key", "value", "reason"),
    [
        ("novelty.ordered", "12.10.2026", "no date"),
        ("novelty.ordered", 20261012, "not a text"),
        ("novelty.scope", "世界", "none of 国内, 国内外"),
        ("novelty.client", "x" * 301, "301 characters"),
        ("novelty.client", "a\x07b", "U+0007"),
        ("novelty.client", "a\ud800b", "U+D800"),
        ("novelty.points", ["x"] * 21, "more than 20 items"),
        ("novelty.points", "x" * 1_000_000, "too long"),
        ("novelty.points", [1], "not a list of texts"),
        ("novelty.points", {"a": 1}, "not a list of texts"),
        ("novelty.number_pattern", "{year.__class__}", "cannot stand there"),
        ("novelty.province", "H1", "cannot be {province}"),
    ],
)
def test_an_answer_of_another_kind_is_refused(
    db: Database, project: Project, key: str, value: object, reason: str
) -> None:
    """The error says which answer and why, and nothing is kept."""
    with pytest.raises(UsageError) as raised:
        details.answer(project, {"novelty.client": "Institute", key: value})
    assert reason in str(raised.value)
    assert projects.find(db, "lake").details == {}


def test_an_unknown_question_is_refused_with_near_ones(db: Database, project: Project) -> None:
    """A misspelled key is told, with keys that are like it."""
    with pytest.raises(UsageError) as raised:
        details.answer(project, {"novelty.cleint": "x"})
    assert "novelty.client" in raised.value.advice


def test_a_question_of_each_item_is_asked_once_for_every_item(
    db: Database, project: Project
) -> None:
    """The comparison of a point of novelty has its number in key and label; a form may hold the
    list and the answers together.
    """
    with pytest.raises(UsageError):
        details.question(project, "novelty.comparison.1")
    project = details.answer(project, {"novelty.comparison.2": "differs", "novelty.points": "a\nb"})
    asked = details.question(project, "novelty.comparison.2")
    assert (asked.number, asked.item) == (2, "b")
    assert "2" in asked.label
    with pytest.raises(UsageError):
        details.question(project, "novelty.comparison.3")
    assert details.answers(project)["novelty.comparison.2"] == "differs"


def test_an_item_with_answers_is_not_removed(db: Database, project: Project) -> None:
    """Its comparison would belong to nothing; emptied first, the item may go."""
    project = details.answer(project, {"novelty.points": "a\nb", "novelty.comparison.2": "x"})
    with pytest.raises(UsageError) as raised:
        details.answer(project, {"novelty.points": "a"})
    assert "novelty.comparison.2" in raised.value.advice
    project = details.answer(project, {"novelty.comparison.2": ""})
    project = details.answer(project, {"novelty.points": "a"})
    assert details.answers(project) == {"novelty.points": ("a",)}


def test_searcher_and_reviewer_are_two_persons(db: Database, project: Project) -> None:
    """Also where space and case differ, and where the second name comes later."""
    project = details.answer(project, {"novelty.searcher": "Li Ming"})
    with pytest.raises(UsageError, match="same person"):
        details.answer(project, {"novelty.reviewer": "li  ming"})
    project = details.answer(project, {"novelty.reviewer": "Wang Fang"})
    assert details.answers(project)["novelty.reviewer"] == "Wang Fang"


def test_a_report_is_not_completed_before_it_is_ordered(db: Database, project: Project) -> None:
    """Both dates are compared, whichever comes first."""
    project = details.answer(project, {"novelty.completed": "2026-01-01"})
    with pytest.raises(UsageError, match="before it was ordered"):
        details.answer(project, {"novelty.ordered": "2026-01-02"})


def test_what_is_missing_is_what_the_report_requires_and_has_no_answer(
    db: Database, project: Project
) -> None:
    """An answered question leaves the list; those of each item join it with the items."""
    before = [one.key for one in details.open_questions(project, "chaxin")]
    assert "novelty.client" in before
    assert "novelty.remarks" not in before
    project = details.answer(project, {"novelty.client": "x", "novelty.points": "a\nb"})
    after = [one.key for one in details.open_questions(project, "chaxin")]
    assert set(before) - set(after) == {"novelty.client", "novelty.points"}
    assert set(after) - set(before) == {
        f"novelty.{name}.{number}" for name in ("comparison", "finding") for number in (1, 2)
    }
    assert details.open_questions(project, "no such report") == []


def test_an_answer_is_in_the_log(db: Database, project: Project) -> None:
    """With who gave it, and what was there before."""
    details.answer(project.as_user("li"), {"novelty.client": "x"})
    line = log.lines(db, project.id)[0]
    assert (line.action, line.by) == ("edit project", "li")
    assert line.before == {"novelty": None}
    assert line.after == {"novelty": {"client": "x"}}


def test_every_question_can_be_asked() -> None:
    """Keys are unique and have a namespace; choices are there where the kind needs them; a list
    exists where a question is of each of its items.
    """
    assert len(BY_KEY) == len(QUESTIONS)
    for one in QUESTIONS:
        assert one.kind in KINDS
        assert one.namespace
        assert one.name
        assert bool(one.choices) == (one.kind == "choice")
        assert set(one.required) <= set(one.reports)
        if one.each:
            assert BY_KEY[one.each].kind == "list"


@cases.each(
    "kept",
    [
        {"novelty": 5},
        {"novelty": {"points": 5}},
        {"novelty": {"points": [1]}},
        {"novelty": {"points": ["x"] * 21}},
        {"novelty": {"client": ["x"]}},
        {"novelty": {"client": "x" * 400}},
        {"novelty": {"client": "two  blanks"}},
        {"novelty": {"comparison.1": 5}},
        {"novelty": {"scope": "world"}},
    ],
)
def test_details_from_elsewhere_are_checked(project: Project, kept: dict[str, object]) -> None:
    """What `answer` would not keep is refused, and where it is there all the same, no report fails
    on it.
    """
    with pytest.raises(UsageError):
        details.check(kept)
    details.answers(dataclasses.replace(project, details=kept))


def test_details_that_were_kept_pass(db: Database, project: Project) -> None:
    """Those of other namespaces are left alone."""
    project = details.answer(
        project, {"novelty.points": "a", "novelty.comparison.1": "b\nc", "novelty.org": "A"}
    )
    details.check({**project.details, "other": [1]})
