"""Small labelled sets on disk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

#: Five records of three works: A1 and A2 are one, B1 and B2 are one, C is alone.
ROWS: tuple[Row, ...] = (
    {"id": "A1", "title": "Island mice and parasites", "authors": ["Byron, Ada"], "year": 2001,
    "doi": "10.5555/A"},
    {"id": "B1", "title": "Kelp forests under stress", "authors": ["Okeke, Chidi"], "year": 2010,
    "container": "Algae"},
    {"id": "A2", "title": "Island mice and parasites", "authors": ["Byron, A."], "year": 2001,
    "doi": "10.5555/a"},
    {"id": "C", "title": "A history of the sextant", "authors_raw": "Cook, J., Harrison, J.",
    "year": 1999},
    {"id": "B2", "title": "Kelp forests under stress", "authors": ["Okeke, C."], "year": 2010,
    "container": "Algae"},
)  # fmt: skip
TRUTH: tuple[Row, ...] = ({"cluster": ["A1", "A2"]}, {"cluster": ["B1", "B2"]})


def lines(rows: Iterable[Any]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def write(
    folder: Path,
    rows: Iterable[Row] = ROWS,
    *,
    truth: Iterable[Row] | None = None,
    pairs: Iterable[Row] | None = None,
    labels: Iterable[Row] | None = None,
    meta: Any = None,
    compressed: bool = False,
) -> Path:
    """A set in a folder, which is made; `TRUTH` where no other truth is given."""
    folder.mkdir(parents=True, exist_ok=True)
    if truth is pairs is labels is None:
        truth = TRUTH
    files = {"records": rows, "truth": truth, "pairs": pairs, "labels": labels}
    for name, content in files.items():
        if content is not None and compressed:
            (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines(content)))
        elif content is not None:
            (folder / f"{name}.jsonl").write_bytes(lines(content))
    if meta is not None:
        (folder / "meta.json").write_text(json.dumps(meta))
    return folder


#: Rows that name their clusters and kinds: two works of two and three records, and a forgery that
#: is neither.
MARKED: tuple[Row, ...] = (
    {"id": "a", "title": "red green blue", "cluster": "w1", "op": "base"},
    {"id": "a~cut", "title": "red green", "cluster": "w1", "op": "cut"},
    {"id": "a~far", "title": "red", "cluster": "w1", "op": "far"},
    {"id": "b", "title": "one two three", "cluster": "w2", "op": "base"},
    {"id": "b~cut", "title": "one two", "cluster": "w2", "op": "cut"},
    {"id": "x", "title": "green blue one", "cluster": "w3", "op": "forged"},
)  # fmt: skip


def write_rows(file: Path, rows: Iterable[Any] = MARKED) -> Path:
    """A set in one file, compressed where its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = lines(rows)
    file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    return file
