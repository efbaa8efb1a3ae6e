"""Compiled templates are kept for the next process, and never used for anything but what they were
compiled from."""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from metasearch.server.pages.environment import (
    TemplateCache,
    template_cache_beside,
)


class Counting(Environment):
    """Counts what it compiles."""

    compiled = 0

    def compile(self, *args, **options):  # type: ignore[no-untyped-def]
        """As ever."""
        self.compiled += 1
        return super().compile(*args, **options)


def rendered(
    file: Path | None, source: str = "Hello {{ name }}", made_by: bytes = b"1"
) -> tuple[str, int]:
    """What a process makes of a template, and how many it compiles."""
    kept = TemplateCache(file, made_by)
    made = Counting(loader=DictLoader({"a.html": source}), bytecode_cache=kept)
    text = made.get_template("a.html").render(name="Ann")
    kept.keep()
    return text, made.compiled


@pytest.fixture(autouse=True)
def _written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytecode is written here, whatever the environment of the tests says."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def test_the_next_process_compiles_nothing(tmp_path: Path) -> None:
    """It renders the same; nothing but the file is left."""
    file = tmp_path / "new" / "pages.templates"

    assert rendered(file) == ("Hello Ann", 1)
    assert rendered(file) == ("Hello Ann", 0)
    assert [*file.parent.iterdir()] == [file]


def test_what_has_changed_is_compiled_anew(tmp_path: Path) -> None:
    """The template, or what it was made by; and kept in turn."""
    file = tmp_path / "pages.templates"
    rendered(file)

    assert rendered(file, "Bye {{ name }}") == ("Bye Ann", 1)
    assert rendered(file, "Bye {{ name }}") == ("Bye Ann", 0)
    assert rendered(file, "Bye {{ name }}", made_by=b"2") == ("Bye Ann", 1)
    assert rendered(file, "Bye {{ name }}", made_by=b"2") == ("Bye Ann", 0)


def test_a_damaged_file_costs_only_time(tmp_path: Path) -> None:
    """Cut anywhere, with a byte that has flipped, or of something else."""
    file = tmp_path / "pages.templates"
    rendered(file)
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1

    for damaged in (b"", whole[:20], whole[:-1], bytes(flipped), b"something else" * 9):
        file.write_bytes(damaged)
        assert rendered(file) == ("Hello Ann", 1)
        assert rendered(file) == ("Hello Ann", 0)


def test_nothing_is_written_where_python_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is told so, where there is no place, and where it cannot."""
    (tmp_path / "taken").write_text("a file and no folder")
    assert rendered(tmp_path / "taken" / "pages.templates") == ("Hello Ann", 1)
    assert rendered(None) == ("Hello Ann", 1)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(tmp_path / "pages.templates") == ("Hello Ann", 1)

    assert [it.name for it in tmp_path.iterdir()] == ["taken"]


def test_it_is_beside_the_bytecode_of_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And depends on the source of that module; without bytecode or source it is nowhere."""
    module = tmp_path / "pages.py"
    module.write_text("OPTIONS = 1")
    for source in ("OPTIONS = 1", "OPTIONS = 2"):
        module.write_text(source)
        for times in (1, 0):
            kept = template_cache_beside(str(module), "3.1")
            made = Counting(loader=DictLoader({"a.html": "A"}), bytecode_cache=kept)
            made.get_template("a.html")
            kept.keep()
            assert made.compiled == times

    assert Path(cache_from_source(str(module))).with_suffix(".templates").exists()
    assert template_cache_beside(str(tmp_path / "none.py"), "3.1")._file is None
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    assert template_cache_beside(str(module), "3.1")._file is None
