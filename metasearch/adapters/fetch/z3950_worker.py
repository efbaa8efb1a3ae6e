"""The process in which YAZ reads what a Z39.50 server sends: it fetches one page, writes it to its
output, and ends.

YAZ is a C library, buffers up to 128 MiB of a message, and has no option for a lower limit
(docs/decisions/0021). Here what a hostile server makes of it has bounds: of memory, of processor
time, and the deadline, at which z3950.py ends the process, whatever it is doing. It receives
nothing but the job: no environment, no open files.

A job is one JSON object on standard input. The answer is one line of JSON, which reports how the
job ended, and then the page.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from metasearch.adapters.fetch.envelope import Diagnostic, envelope
from metasearch.adapters.fetch.zoom import (
    CONNECT,
    Abandoned,
    LibraryMissing,
    ZoomConnection,
    ZoomError,
    as_sru_code,
    library,
)

#: Bytes of memory that a page of any size may take, beyond what the process has when it begins.
LEAST_MEMORY = 32 * 1024 * 1024
#: Bytes of memory for one of the largest page: it is held as it came, and as XML.
MEMORY_PER_BYTE = 2
#: How a job may end.
PAGE, LATE, MISSING, TOO_LARGE, FAILED = "page", "late", "missing", "too large", "failed"

_UNREADABLE = Diagnostic(67, "a record came that cannot be turned into XML")


@dataclass(frozen=True, slots=True)
class PageJob:
    """A page to be fetched. What may hold a secret does not show.

    Attributes:
        addresses: "address:port", tried in turn until one can be connected to.
        form: What ZOOM writes each record as: "xml; charset=marc-8,utf-8".
        start: The first record, from 0.
    """

    addresses: list[str]
    query: str
    form: str
    start: int
    count: int
    seconds: float
    max_bytes: int
    options: dict[str, str] = field(repr=False)


class _TooLarge(Exception):
    """The records are larger together than `max_bytes`."""


def answer(job: PageJob, given_up: Callable[[], bool]) -> tuple[dict[str, Any], bytes]:
    """Does a job.

    `given_up`: called from time to time; returns whether the caller has given up. Returns how it
    ended (`outcome`; with `code` and `own` for FAILED, see `ZoomError`), and the page.
    """
    try:
        return {"outcome": PAGE}, _asked(job, time.monotonic() + job.seconds, given_up)
    except Abandoned:
        return {"outcome": LATE}, b""
    except LibraryMissing:
        return {"outcome": MISSING}, b""
    except _TooLarge:
        return {"outcome": TOO_LARGE}, b""
    except ZoomError as exc:
        return {"outcome": FAILED, "code": exc.code, "own": exc.own}, b""


def _asked(job: PageJob, deadline: float, given_up: Callable[[], bool]) -> bytes:
    """The answer of the first address that can be connected to."""
    library()
    # Servers that keep to it send a diagnostic in the place of what is larger.
    options = {
        **job.options,
        "preferredMessageSize": str(job.max_bytes),
        "maximumRecordSize": str(job.max_bytes),
    }
    for left, address in zip(reversed(range(len(job.addresses))), job.addresses, strict=True):
        with ZoomConnection(address, options) as connection:
            try:
                connection.search(job.query)
                connection.run(deadline, given_up)
                if (error := connection.error()) is not None and _ours(error):
                    raise error
            except ZoomError as exc:
                if left and exc.own and exc.code == CONNECT:
                    continue
                raise
            problems = [_problem(error)] if error is not None else []
            return envelope(connection.total, _records(connection, job), problems)
    raise ZoomError(CONNECT, "no address", "", "ZOOM")


def _records(connection: ZoomConnection, job: PageJob) -> Iterator[bytes | Diagnostic]:
    size = 0
    for position in range(job.start, min(job.start + job.count, connection.total)):
        record = connection.record(position, job.form)
        if record is None and not connection.came(position):
            return  # a server may send fewer than it was asked for
        if isinstance(record, bytes):
            size += len(record)
            if size > job.max_bytes:
                raise _TooLarge
        yield (
            _problem(record)
            if isinstance(record, ZoomError)
            else _UNREADABLE
            if record is None
            else record
        )


def _ours(error: ZoomError) -> bool:
    """Whether the error means that no connection was made, and is no diagnostic of a server."""
    return error.own or error.of_http


def _problem(error: ZoomError) -> Diagnostic:
    return Diagnostic(as_sru_code(error.code), error.message, error.details)


def memory(max_bytes: int) -> int:
    """Bytes that a page may take, beyond what the process has when it begins."""
    return max(LEAST_MEMORY, MEMORY_PER_BYTE * max_bytes)


def _confine(job: PageJob) -> None:
    """Has the system end the process where it takes more than a page should."""
    import resource  # not there where there is no YAZ either

    seconds = int(job.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with suppress(
        OSError, ValueError
    ):  # other systems have no such file, and most ignore such a limit
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory(job.max_bytes)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """The process."""
    starter = os.getppid()
    job = PageJob(**json.load(sys.stdin.buffer))
    with suppress(LibraryMissing):
        library()
    _confine(job)
    report, page = answer(job, lambda: os.getppid() != starter)
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(json.dumps(report).encode() + b"\n" + page)
        sys.stdout.buffer.flush()
    os._exit(0)  # nothing is to be tidied up, and the library's own tidying is not to be waited for


def written(job: PageJob) -> bytes:
    """A job as the process reads it."""
    return json.dumps(asdict(job)).encode()
