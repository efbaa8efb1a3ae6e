"""Sending a request by Z39.50: `Z3950Transport`, on YAZ, which runs in a process of its own
(yaz.py).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from yarl import URL

from metasearch.adapters.fetch.guard import AllowList
from metasearch.adapters.fetch.transport import DaemonResolver
from metasearch.adapters.fetch.yaz import (
    CONNECT,
    CONNECTION_LOST,
    FAILED,
    INIT,
    INVALID_QUERY,
    LATE,
    MISSING,
    PAGE,
    TIMEOUT,
    TOO_LARGE,
    PageJob,
    pack_job,
)
from metasearch.adapters.request import Page, Pairs, Request, Secret, redact
from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    ConnectFailed,
    NotAllowed,
    SourceError,
    TimedOut,
    TooLarge,
)
from metasearch.message import message

# A request in the terms of ZOOM: host, query, and the options that a spec may set. Pure.

PORT, DATABASE = 210, "Default"
#: The options of ZOOM that a spec may set. Not among them is what leads elsewhere, such as "proxy"
#: and "host".
OPTIONS = frozenset(
    (
        "user group password preferredRecordSyntax elementSetName schema presentChunk piggyback "
        "charset lang rpnCharset"
    ).split()
)
#: Parameters that are no options of ZOOM; the first three are SRU's.
_QUERY, _START, _COUNT, _FORM = "query", "startRecord", "maximumRecords", "record"


@dataclass(frozen=True, slots=True)
class ZoomRequest:
    """A request as ZOOM takes it. What may contain a secret is not shown. `form`: what ZOOM writes
    each record as, such as "xml". `start`: position of the first record, from 0.
    """

    host: str
    port: int
    query: str
    form: str
    start: int
    count: int
    options: dict[str, str] = field(repr=False)


def zoom_request(request: Request) -> ZoomRequest:
    """The request in ZOOM's terms. Raises NotAllowed: the URL cannot be used, or a parameter is one
    that we do not pass on.
    """
    try:
        url = URL(request.url, encoded=True)
        host, port, database = url.raw_host, url.port or PORT, unquote(url.raw_path.strip("/"))
        authority = url.raw_authority
    except ValueError as exc:
        raise refusal(request, message("the URL cannot be read")) from exc
    if not host or "@" in authority:
        raise refusal(
            request,
            message("the URL has no host")
            if not host
            else message("a URL with user information is not followed"),
        )
    values = _plain(request.params)
    query, form = values.pop(_QUERY, ""), values.pop(_FORM, "xml")
    try:
        start, count = int(values.pop(_START, "1")) - 1, int(values.pop(_COUNT, str(request.size)))
    except ValueError as exc:
        raise refusal(
            request,
            message("{start} and {count} must be whole numbers", start=_START, count=_COUNT),
        ) from exc
    if unknown := sorted(set(values) - OPTIONS):
        raise refusal(
            request,
            message(
                "request.params.{unknown} is no option; allowed are {names}",
                unknown=unknown[0],
                names=", ".join(sorted(OPTIONS)),
            ),
        )
    if any("\0" in text for text in (query, form, database, *values.values())):
        raise refusal(request, message("the request holds a character that cannot be sent"))
    options = {
        **values,
        "databaseName": database or DATABASE,
        "start": str(max(0, start)),
        "count": str(max(1, count)),
    }
    return ZoomRequest(host, port, query, form, max(0, start), max(1, count), options)


def _plain(pairs: Pairs) -> dict[str, str]:
    return {name: value.reveal() if isinstance(value, Secret) else value for name, value in pairs}


def refusal(request: Request, why: str) -> NotAllowed:
    return NotAllowed(
        request.source,
        why,
        url=request.log_url,
        advice=message("Mend the source's spec: see docs/z3950.md."),
    )


# Sending a request by Z39.50: `Z3950Transport`, on YAZ, which runs in a process of its own
# (yaz.py). What transport.py does for HTTP holds here too: an address is judged (guard.py) and then
# connected to, without the name being looked up again; one clock runs over all; and what comes back
# is counted. Each page is a session of its own, in a process of its own, which is ended when the
# page is there or the caller has given up.

#: Bib-1's diagnostic for a session that is refused without another.
_ACCESS_CONTROL = 101
#: What the process runs, and how a job ended whose process reported nothing.
_RUN = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
    "from metasearch.adapters.fetch.yaz import main; main()"
)
_DIED = "died"
#: Bytes of the line that reports how a job ended, of a page for each byte of its records, and that
#: are read at once.
_LONGEST_REPORT, _WRITTEN, _STRETCH = 1 << 16, 2, 1 << 18


class Z3950Transport:
    """Asks Z39.50 servers. YAZ is loaded by the first `send`. `allow`: "host:port" of URLs that may
    lead to private addresses, see guard.py.
    """

    def __init__(self, *, allow: frozenset[str] = frozenset()) -> None:
        self._allow = AllowList.parse(allow)
        self._resolver = DaemonResolver()

    def __repr__(self) -> str:
        return f"<Z3950Transport, {len(self._allow.origins)} private origins allowed>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`. Raises SourceError: as there, or YAZ is not installed."""
        started = time.monotonic()
        asked = zoom_request(request)
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._addresses(asked, request)
                left = max(0.0, started + timeout - time.monotonic())
                job = PageJob(
                    addresses,
                    asked.query,
                    asked.form,
                    asked.start,
                    asked.count,
                    left,
                    max_bytes=max_bytes,
                    options=asked.options,
                )
                report, body = await _in_a_process(job)
        except TimeoutError as exc:
            raise _error({"outcome": LATE}, request, timeout) from exc
        except OSError as exc:
            raise SourceError(
                request.source, message("no process can be started to ask it"), url=request.log_url
            ) from exc
        if report["outcome"] == TOO_LARGE:
            raise TooLarge(request.source, max_bytes, url=request.log_url)
        if report["outcome"] != PAGE:
            raise _error(report, request, timeout)
        page = Page(
            request=request,
            content_type="application/xml; charset=utf-8",
            body=body,
            fetched_at=time.time(),
            seconds=time.monotonic() - started,
        )
        return redact(page)

    async def close(self) -> None:
        """Nothing is held: every session ends with its page."""

    async def _addresses(self, asked: ZoomRequest, request: Request) -> list[str]:
        """What may be connected to, as "address:port", in the system's order. Raises ConnectFailed:
        the name has no address; NotAllowed: None of its addresses is allowed.
        """
        try:
            resolved = await self._resolver.resolve(asked.host, asked.port)
        except OSError as exc:
            raise ConnectFailed(
                request.source, message("its host name cannot be resolved"), url=request.log_url
            ) from exc
        exempt = self._allow.holds(asked.host, asked.port)
        admitted = [
            address["host"]
            for address in resolved
            if self._allow.may_reach(address["host"], asked.port, exempt=exempt)
        ]
        if not admitted:
            raise NotAllowed(
                request.source,
                message(
                    "{host}:{port} is not at a public address", host=asked.host, port=asked.port
                ),
                url=request.log_url,
            )
        return [
            f"[{host}]:{asked.port}" if ":" in host else f"{host}:{asked.port}"
            for host in dict.fromkeys(admitted)
        ]


