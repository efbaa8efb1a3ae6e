"""The joins of a staged job on one machine, with DuckDB: in memory as far as that goes, and then on
disk.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from metasearch.dedup.clusters import YEARS
from metasearch.errors import UsageError
from metasearch.extras import how_to_install

if TYPE_CHECKING:
    import duckdb

    from metasearch.bulk.engines import Done, Judge


# One DuckDB database for one step of a job: bounded in memory, threads and disk. DuckDB
# (https://duckdb.org) runs inside this process. What does not fit into `Bounds.memory` it writes to
# a scratch folder, which is removed at the end.

MIB = 1 << 20
#: Bytes that each thread needs to sort and to join, whatever the size of the job.
LEAST_A_THREAD = 64 * MIB
#: The parts of a stage; what is not finished has another ending.
PARTS = "*.parquet"
#: Nothing is loaded from the network, and nothing from the folder of the user.
_OWN_ONLY: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "preserve_insertion_order": False,
}


def _cores() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a step may take. Raises UsageError: the memory is too small for the threads.

    Attributes:
        memory: Bytes; what does not fit is written to disk.
        threads: As many as cores if not said.
        disk: Bytes that may be written to the scratch folder because memory is full; nine tenths of
            the free ones if None.
    """

    memory: int = 1024 * MIB
    threads: int = field(default_factory=_cores)
    disk: int | None = None

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise UsageError(f"{self.threads} threads cannot work", advice="Say 1 or more.")
        least = LEAST_A_THREAD * self.threads
        if self.memory < least:
            raise UsageError(
                f"{self.memory // MIB:,} MiB of memory are too few for {self.threads} threads of "
                "DuckDB",
                advice=f"Allow {least // MIB:,} MiB or more, or fewer workers.",
            )


class DuckDBSession:
    """A database in a folder of its own; see `session`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, scratch: Path) -> None:
        self._connection = connection
        self._scratch = scratch

    def run(self, statement: str) -> None:
        with _own_errors(self._scratch):
            self._connection.execute(statement)

    def row(self, statement: str) -> tuple[Any, ...]:
        with _own_errors(self._scratch):
            found = self._connection.execute(statement).fetchone()
        assert found is not None
        return found

    def write(self, query: str, folder: Path) -> None:
        """Write the rows of a query as the one part of a stage, all or nothing. `query`: its order
        is that of the rows. `folder`: is made where it is missing.
        """
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / "part-00000.parquet"
        unfinished = part.with_suffix(".unfinished")
        self.run(
            f"COPY ({query}) TO {quote(str(unfinished))}"
            " (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)"
        )
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(part)


def parts(folder: Path, columns: Sequence[str]) -> str:
    """What stands behind FROM for all parts of a stage. `columns`: "name TYPE" of each that is
    used, for a stage that has no part.
    """
    if any(folder.glob(PARTS)):
        # A folder may have a name that DuckDB would read as a pattern, or as columns (`year=2020`).
        named = re.sub(r"([*?\[])", r"[\1]", folder.as_posix())
        return f"read_parquet({quote(f'{named}/{PARTS}')}, hive_partitioning = false)"
    nulls = ", ".join(
        f"CAST(NULL AS {kind}) AS {name}"
        for name, kind in (column.split(" ", 1) for column in columns)
    )
    return f"(SELECT {nulls} WHERE false)"


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def session(scratch: Path, bounds: Bounds) -> Iterator[DuckDBSession]:
    """Open an empty database; it is removed when the context ends.

    `scratch`: a folder that nobody else uses; what a killed process left there is removed. Raises
    UsageError: the extra `bulk` is not installed, or the folder cannot be used. Within the context
    also: the disk is full, the memory too small, a part unreadable.
    """
    try:
        import duckdb
    except ImportError as exc:
        raise UsageError(
            "the engine duckdb needs packages that are not installed",
            advice=f"{how_to_install('bulk')} Or use --engine memory.",
        ) from exc
    if "?" in str(scratch):  # DuckDB would read what follows as options
        raise UsageError(
            f"{scratch}: DuckDB cannot use a folder with a question mark in its name",
            advice="Name another folder with --tmp.",
        )
    try:
        shutil.rmtree(scratch, ignore_errors=True)
        spill = scratch / "spill"
        spill.mkdir(parents=True)
        disk = shutil.disk_usage(scratch).free * 9 // 10 if bounds.disk is None else bounds.disk
    except OSError as exc:
        raise UsageError(
            f"{scratch}: cannot be written: {exc.strerror or exc}",
            advice="Name another folder with --tmp.",
        ) from exc
    try:
        with _own_errors(scratch):
            connection = duckdb.connect(
                str(scratch / "tables.duckdb"),
                config={
                    **_OWN_ONLY,
                    "memory_limit": f"{bounds.memory // 1024}KiB",
                    "threads": bounds.threads,
                    "temp_directory": str(spill),
                },
            )
        try:
            db = DuckDBSession(connection, scratch)
            # Among the options above DuckDB 2.0 shows this one, and does not follow it.
            db.run(f"SET max_temp_directory_size = '{max(1, disk // 1024)}KiB'")
            yield db
        finally:
            connection.close()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class NoMemory(UsageError):
    """A step needs more memory than it may have, and cannot write the rest to disk."""


@contextmanager
def _own_errors(scratch: Path) -> Iterator[None]:
    """Turn errors of DuckDB into ours."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as exc:
        # It raises the same where the folder for what does not fit into memory is full.
        if "max_temp_directory_size" in str(exc):
            raise _disk_full(scratch) from exc
        raise NoMemory(
            "DuckDB needs more memory than it may have",
            advice="Allow more with --memory-limit, or fewer --workers.",
        ) from exc
    except duckdb.IOException as exc:
        if "No space left" in str(exc):
            raise _disk_full(scratch) from exc
        raise _failure(exc) from exc
    except duckdb.Error as exc:
        raise _failure(exc) from exc


