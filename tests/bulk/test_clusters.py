"""The list of clusters: which records are one work, and why."""

from __future__ import annotations

import json
from pathlib import Path

from metasearch.bulk.export import cluster_bytes as clusters
from metasearch.bulk.job import ROWS, JobOutcome, deduplicate, read_all
from metasearch.dedup import DEFAULT
from metasearch.formats.reading import Entry, FileReading
from metasearch.formats.reading.files import gather
from metasearch.record import Record
from tests.bulk.samples import LIBRARY, SCOPUS, run, write


def lines(outcome: JobOutcome) -> list[dict[str, object]]:
    return [json.loads(line) for line in clusters(outcome).splitlines()]


def test_a_line_for_every_work_of_several_records(tmp_path: Path) -> None:
    """Ids, the one whose place the work has, where each record stands, and what holds them
    together."""
    (line,) = lines(run(*write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY)))

    assert list(line) == ["cluster", "kept", "records", "because"]
    assert line["cluster"] == ["scopus.ris:s1", "scopus.ris:@3", "library.bib:musterfrau2019"]
    assert line["kept"] == "scopus.ris:s1"
    assert line["records"][1:] == [
        {
            "id": "scopus.ris:@3",
            "key": "scopus.ris:@3",
            "file": "scopus.ris",
            "line": 24,
            "position": 3,
            "database": "Embase",
        },
        {
            "id": "library.bib:musterfrau2019",
            "key": "library.bib:musterfrau2019",
            "file": "library.bib",
            "line": 1,
            "position": 1,
            "database": None,
        },
    ]
    assert [(it["matcher"], it["verdict"], it["because"][:8]) for it in line["because"]] == [
        ("doi", "same", "same DOI")
    ] * 2
    assert {name for it in line["because"] for name in (it["left"], it["right"])} == set(
        line["cluster"]
    )


def test_none(tmp_path: Path) -> None:
    assert clusters(run(*write(tmp_path, a_bib=LIBRARY))) == b""


def rows(name: str, *ids: str) -> FileReading:
    """A labelled set of one work."""
    reading = FileReading(name, ROWS, "utf-8")
    for place, own in enumerate(ids, 1):
        record = Record(
            source="alpha",
            source_id=own,
            position=place,
            title="Peat bogs in spring",
            year=2011,
            doi="10.1/a",
        )
        reading.entries.append(Entry(record, place))
    return reading


def test_rows_of_a_labelled_set_go_by_their_own_ids(tmp_path: Path) -> None:
    """As its truth does; where two sets use one id, the second row has another name."""
    inputs = gather(write(tmp_path, a_jsonl="-", b_jsonl="-")).files
    readings = [rows("a.jsonl", "r1", "r2"), rows("b.jsonl", "r2", "r3")]

    (line,) = lines(
        deduplicate(read_all(inputs, first=lambda it, _: readings[it.name == "b.jsonl"]), DEFAULT)
    )

    assert line["cluster"] == ["r1", "r2", "alpha:r2@3", "r3"]
    assert [it["key"] for it in line["records"]] == [
        "alpha:r1",
        "alpha:r2",
        "alpha:r2@3",
        "alpha:r3",
    ]
    assert {name for it in line["because"] for name in (it["left"], it["right"])} == set(
        line["cluster"]
    )


def test_whatever_stands_in_a_record_can_be_written(tmp_path: Path) -> None:
    """Control characters and numbers that JSON does not know included."""
    row = {
        "source": "a\u0000\ud800",
        "source_id": "\u001b[1m",
        "position": 10**30,
        "title": "Peat bogs in spring",
    }
    text = json.dumps(row) + "\n" + json.dumps(row | {"position": 7})

    (line,) = lines(run(*write(tmp_path, a_ndjson=text)))

    assert line["cluster"][0] == "a?:[1m"
    assert [it["position"] for it in line["records"]] == [None, 7]
