"""What is no body at all: interim responses, heads, chunks and compressed bytes without end."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import brotli

from benchmarks.pages.made import BENIGN, Page, Pieces, head

ENDLESS, BOMB = "an answer without end", "a bomb"
#: Bytes in one piece of what never ends.
PIECE = 64 * 1024
#: Bytes to which a bomb expands.
BOMB_SIZE = 1 << 30
CHUNKED = "Transfer-Encoding: chunked"


def pages() -> Iterator[Page]:
    """Each of this file."""
    yield Page("continue", "crossref", "100 Continue without end", ENDLESS, _continue)
    yield Page("early-hints", "crossref", "103 Early Hints without end", ENDLESS, _early_hints)
    yield Page("headers", "crossref", "headers without end", ENDLESS, _headers)
    yield Page("header-line", "crossref", "one header line without end", ENDLESS, _header_line)
    yield Page("endless-json", "crossref", "a body without end", ENDLESS, _endless_json)
    yield Page("endless-xml", "sru", "a body without end, in XML", ENDLESS, _endless_xml)
    yield Page(
        "endless-length", "crossref", "a body of a stated length of 1 TB", ENDLESS, _terabyte
    )
    yield Page("tiny-chunks", "crossref", "chunks of one byte without end", ENDLESS, _tiny_chunks)
    yield Page(
        "chunk-extension", "crossref", "a chunk's head without end", ENDLESS, _chunk_extension
    )
    yield Page("trailers", "crossref", "trailers without end", ENDLESS, _trailers)
    yield Page("error-body", "crossref", "a 500 with a body without end", ENDLESS, _error_body)
    yield Page(
        "redirect-body", "crossref", "a redirect with a body without end", ENDLESS, _redirect_body
    )
    yield Page("trickle", "crossref", "a byte every 20 ms", ENDLESS, _trickle)
    yield Page("silence", "crossref", "no answer", ENDLESS, _silence)
    yield Page(
        "gzip-bomb",
        "crossref",
        "1 GB of blanks, gzipped",
        BOMB,
        lambda: _deflated("crossref", b" ", once=True),
    )
    yield Page("gzip-twice", "crossref", "1 GB of blanks, gzipped twice", BOMB, _gzip_twice)
    yield Page(
        "gzip-xml",
        "sru",
        "1 GB of <a>, gzipped",
        BOMB,
        lambda: _deflated("sru", b"<a>", once=False),
    )
    yield Page("brotli-bomb", "crossref", "1 GB of blanks, by brotli", BOMB, _brotli)


def _forever(first: bytes, again: bytes) -> Pieces:
    yield first
    more = again * (PIECE // len(again) + 1)
    while True:
        yield more


def _continue() -> Pieces:
    return _forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n")


def _early_hints() -> Pieces:
    return _forever(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")


def _headers() -> Pieces:
    return _forever(b"HTTP/1.1 200 OK\r\n", b"X-Soil: water\r\n")


def _header_line() -> Pieces:
    return _forever(b"HTTP/1.1 200 OK\r\nX-Soil: ", b"water ")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _endless_json() -> Pieces:
    begin = b'{"status":"ok","message-type":"work-list","message":{"total-results":9,"items":['
    work = b'{"DOI":"10.5555/a","title":["Soil"]},'
    return _forever(head("crossref", CHUNKED) + _chunk(begin), _chunk(work * 500))


def _endless_xml() -> Pieces:
    begin = BENIGN["sru"]().partition(b"</record>")[0]
    return _forever(head("sru", CHUNKED) + _chunk(begin), _chunk(b"<a>soil</a>" * 2000))


def _terabyte() -> Pieces:
    return _forever(
        head("crossref", f"Content-Length: {1 << 40}"), b'{"status":"ok",' + b" " * 1000
    )


def _tiny_chunks() -> Pieces:
    return _forever(head("crossref", CHUNKED), b"1\r\n \r\n")


def _chunk_extension() -> Pieces:
    return _forever(head("crossref", CHUNKED) + b"1;", b"soil=water;")


def _trailers() -> Pieces:
    body = _chunk(BENIGN["crossref"]())
    return _forever(head("crossref", CHUNKED) + body + b"0\r\n", b"X-Soil: water\r\n")


def _error_body() -> Pieces:
    return _forever(head("crossref", CHUNKED, status="500 No"), _chunk(b"soil " * 10_000))


def _redirect_body() -> Pieces:
    begin = head("crossref", CHUNKED, "Location: /hostile/redirect-body", status="302 Found")
    return _forever(begin, _chunk(b"soil " * 10_000))


def _trickle() -> Pieces:
    yield head("crossref", "Content-Length: 100000")
    while True:
        yield b" "
        yield 0.02


def _silence() -> Pieces:
    while True:
        yield 1.0


# --------------------------------------------------------------------------- compressed


def _bomb(text: bytes, size: int) -> Iterator[bytes]:
    """`size` bytes of the text again and again, gzipped as they come."""
    press = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    piece = text * (1_000_000 // len(text))
    for _ in range(size // len(piece)):
        yield press.compress(piece)
    yield press.flush()


def _deflated(shape: str, text: bytes, *, once: bool) -> Pieces:
    """An ordinary page of the shape, and then the text, gzipped."""
    press = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    yield head(shape, "Content-Encoding: gzip")
    begin = BENIGN[shape]()
    yield press.compress(begin if once else begin.rpartition(b"</records>")[0])
    piece = text * (1_000_000 // len(text))
    for _ in range(BOMB_SIZE // len(piece)):
        yield press.compress(piece)
    yield press.flush()


def _gzip_twice() -> Pieces:
    yield head("crossref", "Content-Encoding: gzip, gzip")
    press = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for piece in _bomb(b" ", BOMB_SIZE):
        yield press.compress(piece)
    yield press.flush()


def _brotli() -> Pieces:
    yield head("crossref", "Content-Encoding: br")
    press = brotli.Compressor(quality=5)
    piece = b" " * 1_000_000
    for _ in range(BOMB_SIZE // len(piece)):
        yield press.process(piece)
    yield press.finish()
