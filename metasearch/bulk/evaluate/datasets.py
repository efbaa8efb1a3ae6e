"""Labelled sets: a folder of records and of what people say about which of them are one work.

    records.jsonl   a row a record: id, title, authors, year, container, ... (`rows.py`)
    truth.jsonl     {"cluster": [ids]}                  every work with more than one record
    pairs.jsonl     {"a": id, "b": id, "label": 0 | 1}  only these pairs are judged
    labels.jsonl    {"id": id, "duplicate": bool}       whether some other record is the same work
    meta.json       {"cross_source_only": true}         only pairs of different sources are judged

Of truth, pairs and labels there is one; every file may be compressed (.gz). The order of lines
means nothing. A set may also be one file whose rows carry their truth (`rowsets.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from metasearch import opening
from metasearch.errors import UsageError
from metasearch.evaluate import rowsets
from metasearch.evaluate.jsonl import Row, identifier, rows
from metasearch.evaluate.labelled import Judged, LabelledSet
from metasearch.evaluate.rows import LabelledRowReader
from metasearch.record import Record

__all__ = ["Judged", "LabelledSet", "expanded", "read", "skipped"]

RECORDS = "records.jsonl"
TRUTHS = ("truth.jsonl", "pairs.jsonl", "labels.jsonl")
#: Bytes of meta.json.
_MOST_META = 1_000_000
#: What to say where there is none.
A_SET = (
    "A SET is a folder that holds records.jsonl, or a .jsonl file with clusters; "
    "docs/evaluation.md describes it."
)


def expanded(paths: Iterable[Path]) -> list[Path]:
    """The paths, with the files of a folder instead of a folder that is no set but holds files that
    are, each once.
    """
    return list(dict.fromkeys(one for path in paths for one in _inside(path) or [path]))


def _inside(path: Path) -> list[Path]:
    """The files of a folder that may be sets, by name, if one of them is."""
    if not path.is_dir() or _find(path, RECORDS) is not None:
        return []
    parts = {name + ending for name in TRUTHS for ending in ("", ".gz")}
    files = sorted(
        file
        for file in path.iterdir()
        if file.name.endswith(rowsets.ENDINGS) and file.name not in parts
    )
    return files if any(rowsets.skipped(file) is None for file in files) else []


def skipped(path: Path) -> str | None:
    """Why a path is no labelled set, though it is there: "no records.jsonl"; None where it is one.

    A folder of files that are sets is none itself; see `expanded`. Raises UsageError: there is
    nothing of that name.
    """
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder", advice=A_SET)
    if not path.is_dir():
        return rowsets.skipped(path)
    if _find(path, RECORDS) is None:
        return f"no {RECORDS}"
    return None if any(_find(path, name) for name in TRUTHS) else f"none of {', '.join(TRUTHS)}"


def read(path: Path) -> LabelledSet:
    """The set in a folder, or in a file. Raises UsageError: a file is missing or a line is not what
    it should be; the message has file and line.
    """
    why = skipped(path)
    if why is not None:
        raise UsageError(f"{path}: is no labelled set: {why}", advice=A_SET)
    return _folder(path) if path.is_dir() else rowsets.read(path)


def _folder(folder: Path) -> LabelledSet:
    name = folder.resolve().name
    numbers: dict[str, int] = {}
    records: list[Record] = []
    origins: list[str | None] = []
    reader = LabelledRowReader(name)
    for where, row in rows(_found(folder, RECORDS)):
        own = identifier(row.get("id"), where, "id")
        if numbers.setdefault(own, len(records)) != len(records):
            raise UsageError(
                f"{where}: id {own!r} stands on an earlier line too; each record needs its own"
            )
        records.append(reader.record(row, where))
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
        raise UsageError(
            f"{folder}: holds {' and '.join(there)}; a set has one kind of truth",
            advice="Remove one.",
        )
    lines = rows(_found(folder, there[0]))
    match there[0]:
        case "truth.jsonl":
            return {"works": _works(lines, numbers)}
        case "pairs.jsonl":
            return {"pairs": [_judged(where, row, numbers) for where, row in lines]}
    return {"labels": _labels(lines, numbers, folder)}


def _works(lines: Iterator[tuple[str, Row]], numbers: Mapping[str, int]) -> list[int]:
    """The work of each record; clusters that share a record are one work."""
    parent = list(range(len(numbers)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    for where, row in lines:
        cluster = row.get("cluster")
        if not isinstance(cluster, list):
            raise UsageError(f'{where}: is no cluster; expected {{"cluster": [ids]}}')
        members = [_known(member, where, "cluster", numbers) for member in cluster]
        for member in members[1:]:
            parent[root(member)] = root(members[0])
    return [root(number) for number in range(len(numbers))]


def _judged(where: str, row: Row, numbers: Mapping[str, int]) -> Judged:
    a, b = (_known(row.get(side), where, side, numbers) for side in ("a", "b"))
    if row.get("label") not in (0, 1):
        raise UsageError(f"{where}: label is {row.get('label')!r}; expected 0 or 1")
    return a, b, bool(row["label"])


def _labels(
    lines: Iterator[tuple[str, Row]], numbers: Mapping[str, int], folder: Path
) -> list[bool]:
    labels: list[bool | None] = [None] * len(numbers)
    for where, row in lines:
        if not isinstance(row.get("duplicate"), bool):
            raise UsageError(
                f"{where}: duplicate is {row.get('duplicate')!r}; expected true or false"
            )
        labels[_known(row.get("id"), where, "id", numbers)] = row["duplicate"]
    without = [own for own, number in numbers.items() if labels[number] is None]
    if without:
        raise UsageError(
            f"{folder}: {len(without)} records have no line in labels.jsonl, the first is "
            f"{without[0]!r}"
        )
    return [bool(label) for label in labels]


def _known(value: Any, where: str, key: str, numbers: Mapping[str, int]) -> int:
    own = identifier(value, where, key)
    if own not in numbers:
        raise UsageError(f"{where}: no record has the id {own!r}")
    return numbers[own]


def _cross_source_only(folder: Path) -> bool:
    path = folder / "meta.json"
    if not path.exists():
        return False
    try:
        meta = json.loads(opening.read(path, _MOST_META))
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {opening.why(exc)}") from exc
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
