"""What went wrong is shown with its evidence, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metasearch.bulk.evaluate.datasets import LabelledSet, read
from metasearch.bulk.evaluate.report import pair_lines
from metasearch.bulk.evaluate.run import PER_CLUSTER, Evaluation, Wrong, score, wrong
from metasearch.dedup import DEFAULT
from tests.bulk.evaluate.samples import ROWS, write


def evaluation(labelled: LabelledSet, clusters: list[list[int]]) -> Evaluation:
    return Evaluation(labelled, clusters, score(labelled, clusters), 1.0)


def rows(count: int, **fields: Any) -> list[dict[str, Any]]:
    return [{"id": f"r{n}", "title": f"Title number {n}", **fields} for n in range(count)]


def pairs(found: Sequence[Wrong]) -> list[tuple[str, int, int | None]]:
    return [(it.kind, it.a, it.b) for it in found]


def test_nothing_wrong(tmp_path: Path) -> None:
    """A perfect division has nothing to show."""
    assert wrong(evaluation(read(write(tmp_path)), [[0, 2], [1, 4], [3]]), DEFAULT, 20) == []


def test_false_before_missed_and_worst_first(tmp_path: Path) -> None:
    """The cluster with most false pairs opens, misses close."""
    labelled = read(write(tmp_path, rows(8), truth=[{"cluster": ["r5", "r6", "r7"]}]))

    found = wrong(evaluation(labelled, [[0, 1], [2, 3, 4], [5, 6]]), DEFAULT, 20)

    assert pairs(found) == [
        ("false", 2, 3),
        ("false", 2, 4),
        ("false", 3, 4),
        ("false", 0, 1),
        ("missed", 5, 7),
    ]
    assert found[0].about == "cluster of 3 records and 3 works, 3 false pairs"
    assert found[3].about == "cluster of 2 records and 2 works, 1 false pair"
    assert found[4].about == "work of 3 records in 2 clusters, 2 missed pairs"


def test_pairs_that_hold_a_cluster_together_come_first(tmp_path: Path) -> None:
    """Of a false cluster, what the chain itself calls one is shown before what only hangs on it."""
    labelled = read(write(tmp_path, truth=[]))

    found = wrong(evaluation(labelled, [[0, 1, 2]]), DEFAULT, 20)

    assert pairs(found)[0] == ("false", 0, 2)
    spoken = {rule: match for rule, match in found[0].evidence if match is not None}
    assert spoken["doi"].verdict == "same"


def test_every_rule_is_heard(tmp_path: Path) -> None:
    """The evidence names every matcher and veto of the chain, in the order in which they are
    asked."""
    (found, *_) = wrong(evaluation(read(write(tmp_path, truth=[])), [[0, 2]]), DEFAULT, 1)

    assert [rule for rule, _ in found.evidence] == [
        it.name for it in (*DEFAULT.matchers, *DEFAULT.vetoes)
    ]


def test_limits(tmp_path: Path) -> None:
    """A cluster of hundreds shows some pairs, and the limit counts each kind."""
    labelled = read(write(tmp_path, rows(400), truth=[]))
    everything = evaluation(labelled, [list(range(398)), [398, 399]])

    assert len(wrong(everything, DEFAULT, 100)) == PER_CLUSTER + 1
    assert len(wrong(everything, DEFAULT, 2)) == 2


def test_linked_sources(tmp_path: Path) -> None:
    """Where pairs of one source are not judged, none of them is shown or counted."""
    content = [{**row, "source": "ab"[number > 1]} for number, row in enumerate(rows(3))]
    labelled = read(write(tmp_path, content, truth=[], meta={"cross_source_only": True}))

    found = wrong(evaluation(labelled, [[0, 1, 2]]), DEFAULT, 20)

    assert pairs(found) == [("false", 0, 2), ("false", 1, 2)]
    assert found[0].about == "cluster of 3 records and 3 works, 2 false pairs"


def test_judged_pairs(tmp_path: Path) -> None:
    """Pairs about which people and chain differ."""
    judged = [(0, 1, 1), (2, 3, 0), (0, 2, 1), (1, 3, 0)]
    truth = [{"a": f"r{a}", "b": f"r{b}", "label": label} for a, b, label in judged]
    labelled = read(write(tmp_path, rows(4), pairs=truth))

    assert pairs(wrong(evaluation(labelled, [[0, 1], [2, 3]]), DEFAULT, 9)) == [
        ("false", 2, 3),
        ("missed", 0, 2),
    ]


def test_labels(tmp_path: Path) -> None:
    """A record that should stand alone is shown with one it stands with, a lone one with the
    nearest title."""
    flags = [{"id": row["id"], "duplicate": row["id"] != "C"} for row in ROWS]
    labelled = read(write(tmp_path, labels=flags))

    found = wrong(evaluation(labelled, [[1, 4], [2], [0], [3]]), DEFAULT, 9)
    assert pairs(found) == [("missed", 0, 2), ("missed", 2, 0)]

    found = wrong(evaluation(labelled, [[0, 2], [1, 3, 4]]), DEFAULT, 9)
    assert pairs(found) == [("false", 3, 1)]


def test_only_one_record_is_flagged(tmp_path: Path) -> None:
    """Where nobody could be its twin, a missed record is shown alone."""
    flags = [{"id": row["id"], "duplicate": row["id"] == "C"} for row in ROWS]
    it = evaluation(read(write(tmp_path, labels=flags)), [])

    (found,) = wrong(it, DEFAULT, 9)

    assert (found.a, found.b, found.evidence) == (3, None, ())
    assert "C | A history of the sextant | J. Cook; J. Harrison | 1999 | - | -" in "\n".join(
        pair_lines(it, [found], 120)
    )


@pytest.mark.parametrize("width", [60, 120])
def test_in_words(tmp_path: Path, width: int) -> None:
    """The pair, its two records and what each rule says, in lines that fit."""
    content = [
        {**ROWS[0], "title": "Mice \x1b[31m\u202eand men"},
        {**ROWS[2], "title": "Mice and men"},
    ]
    it = evaluation(read(write(tmp_path, content, truth=[])), [[0, 1]])

    lines = list(pair_lines(it, wrong(it, DEFAULT, 5), width))

    text = "\n".join(lines)
    assert ": false pairs 1, shown 1; missed 0, shown 0" in " ".join(text.split())
    assert "FALSE  cluster of 2 records and 2 works, 1 false pair" in lines
    assert "doi: same 0." in text
    assert "nothing to say: url" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert max(map(len, lines)) <= width
