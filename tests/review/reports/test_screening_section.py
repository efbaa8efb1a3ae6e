"""What reports say of the screening of a team."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from metasearch.review.reports import prisma_flow
from metasearch.review.reports.document import Paragraph, Table, speaker
from metasearch.review.reports.prisma_flow import section
from metasearch.review.screening import teams
from metasearch.review.store.database import Database
from tests.review.screening.screened import Screened
from tests.review.works import held


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A workspace; each test makes its own project in it."""
    with held.workspace(tmp_path_factory.mktemp("screening")) as database:
        yield database


def said(db: Database, screened: Screened, language: str = "en") -> list[str]:
    """The paragraphs, and the rows of tables."""
    found: list[str] = []
    for block in section(screened.project, speaker(language)):  # type: ignore[arg-type]
        if isinstance(block, Paragraph):
            found.append(str(block.text))
        if isinstance(block, Table):
            found += ["|".join(map(str, row)) for row in block.rows]
    return found


def test_a_review_without_a_team_says_nothing(db: Database) -> None:
    """Nor one in which no work has all votes yet."""
    assert said(db, Screened(db, screeners=())) == []
    half = Screened(db)
    half.vote("ann", "rrr")
    assert said(db, half) == []


def test_votes_agreement_and_kappa_are_computed(db: Database) -> None:
    """The flow has them; half-screened works are not counted, and nobody is named."""
    screened = Screened(db, works=5)
    screened.vote("ann", "rreer")
    screened.vote("bob", "reee")
    paragraph, row = said(db, screened)
    assert "4 works have the votes of 2 or more people, independently" in paragraph
    assert "On 3 of them the votes agreed" in paragraph
    assert row.startswith("A, B|4|3|0.50 (")
    assert paragraph in [
        block.text
        for block in prisma_flow.document(screened.project).blocks
        if isinstance(block, Paragraph)
    ]
    assert "4 篇文献由至少 2 人判定" in said(db, screened, "zh")[0]


def test_what_was_not_blind_is_not_called_independent(db: Database) -> None:
    """Who votes after others, and could see them, agrees with nobody."""
    screened = Screened(db, blind=False)
    screened.vote("ann", "ee")
    screened.vote("bob", "ee")
    teams.end(screened.project, "title")
    (paragraph,) = said(db, screened)
    assert "independently" not in paragraph
    assert "On 0 of them two or more people had voted before" in paragraph


def test_a_kappa_that_there_is_not_is_told(db: Database) -> None:
    """Chance alone explains what both say of all."""
    screened = Screened(db)
    screened.vote("ann", "ee")
    screened.vote("bob", "ee")
    row = said(db, screened)[1]
    assert row == "A, B|2|2|undefined: both have put all works into one category"