def _disk_full(scratch: Path) -> UsageError:
    return UsageError(
        f"{scratch}: there is no more room on the disk",
        advice="Name a folder on a larger disk with --tmp, or allow more with --memory-limit.",
    )


def _failure(exc: Exception) -> UsageError:
    reason = str(exc).partition("\n")[0]
    return UsageError(
        f"DuckDB cannot go on: {reason}",
        advice="If it names a damaged file, begin the job anew without --resume.",
    )


# Connected components with DuckDB: of each record the smallest number in its component. Two ways,
# which give the same:
#
# - *recursion*: one `WITH RECURSIVE ... USING KEY` that passes on the smallest number to
# neighbours.
#   Its state stands in memory.
# - *stars*: large-star and small-star in turns (Kiveris, Lattanzi, Mirrokni, Rastogi,
# Vassilvitskii:
#   "Connected components in MapReduce and beyond", SoCC 2014) in tables of a file, which may be
#   larger than memory. It needs O(log² n) rounds for any graph.

#: How the components are found.
Way = Literal["recursion", "stars"]

#: Bytes that the recursion holds for a record, and for an edge beyond the first of its record: a
#: generous estimate. Where it is wrong, stars take over.
STATE_OF_A_RECORD, STATE_OF_AN_EDGE = 260, 80
#: Share of the memory that the state may take: tables of edges and joins stand beside it.
STATE_SHARE = 0.5
#: Steps after which the recursion leaves the rest to the stars: it needs as many as the longest of
#: all shortest paths, and each reads all edges.
MOST_STEPS = 16

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ComponentCounts:
    """What came out. `records`: that share a component with another one. `edges`: between records
    and the first one with their key.
    """

    records: int
    components: int
    largest: int
    edges: int
    rounds: int
    way: Way


def find(
    db: DuckDBSession, keys: Path, edges: Path, memory: int, way: Way | None = None
) -> ComponentCounts:
    """Join the records that share a key, or stand in one edge, however many lie between them.

    The table `edge` holds the result: a row (b, a) for each record b and the smallest number a of
    its component, where they differ. It depends on the rows alone: not on the order of rows or
    parts, nor on threads or way. All records that share a key are joined, however many they are: n
    records of a key make n - 1 edges. Raises UsageError: see `session`.

    Args:
        keys: Parts with the columns number and key.
        edges: Parts with the columns a and b.
        memory: Bytes that the database may hold.
        way: By what the recursion would hold in memory if None.
    """
    count = _make_edges(db, keys, edges)
    chosen: Way = way or ("recursion" if _state(db, count) <= memory * STATE_SHARE else "stars")
    rounds = 0
    if chosen == "recursion":
        try:
            rounds = _recursion(db)
        except NoMemory:
            _log.info("the recursion does not fit into memory; stars instead")
            chosen = "stars"
    if chosen == "stars":
        rounds = _stars(db)
    records, groups, largest = db.row(
        "SELECT coalesce(sum(size), 0), count(*), coalesce(max(size), 0)"
        " FROM (SELECT count(*) + 1 AS size FROM edge GROUP BY a)"
    )
    return ComponentCounts(int(records), groups, largest, count, rounds, chosen)


def _make_edges(db: DuckDBSession, keys: Path, edges: Path) -> int:
    """Join each record with the first one of each of its keys; `edge` has (b, a) with b > a."""
    source = parts(keys, ("number BIGINT", "key BIGINT"))
    further = parts(edges, ("a BIGINT", "b BIGINT"))
    db.run(
        "CREATE TABLE shared AS SELECT key, min(number) AS a"
        f" FROM {source} GROUP BY key HAVING min(number) < max(number)"
    )
    db.run(
        "CREATE TABLE edge AS"
        f" SELECT number AS b, a FROM {source} JOIN shared USING (key) WHERE number > a"
        f" UNION SELECT greatest(a, b), least(a, b) FROM {further} WHERE a <> b"
    )
    db.run("DROP TABLE shared")
    return int(db.row("SELECT count(*) FROM edge")[0])


