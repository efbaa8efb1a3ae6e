"""The picture: the same for the same figures, and readable whatever a set is called."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from metasearch.bulk.evaluate import output
from metasearch.bulk.evaluate.compare import StrategyFigures
from metasearch.bulk.evaluate.datasets import read
from metasearch.dedup import Chain
from metasearch.errors import UsageError
from tests.bulk.evaluate.samples import write_rows
from tests.bulk.evaluate.strategies import compare, fixed, strategy
from tests.cases import each

pytest.importorskip("matplotlib")


@pytest.fixture
def found(tmp_path: Path) -> list[StrategyFigures]:
    labelled = read(write_rows(tmp_path / "small.jsonl"))
    strategies = [strategy(), fixed(), fixed("nothing", chain=Chain(()))]
    return compare(labelled, strategies, curves=True, sizes=(3,))


@pytest.mark.slow
def test_png(found: list[StrategyFigures]) -> None:
    """A picture of the kind that its name says."""
    one = output.draw([found], ".png")

    assert one.startswith(b"\x89PNG\r\n\x1a\n")
    assert output.draw([found], ".PNG") == one


@pytest.mark.slow
def test_svg_is_the_same_for_the_same_figures(found: list[StrategyFigures]) -> None:
    """Well-formed, and neither date nor chance is in it."""
    one = output.draw([found], ".svg")

    assert etree.fromstring(one).tag == "{http://www.w3.org/2000/svg}svg"
    assert output.draw([found], ".svg") == one


@pytest.mark.slow
def test_a_panel_a_set_and_one_of_time(found: list[StrategyFigures]) -> None:
    """Each set's curves, and the time of the largest."""
    few = replace(found[0].evaluation.score, records=2)
    other = replace(found[0].evaluation.labelled, name="tiny")
    smaller = [
        replace(it, evaluation=replace(it.evaluation, score=few, labelled=other)) for it in found
    ]

    drawn = output.figure([smaller, found, smaller])

    assert [axes.get_title() for axes in drawn.axes] == ["tiny", "small", "tiny", "time, small"]
    assert [axes.get_xlabel() for axes in drawn.axes] == ["recall"] * 3 + ["records"]
    assert {text.get_text() for text in drawn.legends[0].get_texts()} == {
        "words",
        "fixed",
        "nothing",
        "linear growth",
    }


@pytest.mark.slow
def test_curves_and_points(found: list[StrategyFigures]) -> None:
    """A line over the thresholds at which something was found, a mark at the strategy's own, and
    none for nothing."""
    quality, time = output.figure([found]).axes

    lines = [
        (line.get_label(), list(line.get_xdata()), list(line.get_ydata()))
        for line in quality.get_lines()
    ]
    assert lines == [
        ("words", [0.5, 1.0], [0.5, 4 / 15]),
        ("words", [0.5], [0.5]),
        ("fixed", [0.5], [0.5]),
    ]
    assert [list(line.get_xdata()) for line in time.get_lines()] == [[3, 6]] * 4
    assert [label.get_text() for label in time.get_xticklabels()] == ["3", "6"]


@pytest.mark.slow
def test_growth_that_is_linear_is_parallel_to_the_guide(found: list[StrategyFigures]) -> None:
    """The guide grows as the set does."""
    guide = output.figure([found]).axes[1].get_lines()[-1]

    (small, large), (fast, slow) = guide.get_xdata(), guide.get_ydata()
    assert slow / fast == pytest.approx(large / small)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$x_{", "近重复", "a\x1b\n" + "b" * 500, "_hidden"])
def test_names_of_sets_are_only_names(found: list[StrategyFigures], name: str) -> None:
    """No formula, no control character, and no picture that a long name makes wide."""
    named = [
        replace(
            it,
            evaluation=replace(it.evaluation, labelled=replace(it.evaluation.labelled, name=name)),
        )
        for it in found
    ]

    etree.fromstring(output.draw([named], ".svg"))
    assert len(output.figure([named]).axes[0].get_title()) <= output.TITLE


@pytest.mark.slow
def test_settings_of_others_stay(found: list[StrategyFigures]) -> None:
    """What a program has set for its own pictures is not touched."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    output.draw([found], ".svg")

    assert dict(mpl.rcParams) == before


@pytest.mark.slow
@each("name", ["all.pdf", "all", "png"])
def test_other_endings(name: str) -> None:
    """Only two kinds of pictures are drawn."""
    with pytest.raises(UsageError, match=r"ends in \.png or \.svg"):
        output.check(Path(name))
    output.check(Path("all.PNG"))


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever lacks it is told how to get it."""
    original = builtins.__import__

    def missing(name: str, *args: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *args)

    monkeypatch.setattr(builtins, "__import__", missing)

    with pytest.raises(UsageError, match="needs matplotlib") as caught:
        output.check(Path("all.svg"))
    assert 'pip install ".[plot]"' in caught.value.advice
