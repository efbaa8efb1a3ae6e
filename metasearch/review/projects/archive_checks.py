"""An archive that somebody else may have made: what is in it is checked before any of it is used,
and each member while it is read.
"""

from __future__ import annotations

import base64
import binascii
import errno
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast, get_args

import orjson

from metasearch import regular_files
from metasearch.adapters.spec import DIRECTIONS
from metasearch.bib import record_json
from metasearch.errors import UsageError
from metasearch.events import Status
from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Verdict
from metasearch.review.projects import projects, shapes
from metasearch.review.projects.archive_format import (
    FORMAT,
    MANIFEST,
    PAGE,
    TABLES,
    VERSION,
    ArchiveColumns,
    table_member,
)
from metasearch.review.projects.shapes import (
    Shape,
    anything,
    either,
    list_of,
    maybe,
    moment,
    number,
    object_of,
    one_of,
    row_of,
    table_of,
    text,
    whole,
    yes_or_no,
)
from metasearch.review.runs import other_sources
from metasearch.review.store.values import is_uid
from metasearch.review.strategies import strategies
from metasearch.review.works.works import LONGEST_REASON, VERDICTS

#: Bounds: bytes of the archive, of all its members, of its manifest; of a line, of one of a table
#: without long texts, of a page; members; rows; and how much larger a member of some size may be
#: than it is packed.
MOST_PACKED, MOST_BYTES, MOST_MANIFEST = 4 << 30, 32 << 30, 64 << 20
MOST_LINE, MOST_SHORT_LINE, MOST_PAGE = 64 << 20, 1 << 17, 256 << 20
MOST_MEMBERS, MOST_ROWS = 200_000, 50_000_000
MOST_RATIO, FREE_RATIO = 200, 1 << 20
_TABLES = {table_member(table.name): table.name for table in TABLES}
_LONG = {table.name: table.long for table in TABLES}
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    name: str
    bytes: int
    sha256: str
    rows: int | None


def wrong(place: str, reason: str) -> UsageError:
    """The error for an archive that cannot be used, with the place in it."""
    return UsageError(
        message("the archive cannot be imported: {place}: {reason}", place=place, reason=reason),
        advice=message(
            "Export the project once more, and check that the file was copied as a whole. Nothing "
            "was imported."
        ),
    )


