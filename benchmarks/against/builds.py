"""A commit of the project, built: its files in a folder, and a Python that has what it needs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.upstreams import ROOT


class Package(NamedTuple):
    """A `metasearch` that can be measured.

    Attributes:
        name: For people: "before", "after".
        checkout: The folder that holds the package.
        python: The interpreter that has what it depends on.
    """

    name: str
    checkout: Path
    python: str = sys.executable

    def compile(self) -> None:
        """Write the bytecode of its modules, so that none of its processes has to compile them."""
        command = [self.python, "-m", "compileall", "-q", str(self.checkout / "metasearch")]
        subprocess.run(command, check=False)  # without it, starting only takes longer


class NoBuild(Exception):
    """Why a commit cannot be built."""


def build(commit: str, folder: Path) -> Package:
    """The package of a commit.

    Where it depends on the same as this checkout, both use this environment; else a virtual
    environment is made, by the `tasks.py` of the commit.

    Args:
        commit: Whatever git takes for one; or a folder that holds a checkout.
        folder: Empty; takes the files and the environment.

    Raises:
        NoBuild: There is no such commit, or what it needs cannot be installed.
    """
    checkout = Path(commit).resolve()
    if not (checkout / "metasearch" / "__init__.py").is_file():
        checkout = folder / "checkout"
        unpack(commit, checkout)
    if same_needs(project(checkout), project(ROOT)):
        return Package("before", checkout)
    environment = folder / "environment"
    done = subprocess.run(
        [sys.executable, str(checkout / "tasks.py"), "run", "--version"],
        env={**os.environ, "METASEARCH_VENV": str(environment)},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise NoBuild(f"the dependencies of {commit} could not be installed")
    windows = os.name == "nt"
    python = environment / ("Scripts/python.exe" if windows else "bin/python")
    return Package("before", checkout, str(python))


def unpack(commit: str, folder: Path) -> None:
    """Put the files of a commit into a folder.

    Raises:
        NoBuild: There is no such commit, or git is not here.
    """
    try:
        done = subprocess.run(
            ["git", "archive", "--format=tar", f"{commit}^{{commit}}"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as exc:
        said = getattr(exc, "stderr", b"").decode(errors="replace").strip()
        raise NoBuild(f"git has no commit {commit!r} here: {said or exc}") from exc
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        files.extractall(folder, filter="data")


def project(checkout: Path) -> Mapping[str, Any]:
    """The table `[project]` of a checkout."""
    table: Mapping[str, Any] = tomllib.loads(
        (checkout / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    return table


def same_needs(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two projects depend on the same, whatever the order."""
    return all(
        sorted(one.get(name, ())) == sorted(other.get(name, ()))
        for name in ("dependencies", "requires-python")
    )
