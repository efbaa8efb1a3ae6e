"""A set may be one file whose rows carry their truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metasearch.bulk.evaluate.datasets import expand, read, reason_to_skip
from metasearch.errors import UsageError
from tests.bulk.evaluate.samples import MARKED, lines, write, write_rows


@pytest.mark.parametrize("name", ["small.jsonl", "small.jsonl.gz"])
def test_rows_of_equal_cluster_are_one_work(tmp_path: Path, name: str) -> None:
    """Records, works and kinds, in the order of the file; the set bears the name of the file
    without its ending."""
    labelled = read(write_rows(tmp_path / name))

    assert (labelled.name, labelled.notes) == ("small", ())
    assert [record.source_id for record in labelled.records] == [row["id"] for row in MARKED]
    assert labelled.works == [0, 0, 0, 1, 1, 2]
    assert labelled.kinds == ["base", "cut", "far", "base", "cut", "forged"]


def test_numbers_are_clusters_too(tmp_path: Path) -> None:
    """A cluster is named by a string or a number, whichever."""
    rows = [{"id": 1, "cluster": 7}, {"id": 2, "cluster": "7"}, {"id": 3, "cluster": 8}]

    assert read(write_rows(tmp_path / "s.jsonl", rows)).works == [0, 0, 1]


def test_rows_whose_label_nobody_trusts_are_left_out(tmp_path: Path) -> None:
    """They are counted, and nothing else is told of them."""
    rows = [
        {"id": "a", "title": "T", "cluster": "w", "cluster_clean": True},
        {"id": "b", "title": "T", "cluster": "v", "cluster_clean": False, "colour": "red"},
        {"id": "c", "title": "T", "cluster": "w"},
    ]

    labelled = read(write_rows(tmp_path / "s.jsonl", rows))

    assert [record.source_id for record in labelled.records] == ["a", "c"]
    assert labelled.notes == ("1 rows are left out: their cluster_clean is false",)
    assert labelled.kinds is None


def test_kinds_where_some_rows_have_none(tmp_path: Path) -> None:
    """A row without `op` is of no kind, and control characters do not come through."""
    rows = [{"id": "a", "cluster": 1, "op": "c\x1b[31mut"}, {"id": "b", "cluster": 1}]

    assert read(write_rows(tmp_path / "s.jsonl", rows)).kinds == ["c[31mut", ""]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "z"}, r"s\.jsonl:7: cluster is None"),
        ({"id": "z", "cluster": ["w1"]}, r"s\.jsonl:7: cluster is \['w1'\]"),
        ({"id": "z", "cluster": True}, r"s\.jsonl:7: cluster is True"),
        ({"cluster": "w1"}, r"s\.jsonl:7: id is None"),
        ({"id": "a", "cluster": "w1"}, r"s\.jsonl:7: id 'a' stands on an earlier line too"),
        ({"id": "z", "cluster": "w1", "cluster_clean": "no"}, r"s\.jsonl:7: cluster_clean is 'no'"),
        ({"id": "z", "cluster": "w1", "op": 5}, r"s\.jsonl:7: op is 5"),
        (["a"], r"s\.jsonl:7: expected an object"),
    ],
)
def test_bad_rows(tmp_path: Path, row: Any, message: str) -> None:
    """A mistake is told with file and line."""
    with pytest.raises(UsageError, match=message):
        read(write_rows(tmp_path / "s.jsonl", [*MARKED, row]))


def test_no_row_can_be_trusted(tmp_path: Path) -> None:
    """A set of no records is none."""
    with pytest.raises(UsageError, match="holds no record with a cluster that can be trusted"):
        read(write_rows(tmp_path / "s.jsonl", [{"id": "a", "cluster": 1, "cluster_clean": False}]))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (lines([{"id": "a", "title": "T"}]), "its rows have no cluster"),
        (lines([{"cluster": ["a", "b"]}]), "its rows are no records with a cluster"),
        (b"\n", "it is empty"),
    ],
)
def test_files_that_are_no_set(tmp_path: Path, content: bytes, why: str) -> None:
    """The first row decides."""
    file = tmp_path / "s.jsonl"
    file.write_bytes(content)

    assert reason_to_skip(file) == why
    with pytest.raises(UsageError, match=why):
        read(file)


def test_a_file_whose_first_row_cannot_be_read(tmp_path: Path) -> None:
    """It may be anything; the reason says what is wrong with it."""
    (tmp_path / "s.jsonl").write_text("{")
    (tmp_path / "s.jsonl.gz").write_text("not compressed")

    assert "s.jsonl:1: is no JSON" in str(reason_to_skip(tmp_path / "s.jsonl"))
    assert "the compressed file is damaged" in str(reason_to_skip(tmp_path / "s.jsonl.gz"))


def test_a_folder_of_files_is_all_of_them(tmp_path: Path) -> None:
    """If one of its files is a set, each .jsonl file of a folder stands for itself, by name."""
    one, other = (
        write_rows(tmp_path / "b.jsonl.gz"),
        write_rows(tmp_path / "a.jsonl", [{"id": "a"}]),
    )
    (tmp_path / "README.md").write_text("x")

    assert expand([tmp_path]) == expand([tmp_path, one]) == [other, one]
    assert [reason_to_skip(path) for path in expand([tmp_path])] == [
        "its rows have no cluster",
        None,
    ]


def test_folders_that_stay_as_they_are(tmp_path: Path) -> None:
    """A set, half of one, and a folder without any."""
    whole, half, none = write(tmp_path / "whole"), write(tmp_path / "half"), tmp_path / "none"
    (half / "records.jsonl").unlink()
    none.mkdir()
    write_rows(whole / "marked.jsonl")
    write_rows(none / "rows.jsonl", [{"id": "a"}])

    assert expand([whole, half, none]) == [whole, half, none]
    assert (reason_to_skip(half), reason_to_skip(none)) == ("no records.jsonl", "no records.jsonl")


@pytest.mark.shared
def test_the_shared_files(shared: Path) -> None:
    """The near-duplicate sets are read, what nobody trusts is left out, and what has no clusters is
    no set."""
    paths = expand([shared / "data" / "neardup"])
    sets = {it.name: it for it in (read(path) for path in paths if reason_to_skip(path) is None)}

    assert {name: len(it.records) for name, it in sets.items()} == {
        "asysd_dev": 736,
        "en_dev": 559,
        "zh_dev": 2380,
    }
    assert sets["asysd_dev"].notes[0] == "146 rows are left out: their cluster_clean is false"
    some = sets["asysd_dev"].records[:50]
    assert all(record.venue for record in some)
    assert {record.title for record in some if not record.authors} == {
        title for title in (record.title for record in some) if "Abstracts" in title
    }  # by "Anonymous"
    assert {reason_to_skip(path) for path in paths} == {None, "its rows have no cluster"}