class Archive:
    """An archive whose names, sizes and manifest were checked. `manifest`: as JSON. `rows`: table
    -> how many rows the manifest says it has.
    """

    def __init__(self, file: zipfile.ZipFile, digest: str, largest: int) -> None:
        self._zip = file
        self.digest = digest
        _check_names(file, largest)
        self.manifest = self._manifest()
        self._members = {member.name: member for member in self._read_members()}
        self.bytes = sum(info.file_size for info in file.infolist())
        self.rows = {
            table: self._members[name].rows or 0
            for name, table in _TABLES.items()
            if name in self._members
        }
        self.pages = sorted(name for name in self._members if PAGE.fullmatch(name))

    def lines(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a table with the numbers of their lines, from 1; none where the archive does
        not have it. Raises UsageError: a line is no JSON object or too long, or the member is not
        what the manifest says.
        """
        name = table_member(table)
        if name not in self._members:
            return
        member = self._members[name]
        number = 0
        with self._open_member(member) as file:
            most = MOST_LINE if _LONG[table] else min(MOST_LINE, MOST_SHORT_LINE)
            while line := file.readline(most + 1):
                number += 1
                place = f"{name}, line {number}"
                if len(line) > most:
                    raise wrong(place, message("it is longer than {most} bytes", most=most))
                try:
                    row = orjson.loads(line)
                except ValueError as exc:  # orjson's error, which also tells of depth
                    raise wrong(place, message("it is no JSON")) from exc
                if not isinstance(row, dict):
                    raise wrong(place, message("it is no JSON object"))
                yield number, row
        if number != member.rows:
            raise wrong(
                name,
                message(
                    "it has {count} lines, and the manifest says {rows}",
                    count=number,
                    rows=member.rows,
                ),
            )

    def page(self, name: str) -> bytes:
        """A recorded file. Raises UsageError: it is not what the manifest says, or too large."""
        if self._members[name].bytes > MOST_PAGE:
            raise wrong(name, message("it is larger than {most} bytes", most=MOST_PAGE))
        with self._open_member(self._members[name]) as file:
            return file.read()

    def _manifest(self) -> Mapping[str, Any]:
        try:
            info = self._zip.getinfo(MANIFEST)
        except KeyError:
            raise wrong(MANIFEST, message("it is not there")) from None
        if info.file_size > MOST_MANIFEST:
            raise wrong(MANIFEST, message("it is larger than {most} bytes", most=MOST_MANIFEST))
        with _as_archive_errors(MANIFEST), self._zip.open(info) as file:
            content = file.read(MOST_MANIFEST + 1)
        try:
            found = orjson.loads(content)
        except ValueError as exc:
            raise wrong(MANIFEST, message("it is no JSON")) from exc
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise wrong(MANIFEST, message("it is not that of a project"))
        if type(found.get("version")) is not int or type(found.get("tables")) is not int:
            raise wrong(MANIFEST, message("it names no version"))
        if found["version"] > VERSION:
            raise UsageError(
                message(
                    "the archive has version {version}, and this program reads versions up to "
                    "{own}",
                    version=found["version"],
                    own=VERSION,
                ),
                advice=message("Use the newer release of metasearch that has written it."),
            )
        return found

    def _read_members(self) -> Iterator[ArchiveMember]:
        """The members of the manifest, which are those of the archive."""
        found = self.manifest.get("members")
        if not isinstance(found, list):
            raise wrong(MANIFEST, message("it lists no members"))
        names = set()
        rows = 0
        for one in found:
            member = _member(one)
            if member.name in names:
                raise wrong(MANIFEST, message("{name} is there twice", name=member.name))
            names.add(member.name)
            rows += member.rows or 0
            yield member
        held = {info.filename for info in self._zip.infolist()} - {MANIFEST}
        if held != names:
            other = min(held ^ names)
            raise wrong(other, message("it is only in the manifest, or only beside it"))
        if rows > MOST_ROWS:
            raise wrong(MANIFEST, message("there are more than {most} rows", most=MOST_ROWS))

    @contextmanager
    def _open_member(self, member: ArchiveMember) -> Iterator[BinaryIO]:
        """A member, which is compared with the manifest when it was read to its end."""
        with _as_archive_errors(member.name):
            raw = _DigestReader(self._zip.open(member.name))
            with cast("BinaryIO", io.BufferedReader(raw, 1 << 16)) as file:
                yield file
                while file.read(1 << 16):
                    pass
        if (raw.bytes, raw.digest.hexdigest()) != (member.bytes, member.sha256):
            raise wrong(member.name, message("it is not what the manifest says: it was changed"))


def size_of(path: Path, largest: int | None = None) -> tuple[int, int]:
    """(records, bytes of all members unpacked) of an archive, by its manifest, which the rest is
    compared with when it is read. Raises UsageError: it is no archive, or none that may be read.
    """
    with open_archive(path, largest, digested=False) as archive:
        return archive.rows.get("record", 0), archive.bytes


@contextmanager
def open_archive(
    path: Path, largest: int | None = None, *, digested: bool = True
) -> Iterator[Archive]:
    """An archive on disk, with its names, sizes and manifest checked.

    `largest`: bytes that its members may have together; None takes `MOST_BYTES`. `digested`:
    whether its SHA-256 is computed, which reads all of it. Raises UsageError: it is no archive, or
    none that may be read.
    """
    try:
        file = regular_files.open_regular(path)
    except (OSError, ValueError) as exc:
        raise UsageError(
            message("{file} cannot be read: {reason}", file=path, reason=regular_files.why(exc)),
            advice=message("Check the name of the file."),
        ) from exc
    with file:
        size = file.seek(0, io.SEEK_END)
        if size > MOST_PACKED:
            raise wrong(path.name, message("it is larger than {most} bytes", most=MOST_PACKED))
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest() if digested else ""
        file.seek(0)
        try:
            archive = zipfile.ZipFile(file)
        except _BROKEN as exc:
            raise wrong(path.name, message("it is no zip file")) from exc
        with archive:
            yield Archive(archive, digest, MOST_BYTES if largest is None else largest)


def _check_names(file: zipfile.ZipFile, largest: int) -> None:
    infos = file.infolist()
    if len(infos) > MOST_MEMBERS:
        raise wrong("", message("it has more than {most} members", most=MOST_MEMBERS))
    names = set()
    total = 0
    for info in infos:
        name = info.filename
        if name != MANIFEST and name not in _TABLES and not PAGE.fullmatch(name):
            raise wrong(repr(name[:80]), message("such a member is not known"))
        if name in names:
            raise wrong(name, message("it is there twice"))
        names.add(name)
        if info.flag_bits & 0x1:
            raise wrong(name, message("it is encrypted"))
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise wrong(name, message("it is packed in a way that is not known"))
        total += info.file_size
        if info.file_size > FREE_RATIO and info.file_size > MOST_RATIO * info.compress_size:
            raise wrong(
                name, message("it is more than {most} times as large as packed", most=MOST_RATIO)
            )
    if total > largest:
        raise wrong("", message("its members are larger than {most} bytes", most=largest))


def _member(found: object) -> ArchiveMember:
    if not isinstance(found, dict):
        raise wrong(MANIFEST, message("a member is no object"))
    name, size, digest, rows = (found.get(key) for key in ("name", "bytes", "sha256", "rows"))
    is_table = isinstance(name, str) and name in _TABLES
    if (
        not isinstance(name, str)
        or type(size) is not int
        or not isinstance(digest, str)
        or (type(rows) is not int if is_table else rows is not None)
        or (isinstance(rows, int) and rows < 0)
    ):
        raise wrong(MANIFEST, message("the member {name} is not described", name=repr(name)[:80]))
    return ArchiveMember(name, size, digest, rows)


@contextmanager
def _as_archive_errors(name: str) -> Iterator[None]:
    """What zipfile raises inside, as an error of the archive."""
    try:
        yield
    except _BROKEN as exc:
        raise wrong(name, message("it cannot be unpacked: {reason}", reason=str(exc))) from exc
    except OSError as exc:
        if exc.errno != errno.EINVAL:  # zipfile looks for a member before the file's beginning
            raise
        raise wrong(name, message("it cannot be unpacked: {reason}", reason=str(exc))) from exc


class _DigestReader(io.RawIOBase):
    """A member whose bytes are counted and digested as they are read."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.bytes = 0
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        content = self._inner.read(len(buffer))
        buffer[: len(content)] = content
        self.bytes += len(content)
        self.digest.update(content)
        return len(content)

    def close(self) -> None:
        self._inner.close()
        super().close()


# Checks the values of an archive's rows: the rest of the program reads what stands in a workspace
# without doubting it. What only SQL can say (kinds, rows that are there twice) the tables check
# themselves.

#: Columns that hold a moment, in whichever table.
_MOMENTS = frozenset(
    {"created", "edited", "started", "ended", "asked_at", "added", "at", "tried", "frozen"}
)
_ANY = object_of({}, {}, anything)
_SENT = maybe(either(text(), list_of(row_of(text(), text()))))
_OPTIONS = object_of(
    {},
    {
        "steps": maybe(list_of(whole())),
        "sources": maybe(list_of(text(1_000))),
        "per_source": maybe(whole()),
        "years": maybe(text(100)),
        "timeout": maybe(number),
        "follows": maybe(whole()),
        "file": maybe(text()),
        "searched": maybe(text(100)),
        "seeds": maybe(list_of(text(2_000))),
    },
    anything,
)
_NUMBERS = object_of(
    {},
    {
        "last_run_id": maybe(whole()),
        "other": list_of(object_of({"id": whole()}, {}, anything)),
        "previous": maybe(
            object_of({}, {"run": maybe(whole()), "other_sources": list_of(whole())}, anything)
        ),
    },
    anything,
)
#: (table, column) -> the shape of its JSON.
JSON: Mapping[tuple[str, str], Shape] = {
    ("project", "details"): _ANY,  # `projects.check` knows the answers
    ("strategy", "sources"): shapes.SOURCES,
    ("strategy", "details"): shapes.STRATEGY_DETAILS,
    ("step", "details"): shapes.STEP_DETAILS,
    ("run", "options"): _OPTIONS,
    ("answer", "requests"): list_of(
        object_of({}, {"method": text(100), "url": text(), "body": _SENT}, anything)
    ),
    ("answer", "notes"): list_of(text()),
    ("finding", "links"): list_of(row_of(one_of(*DIRECTIONS), text(2_000))),
    ("other_source", "details"): _ANY,  # `other_sources.check`
    ("joined_work", "state"): shapes.STATE,
    ("report", "data"): object_of(
        {},
        {"title": text(), "language": text(100), "draft": yes_or_no, "numbers": _NUMBERS},
        anything,
    ),
    ("resolution", "votes"): list_of(row_of(is_uid, one_of(*VERDICTS), text(LONGEST_REASON))),
    ("work_check", "differences"): list_of(
        object_of(
            {
                **dict.fromkeys(("field", "written", "found", "source", "why"), text()),
                "serious": yes_or_no,
            }
        )
    ),
    ("work_check", "asked"): list_of(
        object_of(
            {
                **dict.fromkeys(("source", "label", "status"), text()),
                "by": list_of(text()),
                "error": maybe(text()),
            }
        )
    ),
    ("change", "before"): anything,
    ("change", "after"): anything,
}
#: What a text for people was made of, which is read with doubts.
_MESSAGE = {"message": anything}
#: Of a hit, beside its records.
_HIT = object_of(
    {
        "id": text(),
        "record": _ANY,
        "records": list_of(_ANY),
        "provenance": table_of(text(), text()),
        "score": number,
        "rank": whole(),
        "also": list_of(text()),
    },
    {
        "shape": whole(),
        "matches": list_of(
            object_of(
                {
                    "matcher": text(),
                    "verdict": one_of(*get_args(Verdict)),
                    "score": number,
                    "because": text(),
                    "left": text(),
                    "right": text(),
                },
                _MESSAGE,
            )
        ),
        "versions": list_of(object_of({"kind": text(), "records": list_of(text())}, _MESSAGE)),
        "reasons": list_of(
            object_of({"text": text(), "points": number}, {"source": maybe(text()), **_MESSAGE})
        ),
    },
)
_PLAIN = frozenset({str, int, float, bytes, type(None)})
_STATUSES = frozenset(get_args(Status))


class ArchiveRows:
    """Checks the rows of one table. `present`: those that the archive has: the keys of its first
    row. Raises UsageError: a column is not known, or lacking; with the place.
    """

    def __init__(
        self, table: str, shape: ArchiveColumns, present: Iterable[str], place: str
    ) -> None:
        self._keys = frozenset(present)
        known = frozenset(shape.names)
        if not self._keys <= known:
            name = min(map(str, self._keys - known))
            raise wrong(place, message("there is no column {name}", name=repr(name[:80])))
        self._complete(shape.required - self._keys, place)
        self._blobs = sorted(shape.blobs & self._keys)
        self._moments = sorted(_MOMENTS & self._keys)
        self._json = [(name, JSON[table, name]) for name in known if (table, name) in JSON]
        self._json = [(name, shape) for name, shape in self._json if name in self._keys]
        self._check = _CHECKS.get(table)

    def read(self, row: dict[str, Any], place: str) -> dict[str, Any]:
        """The row, with bytes where the workspace has bytes. Raises UsageError: a value cannot be;
        with the place.
        """
        if row.keys() != self._keys:
            self._complete(self._keys - row.keys(), place)
            raise wrong(place, message("it has other columns than the first line"))
        for name in self._blobs:
            row[name] = _bytes(row[name], f"{place}, {name}")
        if not _PLAIN.issuperset(map(type, row.values())):
            name = next(name for name in row if type(row[name]) not in _PLAIN)
            raise wrong(f"{place}, {name}", message("it is no text and no number"))
        for name in self._moments:
            if row[name] is not None and not moment(row[name]):
                raise wrong(f"{place}, {name}", message("it is no moment as 2026-11-23T05:40:00Z"))
        for name, shape in self._json:
            _json(row[name], shape, f"{place}, {name}")
        if row.get("by", "") and not is_uid(row["by"]):
            raise wrong(f"{place}, by", message("it is the uid of no user"))
        if self._check is not None:
            try:
                self._check(row)
            except (ValueError, TypeError, KeyError) as exc:
                raise wrong(place, str(exc) or type(exc).__name__) from exc
        return row

    @staticmethod
    def _complete(lacking: AbstractSet[str], place: str) -> None:
        if lacking:
            raise wrong(place, message("the column {name} is not there", name=min(lacking)))


def _bytes(value: Any, place: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except binascii.Error:
            pass
    raise wrong(place, message("it is no text and no base64"))


def _json(value: Any, shape: Shape, place: str) -> None:
    try:
        found = orjson.loads(value)
    except (ValueError, TypeError) as exc:
        raise wrong(place, message("it is no JSON")) from exc
    if not shape(found):
        raise wrong(place, message("it is other JSON than metasearch writes there"))


def _record(values: Mapping[str, Any]) -> None:
    if hashlib.sha256(values["body"]).hexdigest() != values["digest"]:
        raise ValueError("the record is not the one of its digest")
    record_json.record_from_json(orjson.loads(values["body"]), values["source"], 0)


def _report(values: Mapping[str, Any]) -> None:
    if hashlib.sha256(values["document"].encode()).hexdigest() != values["digest"]:
        raise ValueError("the report is not the one of its digest")


def _check_known_work(values: Mapping[str, Any]) -> None:
    record_json.record_from_json(orjson.loads(values["body"]), "known", 0)


def _answer(values: Mapping[str, Any]) -> None:
    if values["status"] not in _STATUSES:
        raise ValueError("there is no such status")


def _uid(values: Mapping[str, Any]) -> None:
    if not is_uid(values["uid"]):
        raise ValueError("the uid is none of metasearch")


def _project(values: Mapping[str, Any]) -> None:
    _uid(values)
    try:
        projects.check(orjson.loads(values["details"]))
    except UsageError as exc:
        raise ValueError(exc.message) from exc


def _other_source(values: Mapping[str, Any]) -> None:
    try:
        other_sources.check(values["kind"], values["name"], values["details"])
    except UsageError as exc:
        raise ValueError(exc.message) from exc


def _strategy(values: Mapping[str, Any]) -> None:
    if not 1 <= values.get("number", 1) <= strategies.MOST_STRATEGIES:
        raise ValueError("there is no such number of a strategy")
    try:
        strategies.check_years(values.get("years", ""))
        strategies.check_note(values.get("note", ""))
    except UsageError as exc:
        raise ValueError(exc.message) from exc


def _work_body(values: Mapping[str, Any]) -> None:
    hits.read(values["hit"])
    kept = orjson.loads(values["hit"])
    if not _HIT(kept):
        raise ValueError("a hit is not as metasearch writes it")
    for one in (kept["record"], *kept["records"]):
        if not isinstance(one.get("source", ""), str):
            raise ValueError("a source is no text")
        record_json.record_from_json(one, one.get("source", ""), 0)


def _change(values: Mapping[str, Any]) -> None:
    before, after = (orjson.loads(values.get(name, "null")) for name in ("before", "after"))
    if not shapes.fits(values["action"], values["object"], before, after):
        raise ValueError("a line of the log is not as metasearch writes it")


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "project": _project,
    "strategy": _strategy,
    "other_source": _other_source,
    "answer": _answer,
    "record": _record,
    "work": _uid,
    "work_body": _work_body,
    "joined_work": _uid,
    "known_work": _check_known_work,
    "report": _report,
    "change": _change,
}
