"""What finds, in a job that memory does not hold, which records may be one work: the joins of a
job, which need no rule of ours, done by an engine that spills to disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import pyarrow as pa


# What finds, in a job that memory does not hold, which records may be one work: the joins of a job,
# done by an engine that spills to disk. An engine knows neither records nor rules. It reads numbers
# from Parquet files and writes numbers.

#: A chunk (`schemas.CHUNKS`) -> (its works (`schemas.WORKS`), comparisons that were passed over).
#: Can be pickled.
Judge = Callable[["pa.Table"], "tuple[pa.Table, int]"]
#: Is told how many chunks are done.
Done = Callable[[int], None]


class BulkEngine(Protocol):
    """Runs the parts of a job that grow with all records.

    Folders hold Parquet parts as `schemas` has them; an input folder may be empty, or hold parts
    without rows. An engine reads only files that end in ".parquet". What it writes depends on the
    rows that it is given, and not on their order, on parts or threads. It writes each part under a
    name that does not end in ".parquet" and renames it; the job deletes what lies in an output
    folder before it calls, and marks the stage as done afterwards.
    """

    @property
    def name(self) -> str: ...

    def components(self, keys: Path, edges: Path, into: Path) -> None:
        """Write the connected components (`COMPONENTS`) of the records that share a key (`KEYS`)
        or stand in one edge (`EDGES`), each record once.

        Raises:
            UsageError: Memory or disk do not suffice.
        """

    def repeats(self, titles: Path, into: Path) -> None:
        """Write the rows (`TITLES`) of the titles that have at least `columns.YEARS` different
        years, all rows of a title one after the other in one part. Rows without a year are left
        out. `TitleFacts` decides which of them are columns.

        Raises:
            UsageError: As above.
        """

    def judge(self, judge: Judge, chunks: Sequence[Path], into: Path, done: Done) -> None:
        """Call `judge` on each chunk and write its works and what it passed over with
        `pool.keep`; chunks of which those lie in `into` already are left out. Engines that
        have no workers of their own call `pool.judge_all`.
        """


@runtime_checkable
class FindsNear(BulkEngine, Protocol):
    """An engine that also finds near signatures; for others, `near.near_stage` does."""

    def finds(self, distance: int) -> bool:
        """Whether it finds signatures that differ in so many bits."""

    def near(self, signatures: Path, distances: Mapping[str, int], into: Path) -> int:
        """Write edges (`EDGES`) that join the records of near signatures (`SIGNATURES`).

        Args:
            signatures: The stage of that name.
            distances: Name of a matcher -> bits in which near ones differ at most.
            into: For the edges.

        Returns:
            Comparisons that were not made, because too many signatures have much in common.
        """
