"""A file as a step: what a person has searched by hand in a database, and exported there.

It is reported as such, with its file, its date and its own numbers: databases whose terms forbid
machines are searched in this way.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from metasearch.errors import FileFormatError, UsageError, WorkspaceError
from metasearch.formats.reading import FileProblem, FileReading, read_bytes
from metasearch.message import Message, message, message_n
from metasearch.record import Record
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project, ProjectRow
from metasearch.review.runs import carriers, runs
from metasearch.review.runs.runs import PLACES, Place, Run, StoredAnswer
from metasearch.review.store.database import Database
from metasearch.review.store.values import clean_date, clean_text
from metasearch.review.strategies import steps as step_rows
from metasearch.review.strategies import strategies
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.works import intake
from metasearch.review.works.records import with_keys

#: Bounds: bytes of a file, records of it, characters of names and of a query.
MOST_BYTES, MOST_RECORDS, LONGEST_NAME, LONGEST_QUERY = 200_000_000, 200_000, 80, 20_000
#: Problems of the file that the answer lists; the others are counted.
SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileImport:
    """A file that was imported.

    Attributes:
        step: The step that it is, or is a newer version of.
        run: The run that holds its answer.
        format: One of `metasearch.formats.READABLE`; "" of an empty file.
        problems: What of the file could not be read.
        again: Whether the same file was imported into this step before.
        new: Works that it has brought.
        known: Works of its records that were in the project before.
    """

    step: Step
    run: Run
    answer: StoredAnswer
    format: str
    encoding: str
    problems: tuple[FileProblem, ...]
    again: bool
    new: int
    known: int


def import_file(
    project: Project,
    strategy: Strategy,
    content: bytes,
    name: str,
    *,
    source: str,
    searched: str,
    query: str = "",
    note: str = "",
    claimed: int | None = None,
    place: Place = "database",
    step: int | None = None,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
    check: Callable[[Project, Sequence[Record]], None] | None = None,
) -> FileImport:
    """Keep the records of a file as those of a step of its own: all of them, or nothing. It takes
    short transactions, so that others write meanwhile; see `Workspace.work`.

    The same records in another file, or the same file again, add nothing: a record keeps its key,
    which is made of what it says where the file gives no identifier. What an earlier file of the
    step had and this one lacks stays among the works.

    Args:
        content: Of the file; may be empty where `claimed` is 0, for a search that found nothing.
        source: The database, as reports shall name it: "CNKI".
        searched: The day of the search, "2026-05-03".
        claimed: How many hits the database said there are; None where that is not known.
        step: Number of the import that this file is a newer version of. None makes a step, or takes
            that of the same file and source.
        format: One of `metasearch.formats.READABLE`; detected if None.
        encoding: As Python calls it; detected if None.
        check: Is called with the records before one is kept; raises where they are too many.

    Raises:
        FileFormatError: The file cannot be read, or holds no record.
        UsageError: A text, date or number cannot be used, or the step is no import of this source.
        WorkspaceError: The workspace cannot be written. Nothing of the file is kept, or all of it
            where only its works could not be made: the next addition makes them.
    """
    source, searched = _source(source), _day(searched)
    note = _check_text(message("the note"), note, 2_000)
    query = _check_text(message("the query"), query, LONGEST_QUERY, lines=True)
    name = _check_text(message("the name of the file"), name.rpartition("/")[2], 200)
    if claimed is not None and not 0 <= claimed < 10**12:
        raise UsageError(message("{number} is no number of hits", number=claimed))
    if place not in PLACES:
        raise UsageError(
            message("There is no kind of place {place}", place=repr(place)),
            advice=message("There are {places}.", places=", ".join(PLACES)),
        )
    reading = _read(content, name, claimed, format, encoding)
    records = with_keys([replace(record, source=source) for record in reading.records])
    digest = hashlib.sha256(content).hexdigest()
    details = {
        "source": source,
        "searched": searched,
        "file": name,
        "sha256": digest,
        "by_hand": note or None,
    }
    if check is not None:
        check(project, records)
    take_back_dead(project)
    options: dict[str, Any] = {
        "sources": [source],
        "file": name,
        "sha256": digest,
        "searched": searched,
        "format": reading.format,
        "encoding": reading.encoding,
    }
    with project.db.transaction():
        found, again = _step(project.db, strategy, source, digest, query, step)
        at = found
        if at is None:
            known = {key: value for key, value in details.items() if value is not None}
            at = step_rows.add_without_query(
                project.db, strategy, "import", query, note=note, details=known, by=project.by
            )
        options["steps"] = [at.number]
        run = runs.begin(project, strategy, "import", options=options)
        answer = runs.begin_answer(
            project.db, run, at.id, source, label=source, place=place, query=at.text
        )
    try:
        kept = intake.keep_records(project, answer, _with_renewal(project.db, run, records))
        left_out = [reason for _, reason in kept.left_out]
        with project.db.transaction():  # from here on all of it is kept
            if found is not None:
                at = step_rows.edit(project.db, strategy, at.number, details=details, by=project.by)
            said = runs.finish_answer(
                project.db,
                answer,
                status="ok" if records else "empty",
                sent=at.text,
                claimed=claimed,
                fetched=len(records) - len(left_out),
                filtered=0,
                unread=reading.lost + len(left_out),
                asked_at=searched,
                notes=[*_notes(reading), *dict.fromkeys(left_out)],
            )
            project.log(
                "import file",
                f"step:{strategy.id}/{at.number}",
                None,
                {**options, "run": run.number, "records": len(records)},
            )
            run = runs.finish(project.db, run, "done")
            if run.status != "done":
                raise WorkspaceError(
                    str(project.db.path), message("the import was ended elsewhere")
                )
    except BaseException:
        _take_back(project, run)
        runs.finish(project.db, run, "stopped")
        raise
    intake.make_works(project)
    new, known_before = _works(project.db, run)
    return FileImport(
        step=at,
        run=run,
        answer=said,
        format=reading.format,
        encoding=reading.encoding,
        problems=tuple(reading.problems),
        again=again,
        new=new,
        known=known_before,
    )


def summary(project: Project, number: int) -> Message:
    """What came of the import with the number of its run. Raises UsageError: there is none."""
    run = runs.find(project, number)
    answers = runs.answers(project.db, run)
    new, known = _works(project.db, run)
    return message(
        "The file was imported as a step. Records: {records}; works that are new: {new}, known "
        "before: {known}; records that could not be read: {unread}.",
        records=f"{sum(each.fetched or 0 for each in answers):,}",
        new=f"{new:,}",
        known=f"{known:,}",
        unread=f"{sum(each.unread or 0 for each in answers):,}",
    )


def _works(db: Database, run: Run) -> tuple[int, int]:
    """The works of the records of a run: those that it found first, and the others."""
    row = db.one(
        "SELECT count(DISTINCT work.id) AS works,"
        " count(DISTINCT CASE WHEN work.first_run = ?1 THEN work.id END) AS new"
        " FROM answer JOIN finding ON finding.answer = answer.id"
        " JOIN work_record ON work_record.record = finding.record"
        " JOIN work ON work.id = work_record.work WHERE answer.run = ?1",
        run.id,
    )
    return (row["new"], row["works"] - row["new"]) if row else (0, 0)


def recover(db: Database, project: ProjectRow | None = None) -> None:
    """Bring the imports of a project, or of all, to their end whose processes are gone: those of
    which not all records were kept are taken back, and works are made of the records of others.
    What is wrong with one project leaves the others as they are.
    """
    wrong = None
    for each in projects.every(db) if project is None else [project.at(db)]:
        try:
            take_back_dead(each)
            if db.one("SELECT 1 FROM entering WHERE project = ?", each.id) is not None:
                intake.make_works(each)
        except UsageError:
            continue  # its rules cannot be used: who changes works is told why; or it is gone
        except WorkspaceError as error:
            wrong = wrong or error
    if wrong is not None:
        raise wrong


def take_back_dead(project: Project) -> None:
    """Take back a project's imports that are unfinished and whose processes are gone."""
    runs.look(project.db, project)
    for run in runs.of(project):
        if run.mode == "import" and _is_half(project.db, run):
            _take_back(project, run)
            if run.status == "interrupted":
                runs.stop(project, run.number)


