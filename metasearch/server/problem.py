"""Errors as answers of HTTP, and which of our forms a client would like best: the Accept header of
RFC 9110, 12.5.1.
"""

from __future__ import annotations

import errno
import logging
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

import orjson
from aiohttp import web

from metasearch.errors import (
    Busy,
    Conflict,
    FormatError,
    MetasearchError,
    QuerySyntaxError,
    QuotaExceeded,
    RunClash,
    UnknownSource,
    UsageError,
    WorkspaceError,
)
from metasearch.formats.text import clean, line
from metasearch.message import N_, join_texts, map_values, message
from metasearch.regular_files import NO_RIGHT, NO_SPACE, sqlite_kind

_quality = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?", re.ASCII)
#: Characters of an Accept-Language header that are read.
_LONGEST_HEADER = 1_000


@dataclass(frozen=True, slots=True)
class Range:
    """One media range: "text/*;q=0.5" is Range("text", "*", 0.5)."""

    type: str
    subtype: str
    quality: float

    @property
    def specificity(self) -> int:
        """2 for a whole media type, 1 for "text/*", 0 for "*/*"."""
        return (self.type != "*") + (self.subtype != "*")

    def matches(self, media_type: str) -> bool:
        """Whether the range covers a media type such as "text/html"."""
        kind, _, subtype = media_type.partition("/")
        return self.type in ("*", kind) and self.subtype in ("*", subtype)


def _parts_by_quality(header: str) -> Iterator[tuple[str, float]]:
    """What each part of a header names, in small letters, and its quality."""
    for part in header.split(","):
        named, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                quality = float(value) if _quality.fullmatch(value.strip()) else 0.0
        yield named, quality


def parse_accept(header: str) -> list[Range]:
    """The media ranges of an Accept header; unreadable ones and parameters but `q` fall out."""
    ranges = []
    for media, quality in _parts_by_quality(header):
        kind, slash, subtype = media.partition("/")
        if slash and kind and subtype and (kind != "*" or subtype == "*"):
            ranges.append(Range(kind, subtype, quality))
    return ranges


def choose(header: str, offered: Iterable[tuple[str, str]]) -> str | None:
    """Name of the offered form that the client prefers, or None where it accepts none of them.

    A client that says nothing takes the first. For each form the most specific range that covers it
    decides; among equals one that was named wins over one that was only covered by a wildcard, then
    the order of the offer. `header`: the Accept header, "" where there is none. `offered`: (name,
    media type), the one that we like best first.
    """
    ranges = parse_accept(header)
    if not header.strip():
        return next((name for name, _ in offered), None)
    best: tuple[float, int] = (0.0, -1)
    chosen = None
    for name, media_type in offered:
        covering = [media_range for media_range in ranges if media_range.matches(media_type)]
        if not covering:
            continue
        deciding = max(
            covering, key=lambda media_range: (media_range.specificity, media_range.quality)
        )
        rating = (deciding.quality, deciding.specificity)
        if deciding.quality > 0 and rating > best:
            best, chosen = rating, name
    return chosen


def preferred_languages(header: str) -> list[str]:
    """The language ranges of an Accept-Language header in small letters, the best liked first
    (RFC 9110, section 12.5.4); those with quality 0 and "*" are left out.
    """
    named = [
        each for each in _parts_by_quality(header[:_LONGEST_HEADER]) if each[0] not in ("", "*")
    ]
    return [name for name, quality in sorted(named, key=lambda each: -each[1]) if quality > 0]


# Errors as clients see them: problem details (RFC 9457) as JSON, or a page where a browser asks;
# also those of a disk that is full.

MEDIA_TYPE = "application/problem+json"
#: Seconds after which a client may come again where too much of the same was under way.
_RETRY_AFTER = "5"

