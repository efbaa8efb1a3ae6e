"""Hostile lists of references take time that grows with their size, and memory that does not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from metasearch.errors import FileFormatError
from metasearch.references.reader import read_references
from tests.cases import each
from tests.growth import MOST, growth
from tests.references.hostile import FILES

pytestmark = pytest.mark.slow

#: Those that are of the size that is asked for.
SIZED = [name for name, made in FILES.items() if len(made.make(1_000)) != len(made.make(2_000))]
#: Bytes of memory for all of them, and of the largest size.
MEMORY, LARGE = 500_000_000, 1_000_000
SCRIPT = """
import re, sys
from contextlib import suppress
from pathlib import Path
from metasearch.errors import FileFormatError
from metasearch.references.reader import read_references
for file in Path(sys.argv[1]).rglob("*.*"):
    with suppress(FileFormatError):
        read_references(file.read_bytes(), file.name)
status = Path("/proc/self/status").read_text()
print(int(re.search("VmHWM:[ \\t]+([0-9]+) kB", status)[1]) * 1024)
"""


def _read(data: bytes, name: str) -> None:
    with suppress(FileFormatError):
        read_references(data, name)


@each("name", SIZED)
def test_four_times_as_large_takes_four_times_as_long(name: str) -> None:
    """Or less."""

    def work(size: int) -> Callable[[], object]:
        return partial(_read, FILES[name].make(size), FILES[name].name)

    assert growth(work, FILES[name].size) < MOST


@pytest.mark.skipif(sys.platform != "linux", reason="no /proc")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """Also of what unpacks to a hundred times as much."""

    def run(*arguments: str) -> bytes:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
        ).stdout

    run("-m", "tests.references.hostile", str(tmp_path), str(LARGE))
    assert int(run("-c", SCRIPT, str(tmp_path))) < MEMORY
