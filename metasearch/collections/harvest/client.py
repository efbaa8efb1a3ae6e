"""The protocol: one request, and what the repository says;
https://www.openarchives.org/OAI/openarchivesprotocol.html.

A repository may ask for patience (503 or 429 with `Retry-After`), and gets it; what fails in
passing is tried again. Its errors come with status 200, in the body.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from metasearch.adapters.fetch.status import objection
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.bodies import load
from metasearch.adapters.parse.charset import unmarked
from metasearch.adapters.parse.parse import Unread, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib.normalise import plain
from metasearch.errors import (
    NotParsable,
    RateLimited,
    ServerFault,
    SourceError,
    SourceSaysError,
    Unreachable,
)
from metasearch.record import Record

#: Tries of one request, the first one included.
TRIES = 6
#: Seconds before the second try where the repository does not say; doubled for each further one.
BACKOFF = 2.0
#: A repository that asks for a longer pause is left alone: what came is kept, and another run goes
#: on.
LONGEST_WAIT = 900.0
#: More records than any page holds, so that none is cut off.
PLENTY = 1_000_000
_LONGEST_TOKEN, _LONGEST_KEY = 10_000, 2_000

Sleep = Callable[[float], Awaitable[None]]
Tell = Callable[[str], None]


class OaiError(Exception):
    """An error of the protocol, as the body names it.

    Attributes:
        code: "badResumptionToken", "noRecordsMatch", ...
        said: The repository's own words.
    """

    def __init__(self, code: str, said: str) -> None:
        super().__init__(f"{code}: {said}" if said else code)
        self.code = code
        self.said = said


@dataclass(frozen=True, slots=True)
class Identity:
    """What a repository says of itself.

    Attributes:
        seconds: Whether it knows times of day, or only days.
        deletes: What it says of deleted records: "no", "transient" or "persistent".
    """

    name: str
    seconds: bool
    deletes: str


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a repository.

    Attributes:
        record: None where it was deleted.
    """

    key: str
    datestamp: str
    record: Record | None


@dataclass(frozen=True, slots=True)
class OaiPage:
    """One answer to ListRecords.

    Attributes:
        items: In the repository's order.
        unread: What could not be read.
        there: Identifiers of what could not be read, so that nobody takes it for deleted.
        token: Asks for the next page; "" at the end.
        size: How many records the whole list has, or None.
        date: When the repository answered, by its own clock.
        notes: What is odd about the page.
    """

    items: tuple[Item, ...]
    unread: tuple[Unread, ...]
    there: tuple[str, ...]
    token: str
    size: int | None
    date: str
    notes: tuple[str, ...]


