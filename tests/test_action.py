"""action.yml: its steps run here as a runner would run them, without container and GitHub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SOUND = "--demo -s demo-crossref,demo-openalex"
SERIOUS = ROOT / "docs" / "examples" / "references.bib"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="a step of bash"),
]


def check(
    folder: Path, files: str, options: str, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Runs the step that checks."""
    given = {name: str(value.get("default", "")) for name, value in ACTION["inputs"].items()}
    given |= {"files": files, "options": options, **inputs}
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "check")
    env = os.environ | {"PYTHONPATH": str(ROOT), "GITHUB_OUTPUT": str(folder / "output")}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    env["XDG_CACHE_HOME"] = str(folder / "cache")
    for name, value in step["env"].items():
        key = value.removeprefix("${{ inputs.").removesuffix(" }}")
        env[name] = given[key]
    # As GitHub runs `shell: bash`.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_it_is_a_composite_action() -> None:
    """It installs the checkout that it is in, and no step takes an input into its text."""
    steps = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert any("pip install" in step.get("run", "") for step in steps)
    assert not [step for step in steps if "${{" in step.get("run", "")]
    assert all(step["shell"] == "bash" for step in steps if "run" in step)


def test_a_serious_reference_fails_the_job(tmp_path: Path) -> None:
    """Each file has its SARIF, also behind one that is bad."""
    (tmp_path / "my refs.bib").write_text("@misc{a, title = {10.5555/nothing}}\n")
    done = check(tmp_path, f"{SERIOUS}\nmy refs.bib\n", SOUND)

    reports = tmp_path / "reference-reports"
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "output").read_text() == "reports=reference-reports\n"
    documents = [json.loads(file.read_text()) for file in sorted(reports.iterdir())]
    assert [len(document["runs"]) for document in documents] == [1, 1]
    assert documents[0]["runs"][0]["results"]


@each(("unchecked", "code"), [("pass", 0), ("fail", 3)])
def test_what_could_not_be_checked(tmp_path: Path, unchecked: str, code: int) -> None:
    """A failing database fails the job only where that is wanted."""
    (tmp_path / "refs.bib").write_text(
        "@misc{a, title = {Quantum gardening of invisible orchards}, year = {2020}}\n"
    )
    done = check(tmp_path, "refs.bib", "--demo -s demo-failing,demo-crossref", unchecked=unchecked)
    assert done.returncode == code, done.stderr


def test_a_missing_file(tmp_path: Path) -> None:
    """And none at all are errors."""
    assert check(tmp_path, "no-such.bib", SOUND).returncode == 2
    assert check(tmp_path, "", SOUND).returncode == 2
