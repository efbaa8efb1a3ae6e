"""The collector numbers the records of a file, and counts those that cannot be read."""

from __future__ import annotations

from metasearch.formats.reading import FileReading
from metasearch.formats.reading.result import Draft, EntryCollector


def test_places_identifiers_and_losses() -> None:
    """Lost records have their places, too; an identifier is the first one's own; what is odd is
    told and kept."""
    reading = FileReading("a", "x", "utf-8")
    collector = EntryCollector(reading)

    def broken() -> Draft:
        raise KeyError("odd")

    collector.put(1, lambda: Draft({"title": "A", "source_id": "1"}, "PubMed"))
    collector.put(5, lambda: Draft({"source_id": "2", "year": 1999}))
    collector.put(7, broken)
    collector.lose(8, "x" * 1000, 2)
    collector.put(9, lambda: Draft({"doi": "10.1000/ab", "source_id": "1"}, None, ["a remark"]))

    assert [
        (it.record.title, it.record.source_id, it.record.position, it.line, it.database)
        for it in reading.entries
    ] == [
        ("A", "1", 1, 1, "PubMed"),
        ("", "", 6, 9, None),
    ]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [
        (5, 1),
        (7, 1),
        (8, 2),
        (9, 0),
        (9, 0),
    ]
    assert [problem.message for problem in reading.problems][1:2] == [
        "the record could not be read and was left out: KeyError: 'odd'"
    ]
    assert len(reading.problems[2].message) == 500
    assert [problem.message for problem in reading.problems][3:] == [
        "the record has no title; it was kept",
        "a remark",
    ]
