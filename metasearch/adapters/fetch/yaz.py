"""YAZ, which speaks Z39.50: its C interface, and the process in which it reads what a
server sends.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lxml import etree

from metasearch.adapters.select.xml import parse_xml
from metasearch.bib import normalise

# YAZ's ZOOM, the C interface to Z39.50, by ctypes: a connection that searches once and is closed.
# https://software.indexdata.com/yaz/doc/zoom.html. The library (Debian's libyaz5) is loaded when it
# is first needed. It never waits itself: `ZoomConnection.run` does, on the socket, so that a
# deadline holds however slowly a server sends, and what is given up ends in a moment.

#: The name under which version 5 is installed; another one is looked for where there is none.
LIBRARY = "libyaz.so.5"
#: Seconds after which a wait checks whether it was given up.
SLICE = 0.1

# zoom.h: ZOOM_ERROR_*, from 10000 on; below are the diagnostics of the set that stands beside the
# code.
CONNECT, ENCODE, DECODE, CONNECTION_LOST, INIT, TIMEOUT, INVALID_QUERY = (
    10000,
    10002,
    10003,
    10004,
    10005,
    10007,
    10010,
)
_OWN = 10000
_READ, _WRITE, _EXCEPT = 1, 2, 4
#: How a server's first message begins: with the tag of initResponse, or of close.
_GREETINGS = (b"\xb5", b"\xbf")

_HANDLE, _TEXT, _COUNT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_TEXT_OUT = ctypes.POINTER(ctypes.c_char_p)
#: Function -> types of its result and of its arguments. A pointer that is left out would be cut to
#: 32 bits.
_SIGNATURES: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    "ZOOM_connection_create": (_HANDLE, (_HANDLE,)),
    "ZOOM_connection_connect": (None, (_HANDLE, _TEXT, ctypes.c_int)),
    "ZOOM_connection_destroy": (None, (_HANDLE,)),
    "ZOOM_connection_option_set": (None, (_HANDLE, _TEXT, _TEXT)),
    "ZOOM_connection_error_x": (ctypes.c_int, (_HANDLE, _TEXT_OUT, _TEXT_OUT, _TEXT_OUT)),
    "ZOOM_connection_search": (_HANDLE, (_HANDLE, _HANDLE)),
    "ZOOM_connection_get_socket": (ctypes.c_int, (_HANDLE,)),
    "ZOOM_connection_get_mask": (ctypes.c_int, (_HANDLE,)),
    "ZOOM_connection_fire_event_socket": (ctypes.c_int, (_HANDLE, ctypes.c_int)),
    "ZOOM_event_nonblock": (ctypes.c_int, (ctypes.c_int, ctypes.POINTER(_HANDLE))),
    "ZOOM_query_create": (_HANDLE, ()),
    "ZOOM_query_prefix": (ctypes.c_int, (_HANDLE, _TEXT)),
    "ZOOM_query_destroy": (None, (_HANDLE,)),
    "ZOOM_resultset_size": (_COUNT, (_HANDLE,)),
    "ZOOM_resultset_record_immediate": (_HANDLE, (_HANDLE, _COUNT)),
    "ZOOM_resultset_destroy": (None, (_HANDLE,)),
    "ZOOM_record_get": (_HANDLE, (_HANDLE, _TEXT, ctypes.POINTER(ctypes.c_int))),
    "ZOOM_record_error": (ctypes.c_int, (_HANDLE, _TEXT_OUT, _TEXT_OUT, _TEXT_OUT)),
    "yaz_diag_bib1_to_srw": (ctypes.c_int, (ctypes.c_int,)),
    "yaz_log_init_level": (None, (ctypes.c_int,)),
}


class LibraryMissing(OSError):
    """YAZ is not installed, or another version than the one that we know."""


class Abandoned(Exception):
    """The deadline has passed, or the caller has given up."""


class ZoomError(Exception):
    """An error that ZOOM or the server reports.

    Attributes:
        code: One of the constants above, or a diagnostic's number.
        details: What the server adds; may be empty.
        own: Whether it is ZOOM's own, and not a diagnostic of the server.
        of_http: Whether it is the status of an answer in HTTP, which the library reads too.
    """

    def __init__(self, code: int, message: str, details: str, diagnostics: str) -> None:
        super().__init__(f"{message}: {details}" if details else message)
        self.code = code
        self.message = message
        self.details = details
        self.own = code >= _OWN and diagnostics.upper() == "ZOOM"
        self.of_http = diagnostics.upper() == "HTTP"


@cache
def library() -> ctypes.CDLL:
    """YAZ, loaded. Raises LibraryMissing: it is not there, or lacks what we call."""
    try:
        yaz = _load()
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(yaz, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as exc:
        raise LibraryMissing(str(exc)) from exc
    yaz.yaz_log_init_level(0)  # else it writes about broken servers to our standard error
    return yaz


def _load() -> ctypes.CDLL:
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        from ctypes.util import find_library  # which takes longer to load than the library itself

        name = find_library("yaz")
        if name is None:
            raise
        return ctypes.CDLL(name)


def as_sru_code(code: int) -> int:
    """The number that SRU has for a Bib-1 diagnostic; the same number where it has none."""
    return int(library().yaz_diag_bib1_to_srw(code))


class ZoomConnection:
    """One Z39.50 association: opened, asked once, closed at the end of its `with`. Belongs to one
    thread. `host`: "address:port", an address and no name: the library looks up nothing.
    """

    def __init__(self, host: str, options: Mapping[str, str]) -> None:
        self._yaz = library()
        self._connection: int | None = self._yaz.ZOOM_connection_create(None)
        self._results: int | None = None
        self._greeted = False
        for name, value in {**options, "async": "1"}.items():
            self._yaz.ZOOM_connection_option_set(
                self._connection, name.encode(), value.encode("utf-8", "replace")
            )
        self._yaz.ZOOM_connection_connect(self._connection, host.encode(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Closes the socket and frees the records."""
        results, self._results = self._results, None
        connection, self._connection = self._connection, None
        if results is not None:
            self._yaz.ZOOM_resultset_destroy(results)
        if connection is not None:
            self._yaz.ZOOM_connection_destroy(connection)

    def search(self, pqf: str) -> None:
        """Queues the search and the retrieval that the options `start` and `count` ask for. Raises
        ZoomError: the query is not PQF.
        """
        query = self._yaz.ZOOM_query_create()
        try:
            if self._yaz.ZOOM_query_prefix(query, pqf.encode("utf-8", "replace")):
                raise ZoomError(INVALID_QUERY, "the query is not PQF", "", "ZOOM")
            self._results = self._yaz.ZOOM_connection_search(self._connection, query)
        finally:
            self._yaz.ZOOM_query_destroy(query)

    def run(self, deadline: float, given_up: Callable[[], bool]) -> None:
        """Does what is queued.

        `deadline`: latest moment, in `time.monotonic()` seconds. `given_up`: called from time to
        time; returns whether the caller has given up. Raises Abandoned: the caller has given up, or
        the deadline has passed. Raises ZoomError: the server's first message is not Z39.50. The
        library would wait for more of it, or read HTTP.
        """
        handle = _HANDLE(self._connection)
        while True:
            while self._yaz.ZOOM_event_nonblock(1, ctypes.byref(handle)):
                pass
            wanted = self._yaz.ZOOM_connection_get_mask(handle)
            descriptor = self._yaz.ZOOM_connection_get_socket(handle)
            if not wanted or descriptor < 0:
                return
            ready = 0
            while not ready:
                left = deadline - time.monotonic()
                if left <= 0 or given_up():
                    raise Abandoned
                ready = _ready(descriptor, wanted, min(left, SLICE))
            if ready & _READ and not self._greeted:
                first = _first_byte(descriptor)
                if first and first not in _GREETINGS:
                    raise ZoomError(DECODE, "not Z39.50", "", "ZOOM")
                self._greeted = bool(first)
            self._yaz.ZOOM_connection_fire_event_socket(handle, ready)

    def error(self) -> ZoomError | None:
        return self._error_of(self._yaz.ZOOM_connection_error_x, self._connection)

    @property
    def total(self) -> int:
        return int(self._yaz.ZOOM_resultset_size(self._results)) if self._results else 0

    def record(self, position: int, form: str) -> bytes | ZoomError | None:
        """A record as ZOOM_record_get writes it in this form.

        Returns a diagnostic where the server sent one in its place, and None where none came, or it
        cannot be written so. `position`: from 0. `form`: such as "xml; charset=marc-8,utf-8".
        """
        record = self._handle_of(position)
        if record is None:
            return None
        if (error := self._error_of(self._yaz.ZOOM_record_error, record)) is not None:
            return error
        length = ctypes.c_int(0)
        text = self._yaz.ZOOM_record_get(
            record, form.encode("ascii", "replace"), ctypes.byref(length)
        )
        return ctypes.string_at(text, length.value) if text and length.value > 0 else None

    def came(self, position: int) -> bool:
        """Whether the server sent a record, or a diagnostic in its place."""
        return self._handle_of(position) is not None

    def _handle_of(self, position: int) -> int | None:
        if self._results is None:
            return None
        record: int | None = self._yaz.ZOOM_resultset_record_immediate(self._results, position)
        return record

    @staticmethod
    def _error_of(function: Any, handle: int | None) -> ZoomError | None:
        message, details, diagnostics = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_char_p()
        code = function(
            handle, ctypes.byref(message), ctypes.byref(details), ctypes.byref(diagnostics)
        )
        if not code:
            return None
        texts = (
            (text.value or b"").decode("utf-8", "replace")
            for text in (message, details, diagnostics)
        )
        return ZoomError(code, *texts)


