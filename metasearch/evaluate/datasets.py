"""Labelled sets: a folder of records and of what people say about which of them are one work.

    records.jsonl   a row a record: id, title, authors, year, container, ... (`rows.py`)
    truth.jsonl     {"cluster": [ids]}                  every work with more than one record
    pairs.jsonl     {"a": id, "b": id, "label": 0 | 1}  only these pairs are judged
    labels.jsonl    {"id": id, "duplicate": bool}       whether some other record is the same work
    meta.json       {"cross_source_only": true}         only pairs of different sources are judged

Of truth, pairs and labels there is one; every file may be compressed (.gz). The order of lines means nothing.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metasearch.errors import UsageError
from metasearch.evaluate.rows import RowReader
from metasearch.record import Record

#: Longest line that is read, in bytes.
LONGEST_LINE = 16_000_000
RECORDS = "records.jsonl"
TRUTHS = ("truth.jsonl", "pairs.jsonl", "labels.jsonl")

Judged = tuple[int, int, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Records and the truth about them; records go by their number in the file, from 0.

    Attributes:
        name: Of the folder.
        origins: What each row gives as its source, as it stands there; None where it gives none.
        works: Number of the work of each record, or None where the truth is of another kind.
        pairs: (one, other, whether they are one work), or None.
        labels: Whether some other record is the same work, a record each, or None.
        cross_source_only: Only pairs of different origin are judged.
        notes: What could not be read, in words.
    """

    name: str
    records: Sequence[Record]
    origins: Sequence[str | None]
    works: Sequence[int] | None = None
    pairs: Sequence[Judged] | None = None
    labels: Sequence[bool] | None = None
    cross_source_only: bool = False
    notes: Sequence[str] = field(default=())


def skipped(path: Path) -> str | None:
    """Why a path is no labelled set, though it is there: "no records.jsonl"; None where it is one.

    Raises:
        UsageError: There is nothing of that name.
    """
    if not path.exists():
        raise UsageError(f"{path}: there is no such folder", advice="A SET is a folder that holds records.jsonl.")
    if not path.is_dir():
        return "a file, not a folder"
    if _find(path, RECORDS) is None:
        return f"no {RECORDS}"
    return None if any(_find(path, name) for name in TRUTHS) else f"none of {', '.join(TRUTHS)}"


def read(folder: Path) -> LabelledSet:
    """The set in a folder.

    Raises:
        UsageError: A file is missing or a line is not what it should be; the message has file and line.
    """
    why = skipped(folder)
    if why is not None:
        raise UsageError(f"{folder}: is no labelled set: {why}", advice="docs/evaluation.md tells what a set holds.")
    name = folder.resolve().name
    numbers: dict[str, int] = {}
    records: list[Record] = []
    origins: list[str | None] = []
    reader = RowReader(name)
    for where, row in _rows(_found(folder, RECORDS)):
        identifier = _identifier(row.get("id"), where, "id")
        if numbers.setdefault(identifier, len(records)) != len(records):
            raise UsageError(f"{where}: id {identifier!r} stands on an earlier line too; each record needs its own")
        records.append(reader.record(row))
        origins.append(None if row.get("source") is None else str(row["source"]))
    if not records:
        raise UsageError(f"{_found(folder, RECORDS)}: holds no record")
    return LabelledSet(
        name=name,
        records=records,
        origins=origins,
        cross_source_only=_cross_source_only(folder),
        notes=tuple(reader.notes()),
        **_truth(folder, numbers),
    )


# --------------------------------------------------------------------------- truth


def _truth(folder: Path, numbers: Mapping[str, int]) -> dict[str, Any]:
    there = [name for name in TRUTHS if _find(folder, name)]
    if len(there) > 1:
        raise UsageError(f"{folder}: holds {' and '.join(there)}; a set has one kind of truth", advice="Remove one.")
    rows = _rows(_found(folder, there[0]))
    match there[0]:
        case "truth.jsonl":
            return {"works": _works(rows, numbers)}
        case "pairs.jsonl":
            return {"pairs": [_judged(where, row, numbers) for where, row in rows]}
    return {"labels": _labels(rows, numbers, folder)}


def _works(rows: Iterator[tuple[str, Mapping[str, Any]]], numbers: Mapping[str, int]) -> list[int]:
    """The work of each record; clusters that share a record are one work."""
    parent = list(range(len(numbers)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    for where, row in rows:
        cluster = row.get("cluster")
        if not isinstance(cluster, list):
            raise UsageError(f'{where}: is no cluster; expected {{"cluster": [ids]}}')
        members = [_known(member, where, "cluster", numbers) for member in cluster]
        for member in members[1:]:
            parent[root(member)] = root(members[0])
    return [root(number) for number in range(len(numbers))]


def _judged(where: str, row: Mapping[str, Any], numbers: Mapping[str, int]) -> Judged:
    a, b = (_known(row.get(side), where, side, numbers) for side in ("a", "b"))
    if row.get("label") not in (0, 1):
        raise UsageError(f"{where}: label is {row.get('label')!r}; expected 0 or 1")
    return a, b, bool(row["label"])


def _labels(rows: Iterator[tuple[str, Mapping[str, Any]]], numbers: Mapping[str, int], folder: Path) -> list[bool]:
    labels: list[bool | None] = [None] * len(numbers)
    for where, row in rows:
        if not isinstance(row.get("duplicate"), bool):
            raise UsageError(f"{where}: duplicate is {row.get('duplicate')!r}; expected true or false")
        labels[_known(row.get("id"), where, "id", numbers)] = row["duplicate"]
    without = [identifier for identifier, number in numbers.items() if labels[number] is None]
    if without:
        raise UsageError(f"{folder}: {len(without)} records have no line in labels.jsonl, the first is {without[0]!r}")
    return [bool(label) for label in labels]


def _identifier(value: Any, where: str, key: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UsageError(f"{where}: {key} is {value!r}; expected the id of a record")
    return str(value)


def _known(value: Any, where: str, key: str, numbers: Mapping[str, int]) -> int:
    identifier = _identifier(value, where, key)
    if identifier not in numbers:
        raise UsageError(f"{where}: no record has the id {identifier!r}")
    return numbers[identifier]


def _cross_source_only(folder: Path) -> bool:
    path = folder / "meta.json"
    if not path.exists():
        return False
    try:
        meta = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{path}: is no JSON: {exc}") from exc
    if not isinstance(meta, dict):
        raise UsageError(f"{path}: expected an object")
    return bool(meta.get("cross_source_only"))


# --------------------------------------------------------------------------- files


def _find(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _found(folder: Path, name: str) -> Path:
    path = _find(folder, name)
    assert path is not None
    return path


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """("file:line", object) of each line that is not empty."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                where = f"{path}:{number}"
                if len(line) > LONGEST_LINE:
                    raise UsageError(f"{where}: the line is longer than {LONGEST_LINE:,} bytes")
                if line.strip():
                    yield where, _object(line, where)
    except (gzip.BadGzipFile, EOFError, zlib.error) as exc:
        raise UsageError(f"{path}:{number + 1}: the compressed file is damaged: {exc}") from exc


def _object(line: bytes, where: str) -> Mapping[str, Any]:
    try:
        # Not orjson, which refuses a lone surrogate; what is not fit to be shown is taken out when a row is read.
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise UsageError(f"{where}: is not UTF-8: {exc.reason} at byte {exc.start}") from exc
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{where}: is no JSON: {exc}") from exc
    if not isinstance(row, dict):
        raise UsageError(f"{where}: expected an object, found {type(row).__name__}")
    return row