def _is_half(db: Database, run: Run) -> bool:
    """Whether an import has ended and not all its records were kept: also where a person stopped it
    before its records were taken back.
    """
    if run.status == "stopped":
        brought = (
            "SELECT 1 FROM finding JOIN answer ON answer.id = finding.answer WHERE answer.run = ?"
        )
        return db.one(brought, run.id) is not None
    return run.status == "interrupted"


def _take_back(project: Project, run: Run) -> None:
    """Let an import that has not come to its end leave nothing but its run."""
    # The step goes first: by records that are left the next look knows that something is.
    for answer in runs.answers(project.db, run):
        with suppress(UsageError), project.db.transaction():
            strategy = strategies.by_id(project.db, project.id, run.strategy)
            there = any(step.number == answer.step for step in step_rows.of(project.db, strategy))
            step = "SELECT step FROM answer WHERE id = ?1"
            earlier = project.db.one(
                f"SELECT 1 FROM answer WHERE step = ({step}) AND id <> ?1",  # noqa: S608, own words
                answer.id,
            )
            if there and earlier is None:
                step_rows.remove(project.db, strategy, answer.step, by=run.by)
        intake.take_back(project.db, answer.id)


def _with_renewal(db: Database, run: Run, records: Sequence[Record]) -> Iterator[Record]:
    """The records; while they are taken, the run is shown to live."""
    renewed = time.monotonic()
    for record in records:
        if time.monotonic() - renewed > carriers.RENEWED:
            runs.renew(db, run)
            renewed = time.monotonic()
        yield record


