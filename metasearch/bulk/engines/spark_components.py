"""Keys and near pairs -> components, on DataFrames.

A block of n records that share a key gives n - 1 edges, each record with the block's smallest one.
Then large-star and small-star, by turns, until nothing changes: Kiveris, Lattanzi, Mirrokni,
Rastogi and Vassilvitskii, "Connected components in MapReduce and beyond" (SoCC 2014), who show
O(log^2 n) rounds. A row (number, other) is an edge from a record to one of a smaller number.

No step collects a group in one place: a key that all records share, and a record that is the centre
of all, are aggregated and joined, which Spark divides where they are large.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def stars_of_keys(keys: DataFrame) -> DataFrame:
    """The edges of blocks. `keys`: rows (number, key)."""
    from pyspark.sql import functions as sql

    blocks = (
        keys.groupBy("key")
        .agg(sql.min("number").alias("other"), sql.max("number").alias("last"))
        .where("other < last")
        .select("key", "other")
    )
    return keys.join(blocks, "key").where("number > other").select("number", "other").distinct()


def edges_of_pairs(pairs: DataFrame) -> DataFrame:
    """The edges of pairs in whatever order. `pairs`: rows (a, b)."""
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
