"""Labelled sets: records, and what people say about which of them are one work, in a folder or a
file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from metasearch import regular_files
from metasearch.bulk.evaluate.rows import LabelledRowReader, Row, identifier, rows
from metasearch.errors import UsageError
from metasearch.formats.text import line
from metasearch.record import NAMES_THE_COPY, OF_THE_WORK, Record

__all__ = ["Judged", "LabelledSet", "expand", "read", "reason_to_skip"]


Judged = tuple[int, int, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Records and the truth about them; records go by their number in the file, from 0.

    Attributes:
        name: Of the folder, or of the file without its ending.
        origins: What each row gives as its source, as it stands there; None where it gives none.
        works: Number of the work of each record, or None where the truth is of another kind.
        pairs: (one, other, whether they are one work), or None.
        labels: Whether some other record is the same work, a record each, or None.
        cross_source_only: Only pairs of different origin are judged.
        kinds: What was done to each record ("" where nobody says), or None; only where `works` is
            there.
        notes: What could not be read or was left out, in words.
    """

    name: str
    records: Sequence[Record]
    origins: Sequence[str | None]
    works: Sequence[int] | None = None
    pairs: Sequence[Judged] | None = None
    labels: Sequence[bool] | None = None
    cross_source_only: bool = False
    kinds: Sequence[str] | None = None
    notes: Sequence[str] = field(default=())


