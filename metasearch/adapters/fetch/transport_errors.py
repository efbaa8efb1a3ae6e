"""Errors of aiohttp, of sockets and of decoders become our own, by one table."""

from __future__ import annotations

import os
import traceback

import aiohttp

from metasearch.adapters.fetch.bounded import TooMuchFraming, TooMuchHead
from metasearch.adapters.redaction import without_secrets
from metasearch.adapters.request import Request
from metasearch.errors import BadAnswer, ConnectFailed, NotAllowed, SourceError, TimedOut
from metasearch.message import Message, message

#: Foreign error -> our own, and its sentence; the first line that fits counts.
TRANSLATIONS: tuple[tuple[type[Exception], type[SourceError], Message], ...] = (
    (aiohttp.ClientConnectorDNSError, ConnectFailed, message("its host name cannot be resolved")),
    (
        aiohttp.ClientConnectorCertificateError,
        ConnectFailed,
        message("its TLS certificate is not valid"),
    ),
    (aiohttp.ClientSSLError, ConnectFailed, message("no TLS connection can be made")),
    (aiohttp.ClientConnectorError, ConnectFailed, message("no connection can be made")),
    (
        aiohttp.ServerDisconnectedError,
        ConnectFailed,
        message("it closed the connection without an answer"),
    ),
    (aiohttp.ClientOSError, ConnectFailed, message("the connection broke")),
    (
        aiohttp.http_exceptions.ContentEncodingError,
        BadAnswer,
        message("its answer is not compressed as its header declares"),
    ),
    (aiohttp.http_exceptions.HttpProcessingError, BadAnswer, message("its answer is not HTTP")),
    (aiohttp.ClientPayloadError, ConnectFailed, message("its answer broke off")),
    (aiohttp.ClientResponseError, BadAnswer, message("its answer is not HTTP")),
    (
        TooMuchHead,
        BadAnswer,
        message("its answer has too many interim responses, or too long a header"),
    ),
    (
        TooMuchFraming,
        BadAnswer,
        message("its answer consists of chunk headers with next to no content"),
    ),
    (aiohttp.InvalidURL, NotAllowed, message("the URL cannot be used")),
    (aiohttp.ClientError, ConnectFailed, message("the exchange failed")),
    (TimeoutError, TimedOut, message("no whole answer")),
    (OSError, ConnectFailed, message("the connection failed")),
    (ValueError, NotAllowed, message("the request cannot be written as HTTP")),
)

#: What aiohttp's parser raises where a body ends before its declared length or its last chunk.
BROKEN_OFF = (
    aiohttp.http_exceptions.ContentLengthError,
    aiohttp.http_exceptions.TransferEncodingError,
)


def translated(exc: Exception, request: Request, timeout: float) -> SourceError | None:
    """Returns our error for one of aiohttp's, the socket's or the codec's; None for any other.

    The message is ours, because aiohttp's texts hold URLs, and so keys. Only the system's name for
    an error number is added.
    """
    inner = _telling(exc)
    for foreign, own, sentence in TRANSLATIONS:
        if isinstance(inner, foreign):
            text = sentence
            if own is TimedOut:
                text = message("no whole answer within {seconds} s", seconds=f"{timeout:g}")
            number = inner.errno if isinstance(inner, OSError) else None
            if own is ConnectFailed and number is not None and number > 0:
                # asyncio puts texts of its own into `strerror`
                detail = os.strerror(number)
                text = message("{sentence} ({detail})", sentence=sentence, detail=detail)
            return own(request.source, text, url=request.shown)
    return None


def _telling(exc: Exception) -> Exception:
    """The most precise error of a chain: aiohttp wraps those of decoders and HTTP parser."""
    cause = exc.__cause__
    if not isinstance(exc, aiohttp.ClientPayloadError) or isinstance(cause, BROKEN_OFF):
        return exc
    return cause if isinstance(cause, aiohttp.http_exceptions.HttpProcessingError) else exc


def shareable(exc: Exception, request: Request) -> Exception | None:
    """The cause to keep: None where its texts, which a log may print, repeat a secret."""
    trace = "".join(traceback.format_exception(exc))
    return exc if without_secrets(trace, request) == trace else None
