"""OAI-PMH: requests to a repository, its answers, and its dates."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from metasearch.adapters.fetch.status import objection
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.bodies import load, without_bom
from metasearch.adapters.parse.parse import Unread, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib.texts import plain
from metasearch.errors import NotParsable, RateLimited, SourceError, SourceSaysError, Unreachable
from metasearch.record import Record

# Answers of OAI-PMH: their types, and how their elements are read.

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
class RepositoryIdentity:
    """What a repository says of itself. `seconds`: whether it knows times of day, or only days.
    `deletes`: what it says of deleted records: "no", "transient" or "persistent".
    """

    name: str
    seconds: bool
    deletes: str


@dataclass(frozen=True, slots=True)
class OaiItem:
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

    items: tuple[OaiItem, ...]
    unread: tuple[Unread, ...]
    there: tuple[str, ...]
    token: str
    size: int | None
    date: str
    notes: tuple[str, ...]


def read_items(
    listed: Any, page: Page, spec: AdapterSpec
) -> tuple[list[OaiItem], list[Unread], list[str]]:
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
    items: list[OaiItem] = []
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
            items.append(OaiItem(header.key, header.datestamp, None))
        elif record is not None and _describes(record):
            items.append(
                OaiItem(header.key, header.datestamp, replace(record, source_id=header.key))
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


# Dates of OAI-PMH: as a user writes them, and as a repository understands them.

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?")


def date_of(text: str) -> str:
    """The text, if it is a date that OAI-PMH allows. Raises ValueError: it is not."""
    if not _DATE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a date such as 2024-03-01 or 2024-03-01T12:00:00Z")
    datetime.fromisoformat(text)
    return text


def before(stamp: str, gap: timedelta) -> str:
    """The date, moved back by `gap`; "" for what is no date, so that everything is fetched."""
    if not stamp:
        return ""
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    try:
        return (when.astimezone(UTC) - gap).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:  # the year 1 has no hour before it
        return ""


def earlier(stamp: str, now: datetime) -> str:
    """The earlier of a repository's time and ours, because a clock that is ahead would hide new
    records; "" for what is no time.
    """
    theirs = before(stamp, timedelta(0))
    return min(theirs, now.strftime("%Y-%m-%dT%H:%M:%SZ")) if theirs else ""


def in_granularity(stamp: str, identity: RepositoryIdentity) -> str:
    """A date in the granularity of the repository, which refuses a finer one."""
    return stamp if identity.seconds or not stamp else stamp[:10]


# Requests to a repository by OAI-PMH; https://www.openarchives.org/OAI/openarchivesprotocol.html.
# The client waits as long as a repository requests (503 or 429 with `Retry-After`), and repeats a
# request after a temporary failure. Errors of the protocol arrive with status 200, in the body.

#: Tries of one request, the first one included.
TRIES = 6
#: Seconds before the second try where the repository does not say; doubled for each further one.
BACKOFF = 2.0
#: Seconds of the longest pause. A harvest ends where the repository requests a longer one: its
#: records are kept, and another run resumes.
LONGEST_WAIT = 900.0
#: More records than any page holds, so that none is cut off.
PLENTY = 1_000_000

Sleep = Callable[[float], Awaitable[None]]
Report = Callable[[str], None]


class OaiClient:
    """Asks one repository. `spec`: the family `oai` under the collection's name: how its records
    are read. `report`: called with a sentence before every wait.
    """

    def __init__(
        self,
        url: str,
        spec: AdapterSpec,
        transport: Transport,
        report: Report,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._url = url
        self._spec = spec
        self._transport = transport
        self._report = report
        self._sleep = sleep

    async def identify(self) -> RepositoryIdentity:
        """What a repository says of itself. Raises SourceError: no answer, or no repository."""
        try:
            root, _, _ = await self._ask({"verb": "Identify"})
        except OaiError as exc:
            raise self._says(exc) from exc
        said = next(root.iter("{*}Identify"), ())
        facts = {local_name(element): plain(element.text or "") for element in said}
        if not facts:
            raise NotParsable(
                self._spec.name,
                "it does not say who it is",
                advice="Is this the base URL of OAI-PMH?",
            )
        return RepositoryIdentity(
            facts.get("repositoryName", ""),
            "hh" in facts.get("granularity", ""),
            facts.get("deletedRecord", "no"),
        )

    async def records(self, arguments: dict[str, str]) -> OaiPage:
        """One page of ListRecords.

        `arguments`: `metadataPrefix`, `from`, `until` and `set`, or `resumptionToken` alone. Raises
        OaiError: the repository says that there are none, or what is wrong; SourceError: it cannot
        be asked, or its answer cannot be read.
        """
        root, page, notes = await self._ask({"verb": "ListRecords"} | arguments)
        found = next(root.iter("{*}ListRecords"), None)
        if found is None:
            raise NotParsable(
                self._spec.name, "it has no element ListRecords", url=page.request.log_url
            )
        token, size = read_token(found)
        if len(token) > LONGEST_TOKEN:
            raise NotParsable(
                self._spec.name, "its resumption token is too long", url=page.request.log_url
            )
        items, unread, there = read_items(found, page, self._spec)
        date = next((plain(date.text or "") for date in root.iter("{*}responseDate")), "")
        return OaiPage(tuple(items), tuple(unread), tuple(there), token, size, date, tuple(notes))

    async def _ask(self, arguments: dict[str, str]) -> tuple[Any, Page, list[str]]:
        """The tree of an answer, the page, and what had to be mended in it."""
        request = Request(
            source=self._spec.name,
            url=self._url,
            params=tuple(arguments.items()),
            size=PLENTY,
            wanted=PLENTY,
        )
        page = await self._answer(request)
        page = replace(page, body=without_bom(page.body).strip())
        if page.status >= 400 and b"OAI-PMH" not in page.body[:2000]:
            raise SourceSaysError(
                self._spec.name,
                f"HTTP {page.status}",
                url=request.log_url,
                advice="Check that this is the base URL of a repository.",
            )
        if not page.body.startswith(b"<"):
            start = page.body[:80].decode("utf-8", "replace")
            raise NotParsable(
                self._spec.name, "it is not XML", url=request.log_url, body_start=start
            )
        root, notes = load("xml", page.body, page, self._spec)
        if local_name(root) != "OAI-PMH":
            advice = "Check that this is the base URL of a repository."
            raise NotParsable(
                self._spec.name,
                f"not OAI-PMH but {local_name(root)}",
                url=request.log_url,
                advice=advice,
            )
        for error in root.iterchildren("{*}error"):
            raise OaiError(error.get("code", "error"), plain("".join(error.itertext()))[:300])
        return root, page, notes

    async def _answer(self, request: Request) -> Page:
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
            requested = getattr(error, "retry_after", None)
            wait = BACKOFF * 2 ** (tries - 1) if requested is None else requested
            if (
                not isinstance(error, Unreachable | RateLimited)
                or tries == TRIES
                or wait > LONGEST_WAIT
            ):
                raise error
            reason = str(error) if requested is None else "the repository requests a pause"
            self._report(f"{reason}: waiting for {wait:g} s")
            await self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _says(self, error: OaiError) -> SourceError:
        return SourceSaysError(self._spec.name, f"the repository answered: {error}", url=self._url)
