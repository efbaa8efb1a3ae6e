"""What the report of the strategies is made of: texts made up by rule, and the tasks of the
publications."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.claims import Themed, theme_auc, within_disciplines
from benchmarks.near import Texts
from benchmarks.report import ORDERED, exponent, ordered
from metasearch.bulk.evaluate.compare import GrowthPoint
from metasearch.bulk.evaluate.datasets import LabelledSet
from metasearch.dedup import STRATEGIES
from metasearch.record import Record
from tests.bulk.evaluate.strategies import compare
from tests.cases import each

pytestmark = pytest.mark.slow


def made_up(language: str, count: int) -> LabelledSet:
    works, records = zip(*Texts(language).records(count), strict=True)
    return LabelledSet(
        name="made up", records=records, origins=[it.source for it in records], works=works
    )


@each("language", ["en", "zh"])
def test_made_up_texts_are_the_same_in_every_run(language: str) -> None:
    """A fifth of them are copies, and the default finds these and nothing else."""
    labelled = made_up(language, 300)
    again = made_up(language, 300)

    assert labelled == again
    assert 30 < 300 - len(set(labelled.works or ())) < 90
    (found,) = compare(labelled, [STRATEGIES["default"]])
    assert found.evaluation.score.tally.precision == 1.0
    assert found.evaluation.score.tally.recall > 0.9


def themed(title: str, discipline: str) -> Themed:
    return Themed(Record(source="a", source_id=title, title=title), discipline)


def test_an_auc_tells_themes_from_chance() -> None:
    """1 where all of a theme are nearest to one another; .5 where a strategy sees nothing."""
    rivers = [
        themed(f"water oxygen fish river summer outlet number{n}", "rivers") for n in range(4)
    ]
    birds = [themed(f"feather nest egg wing song flight copy{n}", "birds") for n in range(4)]

    assert theme_auc([*rivers, *birds], "simhash") == 1.0
    assert theme_auc([*rivers, *birds], "shingling") == 0.5


def test_disciplines_are_counted_together() -> None:
    """Each for itself: what is alike in two disciplines is no pair."""
    text = Texts("en").records(1)[0][1].abstract
    records = [
        Record(
            source="a",
            source_id=f"{field}-{n // 2}~{n}",
            title=f"On the {field}",
            abstract=f"{text} Note {n // 2}.",
        )
        for field in ("rivers", "birds")
        for n in range(20)
    ]
    works = [number // 2 for number in range(40)]
    labelled = LabelledSet(name="two", records=records, origins=["a"] * 40, works=works)
    disciplines = {
        record.source_id.partition("~")[0]: record.source_id.partition("-")[0] for record in records
    }

    tallies = within_disciplines(labelled, disciplines, ["block-hash"])

    assert tallies["block-hash"].right == 20
    assert tallies["block-hash"].false == 2 * (190 - 10)


def test_a_claim_that_does_not_hold_is_said() -> None:
    """Both halves of the order, each with its figures."""
    one, other = ordered("a task", "a set: ", dict(zip(ORDERED, (0.5, 0.6, 0.4), strict=True)))

    assert one.endswith("| **does not hold** |")
    assert other.endswith("| holds |")
    assert "simhash 0.600, shingling 0.400" in other


def test_the_exponent_is_that_of_the_last_step() -> None:
    """Twice the records in twice the time is 1, in four times the time 2."""
    (found,) = compare(made_up("en", 60), [STRATEGIES["url"]], sizes=(20,))
    assert [point.records for point in found.growth] == [20, 60]

    for seconds, expected in ((2.0, 1.0), (4.0, 2.0)):
        points = (GrowthPoint(5, 9.0), GrowthPoint(10, 1.0), GrowthPoint(20, seconds))
        assert exponent(replace(found, growth=points)) == pytest.approx(expected)
