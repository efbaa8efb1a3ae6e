"""A command line that runs inside the test, on an empty configuration folder."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from metasearch import demo
from metasearch.cli import main
from tests.cli.fake import FakeEngine


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit code and what it wrote."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test has a configuration, a cache and collections of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def demo_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The databases of `--demo` answer at once: one of them takes three seconds."""
    for made in (demo.DemoDatabases, demo.DemoTransport):
        at_once = lambda made=made, **how: made(**how | {"latency": 0.0})  # noqa: E731
        monkeypatch.setattr(demo, made.__name__, at_once)


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line in this process."""

    def run(*args: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(args)
        out, err = capsysbinary.readouterr()
        return Outcome(int(code), out.decode(), err.decode())

    return run


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[FakeEngine]:
    """The script that every search of the test plays."""
    from metasearch.engine import engine as module

    class Script(FakeEngine):
        made: ClassVar[list[FakeEngine]] = []

    monkeypatch.setattr(module, "Engine", Script)
    return Script
