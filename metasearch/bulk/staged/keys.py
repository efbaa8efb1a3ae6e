"""The stages `keys`, `titles`, `signatures` and `traits`: what matchers and joins need of each
record; and the titles that return in one journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from metasearch.bulk.job import Progress
from metasearch.bulk.staged import parts as schemas
from metasearch.bulk.staged.parts import (
    DamagedPart,
    batches,
    parts_in,
    read_part,
    rows_of,
    write_part,
)
from metasearch.bulk.staged.pool import Beside, Rules, run_all
from metasearch.bulk.staged.storage import content_from, entry_from, values_of
from metasearch.dedup import Fingerprint, naming
from metasearch.dedup.apart import sketch, told
from metasearch.dedup.components import TitleFacts, digest, place, title_place
from metasearch.dedup.online import AT_ONCE

# The stages `keys`, `titles`, `signatures` and `traits`: what matchers and joins need of each
# record, made by the matchers themselves, a part of records at a time.

T = TypeVar("T")
DOING = "making keys"
_SIGN = 1 << 63


@dataclass(frozen=True, slots=True)
class KeyFolders:
    """Where the stages lie."""

    records: Path
    keys: Path
    titles: Path
    signatures: Path
    traits: Path


def beside_reading(folders: KeyFolders, rules: Rules) -> Beside:
    """Export what is needed of parts of records while others are still read."""
    given: set[str] = set()

    def found() -> Iterator[Path]:
        for path in parts_in(folders.records):
            if path.name not in given and not (folders.traits / path.name).exists():
                given.add(path.name)
                yield path

    return Beside(partial(_export, folders, rules), found)


def export_stage(folders: KeyFolders, rules: Rules, workers: int, progress: Progress) -> None:
    """Export what is needed of all parts of records of which nothing was exported yet."""
    parts = parts_in(folders.records)
    _forget(folders, frozenset(path.name for path in parts))
    sizes = [rows_of(path) for path in parts]
    # The traits of a part are written last.
    missing = [n for n, path in enumerate(parts) if not (folders.traits / path.name).exists()]
    total = sum(sizes)
    ready = total - sum(sizes[n] for n in missing)
    progress(DOING, ready, total)
    run_all(
        partial(_export, folders, rules),
        [parts[n] for n in missing],
        min(workers, len(missing)),
        # Parts end nearly in their order, and nearly all have the same size.
        lambda done: progress(DOING, ready + sum(sizes[n] for n in missing[:done]), total),
    )


def _forget(folders: KeyFolders, read: frozenset[str]) -> None:
    """Delete what was exported beside the reading of a file that turned out to be none."""
    for folder in (folders.keys, folders.titles, folders.signatures, folders.traits):
        for path in parts_in(folder):
            if path.name not in read:
                path.unlink()


@dataclass(slots=True)
class _Columns:
    """The rows of a part, by table and column."""

    keyed: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    titles: list[tuple[int, int, int | None, str, str, bool]] = field(default_factory=list)
    signatures: list[tuple[str, int, int]] = field(default_factory=list)
    traits: list[tuple[int, int | None, int, int, int, str, int]] = field(default_factory=list)


def _export(folders: KeyFolders, rules: Rules, path: Path) -> None:
    found = _Columns()
    try:
        table = read_part(path, ["number", "entry"])
    except DamagedPart:
        if path.exists():
            raise
        return  # the file was none that can be read, and its parts are gone
    numbers = table.column("number").to_pylist()
    for some in _batches(_read(path, table.column("entry").to_pylist())):
        rules.chain.prepare([fingerprint for fingerprint, _ in some])
        for fingerprint, content in some:
            _take(numbers[len(found.traits)], fingerprint, content, rules, found)
    keys = pa.table([found.keyed, found.keys, found.exact], schema=schemas.KEYS)
    write_part(folders.keys / path.name, keys)
    write_part(folders.titles / path.name, _table(found.titles, schemas.TITLES))
    write_part(folders.signatures / path.name, _table(found.signatures, schemas.SIGNATURES))
    write_part(folders.traits / path.name, _table(found.traits, schemas.TRAITS))


def _read(path: Path, entries: Iterable[bytes]) -> Iterator[tuple[Fingerprint, int]]:
    """(record, number of all that it says) of the entries of a part."""
    for data in entries:
        try:
            values = values_of(data)
            yield Fingerprint(entry_from(values).record), digest(content_from(values))
        except ValueError as exc:
            raise DamagedPart(path, str(exc)) from exc


def _batches(found: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(found, AT_ONCE)):
        yield some


def _take(
    number: int, fingerprint: Fingerprint, content: int, rules: Rules, found: _Columns
) -> None:
    chain = rules.chain
    keys: dict[int, bool] = {}
    for matcher in rules.keyed:
        # What somebody decided joins records whatever else they say.
        exact = matcher.exact or matcher is chain.pins
        for value in matcher.keys(fingerprint):
            key = place(matcher.name, value)
            keys[key] = keys.get(key, False) or exact
    found.keyed += [number] * len(keys)
    found.keys += keys
    found.exact += keys.values()
    title = title_place(fingerprint)
    if title is not None:
        volume, page = fingerprint.volume, fingerprint.pages[0]
        unsigned = not fingerprint.first
        found.titles.append((title, number, fingerprint.year, _utf8(volume), _utf8(page), unsigned))
    for signs in rules.signed:
        for signature in signs.signatures(fingerprint):
            found.signatures.append((signs.name, number, signature - _SIGN))
    base = naming.base_of([fingerprint], separate=rules.separate)
    text, pages = told(fingerprint)
    found.traits.append(
        (
            number,
            fingerprint.year,
            base,
            sketch(fingerprint),
            content,
            text if _utf8(text) == text else "",  # of these nothing is said
            pages,
        )
    )


def _utf8(text: str) -> str:
    # Only whether two are equal matters.
    return text.encode("utf-8", "backslashreplace").decode()


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    if not rows:
        return schema.empty_table()
    columns = zip(*rows, strict=True)
    return pa.table(
        [pa.array(column, of.type) for column, of in zip(columns, schema, strict=True)],
        schema=schema,
    )


# Which titles return in one journal: decided over all records of a job by the rule of
# `dedup/columns.py`, from the rows that an engine has found worth it.

#: The part of the stage.
PART = "part-00000.parquet"


def columns_stage(rows: Path, into: Path) -> None:
    """Write the numbers of the titles that are those of columns. `rows`: what `Engine.recurring`
    wrote.
    """
    found: list[int] = []
    for path in parts_in(rows):
        last, facts = None, TitleFacts()
        for batch in batches(path, ["title", "year", "volume", "page", "unsigned"]):
            for title, year, volume, page, unsigned in zip(
                *(column.to_pylist() for column in batch.columns), strict=True
            ):
                if title != last:
                    if last is not None and facts.recurs:
                        found.append(last)
                    last, facts = title, TitleFacts()
                facts.note(year, volume, page, unsigned=unsigned)
        if last is not None and facts.recurs:
            found.append(last)
    write_part(into / PART, pa.table({"title": pa.array(sorted(found), pa.int64())}))


@lru_cache(maxsize=1)
def columns_in(folder: Path) -> frozenset[int]:
    """The numbers that `columns_stage` wrote; kept for the next chunk."""
    return frozenset(read_part(folder / PART).column("title").to_pylist())
