"""The numbers of a review: counted by hand, and in agreement with one another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metasearch.bulk.job import deduplicate, read_all
from metasearch.bulk.report import JobNumbers, PlaceNumbers, Trouble
from metasearch.dedup import DEFAULT
from metasearch.dedup.pins import Pins
from metasearch.formats.reading.files import gather
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, VERSIONS, run, write
from tests.bulk.telling import count


@pytest.fixture
def numbers(tmp_path: Path) -> JobNumbers:
    """Of three files, one of them with a broken line."""
    return count(run(*write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY, own_ndjson=BROKEN)))


def test_what_was_found_is_unique_or_duplicate_or_unread(numbers: JobNumbers) -> None:
    """8 records: 3 + 2 + 3."""
    assert (numbers.found, numbers.unique, numbers.duplicates, numbers.unread) == (8, 5, 2, 1)


def test_by_file(numbers: JobNumbers) -> None:
    """The first record of a work stays, the others are removed; a work may be nowhere else."""
    assert numbers.files == [
        PlaceNumbers("scopus.ris", kept=2, removed=1, only=1),
        PlaceNumbers("library.bib", kept=1, removed=1, only=1),
        PlaceNumbers("own.ndjson", kept=2, removed=0, only=2, unread=1),
    ]
    assert [it.total for it in numbers.files] == [3, 2, 3]


def test_by_database(numbers: JobNumbers) -> None:
    """Most records first; records that name none are counted, too."""
    assert numbers.databases == [
        PlaceNumbers("", kept=1, removed=1, only=1),
        PlaceNumbers("Scopus", kept=2, removed=0, only=1),
        PlaceNumbers("alpha", kept=2, removed=0, only=2),
        PlaceNumbers("Embase", kept=0, removed=1, only=0),
    ]


def test_by_rule(numbers: JobNumbers) -> None:
    """Each duplicate counts for the rule that joined it."""
    assert numbers.rules == {"doi": 2}
    assert (numbers.within, numbers.across) == (1, 1)


def test_by_several_rules(tmp_path: Path) -> None:
    """Most duplicates first; a pin counts, too."""
    files = read_all(gather(write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY)).files)
    pins = Pins.read("same scopus.ris:@2 library.bib:sato1999", "pins.txt")

    numbers = count(deduplicate(files, DEFAULT.with_pins(pins)))

    assert list(numbers.rules.items()) == [("doi", 2), ("pin", 1)]
    assert (numbers.within, numbers.across) == (1, 2)


def test_troubles(numbers: JobNumbers) -> None:
    """What has cost a record, with file and line."""
    (lost,) = numbers.lost
    assert (lost.file, lost.line, lost.records) == ("own.ndjson", 2, 1)
    assert "could not be read" in lost.message
    assert numbers.errors == []


def test_remarks_cost_no_record(tmp_path: Path) -> None:
    numbers = count(run(*write(tmp_path, a_ris="TY  - JOUR\nTI  - Mud\nDO  - none yet\nER  - \n")))

    assert numbers.lost == []
    assert numbers.remarks == [Trouble("a.ris", 1, 'DO holds no DOI: "none yet"')]
    assert (numbers.found, numbers.unread) == (1, 0)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Nobody knows how many records it holds; the reason is told without the name, which stands
    beside it."""
    numbers = count(run(*write(tmp_path, a_ris=SCOPUS, b_xyz="what is this?")))

    (error,) = numbers.errors
    assert error.file == "b.xyz"
    assert error.message.startswith("the format of this file is not known. ")
    assert numbers.files[1] == PlaceNumbers("b.xyz", 0, 0, 0)


def test_versions_are_duplicates_of_their_own_kind(tmp_path: Path) -> None:
    """They are told apart from copies, which matters in a review."""
    paths = write(tmp_path, a_ris=VERSIONS)

    grouped, merged, apart = (
        count(run(*paths, versions=mode)) for mode in ("group", "merge", "separate")
    )

    assert (grouped.unique, grouped.duplicates, grouped.versions, grouped.version_works) == (
        1,
        1,
        1,
        1,
    )
    assert (merged.unique, merged.duplicates, merged.versions, merged.version_works) == (1, 1, 1, 0)
    assert (apart.unique, apart.duplicates, apart.versions, apart.version_works) == (2, 0, 0, 0)
    assert grouped.rules == {}


def test_nothing() -> None:
    numbers = count(run())

    assert (numbers.found, numbers.unique, numbers.duplicates, numbers.unread) == (0, 0, 0, 0)


def test_a_loss_between_reading_and_writing_is_noticed(tmp_path: Path) -> None:
    """No report is made of numbers that do not add up."""
    outcome = run(*write(tmp_path, a_ris=SCOPUS))

    with pytest.raises(AssertionError, match="a record is in no work"):
        count(replace(outcome, works=outcome.works[1:]))
    with pytest.raises(AssertionError, match="or in two"):
        count(replace(outcome, works=[*outcome.works, outcome.works[0]]))
