"""Programs that the tests start, and which version of each is there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Seconds that a program may run; a search of the demo takes three, because one database is slow.
PATIENCE = 100
#: Client -> the programs of which one must be there.
PROGRAMS = {
    "yaz-client": ("yaz-client",),
    "zoomsh": ("zoomsh",),
    "catmandu": ("catmandu",),
    "ZOOM in Perl": ("perl",),
    "curl": ("curl",),
    "newsboat": ("newsboat",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
}
#: What prints the version of a client, where it is not the program with `--version`. zoomsh comes
#: with yaz-client and prints none.
VERSIONS = {
    "yaz-client": ("yaz-client", "-V"),
    "zoomsh": ("yaz-client", "-V"),
    "catmandu": ("perl", "-MCatmandu::SRU", "-e", "print Catmandu::SRU->VERSION"),
    "ZOOM in Perl": (
        "perl",
        "-MZOOM",
        "-MMARC::File::XML",
        "-e",
        "print $Net::Z3950::ZOOM::VERSION",
    ),
}


def program_of(client: str) -> str | None:
    """The path of a client of `PROGRAMS`; None where it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS[client])), None)


def version_of(*, program: str = "", package: str = "") -> str | None:
    """The version of a client of `PROGRAMS`, or of a distribution of PyPI; None where it is not
    installed."""
    if package:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return None
    path = program_of(program)
    command = VERSIONS.get(program, (path or "", "--version"))
    if path is None or not shutil.which(command[0]):
        return None
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    number = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return number[0] if number else None


def output(
    *command: str, typed: str = "", cwd: Path | None = None, seconds: float = PATIENCE, **env: str
) -> str:
    """What a program prints, to stdout and then to stderr."""
    done = subprocess.run(
        command,
        input=typed,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        cwd=cwd,
        env=os.environ | env,
    )
    return done.stdout + done.stderr


def python(script: str, *arguments: str) -> Any:
    """What a script of Python prints as JSON; it fails with what it writes to stderr."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    if done.returncode:
        pytest.fail(done.stderr[-2000:])
    return json.loads(done.stdout)
