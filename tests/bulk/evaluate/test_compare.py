"""Strategies side by side on one set, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch.bulk.evaluate import compare as compare_report
from metasearch.bulk.evaluate.compare import measure
from metasearch.bulk.evaluate.datasets import LabelledSet, read
from metasearch.dedup import Chain
from tests.bulk.evaluate.samples import write, write_rows
from tests.bulk.evaluate.strategies import SharedWords, compare, fixed, strategy


@pytest.fixture
def labelled(tmp_path: Path) -> LabelledSet:
    return read(write_rows(tmp_path / "small.jsonl"))


def test_each_strategy_in_its_turn(labelled: LabelledSet) -> None:
    """The figures of each, with its own setting; no curves where nobody asked for them."""
    strict = fixed("strict", chain=Chain((SharedWords(3),)))

    one, other = compare(labelled, [strategy(), strict])

    assert [it.strategy.name for it in (one, other)] == ["words", "strict"]
    assert (one.evaluation.score.tally.recall, other.evaluation.score.tally.recall) == (0.5, 0.0)
    assert one.memory > 0
    assert (one.curve, one.growth) == ((), ())


def test_curves_and_growth(labelled: LabelledSet) -> None:
    """A curve where there is a threshold, and times for the sizes."""
    one, other = compare(labelled, [strategy(), fixed()], curves=True, sizes=(4,))

    assert ([point.threshold for point in one.curve], other.curve) == ([3.0, 2.0, 1.0], ())
    assert (
        [point.records for point in one.growth]
        == [point.records for point in other.growth]
        == [4, 6]
    )


def test_what_takes_long_is_loaded_before(labelled: LabelledSet) -> None:
    """Dictionaries are loaded before the first record is looked at, and so before time is taken."""
    matcher = SharedWords()
    seen: list[int] = []

    measure(
        labelled, strategy(chain=Chain((matcher,)), loads=(lambda: seen.append(len(matcher.read)),))
    )

    assert seen == [0]


def test_records_of_which_nothing_is_said(labelled: LabelledSet) -> None:
    """Where a strategy would not even find the copy of a record, the record lacks what it needs:
    two words, here."""
    assert measure(labelled, strategy()).silent == 1
    assert measure(labelled, fixed(chain=Chain(()))).silent == 6


# --------------------------------------------------------------------------- how it is told


def test_table(labelled: LabelledSet) -> None:
    """A line a strategy, with every figure under its head."""
    it = measure(labelled, strategy())

    figures = dict(
        zip(
            compare_report.head(shuffles=0).replace("CPU s", "seconds").split(),
            compare_report.row(it, shuffles=0).split(),
            strict=True,
        )
    )

    assert float(figures.pop("seconds")) >= 0
    assert int(figures.pop("rec/s")) > 0
    assert float(figures.pop("kB/rec")) > 0
    # Found are a, its cut and the forgery (2 false pairs), and b with its cut; a~far is missed
    # twice.
    assert figures == {
        "strategy": "words",
        "P": ".500",
        "R": ".500",
        "F1": ".500",
        "CE": ".500",
        "EE": ".500",
        "F": ".500",
        "ce_pairs": ".182",
        "false": "2",
        "missed": "2",
        "lost": "1",
        "B3": ".778",
    }


def test_about(tmp_path: Path, labelled: LabelledSet) -> None:
    """What the set is, and what is counted in it."""
    pairs = read(write(tmp_path / "p", pairs=[{"a": "A1", "b": "A2", "label": 1}]))

    assert compare_report.about(labelled) == "small: 6 records, 3 works; pairs are counted"
    assert compare_report.about(pairs) == "p: 5 records; judged pairs are counted"
    assert " - " in compare_report.row(measure(pairs, strategy()), shuffles=0)


def test_lines_fit(labelled: LabelledSet) -> None:
    """Even with a long name, many strategies and other orders of arrival."""
    found = compare(
        labelled, [strategy("a-strategy-with-a-long-name" + "x" * n) for n in range(9)], shuffles=1
    )

    lines = [compare_report.head(shuffles=1), *(compare_report.row(it, shuffles=1) for it in found)]
    lines += compare_report.feet(found, 120)

    assert max(map(len, lines)) <= 120


def test_feet(labelled: LabelledSet) -> None:
    """What was not said, and the figures by kind."""
    said, about, head, row = (
        line for line in compare_report.feet([measure(labelled, strategy())], 200) if line
    )

    assert said.endswith("so many lack what a strategy needs, and it says nothing: words 1.")
    assert about.startswith("by kind: ")
    assert (head.split(), row.split()) == (
        ["strategy", "base", "cut", "far", "forged"],
        ["words", ".667", "+1", ".667", "+1", ".000", "+2"],
    )


def test_markdown(labelled: LabelledSet) -> None:
    """The same columns for a page, and the table of kinds."""
    found = compare(labelled, [strategy(), fixed()])
    plain = compare_report.markdown(found)
    shuffled = compare_report.markdown(compare(labelled, [strategy()], shuffles=2))

    head, rule, *rows = plain.splitlines()
    assert head.startswith("| strategy | P | R | F1 | CE | EE | F | ce_pairs | ")
    assert {line.count("|") for line in (head, rule, *rows[:2])} == {16}
    assert rows[0].startswith(
        "| words | .500 | .500 | .500 | .500 | .500 | .500 | .182 | 2 | 2 | 1 | .778 | "
    )
    assert rows[-1].endswith("says nothing: words 1, fixed 1.")
    assert "same x 2 |" in shuffled
    assert (
        compare_report.markdown_kinds(found).splitlines()[2]
        == "| words | .667 +1 | .667 +1 | .000 | +2 |"
    )


def test_no_kinds(tmp_path: Path) -> None:
    """A set that tells no kinds has no table of them."""
    found = compare(read(write(tmp_path / "s")), [strategy()])

    assert compare_report.markdown_kinds(found) == ""
    assert "kind" not in " ".join(compare_report.feet(found, 120))


def test_objects(labelled: LabelledSet) -> None:
    """Every figure unrounded; curves where they were drawn."""
    plain, curved = (
        measure(labelled, strategy()),
        measure(labelled, strategy(), curves=True, sizes=(4,)),
    )

    one, other = (json.loads(json.dumps(compare_report.as_object(it))) for it in (plain, curved))

    assert (one["strategy"], one["ce"], one["ee"], one["f"]) == ("words", 0.5, 0.5, 0.5)
    assert (one["ce_pairs"], one["silent"]) == (2 / 11, 1)
    assert one["kinds"]["forged"] == {"recall": None, "right": 0, "false": 2, "missed": 0}
    assert "curve" not in one
    assert other["threshold"] == "least"
    assert other["curve"][1] == {"threshold": 2.0, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert [point["records"] for point in other["growth"]] == [4, 6]
