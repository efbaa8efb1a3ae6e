"""What the fuzzer demands of every parser holds for what it begins with."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.cases import each

SPEC = importlib.util.spec_from_file_location(
    "fuzz", Path(__file__).resolve().parents[1] / "tools" / "fuzz.py"
)
assert SPEC is not None
assert SPEC.loader is not None
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)


@each("name", fuzz.TARGETS)
def test_the_seeds_of_a_target_hold(name: str) -> None:
    """Every seed, every seed cut in the middle, and nothing at all."""
    one, seeds = fuzz.TARGETS[name]()
    bodies = list(seeds)
    assert len(bodies) > 4

    for body in (*bodies, *(body[: len(body) // 2] for body in bodies), b"", b"\x00"):
        one(body)


def test_every_source_with_a_cassette_is_fuzzed() -> None:
    """The page target begins with a body of each of them."""
    _, seeds = fuzz.TARGETS["pages"]()
    folders = {path.name for path in (fuzz.ROOT / "cassettes").iterdir()}

    assert len({seed[0] for seed in seeds}) == len(folders)


def test_without_the_fuzzer_nothing_is_said_to_be_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is there for Linux only; elsewhere the command says so."""
    monkeypatch.setattr(sys, "argv", ["fuzz.py"])
    monkeypatch.setitem(sys.modules, "atheris", None)

    assert fuzz.main() == 2
    assert (
        capsys.readouterr().out
        == "atheris is not installed: there is nothing to fuzz with (it runs on Linux only)\n"
    )