#: Last part of `type` -> `title`, which is the same for every problem of the type. Others are
#: "about:blank".
KINDS: Mapping[str, str] = {
    "parameters": message("A parameter cannot be used"),
    "query-syntax": message("The query cannot be read"),
    "unknown-source": message("There is no such source"),
    "usage": message("The request cannot be carried out"),
    "conflict": message("It was changed meanwhile"),
    "not-acceptable": message("There is no such format"),
    "no-such-work": message("There is no such work here"),
    "no-source-answered": message("No source answered"),
    "no-source-asked": message("No source could be asked"),
    "not-ready": message("No source is usable"),
    "busy": message("Too many searches are running"),
    "rate-limited": message("Too many requests"),
    "share": message("You have too much under way at once"),
    "full": message("The server has no room for more now"),
    "storage": message("The server cannot store or read its data now"),
    "forged-form": message("The form cannot be accepted"),
    "no-workspace": message("This server has no workspace"),
    "running": message("A run is under way"),
    "not-running": message("The run is not under way"),
    "basket-full": message("The basket is full"),
    "login-failed": message("You could not be logged in"),
    "quota": message("Your quota is used up"),
    "login-needed": message("You are not logged in"),
    "not-allowed": message("This is not allowed"),
    "key-needed": message("An API key is needed"),
    "key-in-address": message("A key must not be in the address"),
}
#: The titles of other problems are the phrases of HTTP, of which pages show these.
PHRASES = (
    N_("Bad Request"),
    N_("Not Found"),
    N_("Method Not Allowed"),
    N_("Request Timeout"),
    N_("Request Entity Too Large"),
    N_("Content Too Large"),
    N_("Request-URI Too Long"),
    N_("URI Too Long"),
    N_("Unsupported Media Type"),
    N_("Internal Server Error"),
    N_("Not Implemented"),
    N_("Bad Gateway"),
    N_("Service Unavailable"),
    N_("Gateway Timeout"),
)