def _first_byte(descriptor: int) -> bytes:
    """The next byte, which stays to be read; nothing where there is none, or no socket."""
    twin = os.dup(descriptor)
    try:
        with socket.socket(fileno=twin) as peeking:
            return peeking.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except OSError:
        with suppress(OSError):
            os.close(twin)
        return b""


def _ready(descriptor: int, wanted: int, seconds: float) -> int:
    """Which of ZOOM's events a socket is ready for; 0 where none comes in time."""
    poller = select.poll()
    wanted_events = (select.POLLIN if wanted & _READ else 0) | (
        select.POLLOUT if wanted & _WRITE else 0
    )
    poller.register(descriptor, wanted_events | select.POLLERR)
    ready = 0
    for _, events in poller.poll(max(1, int(seconds * 1000))):
        # A closed connection counts as readable: the library notices when it reads.
        ready |= _READ if events & (select.POLLIN | select.POLLHUP) else 0
        ready |= _WRITE if events & select.POLLOUT else 0
        ready |= _EXCEPT if events & (select.POLLERR | select.POLLNVAL) else 0
    return ready


# Another protocol's answer as one of SRU: one parser, one cache, one cassette. Pure.

_SRU, _DIAGNOSTIC = "http://www.loc.gov/zing/srw/", "http://www.loc.gov/zing/srw/diagnostic/"
#: SRU's "Record not available in this schema".
_NOT_AVAILABLE = 67
_PLAIN: Mapping[Any, str] = {None: _SRU}
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A diagnostic: its number in SRU's list, what that means, and what the server adds."""

    code: int
    message: str
    details: str = ""


