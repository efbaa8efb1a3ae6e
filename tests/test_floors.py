"""The floors of docs/architecture.md hold: who may import whom."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
# The first one holds for the whole package; another may hold inside one room.
LAYERS, *_ = (contract["layers"] for contract in CONTRACTS if contract["type"] == "layers")


def floors(lines: list[str]) -> list[set[str]]:
    return [
        {name.strip().removeprefix("metasearch.") for name in line.split("|")} for line in lines
    ]


@pytest.mark.slow
def test_the_contracts_hold(tmp_path: Path) -> None:
    """Import-linter keeps every contract of pyproject.toml."""
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]

    done = subprocess.run(
        [*command, "--cache-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in done.stdout


def test_every_module_has_a_floor() -> None:
    """A module that no floor names could import anything."""
    package = ROOT / "metasearch"
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }

    assert set().union(*floors(LAYERS)) == modules - {"__init__", "__main__"}


def test_the_page_shows_the_floors() -> None:
    """docs/architecture.md draws the floors as they are checked."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = re.search(r"## Floors.*?```\n(.*?)\n```", page, re.DOTALL)
    assert drawing is not None
    drawn = [line.split("   ")[0] for line in drawing[1].splitlines()]

    assert floors(drawn) == floors(LAYERS)


@each("contract", [contract for contract in CONTRACTS if contract["type"] == "forbidden"])
def test_forbidden_modules_are_spelt_right(contract: dict[str, Any]) -> None:
    """A contract about a module that nobody imports anywhere would hold by accident."""
    sources = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "metasearch").rglob("*.py")
    )

    for name in contract["forbidden_modules"]:
        assert re.search(rf"^\s*(import|from) {name}\b", sources, re.MULTILINE), name
