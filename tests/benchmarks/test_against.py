"""Two packages, built, asked by turns, and held to goals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.against import __main__ as against
from benchmarks.against import builds, turns
from benchmarks.against.__main__ import RATIO, ROWS, TwoSided
from benchmarks.against.builds import NoBuild, Package
from benchmarks.against.turns import Figures, TooOld
from benchmarks.sides import NotMeasured
from benchmarks.upstreams import ROOT
from tests.cases import each

HERE = (Package("before", ROOT), Package("after", ROOT))


def test_each_side_is_the_first_in_half_of_the_rounds() -> None:
    """Before, after, after, before ...; what a side gives stays with the side."""
    called: list[str] = []

    def measure(side: str, number: int) -> float:
        called.append(f"{side}{number}")
        return {"a": 10.0, "b": 5.0}[side]

    found = turns.by_turns(("a", "b"), 3, measure)

    assert called == ["a0", "b0", "b1", "a1", "a2", "b2"]
    assert found == [(10, 5)] * 3


def test_the_ratio_is_that_of_turns() -> None:
    """A turn in which the machine was slow for both sides changes nothing."""
    assert turns.figures([(10, 5), (100, 50), (10, 5)]) == Figures(10, 5, 0.5)


@each(
    ("unit", "goal", "least", "reached"),
    [
        (RATIO, 0.5, False, True),
        (RATIO, 0.4, False, False),
        (RATIO, 0.4, True, True),
        ("ms", 6, False, True),
        ("ms", 4, False, False),
    ],
)
def test_a_goal_is_for_the_ratio_or_for_the_side_after(
    unit: str, goal: float, least: bool, reached: bool
) -> None:
    """As the unit of the row says; both figures and the ratio are in its line."""
    row = TwoSided("name", "what", goal, unit, print, least)

    line, fared = row.told(Figures(10, 5, 0.5, "seen"))

    assert fared is reached
    assert line.split()[2:6] == ["10.00", "5.00", "ms", "0.50"]
    assert line.endswith("seen")


def absent(_: Any) -> Figures:
    raise NotMeasured("nothing here")


def broken(_: Any) -> Figures:
    raise ValueError("a bug")


@each(("measure", "said", "reached"), [(absent, "nothing here", True), (broken, "a bug", False)])
def test_what_cannot_be_measured_is_said(measure: Any, said: str, reached: bool) -> None:
    """What is not here misses nothing, and a bug does."""
    line, fared = against.measured(TwoSided("name", "what", 1, "ms", measure), HERE)

    assert said in line
    assert fared is reached


def test_rows_are_chosen_by_their_names() -> None:
    """By a name, or by how names begin; the long ones only if they are asked for."""

    def names(*parts: str, long: bool = False) -> list[str]:
        return [row.name for row in against.chosen(parts, long=long)]

    assert names("sru") == ["sru"]
    assert names("cpu") == ["cpu-20", "cpu-20-mixed", "cpu-100", "cpu-100-mixed"]
    assert names("soak") == ["soak"]
    assert names("equal") == []
    assert set(names(long=True)) - set(names()) == {"soak"}
    assert len({row.name for row in ROWS}) == len(ROWS)


# --------------------------------------------------------------------------- packages


@each(
    ("changed", "same"),
    [
        ({}, True),
        ({"dependencies": ["b", "a>=1"]}, True),
        ({"version": "9"}, True),
        ({"dependencies": ["a>=2", "b"]}, False),
        ({"requires-python": ">=3.12"}, False),
    ],
)
def test_an_environment_serves_for_equal_needs(changed: dict[str, Any], same: bool) -> None:
    """Dependencies count, in whatever order, and nothing else."""
    project = {"dependencies": ["a>=1", "b"], "requires-python": ">=3.11"}

    assert builds.same_needs(project, project | changed) is same


def test_a_folder_that_holds_a_checkout_is_taken_as_it_is(tmp_path: Path) -> None:
    """Nothing is copied, and nothing installed."""
    assert builds.build(str(ROOT), tmp_path) == Package("before", ROOT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_no_such_commit(tmp_path: Path) -> None:
    """It is said by name."""
    with pytest.raises(NoBuild, match="no-such-commit"):
        builds.build("no-such-commit", tmp_path)


@pytest.mark.slow
def test_another_environment_is_made_by_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its dependencies differ, its own tasks.py installs them; what fails is said."""
    checkout = tmp_path / "old"
    (checkout / "metasearch").mkdir(parents=True)
    (checkout / "metasearch" / "__init__.py").touch()
    (checkout / "pyproject.toml").write_text('[project]\ndependencies = ["other"]\n')
    said = checkout / "said"
    (checkout / "tasks.py").write_text(
        "import os, pathlib\n"
        f"pathlib.Path({str(said)!r}).write_text(os.environ['METASEARCH_VENV'])\n"
    )

    package = builds.build(str(checkout), tmp_path)

    assert package.checkout == checkout
    assert said.read_text() == str(tmp_path / "environment")
    assert Path(package.python).is_relative_to(tmp_path / "environment")
    (checkout / "tasks.py").write_text("raise SystemExit(2)")
    with pytest.raises(NoBuild, match="could not be installed"):
        builds.build(str(checkout), tmp_path)


# --------------------------------------------------------------------------- processes


@pytest.mark.slow
def test_a_package_that_is_too_old_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what it lacks."""
    (tmp_path / "metasearch").mkdir()
    (tmp_path / "metasearch" / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    monkeypatch.setattr(sys, "argv", ["bench", "--against", str(tmp_path), "--part", "cpu"])

    assert against.main() == 2
    assert "No module named 'metasearch." in capsys.readouterr().err


@pytest.mark.slow
def test_errors_of_a_side_come_to_the_other_end() -> None:
    """And the side goes on."""
    with turns.measuring(HERE[0]) as (side,):
        with pytest.raises(RuntimeError, match="before: AssertionError"):
            side.call("cpu", queries=["a"], rows=1)
        assert side.call("memory")["most"] >= side.call("memory")["now"] > 0


@pytest.mark.slow
def test_a_side_that_ends_is_an_error(tmp_path: Path) -> None:
    """Its last words are told."""
    package = tmp_path / "metasearch"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('gone')")

    with (
        pytest.raises(TooOld, match=r"before cannot be measured .* gone"),
        turns.measuring(Package("before", tmp_path)),
    ):
        pass


@pytest.mark.slow
def test_rows_are_listed() -> None:
    """Without building anything."""
    command = [sys.executable, "-m", "benchmarks.against", "--against", "nothing", "--list"]

    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "equal",
        *(row.name for row in ROWS),
    ]
    assert done.returncode == 0
