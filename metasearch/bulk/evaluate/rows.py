"""The rows of labelled sets: lines of JSON -> records, for an evaluation and for `metasearch
dedup`.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from metasearch import regular_files
from metasearch.bib import converters, identifiers, numbering, texts
from metasearch.bib.bylines import people_in
from metasearch.bib.texts import FIELDS_OF_NOTHING, plain, says_nothing, strings
from metasearch.bulk.job import ROWS
from metasearch.errors import FileFormatError, UsageError
from metasearch.formats import READABLE, bibtex_entry
from metasearch.formats.reading import FileReading, HandOut, most_bytes, values, worktypes
from metasearch.formats.reading.encodings import FileEncoding, FileText
from metasearch.formats.reading.files import STDIN, Input, content_of
from metasearch.formats.reading.items import load
from metasearch.formats.reading.result import TELLING, Entry, EntryCollector
from metasearch.record import TYPES, Author, Record, new_record

# Files with a JSON object a line, compressed or not; mistakes are told with file and line.

#: Longest line that is read, in bytes.
LONGEST_LINE = 16_000_000
#: Bytes of a file, unpacked.
MOST_BYTES = 4_000_000_000

Row = Mapping[str, Any]


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """("file:line", object) of each line that is not empty. Raises UsageError: a line is no object,
    or too long; or the file is damaged.
    """
    number = size = 0
    try:
        with (
            regular_files.open_regular(path) as file,
            gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file as stream,
        ):
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                size += len(line)
                where = f"{path}:{number}"
                if size > MOST_BYTES:
                    raise UsageError(
                        f"{where}: the file is larger than {MOST_BYTES:,} bytes, unpacked"
                    )
                if len(line) > LONGEST_LINE:
                    raise UsageError(f"{where}: the line is longer than {LONGEST_LINE:,} bytes")
                if line.strip():
                    yield where, _object(line, where)
    except (gzip.BadGzipFile, EOFError, zlib.error) as exc:
        raise UsageError(f"{path}:{number + 1}: the compressed file is damaged: {exc}") from exc
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {regular_files.why(exc)}") from exc


def identifier(value: Any, where: str, key: str) -> str:
    """A string or a whole number, as a string. Raises UsageError: anything else, or empty."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UsageError(f"{where}: {key} is {value!r}; expected a string or a whole number")
    return str(value)


def _object(line: bytes, where: str) -> Row:
    try:
        # Not orjson, which refuses a lone surrogate; what is not fit to be shown is taken out when
        # a row is read.
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise UsageError(f"{where}: is not UTF-8: {exc.reason} at byte {exc.start}") from exc
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{where}: is no JSON: {exc}") from exc
    if not isinstance(row, dict):
        raise UsageError(f"{where}: expected an object, found {type(row).__name__}")
    return row


# One row of a labelled set -> `Record`: the schema's keys, and a count of the unreadable.

#: Words for a type that say nothing about the work.
NO_TYPES = frozenset("misc unpublished generic gen document unknown".split())
_HYPHENS = re.compile(r"--+")


def _pages(found: Any) -> str | None:
    return numbering.page_range([_HYPHENS.sub("-", value) for value in strings(found)])


def _language(found: Any) -> str | None:
    return texts.language([value.replace("_", "-") for value in strings(found)])


#: Key of a row -> field of a record, and the converter that reads it.
FIELDS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "title": ("title", texts.text),
    "subtitle": ("subtitle", texts.text),
    "titles": ("titles", texts.text_list),
    "year": ("year", converters.year),
    "date": ("date", converters.date),
    "container": ("venue", texts.text),
    "journal": ("venue", texts.text),
    "publisher": ("publisher", texts.text),
    "institution": ("publisher", texts.text),
    "edition": ("edition", texts.text),
    "volume": ("volume", texts.text),
    "issue": ("issue", texts.text),
    "pages": ("pages", _pages),
    "doi": ("doi", identifiers.first_doi),
    "url": ("url", identifiers.first_url),
    "abstract": ("abstract", texts.abstract),
    "lang": ("language", _language),
    "keywords": ("keywords", texts.text_list),
}
#: Keys that are identifiers of the work, and their schemes.
IDS: Mapping[str, Callable[[Any], str | None]] = {
    "pmid": identifiers.identifier,
    "pmcid": identifiers.pmcid,
    "arxiv": identifiers.arxiv,
}
#: What EndNote writes where others have the address of a record of Web of Science: "<Go to
#: ISI>://WOS:000123456700001".
_GO_TO = "<Go to ISI>://"
#: Keys that are read by rules of their own.
OTHERS = frozenset({"id", "source", "authors", "authors_raw", "author", "type", "isbn", "issn"})
#: Keys that the schema does not have, and rows that could not be read, of which so many are named.
MOST_NAMED = 8
#: Characters of a reason that is told: it may quote the row.
LONGEST_REASON = 300


