"""Works in the formats of a search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch.bulk.export import NOTES, answer, report, write
from metasearch.bulk.job import JobOutcome
from metasearch.errors import FormatError
from metasearch.formats import READABLE, WRITABLE
from metasearch.formats.events import fold
from metasearch.formats.reading import read_bytes
from tests.bulk import samples
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, run
from tests.bulk.telling import count
from tests.cases import each, sample


@pytest.fixture
def outcome(tmp_path: Path) -> JobOutcome:
    return run(
        *samples.write(
            tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY, own_ndjson=BROKEN, b_xyz="what?"
        )
    )


def written(name: str, outcome: JobOutcome) -> bytes:
    return b"".join(write(name, outcome))


@each("name", [name for name, form in WRITABLE.items() if name != "sse" and not form.library])
def test_every_format(name: str, outcome: JobOutcome) -> None:
    """Each unique record is there, in the order in which it first appeared."""
    text = written(name, outcome).decode().lower()

    titles = (
        "sorption of iron",
        "field guide to estuaries",
        "rivers of the north",
        "bogs in spring",
        "bogs in autumn",
    )
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


READ_AGAIN = [name for name in WRITABLE if name in READABLE]


@pytest.mark.parametrize("name", sample(READ_AGAIN, 5))
def test_a_second_run_counts_as_the_first(name: str, outcome: JobOutcome, tmp_path: Path) -> None:
    """The origins of each work are in the output, and in its output again."""
    path = tmp_path / f"unique.{WRITABLE[name].extension}"
    path.write_bytes(written(name, outcome))

    again = run(path)
    path.write_bytes(written(name, again))
    third = run(path)

    read = sum(len(file.reading.entries) for file in outcome.files)
    assert len(again.works) == len(third.works) == len(outcome.works)
    assert count(again).found == count(third).found == read > len(again.works)


@each("name", [*READ_AGAIN, "json"])
def test_what_is_written_can_be_read_again(name: str, outcome: JobOutcome) -> None:
    """And holds as many records as there are works."""
    reading = read_bytes(written(name, outcome), f"unique.{WRITABLE[name].extension}")

    assert len(reading.entries) == len(outcome.works) == 5
    assert reading.lost == 0


def test_json_has_provenance_evidence_and_files(outcome: JobOutcome) -> None:
    """As a search's answer: where each field comes from, why records are one, and how each file
    fared."""
    document = json.loads(written("json", outcome))

    first = document["hits"][0]
    assert (document["query"], document["complete"]) == ("", False)
    assert document["counts"] == {"received": 7, "unique": 5, "duplicates": 2}
    assert [it["rank"] for it in document["hits"]] == [1, 2, 3, 4, 5]
    assert [(it["source"], it["position"]) for it in first["sources"]] == [
        ("library.bib", 1),
        ("scopus.ris", 3),
        ("scopus.ris", 1),
    ]
    assert set(first["provenance"].values()) <= {"library.bib", "scopus.ris"}
    assert len(first["matches"]) == 2
    assert [
        (it["source"], it["status"], it["count"], it["total"], it["unread"])
        for it in document["sources"]
    ] == [
        ("scopus.ris", "ok", 3, 3, 0),
        ("library.bib", "ok", 2, 2, 0),
        ("own.ndjson", "ok", 2, 3, 1),
        ("b.xyz", "error", 0, None, 0),
    ]
    assert "format of this file is not known" in document["sources"][3]["error"]["message"]


def test_events_fold_to_the_answer(outcome: JobOutcome) -> None:
    """NDJSON is the stream of a search."""
    lines = [json.loads(line) for line in written("ndjson", outcome).splitlines()]

    assert lines[0]["event"] == "start"
    assert fold(lines) == json.loads(written("json", outcome))


def test_reference_formats_name_the_files(outcome: JobOutcome) -> None:
    """RIS, CSV and BibTeX say which files hold a work, and which gave what."""
    lines = written("ris", outcome).decode().split("\r\n")
    assert "DB  - Scopus" in lines
    assert lines[lines.index("DB  - Embase") + 1 :][:4] == [
        "M2  - Origin: scopus.ris | Scopus",
        "M2  - Origin: scopus.ris | Embase",
        "M2  - Origin: library.bib |",
        "ER  - ",
    ]
    assert b"library.bib; scopus.ris" in written("csv", outcome)
    assert b"scopus.ris" in written("bibtex", outcome)


def test_notes_of_a_file_are_cut(tmp_path: Path) -> None:
    """An answer quotes the first problems with their lines, and counts the others."""
    (file,) = run(*samples.write(tmp_path, a_ndjson=BROKEN + "{\n" * (NOTES + 4))).files

    notes = report(file).notes

    assert (len(notes), notes[-1]) == (NOTES + 1, "5 more")
    assert notes[0].startswith("2: the line could not be read")


def test_an_empty_file_is_no_failure(tmp_path: Path) -> None:
    whole = answer(run(*samples.write(tmp_path, a_ris="")))

    assert (whole.complete, whole.sources[0].status) == (True, "empty")


def test_unknown_format(outcome: JobOutcome) -> None:
    with pytest.raises(FormatError):
        written("word", outcome)
