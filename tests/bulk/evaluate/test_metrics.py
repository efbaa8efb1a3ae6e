"""Figures of clusters, against what can be counted by hand and by brute force."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.evaluate.datasets import LabelledSet, read, reason_to_skip
from metasearch.bulk.evaluate.run import SetFigures, Tally, cluster, homes, score
from metasearch.dedup import DEFAULT
from metasearch.record import Record
from tests.bulk.evaluate.samples import write
from tests.growth import MOST, growth


def labelled(works: Sequence[int] | None = None, **truth: Any) -> LabelledSet:
    count = len(works or truth.get("labels") or range(6))
    records = [Record(source="s", source_id=str(number)) for number in range(count)]
    origins = truth.pop("origins", [None] * count)
    return LabelledSet(name="sample", records=records, origins=origins, works=works, **truth)


def test_counted_by_hand() -> None:
    """Six records of three works; one cluster holds two works, one work is torn apart."""
    result = score(labelled([0, 0, 0, 1, 1, 2]), [[0, 1, 3], [4], [5], [2]])

    assert result.tally == Tally(right=1, false=2, missed=3)
    assert (result.tally.precision, result.tally.recall) == (1 / 3, 1 / 4)
    assert (result.unit, result.found_pairs, result.true_units, result.judged) == (
        "pairs",
        3,
        4,
        None,
    )
    assert result.works is not None
    # Kept are 0, 2, 4 and 5: no work is lost, 1 and 3 are rightly gone, a copy of the first work
    # stays.
    assert result.works.copies == Tally(right=2, false=0, missed=1)
    assert (result.works.redundant, result.works.true_clusters, result.works.exact) == (3, 2, 0)
    assert result.works.false_merged == 1
    assert result.works.b_cubed == (
        (2 / 3 + 2 / 3 + 1 + 1 / 3 + 1 + 1) / 6,
        (2 / 3 + 2 / 3 + 1 / 3 + 1 / 2 * 2 + 1) / 6,
    )


def test_confused_and_exclusive_error() -> None:
    """As CE and EE are read: 6 records of 3 works, 2 of the 3 pairs that were found are wrong, 3 of
    4 are missed."""
    result = score(labelled([0, 0, 0, 1, 1, 2]), [[0, 1, 3], [4], [5], [2]])

    assert (result.tally.ce, result.tally.ee) == (2 / 3, 3 / 4)
    assert result.tally.f == pytest.approx(2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))
    assert result.tally.f == pytest.approx(result.tally.f1)
    # Of 15 pairs 4 are of one work, so 11 are of two.
    assert (result.different, result.ce_pairs) == (11, 2 / 11)


def test_no_error_where_nothing_was_said() -> None:
    """Who finds nothing confuses nothing, and misses all; where nothing differs, nothing is
    confused."""
    result = score(labelled([0, 0]), [])

    assert (result.tally.ce, result.tally.ee, result.tally.f) == (0.0, 1.0, 0.0)
    assert (result.different, result.ce_pairs) == (0, 0.0)


def test_what_differs_among_judged_pairs_and_records() -> None:
    """Pairs that are judged 0, and records without a twin."""
    truth = [(0, 1, True), (0, 2, False), (4, 5, False)]

    assert score(labelled(pairs=truth), [[0, 2]]).ce_pairs == 1 / 2
    assert score(labelled(labels=[True, True, False, False, False]), [[0, 1, 2]]).ce_pairs == 1 / 3


def test_work_lost() -> None:
    """A work is lost where all its records stand behind another's in a cluster."""
    result = score(labelled([0, 1, 0]), [[2, 1, 0]])

    assert result.works is not None
    assert result.works.copies == Tally(right=1, false=1, missed=0)


def test_exact_clusters() -> None:
    """Only a cluster with no record too many or too few counts, and a single record is no
    cluster."""
    result = score(labelled([0, 0, 1, 1, 1, 2]), [[0, 1], [2, 3]])

    assert result.works is not None
    assert (result.works.exact, result.works.exact_share) == (1, 0.5)


def test_nothing_to_find() -> None:
    """Nothing found where nothing is to be found is perfect."""
    tally = score(labelled([0, 1, 2]), []).tally

    assert (tally.precision, tally.recall, tally.f1) == (1.0, 1.0, 1.0)
    assert Tally(0, 1, 1).f1 == 0.0


def test_pairs() -> None:
    """Only judged pairs count."""
    truth = [(0, 1, True), (2, 3, True), (0, 2, False), (4, 5, False)]

    result = score(labelled(pairs=truth), [[0, 1, 2], [4], [3]])

    assert result.tally == Tally(right=1, false=1, missed=1)
    assert (result.unit, result.judged, result.true_units, result.works) == (
        "judged pairs",
        4,
        2,
        None,
    )


def test_labels() -> None:
    """A record counts as found when it stands with another."""
    result = score(labelled(labels=[True, True, True, False, False]), [[0, 1], [2], [3, 4]])

    assert result.tally == Tally(right=2, false=2, missed=1)
    assert (result.unit, result.true_units) == ("records", 3)


def test_linked_sources() -> None:
    """Where only pairs of different sources are judged, a false pair of one source is none."""
    works, origins = [0, 1, 2, 2], ["a", "a", "b", None]

    assert score(labelled(works, origins=origins), [[0, 1, 2]]).tally == Tally(0, 3, 1)
    assert score(
        labelled(works, origins=origins, cross_source_only=True), [[0, 1, 2]]
    ).tally == Tally(0, 2, 1)