class LabelledRowReader:
    """Reads rows, counts failures. `name`: of the set; the `source` where a row names none."""

    def __init__(self, name: str, own: Collection[str] = ()) -> None:
        self.name = name
        self._passed = OTHERS | set(own)
        #: Rows that could not be read.
        self.failed = 0
        self._failures: list[str] = []
        #: Keys that the schema does not have -> rows that hold one.
        self.unknown: Counter[str] = Counter()
        #: Key -> values that are empty after reading although the row had one.
        self.unread: Counter[str] = Counter()
        #: Key -> the first such value.
        self.examples: dict[str, str] = {}

    def record(self, row: Row, where: str) -> Record:
        """The record of a row, as `read`; one with nothing but the row's id where that raises.

        The row keeps its place, because the truth of the set names it: it counts as a record that
        nobody finds twins of. A note tells of it. `where`: "file:line", for the note.
        """
        try:
            return self.read(row)
        except MemoryError:  # no fault of the row's
            raise
        except Exception as exc:
            self.failed += 1
            if self.failed <= MOST_NAMED:
                why = f"{type(exc).__name__}: {exc}"[:LONGEST_REASON]
                self._failures.append(
                    f"{where}: the row could not be read and counts as an empty record: {why}"
                )
            return Record(source=self.name, source_id=str(row["id"]))

    def read(self, row: Row) -> Record:
        """The record of a row; its `source_id` is the row's id."""
        fields: dict[str, Any] = {}
        ids: dict[str, str] = {}
        for key, value in row.items():
            if value is None or value in ("", [], {}):
                continue
            if key == "url":
                numbers = [
                    link.removeprefix(_GO_TO) for link in strings(value) if link.startswith(_GO_TO)
                ]
                ids |= values.identifiers(numbers, strings(value))
                if numbers:
                    continue
            if key in FIELDS:
                name, read = FIELDS[key]
                read_value = read(value)
                if read_value and name not in fields:
                    fields[name] = read_value
                elif not read_value or read_value != fields[name]:
                    self._miss(key, value)
            elif key in IDS:
                identifier = IDS[key](value)
                if identifier:
                    ids[key] = identifier
                else:
                    self._miss(key, value)
            elif key not in self._passed:
                self.unknown[key] += 1
        fields["isbn"], fields["issn"] = self._numbers(row)
        return new_record(
            source=texts.plain(str(row.get("source") or "")) or self.name,
            source_id=str(row["id"]),
            authors=self._authors(row),
            type=self._type(row.get("type")),
            ids=ids,
            **fields,
        )

    def notes(self) -> Iterator[str]:
        yield from self._failures
        if self.failed > len(self._failures):
            yield f"{self.failed - len(self._failures):,} more rows could not be read"
        if self.unknown:
            named = [f"{key!r} ({count:,} rows)" for key, count in sorted(self.unknown.items())]
            more = [f"{len(named) - MOST_NAMED:,} more"] if len(named) > MOST_NAMED else []
            yield f"keys that are not read: {', '.join(named[:MOST_NAMED] + more)}"
        for key, count in sorted(self.unread.items()):
            yield (
                f"{count} values of {key!r} could not be read, the first is {self.examples[key]!r}"
            )

    def _miss(self, key: str, value: Any) -> None:
        field = "authors" if key.startswith("author") else key
        if field in (*FIELDS_OF_NOTHING, "authors") and says_nothing(field, str(value)):
            return
        self.unread[key] += 1
        self.examples.setdefault(key, str(value)[:60])

    def _authors(self, row: Row) -> tuple[Author, ...]:
        listed = values.authors(strings(row.get("authors")))
        bylines = [*strings(row.get("authors_raw")), *strings(row.get("author"))]
        people = listed or [author for byline in bylines for author in people_in(byline)]
        for key in ("authors", "authors_raw", "author"):
            if row.get(key) and not people:
                self._miss(key, row[key])
        return tuple(dict.fromkeys(people))  # each once, in order

    def _type(self, value: Any) -> str | None:
        """Whatever BibTeX, Zotero, EndNote or RIS call it."""
        word = str(value or "").strip()
        if not word or word.lower() in NO_TYPES:
            return None
        kind = word.lower() if word.lower() in TYPES else bibtex_entry.TYPES.get(word.lower())
        kind = kind or worktypes.type_of([word]) or worktypes.RIS.get(word.upper())
        if kind is None:
            self._miss("type", value)
        return kind

    def _numbers(self, row: Row) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """ISBNs and ISSNs; exports put both into one field, a line each: "0957-9672 (Print)"."""
        for key in ("isbn", "issn"):
            if row.get(key) and not any(values.standard_numbers(strings(row[key]))):
                self._miss(key, row[key])
        return values.standard_numbers([*strings(row.get("isbn")), *strings(row.get("issn"))])


