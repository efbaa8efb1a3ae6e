"""Runs `metasearch dedup` beyond memory: chooses the engine, keeps the folder of the job."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from metasearch.cli.output import Console
from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed
from metasearch.formats.text import line

if TYPE_CHECKING:
    from metasearch.bulk.engines import BulkEngine
    from metasearch.bulk.job import JobOutcome, Progress
    from metasearch.bulk.staged.components import JobComponents
    from metasearch.bulk.staged.stages import JobFolder, StagedJob
    from metasearch.formats.reading.files import Input

    _OfNumbers = click.ParamType[int]
else:  # older versions of click have no such types
    _OfNumbers = click.ParamType

EngineName = Literal["memory", "duckdb", "spark"]
ENGINES: tuple[EngineName, ...] = ("memory", "duckdb", "spark")
#: Records from which on duckdb is the default.
MANY = 500_000
#: Of an engine, unless `--memory-limit` says otherwise.
MEMORY = 1 << 30
MOST_WORKERS = 256
_SIZE = re.compile(r"([0-9]{1,9})\s*(K|M|G|T)i?B?", re.IGNORECASE)
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Size(_OfNumbers):
    """A size of memory, as "600MB" and "4G"."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value).strip())
        if found is None or not int(found[1]):
            self.fail(f"{str(value)[:40]!r} is no size such as 600MB or 4GB", param, ctx)
        return int(found[1]) * _UNITS[found[2].lower()]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedOptions:
    """The options of a job on disk, under their names.

    Attributes:
        engine: None chooses by the number of records.
        memory_limit: Bytes; None is `MEMORY`.
        workers: Processes; None is as many as processors.
        tmp: The folder of the job; None is one below the system's, named by files and options.
    """

    engine: EngineName | None = None
    memory_limit: int | None = None
    workers: int | None = None
    tmp: Path | None = None
    resume: bool = False

    @property
    def processes(self) -> int:
        return self.workers or min(MOST_WORKERS, os.cpu_count() or 1)

    def check(self) -> None:
        """Refuse options that the engine memory has no use for, by a UsageError."""
        given = {
            "--memory-limit": self.memory_limit,
            "--workers": self.workers,
            "--tmp": self.tmp,
            "--resume": self.resume or None,
        }
        named = [name for name, value in given.items() if value is not None]
        if named and self.engine in (None, "memory"):
            raise UsageError(
                f"{named[0]} has no effect on --engine memory",
                advice="Add --engine duckdb or --engine spark, or leave it out.",
            )


def has_duckdb() -> bool:
    return all(is_installed(name) for name in ("duckdb", "pyarrow"))


def may_be_duckdb(options: StagedOptions, inputs: Sequence[Input]) -> bool:
    """Whether duckdb takes over from memory when there are `MANY` records: it is installed, nobody
    has chosen an engine, and all can be read once more.
    """
    from metasearch.formats.reading.files import STDIN

    readable_twice = all(file.path != STDIN and file.path.is_file() for file in inputs)
    return options.engine is None and readable_twice and has_duckdb()


@contextmanager
def staged_works(
    job: StagedJob, options: StagedOptions, progress: Progress, console: Console
) -> Iterator[JobOutcome]:
    """The outcome of a job on disk, which can be used in the block; its folder is removed behind
    it, unless it was named with --tmp and --resume, or the block fails. Raises UsageError: packages
    are missing, or the folder cannot be used; OSError: the disk is full.
    """
    from metasearch.bulk.staged import pool
    from metasearch.bulk.staged.stages import run

    job.rules.signature_matchers  # noqa: B018, refuses a strategy before a folder is made
    folder = _folder(job, options)
    try:
        with _engine(job, options, folder) as engine, pool.keep_workers(job.workers):
            outcome, cut = run(job, folder, engine, progress)
        if not console.quiet:
            _say_what_was_cut(cut, console)
        yield outcome
    except (click.exceptions.Exit, BrokenPipeError):  # there is nothing to go on with
        _end(folder, options)
        raise
    except BaseException:
        if not folder.has_stages:
            folder.remove()
        else:
            place = "" if options.tmp is None else f" --tmp {line(str(options.tmp))}"
            console.say(
                f"what was done is kept: the same command with{place} --resume continues it"
            )
        raise
    _end(folder, options)


def _say_what_was_cut(cut: JobComponents, console: Console) -> None:
    if cut.divided:
        console.say(
            f"{cut.divided:,} records hang together by keys that many share; they were compared in "
            f"groups of those that may be one work, and where very many share a key, with more of "
            f"them than --engine memory compares"
        )
    if cut.cut:
        console.say(
            f"{cut.cut:,} records hang together by more than that; they were compared with those "
            f"only that share {'a key' if cut.shared == 1 else f'{cut.shared} keys'} of few "
            f"records, or an identifier",
            "yellow",
        )


def _end(folder: JobFolder, options: StagedOptions) -> None:
    if options.tmp is None or not options.resume:
        folder.remove()


def _folder(job: StagedJob, options: StagedOptions) -> JobFolder:
    import orjson

    from metasearch.bulk.staged.stages import JobFolder, user

    described = job.description()
    if options.tmp is not None:
        return JobFolder(options.tmp, described, resume=options.resume)
    digest = hashlib.blake2b(orjson.dumps(described), digest_size=8).hexdigest()
    path = Path(tempfile.gettempdir(), f"metasearch-dedup-{user()}-{digest}")
    return JobFolder(path, described, resume=options.resume, anew=not options.resume)


@contextmanager
def _engine(job: StagedJob, options: StagedOptions, folder: JobFolder) -> Iterator[BulkEngine]:
    from metasearch.bulk.engines.duckdb import Bounds

    bounds = Bounds(memory=options.memory_limit or MEMORY, threads=job.workers)
    if options.engine == "spark":
        _require("pyspark", "spark")
        from metasearch.bulk.engines.spark import Spark

        with Spark(folder.path / "spark", bounds) as spark:
            yield spark
        return
    _require("duckdb", "bulk")
    from metasearch.bulk.engines.duckdb import DuckDB

    yield DuckDB(folder.path / "duckdb", bounds)


def require_packages() -> None:
    _require("pyarrow", "bulk")


def _require(package: str, extra: str) -> None:
    if not is_installed(package):
        raise UsageError(
            f"this engine needs packages that are not installed: {package}",
            advice=f"{how_to_install(extra)} Or use --engine memory.",
        )
