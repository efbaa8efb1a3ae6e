"""A job over more records than memory holds: the stages of `metasearch/bulk/staged`, one after the
other; each is left out where it was done before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from metasearch.bulk.job import ROWS, Outcome, Progress
from metasearch.bulk.staged import pool, reading
from metasearch.bulk.staged.chunking import ComponentOf, Places, chunk_stage
from metasearch.bulk.staged.cutting import LARGEST, Cut, cut, read_components, write_components
from metasearch.bulk.staged.engine import Engine, FindsNear
from metasearch.bulk.staged.folder import JobFolder
from metasearch.bulk.staged.free_names import FreeNames
from metasearch.bulk.staged.judging import ChunkJudge
from metasearch.bulk.staged.key_export import KeyFolders, beside_reading, export_stage
from metasearch.bulk.staged.near import near_stage
from metasearch.bulk.staged.ordering import order_stage
from metasearch.bulk.staged.parts import clear, parts_in
from metasearch.bulk.staged.reading import ReadingOptions
from metasearch.bulk.staged.recurring import columns_stage
from metasearch.bulk.staged.rules import Rules
from metasearch.bulk.staged.work_names import name_stage, names_in
from metasearch.bulk.staged.works import StagedWorks
from metasearch.dedup.sketches import applies
from metasearch.formats.reading.inputs import STDIN, Input


def _say_nothing(_: str, __: int, ___: int) -> None:
    pass


@dataclass(frozen=True)
class StagedJob:
    """What is to be done.

    Attributes:
        stdin: What `STDIN` stands for.
        largest: Records of a component that is judged in one piece.
        version: Of the program: what one version has begun, no other one continues.
    """

    inputs: Sequence[Input]
    rules: Rules
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    workers: int = 1
    stdin: BinaryIO | None = None
    largest: int = LARGEST
    version: str = ""

    def described(self) -> dict[str, object]:
        """What shapes the outcome, as JSON has it: the same for the same job."""
        return {
            "version": self.version,
            "inputs": [_described(file) for file in self.inputs],
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


def _described(file: Input) -> list[object]:
    if file.path == STDIN:
        return [file.name]
    try:
        found = file.path.stat()
    except OSError:  # reading it says so
        return [file.name, str(file.path.absolute())]
    return [file.name, str(file.path.absolute()), found.st_size, found.st_mtime_ns]


def run(
    job: StagedJob, folder: JobFolder, engine: Engine, progress: Progress = _say_nothing
) -> tuple[Outcome, Cut]:
    """Do what is not done yet. Returns the outcome, and what was cut (without its components).
    Raises UsageError: something of the folder is damaged, or memory or disk do not suffice;
    OSError: the disk is full.
    """
    job.rules.signed  # noqa: B018, refuses strategies that cannot be run so before files are read
    path = folder.stage
    _read_stages(job, folder, progress)
    files = reading.files_of(job.inputs, path("records"))
    progress("joining keys", 0, 1)
    if not folder.done("edges"):
        distances = {signs.name: signs.distance for signs in job.rules.signed}
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
        engine.recurring(path("titles"), folder.begin("titles-of-years"))
        columns_stage(path("titles-of-years"), folder.begin("columns"))
        folder.finish("columns")
    places = Places([file.reading.count for file in files])
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
    outcome = Outcome(files, works, job.rules.versions, folder.note("works"), job.rules.strategy)
    nothing = np.empty(0, np.int64)
    return outcome, Cut(nothing, nothing, found.divided, found.cut, found.shared)


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
            beside_reading(folders, job.rules),
        )
        folder.finish("records")
    export_stage(folders, job.rules, job.workers, progress)
    for name in tables:
        folder.finish(name)


def _components_stage(job: StagedJob, folder: JobFolder, engine: Engine, places: Places) -> Cut:
    path = folder.stage
    if not folder.done("components"):
        engine.components(path("keys"), path("edges"), folder.begin("components"))
        folder.finish("components")
    if not folder.done("cut"):
        found = cut(
            read_components(path("components")),
            path("keys"),
            path("edges"),
            path("traits"),
            path("scratch"),
            engine,
            places,
            path("signatures"),
            {signs.name: signs.distance for signs in job.rules.signed},
            sketches=applies(job.rules.chain),
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
    engine: Engine,
    found: Cut,
    places: Places,
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
