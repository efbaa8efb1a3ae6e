"""A Z39.50 server on loopback that says what a test has it say: BER by hand, for the few messages
that a search takes.

https://www.loc.gov/z3950/agency/asn1.html
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from tests.adapters.threaded import accepting

#: First bytes of the requests: initRequest, searchRequest, presentRequest.
INIT, SEARCH, PRESENT = 0xB4, 0xB6, 0xB8
_BIB1_DIAGNOSTICS, _USMARC = bytes.fromhex("2a8648ce130401"), bytes.fromhex("2a8648ce13050a")

#: Takes the first byte of a request, gives what is sent, or the parts of it; None closes the
#: connection.
Script = Callable[[int], bytes | Iterable[bytes] | None]


def ber(tag: int | bytes, *content: bytes) -> bytes:
    """Tag, length and content."""
    name = bytes([tag]) if isinstance(tag, int) else tag
    body = b"".join(content)
    if len(body) < 0x80:
        return name + bytes([len(body)]) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return name + bytes([0x80 | len(length)]) + length + body


def integer(tag: int, value: int) -> bytes:
    return ber(tag, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def init_response(*, accepted: bool = True) -> bytes:
    size = 1 << 20
    return ber(
        0xB5, ber(0x83, b"\x05\xe0"), ber(0x84, b"\x06\xc0"), integer(0x85, size), integer(0x86,
        size),
        ber(0x8C, b"\xff" if accepted else b"\x00"),
    )  # fmt: skip


def _diagnostic(code: int, details: str) -> bytes:
    return ber(6, _BIB1_DIAGNOSTICS) + integer(2, code) + ber(0x1A, details.encode())


def marc(body: bytes) -> bytes:
    """A record in MARC 21, to be listed."""
    return ber(0x30, ber(0xA1, ber(0xA1, ber(0x28, ber(6, _USMARC), ber(0x81, body)))))


def surrogate(code: int, details: str) -> bytes:
    """A diagnostic in the place of a record."""
    return ber(0x30, ber(0xA1, ber(0xA2, ber(0x30, _diagnostic(code, details)))))


def search_response(total: int, records: Sequence[bytes] = ()) -> bytes:
    listed = [ber(0xBC, *records)] if records else []
    return ber(
        0xB7, integer(0x97, total), integer(0x98, len(records)), integer(0x99, len(records) + 1),
        ber(0x96, b"\xff"),
        *listed,
    )  # fmt: skip


def search_failed(code: int, details: str = "") -> bytes:
    return ber(
        0xB7, integer(0x97, 0), integer(0x98, 0), integer(0x99, 0), ber(0x96, b"\x00"),
        ber(b"\xbf\x81\x02", _diagnostic(code, details)),
    )  # fmt: skip


def present_response(records: Sequence[bytes]) -> bytes:
    return ber(
        0xB9, integer(0x98, len(records)), integer(0x99, 1), integer(0x9B, 0), ber(0xBC, *records)
    )


def present_failed(code: int, details: str = "") -> bytes:
    return ber(
        0xB9,
        integer(0x98, 0),
        integer(0x99, 0),
        integer(0x9B, 5),
        ber(b"\xbf\x81\x02", _diagnostic(code, details)),
    )


def answering(search: bytes, present: bytes | None = None) -> Script:
    """A server that opens every session, and has one answer to a search and one to a present."""
    return {INIT: init_response(), SEARCH: search, PRESENT: present}.get


class Z3950Server:
    """What a test sees of the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[bytes] = []
        self.sent = 0
        #: Set when a client has gone, or was sent away.
        self.left = threading.Event()

    @property
    def url(self) -> str:
        return f"z3950://127.0.0.1:{self.port}/Default"


@contextmanager
def z3950_server(script: Script) -> Iterator[Z3950Server]:
    """A server that follows the script with every connection, until the test is over."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Z3950Server(listener.getsockname()[1])

        def serve(connection: socket.socket) -> None:
            with connection:
                try:
                    while (request := connection.recv(65_536)) and (
                        answer := script(request[0])
                    ) is not None:
                        server.requests.append(request)
                        for part in [answer] if isinstance(answer, bytes) else answer:
                            connection.sendall(part)
                            server.sent += len(part)
                except OSError:  # the client has had enough
                    pass
            server.left.set()

        accepting(listener, serve)
        yield server
        listener.shutdown(socket.SHUT_RDWR)
