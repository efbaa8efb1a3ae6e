"""The hostile works (`tests/formats/hostile.py`) come back from every format, by our own reader."""

from __future__ import annotations

from metasearch.record import TYPES
from tests.cases import each
from tests.formats import hostile


@each("name", hostile.FORMATS)
def test_every_work_comes_back(name: str) -> None:
    """All but what docs/exports.md says does not."""
    assert {what: lost for what, lost in hostile.differences(name).items() if lost} == {}


@each("name", hostile.FORMATS)
def test_no_problem_is_told_of_a_file_of_ours(name: str) -> None:
    """Of works without title, the reader says so; of a workbook, that its notes on what was cut
    are no works.
    """
    told = [problem.message for problem in hostile.read_again(name).problems]
    usual = ("no title", 'the sheet "notes" was not read')

    assert [one for one in told if not any(words in one for words in usual)] == []


def test_the_works_are_of_all_kinds() -> None:
    records = hostile.WORKS.values()

    assert {record.type for record in records} == {*TYPES, None}
    assert len(records) >= 60
    assert max(len(record.authors) for record in records) == hostile.MANY
