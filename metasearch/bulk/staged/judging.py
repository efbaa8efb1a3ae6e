"""Chunk -> works: found by the same code that searches use, in the order of all records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from metasearch import garbage_collection
from metasearch.bib import work_ids
from metasearch.bulk.staged import schemas
from metasearch.bulk.staged.entries import decoded
from metasearch.bulk.staged.recurring import columns_in
from metasearch.bulk.staged.rules import Rules
from metasearch.dedup import Fingerprint, OnlineDedup, naming
from metasearch.dedup.key_numbers import title_place
from metasearch.formats import hits


@dataclass(frozen=True)
class ChunkJudge:
    """A `Judge` (see `engine.py`): a function of the chunk alone.

    All components of a chunk are judged by one `OnlineDedup`: they share no key, so none of them
    knows of the others. Where they share keys by chance, each has its own. Within a component stand
    all records of each of its keys, so that the same pairs are compared as if all records of the
    job had been taken in. `columns`: the folder of the titles of columns.
    """

    rules: Rules
    columns: Path

    def __call__(self, chunk: pa.Table) -> tuple[pa.Table, int]:
        """The works of several records, by their first ones; and the comparisons passed over."""
        if not self.rules.alone:
            return self._judged(chunk)
        found = [self._judged(component) for component in _components(chunk)]
        works = pa.concat_tables([schemas.WORKS.empty_table(), *(table for table, _ in found)])
        return works.sort_by("first"), sum(passed_over for _, passed_over in found)

    def _judged(self, chunk: pa.Table) -> tuple[pa.Table, int]:
        rows = chunk.sort_by("number").to_pydict()
        prints = [
            Fingerprint(decoded(entry).record, key)
            for key, entry in zip(rows["key"], rows["entry"], strict=True)
        ]
        columns = columns_in(self.columns)
        stage = OnlineDedup(
            self.rules.chain,
            versions=self.rules.versions,
            recurs=lambda fingerprint: title_place(fingerprint) in columns,
            places=rows["place"],
        )
        with garbage_collection.rarely():
            stage.extend(prints)
            found = [work for works in stage.components() for work in works if len(work[0]) > 1]
        works = []
        for at, hit in sorted(found, key=lambda work: work[0][0]):
            members = [prints[place] for place in at]
            number = naming.base_of(members, separate=self.rules.separate)
            base = work_ids.numbered_id(number)
            also = {naming.own_id(fingerprint) for fingerprint in members} - {base}
            # The records stand beside it; its name is told from others when all works are known.
            kept = replace(hit, id=base, also=tuple(sorted(also)), records=())
            works.append(
                {
                    "first": rows["number"][at[0]],
                    **{
                        name: [rows[column][place] for place in at]
                        for name, column in (
                            ("numbers", "number"),
                            ("keys", "key"),
                            ("ids", "id"),
                            ("entries", "entry"),
                        )
                    },
                    "hit": hits.write(kept),
                    "base": number,
                }
            )
        return pa.Table.from_pylist(works, schemas.WORKS), stage.passed_over


def _components(chunk: pa.Table) -> Iterator[pa.Table]:
    rows = chunk.sort_by("component")
    sizes = rows.group_by("component", use_threads=False).aggregate([([], "count_all")])
    start = 0
    for size in sizes.column("count_all").to_pylist():
        yield rows.slice(start, size)
        start += size
