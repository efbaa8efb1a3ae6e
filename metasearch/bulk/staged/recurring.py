"""Which titles return in one journal: decided over all records of a job by the rule of
`dedup/columns.py`, from the rows that an engine has found worth it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from metasearch.bulk.staged.parts import batches, parts_in, read_part, write_part
from metasearch.dedup.columns import TitleFacts

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
