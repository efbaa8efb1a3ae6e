"""Answers of OAI-PMH: their types, and how their elements are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from metasearch.adapters.parse.parse import parse
from metasearch.adapters.parse.records import Unread
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib.markup import plain
from metasearch.record import Record

#: Characters of a resumption token, and of an identifier.
LONGEST_TOKEN, _LONGEST_KEY = 10_000, 2_000


class OaiError(Exception):
    """An error of the protocol, as the body names it. `code`: "badResumptionToken",
    "noRecordsMatch", ... `said`: the repository's own words.
    """

    def __init__(self, code: str, said: str) -> None:
        super().__init__(f"{code}: {said}" if said else code)
        self.code = code
        self.said = said


@dataclass(frozen=True, slots=True)
class Identity:
    """What a repository says of itself. `seconds`: whether it knows times of day, or only days.
    `deletes`: what it says of deleted records: "no", "transient" or "persistent".
    """

    name: str
    seconds: bool
    deletes: str


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a repository. `record`: None where it was deleted."""

    key: str
    datestamp: str
    record: Record | None


@dataclass(frozen=True, slots=True)
class OaiPage:
    """One answer to ListRecords.

    Attributes:
        unread: What could not be read.
        there: Identifiers of what could not be read, so that they do not count as deleted.
        token: Asks for the next page; "" at the end.
        size: How many records the whole list has, or None.
        date: When the repository answered, by its own clock.
    """

    items: tuple[Item, ...]
    unread: tuple[Unread, ...]
    there: tuple[str, ...]
    token: str
    size: int | None
    date: str
    notes: tuple[str, ...]


# --------------------------------------------------------------------------- elements


def read_items(
    listed: Any, page: Page, spec: AdapterSpec
) -> tuple[list[Item], list[Unread], list[str]]:
    """The records of a page, what could not be read, and the identifiers of that. Returns the
    records in their order, deleted ones among them; problems; identifiers.
    """
    headers = [read_header(record) for record in listed.iterchildren("{*}record")]
    live = [header for header in headers if header.live]
    unread: list[Unread] = []
    records: dict[int, Record] = {}
    if live:
        parsed = parse(page, spec)
        records = {record.position: record for record in parsed.records}
        unread = list(parsed.unread)
    items: list[Item] = []
    there: list[str] = []
    position = 0
    for number, header in enumerate(headers, 1):
        position += header.live
        record = records.get(position) if header.live else None
        if not 0 < len(header.key) <= _LONGEST_KEY:
            unread.append(
                Unread(
                    number,
                    "it has no identifier" if not header.key else "its identifier is too long",
                )
            )
        elif header.deleted:
            items.append(Item(header.key, header.datestamp, None))
        elif record is not None and _describes(record):
            items.append(Item(header.key, header.datestamp, replace(record, source_id=header.key)))
        else:
            there.append(header.key)
            if not header.live:
                unread.append(Unread(number, f"{header.key} has no metadata"))
            elif record is not None:
                unread.append(
                    Unread(number, f"{header.key} has neither title nor people nor identifiers")
                )
    return items, unread, there


@dataclass(frozen=True, slots=True)
class _Header:
    """The head of a record; `live`: the record has metadata."""

    key: str
    datestamp: str
    deleted: bool
    live: bool


def read_header(record: Any) -> _Header:
    header = next(record.iterchildren("{*}header"), None)
    texts = (
        {}
        if header is None
        else {local_name(element): plain(element.text or "") for element in header}
    )
    deleted = header is not None and header.get("status") == "deleted"
    # As the spec's `records` finds them: what is parsed has a metadata element that holds
    # something.
    live = any(
        isinstance(inner.tag, str)
        for metadata in record.iterchildren("{*}metadata")
        for inner in metadata
    )
    return _Header(texts.get("identifier", ""), texts.get("datestamp", ""), deleted, live)


def read_token(listed: Any) -> tuple[str, int | None]:
    """(the resumption token, "" at the end of the list; how many records the list has, or None)."""
    for element in listed.iterchildren("{*}resumptionToken"):
        size = element.get("completeListSize", "")
        known = int(size) if size.isascii() and size.isdecimal() and len(size) < 12 else None
        return "".join(element.itertext()).strip(), known
    return "", None


def local_name(element: Any) -> str:
    """The name of an element without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _describes(record: Record) -> bool:
    """Whether a record names its work."""
    names = (record.title, record.authors, record.doi, record.ids, record.isbn, record.url)
    return any(names)


def arguments_of(prefix: str, set_: str, first: str, until: str) -> dict[str, str]:
    """The arguments of a new list; what is empty is left out."""

    def pairs() -> Iterator[tuple[str, str]]:
        yield "metadataPrefix", prefix
        yield "set", set_
        yield "from", first
        yield "until", until

    return {name: value for name, value in pairs() if value}
