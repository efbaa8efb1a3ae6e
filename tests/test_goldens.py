"""tools/goldens.py finds what differs, and nothing where nothing does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import each

ROOT = Path(__file__).resolve().parents[1]

BEFORE = b'200\nContent-Type: application/json\n\n{"title":"Peatlands","year":2019}'


def goldens(*words: str) -> subprocess.CompletedProcess[str]:
    """What the script says."""
    command = [sys.executable, "tools/goldens.py", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def folder(place: Path, name: str, **files: bytes) -> str:
    """A folder of goldens."""
    for file, data in files.items():
        path = place / name / "routes" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return str(place / name)


@pytest.mark.slow
def test_equal_goldens(tmp_path: Path) -> None:
    """Nothing is named."""
    sides = (folder(tmp_path, name, one=BEFORE, two=b"2") for name in ("before", "after"))

    done = goldens("compare", *sides)

    assert (done.returncode, done.stdout.strip()) == (0, "2 goldens, 0 of them differ")


OTHER_ORDER = b'"year":2019,"title":"Peatlands"'


@pytest.mark.slow
@each(
    "name, after, place",
    [
        ("a letter", BEFORE.replace(b"Peat", b"peat"), "line 4"),
        ("an order", BEFORE.replace(b'"title":"Peatlands","year":2019', OTHER_ORDER), "line 4"),
        ("a status", BEFORE.replace(b"200", b"201"), "line 1"),
        ("a line more", BEFORE + b"\n", "line 5"),
        ("a byte less", BEFORE[:-1], "line 4"),
    ],
)
def test_a_golden_that_differs(name: str, after: bytes, place: str, tmp_path: Path) -> None:
    """It is named, and the first line that differs is shown."""
    sides = (
        folder(tmp_path / name, "before", one=BEFORE),
        folder(tmp_path / name, "after", one=after),
    )

    done = goldens("compare", *sides)

    assert done.returncode == 1
    assert "differs: routes/one" in done.stdout
    assert place in done.stdout


@pytest.mark.slow
def test_a_golden_that_one_side_lacks(tmp_path: Path) -> None:
    """It is named, and an empty side is no equal one."""
    before = folder(tmp_path, "before", one=BEFORE, two=b"2")
    after = folder(tmp_path, "after", one=BEFORE)
    (tmp_path / "none").mkdir()

    done, empty = goldens("compare", before, after), goldens("compare", before, f"{tmp_path}/none")

    assert (done.returncode, "only before: routes/two" in done.stdout) == (1, True)
    assert empty.returncode == 1


SEARCH = ("--demo", "gambling harms", "--ndjson")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_two_searches_at_a_standstill(tmp_path: Path) -> None:
    """They are equal to the last byte, with seconds, ids and order of events; another seed is
    another search."""
    one, two, other = (
        subprocess.run(
            [sys.executable, "-m", "metasearch", *SEARCH],
            cwd=tmp_path,
            env={
                "HOME": str(tmp_path),
                "PYTHONPATH": f"{ROOT / 'tools/golden/standstill'}:{ROOT}",
                "STANDSTILL_SEED": seed,
            },
            capture_output=True,
            check=False,
        ).stdout
        for seed in ("one", "one", "other")
    )

    assert b'"event":"done"' in one
    assert one == two
    assert one != other
