"""Connected components with DuckDB: of each record the smallest number in its component.

Two ways, which give the same:

- *recursion*: one `WITH RECURSIVE ... USING KEY` that passes on the smallest number to neighbours.
  Its state stands in memory.
- *stars*: large-star and small-star in turns (Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii:
  "Connected components in MapReduce and beyond", SoCC 2014) in tables of a file, which may be
  larger than memory. It needs O(log² n) rounds for any graph.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from metasearch.bulk.engines.duckdb_session import NoMemory, Session, parts

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
class Found:
    """What came out. `records`: that share a component with another one. `edges`: between records
    and the first one with their key.
    """

    records: int
    components: int
    largest: int
    edges: int
    rounds: int
    way: Way


def find(db: Session, keys: Path, edges: Path, memory: int, way: Way | None = None) -> Found:
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
    return Found(int(records), groups, largest, count, rounds, chosen)


def _make_edges(db: Session, keys: Path, edges: Path) -> int:
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


def _state(db: Session, edges: int) -> int:
    """Bytes that the recursion would hold, about."""
    joined, first = db.row("SELECT approx_count_distinct(b), approx_count_distinct(a) FROM edge")
    return int((joined + first) * STATE_OF_A_RECORD + max(0, edges - joined) * STATE_OF_AN_EDGE)


def _recursion(db: Session) -> int:
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


def _stars(db: Session) -> int:
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


def _are_stars(db: Session) -> bool:
    """Whether each record has one smaller neighbour, which has none itself."""
    edges, joined = db.row("SELECT (SELECT count(*) FROM edge), (SELECT count(*) FROM first)")
    if edges != joined:
        return False
    return not db.row("SELECT count(*) FROM edge SEMI JOIN first ON first.b = edge.a")[0]


def _replace(db: Session, query: str) -> None:
    db.run(f"CREATE TABLE changed AS {query}")
    db.run("DROP TABLE edge")
    db.run("ALTER TABLE changed RENAME TO edge")
