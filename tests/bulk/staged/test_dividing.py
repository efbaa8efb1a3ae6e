"""Components are divided in the same way by one process and by several, and as titles say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="the extra bulk is not installed")

import pyarrow as pa

from metasearch.bulk.staged import components, parts
from metasearch.bulk.staged.chunks import RecordPlaces
from metasearch.bulk.staged.components import Traits, divide
from metasearch.bulk.staged.keys import KeyFolders, export_stage
from metasearch.bulk.staged.parts import parts_in, read_part
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.records import ReadOptions, files_of, read_stage
from metasearch.dedup.evidence import surely_far
from metasearch.formats.reading.files import gather
from tests.bulk.staged.sets import files, hostile, records

#: Words that are parts of one another, or begin alike.
WORDS = ["soil", "so", "il", "water", "waters", "wa", "ter", "Böden", "水", "on a much longer word"]


def say_nothing(_: str, __: int, ___: int) -> None:
    """No progress."""


@pytest.mark.slow
def test_processes_find_the_same_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And in the same order, however many pairs they look at in one go."""
    paths = files(tmp_path / "in", [*records(80, words=25), *hostile(12)], parts=2)
    inputs = gather(paths).files
    made = {name: tmp_path / name for name in KeyFolders.__slots__}
    for folder in made.values():
        folder.mkdir()
    read_stage(inputs, ReadOptions(), made["records"], 1, None, say_nothing)
    rules = JobRules()
    export_stage(KeyFolders(**made), rules, 1, say_nothing)
    numbers = np.concatenate(
        [read_part(path, ["number"]).column(0).to_numpy() for path in parts_in(made["records"])]
    )
    counts = [file.reading.count for file in files_of(inputs, made["records"])]
    of = Traits.read(made["traits"], numbers, RecordPlaces(counts))
    distances = {signs.name: signs.distance for signs in rules.signature_matchers}
    monkeypatch.setattr(parts, "ROWS", 40)

    found = []
    for workers, at_once in ((1, 200_000), (1, 7), (2, 50)):
        monkeypatch.setattr(components, "_AT_ONCE", at_once)
        into = tmp_path / f"edges-{workers}-{at_once}"
        into.mkdir()
        divide(made["keys"], made["signatures"], distances, of, into, tmp_path / "scratch", workers)
        tables = [read_part(path) for path in parts_in(into)]
        found.append([tuple(row.values()) for table in tables for row in table.to_pylist()])

    one, other, several = found
    assert one == other == several
    assert len(one) > 100


@example(["learning of rules", "rule learning"])
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=2, max_size=8))
def test_pairs_of_titles_are_far_where_one_pair_would_be(titles: list[str]) -> None:
    """Also those of no word or of one, of parts of one another, and those that begin alike."""
    count = len(titles)
    a, b = np.divmod(np.arange(count * count), count)
    of = Traits(
        *[np.zeros(count, np.int64)] * 5,
        titles=pa.array(titles, pa.large_string()),
        begins=components._begins(pa.array(titles, pa.large_string())),
        early=np.zeros(count, bool),
    )

    far = components._are_apart(of, a, b)

    assert far.tolist() == [
        bool(one and other) and surely_far(one, other) for one in titles for other in titles
    ]