def _read(
    content: bytes, name: str, claimed: int | None, form: str | None, encoding: str | None
) -> FileReading:
    if len(content) > MOST_BYTES:
        raise UsageError(
            message("The file has more than {most} bytes", most=f"{MOST_BYTES:,}"),
            advice=message("Import it in parts."),
        )
    if not content.strip() and claimed == 0:
        return FileReading(name, "", "utf-8")
    reading = read_bytes(content, name, format=form, encoding=encoding)
    if not reading.entries:
        why = reading.problems[0].message if reading.problems else ""
        raise FileFormatError(
            name,
            why or message("no record was found in it"),
            advice=message("Export it anew, as RIS or NBIB, or name its format."),
        )
    if len(reading.entries) > MOST_RECORDS:
        raise UsageError(
            message("The file has more than {most} records", most=f"{MOST_RECORDS:,}"),
            advice=message("Import it in parts."),
        )
    return reading


def _step(
    db: Database, strategy: Strategy, source: str, digest: str, query: str, number: int | None
) -> tuple[Step | None, bool]:
    """The step of which the import is a newer version, None where it is a new one; and whether the
    same file was imported into it before.
    """
    imports = [step for step in step_rows.of(db, strategy) if step.kind == "import"]
    if number is None:
        same = next(
            (
                step
                for step in imports
                if step.details.get("sha256") == digest and step.details.get("source") == source
            ),
            None,
        )
        if same is None:
            return None, False
        if query and query != same.text:
            raise UsageError(
                message(
                    "The file is step {number} already, with another query", number=same.number
                ),
                advice=message("Remove that step first, if its query is wrong."),
            )
        number = same.number
    old = step_rows.one(db, strategy, number)
    if old.kind != "import" or old.details.get("source") != source:
        raise UsageError(
            message("Step {number} is no import of {source}", number=number, source=source),
            advice=message("Name no step, and the file becomes a step of its own."),
        )
    return old, old.details.get("sha256") == digest


def _notes(reading: FileReading) -> list[str]:
    notes = [
        message("line {line}: {problem}", line=problem.line, problem=problem.message)
        if problem.line
        else problem.message
        for problem in reading.problems[:SHOWN]
    ]
    more = len(reading.problems) - SHOWN
    if more > 0:
        notes.append(
            message_n("{count} more problem", "{count} more problems", more, count=f"{more:,}")
        )
    return notes


def _source(source: str) -> str:
    source = _check_text(message("the name of the database"), source, LONGEST_NAME)
    if not source or ":" in source:
        raise UsageError(
            message("{name} cannot be the name of a database", name=repr(source)),
            advice=message("Write its name, such as CNKI, without a colon."),
        )
    return source


def _day(searched: str) -> str:
    try:
        return clean_date(searched)
    except UsageError as error:
        raise UsageError(
            message("The day of the search: {reason}", reason=error.message),
            advice=message("Write it as 2026-05-03."),
        ) from None


def _check_text(what: str, text: str, longest: int, *, lines: bool = False) -> str:
    try:
        return clean_text(text, longest, lines=lines)
    except UsageError as error:
        raise UsageError(message("{what}: {reason}", what=what, reason=error.message)) from None
