"""One DuckDB database for one step of a job: bounded in memory, threads and disk.

DuckDB (https://duckdb.org) runs inside this process. What does not fit into `Bounds.memory` it
writes to a scratch folder, which is removed at the end.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metasearch.errors import UsageError
from metasearch.extras import how_to_install

if TYPE_CHECKING:
    import duckdb

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


class Session:
    """A database in a folder of its own; see `session`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, scratch: Path) -> None:
        self._connection = connection
        self._scratch = scratch

    def run(self, statement: str) -> None:
        """Run one statement."""
        with _told(self._scratch):
            self._connection.execute(statement)

    def row(self, statement: str) -> tuple[Any, ...]:
        """The one row of an answer."""
        with _told(self._scratch):
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
            f"COPY ({query}) TO {quoted(str(unfinished))}"
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
        return f"read_parquet({quoted(f'{named}/{PARTS}')}, hive_partitioning = false)"
    nulls = ", ".join(
        f"CAST(NULL AS {kind}) AS {name}"
        for name, kind in (column.split(" ", 1) for column in columns)
    )
    return f"(SELECT {nulls} WHERE false)"


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def session(scratch: Path, bounds: Bounds) -> Iterator[Session]:
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
        with _told(scratch):
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
            db = Session(connection, scratch)
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
def _told(scratch: Path) -> Iterator[None]:
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
        raise _failed(exc) from exc
    except duckdb.Error as exc:
        raise _failed(exc) from exc


def _disk_full(scratch: Path) -> UsageError:
    return UsageError(
        f"{scratch}: there is no more room on the disk",
        advice="Name a folder on a larger disk with --tmp, or allow more with --memory-limit.",
    )


def _failed(exc: Exception) -> UsageError:
    reason = str(exc).partition("\n")[0]
    return UsageError(
        f"DuckDB cannot go on: {reason}",
        advice="If it names a damaged file, begin the job anew without --resume.",
    )
