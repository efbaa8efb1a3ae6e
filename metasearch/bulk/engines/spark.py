"""The joins of a staged job on Spark, on this machine or on a cluster.

On one machine it is slower than DuckDB. It is for data that already lie in a cluster, and for more
of them than one machine takes (docs/bulk-spark.md).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from metasearch.bulk.engines.duckdb_session import PARTS, Bounds
from metasearch.bulk.engines.spark_components import components, edges_of_pairs, stars_of_keys
from metasearch.bulk.engines.spark_near import TOO_FAR, near_pairs
from metasearch.bulk.engines.spark_session import check_installed, session, told, without_warnings
from metasearch.dedup.columns import YEARS

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame, SparkSession

    from metasearch.bulk.staged.engine import Done, Judge

#: Rows of the numbers of an input that one task takes.
ROWS_A_TASK = 500_000
#: Chunks a core that are handed out before progress is told.
CHUNKS_A_CORE = 4
_PARTITIONS = "spark.sql.shuffle.partitions"


class Spark:
    """An `Engine` (bulk/staged/engine.py) whose session begins with the first call and ends with
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

    def recurring(self, titles: Path, into: Path) -> None:
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
        """Judge each chunk in a worker process, a task each: see `Engine`. Raises UsageError: a
        worker fails; on a cluster also: metasearch is not installed there.
        """
        left = [str(chunk) for chunk in chunks if not (into / chunk.name).exists()]
        finished = len(chunks) - len(left)
        done(finished)
        with self._step() as spark:
            at_once = CHUNKS_A_CORE * spark.sparkContext.defaultParallelism
            for start in range(0, len(left), at_once):
                some = left[start : start + at_once]
                work = _judging(judge, some, str(into))
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
            check_installed()
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
            with told(self._scratch):
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


def _judging(
    judge: Judge, chunks: Sequence[str], into: str
) -> Callable[[Iterator[RecordBatch]], Iterator[RecordBatch]]:
    """What a worker does with the places of chunks."""

    def work(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        from metasearch.bulk.staged import parts, pool

        for batch in batches:
            for place in batch.column(0).to_pylist():
                chunk = Path(chunks[place])
                works, passed_over = judge(parts.read_part(chunk))
                pool.keep(works, passed_over, Path(into, chunk.name))
            yield batch

    return work
