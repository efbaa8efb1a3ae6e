"""One row of a labelled set -> `Record`: the schema's keys, and a count of the unreadable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from metasearch.bib import converters, markup
from metasearch.bib.fast_records import made_record
from metasearch.bib.names.byline import people_in
from metasearch.bib.strings import strings
from metasearch.evaluate.jsonl import Row
from metasearch.formats.bibtex import entry as bibtex_entry
from metasearch.formats.reading import accession, type_words, values, worktypes
from metasearch.record import TYPES, Author, Record

#: Words for a type that say nothing about the work.
NO_TYPES = frozenset("misc unpublished generic gen document unknown".split())
_HYPHENS = re.compile(r"--+")


def _pages(found: Any) -> str | None:
    return converters.page_range([_HYPHENS.sub("-", value) for value in strings(found)])


def _language(found: Any) -> str | None:
    return converters.language([value.replace("_", "-") for value in strings(found)])


#: Key of a row -> field of a record, and the converter that reads it.
FIELDS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "title": ("title", converters.text),
    "subtitle": ("subtitle", converters.text),
    "titles": ("titles", converters.text_list),
    "year": ("year", converters.year),
    "date": ("date", converters.date),
    "container": ("venue", converters.text),
    "journal": ("venue", converters.text),
    "publisher": ("publisher", converters.text),
    "institution": ("publisher", converters.text),
    "edition": ("edition", converters.text),
    "volume": ("volume", converters.text),
    "issue": ("issue", converters.text),
    "pages": ("pages", _pages),
    "doi": ("doi", converters.doi),
    "url": ("url", converters.url),
    "abstract": ("abstract", converters.abstract),
    "lang": ("language", _language),
    "keywords": ("keywords", converters.text_list),
}
#: Keys that are identifiers of the work, and their schemes.
IDS: Mapping[str, Callable[[Any], str | None]] = {
    "pmid": converters.identifier,
    "pmcid": converters.pmcid,
    "arxiv": converters.arxiv,
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
                ids |= accession.identifiers(numbers, strings(value))
                if numbers:
                    continue
            if key in FIELDS:
                name, read = FIELDS[key]
                read_value = read(value)
                if read_value and name not in fields:
                    fields[name] = read_value
                elif not read_value or read_value != fields[name]:
                    self._missed(key, value)
            elif key in IDS:
                identifier = IDS[key](value)
                if identifier:
                    ids[key] = identifier
                else:
                    self._missed(key, value)
            elif key not in self._passed:
                self.unknown[key] += 1
        fields["isbn"], fields["issn"] = self._numbers(row)
        return made_record(
            source=markup.plain(str(row.get("source") or "")) or self.name,
            source_id=str(row["id"]),
            authors=self._authors(row),
            type=self._type(row.get("type")),
            ids=ids,
            **fields,
        )

    def notes(self) -> Iterator[str]:
        """What could not be read, in words."""
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

    def _missed(self, key: str, value: Any) -> None:
        self.unread[key] += 1
        self.examples.setdefault(key, str(value)[:60])

    def _authors(self, row: Row) -> tuple[Author, ...]:
        listed = values.authors(strings(row.get("authors")))
        bylines = [*strings(row.get("authors_raw")), *strings(row.get("author"))]
        people = listed or [author for byline in bylines for author in people_in(byline)]
        for key in ("authors", "authors_raw", "author"):
            if row.get(key) and not people:
                self._missed(key, row[key])
        return tuple(dict.fromkeys(people))  # each once, in order

    def _type(self, value: Any) -> str | None:
        """Whatever BibTeX, Zotero, EndNote or RIS call it."""
        word = str(value or "").strip()
        if not word or word.lower() in NO_TYPES:
            return None
        kind = word.lower() if word.lower() in TYPES else bibtex_entry.TYPES.get(word.lower())
        kind = kind or type_words.type_of([word]) or worktypes.RIS.get(word.upper())
        if kind is None:
            self._missed("type", value)
        return kind

    def _numbers(self, row: Row) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """ISBNs and ISSNs; exports put both into one field, a line each: "0957-9672 (Print)"."""
        for key in ("isbn", "issn"):
            if row.get(key) and not any(values.standard_numbers(strings(row[key]))):
                self._missed(key, row[key])
        return values.standard_numbers([*strings(row.get("isbn")), *strings(row.get("issn"))])
