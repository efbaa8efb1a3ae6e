"""Processes that run the benchmarks of this checkout with the package of another one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.upstreams import ROOT

#: Imports the package of the one checkout before the other checkout is on the path: `benchmarks` is
#: then that of the second.
_RUN = """
import runpy, sys
from pathlib import Path
checkout, ours, *sys.argv = sys.argv[1:]
import metasearch
found = Path(metasearch.__file__).resolve().parents[1]
if found != Path(checkout).resolve():
    sys.exit(f"metasearch was imported from {found} and not from {checkout}")
sys.path.insert(0, ours)
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def command(
    checkout: Path, module: str, *arguments: str, python: str = sys.executable
) -> list[str]:
    """The command that runs a module of this checkout's `benchmarks` with the `metasearch` of a
    checkout, and ends where another one would be imported.

    Args:
        checkout: A folder that holds the package `metasearch` and `adapter_specs`.
        module: As "benchmarks.against.outcome".
        arguments: Of the module.
        python: The interpreter: it needs what the package of the checkout depends on.
    """
    return [python, "-c", _RUN, str(checkout), str(ROOT), module, *arguments]


def environment(checkout: Path) -> dict[str, str]:
    """The environment of the command, and of `python -m metasearch` in a process that it starts."""
    return {**os.environ, "PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"}


def start(
    checkout: Path, module: str, *arguments: str, python: str = sys.executable, **how: Any
) -> subprocess.Popen[bytes]:
    """Start the command; `how` is more for `subprocess.Popen`."""
    return subprocess.Popen(
        command(checkout, module, *arguments, python=python), env=environment(checkout), **how
    )
