"""What `bench --against` takes from a package is found by its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.against.moved import moved
from benchmarks.upstreams import ROOT
from metasearch.errors import MetasearchError


def test_all_that_is_looked_up() -> None:
    """Each name that the comparison uses stands in one file of the package."""
    texts = [path.read_text() for path in Path(ROOT, "benchmarks", "against").glob("*.py")]
    calls = [
        call
        for text in texts
        for call in re.findall(r"= moved\(([^)]+)\)|\(moved\(([^)]+)\)\(", text)
    ]
    assert len(calls) > 5

    for call in calls:
        moved(*re.findall(r'"([\w|]+)"', "".join(call)))


def test_one_file_and_no_other() -> None:
    """A name that nothing has, or that several files have, is an error that says so."""
    assert moved("MetasearchError") is MetasearchError
    with pytest.raises(ImportError, match="no file"):
        moved("NothingOfTheKind")
    with pytest.raises(ImportError, match=r"defined by .+, .+"):
        moved("read")
