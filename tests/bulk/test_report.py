"""The report as text and as JSON, and the two lines where nobody asks for more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wcwidth import wcswidth

from metasearch.bulk.job import JobOutcome
from metasearch.bulk.report import LISTED, RULES, as_json, as_text, is_report, summary
from metasearch.dedup import DEFAULT
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, VERSIONS, run, write
from tests.bulk.telling import count


@pytest.fixture
def outcome(tmp_path: Path) -> JobOutcome:
    return run(
        *write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY, own_ndjson=BROKEN, b_xyz="what?")
    )


def text(outcome: JobOutcome) -> str:
    return as_text(count(outcome), "1.2")


def figures(told: str) -> dict[str, list[int]]:
    """What stands before the numbers of a line -> these."""
    found = {}
    for line in told.splitlines():
        words = line.split()
        numbers = [word for word in words if word.replace(",", "").isdecimal()]
        if numbers and words[-len(numbers) :] == numbers:
            found[" ".join(words[: -len(numbers)])] = [
                int(number.replace(",", "")) for number in numbers
            ]
    return found


def test_every_number_is_in_the_text(outcome: JobOutcome) -> None:
    """Files with found, unread, removed, kept, only here; databases with read, removed, kept, only
    here."""
    found = figures(text(outcome))

    assert found["records identified"] == [8]
    assert found["scopus.ris"] == [3, 0, 1, 2, 1]
    assert found["own.ndjson"] == [3, 1, 0, 2, 2]
    assert found["b.xyz"] == [0, 0, 0, 0, 0]
    assert found["records read"] == [7]
    assert found["Scopus"] == [2, 0, 2, 1]
    assert found["(none named)"] == [2, 1, 1, 1]
    assert found["records that could not be read"] == [1]
    assert found["files that could not be read"] == [1]
    assert found["duplicates removed"] == [2]
    assert found["by doi: the same DOI"] == [2]
    assert found["within a file"] == [1]
    assert found["across files"] == [1]
    assert found["unique records"] == [5]
    assert found["comparisons passed over, because too many records share a key"] == [0]


def test_the_text_says_what_is_missing_and_that_nothing_else_is(outcome: JobOutcome) -> None:
    told = text(outcome)

    assert "\n  own.ndjson:2: the line could not be read" in told
    assert "\n  b.xyz: the format of this file is not known. " in told
    assert told.endswith("\n\n8 found = 5 unique + 2 duplicates + 1 that could not be read\n")


def test_columns_are_straight(tmp_path: Path) -> None:
    """Also under Chinese names, which take two columns a character, and very long ones."""
    paths = write(tmp_path, 知网导出_ris=SCOPUS.replace("Scopus", "万方数据"), b_bib=LIBRARY)
    long = tmp_path / f"{'long' * 30}.bib"
    long.write_text(LIBRARY)

    lines = text(run(*paths, long)).splitlines()

    ends = {
        wcswidth(line)
        for line in lines
        if line.startswith("  ") and line[-1].isdecimal() and ".bib" in line
    }
    assert len(ends) == 1
    (row,) = [line for line in lines if "知网导出.ris" in line]
    assert {wcswidth(row)} == ends


def test_versions_in_the_text(tmp_path: Path) -> None:
    paths = write(tmp_path, a_ris=VERSIONS)

    assert "preprint, conference paper and article of one work: a record each" in text(run(*paths))
    grouped = text(run(*paths, versions="group"))
    assert figures(grouped)["as versions: another version of the same work"] == [1]
    assert figures(grouped)["with several versions"] == [1]


def test_long_lists_are_cut_in_the_text_alone(tmp_path: Path) -> None:
    outcome = run(*write(tmp_path, a_ndjson=BROKEN + "{\n" * (LISTED + 9)))

    told = text(outcome)

    assert told.count("\n  a.ndjson:") == LISTED
    assert "\n  and 10 more, which a report in JSON lists" in told
    assert len(json.loads(as_json(count(outcome), outcome.files, "1.2"))["lost"]) == LISTED + 10


def test_a_list_as_long_as_is_shown_names_no_more(tmp_path: Path) -> None:
    told = text(run(*write(tmp_path, a_ndjson=BROKEN + "{\n" * (LISTED - 1))))

    assert told.count("\n  a.ndjson:") == LISTED
    assert "more, which" not in told


def test_json(outcome: JobOutcome) -> None:
    """The same as data, with format and encoding of each file."""
    document = json.loads(as_json(count(outcome), outcome.files, "1.2"))

    lost = document.pop("lost")
    assert document.pop("files")[2:] == [
        {
            "file": "own.ndjson",
            "format": "ndjson",
            "encoding": "utf-8",
            "found": 3,
            "kept": 2,
            "removed": 0,
            "only_here": 2,
            "unread": 1,
            "error": None,
        },
        {
            "file": "b.xyz",
            "format": None,
            "encoding": None,
            "found": 0,
            "kept": 0,
            "removed": 0,
            "only_here": 0,
            "unread": 0,
            "error": "b.xyz: the format of this file is not known",
        },
    ]
    assert document.pop("databases")[0] == {
        "database": None,
        "found": 2,
        "kept": 1,
        "removed": 1,
        "only_here": 1,
    }
    assert [(it["file"], it["line"], it["records"]) for it in lost] == [("own.ndjson", 2, 1)]
    assert document == {
        "report": "metasearch dedup",
        "version": "1.2",
        "found": 8,
        "unread": 1,
        "duplicates": 2,
        "unique": 5,
        "duplicates_by_rule": {"doi": 2},
        "duplicates_by_an_earlier_run": 0,
        "left_out": [],
        "duplicates_as_versions": 0,
        "duplicates_within_a_file": 1,
        "duplicates_across_files": 1,
        "dedup": "default",
        "versions": "separate",
        "works_with_versions": 0,
        "comparisons_passed_over": 0,
        "remarks": [],
    }


def test_summary(outcome: JobOutcome) -> None:
    """Two lines."""
    assert summary(count(outcome)).splitlines() == [
        "8 records in 4 files (1 could not be read): 5 unique, 2 duplicates, 1 could not be read",
        "duplicates: 2 by doi; 1 within a file, 1 across files",
    ]


def test_summary_without_duplicates(tmp_path: Path) -> None:
    assert summary(count(run(*write(tmp_path, a_bib=LIBRARY)))).splitlines() == [
        "2 records in 1 file: 2 unique, 0 duplicates",
        "duplicates: none",
    ]


def test_a_report_is_known_by_its_beginning(outcome: JobOutcome) -> None:
    """So that one may replace another, and nothing else."""
    assert is_report(text(outcome).encode()[:100])
    assert is_report(as_json(count(outcome), outcome.files, "1.2")[:100])
    assert not is_report(SCOPUS.encode()[:100])
    assert not is_report(b"")


def test_every_rule_is_explained() -> None:
    """In words that somebody understands who has never read of a matcher."""
    assert {matcher.name for matcher in DEFAULT.matchers} | {"pin"} == set(RULES)
