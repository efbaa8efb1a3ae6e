"""Numbers of novelty reports: what a pattern may say, and that no number comes twice."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import projects
from metasearch.review.reports import novelty_number
from metasearch.review.store.database import Database
from tests.cases import each

#: The two in common use: 14 digits, and 16 of the stations of the Ministry of Education (教育部).
FOURTEEN = "{year}{province}{station:03}{serial:05}"
SIXTEEN = "{year}360{station:05}{serial:04}"
VALUES = {"year": "2026", "org": "HB01", "province": "42", "station": "7"}


@each(
    ("pattern", "expected"),
    [
        (novelty_number.DEFAULT, "2026HB010003"),
        (FOURTEEN, "20264200700003"),
        (SIXTEEN, "2026360000070003"),
        ("{org}-{year}-{serial}", "HB01-2026-3"),
        ("查新〔{year}〕{serial:3} 号", "查新〔2026〕003 号"),
    ],
)
def test_a_pattern_is_filled(pattern: str, expected: str) -> None:
    """Parts are filled with zeros to their width; the two in common use have 14 and 16 digits."""
    assert novelty_number.format_number(novelty_number.parse(pattern), VALUES, 3) == expected


@each(
    ("pattern", "reason"),
    [
        ("{year}", r"\{serial\} is missing"),
        ("{serial}", r"\{year\} is missing"),
        ("{year}{serial}{serial}", "twice"),
        ("{year}{serial}{month}", "no part month"),
        ("{year.__class__}{serial}", "character 1"),
        ("{year}{serial!r}", "character 7"),
        ("{year}{serial:>9}", "character 7"),
        ("{year}{serial:010}", "character 7"),
        ("{0}{year}{serial}", "character 1"),
        ("{{year}}{serial}", "character 1"),
        ("{year}\n{serial}", "character 7"),
        ("{year}{serial}" + "0" * 100, "more than 100"),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str, reason: str) -> None:
    """With the place and the reason; nothing of Python's format language is read."""
    with pytest.raises(UsageError, match=reason):
        novelty_number.parse(pattern)


@each(
    ("pattern", "values", "serial", "reason"),
    [
        (novelty_number.DEFAULT, {"year": "2026"}, 1, r"needs \{org\}"),
        (novelty_number.DEFAULT, {**VALUES, "org": "A/B"}, 1, r"cannot be \{org\}"),
        (novelty_number.DEFAULT, {**VALUES, "year": "26"}, 1, r"cannot be \{year\}"),
        (SIXTEEN, {**VALUES, "station": "123456"}, 1, "more than 5"),
        (novelty_number.DEFAULT, VALUES, 10_000, "used up"),
    ],
)
def test_what_has_no_place_in_a_number_is_refused(
    pattern: str, values: dict[str, str], serial: int, reason: str
) -> None:
    """A number never has more digits than its pattern says."""
    with pytest.raises(UsageError, match=reason):
        novelty_number.format_number(novelty_number.parse(pattern), values, serial)


def _freeze(db: Database, project: int, text: str, kind: str = "chaxin") -> None:
    db.run(
        "INSERT INTO report (project, kind, number, data, document, digest, frozen)"
        " VALUES (?, ?, ?, '{}', '{}', '', '2026-11-20T00:00:00Z')",
        project,
        kind,
        text,
    )


def test_the_serial_follows_the_highest_one_of_the_station_and_the_year(db: Database) -> None:
    """Of all projects of the workspace; another year, another station or another kind of report
    does not count.
    """
    one = projects.create(db, "one", "novelty").id
    two = projects.create(db, "two", "novelty").id
    assert novelty_number.next_number(db, novelty_number.DEFAULT, VALUES) == "2026HB010001"
    for project, text in ((one, "2026HB010001"), (two, "2026HB010007"), (one, "2026HB020009")):
        _freeze(db, project, text)
    _freeze(db, one, "2025HB010044")
    _freeze(db, one, "2026HB010099", kind="appendix")
    assert novelty_number.next_number(db, novelty_number.DEFAULT, VALUES) == "2026HB010008"
    assert (
        novelty_number.next_number(db, novelty_number.DEFAULT, {**VALUES, "year": "2027"})
        == "2027HB010001"
    )


def test_a_number_that_another_pattern_has_given_is_not_given_again(db: Database) -> None:
    """Two patterns may write the same text."""
    project = projects.create(db, "one", "novelty").id
    _freeze(db, project, "2026-1")
    _freeze(db, project, "2026-02")
    assert novelty_number.next_number(db, "{year}-{serial}", VALUES) == "2026-3"
    assert novelty_number.next_number(db, "{year}-0{serial:1}", VALUES) == "2026-03"
