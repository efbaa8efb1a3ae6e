"""Near signatures -> pairs, on DataFrames: the second job of Yu and Wang's system (DRPKP, 2014) by
the tables of Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007).

Of two signatures that differ in less bits than they have blocks, one block is equal. So a table a
block holds each signature under the value of that block, and distances are computed only between
those under one value. Where too many stand under one value, they are divided by a second block: of
the bits beside the first one, a block is equal, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metasearch.dedup.hamming import BITS, MOST_NEAR

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
    divided, crowded, passed_over = _by_size(_divided(many, distance + 1), MOST_NEAR)
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


def _divided(rows: DataFrame, blocks: int) -> DataFrame:
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
