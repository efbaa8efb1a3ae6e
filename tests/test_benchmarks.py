"""What the benchmarks measure on is what they say it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from benchmarks import dedup, peer
from benchmarks.generated import Library
from benchmarks.hostile import HOSTILE, Maker
from tests.evaluate.samples import write


def test_a_library_is_always_the_same() -> None:
    """The same seed gives the same records, another seed others."""
    records = list(Library(3).records(200))

    assert records == list(Library(3).records(200))
    assert records != list(Library(4).records(200))


def test_a_library_is_like_a_real_one() -> None:
    """A fifth are copies in other words, one in a hundred is an editorial, half have an abstract; ids are unique."""
    records = list(Library().records(3_000))
    works = {work for work, _ in records}
    library = Library()

    assert len({record.key for _, record in records}) == 3_000
    assert len(works) / 3_000 == pytest.approx(0.8, abs=0.02)
    assert mean(record.title.startswith("Editorial") for _, record in records) == pytest.approx(0.01, abs=0.004)
    assert mean(record.abstract is not None for _, record in records) == pytest.approx(0.45, abs=0.1)
    copies = [(record, library.work(work)) for work, record in records if record.source != "alpha"]
    named = [replace(copy, source=work.source, source_id=work.source_id) for copy, work in copies]
    assert mean(copy != work for copy, (_, work) in zip(named, copies, strict=True)) > 0.9


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sets_grow(make: Maker) -> None:
    """As many records as are asked for, each with an id of its own, and one title or one text, but for a little."""
    records = make(100)

    assert len({record.key for record in records}) == 100
    titles = {record.title.rstrip(". ") for record in records}
    texts = {(record.abstract or "")[:300] for record in records}
    assert len(titles) == 1 or (len(texts) == 1 and texts != {""})


@pytest.mark.parametrize("count", [1, 9, 10, 1234])
def test_slices(count: int) -> None:
    """At most ten slices of about one size, which hold all."""
    sizes = dedup.slices(count)

    assert sum(sizes) == count
    assert len(sizes) <= 10
    assert max(sizes) - min(sizes) <= max(sizes)


def test_sets_are_made_up_where_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside the development checkout there is something to measure, too, and its truth is known."""
    monkeypatch.setattr(dedup, "SETS", tmp_path / "nowhere")

    (one, other) = dedup.largest_sets(2)

    assert one.records != other.records
    assert one.works is not None
    assert len(one.works) == len(one.records) == 5_000


def test_the_largest_sets_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labelled sets that are here are taken by size."""
    for name, count in (("a", 2), ("b", 4), ("c", 3)):
        write(tmp_path / name, [{"id": str(n), "title": "T"} for n in range(count)], truth=[])
    monkeypatch.setattr(dedup, "SETS", tmp_path)

    assert [it.name for it in dedup.largest_sets(2)] == ["b", "c"]


@pytest.mark.parametrize("compressed", [False, True])
def test_the_peer_gets_every_field(tmp_path: Path, compressed: bool) -> None:
    """Rows become columns under the names that bib-dedupe knows; what is missing is empty."""
    rows = [
        {"id": 1, "title": "T", "authors": ["Byron, Ada", "Cook, J."], "issue": "3", "container": "J", "year": 2001},
        {"id": "x", "authors_raw": "Byron, A."},
    ]

    one, other = peer.rows(write(tmp_path, rows, truth=[], compressed=compressed))

    assert (one["ID"], one["author"], one["number"], one["journal"], one["year"]) == (
        "1",
        "Byron, Ada and Cook, J.",
        "3",
        "J",
        "2001",
    )
    assert (other["ID"], other["author"], other["title"]) == ("x", "Byron, A.", "")
    assert one.keys() == other.keys()


@pytest.mark.parametrize(
    ("figure", "most", "said"), [(5, False, "reached"), (3, False, "MISSED"), (3, True, "reached")]
)
def test_goals(figure: float, most: bool, said: str) -> None:
    """A figure is beside its goal."""
    assert dedup.goal(figure, 4, most=most).endswith(said)