class OaiClient:
    """Asks one repository.

    Args:
        url: Its base URL.
        spec: The family `oai` under the collection's name: how its records are read.
        transport: What sends.
        tell: Is told of every wait, in words.
        sleep: Waits.
    """

    def __init__(
        self,
        url: str,
        spec: AdapterSpec,
        transport: Transport,
        tell: Tell,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._url = url
        self._spec = spec
        self._transport = transport
        self._tell = tell
        self._sleep = sleep

    async def identify(self) -> Identity:
        """What the repository says of itself.

        Raises:
            SourceError: It cannot be asked, or is no repository.
        """
        try:
            root, _, _ = await self._asked({"verb": "Identify"})
        except OaiError as exc:
            raise self._says(exc) from exc
        said = next(root.iter("{*}Identify"), ())
        facts = {_local(element): plain(element.text or "") for element in said}
        if not facts:
            raise NotParsable(
                self._spec.name,
                "it does not say who it is",
                advice="Is this the base URL of OAI-PMH?",
            )
        return Identity(
            facts.get("repositoryName", ""),
            "hh" in facts.get("granularity", ""),
            facts.get("deletedRecord", "no"),
        )

    async def records(self, arguments: dict[str, str]) -> OaiPage:
        """One page of ListRecords.

        Args:
            arguments: `metadataPrefix`, `from`, `until` and `set`, or `resumptionToken` alone.

        Raises:
            OaiError: The repository says that there are none, or what is wrong.
            SourceError: It cannot be asked, or its answer cannot be read.
        """
        root, page, notes = await self._asked({"verb": "ListRecords"} | arguments)
        found = next(root.iter("{*}ListRecords"), None)
        if found is None:
            raise NotParsable(
                self._spec.name, "there is no ListRecords in it", url=page.request.shown
            )
        token, size = _token(found)
        if len(token) > _LONGEST_TOKEN:
            raise NotParsable(
                self._spec.name, "its resumption token is longer than any", url=page.request.shown
            )
        items, unread, there = self._items(found, page)
        date = next((plain(date.text or "") for date in root.iter("{*}responseDate")), "")
        return OaiPage(tuple(items), tuple(unread), tuple(there), token, size, date, tuple(notes))

    def _items(self, found: Any, page: Page) -> tuple[list[Item], list[Unread], list[str]]:
        """The records of a page in their order, deleted ones among them; what could not be read;
        its identifiers.
        """
        headers = [_header(record) for record in found.iterchildren("{*}record")]
        live = [header for header in headers if header.live]
        unread: list[Unread] = []
        records: dict[int, Record] = {}
        if live:
            parsed = parse(page, self._spec)
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
            elif record is not None and _tells(record):
                items.append(
                    Item(header.key, header.datestamp, replace(record, source_id=header.key))
                )
            else:
                there.append(header.key)
                if not header.live:
                    unread.append(Unread(number, f"{header.key} has no metadata"))
                elif record is not None:
                    unread.append(
                        Unread(number, f"{header.key} has neither title nor people nor identifiers")
                    )
        return items, unread, there

    async def _asked(self, arguments: dict[str, str]) -> tuple[Any, Page, list[str]]:
        """The tree of an answer, the page, and what had to be mended in it."""
        request = Request(
            source=self._spec.name,
            url=self._url,
            params=tuple(arguments.items()),
            size=PLENTY,
            wanted=PLENTY,
        )
        page = await self._answered(request)
        page = replace(page, body=unmarked(page.body).strip())
        if page.status >= 400 and b"OAI-PMH" not in page.body[:2000]:
            raise SourceSaysError(
                self._spec.name,
                f"HTTP {page.status}",
                url=request.shown,
                advice="Look whether this is the base URL of a repository.",
            )
        if not page.body.startswith(b"<"):
            start = page.body[:80].decode("utf-8", "replace")
            raise NotParsable(self._spec.name, "it is not XML", url=request.shown, body_start=start)
        root, notes = load("xml", page.body, page, self._spec)
        if _local(root) != "OAI-PMH":
            advice = "Look whether this is the base URL of a repository."
            raise NotParsable(
                self._spec.name, f"not OAI-PMH but {_local(root)}", url=request.shown, advice=advice
            )
        for error in root.iterchildren("{*}error"):
            raise OaiError(error.get("code", "error"), plain("".join(error.itertext()))[:300])
        return root, page, notes

    async def _answered(self, request: Request) -> Page:
        """The answer, after as much patience as the repository asks for."""
        limits = self._spec.limits
        for tries in range(1, TRIES + 1):
            try:
                page = await self._transport.send(
                    request, timeout=limits.timeout, max_bytes=limits.max_bytes
                )
                error = objection(page)
            except Unreachable as exc:
                error = exc
            if error is None:
                return page
            wait = getattr(error, "retry_after", None)
            wait = BACKOFF * 2 ** (tries - 1) if wait is None else wait
            if (
                not isinstance(error, Unreachable | RateLimited)
                or tries == TRIES
                or wait > LONGEST_WAIT
            ):
                raise error
            asked = isinstance(error, RateLimited | ServerFault) and error.retry_after is not None
            self._tell(f"{error if not asked else 'it asks for patience'}: waiting for {wait:g} s")
            await self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _says(self, error: OaiError) -> SourceError:
        return SourceSaysError(self._spec.name, f"the repository says: {error}", url=self._url)


# --------------------------------------------------------------------------- elements


@dataclass(frozen=True, slots=True)
class _Header:
    key: str
    datestamp: str
    deleted: bool
    live: bool


def _header(record: Any) -> _Header:
    header = next(record.iterchildren("{*}header"), None)
    texts = (
        {} if header is None else {_local(element): plain(element.text or "") for element in header}
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


def _token(found: Any) -> tuple[str, int | None]:
    for element in found.iterchildren("{*}resumptionToken"):
        size = element.get("completeListSize", "")
        known = int(size) if size.isascii() and size.isdecimal() and len(size) < 12 else None
        return "".join(element.itertext()).strip(), known
    return "", None


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _tells(record: Record) -> bool:
    return bool(
        record.title or record.authors or record.doi or record.ids or record.isbn or record.url
    )


def arguments_of(prefix: str, set_: str, first: str, until: str) -> dict[str, str]:
    """The arguments of a new list; what is empty is left out."""

    def pairs() -> Iterator[tuple[str, str]]:
        yield "metadataPrefix", prefix
        yield "set", set_
        yield "from", first
        yield "until", until

    return {name: value for name, value in pairs() if value}