# Reads the rows of a labelled set (docs/evaluation.md) as an input file of `metasearch dedup`.

#: Characters of the first line that are examined.
_HEAD = 1_000_000
_ENDINGS = (".jsonl", ".ndjson", ".json")
#: Keys of the JSON that metasearch writes; no row has them.
_OURS = frozenset({"event", "rank", "position", "hits"})


def read_rows(file: Input, hand_out: HandOut | None = None) -> FileReading | None:
    """The rows of a file; None if its first line is not a row, or if the file cannot be read. Other
    readers then read the file, or report why they cannot.

    `hand_out`: as in `metasearch.formats.reading.read_file`; what was handed out is not valid where
    None is returned. Raises HandOutError: `hand_out` raised an OSError or a MemoryError.
    """
    name = file.path.name.lower().removesuffix(".gz")
    # A pipe can be read only once.
    if file.path == STDIN or not name.endswith(_ENDINGS) or not file.path.is_file():
        return None
    try:
        most = most_bytes(hand_out)
        with content_of(file.path, file.name, most, pipes=False) as content:
            text = FileText(content.blocks, file.name, FileEncoding("utf-8", legal=True, notes=[]))
            first = next(text.lines(_HEAD))
            if not _is_row(_row_object(first)) or READABLE["csl-json"].looks_like(first):
                return None
            reading = _read_rest(text, file.name, hand_out)
            return None if content.problem else reading
    except (FileFormatError, OSError):
        return None


def _read_rest(text: FileText, name: str, hand_out: HandOut | None) -> FileReading:
    reading = FileReading(name, ROWS, "utf-8", hand_out=hand_out)
    collector = EntryCollector(reading)
    reader = LabelledRowReader(name)
    for number, line in enumerate(text.lines(LONGEST_LINE), 1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            collector.lose(
                number, f"the line has more than {LONGEST_LINE:,} characters and was left out"
            )
            continue
        row = _row_object(line)
        if row is None or not _is_row(row):
            collector.lose(
                number,
                "the line is not a row of a labelled set (an object with an id) and was left out",
            )
            continue
        record = collector.attempt(number, partial(reader.read, row))
        if record is None:
            continue
        if not any(getattr(record, field) for field in TELLING):
            collector.lose(number, "the row is left out: it has no field that identifies a work")
            continue
        own = collector.own(record.source_id)
        if not own:
            collector.remark(
                number,
                f"an earlier row has the id {record.source_id[:100]!r}, too; the record was kept",
            )
        database = plain(str(row.get("source") or ""))
        collector.keep(
            Entry(
                replace(record, source_id=own, position=collector.position + 1),
                number,
                database or None,
            )
        )
    for note in reader.notes():
        collector.remark(0, note)
    reading.finish()
    return reading


def _row_object(line: str) -> Mapping[str, Any] | None:
    try:
        value = load(line)
    except ValueError:
        return None
    return value if isinstance(value, Mapping) else None


def _is_row(row: Mapping[str, Any] | None) -> bool:
    return (
        row is not None
        and type(row.get("id")) in (str, int)
        and row["id"] != ""
        and not _OURS & row.keys()
    )
