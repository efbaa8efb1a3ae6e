"""Labelled sets are read whole, or the mistake is told with file and line."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from metasearch.bib import bylines
from metasearch.bulk.evaluate.datasets import LabelledSet, read, reason_to_skip
from metasearch.errors import UsageError
from metasearch.record import Author
from tests.bulk.evaluate.samples import ROWS, lines, write, write_rows


def works(it: LabelledSet) -> set[frozenset[str]]:
    """The works by the ids of their records."""
    assert it.works is not None
    return {
        frozenset(
            record.source_id
            for record, other in zip(it.records, it.works, strict=True)
            if other == work
        )
        for work in it.works
    }


@pytest.mark.parametrize("compressed", [False, True])
def test_truth(tmp_path: Path, compressed: bool) -> None:
    """Clusters of records; what no cluster holds is a work of its own."""
    labelled = read(write(tmp_path / "small", compressed=compressed))

    assert (labelled.name, len(labelled.records), labelled.notes) == ("small", 5, ())
    assert works(labelled) == {frozenset({"A1", "A2"}), frozenset({"B1", "B2"}), frozenset({"C"})}


def test_clusters_that_share_a_record_are_one(tmp_path: Path) -> None:
    """Truth is transitive."""
    labelled = read(
        write(
            tmp_path, truth=[{"cluster": ["A1", "A2"]}, {"cluster": ["C", "A2"]}, {"cluster": []}]
        )
    )

    assert frozenset({"A1", "A2", "C"}) in works(labelled)


def test_order_of_rows_means_nothing(tmp_path: Path) -> None:
    """The same rows in another order are the same records and works."""
    one, other = (
        read(write(tmp_path / "set", ROWS)),
        read(write(tmp_path / "b" / "set", ROWS[::-1])),
    )

    assert set(map(repr, one.records)) == set(map(repr, other.records))
    assert works(one) == works(other)


def test_pairs_and_labels(tmp_path: Path) -> None:
    """Judged pairs, and labels of records, by their numbers in the file."""
    pairs = read(
        write(
            tmp_path / "p",
            pairs=[{"a": "A1", "b": "A2", "label": 1}, {"a": "B1", "b": "C", "label": 0}],
        )
    )
    flags = [{"id": row["id"], "duplicate": row["id"] != "C"} for row in ROWS[::-1]]
    labels = read(write(tmp_path / "l", labels=flags))

    assert pairs.pairs == [(0, 2, True), (1, 3, False)]
    assert labels.labels == [True, True, True, False, True]
    assert pairs.works is labels.works is None


def test_meta(tmp_path: Path) -> None:
    """Sets that link sources say so."""
    assert read(write(tmp_path / "a", meta={"cross_source_only": True})).cross_source_only
    assert not read(write(tmp_path / "b", meta={})).cross_source_only
    assert not read(write(tmp_path / "c")).cross_source_only


def test_what_is_no_set(tmp_path: Path) -> None:
    """Files and other folders are named with what they lack; what is not there at all is an
    error."""
    (tmp_path / "README.md").write_text("x")
    (tmp_path / "exports").mkdir()
    (tmp_path / "untruth").mkdir()
    (tmp_path / "untruth" / "records.jsonl").write_bytes(lines(ROWS))

    assert reason_to_skip(tmp_path / "README.md") == "a file, and not .jsonl or .jsonl.gz"
    assert reason_to_skip(tmp_path / "exports") == "no records.jsonl"
    assert reason_to_skip(tmp_path / "untruth") == "none of truth.jsonl, pairs.jsonl, labels.jsonl"
    assert reason_to_skip(write(tmp_path / "set")) is None
    with pytest.raises(UsageError, match=r"no such file or folder"):
        reason_to_skip(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"exports: is no labelled set: no records.jsonl"):
        read(tmp_path / "exports")


ROW = {"id": "A1", "title": "T"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"id": "A1"}\n{"id": \n', r"records\.jsonl:2: is no JSON"),
        (b'\n\n["A1"]\n', r"records\.jsonl:3: expected an object, found list"),
        (b'{"id": "A\xff"}\n', r"records\.jsonl:1: is not UTF-8: invalid start byte at byte 9"),
        (b'{"title": "T"}\n', r"records\.jsonl:1: id is None"),
        (b'{"id": true}\n', r"records\.jsonl:1: id is True"),
        (b'{"id": ["A1"]}\n', r"records\.jsonl:1: id is \['A1'\]"),
        (lines([ROW, ROW]), r"records\.jsonl:2: id 'A1' stands on an earlier line too"),
        (b'{"id": ' + b"[" * 100_000 + b"\n", r"records\.jsonl:1: is no JSON"),
        (b"\n", r"records\.jsonl: holds no record"),
    ],
)
def test_bad_records(tmp_path: Path, content: bytes, message: str) -> None:
    """A line that cannot be read is told with its number."""
    (write(tmp_path) / "records.jsonl").write_bytes(content)

    with pytest.raises(UsageError, match=message):
        read(tmp_path)


@pytest.mark.parametrize(
    ("kind", "row", "message"),
    [
        ("truth", {"cluster": ["A1", "Z"]}, r"truth\.jsonl:1: no record has the id 'Z'"),
        ("truth", {"cluster": "A1"}, r"truth\.jsonl:1: is no cluster"),
        ("truth", {"clusters": []}, r"truth\.jsonl:1: is no cluster"),
        ("pairs", {"a": "A1", "b": "Z", "label": 1}, r"pairs\.jsonl:1: no record has the id 'Z'"),
        ("pairs", {"a": "A1", "label": 1}, r"pairs\.jsonl:1: b is None"),
        ("pairs", {"a": "A1", "b": "A2", "label": "yes"}, r"pairs\.jsonl:1: label is 'yes'"),
        ("labels", {"id": "A1", "duplicate": 1}, r"labels\.jsonl:1: duplicate is 1"),
        (
            "labels",
            {"id": "A1", "duplicate": True},
            r"4 records have no line in labels\.jsonl, the first is 'B1'",
        ),
    ],
)
def test_bad_truth(tmp_path: Path, kind: str, row: dict[str, Any], message: str) -> None:
    """Truth about records that are not there, or in another form, is told with its line."""
    truth: dict[str, Any] = {kind: [row]}
    with pytest.raises(UsageError, match=message):
        read(write(tmp_path, **truth))


def test_two_kinds_of_truth(tmp_path: Path) -> None:
    """Nobody could say which counts."""
    write(tmp_path, pairs=[])
    with pytest.raises(UsageError, match=r"holds truth\.jsonl and pairs\.jsonl"):
        read(write(tmp_path))


@pytest.mark.parametrize("damage", [slice(0, 40), slice(5, None)])
def test_damaged_compression(tmp_path: Path, damage: slice) -> None:
    """A file that was cut, or is none, is told by name."""
    write(tmp_path, compressed=True)
    (tmp_path / "records.jsonl.gz").write_bytes(gzip.compress(lines(ROWS))[damage])

    with pytest.raises(UsageError, match=r"records\.jsonl\.gz:1: the compressed file is damaged"):
        read(tmp_path)


def test_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line beyond the limit is not read to its end, compressed or not."""
    monkeypatch.setattr("metasearch.bulk.evaluate.rows.LONGEST_LINE", 1000)
    write(tmp_path, [{"id": "A1", "title": "x" * 2000}], truth=[], compressed=True)

    with pytest.raises(
        UsageError, match=r"records\.jsonl\.gz:1: the line is longer than 1,000 bytes"
    ):
        read(tmp_path)


