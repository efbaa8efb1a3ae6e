"""Files in, works out."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from metasearch.bulk import job
from metasearch.bulk.job import STEP, deduplicate, read_all
from metasearch.dedup import DEFAULT
from metasearch.dedup.pins import Pins
from metasearch.errors import UsageError
from metasearch.formats.reading import FileReading, HandOut
from metasearch.formats.reading.files import STDIN, Input, gather
from metasearch.record import Record
from tests.bulk.samples import BROKEN, LIBRARY, SCOPUS, VERSIONS, run, write


def test_records_of_one_work_come_together_across_files_and_formats(tmp_path: Path) -> None:
    """Works stand in the order of their first records, and so do the records of each."""
    outcome = run(*write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY))

    keys = [[it.key for it in work.items] for work in outcome.works]
    assert keys == [
        ["scopus.ris:s1", "scopus.ris:@3", "library.bib:musterfrau2019"],
        ["scopus.ris:@2"],
        ["library.bib:sato1999"],
    ]
    assert [work.hit.rank for work in outcome.works] == [1, 2, 3]
    assert [it.file for it in outcome.works[0].items] == [0, 0, 1]
    assert outcome.works[0].hit.record.doi == "10.1000/mud.1"
    assert outcome.complete


def test_the_order_of_files_is_the_order_of_works(tmp_path: Path) -> None:
    """Which records are one work does not depend on it."""
    scopus, library = write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY)

    there, back = run(scopus, library), run(library, scopus)

    assert [work.items[0].key for work in back.works] == [
        "library.bib:musterfrau2019",
        "library.bib:sato1999",
        "scopus.ris:@2",
    ]
    assert {frozenset(it.key for it in work.items) for work in there.works} == {
        frozenset(it.key for it in work.items) for work in back.works
    }


@pytest.mark.parametrize(("versions", "works"), [("separate", 2), ("group", 1), ("merge", 1)])
def test_versions(tmp_path: Path, versions: str, works: int) -> None:
    """A preprint and its article are two records of a review, unless somebody wants one."""
    outcome = run(*write(tmp_path, a_ris=VERSIONS), versions=versions)

    assert len(outcome.works) == works
    assert [bool(work.hit.versions) for work in outcome.works] == [versions == "group"] * works


def test_versions_are_separate_if_nobody_says_otherwise(tmp_path: Path) -> None:
    assert len(run(*write(tmp_path, a_ris=VERSIONS)).works) == 2


def test_pins_win(tmp_path: Path) -> None:
    """Records are pinned by file and id, or place."""
    files = read_all(gather(write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY)).files)
    pins = Pins.read(
        "different scopus.ris:s1 scopus.ris:@3\nsame scopus.ris:@2 library.bib:sato1999", "pins.txt"
    )

    works = deduplicate(files, DEFAULT.with_pins(pins)).works

    together = {frozenset(it.key for it in work.items) for work in works}
    assert frozenset({"scopus.ris:@2", "library.bib:sato1999"}) in together
    assert not any({"scopus.ris:s1", "scopus.ris:@3"} <= keys for keys in together)


def test_a_file_that_cannot_be_read_costs_the_others_nothing(tmp_path: Path) -> None:
    """It is in the list, with the reason."""
    files = read_all(
        gather(write(tmp_path, a_ris=SCOPUS, b_xyz="what is this?", c_bib=LIBRARY)).files
    )

    outcome = deduplicate(files, DEFAULT)

    assert [len(file.reading.entries) for file in files] == [3, 0, 2]
    assert "format of this file is not known" in str(files[1].error)
    assert (len(outcome.works), outcome.complete) == (3, False)


def test_a_record_that_cannot_be_read_is_counted(tmp_path: Path) -> None:
    outcome = run(*write(tmp_path, a_ndjson=BROKEN))

    (file,) = outcome.files
    assert (file.total, file.reading.lost, len(outcome.works), outcome.complete) == (3, 1, 2, False)


def test_no_file_and_no_record(tmp_path: Path) -> None:
    """Nothing comes of nothing."""
    assert run().works == []
    assert run(*write(tmp_path, a_ris="")).works == []


def test_keys_are_the_records_own(tmp_path: Path) -> None:
    """Two records of ours that bear one name, as two searches leave them, still have a key each."""
    row = (
        '{"source": "alpha", "position": 1, "source_id": "1", "title": "Peat bogs in spring", '
        '"year": 2011}\n'
    )

    (work,) = run(*write(tmp_path, a_ndjson=row * 2, b_ndjson=row)).works

    keys = [it.key for it in work.items]
    assert keys[0] == "alpha:1"
    assert len(set(keys)) == 3
    assert {match.left for match in work.hit.matches} | {
        match.right for match in work.hit.matches
    } == set(keys)


def test_standard_input(tmp_path: Path) -> None:
    """It is a file like any other; without any it is empty."""
    inputs = gather([STDIN, *write(tmp_path, library_bib=LIBRARY)]).files

    files = read_all(inputs, stdin=io.BytesIO(SCOPUS.encode()))

    assert [len(file.reading.entries) for file in files] == [3, 2]
    assert files[0].reading.entries[0].record.key == "stdin:s1"
    assert read_all(inputs[:1])[0].total == 0


def test_format_and_encoding_are_those_of_all_files(tmp_path: Path) -> None:
    path, *_ = write(tmp_path, a_txt="TY  - JOUR\nTI  - 題名\nER  - ".encode("big5"))

    (file,) = read_all(gather([path]).files, format="ris", encoding="big5")

    assert [record.title for record in file.reading.records] == ["題名"]


def test_somebody_may_know_a_file_better(tmp_path: Path) -> None:
    """Asked first, unless the format is given."""
    inputs = gather(write(tmp_path, a_ris=SCOPUS)).files
    mine = FileReading("mine", "rows", "utf-8")
    asked: list[Input] = []

    def first(it: Input, _: HandOut | None) -> FileReading | None:
        asked.append(it)
        return mine

    assert read_all(inputs, first=first)[0].reading is mine
    assert read_all(inputs, first=lambda _, __: None)[0].total == 3
    assert read_all(inputs, first=first, format="ris")[0].total == 3
    assert len(asked) == 1


def test_a_job_holds_so_many_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More do not fit into memory: the job is refused, and told how to go on, before anything is
    compared."""
    inputs = gather(write(tmp_path, scopus_ris=SCOPUS, library_bib=LIBRARY)).files
    monkeypatch.setattr(job, "MOST_RECORDS", 5)
    assert len(read_all(inputs)) == 2
    monkeypatch.setattr(job, "MOST_RECORDS", 4)
    with pytest.raises(
        UsageError, match=r"library\.bib hold 5 records, and one job compares 4"
    ) as raised:
        read_all(inputs)
    assert "their results" in raised.value.advice


def test_progress(tmp_path: Path) -> None:
    """It is told what is going on, and never more than there is."""
    told: list[tuple[str, int, int]] = []
    rows = "".join(
        f"TY  - JOUR\nTI  - Lake {n}\nPY  - {1900 + n % 100}\nER  - \n" for n in range(STEP + 1)
    )

    def tell(doing: str, done: int, total: int) -> None:
        told.append((doing, done, total))

    files = read_all(gather(write(tmp_path, a_ris=rows)).files, progress=tell)
    deduplicate(files, DEFAULT, progress=tell)

    assert told == [
        ("reading files", 0, 1),
        ("comparing records", 0, STEP + 1),
        ("comparing records", STEP, STEP + 1),
        ("merging records", STEP + 1, STEP + 1),
    ]


def test_records_are_not_changed(tmp_path: Path) -> None:
    """What is in the works is what was read."""
    outcome = run(*write(tmp_path, a_ris=SCOPUS))

    read: list[Record] = [entry.record for file in outcome.files for entry in file.reading.entries]
    kept = [it.entry.record for work in outcome.works for it in work.items]
    assert sorted(map(id, read)) == sorted(map(id, kept))
