"""Vetoes that no pair shows, because nothing joins the two but a third record."""

from __future__ import annotations

from typing import Any

from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.weights_and_vetoes import Vetoes
from tests.dedup.records import ARTICLE, record


def reason(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    """Why two records, the article but for these values, cannot be one work."""
    bare = {**ARTICLE, "volume": None, "issue": None, "pages": None}
    a, b = (
        fingerprint(record(name, 1, **{**bare, **said}))
        for name, said in (("a", one), ("b", other))
    )
    found, back = Vetoes().compare(a, b), Vetoes().compare(b, a)
    assert (found is None) == (back is None)
    return found.because if found else None


WORK = {"title": "Controlled burning of heather moorland"}
ABOUT = {"title": "An atlas for controlled burning of heather moorland"}
SUBTITLE = {"title": "Controlled burning of heather moorland: an atlas"}


def test_a_title_about_what_another_one_names_is_that_of_another_work() -> None:
    """An atlas for X is not X, also where a third record resembles both."""
    assert reason(WORK, ABOUT) == "one work is about the other"
    assert reason(WORK, SUBTITLE) is None


def test_one_place_or_identifier_outweighs_that_a_title_is_about_the_other() -> None:
    """The same page, or an identifier in common, says that a title was cut at its beginning."""
    page = {"volume": "12", "pages": "101-115"}

    assert reason({**WORK, **page}, {**ABOUT, **page}) is None
    assert reason({**WORK, "ids": {"pmid": "77"}}, {**ABOUT, "ids": {"pmid": "77"}}) is None


def test_another_issue_with_another_title_is_another_work_on_equal_pages() -> None:
    """Each issue may begin at page 1; under one title the issue is a misprint."""
    place = {"volume": "12", "pages": "1-14"}
    other = "Wages of shepherds in upland parishes"

    assert reason({**place, "issue": "3"}, {**place, "issue": "4", "title": other}) == (
        "issues and titles differ: 3 against 4"
    )
    assert reason({**place, "issue": "3"}, {**place, "issue": "4"}) is None
    assert reason({**place, "issue": "3"}, {**place, "issue": "3", "title": other}) is None


def test_a_series_is_not_its_journal_and_the_venue_is_not_said_to_be_one() -> None:
    """VLDB and VLDB J. of two years are two publications; of one year, or with the volume, the
    journal may be meant."""
    series, journal = {"venue": "VLDB", "year": 2010}, {"venue": "VLDB J.", "year": 2011}

    assert reason(series, journal) == "one is a conference paper, the other an article"
    assert reason({**series, "year": 2011}, journal) is None
    assert reason({**series, "volume": "7"}, {**journal, "volume": "7"}) is None
