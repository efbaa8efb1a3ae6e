"""Signatures of finished reports: two people, each once, of the very document."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import log
from metasearch.review.reports import render, reports
from metasearch.review.reports.document import Document, Paragraph, Table
from metasearch.review.reports.reports import Report
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from tests import cases
from tests.review.filled import Filled

TEXT = "检索报告"


@pytest.fixture
def filled(tmp_path: Path):
    with Database(tmp_path / "w.sqlite") as db:
        filled = Filled(db, kind="novelty")
        filled.found({"pubmed": [1, 2]})
        db.run("UPDATE run SET by = 'ann'")
        yield filled


@pytest.fixture
def report(filled: Filled) -> Report:
    """A novelty report that covers the run of ann."""
    document = Document(kind="chaxin", title=TEXT, language="zh", blocks=(Paragraph(text=TEXT),))
    return reports.keep(filled.project.as_user("ann"), document, number="2026-1")


def sign(filled: Filled, report: Report, role: str, by: str, digest: str | None = None):
    return reports.sign(
        filled.project.as_user(by),
        report,
        role,
        name=by.title(),
        digest=report.digest if digest is None else digest,
    )


def test_searcher_and_reviewer_sign_the_digest(filled: Filled, report: Report):
    """Each with the name of that day; the log tells it; the document stays as it is."""
    sign(filled, report, "searcher", "ann")
    sign(filled, report, "reviewer", "bob")

    signed = reports.signatures_of(filled.db, report)
    assert [(one.role, one.by, one.name) for one in signed] == [
        ("searcher", "ann", "Ann"),
        ("reviewer", "bob", "Bob"),
    ]
    assert {one.digest for one in signed} == {report.digest}
    assert reports.is_unchanged(filled.db, report)
    lines = [one for one in log.lines(filled.db, filled.project.id) if one.action == "sign report"]
    assert [(one.by, one.object) for one in lines] == [
        ("bob", "report:chaxin/2026-1"),
        ("ann", "report:chaxin/2026-1"),
    ]


@pytest.mark.parametrize("first", reports.ROLES)
def test_one_person_does_not_sign_twice(filled: Filled, report: Report, first: str):
    """Neither in the other role nor in the same; and each role is signed once."""
    other = "reviewer" if first == "searcher" else "searcher"
    sign(filled, report, first, "bob")

    with pytest.raises(UsageError, match="two people"):
        sign(filled, report, other, "bob")
    with pytest.raises(UsageError, match="already"):
        sign(filled, report, first, "cyd")
    assert len(reports.signatures_of(filled.db, report)) == 1


def test_who_has_searched_does_not_review(filled: Filled, report: Report):
    """Even where somebody else signs as the searcher; later runs do not count."""
    filled.found({"eric": [7]})
    filled.db.run("UPDATE run SET by = 'bob' WHERE by = ''")

    with pytest.raises(UsageError, match="has run a search"):
        sign(filled, report, "reviewer", "ann")
    sign(filled, report, "reviewer", "bob")


@cases.each(
    ("role", "digest"), [("reviewer", "0" * 64), ("reviewer", ""), ("owner", None), ("", None)]
)
def test_what_cannot_be_signed(filled: Filled, report: Report, role: str, digest: str | None):
    """Another document than the one that was read, and roles that there are not."""
    with pytest.raises(UsageError):
        sign(filled, report, role, "bob", digest)
    assert reports.signatures_of(filled.db, report) == []


def test_a_report_that_was_changed_is_not_signed(filled: Filled, report: Report):
    """Its digest is not that of the document any more."""
    filled.db.run("UPDATE report SET document = replace(document, ?, 'x')", TEXT)

    with pytest.raises(UsageError, match="digest"):
        sign(filled, report, "reviewer", "bob")


def test_only_novelty_reports_are_signed(filled: Filled):
    """Those of reviews have authors, not signatures."""
    other = reports.freeze(filled.project, "appendix", draft=True)

    with pytest.raises(UsageError, match="not signed"):
        sign(filled, other, "reviewer", "bob")


def test_signatures_stand_behind_the_document_where_people_read_it(filled: Filled, report: Report):
    """With the digest that was signed; JSON is what the digest is of, signed or not."""
    before = reports.with_signatures(filled.db, report)
    sign(filled, report, "reviewer", "<b>bob")
    shown = reports.with_signatures(filled.db, report, "html")

    assert before.blocks == shown.blocks[: len(before.blocks)]
    table = shown.blocks[-1]
    assert isinstance(table, Table)
    assert table.rows[0][:2] == ("审核员", "<B>Bob")
    assert table.rows[0][3] == report.digest
    page = render.write(shown, "html").decode()
    assert "&lt;B&gt;Bob" in page
    assert report.digest in page
    assert reports.with_signatures(filled.db, report, "json") == before


@pytest.mark.parametrize("change", ["digest = 'x'", "by = 'ann'"])
def test_a_signature_that_was_changed_in_the_file_is_found(
    filled: Filled, report: Report, change: str
):
    """By the check of the workspace, which is silent before."""
    sign(filled, report, "searcher", "ann")
    sign(filled, report, "reviewer", "bob")
    assert not [one for one in check(filled.db) if "signature" in one.what]

    filled.db.run(f"UPDATE signature SET {change} WHERE role = 'reviewer'")

    assert [one for one in check(filled.db) if "signature" in one.what]
