"""What metasearch itself writes as JSON (.ndjson, .jsonl, .json): bare records written, and all of
it read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import orjson

from metasearch.bib.field_limits import Cuts, cut_fields
from metasearch.errors import FileFormatError
from metasearch.formats import origins
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.items import JsonItem, items, load
from metasearch.formats.reading.result import Draft, Entry, EntryCollector, FileReading
from metasearch.formats.text import clean, exact_number
from metasearch.record import FIELDS, NAMES_THE_COPY, Author, Record

# Bare records as NDJSON: one `Record` a line, as an object of those fields that say something. The
# field names are those of `Record`; `source` and `position` are always there. So `metasearch parse`
# writes what it reads, `metasearch dedup` reads it back, and a record is the same afterwards, text
# that no format may let through excepted (`text.py`).

_ALWAYS = ("source", "position")


def write(records: Iterable[Record]) -> bytes:
    """The records as NDJSON in UTF-8, in the order given; b"" for none."""
    return b"".join(
        orjson.dumps(record_object(record), option=orjson.OPT_APPEND_NEWLINE) for record in records
    )


def record_object(record: Record) -> dict[str, Any]:
    """The object of a record: {"source": "crossref", "position": 1, "title": ..., ...}."""
    found = ((field.name, _plain(getattr(record, field.name))) for field in fields(record))
    return {
        name: value for name, value in found if name in _ALWAYS or value not in (None, "", [], {})
    }


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return exact_number(value)
    if isinstance(value, Author):
        parts = ((part.name, _plain(getattr(value, part.name))) for part in fields(value))
        return {name: part for name, part in parts if part not in (None, False)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None:
        return None
    return {clean(name): clean(text) for name, text in value.items()}


# What metasearch itself writes as JSON (.ndjson, .jsonl, .json), to be read again.
#
#     bare records        a `Record` a line (`write`): comes back as it was, its source and
#                         position too
#     a stream of events  formats/events.py: the hits that it leaves, each one record
#     an answer           formats/answer.py: its hits, each one record
#     hits                the same, a hit a line, as other programs cut them out of an answer
#
# A hit stands for several records, which are not in it; its record bears the name of the file, and
# the hit's id.

#: Characters of a line: an answer of thousands of hits is one.
LONGEST_LINE = 32_000_000
#: Characters by which a document is distinguished from lines.
_HEAD = 8_192
#: Hits of one stream of events, which are held until its end: a later event may change any.
MOST_OPEN = 1_000_000
#: Unknown keys of a file that are remembered.
_MOST_UNKNOWN = 10_000
_OF_AUTHORS = tuple(field.name for field in fields(Author) if field.name != "collective")
#: Keys of a hit that are no fields of a record.
_OF_HITS = frozenset(
    "id rank score reasons sources provenance matches versions event hit absorbed origins "
    "given".split()
)
_LOOKS = re.compile(
    r'\A\s*(?:\[\s*)?\{\s*"(?:event"\s*:\s*"(?:start|source|hit)|query"\s*:.{0,2000}"counts"\s*:|source"\s*:\s*"[^"]{0,200}"|'
    r'id"\s*:\s*"[^"]{0,400}"\s*,\s*"rank"\s*:)',
    re.DOTALL,
)


def looks_like(head: str) -> bool:
    return _LOOKS.match(head.removeprefix("\ufeff")) is not None


def read(text: FileText, reading: FileReading) -> None:
    taker = OwnObjects(EntryCollector(reading), reading.name)
    for line, value, flaw in _values(text):
        if flaw:
            taker.collector.lose(line, f"the line could not be read and was left out: {flaw}")
        elif isinstance(value, list):
            for item in value:
                taker.take(line, item)
        else:
            taker.take(line, value)
    taker.finish()


def _values(text: FileText) -> Iterator[tuple[int, Any, str]]:
    """Line, value and flaw of each line or, where objects go over several lines, of each object."""
    if text.head(_HEAD).lstrip().partition("\n")[0].strip() in ("{", "["):
        for item in items(text.whole(), frozenset({"hits"})):
            yield item.line, item.value, item.flaw
        return
    for number, line in text.lines_with_numbers(LONGEST_LINE):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            yield number, None, f"it has more than {LONGEST_LINE:,} characters"
            continue
        try:
            yield number, load(line), ""
        except ValueError as exc:
            found = list(
                items(line, frozenset())
            )  # two lines, the end between them lost, are two objects
            if not any(item.flaw for item in found):
                found.append(JsonItem(1, None, str(exc)))
            for item in found:
                yield number, item.value, item.flaw


class OwnObjects:
    """Takes objects one by one, and knows which hits a stream of events has left so far.
    `collector`: where the records go.
    """

    def __init__(self, collector: EntryCollector, name: str) -> None:
        self.collector = collector
        self._name = name
        self._hits: dict[str, tuple[int, Mapping[str, Any]]] = {}
        self._open = False
        self._unknown: set[str] = set()

    def take(self, line: int, value: Any) -> None:
        if not isinstance(value, Mapping):
            self.collector.lose(line, "the line is no object and was left out")
        elif isinstance(value.get("event"), str):
            self._event(line, value)
        elif isinstance(value.get("hits"), list):
            for hit in value["hits"]:
                self.hit(line, hit)
        elif isinstance(value.get("source"), str):
            self._record(line, value)
        elif isinstance(value.get("sources"), list):
            self.hit(line, value)
        else:
            self.collector.lose(line, "it is no record, hit or event of ours, and was left out")

    def finish(self) -> None:
        if self._open:
            self.collector.remark(
                0, "the stream of events breaks off before its end; the hits so far were read"
            )
            self._flush()
        if self._unknown:
            told = ", ".join(sorted(self._unknown)[:20])
            self.collector.remark(
                0, f"keys that a record does not have were passed over: {told[:400]}"
            )

    def _event(self, line: int, event: Mapping[str, Any]) -> None:
        if event["event"] == "start" and self._open:
            self.collector.remark(
                line, "the stream before this one breaks off before its end; its hits were read"
            )
            self._flush()
        self._open = True
        hit = event.get("hit") if event["event"] == "merge" else event
        if event["event"] in ("hit", "update", "merge"):
            if not isinstance(hit, Mapping) or not isinstance(hit.get("id"), str):
                self.collector.lose(line, "the event holds no hit and was left out")
                return
            absorbed = event.get("absorbed")
            for gone in absorbed if isinstance(absorbed, list) else []:
                self._hits.pop(gone, None) if isinstance(gone, str) else None
            self._hits[hit["id"]] = (line, hit)
            if len(self._hits) > MOST_OPEN:
                raise FileFormatError(
                    self._name,
                    f"a stream of events in it has more than {MOST_OPEN:,} hits, which are held "
                    f"until its end",
                    advice="Write the works as parquet or csv instead.",
                )
        elif event["event"] == "done":
            self._flush(event.get("hits"))

    def _flush(self, ranked: Any = None) -> None:
        """The hits of a stream, in the order of its end."""
        order = (
            [hit.get("id") for hit in ranked if isinstance(hit, Mapping)]
            if isinstance(ranked, list)
            else []
        )
        place = {name: index for index, name in enumerate(order) if isinstance(name, str)}
        for name in sorted(self._hits, key=lambda name: place.get(name, len(place))):
            self.hit(*self._hits[name])
        self._hits.clear()
        self._open = False

    def hit(self, line: int, hit: Any) -> None:
        """An entry of "hits"."""
        if not isinstance(hit, Mapping):
            self.collector.lose(line, "the hit is no object and was left out")
            return

        def describe() -> Draft:
            found, problems = self._fields(hit, _OF_HITS)
            found = {name: value for name, value in found.items() if name not in NAMES_THE_COPY}
            made_of = origins.of_objects(hit.get("origins"))
            database = (
                origins.database_name(made_of) if made_of else _sole_source(hit.get("sources"))
            )
            called = hit.get("id")
            fields = found | {"source_id": called if type(called) is str else ""}
            return Draft(fields, database, problems, made_of, _fields_beside(hit.get("given")))

        self.collector.put(line, describe)

    def _record(self, line: int, given: Mapping[str, Any]) -> None:
        cuts = Cuts()

        def make() -> tuple[Record, dict[str, Any], list[str]]:
            found, problems = self._fields(given, frozenset())
            values: dict[str, Any] = {
                "source": self._name,
                "position": self.collector.position + 1,
            } | found
            return Record(**cut_fields(values, cuts)), found, problems

        whole = self.collector.attempt(line, make)
        if whole is None:
            return
        record, found, problems = whole
        if not found.keys() - {*NAMES_THE_COPY}:
            self.collector.lose(
                line, "the record is left out: it has no field that identifies a work"
            )
            return
        self.collector.keep(Entry(record, line, record.source))
        for problem in (*problems, *cuts.notes()):
            self.collector.remark(line, problem)

    def _fields(
        self, given: Mapping[str, Any], known: frozenset[str]
    ) -> tuple[dict[str, Any], list[str]]:
        found: dict[str, Any] = {}
        problems = []
        for name, value in given.items():
            if name not in FIELDS:
                if name not in known and len(self._unknown) < _MOST_UNKNOWN:
                    self._unknown.add(name[:60])
            elif value is not None:
                good = _value_of_field(name, value)
                if good is None:
                    problems.append(f"{name} is not what a record has there, and was left out")
                else:
                    found[name] = good
        return found, problems


def _value_of_field(name: str, value: Any) -> Any:
    """The value of a field, or None where it is of another kind than the field."""
    fits = False
    match FIELDS[name].kind:
        case "number":
            fits = type(value) is int
        case "texts":
            if isinstance(value, list) and all(type(item) is str for item in value):
                return tuple(value)
        case "flag":
            fits = value is True
        case "word":
            fits = value in FIELDS[name].words
        case "people":
            return _authors(value)
        case "ids":
            fits = isinstance(value, dict) and all(type(item) is str for item in value.values())
        case _:
            fits = type(value) is str
    return value if fits else None


def _authors(found: Any) -> tuple[Author, ...] | None:
    if not isinstance(found, list):
        return None
    authors = []
    for item in found:
        parts: dict[str, Any] = (
            {name: item.get(name) for name in _OF_AUTHORS} if isinstance(item, dict) else {}
        )
        if not parts.get("name") or any(
            type(part) not in (str, type(None)) for part in parts.values()
        ):
            return None
        authors.append(Author(**parts, collective=item.get("collective") is True))
    return tuple(authors)


def _fields_beside(found: Any) -> list[tuple[str, str]]:
    """What files said beside a record, as `metasearch dedup` has it: [["ris:N1", "..."]]."""
    pairs = (
        [pair for pair in found if isinstance(pair, list) and len(pair) == 2]
        if isinstance(found, list)
        else []
    )
    return [(tag[:100], value) for tag, value in pairs if type(tag) is str and type(value) is str]


def _sole_source(found: Any) -> str | None:
    names = (
        {item.get("source") for item in found if isinstance(item, dict)}
        if isinstance(found, list)
        else set()
    )
    name = names.pop() if len(names) == 1 else None
    return name if isinstance(name, str) else None