class Problem(Exception):
    """An error answer that is ready to be sent.

    Attributes:
        kind: A key of `KINDS`, or None if the status alone describes the error.
        detail: This case in one or two sentences. It and the texts in `members` are a `Message`
            where they can be translated.
        members: Further members; their names are part of the interface.
        headers: Headers that the status calls for.
    """

    def __init__(
        self,
        status: int,
        kind: str | None = None,
        detail: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = map_values(detail, line)
        self.members = members
        self.headers = dict(headers or {})

    @property
    def title(self) -> str:
        return KINDS[self.kind] if self.kind else message(HTTPStatus(self.status).phrase)

    def object(self, instance: str) -> dict[str, Any]:
        """The members of the JSON body; `instance` is the path of the request."""
        head = {
            "type": f"urn:metasearch:problem:{self.kind}" if self.kind else "about:blank",
            "title": self.title,
            "status": self.status,
        }
        detail = {"detail": self.detail} if self.detail else {}
        return head | detail | {"instance": clean(instance)} | self.members

    def response(self, instance: str) -> web.Response:
        return web.Response(
            body=orjson.dumps(self.object(instance), option=orjson.OPT_APPEND_NEWLINE),
            status=self.status,
            content_type=MEDIA_TYPE,
            headers=self.headers,
        )

    @classmethod
    def bad_parameter(cls, name: str, reason: str) -> Self:
        """400 for one parameter that cannot be used."""
        return cls.bad_parameters([{"parameter": name, "reason": reason}])

    @classmethod
    def bad_parameters(cls, errors: Iterable[Mapping[str, str]]) -> Self:
        """400 for parameters that cannot be used: [{"parameter", "reason"}]."""
        listed = [dict(error) for error in errors]
        detail = join_texts(
            "; ",
            (
                message(
                    "{parameter}: {reason}", parameter=error["parameter"], reason=error["reason"]
                )
                for error in listed
            ),
        )
        return cls(400, "parameters", detail, errors=listed)

    @classmethod
    def unacceptable(cls, detail: str, allowed: Iterable[tuple[str, str]]) -> Self:
        """406 with the formats that are available, as [{"format", "media_type"}]."""
        return cls(
            406,
            "not-acceptable",
            detail,
            allowed=[{"format": name, "media_type": media} for name, media in allowed],
        )

    @classmethod
    def of(cls, error: MetasearchError) -> Self:
        advice = map_values(error.advice, line) or None
        match error:
            case QuerySyntaxError():
                return cls(
                    400,
                    "query-syntax",
                    error.reason,
                    query=error.text,
                    position=error.position,
                    length=error.length,
                    suggestion=clean(error.suggestion) if error.suggestion else None,
                    advice=None if error.suggestion else advice,
                    errors=[{"parameter": "q", "reason": map_values(error.reason, line)}],
                    syntax=error.syntax,
                )
            case UnknownSource():
                return cls(
                    400,
                    "unknown-source",
                    str(error),
                    advice=advice,
                    near_misses=[clean(name) for name in error.near_misses],
                    errors=[{"parameter": "sources", "reason": map_values(str(error), line)}],
                )
            case Conflict():
                theirs = error.theirs
                return cls(
                    409,
                    "conflict",
                    str(error),
                    advice=advice,
                    yours=error.yours,
                    theirs=None if theirs is None else theirs | {"version": error.version},
                )
            case RunClash():
                return cls(409, error.kind, str(error), advice=advice)
            case Busy():
                return cls(
                    503, None, str(error), headers={"Retry-After": _RETRY_AFTER}, advice=advice
                )
            case QuotaExceeded():
                again = error.retry_after
                return cls(
                    429,
                    "quota",
                    str(error),
                    headers={} if again is None else {"Retry-After": str(again)},
                    advice=advice,
                    quota=error.kind,
                    limit=error.limit,
                )
            case UsageError():
                return cls(400, "usage", str(error), advice=advice)
            case FormatError():
                return cls(406, "not-acceptable", str(error), advice=advice)
            case _:
                return cls(error.status)


def wants_html(request: web.Request) -> bool:
    """Whether an error is answered with a page, by `format`, else by the Accept header."""
    named = request.query.get("format", "")
    if named:
        return named == "html"
    offered = (("json", MEDIA_TYPE), ("json", "application/json"), ("html", "text/html"))
    return choose(request.headers.get("Accept", ""), offered) == "html"


# What a client is told when the disk of the server is full, or its data cannot be used now. That it
# is so, and who can mend it: files, reasons and what to do stand in the log.

#: Seconds after which a client may come again: where another process writes, and else.
SOON, LATER = 5, 60
#: Seconds for which the same is logged once: a log must not fill what is left of the disk.
QUIET = 60.0

logger = logging.getLogger("metasearch.server")
#: What was logged -> when.
_logged: dict[str, float] = {}


def is_storage(exc: OSError) -> bool:
    """Whether the system refuses to write, and not to read what somebody has named."""
    return exc.errno in NO_SPACE or exc.errno in NO_RIGHT or exc.errno == errno.EIO


def storage_problem(exc: WorkspaceError | OSError) -> Problem:
    """507 for a full disk, 503 where it cannot be used otherwise; the log gets the details."""
    _log(exc)
    if isinstance(exc, OSError):
        full, busy = exc.errno in NO_SPACE, False
    else:
        busy = sqlite_kind(exc.__cause__) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        full = exc.status == 507
    if full:
        detail = message("The disk of the server is full: nothing of this was saved.")
        advice = message(
            "An administrator must free space; what was saved before is there, and can be read."
        )
    elif busy:
        detail = message("The server is writing something large: nothing of this was saved.")
        advice = message("Try again in a moment.")
    else:
        detail = message("The server cannot read or write its data: nothing of this was saved.")
        advice = message("Tell an administrator; the log of the server has the details.")
    again = {"Retry-After": str(SOON if busy else LATER)}
    return Problem(507 if full else 503, "storage", detail, headers=again, advice=advice)


def _log(exc: WorkspaceError | OSError) -> None:
    """Log it at error level, with the path and the advice for who runs the server."""
    now = time.monotonic()
    text = f"{exc}. {exc.advice}" if isinstance(exc, WorkspaceError) else str(exc)
    if now - _logged.get(text, -QUIET) >= QUIET:
        if len(_logged) >= 100:
            _logged.clear()
        _logged[text] = now
        logger.error("the storage fails: %s", text)
