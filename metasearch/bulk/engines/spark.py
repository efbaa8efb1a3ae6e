"""The joins of a staged job on Spark, on this machine or on a cluster."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Self

from metasearch.bulk.engines.duckdb import PARTS, Bounds
from metasearch.bulk.engines.spark_session import (
    check_packages,
    own_errors,
    session,
    without_warnings,
)
from metasearch.dedup.clusters import YEARS
from metasearch.dedup.signatures import BITS, MOST_NEAR

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame, SparkSession

    from metasearch.bulk.engines import Done, Judge


# Keys and near pairs -> components, on DataFrames. A block of n records that share a key gives n -
# 1 edges, each record with the block's smallest one. Then large-star and small-star, by turns,
# until nothing changes: Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, "Connected
# components in MapReduce and beyond" (SoCC 2014), who show O(log^2 n) rounds. A row (number, other)
# is an edge from a record to one of a smaller number.
#
# No step collects a group in one place: a key that all records share, and a record that is the
# centre of all, are aggregated and joined, which Spark divides where they are large.


def stars_of_keys(keys: DataFrame) -> DataFrame:
    """`keys`: rows (number, key), the blocks."""
    from pyspark.sql import functions as sql

    blocks = (
        keys.groupBy("key")
        .agg(sql.min("number").alias("other"), sql.max("number").alias("last"))
        .where("other < last")
        .select("key", "other")
    )
    return keys.join(blocks, "key").where("number > other").select("number", "other").distinct()


def edges_of_pairs(pairs: DataFrame) -> DataFrame:
    """`pairs`: rows (a, b), in whatever order."""
    from pyspark.sql import functions as sql

    return (
        pairs.where("a <> b")
        .select(sql.greatest("a", "b").alias("number"), sql.least("a", "b").alias("other"))
        .distinct()
    )


def components(edges: DataFrame, *more: DataFrame) -> DataFrame:
    """The component of every record that an edge names.

    `edges`: rows (number, other), other < number. `more`: others of that kind. Returns rows
    (number, component), where the component is the smallest number of its records; in no order.
    """
    from pyspark.sql import functions as sql

    edges = reduce(lambda some, others: some.union(others), more, edges)
    # The plan of a round holds those of all before: each is computed at once and then forgotten.
    edges = edges.localCheckpoint()
    while not _are_stars(edges):
        edges = _small_star(_large_star(edges)).localCheckpoint()
    centres = edges.select(sql.col("other").alias("number")).distinct()
    return edges.select("number", sql.col("other").alias("component")).union(
        centres.select("number", sql.col("number").alias("component"))
    )


def _large_star(edges: DataFrame) -> DataFrame:
    """Each record's larger neighbours are tied to the smallest of its neighbours and itself.

    The larger neighbours of a record are the edges that lead to it; what is smaller, it has edges
    to. So every edge moves its end to the least end of the edges of that end, if it has any.
    """
    from pyspark.sql import functions as sql

    least = _least(edges).withColumnRenamed("number", "other")
    return (
        edges.join(least, "other", "left")
        .select("number", sql.coalesce("least", "other").alias("other"))
        .distinct()
    )


def _small_star(edges: DataFrame) -> DataFrame:
    """Each record and its smaller neighbours are tied to the smallest of these."""
    from pyspark.sql import functions as sql

    least = _least(edges)
    others = (
        edges.join(least, "number")
        .where("other > least")
        .select(sql.col("other").alias("number"), sql.col("least").alias("other"))
    )
    return least.select("number", sql.col("least").alias("other")).union(others).distinct()


def _least(edges: DataFrame) -> DataFrame:
    from pyspark.sql import functions as sql

    return edges.groupBy("number").agg(sql.min("other").alias("least"))


def _are_stars(edges: DataFrame) -> bool:
    """Whether each record has one smaller neighbour, and that has none: no round would help."""
    from pyspark.sql import functions as sql

    counts = edges.agg(sql.count("number"), sql.count_distinct("number")).first()
    assert counts is not None  # an aggregate without groups is one row
    if counts[0] != counts[1]:
        return False
    with_smaller = edges.select(sql.col("number").alias("other"))
    return bool(edges.join(with_smaller, "other", "left_semi").isEmpty())


# Near signatures -> pairs, on DataFrames: the second job of Yu and Wang's system (DRPKP, 2014) by
# the tables of Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007).
# Of two signatures that differ in less bits than they have blocks, one block is equal. So a table a
# block holds each signature under the value of that block, and distances are computed only between
# those under one value. Where too many stand under one value, they are divided by a second block:
# of the bits beside the first one, a block is equal, too.

#: Signatures under one value that are compared with one another; of two values, `MOST_NEAR`.
MOST = 2_000
#: Distances from which on a table a block finds nothing faster than comparing all: blocks of 8 bits
#: and less.
TOO_FAR = 8


def near_pairs(signatures: DataFrame, distance: int) -> tuple[DataFrame, int]:
    """Pairs of records that have near signatures.

    `signatures`: rows (number, signature); a record may have several. `distance`: bits of 64 in
    which near ones differ at most, less than `TOO_FAR`. Returns (Rows (a, b), comparisons that were
    not made because more than `MOST_NEAR` signatures have two blocks in common: these are compared
    with the smallest of them only). Where signatures are equal, there is a pair of each record with
    the smallest one, and no others: enough to join them.
    """
    from pyspark.sql import functions as sql

    firsts = signatures.groupBy("signature").agg(sql.min("number").alias("first")).localCheckpoint()
    equal = (
        signatures.join(firsts, "signature")
        .where("number > first")
        .select(sql.col("number").alias("a"), sql.col("first").alias("b"))
    )
    few, many, _ = _by_size(_table(firsts, distance + 1), MOST)
    divided, crowded, passed_over = _by_size(_divide(many, distance + 1), MOST_NEAR)
    near = f"bit_count(one ^ other) <= {distance}"
    pairs = [equal, _among(few).where(near), _among(divided).where(near)]
    if passed_over:
        pairs.append(_with_smallest(crowded).where(near))
    found = pairs[0]
    for more in pairs[1:]:
        found = found.union(more.select("a", "b"))
    return found, passed_over


def _table(firsts: DataFrame, blocks: int) -> DataFrame:
    """Rows (signature, first, table, value), one for each block."""
    from pyspark.sql import functions as sql

    width = BITS // blocks
    return firsts.select(
        "*", sql.explode(sql.expr(f"sequence(0, {blocks - 1})")).alias("table")
    ).select("*", sql.expr(_block("signature", f"table * {width}", width)).alias("value"))


def _divide(rows: DataFrame, blocks: int) -> DataFrame:
    """The same rows, one for each block of the bits beside the one that they stand under."""
    from pyspark.sql import functions as sql

    width = BITS // blocks
    inner = (BITS - width) // blocks
    # Rotated so that their own block is at the top. A shift by 64 bits is one by 0.
    shift = f"(table + 1) * {width}"
    rest = f"(shiftrightunsigned(signature, {shift}) | shiftleft(signature, {BITS} - {shift}))"
    return rows.select(
        "*", sql.explode(sql.expr(f"sequence(0, {blocks - 1})")).alias("second")
    ).select(
        "signature",
        "first",
        sql.expr(f"table * {blocks} + second").alias("table"),
        sql.expr(f"shiftleft(value, {inner}) | {_block(rest, f'second * {inner}', inner)}").alias(
            "value"
        ),
    )


def _block(signature: str, shift: str, width: int) -> str:
    return f"(shiftrightunsigned({signature}, {shift}) & {(1 << width) - 1}L)"


def _by_size(table: DataFrame, most: int) -> tuple[DataFrame, DataFrame, int]:
    """(Rows whose value few share, rows whose value too many share, pairs among the latter beyond
    those with the smallest).
    """
    from pyspark.sql import functions as sql

    large = (
        table.groupBy("table", "value")
        .agg(sql.count("signature").alias("size"))
        .where(sql.col("size") > most)
        .localCheckpoint()
    )
    row = large.agg(sql.sum(sql.expr("cast(size - 1 as decimal(38)) * (size - 2) / 2"))).first()
    assert row is not None  # an aggregate without groups is one row
    on = ["table", "value"]
    return (
        table.join(large, on, "left_anti"),
        table.join(large, on, "left_semi"),
        int(row[0] or 0),
    )


def _among(table: DataFrame) -> DataFrame:
    """Rows (one, other, a, b) of every two rows of one value."""
    return (
        table.selectExpr("table", "value", "signature AS one", "first AS a")
        .join(
            table.selectExpr("table", "value", "signature AS other", "first AS b"),
            ["table", "value"],
        )
        .where("one < other")
    )


def _with_smallest(table: DataFrame) -> DataFrame:
    """The same of every row with the one of the smallest signature."""
    from pyspark.sql import functions as sql

    smallest = table.groupBy("table", "value").agg(
        sql.min("signature").alias("other"), sql.min_by("first", "signature").alias("b")
    )
    return (
        table.selectExpr("table", "value", "signature AS one", "first AS a")
        .join(smallest, ["table", "value"])
        .where("one > other")
    )


# The joins of a staged job on Spark, on this machine or on a cluster. On one machine it is slower
# than DuckDB. It is for data that already lie in a cluster, and for more of them than one machine
# takes (docs/bulk-spark.md).

#: Rows of the numbers of an input that one task takes.
ROWS_A_TASK = 500_000
#: Chunks a core that are handed out before progress is told.
CHUNKS_A_CORE = 4
_PARTITIONS = "spark.sql.shuffle.partitions"


class Spark:
    """An `Engine` (bulk/engines/__init__.py) whose session begins with the first call and ends with
    the context.

    `scratch`: a folder for this engine alone, which is removed where nothing fails. On a cluster,
    this one and all others that are named lie where every node sees them under the same path.
    `bounds`: of memory and threads, where no cluster is set.
    """

    name = "spark"

    def __init__(self, scratch: Path, bounds: Bounds | None = None) -> None:
        self._scratch = scratch
        self._bounds = bounds
        self._session: SparkSession | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        self._session = None
        self._stack.close()
        if failed is None:  # else the log tells why
            shutil.rmtree(self._scratch, ignore_errors=True)

    def components(self, keys: Path, edges: Path, into: Path) -> None:
        """Write the connected components, ordered by component and number: see `Engine`. Raises
        UsageError: Spark does not start, or memory or disk do not suffice.
        """
        with self._step(keys, edges) as spark:
            found = components(
                stars_of_keys(_rows(spark, keys, "number long, key long")),
                edges_of_pairs(_rows(spark, edges, "a long, b long")),
            )
            self._write(found.orderBy("component", "number"), into)

    def repeats(self, titles: Path, into: Path) -> None:
        """Write the rows of the titles of several years, ordered by title and number within a part:
        see `Engine`. Raises UsageError: as above.
        """
        from pyspark.sql import functions as sql

        columns = "title long, number long, year int, volume string, page string, unsigned boolean"
        with self._step(titles) as spark:
            rows = _rows(spark, titles, columns).where("year IS NOT NULL")
            returning = (
                rows.groupBy("title")
                .agg(sql.count_distinct("year").alias("years"))
                .where(f"years >= {YEARS}")
                .select("title")
            )
            found = rows.join(returning, "title", "left_semi").repartitionByRange("title")
            self._write(found.sortWithinPartitions("title", "number"), into)

    def finds(self, distance: int) -> bool:
        """Whether tables of blocks find what differs in so many bits."""
        return distance < TOO_FAR

    def near(self, signatures: Path, distances: Mapping[str, int], into: Path) -> int:
        """Write edges that join records of near signatures: see `FindsNear`. Raises as above."""
        passed_over = 0
        with self._step(signatures) as spark:
            rows = _rows(spark, signatures, "matcher string, number long, signature long")
            found = spark.createDataFrame([], "a long, b long")
            for matcher, distance in sorted(distances.items()):
                own = rows.where(rows.matcher == matcher).select("number", "signature")
                pairs, left_out = near_pairs(own, distance)
                found = found.union(pairs)
                passed_over += left_out
            self._write(found, into)
        return passed_over

    def judge(self, judge: Judge, chunks: Sequence[Path], into: Path, done: Done) -> None:
        """In a worker process, a task each. Raises UsageError: a worker fails; on a cluster also:
        metasearch is not installed there.
        """
        left = [str(chunk) for chunk in chunks if not (into / chunk.name).exists()]
        finished = len(chunks) - len(left)
        done(finished)
        with self._step() as spark:
            at_once = CHUNKS_A_CORE * spark.sparkContext.defaultParallelism
            for start in range(0, len(left), at_once):
                some = left[start : start + at_once]
                work = _judge_worker(judge, some, str(into))
                rows = spark.range(0, len(some), 1, numPartitions=len(some))
                with without_warnings():
                    judged = rows.mapInArrow(work, "id long")
                judged.collect()
                finished += len(some)
                done(finished)

    @contextmanager
    def _step(self, *inputs: Path) -> Iterator[SparkSession]:
        """The session, set to the size of the inputs; errors of Spark are ours."""
        if self._session is None:
            check_packages()
            self._scratch.mkdir(parents=True, exist_ok=True)
            bounds = self._bounds or Bounds()
            self._session = self._stack.enter_context(
                session(
                    self._scratch,
                    workers=bounds.threads,
                    memory=self._bounds.memory if self._bounds else None,
                )
            )
        from metasearch.bulk.staged.parts import parts_in, rows_of

        spark = self._session
        before = spark.conf.get(_PARTITIONS)
        rows = sum(rows_of(part) for folder in inputs for part in parts_in(folder))
        tasks = -(-rows // ROWS_A_TASK)
        spark.conf.set(_PARTITIONS, str(max(tasks, spark.sparkContext.defaultParallelism)))
        try:
            with own_errors(self._scratch):
                yield spark
        finally:
            spark.conf.set(_PARTITIONS, str(before))

    def _write(self, rows: DataFrame, into: Path) -> None:
        """Write the parts of a stage, in the order of the rows."""
        unfinished = into.with_name(f"{into.name}.unfinished")
        into.mkdir(parents=True, exist_ok=True)
        try:
            rows.write.mode("overwrite").parquet(_place(unfinished))
            for place, part in enumerate(sorted(unfinished.glob(PARTS))):
                part.replace(into / f"part-{place:05}.parquet")
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _rows(spark: SparkSession, folder: Path, columns: str) -> DataFrame:
    """The rows of the parts of a stage, in no order; none where there is no such folder."""
    if not folder.is_dir():
        return spark.createDataFrame([], columns)
    # Spark reads a place as a pattern.
    place = re.sub(r"([\\\[\]{}*?])", r"\\\1", _place(folder))
    return spark.read.schema(columns).option("pathGlobFilter", PARTS).parquet(place)


def _place(path: Path) -> str:
    """As Spark names it: without a scheme it would look in the file system of the cluster."""
    return f"file:{path.absolute()}"


def _judge_worker(
    judge: Judge, chunks: Sequence[str], into: str
) -> Callable[[Iterator[RecordBatch]], Iterator[RecordBatch]]:
    def work(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        from metasearch.bulk.staged import parts, pool

        for batch in batches:
            for place in batch.column(0).to_pylist():
                chunk = Path(chunks[place])
                works, passed_over = judge(parts.read_part(chunk))
                pool.keep(works, passed_over, Path(into, chunk.name))
            yield batch

    return work
