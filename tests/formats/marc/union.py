"""Records of a real union catalogue."""

from __future__ import annotations

import gzip
from pathlib import Path

#: How many the file holds.
ALL = 1894


def union(shared: Path, count: int) -> bytes:
    """The first ones, as MARCXML, one a line."""
    lines = gzip.decompress((shared / "data/marc/union.marcxml.gz").read_bytes()).split(b"\n")
    return b"\n".join([*lines[: count + 1], lines[-1]])
