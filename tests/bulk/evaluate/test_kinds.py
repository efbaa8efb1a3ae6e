"""Pairs by the kind of the records in them, counted by hand and by brute force."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.evaluate import report
from metasearch.bulk.evaluate.datasets import LabelledSet, read
from metasearch.bulk.evaluate.run import Tally, by_kind, evaluate
from metasearch.dedup import Chain
from metasearch.record import Record
from tests.bulk.evaluate.samples import write, write_rows
from tests.bulk.evaluate.strategies import SharedWords


def test_counted_by_hand(tmp_path: Path) -> None:
    """Two words must be shared: a, its cut and the forgery are one cluster, b and its cut another,
    far is alone."""
    labelled = read(write_rows(tmp_path / "s.jsonl"))

    it = evaluate(labelled, Chain((SharedWords(),)))

    assert sorted(map(sorted, it.clusters)) == [[0, 1, 5], [2], [3, 4]]
    assert it.kinds == {
        "base": Tally(right=2, false=1, missed=1),
        "cut": Tally(right=2, false=1, missed=1),
        "far": Tally(right=0, false=0, missed=2),
        "forged": Tally(right=0, false=2, missed=0),
    }


def test_sets_without_kinds(tmp_path: Path) -> None:
    """A set that tells no kinds has none."""
    assert by_kind(read(write(tmp_path)), [[0, 1]]) is None


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("pqr")),
        min_size=1,
        max_size=9,
    )
)
def test_against_brute_force(rows: list[tuple[int, int, str]]) -> None:
    """Counting by tables gives what looking at every pair gives."""
    home, works, kinds = ([row[place] for row in rows] for place in range(3))
    records = [Record(source="s", source_id=str(number)) for number in range(len(rows))]
    labelled = LabelledSet(
        name="s", records=records, origins=[None] * len(rows), works=works, kinds=kinds
    )
    clusters = [[n for n in range(len(rows)) if home[n] == it] for it in set(home)]

    found = by_kind(labelled, clusters)

    assert found is not None
    for kind, tally in found.items():
        pairs = [
            (a, b) for a, b in combinations(range(len(rows)), 2) if kind in (kinds[a], kinds[b])
        ]
        assert tally.right == sum(home[a] == home[b] and works[a] == works[b] for a, b in pairs)
        assert tally.false == sum(home[a] == home[b] and works[a] != works[b] for a, b in pairs)
        assert tally.missed == sum(home[a] != home[b] and works[a] == works[b] for a, b in pairs)


# --------------------------------------------------------------------------- how they are shown

ROWS = [("one", {"cut": Tally(3, 2, 1), "own": Tally(0, 4, 0), "": Tally(2, 0, 0)})]


def test_table() -> None:
    """Recall and false pairs; of works of their own only those; a kind without a name is a dash."""
    head, row = report.table(ROWS, "strategy", 120)

    assert head.split() == ["strategy", "cut", "own", "-"]
    assert row.split() == ["one", ".750", "+2", "+4", "1.000"]


def test_table_that_does_not_fit() -> None:
    """Then there are several, each with the names of the rows, and none is wider than it may be."""
    kinds = {f"a long name {number}": Tally(1, 1, 1) for number in range(20)}

    lines = list(report.table([("one", kinds), ("other", kinds)], "strategy", 60))

    assert max(map(len, lines)) <= 60
    assert len(lines) % 3 == 0
    assert " ".join(lines).count(".500 +1") == 40


def test_very_many_kinds() -> None:
    """A set in which every row is of a kind of its own does not flood the terminal."""
    kinds = {f"{number}": Tally(1, 0, 0) for number in range(1_000)}

    lines = list(report.table([("one", kinds)], "strategy", 120))

    assert len(lines) < 20
    assert lines[-1] == "960 more kinds: --json has them all"


def test_markdown_and_objects() -> None:
    """The same for a page and for programs; what cannot be found has no recall."""
    assert report.markdown(ROWS, "strategy") == (
        "| strategy | cut | own | - |\n| --- | --- | --- | --- |\n| one | .750 +2 | +4 | 1.000 |\n"
    )
    assert report.kinds_object(ROWS[0][1])["own"] == {
        "recall": None,
        "right": 0,
        "false": 4,
        "missed": 0,
    }
    assert report.kinds_object(ROWS[0][1])["cut"]["recall"] == 0.75
