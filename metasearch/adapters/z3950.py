"""Sending a request by Z39.50: `Z3950Transport`, on YAZ (zoom.py).

What transport.py does for HTTP holds here too: an address is judged (guard.py) and then connected to, without the name
being looked up again; one clock runs over all; and what comes back is counted. Each page is a session of its own, in a
thread of its own, which ends soon after nobody waits for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from yarl import URL

from metasearch.adapters.envelope import Problem, envelope
from metasearch.adapters.guard import AllowList
from metasearch.adapters.request import Page, Pairs, Request, Secret, redacted
from metasearch.adapters.resolver import DaemonResolver
from metasearch.adapters.zoom import (
    CONNECT,
    CONNECTION_LOST,
    INIT,
    INVALID_QUERY,
    TIMEOUT,
    Abandoned,
    Connection,
    LibraryMissing,
    ZoomError,
    as_sru_code,
    library,
)
from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    ConnectFailed,
    NotAllowed,
    SourceError,
    TimedOut,
    TooLarge,
)

PORT, DATABASE = 210, "Default"
#: The options of ZOOM that a spec may set. Not among them is what leads elsewhere, such as "proxy" and "host".
OPTIONS = frozenset(
    (
        "user group password preferredRecordSyntax elementSetName schema presentChunk piggyback charset lang rpnCharset"
    ).split()
)
#: Parameters that are no options of ZOOM; the first three are SRU's.
_QUERY, _START, _COUNT, _FORM = "query", "startRecord", "maximumRecords", "record"
#: Bib-1's diagnostic for a session that is refused without another.
_ACCESS_CONTROL = 101
_UNREADABLE = Problem(67, "a record came that cannot be turned into XML")


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of whom, as ZOOM takes it. What may hold a secret does not show."""

    host: str
    port: int
    query: str
    form: str
    start: int
    count: int
    options: dict[str, str] = field(repr=False)


def ask_of(request: Request) -> Ask:
    """The request in ZOOM's terms.

    Raises:
        NotAllowed: The URL cannot be used, or a parameter is one that we do not pass on.
    """
    try:
        url = URL(request.url, encoded=True)
        host, port, database = url.raw_host, url.port or PORT, unquote(url.raw_path.strip("/"))
        authority = url.raw_authority
    except ValueError as exc:
        raise _refusal(request, "the URL cannot be read") from exc
    if not host or "@" in authority:
        raise _refusal(request, "the URL has no host" if not host else "a URL with user information is not followed")
    values = _plain(request.params)
    query, form = values.pop(_QUERY, ""), values.pop(_FORM, "xml")
    try:
        start, count = int(values.pop(_START, "1")) - 1, int(values.pop(_COUNT, str(request.size)))
    except ValueError as exc:
        raise _refusal(request, f"{_START} and {_COUNT} must be whole numbers") from exc
    if unknown := sorted(set(values) - OPTIONS):
        raise _refusal(request, f"request.params.{unknown[0]} is no option; allowed are {', '.join(sorted(OPTIONS))}")
    if any("\0" in text for text in (query, form, database, *values.values())):
        raise _refusal(request, "the request holds a character that cannot be sent")
    options = {**values, "databaseName": database or DATABASE, "start": str(max(0, start)), "count": str(max(1, count))}
    return Ask(host, port, query, form, max(0, start), max(1, count), options)


