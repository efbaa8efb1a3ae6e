"""tools/trace.py counts the calls of a search."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_rooms_that_a_search_goes_through() -> None:
    """Each room has a line; the path of a page begins where pages are parsed."""
    command = [sys.executable, "tools/trace.py", "--sources", "demo-crossref", "--records", "1"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    rooms = dict(re.findall(r"^(\S.*?)  +(\d+) ", done.stdout, re.MULTILINE))
    assert {"adapters/fetch", "adapters/parse", "bib", "dedup", "engine", "query"} <= set(rooms)
    assert int(rooms["all"]) > int(rooms["engine"]) > 0
    assert "demo" not in rooms
    assert re.search(
        r"^a page becomes records, \d+ files: adapters/parse/", done.stdout, re.MULTILINE
    )