def _state(db: DuckDBSession, edges: int) -> int:
    """Bytes that the recursion would hold, about."""
    joined, first = db.row("SELECT approx_count_distinct(b), approx_count_distinct(a) FROM edge")
    return int((joined + first) * STATE_OF_A_RECORD + max(0, edges - joined) * STATE_OF_AN_EDGE)


def _recursion(db: DuckDBSession) -> int:
    """Turn `edge` into stars around the smallest numbers; gives the rounds that took."""
    db.run(
        "CREATE TABLE label AS WITH RECURSIVE"
        " both_ways AS (SELECT b AS u, a AS v FROM edge UNION ALL SELECT a, b FROM edge),"
        " state(id, least_, step) USING KEY (id) AS ("
        "  SELECT u, least(u, min(v)), 0 FROM both_ways GROUP BY u"
        "  UNION"
        "  SELECT e.v, min(state.least_), max(state.step) + 1"
        "  FROM state JOIN both_ways e ON e.u = state.id"
        "  JOIN recurring.state known ON known.id = e.v"
        f"  WHERE state.least_ < known.least_ AND state.step < {MOST_STEPS}"
        "  GROUP BY e.v"
        ") SELECT id, least_, step FROM state"
    )
    if db.row("SELECT coalesce(max(step), 0) FROM label")[0] < MOST_STEPS:
        _replace(db, "SELECT id AS b, least_ AS a FROM label WHERE id <> least_")
        db.run("DROP TABLE label")
        return 0
    # Long chains: what is left are edges between the smallest numbers known so far.
    _replace(
        db,
        "SELECT id AS b, least_ AS a FROM label WHERE id <> least_"
        " UNION SELECT greatest(one.least_, other.least_), least(one.least_, other.least_)"
        " FROM edge JOIN label one ON one.id = edge.b JOIN label other ON other.id = edge.a"
        " WHERE one.least_ <> other.least_",
    )
    db.run("DROP TABLE label")
    return _stars(db)


def _stars(db: DuckDBSession) -> int:
    """Turn `edge` into stars around the smallest numbers; gives the rounds.

    As b > a in each edge, both operations need of each record the smallest of its smaller
    neighbours only: large-star moves the larger neighbours of a record to it, small-star the
    smaller ones.
    """
    rounds = 0
    while True:
        db.run("CREATE TABLE first AS SELECT b, min(a) AS a FROM edge GROUP BY b")
        if _are_stars(db):
            db.run("DROP TABLE first")
            return rounds
        rounds += 1
        _replace(
            db,
            "SELECT DISTINCT edge.b, coalesce(first.a, edge.a) AS a"
            " FROM edge LEFT JOIN first ON first.b = edge.a",
        )
        db.run("DROP TABLE first")
        db.run("CREATE TABLE first AS SELECT b, min(a) AS a FROM edge GROUP BY b")
        _replace(
            db,
            "SELECT b, a FROM first"
            " UNION SELECT edge.a, first.a FROM edge JOIN first USING (b) WHERE edge.a > first.a",
        )
        db.run("DROP TABLE first")


def _are_stars(db: DuckDBSession) -> bool:
    """Whether each record has one smaller neighbour, which has none itself."""
    edges, joined = db.row("SELECT (SELECT count(*) FROM edge), (SELECT count(*) FROM first)")
    if edges != joined:
        return False
    return not db.row("SELECT count(*) FROM edge SEMI JOIN first ON first.b = edge.a")[0]


def _replace(db: DuckDBSession, query: str) -> None:
    db.run(f"CREATE TABLE changed AS {query}")
    db.run("DROP TABLE edge")
    db.run("ALTER TABLE changed RENAME TO edge")


#: Share of the bound of memory that the database holds; the rest is for our processes, which keep
#: records and tables of names meanwhile.
DATABASE_SHARE = 0.6


class DuckDB:
    """An `Engine` (bulk/engines/__init__.py) that runs in this process.

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
        self.found: ComponentCounts | None = None

    def components(self, keys: Path, edges: Path, into: Path) -> None:
        """Write the connected components, ordered by component and number: see `Engine`.

        n records of one key make n - 1 edges, so that no key is shared by too many. Raises
        UsageError: see `session`.
        """
        with session(self._scratch, self._bounds) as db:
            self.found = find(db, keys, edges, self._bounds.memory, self._way)
            db.write(
                "SELECT b AS number, a AS component FROM edge"
                " UNION ALL SELECT DISTINCT a, a FROM edge ORDER BY component, number",
                into,
            )

    def repeats(self, titles: Path, into: Path) -> None:
        """Write the rows of the titles of several years, ordered by title and number: see `Engine`.
        Raises UsageError: see `session`.
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
        from metasearch.bulk.staged import pool

        pool.judge_all(judge, chunks, into, self._bounds.threads, done)