class Z3950Transport:
    """Asks Z39.50 servers. YAZ is loaded by the first `send`.

    Args:
        allow: "host:port" of URLs that may lead to private addresses, see guard.py.
    """

    def __init__(self, *, allow: frozenset[str] = frozenset()) -> None:
        self._allow = AllowList.parse(allow)
        self._resolver = DaemonResolver()

    def __repr__(self) -> str:
        return f"<Z3950Transport, {len(self._allow.origins)} private origins allowed>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`.

        Raises:
            SourceError: As there, or YAZ is not installed.
        """
        started = time.monotonic()
        ask = ask_of(request)
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._addresses(ask, request)
                body = await _in_a_thread(
                    lambda given_up: _asked(ask, addresses, request, started + timeout, given_up, max_bytes)
                )
        except (TimeoutError, Abandoned) as exc:
            raise TimedOut(request.source, f"no whole answer within {timeout:g} s", url=request.shown) from exc
        except LibraryMissing as exc:
            raise SourceError(
                request.source,
                "Z39.50 is asked through the library YAZ, which is not installed here",
                url=request.shown,
                advice="Install version 5 of it (Debian: apt install libyaz5), or leave the source out.",
            ) from exc
        page = Page(
            request=request,
            content_type="application/xml; charset=utf-8",
            body=body,
            fetched_at=time.time(),
            seconds=time.monotonic() - started,
        )
        return redacted(page)

    async def close(self) -> None:
        """Nothing is held: every session ends with its page."""

    async def _addresses(self, ask: Ask, request: Request) -> list[str]:
        """What may be connected to, as "address:port", in the system's order.

        Raises:
            ConnectFailed: The name has no address.
            NotAllowed: None of its addresses is allowed.
        """
        try:
            found = await self._resolver.resolve(ask.host, ask.port)
        except OSError as exc:
            raise ConnectFailed(request.source, "its host name cannot be resolved", url=request.shown) from exc
        exempt = self._allow.holds(ask.host, ask.port)
        admitted = [it["host"] for it in found if self._allow.may_reach(it["host"], ask.port, exempt=exempt)]
        if not admitted:
            raise NotAllowed(request.source, f"{ask.host}:{ask.port} is not at a public address", url=request.shown)
        return [f"[{it}]:{ask.port}" if ":" in it else f"{it}:{ask.port}" for it in dict.fromkeys(admitted)]


async def _in_a_thread(work: Callable[[Callable[[], bool]], bytes]) -> bytes:
    """What the work gives, which is told when nobody waits any more.

    A thread of its own, because a slow server must not hold one of the few that the loop's other work shares.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bytes] = loop.create_future()
    given_up = threading.Event()

    def tell(body: bytes, error: Exception | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(body)
        else:
            answer.set_exception(error)

    def run() -> None:
        body, error = b"", None
        try:
            body = work(given_up.is_set)
        except Exception as exc:  # whatever it is, whoever waits must hear of it
            error = exc
        try:
            loop.call_soon_threadsafe(tell, body, error)
        except RuntimeError:
            return  # the loop has been closed in the meantime: nobody waits for the answer

    threading.Thread(target=run, name="z3950", daemon=True).start()
    try:
        return await answer
    finally:
        given_up.set()


def _asked(
    ask: Ask, addresses: list[str], request: Request, deadline: float, given_up: Callable[[], bool], max_bytes: int
) -> bytes:
    """The answer of the first address that can be connected to."""
    library()
    # Servers that keep to it send a diagnostic in the place of what is larger.
    options = {**ask.options, "preferredMessageSize": str(max_bytes), "maximumRecordSize": str(max_bytes)}
    for left, address in zip(reversed(range(len(addresses))), addresses, strict=True):
        with Connection(address, options) as connection:
            try:
                connection.search(ask.query)
                connection.run(deadline, given_up)
                if (error := connection.error()) is not None and _ours(error):
                    raise error
            except ZoomError as exc:
                if left and exc.own and exc.code == CONNECT:
                    continue
                raise _translated(exc, request) from exc
            problems = [_problem(error)] if error is not None else []
            return envelope(connection.total, _records(connection, ask, request, max_bytes), problems)
    raise ConnectFailed(request.source, "no connection can be made", url=request.shown)


def _records(connection: Connection, ask: Ask, request: Request, max_bytes: int) -> Iterator[bytes | Problem]:
    size = 0
    for position in range(ask.start, min(ask.start + ask.count, connection.total)):
        record = connection.record(position, ask.form)
        if record is None and not connection.came(position):
            return  # a server may send fewer than it was asked for
        if isinstance(record, bytes):
            size += len(record)
            if size > max_bytes:
                raise TooLarge(request.source, max_bytes, url=request.shown)
        yield _problem(record) if isinstance(record, ZoomError) else _UNREADABLE if record is None else record


def _ours(error: ZoomError) -> bool:
    """Whether it says that there was no conversation, and is no diagnostic of a server."""
    return error.own or error.of_http


def _problem(error: ZoomError) -> Problem:
    return Problem(as_sru_code(error.code), error.message, error.details)


def _translated(error: ZoomError, request: Request) -> SourceError:
    """Our error; its message is ours, because ZOOM's hold addresses."""
    source, url = request.source, request.shown
    if error.own:
        match error.code:
            case code if code == CONNECT:
                return ConnectFailed(source, "no connection can be made", url=url)
            case code if code == CONNECTION_LOST:
                return ConnectFailed(source, "it closed the connection without an answer", url=url)
            case code if code == TIMEOUT:
                return TimedOut(source, "no whole answer", url=url)
            case code if code == INIT:
                return AccessDenied(source, _ACCESS_CONTROL, url=url, said="it does not open a session")
            case code if code == INVALID_QUERY:
                return _refusal(request, "the query is not PQF: see the templates of [query] in its spec")
    return BadAnswer(source, "what it sends is not Z39.50", url=url)


def _plain(pairs: Pairs) -> dict[str, str]:
    return {name: value.reveal() if isinstance(value, Secret) else value for name, value in pairs}


def _refusal(request: Request, why: str) -> NotAllowed:
    return NotAllowed(request.source, why, url=request.shown, advice="Mend the source's spec: see docs/z3950.md.")