@pytest.mark.parametrize("meta", ["{", "[]", "[" * 100_000])
def test_bad_meta(tmp_path: Path, meta: str) -> None:
    """meta.json is an object."""
    (write(tmp_path) / "meta.json").write_text(meta)

    with pytest.raises(UsageError, match=r"meta\.json: (is no JSON|expected an object)"):
        read(tmp_path)


@pytest.mark.slow
@pytest.mark.shared
def test_real_sets(shared: Path) -> None:
    """Every set of the shared data is read with all its records, and there is nothing in it that
    could not be read."""
    for folder in (shared / "data" / "dedup").iterdir():
        if reason_to_skip(folder) is None:
            labelled = read(folder)
            assert labelled.notes == (), folder.name
            assert len({record.key for record in labelled.records}) == len(labelled.records)


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> None:
    """The byline of Cook provokes what nobody has thought of."""

    def people_in(byline: str) -> tuple[Author, ...]:
        if byline.startswith("Cook"):
            raise RuntimeError("odd")
        return bylines.people_in(byline)

    monkeypatch.setattr("metasearch.bulk.evaluate.rows.people_in", people_in)


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("form", ["folder", "file"])
def test_a_row_that_provokes_a_surprise_costs_only_itself(tmp_path: Path, form: str) -> None:
    """It counts as an empty record, so that the truth still fits; the others are read, and its
    place is told."""
    rows = [{**row, "cluster": row["id"]} for row in ROWS]
    path = (
        write(tmp_path / "small")
        if form == "folder"
        else write_rows(tmp_path / "small.jsonl", rows)
    )

    labelled = read(path)

    assert [record.title == "" for record in labelled.records] == [False, False, False, True, False]
    assert [record.source_id for record in labelled.records] == ["A1", "B1", "A2", "C", "B2"]
    (note,) = labelled.notes
    assert (
        "jsonl:4: the row could not be read and counts as an empty record: RuntimeError: odd"
        in note
    )
