"""Labelled sets in one file: each row is a record, and says itself to which work it belongs.

    {"id": "r7", "title": "...", "cluster": "w3", "cluster_clean": true, "op": "cut to half"}

Rows of equal `cluster` are one work. Rows whose `cluster_clean` is false are left out, because
nobody vouches for their label. `op` says what was done to a row, its kind. Everything else is read
as in `records.jsonl`.
"""

from __future__ import annotations

from pathlib import Path

from metasearch.errors import UsageError
from metasearch.evaluate.jsonl import Row, identifier, rows
from metasearch.evaluate.labelled import LabelledSet
from metasearch.evaluate.rows import LabelledRowReader
from metasearch.formats.text import line
from metasearch.record import Record

ENDINGS = (".jsonl", ".jsonl.gz")
#: Keys of a row that are about the row and not about the work.
CLUSTER, CLEAN, KIND = "cluster", "cluster_clean", "op"


def skipped(path: Path) -> str | None:
    """Why a file is no labelled set; None where its first row has an id and a cluster."""
    if not path.name.endswith(ENDINGS):
        return f"a file, and not {' or '.join(ENDINGS)}"
    try:
        first = next(rows(path), None)
    except UsageError as exc:
        return str(exc)
    if first is None:
        return "it is empty"
    cluster = first[1].get(CLUSTER)
    if not isinstance(cluster, (str, int)) or first[1].get("id") is None:
        return (
            f"its rows have no {CLUSTER}"
            if cluster is None
            else f"its rows are no records with a {CLUSTER}"
        )
    return None


def read(path: Path) -> LabelledSet:
    """The set in a file. Raises UsageError: a row is wrong; the message has file and line."""
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    reader = LabelledRowReader(name, own=(CLUSTER, CLEAN, KIND))
    ids: set[str] = set()
    numbers: dict[str, int] = {}
    records: list[Record] = []
    origins: list[str | None] = []
    works: list[int] = []
    kinds: list[str] = []
    left_out = 0
    for where, row in rows(path):
        own = identifier(row.get("id"), where, "id")
        if own in ids:
            raise UsageError(
                f"{where}: id {own!r} stands on an earlier line too; each record needs its own"
            )
        ids.add(own)
        cluster = identifier(row.get(CLUSTER), where, CLUSTER)
        if not _clean(row, where):
            left_out += 1
            continue
        records.append(reader.record(row, where))
        origins.append(None if row.get("source") is None else str(row["source"]))
        works.append(numbers.setdefault(cluster, len(numbers)))
        kinds.append(_kind(row, where))
    if not records:
        raise UsageError(f"{path}: holds no record with a {CLUSTER} that can be trusted")
    notes = [f"{left_out:,} rows are left out: their {CLEAN} is false"] if left_out else []
    return LabelledSet(
        name=name,
        records=records,
        origins=origins,
        works=works,
        kinds=kinds if any(kinds) else None,
        notes=(*notes, *reader.notes()),
    )


def _clean(row: Row, where: str) -> bool:
    cleaned = row.get(CLEAN, True)
    if not isinstance(cleaned, bool):
        raise UsageError(f"{where}: {CLEAN} is {cleaned!r}; expected true or false")
    return cleaned


def _kind(row: Row, where: str) -> str:
    kind = row.get(KIND)
    if kind is not None and not isinstance(kind, str):
        raise UsageError(f"{where}: {KIND} is {kind!r}; expected a string")
    return line(kind)