async def _in_a_process(job: PageJob) -> tuple[dict[str, Any], bytes]:
    """What a process of its own makes of the job: how that ended, and the page.

    The process is gone when this returns, however it returns: nothing of it keeps a search, or the
    program, waiting.
    """
    process = await asyncio.create_subprocess_exec(
        *_command(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},  # no key of ours is where a hostile server's bytes are read
        start_new_session=True,  # Ctrl-C is for us
    )
    assert process.stdin is not None and process.stdout is not None  # noqa: PT018
    try:
        with suppress(ConnectionError):
            process.stdin.write(pack_job(job))
            process.stdin.write_eof()
        most = _LONGEST_REPORT + _WRITTEN * job.max_bytes
        parts = [b""]
        size = 0
        while part := await process.stdout.read(_STRETCH):
            parts.append(part)
            size += len(part)
            if size > most:
                return {"outcome": TOO_LARGE}, b""
        await process.wait()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    report, newline, page = b"".join(parts).partition(b"\n")
    return (json.loads(report), page) if newline else ({"outcome": _DIED}, b"")


def _command() -> list[str]:
    """A Python like this one that looks for modules where this one does, and nowhere else."""
    places = [str(Path(__file__).parents[3]), *filter(None, sys.path)]
    return [sys.executable, "-I", "-S", "-c", _RUN, json.dumps(list(dict.fromkeys(places)))]


def _error(report: Mapping[str, Any], request: Request, timeout: float) -> SourceError:
    """Our error for a job that brought no page, in our words, because ZOOM's hold addresses."""
    source, url = request.source, request.log_url
    match report["outcome"], report.get("own") and report.get("code"):
        case outcome, _ if outcome == LATE:
            return TimedOut(
                source,
                message("no whole answer within {seconds} s", seconds=f"{timeout:g}"),
                url=url,
            )
        case outcome, _ if outcome == MISSING:
            return SourceError(
                source,
                message("Z39.50 is asked through the library YAZ, which is not installed here"),
                url=url,
                advice=message(
                    "Install version 5 of it (Debian: apt install libyaz5), or leave the "
                    "source out."
                ),
            )
        case outcome, _ if outcome == _DIED:
            return BadAnswer(
                source,
                message(
                    "its answer cannot be read: the process that reads it ran out of memory, "
                    "or crashed"
                ),
                url=url,
                advice=message(
                    "Ask for fewer rows. If its records are large and it is trusted, raise "
                    "limits.max_bytes: the process may take twice that."
                ),
            )
        case outcome, code if outcome == FAILED and code == CONNECT:
            return ConnectFailed(source, message("no connection can be made"), url=url)
        case outcome, code if outcome == FAILED and code == CONNECTION_LOST:
            return ConnectFailed(
                source, message("it closed the connection without an answer"), url=url
            )
        case outcome, code if outcome == FAILED and code == TIMEOUT:
            return TimedOut(source, message("no whole answer"), url=url)
        case outcome, code if outcome == FAILED and code == INIT:
            return AccessDenied(
                source, _ACCESS_CONTROL, url=url, said=message("it does not open a session")
            )
        case outcome, code if outcome == FAILED and code == INVALID_QUERY:
            return refusal(
                request, message("the query is not PQF: see the templates of [query] in its spec")
            )
    return BadAnswer(source, message("its answer is not Z39.50"), url=url)
