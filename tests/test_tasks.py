"""tasks.py finds an installer on machines of every kind, and harms nothing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """A fresh tasks.py whose environment would lie in an empty folder."""
    monkeypatch.setenv("METASEARCH_VENV", str(tmp_path / "venv"))
    spec = importlib.util.spec_from_file_location("tasks", ROOT / "tasks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("there", "install"),
    [
        ("inside", ["PYTHON", "-m", "pip", "install"]),
        ("outside", [sys.executable, "-m", "pip", "--python", "PYTHON", "install"]),
        ("pip3", ["pip3", "--python", "PYTHON", "install"]),
        ("uv", ["uv", "pip", "install", "--python", "PYTHON"]),
    ],
)
def test_installers(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch, there: str, install: list[str]
) -> None:
    """The environment's own pip, this Python's, another's, or uv: the first that is there
    installs."""
    names = {tasks.PYTHON: "inside", sys.executable: "outside"}

    def works(*command: str) -> bool:
        return command == (tasks.PYTHON,) or names.get(command[0], command[0]) == there

    monkeypatch.setattr(tasks, "works", works)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: None)

    assert tasks.installer() == [tasks.PYTHON if word == "PYTHON" else word for word in install]


def test_debian_without_pip(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is nothing to install with, it says what to install first."""
    monkeypatch.setattr(tasks, "works", lambda *command: command == (tasks.PYTHON,))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: None)

    assert tasks.installer() is None
    assert "sudo apt install python3-venv" in capsys.readouterr().err


@pytest.mark.slow
def test_a_folder_of_somebody_else_is_left_alone(
    tasks: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """METASEARCH_VENV may name a folder by mistake: it is not emptied."""
    precious = tmp_path / "venv" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("precious")

    assert not tasks.environment(())
    assert precious.read_text() == "precious"
    assert "left alone" in capsys.readouterr().err


def test_what_is_installed_is_not_installed_again(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second call runs no installer; one that needs more does."""
    Path(tasks.PYTHON).parent.mkdir(parents=True)
    Path(tasks.PYTHON).touch()
    ran: list[Any] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(tasks, "installer", lambda: ["install"])
    monkeypatch.setattr(subprocess, "run", run)

    assert [tasks.environment(groups) for groups in ((), (), ("test",), ("test",))] == [True] * 4
    assert len(ran) == 2
    assert any(line.startswith("pytest>") for line in ran[1])


def test_a_client_that_cannot_be_installed_keeps_no_other_away(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are installed together, else one by one; what was installed is not tried again."""
    Path(tasks.PYTHON).parent.mkdir(parents=True)
    tried: list[str] = []

    def installs(*command: str) -> bool:
        tried.append(" ".join(command[2:]))
        return not any(word.startswith("sruthi") for word in command)

    monkeypatch.setattr(tasks, "installer", lambda: ["install"])
    monkeypatch.setattr(tasks, "installs", installs)
    tasks.install_clients()
    first, *rest = tried

    assert "sruthi" in first
    assert any(line.startswith(f"--editable {ROOT} feedparser>") for line in rest)
    assert tried[-1].startswith("--no-deps srupy")
    assert "sruthi>=2.0 cannot be installed; its tests skip." in capsys.readouterr().err
    tried.clear()
    tasks.install_clients()
    assert tried[0] == first
    assert not any("srupy" in line for line in tried)


def test_rivals_that_cannot_be_installed_stop_no_benchmark(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are tried for the benchmark that compares with them, and for no other one."""
    tried: list[str] = []
    called: list[str] = []
    monkeypatch.setattr(tasks, "installer", lambda: ["install"])
    monkeypatch.setattr(tasks, "installs", lambda *command: tried.append(command[-1]))
    monkeypatch.setattr(tasks, "call", lambda *words: called.append(words[2]) or 0)
    monkeypatch.chdir(ROOT)

    assert tasks.bench(["dedup"]) == tasks.bench(["bulk", "--records", "10"]) == 0
    assert set(tried) == {"splink>=5,<6"}
    assert called == ["benchmarks.dedup", "benchmarks.bulk"]


@pytest.mark.parametrize("words", [["--against", "v1"], ["--part", "cpu", "--against=v1"]])
def test_a_commit_is_what_the_benchmark_is_against(
    words: list[str], tasks: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the option stands; it is handed on."""
    called: list[tuple[str, ...]] = []
    monkeypatch.setattr(tasks, "call", lambda *command: called.append(command) or 0)
    monkeypatch.chdir(ROOT)

    assert tasks.bench(words) == 0

    assert called == [("python", "-m", "benchmarks.against", *words)]


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ([], ["-m", "not slow"]),
        (["--all"], []),
        (["-k", "x"], ["-m", "not slow", "-k", "x"]),
        (["--all", "-n", "0"], ["-n", "0"]),
        (["-m", "zebra"], ["-m", "not slow", "-m", "zebra"]),
    ],
)
def test_tests_run_on_all_cores(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch, given: list[str], chosen: list[str]
) -> None:
    """The slow ones only with `--all`; the caller's options are passed on behind ours."""
    called: list[str] = []
    monkeypatch.setattr(tasks, "call", lambda *words: called.extend(words) or 0)
    monkeypatch.chdir(ROOT)

    assert tasks.test(given) == 0
    workers = str((os.cpu_count() or 1) + 1)
    assert called == ["python", "-m", "pytest", "-n", workers, "--dist", "worksteal", *chosen]


@pytest.mark.slow
def test_unknown_task() -> None:
    """A word that is no task exits 2 and names those that there are."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tasks.py"), "tset"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "demo, run, test" in done.stderr
