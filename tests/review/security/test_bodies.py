"""Bodies of requests, on real sockets: forged heads of parts, odd boundaries and encodings end in
no fault of the server, and nothing that was sent stands in a log.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from metasearch.server.app import _bind, make_app
from metasearch.server.limits import Options
from tests import cases
from tests.review.pages.filled import TEXT, filled
from tests.server.addresses import EVERY_ROUTE
from tests.server.fake import FakeEngine

#: What every body holds; no log may.
MARK = b"zzmarkzz"
NAME, FILE = b"Content-Disposition: form-data; name=", b'form-data; name="file"; filename='
KIND = b"multipart/form-data; boundary=bnd"
#: Of a form; its field "token" is put before the parts where the name does not say otherwise.
RIS = b"TY  - JOUR\r\nTI  - " + MARK + b"\r\nER  - \r\n"
DISPOSITION = b"Content-Disposition: "
#: What is wrong with a part -> its head, and its content.
PARTS: dict[str, tuple[bytes, bytes]] = {
    "no disposition": (b"X: " + MARK, MARK),
    "no head": (b"", MARK),
    "no colon": (MARK, MARK),
    "a name of a field that is none": (b"zz(" + MARK + b"): x", MARK),
    "no type of disposition": (DISPOSITION + MARK + b'=;;;"', MARK),
    "an open quote": (DISPOSITION + b"form-data; " + MARK + b'; name="a', MARK),
    "a NUL": (NAME + b'"a\0' + MARK + b'"', MARK),
    "a carriage return": (NAME + b'"a\r' + MARK + b'"', MARK),
    "a head of 20,000 bytes": (NAME + b'"' + MARK * 2_500 + b'"', MARK),
    "500 fields of a head": (b"\r\n".join(b"X-%d: " % n + MARK for n in range(500)), MARK),
    "a name that is no UTF-8": (NAME + b'"\xff\xfe' + MARK + b'"', MARK),
    "half a character": (NAME + b'"\xed\xa0\x80"', MARK),
    "a value that is no UTF-8": (NAME + b'"do"', b"\xff\xfe" + MARK),
    "parts in a part": (
        NAME + b'"a"\r\nContent-Type: multipart/mixed; boundary=' + MARK,
        b"--" + MARK + b"\r\n\r\nx\r\n--" + MARK + b"--",
    ),
    "parts in a part, without a boundary": (b"Content-Type: multipart/mixed", MARK),
    "a charset that there is not": (
        NAME + b'"a"\r\nContent-Type: ;;///' + MARK + b"; charset=" + MARK,
        MARK,
    ),
    "a transfer encoding that there is not": (
        NAME + b'"a"\r\nContent-Transfer-Encoding: ' + MARK,
        MARK,
    ),
    "base64 that is none": (NAME + b'"a"\r\nContent-Transfer-Encoding: base64', b"!!!!" + MARK),
    "a content encoding that there is not": (NAME + b'"a"\r\nContent-Encoding: ' + MARK, MARK),
    "a length that is none": (NAME + b'"a"\r\nContent-Length: ' + MARK, MARK),
    "a length below zero": (NAME + b'"a"\r\nContent-Length: -1', MARK),
    "a file whose name is no UTF-8": (DISPOSITION + FILE + b'"\xff' + MARK + b'.ris"', RIS),
    "a file whose name has a charset that there is not": (
        DISPOSITION + FILE[:-9] + b"filename*=nope''%ff" + MARK,
        RIS,
    ),
    "a file whose name is in pieces": (
        DISPOSITION + FILE[:-9] + b"filename*0*=utf-8''%ff; filename*1=" + MARK,
        RIS,
    ),
    "a file whose name has a NUL": (DISPOSITION + FILE + b'"a\\\0b/' + MARK + b'"', RIS),
    "a file whose name is a path": (DISPOSITION + FILE + b'"../../etc/' + MARK + b'"', RIS),
    "a file whose name is two lines": (DISPOSITION + FILE + b'"a%0d%0aX-A: 1.ris"', RIS),
    "a folded head": (DISPOSITION + FILE + b'"a\r\n\t' + MARK + b'"', RIS),
    "a charset of all fields that is long": (NAME + b'"_charset_"', MARK * 9),
    "a charset of all fields that there is not": (NAME + b'"_charset_"', MARK),
    "a charset of all fields that is no text": (NAME + b'"_charset_"', b"\xff\xfe"),
}


def form(*parts: tuple[bytes, bytes], end: bytes = b"--bnd--\r\n") -> bytes:
    """A body of parts."""
    return b"".join(b"--bnd\r\n%b\r\n\r\n%b\r\n" % part for part in parts) + end


def bodies(token: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """(what is wrong, Content-Type, body)."""
    first = (NAME + b'"token"', token)
    for name, part in PARTS.items():
        yield name, KIND, form(first, part)
        yield f"{name}, at first", KIND, form(part, first)
    yield "200 parts", KIND, form(first, *[(NAME + b'"a"', MARK)] * 200)
    yield "two files", KIND, form(first, *[(DISPOSITION + FILE + b'"a"', MARK)] * 2)
    yield "nothing", KIND, b""
    yield "no end", KIND, form(first, (NAME + b'"a"', MARK), end=b"")
    yield "cut in a head", KIND, b"--bnd\r\nContent-Disposition: form-da" + MARK
    yield "a line without end", KIND, b"--bnd\r\n" + MARK * 20_000
    yield "a preamble", KIND, MARK * 20_000 + b"\r\n" + form(first)
    yield "a preamble without end", KIND, MARK * 200_000
    yield "another boundary", KIND, form(first).replace(b"--bnd--", b"--bnd" + MARK)
    yield "line feeds alone", KIND, form(first, (NAME + b'"a"', MARK)).replace(b"\r\n", b"\n")
    for boundary in (b"", b'"' + MARK, MARK * 20, b"\xff\xfe", b"bnd; boundary=other", b"b" * 70):
        yield (
            f"boundary={boundary!r:.30}",
            b"multipart/form-data; boundary=" + boundary,
            form(first),
        )
    yield "no boundary", b"multipart/form-data", form(first)
    yield "capitals", b"MULTIPART/Form-Data; Boundary=bnd", form(first, (NAME + b'"a"', MARK))


@dataclass(frozen=True)
class Server:
    """A server on a socket, with a visitor who has its cookies and a token."""

    port: int
    cookie: bytes
    token: bytes
    review: str
    strategy: str

    async def post(
        self, path: str, kind: bytes, body: bytes, head: Sequence[bytes] = ()
    ) -> tuple[int, bytes]:
        """Status and answer; 0 where the connection was cut."""
        length = (
            () if any(b"chunked" in line for line in head) else (b"Content-Length: %d" % len(body),)
        )
        lines = [
            b"POST %b HTTP/1.1" % path.encode(),
            b"Host: 127.0.0.1:%d" % self.port,
            b"Connection: close",
            b"Content-Type: " + kind,
            b"Cookie: " + self.cookie,
            *length,
            *head,
        ]
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        got = b""
        async with asyncio.timeout(60):
            with contextlib.suppress(ConnectionError):
                writer.write(b"\r\n".join([*lines, b"", body]))
                await writer.drain()
                while piece := await reader.read(65536):
                    got += piece
        writer.close()
        found = re.match(rb"HTTP/1\.[01] (\d{3}) ", got)
        return int(found[1]) if found else 0, got


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    """With a workspace, behind the connections that the real one has."""
    made = filled(tmp_path / "workspace.sqlite3")
    engine = FakeEngine(settings=made.settings)
    # The last of a body that nobody reads may stay on the way for a moment only.
    limits = Options(head_timeout=5.0)
    app = make_app(lambda: engine, options=limits)  # type: ignore[arg-type,return-value]
    async with _bind(app, limits, "127.0.0.1", 0) as url:
        answer = await asyncio.to_thread(urlopen, f"{url}settings")
        with answer:
            text = answer.read().decode()
            cookies = [line.partition(";")[0] for line in answer.headers.get_all("Set-Cookie", [])]
        token = re.search(r'name="token" value="([^"]+)"', text)
        assert token is not None
        yield Server(
            urlsplit(url).port or 0,
            "; ".join(cookies).encode(),
            token[1].encode(),
            made.review.uid,
            "/strategies/" + "".join(f"%{byte:02X}" for byte in TEXT.encode()),
        )


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that is logged and warned of, with what errors say."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logging.captureWarnings(True)
    try:
        yield written
    finally:
        logging.captureWarnings(False)
        root.removeHandler(handler)
        root.setLevel(before)


#: aiohttp's warnings; in a server metasearch.server.forms has switched them off, which the last
#: test shows, and pytest has its own switches.
_SILENT = pytest.mark.filterwarnings("ignore:::aiohttp.multipart")


@_SILENT
@pytest.mark.parametrize("turn", cases.sample(range(4), 4))
async def test_forged_parts_end_in_no_fault(server: Server, log: io.StringIO, turn: int) -> None:
    """Of every form that may hold a file: each is refused with a reason or read, none is a 500, a
    log with what was sent, or a connection that ends without an answer. A turn sends each body to
    one of the pages.
    """
    review = f"/projects/{server.review}"
    pages = (
        "/projects",
        f"{review}/strategies",
        f"{review}{server.strategy}",
        f"{review}/works",
    )
    wrong = []
    for number, (name, kind, body) in enumerate(bodies(server.token), turn):
        status, _ = await server.post(pages[number % 4], kind, body)
        if not 200 <= status < 500 or MARK.decode() in log.getvalue():
            wrong.append((name, status, log.getvalue()[-500:]))
        log.seek(0)
        log.truncate()

    assert wrong == []


@_SILENT
async def test_a_form_that_is_well_is_read(server: Server) -> None:
    """The same requests as above with nothing wrong in them reach what reads the file: the token is
    right, and what refuses the others is what is wrong with them."""
    review = f"/projects/{server.review}"
    body = form(
        (NAME + b'"token"', server.token),
        (NAME + b'"do"', b"decisions"),
        (NAME + b'"stage"', b"title"),
        (DISPOSITION + FILE + b'"a.ris"', RIS),
    )
    well, _ = await server.post(f"{review}/works", KIND, body)
    forged, _ = await server.post(f"{review}/works", KIND, body.replace(server.token, b"x" * 40))

    assert well in (200, 303)
    assert forged == 403


#: What is wrong with a whole body -> lines of the head, and the body.
WHOLE: dict[str, tuple[tuple[bytes, ...], bytes]] = {
    **{
        f"{name} that is none": ((b"Content-Encoding: " + name.encode(),), MARK * 20)
        for name in ("gzip", "deflate", "br", "zstd")
    },
    "an unknown encoding": ((b"Content-Encoding: " + MARK,), MARK * 20),
    "a chunk without length": ((b"Transfer-Encoding: chunked",), MARK + b"\r\n"),
    "a chunk that is too long": (
        (b"Transfer-Encoding: chunked",),
        b"5\r\nhello" + MARK + b"\r\n0\r\n\r\n",
    ),
    "an endless extension": (
        (b"Transfer-Encoding: chunked",),
        b"5;" + MARK * 2_000 + b"\r\nhello\r\n0\r\n\r\n",
    ),
    "no text": ((), b"\xff\xfe\0" + MARK),
}


@_SILENT
@pytest.mark.parametrize("turn", cases.sample(range(5), 5))
async def test_a_body_that_is_not_what_its_head_says_ends_in_no_fault(
    server: Server, log: io.StringIO, turn: int
) -> None:
    """On every route that takes a POST, in every form of body; a turn sends each body to each
    route in one of the forms."""
    kinds = (
        b"application/x-www-form-urlencoded",
        KIND,
        b"application/json",
        b"text/xml",
        b"application/octet-stream",
    )
    places = {"project": server.review, "strategy": server.strategy.rpartition("/")[2]}
    paths = {
        re.sub(r"\{([^}]*)\}", lambda place: places.get(place[1], "1"), route.path)
        for route in EVERY_ROUTE
        if route.posts
    }
    wrong = []
    for first, path in enumerate(sorted(paths), turn):
        for number, (name, (head, body)) in enumerate(WHOLE.items(), first):
            status, _ = await server.post(path, kinds[number % 5], body, head)
            if not 200 <= status < 500 or MARK.decode() in log.getvalue():
                wrong.append((path, name, status, log.getvalue()[-500:]))
            log.seek(0)
            log.truncate()

    assert len(paths) > 30
    assert wrong == []


async def test_a_fault_of_our_own_repeats_no_body(
    server: Server, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log has the id that the answer names, the kinds of the errors and their places."""

    def broken(body: bytes) -> None:
        try:
            raise ValueError(body)
        except ValueError as error:
            raise RuntimeError(f"cannot read {body!r}") from error

    monkeypatch.setattr("metasearch.server.forms.pairs_of_form", broken)
    status, answer = await server.post(
        "/search", b"application/x-www-form-urlencoded", b"q=" + MARK, [b"Accept: application/json"]
    )
    written = log.getvalue()

    assert status == 500
    found = re.search(rb'"search_id":"([0-9a-f]+)"', answer)
    assert found is not None
    assert found[1].decode() in written
    assert "ValueError" in written
    assert "RuntimeError" in written
    assert 'test_bodies.py", line ' in written
    assert MARK.decode() not in written
    assert MARK not in answer


@pytest.mark.slow
def test_warnings_repeat_nothing() -> None:
    """Python writes warnings to the log of a server; those about heads of parts repeat them."""
    script = (
        "import metasearch.server.forms, warnings\n"
        "metasearch.server.forms.ignore_broken_parts()\n"
        "from aiohttp.multipart import parse_content_disposition as parse\n"
        f"parse('{MARK.decode()}=;;;'); parse('form-data; {MARK.decode()}; name=\"a')\n"
        f"parse(\"form-data; filename*=nope''%ff{MARK.decode()}\")\n"
        "warnings.warn('another one')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert MARK.decode() not in done.stderr
    assert "another one" in done.stderr
