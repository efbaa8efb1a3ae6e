"""A job over more records than memory holds: its folder, and its stages one after the other; each
is left out where it was done before.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson
import pyarrow as pa

from metasearch.bulk.engines import BulkEngine, FindsNear
from metasearch.bulk.job import ROWS, JobOutcome, Progress, say_nothing
from metasearch.bulk.staged import pool
from metasearch.bulk.staged import records as reading
from metasearch.bulk.staged.chunks import (
    ChunkJudge,
    ComponentOf,
    RecordPlaces,
    chunk_stage,
    name_stage,
    names_in,
)
from metasearch.bulk.staged.components import (
    LARGEST,
    JobComponents,
    cut,
    read_components,
    write_components,
)
from metasearch.bulk.staged.keys import (
    KeyFolders,
    columns_stage,
    export_beside,
    export_stage,
    near_stage,
)
from metasearch.bulk.staged.parts import DamagedPart, checksum, clear, order_stage, parts_in
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.records import FreeNames, ReadOptions
from metasearch.bulk.staged.works import StagedWorks
from metasearch.errors import UsageError
from metasearch.formats.reading.files import STDIN, Input
from metasearch.formats.text import line

_JOB = "job.json"
#: Of the tables and files in the folder; a job that another release began is not continued.
_SHAPE = 4


def user() -> int:
    """The number of the user; 0 where users have none."""
    return os.getuid() if hasattr(os, "getuid") else 0


class JobFolder:
    """Where a job keeps its stages.

    `job`: what shapes the outcome: inputs and options, as JSON has them. A job is continued only
    where it is the same. Raises UsageError: the folder is another user's, holds another job or
    other files, or holds this job and neither `resume` nor `anew` was said; OSError: it cannot be
    made.
    """

    def __init__(
        self, path: Path, job: dict[str, Any], *, resume: bool = False, anew: bool = False
    ) -> None:
        self.path = path
        shown = line(str(path))
        path.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.stat().st_uid != user():
            raise UsageError(
                f"{shown}: the folder is another user's", advice="Name one of your own with --tmp."
            )
        # What the records say is nobody else's.
        path.chmod(0o700)
        begun = self._begun(shown)
        wanted = {"shape": _SHAPE, **orjson.loads(orjson.dumps(job))}
        if begun is None:
            if any(path.iterdir()):
                raise UsageError(
                    f"--tmp {shown}: the folder holds other files",
                    advice="Name a folder that is empty or does not exist.",
                )
            self._write(_JOB, wanted)
        elif begun != wanted:
            raise UsageError(
                f"--tmp {shown}: the folder holds another job: of other files, files that have "
                f"changed since, or other options",
                advice="Name another folder, or delete this one.",
            )
        elif anew:
            self.remove()
            path.mkdir(0o700)
            self._write(_JOB, wanted)
        elif not resume:
            raise UsageError(
                f"--tmp {shown}: the folder holds this job, which was begun before",
                advice="Add --resume to continue it, or delete the folder.",
            )

    def _begun(self, shown: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = orjson.loads((self.path / _JOB).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as exc:
            raise UsageError(
                f"--tmp {shown}: {_JOB} is damaged", advice="Delete the folder and begin again."
            ) from exc
        return found

    @property
    def has_stages(self) -> bool:
        return any(path.is_dir() for path in self.path.iterdir()) if self.path.is_dir() else False

    def stage(self, name: str) -> Path:
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        return folder

    def begin(self, name: str, *, anew: bool = True) -> Path:
        """The folder of a stage that is not done: empty if `anew`, else with what was finished."""
        folder = self.stage(name)
        if anew:
            clear(folder)
        return folder

    def finish(self, name: str, note: Any = None) -> None:
        """Mark a stage as done: with the checksums of its parts, and a note."""
        folder = self.stage(name)
        parts = {path.name: checksum(path) for path in sorted(folder.iterdir()) if path.is_file()}
        self._write(f"{name}.done.json", {"parts": parts, "note": note})

    def done(self, name: str) -> bool:
        """Whether a stage was marked as done, and its parts are as they were then. Raises
        DamagedPart: one is missing, or has changed.
        """
        marker = self.path / f"{name}.done.json"
        if not marker.exists():
            return False
        for part, expected in self._marker(name)["parts"].items():
            path = self.path / name / part
            if not path.is_file():
                raise DamagedPart(path, "it is missing")
            if checksum(path) != expected:
                raise DamagedPart(path, "its checksum is another one")
        return True

    def note(self, name: str) -> Any:
        return self._marker(name)["note"]

    def _marker(self, name: str) -> dict[str, Any]:
        path = self.path / f"{name}.done.json"
        try:
            found: dict[str, Any] = orjson.loads(path.read_bytes())
        except (OSError, ValueError) as exc:
            raise DamagedPart(path, str(exc)) from exc
        return found

    def drop(self, *names: str) -> None:
        """Delete the parts of stages that nothing reads any more; they stay done."""
        for name in names:
            if (self.path / name).is_dir():
                self._write(f"{name}.done.json", {**self._marker(name), "parts": {}})
                clear(self.path / name)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _write(self, name: str, value: Any) -> None:
        path = self.path / name
        undone = path.with_name(name + ".unfinished")
        with undone.open("wb") as file:
            file.write(orjson.dumps(value))
            file.flush()
            os.fsync(file.fileno())
        undone.replace(path)


@dataclass(frozen=True)
class StagedJob:
    """What is to be done.

    Attributes:
        stdin: What `STDIN` stands for.
        largest: Records of a component that is judged in one piece.
        version: Of the program: what one version has begun, no other one continues.
    """

    inputs: Sequence[Input]
    rules: JobRules
    reading: ReadOptions = field(default_factory=ReadOptions)
    workers: int = 1
    stdin: BinaryIO | None = None
    largest: int = LARGEST
    version: str = ""

    def description(self) -> dict[str, object]:
        """What shapes the outcome, as JSON has it: the same for the same job."""
        return {
            "version": self.version,
            "inputs": [_describe_file(file) for file in self.inputs],
            "format": self.reading.format,
            "encoding": self.reading.encoding,
            "strategy": self.rules.strategy,
            "versions": self.rules.versions,
            "pins": [
                [pin.verdict, list(pin.names), pin.file, pin.line, pin.reason]
                for pin in self.rules.pins.pins
            ],
            "largest": self.largest,
        }


def _describe_file(file: Input) -> list[object]:
    if file.path == STDIN:
        return [file.name]
    try:
        found = file.path.stat()
    except OSError:  # reading it says so
        return [file.name, str(file.path.absolute())]
    return [file.name, str(file.path.absolute()), found.st_size, found.st_mtime_ns]


def run(
    job: StagedJob, folder: JobFolder, engine: BulkEngine, progress: Progress = say_nothing
) -> tuple[JobOutcome, JobComponents]:
    """Do what is not done yet. Returns the outcome, and what was cut (without its components).
    Raises UsageError: something of the folder is damaged, or memory or disk do not suffice;
    OSError: the disk is full.
    """
    job.rules.signature_matchers  # noqa: B018, refuses strategies that cannot be run so before files are read
    path = folder.stage
    _read_stages(job, folder, progress)
    files = reading.files_of(job.inputs, path("records"))
    progress("joining keys", 0, 1)
    if not folder.done("edges"):
        distances = job.rules.distances
        edges = folder.begin("edges", anew=False)
        if (
            isinstance(engine, FindsNear)
            and distances
            and all(map(engine.finds, distances.values()))
        ):
            clear(edges)
            engine.near(path("signatures"), distances, edges)
        else:
            near = path("different-signatures")
            near_stage(path("signatures"), near, edges, job.rules, job.workers, progress)
            clear(near)
        folder.finish("edges")
    if not folder.done("columns"):
        engine.repeats(path("titles"), folder.begin("titles-of-years"))
        columns_stage(path("titles-of-years"), folder.begin("columns"))
        folder.finish("columns")
    places = RecordPlaces([file.reading.count for file in files])
    found = _components_stage(job, folder, engine, places)
    rows = {n for n, file in enumerate(files) if file.reading.format == ROWS}
    names = FreeNames.of(path("records"), rows)
    _works_stage(job, folder, engine, found, places, names, progress)
    progress("naming works", 0, 1)
    if not folder.done("ordered"):
        order_stage(path("works"), folder.begin("ordered"), path("scratch"))
        folder.finish("ordered")
    if not folder.done("names"):
        name_stage(
            path("records"), path("traits"), path("ordered"), places, names, folder.begin("names")
        )
        folder.finish("names")
    works = StagedWorks.of(
        path("records"),
        path("traits"),
        path("ordered"),
        places,
        names,
        names_in(path("names")),
    )
    outcome = JobOutcome(files, works, job.rules.versions, folder.note("works"), job.rules.strategy)
    nothing = np.empty(0, np.int64)
    return outcome, JobComponents(nothing, nothing, found.divided, found.cut, found.shared)


def _read_stages(job: StagedJob, folder: JobFolder, progress: Progress) -> None:
    """Records, and what is exported of them; workers export while others still read."""
    tables = ("titles", "signatures", "traits", "keys")
    read, exported = folder.done("records"), all(map(folder.done, tables))
    if read and exported:
        return
    made = {name: folder.begin(name, anew=False) for name in tables}
    folders = KeyFolders(records=folder.begin("records", anew=False), **made)
    if not read:
        reading.read_stage(
            job.inputs,
            job.reading,
            folders.records,
            job.workers,
            job.stdin,
            progress,
            export_beside(folders, job.rules),
        )
        folder.finish("records")
    export_stage(folders, job.rules, job.workers, progress)
    for name in tables:
        folder.finish(name)


def _components_stage(
    job: StagedJob, folder: JobFolder, engine: BulkEngine, places: RecordPlaces
) -> JobComponents:
    path = folder.stage
    if not folder.done("components"):
        engine.components(path("keys"), path("edges"), folder.begin("components"))
        folder.finish("components")
    if not folder.done("cut"):
        found = cut(
            read_components(path("components")),
            job.rules,
            path,
            engine,
            places,
            largest=job.largest,
            workers=job.workers,
        )
        write_components(found, folder.begin("cut"))
        folder.finish("cut", [found.divided, found.cut, found.shared])
        folder.drop("keys", "titles", "signatures", "edges", "components")
    # Otherwise Arrow keeps what the tables of this stage took, beside processes that compare.
    pa.default_memory_pool().release_unused()
    divided, lost, shared = folder.note("cut")
    return replace(read_components(path("cut")), divided=divided, cut=lost, shared=shared)


def _works_stage(
    job: StagedJob,
    folder: JobFolder,
    engine: BulkEngine,
    found: JobComponents,
    places: RecordPlaces,
    names: FreeNames,
    progress: Progress,
) -> None:
    path = folder.stage
    if folder.done("works"):
        return
    of = ComponentOf(found.numbers, found.components)
    if not folder.done("chunks"):
        chunks = folder.begin("chunks")
        chunk_stage(path("records"), of, places, names, chunks, path("scratch"), job.workers)
        folder.finish("chunks")
    parts = parts_in(path("chunks"))
    works = folder.begin("works", anew=False)
    total = len(of.numbers)
    engine.judge(
        ChunkJudge(job.rules, path("columns")),
        parts,
        works,
        lambda done: progress("comparing records", total * done // len(parts), total),
    )
    folder.finish("works", sum(map(pool.passed_over, parts_in(works))))
    folder.drop("chunks")
