"""bib-dedupe on a labelled set, in a process (and, where need be, an environment) of its own.

    python benchmarks/peer.py SET_DIR

prints {"seconds": CPU seconds, "records": n, "clusters": [[ids], ...]}

The clock runs from the table of records to the clusters: preparation, blocking, matching,
clustering, on one core.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

#: Key of a labelled set -> column.
COLUMNS = {
    "title": "title",
    "year": "year",
    "container": "journal",
    "volume": "volume",
    "issue": "number",
    "pages": "pages",
    "doi": "doi",
    "isbn": "isbn",
    "abstract": "abstract",
    "url": "url",
}


def rows(folder: Path) -> list[dict[str, str]]:
    """The set as the columns that bib-dedupe knows; what a record does not have is ""."""
    path = folder / "records.jsonl.gz"
    content = (
        gzip.decompress(path.read_bytes())
        if path.exists()
        else (folder / "records.jsonl").read_bytes()
    )
    out = []
    for line in content.decode().split("\n"):
        if line.strip():
            row = json.loads(line)
            made = {column: str(row.get(key) or "") for key, column in COLUMNS.items()}
            made["author"] = " and ".join(row.get("authors") or []) or row.get("authors_raw") or ""
            out.append({"ID": str(row["id"]), "ENTRYTYPE": "article", "booktitle": "", **made})
    return out


def cpu() -> float:
    """CPU seconds of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> int:
    """Print what came out, and nothing of what the library prints."""
    pandas: Any = importlib.import_module("pandas")
    peer: Any = importlib.import_module("bib_dedupe.bib_dedupe")
    table = pandas.DataFrame(rows(Path(sys.argv[1])))
    with contextlib.redirect_stdout(sys.stderr):
        began = cpu()
        matched = peer.match(peer.block(peer.prep(table, cpu=1), cpu=1), cpu=1)
        clusters = peer.cluster(matched)
        seconds = cpu() - began
    print(
        json.dumps(
            {
                "seconds": seconds,
                "records": len(table),
                "clusters": [list(map(str, it)) for it in clusters],
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