def record_fields(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, if a record has such fields. Raises UsageError: none has."""
    known = tuple(dict.fromkeys(names))
    for name in known:
        if name not in OF_THE_WORK:
            raise UsageError(
                f"a record has no field called {name!r}",
                advice=f"There are: {', '.join(OF_THE_WORK)}.",
            )
    return known


def with_fields(labelled: LabelledSet, names: Sequence[str]) -> LabelledSet:
    """The same set with these fields of each record, and what names it; all where none is named."""
    if not names:
        return labelled
    kept = (*NAMES_THE_COPY, *names)
    records = [
        Record(**{name: getattr(record, name) for name in kept}) for record in labelled.records
    ]
    return replace(labelled, records=records)


# Labelled sets in one file: each row is a record, and says itself to which work it belongs.
#
#     {"id": "r7", "title": "...", "cluster": "w3", "cluster_clean": true, "op": "cut to half"}
#
# Rows of equal `cluster` are one work. Rows whose `cluster_clean` is false are left out, because
# nobody vouches for their label. `op` says what was done to a row, its kind. Everything else is
# read as in `records.jsonl`.

ENDINGS = (".jsonl", ".jsonl.gz")
#: Keys of a row that are about the row and not about the work.
CLUSTER, CLEAN, KIND = "cluster", "cluster_clean", "op"


def why_no_set(path: Path) -> str | None:
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


def set_of_file(path: Path) -> LabelledSet:
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


# Labelled sets: a folder of records and of what people say about which of them are one work.
#
#     records.jsonl   a row a record: id, title, authors, year, container, ... (`rows.py`)
#     truth.jsonl     {"cluster": [ids]}                  every work with more than one record
#     pairs.jsonl     {"a": id, "b": id, "label": 0 | 1}  only these pairs are judged
#     labels.jsonl    {"id": id, "duplicate": bool}       whether some other record is the same work
#     meta.json       {"cross_source_only": true}         only pairs of different sources are judged
#
# Of truth, pairs and labels there is one; every file may be compressed (.gz). The order of lines
# means nothing. A set may also be one file whose rows carry their truth.

RECORDS = "records.jsonl"
TRUTHS = ("truth.jsonl", "pairs.jsonl", "labels.jsonl")
#: Bytes of meta.json.
_MOST_META = 1_000_000
#: What to say where there is none.
A_SET = (
    "A SET is a folder that holds records.jsonl, or a .jsonl file with clusters; "
    "docs/evaluation.md describes it."
)


def expand(paths: Iterable[Path]) -> list[Path]:
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
        file for file in path.iterdir() if file.name.endswith(ENDINGS) and file.name not in parts
    )
    return files if any(why_no_set(file) is None for file in files) else []


def reason_to_skip(path: Path) -> str | None:
    """Why a path is no labelled set, though it is there: "no records.jsonl"; None where it is one.

    A folder of files that are sets is none itself; see `expand`. Raises UsageError: there is
    nothing of that name.
    """
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder", advice=A_SET)
    if not path.is_dir():
        return why_no_set(path)
    if _find(path, RECORDS) is None:
        return f"no {RECORDS}"
    return None if any(_find(path, name) for name in TRUTHS) else f"none of {', '.join(TRUTHS)}"


def read(path: Path) -> LabelledSet:
    why = reason_to_skip(path)
    if why is not None:
        raise UsageError(f"{path}: is no labelled set: {why}", advice=A_SET)
    return _folder(path) if path.is_dir() else set_of_file(path)


def _folder(folder: Path) -> LabelledSet:
    name = folder.resolve().name
    numbers: dict[str, int] = {}
    records: list[Record] = []
    origins: list[str | None] = []
    reader = LabelledRowReader(name)
    for where, row in rows(_require_file(folder, RECORDS)):
        own = identifier(row.get("id"), where, "id")
        if numbers.setdefault(own, len(records)) != len(records):
            raise UsageError(
                f"{where}: id {own!r} stands on an earlier line too; each record needs its own"
            )
        records.append(reader.record(row, where))
        origins.append(None if row.get("source") is None else str(row["source"]))
    if not records:
        raise UsageError(f"{_require_file(folder, RECORDS)}: holds no record")
    return LabelledSet(
        name=name,
        records=records,
        origins=origins,
        cross_source_only=_cross_source_only(folder),
        notes=tuple(reader.notes()),
        **_truth(folder, numbers),
    )


def _truth(folder: Path, numbers: Mapping[str, int]) -> dict[str, Any]:
    there = [name for name in TRUTHS if _find(folder, name)]
    if len(there) > 1:
        raise UsageError(
            f"{folder}: holds {' and '.join(there)}; a set has one kind of truth",
            advice="Remove one.",
        )
    lines = rows(_require_file(folder, there[0]))
    match there[0]:
        case "truth.jsonl":
            return {"works": _works(lines, numbers)}
        case "pairs.jsonl":
            return {"pairs": [_judgement(where, row, numbers) for where, row in lines]}
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
        members = [_number_of(member, where, "cluster", numbers) for member in cluster]
        for member in members[1:]:
            parent[root(member)] = root(members[0])
    return [root(number) for number in range(len(numbers))]


def _judgement(where: str, row: Row, numbers: Mapping[str, int]) -> Judged:
    a, b = (_number_of(row.get(side), where, side, numbers) for side in ("a", "b"))
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
        labels[_number_of(row.get("id"), where, "id", numbers)] = row["duplicate"]
    without = [own for own, number in numbers.items() if labels[number] is None]
    if without:
        raise UsageError(
            f"{folder}: {len(without)} records have no line in labels.jsonl, the first is "
            f"{without[0]!r}"
        )
    return [bool(label) for label in labels]


def _number_of(value: Any, where: str, key: str, numbers: Mapping[str, int]) -> int:
    own = identifier(value, where, key)
    if own not in numbers:
        raise UsageError(f"{where}: no record has the id {own!r}")
    return numbers[own]


def _cross_source_only(folder: Path) -> bool:
    path = folder / "meta.json"
    if not path.exists():
        return False
    try:
        meta = json.loads(regular_files.read(path, _MOST_META))
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {regular_files.why(exc)}") from exc
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{path}: is no JSON: {exc}") from exc
    if not isinstance(meta, dict):
        raise UsageError(f"{path}: expected an object")
    return bool(meta.get("cross_source_only"))


def _find(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _require_file(folder: Path, name: str) -> Path:
    path = _find(folder, name)
    assert path is not None
    return path
