"""Known works of a project: works that its searches are expected to find, named by a person."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import orjson

from metasearch.bib import record_json
from metasearch.bib.work_ids import identifiers, read_name
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats.reading import read_bytes
from metasearch.message import message
from metasearch.record import Record
from metasearch.workspace import log
from metasearch.workspace.projects import Project
from metasearch.workspace.store.database import Database

#: Bounds: known works of a project, characters of a line.
MOST, LONGEST = 500, 1_000
#: What the records are said to come from.
SOURCE = "known"
_PMID = re.compile(r"(?:PMID:?\s*)?([1-9][0-9]{0,8})", re.IGNORECASE)
_YEAR = re.compile(r"(.+?)[\s,.]*\(?((?:1[5-9]|20)[0-9]{2})\)?[.\s]*")
_SCHEMES = frozenset({"doi", "pmid", "pmcid", "arxiv", "isbn"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWork:
    """A work that the searches are expected to find. `name`: "doi:10.1000/abc", "pmid:1", or its
    title. `record`: what is known of it; of an identifier nothing else.
    """

    id: int
    name: str
    record: Record


def of(db: Database, project: Project) -> list[KnownWork]:
    """The known works of a project, in the order in which they were added."""
    rows = db.all("SELECT * FROM known_work WHERE project = ? ORDER BY id", project.id)
    return [_known(row) for row in rows]


def add_lines(db: Database, project: Project, text: str, *, by: str = "") -> list[KnownWork]:
    """Add a work for each line: a DOI, "PMID 1" or the number alone, "pmcid:", "arxiv:" or "isbn:"
    with an identifier, or else a title, whose year may follow it. Returns those that are new; blank
    lines, and what is there already, add nothing. Raises UsageError: a line is too long or no
    identifier, or there would be too many works.
    """
    found: list[tuple[str, Record]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (line := " ".join(line.split())):
            continue
        if len(line) > LONGEST:
            raise UsageError(
                message(
                    "Line {number} has more than {most} characters", number=number, most=LONGEST
                ),
                advice=message("Write a DOI, a PMID or a title a line."),
            )
        try:
            found.append(_of_line(line))
        except ValueError as exc:
            raise UsageError(
                message("Line {number}: {reason}", number=number, reason=str(exc)),
                advice=message("Write a DOI, a PMID or a title a line."),
            ) from None
    return _added(db, project, found, by)


def add_file(
    db: Database,
    project: Project,
    content: bytes,
    name: str,
    *,
    format: str | None = None,  # noqa: A002, as --format
    encoding: str | None = None,
    by: str = "",
) -> list[KnownWork]:
    """Add the works of a bibliographic file; returns those that are new. Raises FileFormatError:
    the file cannot be read, or has no record; UsageError: there would be too many works.
    """
    reading = read_bytes(content, name, format=format, encoding=encoding)
    if not reading.entries:
        why = reading.problems[0].message if reading.problems else message("it has no record")
        raise FileFormatError(name, why)
    found = [(_name_of(one), one) for one in reading.records]
    return _added(db, project, found, by)


def remove(db: Database, project: Project, names: Sequence[str], *, by: str = "") -> None:
    """Remove known works by their names. Raises UsageError: there is none of a name; then nothing
    is removed.
    """
    with db.transaction():
        for name in dict.fromkeys(map(_plain, names)):
            row = db.one(
                "SELECT id FROM known_work WHERE project = ? AND name = ?", project.id, name
            )
            if row is None:
                raise UsageError(
                    message("There is no known work {name}", name=repr(name[:80])),
                    advice=message("Names are written as the list shows them."),
                )
            db.run("DELETE FROM known_work WHERE id = ? AND project = ?", row["id"], project.id)
            log.write(db, project.id, "remove known work", "project", name, None, by=by)


def _added(
    db: Database, project: Project, found: Iterable[tuple[str, Record]], by: str
) -> list[KnownWork]:
    with db.transaction():
        before = {known.name for known in of(db, project)}
        named = ((_plain(name), record) for name, record in found)
        new = {name: record for name, record in named if name and name not in before}
        if len(before) + len(new) > MOST:
            raise UsageError(
                message("A project has at most {most} known works", most=MOST),
                advice=message("Choose those that matter most."),
            )
        for name, record in new.items():
            body = record_json.packed(replace(record, source_id=record.source_id or name))
            db.run(
                "INSERT INTO known_work (project, name, body) VALUES (?, ?, ?)",
                project.id,
                name,
                body,
            )
        if new:
            log.write(db, project.id, "add known works", "project", None, list(new), by=by)
    return [known for known in of(db, project) if known.name in new]


def _of_line(line: str) -> tuple[str, Record]:
    """Name and record of a line. Raises ValueError: it begins as an identifier, and is none."""
    if number := _PMID.fullmatch(line):
        return _identified("pmid", number[1])
    try:
        name = read_name(line)
    except ValueError:
        if line.lower().startswith(("10.", "doi:", "http://", "https://")):
            raise
        name = ""
    scheme, _, value = name.partition(":")
    if scheme.lower() in _SCHEMES:
        return _identified(scheme.lower(), value)
    dated = _YEAR.fullmatch(line)
    title, year = (dated[1], int(dated[2])) if dated else (line, None)
    return line, Record(source=SOURCE, title=title, year=year)


def _identified(scheme: str, value: str) -> tuple[str, Record]:
    if scheme == "doi":
        return f"doi:{value}", Record(source=SOURCE, doi=value)
    if scheme == "isbn":
        return f"isbn:{value}", Record(source=SOURCE, isbn=(value,))
    return f"{scheme}:{value}", Record(source=SOURCE, ids={scheme: value})


def _name_of(record: Record) -> str:
    """What a work of a file is called: by its DOI, PMID or another identifier, else its title."""
    names = {name.partition(":")[0]: name for name in identifiers(record)}
    chosen = next((names[scheme] for scheme in ("doi", "pmid", *names) if scheme in names), "")
    title = " ".join(record.title.split())[:LONGEST]
    return chosen or (f"{title} ({record.year})" if record.year and title else title)


def _plain(text: str) -> str:
    """Without lone surrogates, which SQLite cannot keep."""
    return text.encode("utf-8", "replace").decode()


def _known(row: sqlite3.Row) -> KnownWork:
    record = record_json.unpacked(orjson.loads(row["body"]), SOURCE, 0)
    return KnownWork(id=row["id"], name=row["name"], record=record)