def envelope(
    total: int, records: Iterable[bytes | Diagnostic], problems: Iterable[Diagnostic] = ()
) -> bytes:
    """A searchRetrieveResponse. `records`: each as XML in UTF-8, or what stands in its place; one
    that is not well-formed becomes a problem.
    """
    root = etree.Element(f"{{{_SRU}}}searchRetrieveResponse", nsmap=_PLAIN)
    _put(root, "version", "1.1")
    _put(root, "numberOfRecords", str(total))
    listed = etree.SubElement(root, f"{{{_SRU}}}records")
    for record in records:
        data = etree.SubElement(
            etree.SubElement(listed, f"{{{_SRU}}}record"), f"{{{_SRU}}}recordData"
        )
        data.append(_diagnostic(record) if isinstance(record, Diagnostic) else _tree(record))
    if diagnostics := [_diagnostic(problem) for problem in problems]:
        etree.SubElement(root, f"{{{_SRU}}}diagnostics").extend(diagnostics)
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return written


def _tree(record: bytes) -> Any:
    try:
        return _compose(parse_xml(record))
    except ValueError:
        legal = _ILLEGAL.sub("", record.decode("utf-8", "replace"))
    try:
        return _compose(parse_xml(legal.encode()))
    except ValueError as exc:
        return _diagnostic(Diagnostic(_NOT_AVAILABLE, "a record is not XML", str(exc)[:100]))


def _compose(tree: Any) -> Any:
    """The tree with letters and accents in one, as what is made of it; MARC-8 has them apart."""
    for element in tree.iter():
        if element.text and not element.text.isascii():
            element.text = normalise.normalize("NFC", element.text)
    return tree


def _diagnostic(problem: Diagnostic) -> Any:
    element = etree.Element(f"{{{_DIAGNOSTIC}}}diagnostic")
    for name, text in (
        ("uri", f"info:srw/diagnostic/1/{problem.code}"),
        ("details", problem.details),
        ("message", problem.message),
    ):
        etree.SubElement(element, f"{{{_DIAGNOSTIC}}}{name}").text = _ILLEGAL.sub("", text)
    return element


def _put(parent: Any, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{_SRU}}}{name}").text = text


# The process in which YAZ reads what a Z39.50 server sends: it fetches one page, writes it to its
# output, and ends. YAZ is a C library, buffers up to 128 MiB of a message, and has no option for a
# lower limit (docs/decisions/0021). Here what a hostile server makes of it has bounds: of memory,
# of processor time, and the deadline, at which z3950.py ends the process, whatever it is doing. It
# receives nothing but the job: no environment, no open files.
#
# A job is one JSON object on standard input. The answer is one line of JSON, which reports how the
# job ended, and then the page.

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
        return {"outcome": PAGE}, _fetch(job, time.monotonic() + job.seconds, given_up)
    except Abandoned:
        return {"outcome": LATE}, b""
    except LibraryMissing:
        return {"outcome": MISSING}, b""
    except _TooLarge:
        return {"outcome": TOO_LARGE}, b""
    except ZoomError as exc:
        return {"outcome": FAILED, "code": exc.code, "own": exc.own}, b""


def _fetch(job: PageJob, deadline: float, given_up: Callable[[], bool]) -> bytes:
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


def pack_job(job: PageJob) -> bytes:
    return json.dumps(asdict(job)).encode()
