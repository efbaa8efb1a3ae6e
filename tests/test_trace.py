"""tools/trace.py counts the calls of a search."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def trace(*options: str) -> str:
    """What it prints for one record of one source."""
    command = [sys.executable, "tools/trace.py", "--sources", "demo-crossref", "--records", "1"]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_the_rooms_that_a_search_goes_through() -> None:
    """Each room has a line; the path of a page begins where pages are parsed."""
    printed = trace()

    rooms = dict(re.findall(r"^(\S.*?)  +(\d+) ", printed, re.MULTILINE))
    assert {"adapters/fetch", "adapters/parse", "bib", "dedup", "engine", "query"} <= set(rooms)
    assert int(rooms["all"]) > int(rooms["engine"]) > 0
    assert "demo" not in rooms
    assert re.search(r"^a page becomes records, \d+ files: adapters/parse/", printed, re.MULTILINE)


@pytest.mark.slow
def test_the_pairs_of_a_room() -> None:
    """Their changes are those of the room's line, and the functions add up to them."""
    printed = trace("--pairs", "engine")

    changes = re.search(r"^engine +\d+ +\d+ +(\d+) ", printed, re.MULTILINE)
    assert changes is not None
    pairs = re.findall(r"^ +(\d+)  (\S+) -> (engine/\S+): (.*)$", printed, re.MULTILINE)
    assert sum(int(n) for n, *_ in pairs) == int(changes[1])
    for n, caller, called, functions in pairs:
        assert caller != called
        assert sum(int(call.rpartition(" ")[2]) for call in functions.split(", ")) == int(n)
