"""A novelty report that is finished: complete, with a number of its own, and as it was."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.reports.document import Document
from metasearch.review.reports.novelty_report import next_number
from metasearch.review.reports.reports import Report, freeze
from metasearch.review.store.database import Database
from tests.review.reports.novelty.example import WORKS, made


def finish(db: Database, project: Project, *, draft: bool = False) -> Report:
    """Finish the report of a project."""
    return freeze(project, "chaxin", draft=draft)


def text_of(db: Database, report: Report) -> Document:
    """What was finished."""
    return reports.document(db, report)


def test_a_finished_report_has_its_number_on_its_cover(db: Database) -> None:
    """The next one of the station and the year; the next report has the one after it."""
    it = made(db)
    first = finish(db, it.project)
    assert first.number == "2026HB010001"
    assert dict(text_of(db, first).cover)["报告编号"] == "2026HB010001"
    assert finish(db, made(db, "second").project).number == "2026HB010002"
    assert next_number(it.project) == "2026HB010003"


def test_a_finished_report_stays_as_it_was(db: Database) -> None:
    """Later decisions and answers change a new report alone."""
    it = made(db)
    report = finish(db, it.project)
    before = text_of(db, report)
    it.mark(WORKS[0], "excluded")
    it.answered({"novelty.client": "Another"})
    assert text_of(db, report) == before
    assert text_of(db, finish(db, it.project)) != before


def test_a_draft_is_not_finished(db: Database) -> None:
    """Not even as a draft, and no number is used up."""
    it = made(db)
    it.answered({"novelty.conclusion": None})
    with pytest.raises(UsageError, match="缺项：查新结论"):
        finish(db, it.project, draft=True)
    assert reports.frozen(it.project) == []
    it.answered({"novelty.conclusion": "x"})
    assert finish(db, it.project).number == "2026HB010001"