def test_record_in_two_clusters() -> None:
    """A partition is a partition."""
    with pytest.raises(ValueError, match="record 1 stands in two clusters"):
        homes([[0, 1], [1, 2]], 3)


partitions = st.lists(st.integers(0, 3), min_size=1, max_size=9)


@given(st.data(), partitions, st.booleans())
def test_against_brute_force(data: st.DataObject, works: list[int], cross: bool) -> None:
    """The table of clusters against works gives what looking at every pair gives."""
    count = len(works)
    home = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    origins = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=count, max_size=count))
    clusters = [[n for n in range(count) if home[n] == it] for it in set(home)]

    result = score(labelled(works, origins=origins, cross_source_only=cross), clusters)
    tally = result.tally

    pairs = list(combinations(range(count), 2))
    assert result.different == sum(
        works[a] != works[b] and (not cross or origins[a] != origins[b]) for a, b in pairs
    )
    assert tally.right == sum(home[a] == home[b] and works[a] == works[b] for a, b in pairs)
    assert tally.missed == sum(home[a] != home[b] and works[a] == works[b] for a, b in pairs)
    assert tally.false == sum(
        home[a] == home[b] and works[a] != works[b] and (not cross or origins[a] != origins[b])
        for a, b in pairs
    )


@pytest.mark.slow
def test_large_clusters() -> None:
    """A cluster of records, no two of one work, is counted without looking at its pairs."""

    def scoring(count: int) -> Callable[[], object]:
        return partial(score, labelled(range(count)), [list(range(count))])

    assert score(labelled(range(5_000)), [list(range(5_000))]).tally == Tally(0, 12_497_500, 0)
    assert growth(scoring, 1_250) <= MOST


# -------------------------------------------------------------------- the scorer of the shared data


def as_the_scorer(it: SetFigures) -> dict[str, Any]:
    """Our figures under the names of the shared scorer."""
    tally, works = it.tally, it.works
    out: dict[str, Any] = {"records": it.records, "pred_dup_pairs": it.found_pairs}
    out |= {"TP": tally.right, "FP": tally.false, "FN": tally.missed}
    out |= {"P": tally.precision, "R": tally.recall, "F1": tally.f1}
    if it.unit == "judged pairs":
        return out | {"judged_pairs": it.judged}
    if works is None:
        return out | {"in_group": it.true_units, "unit": "records"}
    copies = works.copies
    out |= {
        "TP_rec": copies.right,
        "FP_rec": copies.false,
        "FN_rec": copies.missed,
        "redundant": works.redundant,
    }
    out |= {
        "P_rec": copies.precision,
        "R_rec": copies.recall,
        "F1_rec": copies.f1,
        "true_pairs": it.true_units,
    }
    out |= {"true_clusters": works.true_clusters, "exact_clusters": works.exact_share}
    out |= {"B3_P": works.b_cubed[0], "B3_R": works.b_cubed[1], "B3_F1": works.b_cubed_f1}
    return out | {"false_merged_clusters": works.false_merged}


def scorer(shared: Path) -> Mapping[str, Any]:
    return runpy.run_path(str(shared / "bench" / "dedup_eval.py"))


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the scorer leaves meta.json open
@given(data=st.data())
def test_agrees_with_the_scorer(
    shared: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Every figure is that of the shared scorer to the last digit, whatever the truth and the
    clusters."""
    works = data.draw(partitions)
    count = len(works)
    home = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    sources = data.draw(st.lists(st.sampled_from(["a", "b"]), min_size=count, max_size=count))
    kind = data.draw(st.sampled_from(["truth", "linked", "pairs", "labels"]))
    rows = [{"id": f"r{n}", "title": "T", "source": sources[n]} for n in range(count)]
    truth: dict[str, Any] = {"meta": {"cross_source_only": kind == "linked"}}
    if kind in ("truth", "linked"):
        truth["truth"] = [
            {"cluster": [f"r{n}" for n in range(count) if works[n] == it]} for it in set(works)
        ]
    elif kind == "pairs":
        judged = [
            (f"r{a}", f"r{b}", int(works[a] == works[b])) for a, b in combinations(range(count), 2)
        ]
        truth["pairs"] = [{"a": a, "b": b, "label": label} for a, b, label in judged]
    else:
        truth["labels"] = [
            {"id": f"r{n}", "duplicate": works.count(works[n]) > 1} for n in range(count)
        ]
    folder = write(tmp_path_factory.mktemp("set"), rows, **truth)
    clusters = [[n for n in range(count) if home[n] == it] for it in set(home)]

    ours = as_the_scorer(score(read(folder), clusters))

    theirs, *_ = scorer(shared)["evaluate"](str(folder), [[f"r{n}" for n in it] for it in clusters])
    assert json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_agrees_with_the_scorer_on_every_set(shared: Path) -> None:
    """On real sets, with the clusters of the default chain."""
    evaluate = scorer(shared)["evaluate"]
    folders = [
        it for it in sorted((shared / "data" / "dedup").iterdir()) if reason_to_skip(it) is None
    ]
    assert len(folders) >= 5

    for folder in folders:
        it = read(folder)
        _, clusters, _ = cluster(it.records, DEFAULT)
        theirs, *_ = evaluate(
            str(folder), [[it.records[number].source_id for number in one] for one in clusters]
        )
        assert as_the_scorer(score(it, clusters)) == theirs, folder.name
