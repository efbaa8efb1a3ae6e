"""A staged job finds what a job in memory finds: the same works, ids, matches and order."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

from metasearch.bulk import export
from metasearch.bulk import export as clusters
from metasearch.bulk.evaluate.rows import read_rows
from metasearch.bulk.job import JobOutcome, deduplicate, read_all
from metasearch.bulk.staged import chunks, parts
from metasearch.bulk.staged import records as reading
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.records import ReadOptions
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run
from metasearch.dedup import index
from metasearch.dedup.pins import Pins
from metasearch.formats.reading.files import gather
from metasearch.record import VersionsMode
from tests.bulk.staged.sets import files, hostile, in_memory, on_disk, records
from tests.bulk.staged.union_find import UnionFind
from tests.bulk.telling import count
from tests.cases import sample


def assert_equal(found: JobOutcome, expected: JobOutcome) -> None:
    """Both have the same works in the same order, and the same numbers."""
    assert len(found.works) == len(expected.works)
    for one, other in zip(found.works, expected.works, strict=True):
        assert one == other
    assert found.passed_over == expected.passed_over
    assert count(found) == count(expected)
    assert clusters.cluster_bytes(found) == clusters.cluster_bytes(expected)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts, chunks and buckets are small, and crowds and the bound of few records too, so that a
    small set has several of each.
    """
    monkeypatch.setattr(reading, "PART", 70)
    monkeypatch.setattr(chunks, "CHUNK", 50)
    monkeypatch.setattr(parts, "ROWS", 90)
    monkeypatch.setattr(index, "FEW", 150)
    monkeypatch.setattr(index, "CROWD_OF_FEW", 30)


@pytest.mark.parametrize("versions", sample(["separate", "group", "merge"], 3))
def test_the_works_are_those_of_memory(tmp_path: Path, versions: VersionsMode) -> None:
    """Whatever blocks the records share, also where most hang together."""
    paths = files(tmp_path / "in", [*records(40, words=40), *hostile(34)], parts=3)
    rules = JobRules(versions=versions)

    assert_equal(on_disk(paths, tmp_path / "job", rules), in_memory(paths, rules))


@pytest.mark.parametrize("seed", sample([11, 12, 13], 3))
def test_the_order_of_records_and_parts_changes_nothing(tmp_path: Path, seed: int) -> None:
    """However records are divided into files, and files into parts."""
    paths = files(tmp_path / "in", [*records(30, seed), *hostile(33, seed)], seed % 4 + 1, seed)

    assert_equal(on_disk(paths, tmp_path / "job"), in_memory(paths))


def test_pins_hold(tmp_path: Path) -> None:
    """What somebody decided joins records that share nothing else, and parts others."""
    paths = files(tmp_path / "in", [*records(30), *hostile(20)], parts=2)
    one, *others = (work.items[0].key for work in in_memory(paths).works)
    twins = next(work.items for work in in_memory(paths).works if len(work.items) > 1)
    text = f"same {one} {others[5]}\ndifferent {twins[0].key} {twins[1].key}\n"
    rules = JobRules(pins=Pins.read(text, "pins.txt"))

    expected = in_memory(paths, rules)
    assert_equal(on_disk(paths, tmp_path / "job", rules), expected)
    assert any({one, others[5]} <= {item.key for item in work.items} for work in expected.works)


def test_keys_that_files_repeat_are_made_different_in_the_same_way(tmp_path: Path) -> None:
    """Also where a made name is one that another record bears."""
    text = "TY  - JOUR\nID  - {id}\nTI  - {title}\nER  -\n"
    ids = ["x", "y", "x", "x@3", "x@3", "x", "x@6", "x@6+"]
    path = tmp_path / "a.ris"
    path.write_text("\n".join(text.format(id=i, title=f"Title {n}") for n, i in enumerate(ids)))

    assert_equal(on_disk([path], tmp_path / "job"), in_memory([path]))


def test_rows_of_labelled_sets_go_by_their_ids(tmp_path: Path) -> None:
    """As in memory: also where two files use one id, or one that a made name is."""
    row = '{{"id": "{id}", "source": "alpha", "title": "A title of mud {title}", "year": 2001}}\n'
    paths = []
    for number, ids in enumerate((["r1", "r2", "r3"], ["r2", "alpha:r2@4", "r1", "r1"])):
        paths.append(tmp_path / f"{number}.jsonl")
        rows = (row.format(id=own, title=n % 3) for n, own in enumerate(ids))
        paths[-1].write_text("".join(rows))
    paths += files(tmp_path / "in", records(5), parts=1)
    inputs = gather(paths).files
    job = StagedJob(inputs, JobRules(), ReadOptions(first=read_rows))

    found, _ = run(job, JobFolder(tmp_path / "job", job.description()), UnionFind())
    assert_equal(found, deduplicate(read_all(inputs, first=read_rows), JobRules().chain))


def test_works_of_one_name_are_told_apart_over_all_components(tmp_path: Path) -> None:
    """One keeps the id, others say their year; none of them shares a key with another one."""
    text = "TY  - JOUR\nTI  - {title}\nAU  - Same, S.\nPY  - {year}\nVL  - {n}\nSP  - 1\nER  -\n"
    title = "one two three four five six seven eight {} {}"
    path = tmp_path / "a.ris"
    path.write_text(
        "\n".join(
            text.format(title=title.format("nine" * n, "ten" * n), year=1950 + 5 * n, n=n)
            for n in range(1, 9)
        )
    )

    assert_equal(on_disk([path], tmp_path / "job"), in_memory([path]))


def test_nothing_and_what_cannot_be_read(tmp_path: Path) -> None:
    """Files without records are reported as in memory."""
    empty, broken = tmp_path / "empty.ris", tmp_path / "broken.ris"
    empty.write_text("")
    broken.write_bytes(b"\x00\x01\x02 nothing that anybody knows")
    found, expected = on_disk([empty, broken], tmp_path / "job"), in_memory([empty, broken])

    assert len(found.works) == 0
    assert [str(one.error) for one in found.files] == [str(one.error) for one in expected.files]
    assert count(found) == count(expected)


def test_the_output_is_the_same_bytes(tmp_path: Path) -> None:
    """The works are written from disk as they are from memory."""
    paths = files(tmp_path / "in", [*records(20), *hostile(10)], parts=2)
    found, expected = on_disk(paths, tmp_path / "job"), in_memory(paths)

    for name in ("ris", "bibtex", "csv", "json", "ndjson"):
        assert b"".join(export.write(name, found)) == b"".join(export.write(name, expected))


@pytest.mark.slow
def test_worker_processes_find_the_same(tmp_path: Path) -> None:
    """Two processes; constants are those of the package there."""
    paths = files(tmp_path / "in", [*records(20), *hostile(10)], parts=2)

    found = on_disk(paths, tmp_path / "job", workers=2)
    expected = on_disk(paths, tmp_path / "other")
    assert [work.items for work in found.works] == [work.items for work in expected.works]
