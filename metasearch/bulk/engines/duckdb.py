"""The joins of a staged job on one machine, with DuckDB: in memory, then on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from metasearch.bulk.engines.duckdb_components import Found, Way, find
from metasearch.bulk.engines.duckdb_session import LEAST_A_THREAD, Bounds, parts, session
from metasearch.dedup.columns import YEARS

if TYPE_CHECKING:
    from metasearch.bulk.staged.engine import Done, Judge


#: Share of the bound of memory that the database holds; the rest is for our processes, which keep
#: records and tables of names meanwhile.
DATABASE_SHARE = 0.6


class DuckDB:
    """An `Engine` (bulk/staged/engine.py) that runs in this process.

    `scratch`: a folder for this engine alone; it exists while something is written there, and what
    a killed process left there is removed. `bounds`: of memory, threads and disk of the job; as
    many processes as threads judge. `way`: how components are found; if None, by what the recursion
    would hold in memory.
    """

    name = "duckdb"

    def __init__(
        self, scratch: Path, bounds: Bounds | None = None, *, way: Way | None = None
    ) -> None:
        self._scratch = scratch
        bounds = bounds or Bounds()
        least = bounds.threads * LEAST_A_THREAD
        self._bounds = replace(bounds, memory=max(least, int(bounds.memory * DATABASE_SHARE)))
        self._way = way
        #: What `components` found last.
        self.found: Found | None = None

    def components(self, keys: Path, edges: Path, into: Path) -> None:
        """Write the connected components, ordered by component and number: see `Engine`.

        n records of one key make n - 1 edges, so that no key is shared by too many. Raises
        UsageError: see `duckdb_session.session`.
        """
        with session(self._scratch, self._bounds) as db:
            self.found = find(db, keys, edges, self._bounds.memory, self._way)
            db.write(
                "SELECT b AS number, a AS component FROM edge"
                " UNION ALL SELECT DISTINCT a, a FROM edge ORDER BY component, number",
                into,
            )

    def recurring(self, titles: Path, into: Path) -> None:
        """Write the rows of the titles of several years, ordered by title and number: see `Engine`.
        Raises UsageError: see `duckdb_session.session`.
        """
        columns = (
            "title BIGINT",
            "number BIGINT",
            "year INTEGER",
            "volume VARCHAR",
            "page VARCHAR",
            "unsigned BOOLEAN",
        )
        source = parts(titles, columns)
        names = ", ".join(column.split(" ")[0] for column in columns)
        with session(self._scratch, self._bounds) as db:
            db.run(
                "CREATE TABLE several AS SELECT title FROM"
                f" (SELECT DISTINCT title, year FROM {source} WHERE year IS NOT NULL)"
                f" GROUP BY title HAVING count(*) >= {YEARS}"
            )
            db.write(
                f"SELECT {names} FROM {source} SEMI JOIN several USING (title)"
                " WHERE year IS NOT NULL ORDER BY title, number",
                into,
            )

    def judge(self, judge: Judge, chunks: Sequence[Path], into: Path, done: Done) -> None:
        """Judge the chunks in processes of this machine: see `Engine`."""
        from metasearch.bulk.staged import pool

        pool.judge_all(judge, chunks, into, self._bounds.threads, done)
