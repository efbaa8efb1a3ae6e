"""The threat model as statements: what a hostile database, page, name server or user cannot do.

Four parts: where requests may be led, what becomes a link, what text can do where it is shown,
where secrets end up. The parts that test one module in depth stand beside it (tests/adapters,
tests/formats, tests/server).
"""

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import logging
import os
import re
import socket
import sqlite3
import sys
import traceback
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from aiohttp.test_utils import TestClient, TestServer
from lxml import etree

from metasearch import formats
from metasearch.adapters.fetch import guard
from metasearch.adapters.fetch.guard import is_public
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.fetch.transport import MAX_REDIRECTS, HttpTransport
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.translate.plan import plan
from metasearch.bulk.job import read_all
from metasearch.engine.engine import Engine
from metasearch.errors import BadAnswer, MetasearchError, NotAllowed, SourceError, TimedOut
from metasearch.events import Added, Answer, Counts, Finished, SearchEvent, SourceReport
from metasearch.formats import FORMATS, bibtex, table
from metasearch.formats import csv as csv_table
from metasearch.formats.events import ndjson, sse
from metasearch.formats.reading.files import gather
from metasearch.query import parse as parse_query
from metasearch.record import Author, Hit, Match, Reason, Record, Version
from metasearch.settings import Settings
from tests.adapters.fetch.flooding import flood
from tests.adapters.fetch.loopback import Loopback, raw, reply
from tests.cases import each

# ------------------------------------------------------------------------ where requests may be led

OWN_HOSTS_IN_EVERY_FORM = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "017700000001",
    "0177.0.0.1",
    "0.0.0.0",
    "0",
    "localhost",
    "LOCALHOST",
    "trailing.example.",
    "127。0。0。1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[::1%25lo]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[2a00:1::5efe:127.0.0.1]",
    "[fec0::1]",
    "good.example@127.0.0.1",
    "good.example:80@127.0.0.1",
    "good.example%00@127.0.0.1",
    "good.example\\@127.0.0.1",
    "127.0.0.1\\@good.example",
    "127.0.0.1\t",
    "127.0.0.1%0d%0aX-Evil:1",
]
METADATA_SERVICES = [
    "169.254.169.254",
    "168.63.129.16",
    "192.0.0.192",
    "100.100.100.200",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "2001:0:a9fe:a9fe::1",
    "2a00:1::200:5efe:a9fe:a9fe",
]
Send = Callable[..., Awaitable[Page]]


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    """A database inside, whose address is allowed."""
    async with Loopback() as it:
        yield it


@pytest.fixture
async def target() -> AsyncIterator[Loopback]:
    """What a request is to be lured to; it must never hear of anybody."""
    async with Loopback({"/": reply(b"secrets of the network")}) as it:
        yield it


@pytest.fixture
async def send(server: Loopback) -> AsyncIterator[Send]:
    transport = HttpTransport(allow=frozenset({server.netloc}))

    async def call(url: str, **rest: Any) -> Page:
        return await transport.send(
            Request(source="db", url=url, **rest), timeout=60, max_bytes=1 << 16
        )

    yield call
    await transport.close()


Lookup = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Iterator[list[str]]]:
    """Host name -> the addresses of each lookup in turn; numbers in any notation are read by the
    system."""
    told: dict[str, Iterator[list[str]]] = {"trailing.example.": iter([["127.0.0.1"]] * 9)}
    real: Lookup = socket.getaddrinfo

    def look_up(host: str, port: int, *rest: Any) -> list[tuple[Any, ...]]:
        if host in told:
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", (it, port)) for it in next(told[host])
            ]
        if re.search("[g-wyz%]", host.lower()) and host.lower() != "localhost":
            raise socket.gaierror(socket.EAI_NONAME, "not known")  # no test asks a real name server
        return real(host, port, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return told


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("host", OWN_HOSTS_IN_EVERY_FORM)
async def test_no_spelling_of_a_host_leads_a_request_inside(host: str, target: Loopback) -> None:
    """The address that is connected to is judged, not the text of the URL."""
    transport = HttpTransport()
    with pytest.raises(SourceError):
        await transport.send(
            Request(source="db", url=f"http://{host}:{target.port}/"), timeout=60, max_bytes=99
        )
    await transport.close()

    assert target.connections == 0


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("host", OWN_HOSTS_IN_EVERY_FORM)
async def test_no_redirect_leads_a_request_inside(
    host: str, server: Loopback, target: Loopback, send: Send
) -> None:
    """Every hop is judged like the first one, also when it begins at an address that is allowed."""
    server.routes["/"] = reply(
        b"", 302, Location=f"http://{host}:{target.port}/".replace("\t", "%09")
    )
    with pytest.raises(SourceError):
        await send(server.url())

    assert target.connections == 0


@each("address", METADATA_SERVICES)
def test_metadata_services_of_clouds_are_never_reached(address: str) -> None:
    """Neither by a public name nor by one that is allowed to lie inside, whatever the name server
    says."""
    info = (
        socket.AF_INET6 if ":" in address else socket.AF_INET,
        socket.SOCK_STREAM,
        6,
        "",
        (address, 80),
    )
    assert not is_public(address)
    with pytest.raises(guard.ForbiddenAddress):
        guard.AllowList.parse({"catalogue.example:80"}).connect_exempt(info)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "gopher://127.0.0.1:6379/_X", "ftp://x.example/",
    "dict://x.example/", "data:,x",
            "javascript:alert(1)", "ws://x.example/", "unix:///run/x.sock",
            "jar:http://x.example!/"]
)  # fmt: skip
async def test_a_redirect_cannot_change_to_another_protocol(
    url: str, server: Loopback, send: Send
) -> None:
    """Only http and https are spoken."""
    server.routes["/"] = reply(b"", 302, Location=url)
    with pytest.raises(NotAllowed, match="only http and https"):
        await send(server.url())


async def test_a_name_cannot_be_rebound_between_check_and_connection(
    names: dict[str, Iterator[list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was checked is what is connected to: one lookup an exchange, and the next answer is
    judged anew."""
    monkeypatch.setattr(guard, "is_public", lambda address: address == "127.0.0.2")
    lookups = iter([["127.0.0.2"], ["127.0.0.1"], ["127.0.0.1"]])
    names["rebind.example"] = lookups
    heard: list[object] = []
    async with Loopback({"/": reply(b"public")}, host="127.0.0.2") as public:
        inside = await asyncio.start_server(
            lambda _, writer: (heard.append(writer), writer.close()), "127.0.0.1", public.port
        )
        request = Request(source="db", url=f"http://rebind.example:{public.port}/")
        first, second = (
            HttpTransport(),
            HttpTransport(),
        )  # the second has not cached the first answer
        page = await first.send(request, timeout=60, max_bytes=99)
        left = len(list(lookups))
        names["rebind.example"] = iter([["127.0.0.1"]])
        with pytest.raises(NotAllowed):
            await second.send(request, timeout=60, max_bytes=99)
        await first.close()
        await second.close()
        inside.close()
        await inside.wait_closed()

    assert (page.body, left, heard) == (b"public", 2, [])


async def test_a_private_address_among_public_ones_is_not_fallen_back_to(
    names: dict[str, Iterator[list[str]]], monkeypatch: pytest.MonkeyPatch, target: Loopback
) -> None:
    """Where the public address of a name does not answer, the private one beside it is not
    tried."""
    monkeypatch.setattr(guard, "is_public", lambda address: address == "127.0.0.3")
    names["both.example"] = iter([["127.0.0.3", "127.0.0.1"]])
    transport = HttpTransport()
    with pytest.raises(SourceError):
        await transport.send(
            Request(source="db", url=f"http://both.example:{target.port}/"),
            timeout=60,
            max_bytes=99,
        )
    await transport.close()

    assert target.connections == 0


async def test_redirects_come_to_an_end(server: Loopback, send: Send) -> None:
    """In a circle, or to ever new places."""
    server.routes["/a"], server.routes["/b"] = (
        reply(b"", 302, Location="/b"),
        reply(b"", 307, Location="/a"),
    )
    with pytest.raises(BadAnswer, match="redirects more than"):
        await send(server.url("/a"))

    assert len(server.seen) == MAX_REDIRECTS + 1


async def test_a_redirect_takes_no_credentials_to_another_host(
    server: Loopback, target: Loopback
) -> None:
    """Keys, cookies and Authorization stay behind, although both hosts are allowed and the URL
    repeats the key."""
    server.routes["/"] = reply(
        b"", 307, Location=target.url("/?key=planted-key&q=1"), Set_Cookie="id=planted-key"
    )
    transport = HttpTransport(allow=frozenset({server.netloc, target.netloc}))
    secret = (("key", Secret("planted-key")),)
    headers = (
        ("Authorization", "Basic planted"),
        ("Cookie", "planted"),
        ("X-Key", Secret("planted-key")),
    )
    request = Request(
        source="db", url=server.url(), method="POST", params=secret, headers=headers, body=secret,
        redirects=(target.netloc,),
    )  # fmt: skip
    await transport.send(request, timeout=60, max_bytes=99)
    await transport.close()

    assert [it.target for it in target.seen] == ["/?q=1"]
    assert "planted" not in repr(target.seen)
    assert repr(server.seen).count("planted") == 5


@pytest.mark.parametrize(
    "words", ["x\r\nX-Evil: 1", "x HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET /admin", "x\0y", "x&key=1#"]
)
async def test_a_query_cannot_add_headers_or_requests(
    words: str, server: Loopback, send: Send
) -> None:
    """What a user types is one value of one parameter."""
    server.routes["/"] = reply()
    await send(server.url(), params=(("q", words), ("rows", "1")))

    (seen,) = server.seen
    assert "x-evil" not in seen.headers
    assert re.fullmatch(r"/\?q=[A-Za-z0-9%._~-]+&rows=1", seen.target)


# --------------------------------------------------------------------------- what becomes a link

NO_LINKS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\x01javascript:alert(1)",
    "javascript://example.org/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "smb://example.org/share",
    "//example.org/x",
    "\\\\example.org\\share",
    "https:example.org",
    "https://\x1b]8;;x",
    "https://example.org/\x07",
    "https://example.org/\r\nX: 1",
    "https://example.org/\u202egpj",
    "https://doi.org@example.org/",
    "https://doi.org:443@example.org/",
    "https://doi.org\\@example.org/",
    "https://doi.org\\.example.org/",
]


def hit(text: str = "", url: str | None = None, *, doi: str | None = None) -> Hit:
    """A work with that text wherever a database can put any, and that address wherever it can put
    one."""
    fields = (
        "subtitle",
        "venue",
        "publisher",
        "edition",
        "volume",
        "issue",
        "pages",
        "language",
        "abstract",
        "date",
    )
    record = Record(
        source="db", source_id=text, position=1, url=url, pdf_url=url, title=f"Tides{text}",
        titles=(text,), year=2020,
        authors=(Author(text or "A", text, text, text), Author(f"B{text}")),
        doi=doi or text or None,
        ids={f"x{text}": text},
        isbn=(text,), issn=(text,), type="article", keywords=(text, f"k{text}"),
        **dict.fromkeys(fields, text),
    )  # fmt: skip
    return Hit(
        id=f"db:{text}",
        record=record,
        records=(record,),
        provenance={"title": "db", text: "db"},
        matches=(Match("doi", "same", 1.0, text, text, text),),
        versions=(Version("preprint", (text,)),),
        score=0.5,
        rank=1,
        reasons=(Reason(f"because{text}", 0.5, "db"),),
    )


def answer(found: Hit, text: str = "") -> Answer:
    error = TimedOut("db", f"late{text}", url=text, advice=f"wait{text}")
    report = SourceReport("db", "timeout", 1, query=f"q{text}", notes=(f"n{text}",), error=error)
    return Answer(f"query{text}", False, Counts(1, 1, 0), (found,), (report,), 0.5)


def html(given: Answer) -> str:
    from metasearch.server.pages.results import Results, query_marker, results_page
    from tests.server.fake import visit

    marker = query_marker(given.query)
    page = results_page(
        Results(visit(), given, {}, {"q": given.query}, 20, "/updates?q=x", marker=marker)
    )
    return re.sub('name="token" value="[0-9a-f]+"', "", page)  # another one in each page


WHOLE = [name for name, it in formats.WRITABLE.items() if it.whole and not it.library]
STREAMED: dict[str, Callable[[SearchEvent], bytes]] = {
    "ndjson": ndjson,
    "sse": lambda event: sse(event, 1),
}
EVERYWHERE = [*WHOLE, *STREAMED, "page", "terminal"]


def shown(name: str, found: Hit, text: str = "") -> str:
    """What a reader of a format gets; of JSON the strings themselves, a line each."""
    given = answer(found, text)
    if name == "page":
        return html(given)
    if name == "terminal":
        return table.write([found], color=True, hyperlinks=True, explain=True).decode()
    if name in STREAMED:
        written = b"".join(
            STREAMED[name](event) for event in (Added(found), Finished(given))
        ).decode()
        return "\n".join(
            strings(
                [json.loads(it) for it in re.findall(r"^(?:data: )?(\{.*)$", written, re.MULTILINE)]
            )
        )
    written = formats.write(name, given).decode()
    if name == "marc":  # bytes that end fields and records, which no value holds
        written = re.sub("[\x1d-\x1f]", " ", written)
    return "\n".join(strings(json.loads(written))) if name in ("json", "jsonfeed") else written


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON document, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from strings([*value, *value.values()])
    elif isinstance(value, list):
        for it in value:
            yield from strings(it)


@each("name", EVERYWHERE)
def test_only_web_addresses_become_links(name: str) -> None:
    """Scripts, data, files, other hosts in disguise and control characters are no address in any
    format."""
    without = shown(name, hit(url=None))

    assert [url for url in NO_LINKS if shown(name, hit(url=url)) != without] == []


@each("name", EVERYWHERE)
def test_good_addresses_and_dois_do_become_links(name: str) -> None:
    """The counterpart without which the test above would prove nothing."""
    assert "https://example.org/paper" in shown(name, hit(url="https://example.org/paper"))
    if name not in ("json", "ndjson", "sse", "citations"):  # they give the DOI as it is
        assert "https://doi.org/10.1000/x" in shown(name, hit(doi="10.1000/x"))


# --------------------------------------------------------------- what text can do where it is shown

ESCAPES = (
    "\x1b[2J\x1b]8;;http://evil.example\x07\x1b]0;title\x1b\\\x1bP\x9b31m\x9d52;c;x\x9c\x08\x7f\r"
)
HIDDEN = "\u202agpj\u202e\u202c\u2066\u2069\u206a\ufeff\ufff9\U000e0041\U000e007f"
#: What no format may hand on: control characters but tab and line feed, and what changes or hides
#: the text around it.
FORBIDDEN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff\ufffe\uffff]"
)
OWN_SEQUENCES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\")


@each("name", EVERYWHERE)
def test_text_cannot_drive_a_terminal(name: str) -> None:
    """No escape sequence, C1 control or carriage return of a database is left in any format, or in
    our errors."""
    text = shown(name, hit(ESCAPES), ESCAPES).replace("\r\n", "\n")
    own = OWN_SEQUENCES.sub("", text) if name == "terminal" else text

    assert not FORBIDDEN.search(own)
    assert "\r" not in own


@each("name", EVERYWHERE)
def test_text_cannot_read_as_what_it_is_not(name: str) -> None:
    """Bidi overrides, tags, annotations and byte order marks are gone; letters, joiners and marks
    of scripts stay."""
    text = shown(name, hit(f"{HIDDEN} می‌خواهم שלום 中文 👩‍🔬"), HIDDEN)

    assert not FORBIDDEN.search(OWN_SEQUENCES.sub("", text))
    for kept in ("می‌خواهم", "שלום", "中文"):
        assert kept in re.sub(r"\s*\n\s*", " ", text)


@each("start", ["=", "+", "-", "@", "\t=", "\r=", " =", "\ufeff=", "\x00=", "＝", "＋", "－", "＠"])
def test_a_cell_of_csv_is_never_a_formula(start: str) -> None:
    """Whatever stands before it, and also where the reader's spreadsheet parts cells at
    semicolons."""
    evil = f"{start}HYPERLINK(1)"
    written = FORMATS["csv"].write([hit(evil), hit(f"x;{evil}"), hit(f'x; "{evil}')]).decode()

    for row in csv.reader(io.StringIO(written)):
        assert len(row) == len(csv_table.COLUMNS)
        cells = [part.strip('" ') for cell in row for part in cell.split(";")]
        assert not [
            cell
            for cell in cells
            if cell.startswith(("=", "+", "-", "@", "\t", "＝", "＋", "－", "＠"))
        ]


@each("end", ["\n", "\r\n", "\r", "\v", "\f", "\x1e", "\x85", "\u2028", "\u2029"])
def test_a_title_cannot_begin_another_ris_record(end: str) -> None:
    """Whatever ends a line, for any reader."""
    written = FORMATS["ris"].write([hit(f"{end}ER  - {end}TY  - BOOK{end}TI  - forged")]).decode()
    tags = [line[:6] for line in written.splitlines()]

    assert all(re.fullmatch(r"[A-Z][A-Z0-9]  - ?", tag) for tag in tags)
    assert (
        tags.count("TY  - "),
        tags.count("ER  - ") + tags.count("ER  -"),
        tags.count("TI  - "),
    ) == (1, 1, 1)


def test_a_title_cannot_begin_another_bibtex_entry() -> None:
    """Neither by closing its braces nor by opening more."""
    for evil in (
        "}}\n@article{forged, title={x}}",
        "{{{",
        '"},\n  note = {forged',
        "\n@comment{",
        "\\}",
    ):
        written = bibtex.write([hit(evil)]).decode()
        names = re.findall(r"^  (\w+) = [{\w]", written, re.MULTILINE)
        assert len(re.findall("^@", written, re.MULTILINE)) == 1
        assert "note" not in names
        assert len(names) == len(set(names))
        assert written.count("{") == written.count("}")


def test_text_cannot_give_tex_a_command() -> None:
    r"""No backslash of a database is left, nor what TeX reads as one (^^5c); our own begin known
    commands."""
    written = bibtex.write(
        [hit("\\input{/etc/passwd} ^^5cinput $x$ #1 ~", doi="10.1/^^5cinput\\x")]
    ).decode()
    commands = set(re.findall(r"\\([a-zA-Z]+|.)", written))

    assert commands <= {
        "textbackslash",
        "textasciicircum",
        "textasciitilde",
        "{",
        "}",
        "$",
        "#",
        "&",
        "%",
        "_",
    }
    assert "^" not in written


MARKUP = (
    """</title></p>'"><script>alert(1)</script><img src=x onerror=alert(1)>'onload='x' ]]>"""
    "<!-- <b>\0\ufffe\ud800"
)


def test_text_cannot_become_markup_of_the_page() -> None:
    """No element, attribute or handler comes from a database, a query or an error; the page has no
    script of theirs."""
    from lxml import html as parser

    evil, tame = (
        parser.document_fromstring(html(answer(hit(text), text))) for text in (MARKUP, "text")
    )

    assert [it.tag for it in evil.iter()] == [it.tag for it in tame.iter()]
    assert {name for it in evil.iter() for name in it.attrib} == {
        name for it in tame.iter() for name in it.attrib
    }


def test_text_cannot_become_markup_of_the_feed_or_break_it() -> None:
    """A feed is well-formed whatever it holds, and has the elements that it has for tame text."""
    evil, tame = (
        etree.fromstring(formats.write("atom", answer(hit(text), text)))
        for text in (MARKUP, "text")
    )

    assert [it.tag for it in evil.iter()] == [it.tag for it in tame.iter()]


@each("end", ["\n", "\r\n", "\r", "\x1e", "\x85", "\u2028", "\u2029"])
@each("form", STREAMED)
def test_text_cannot_forge_an_event_of_a_stream(form: str, end: str) -> None:
    """One event is one line, also for readers that end lines at U+2028 as Python does."""
    evil = f'{end}{end}event: done{end}data: {{}}{end}{{"event": "done"}}{end}'
    written = STREAMED[form](Added(hit(evil))) + STREAMED[form](Finished(answer(hit(evil), evil)))

    assert len(written.decode().splitlines()) == {"ndjson": 2, "sse": 8}[form]


# ---------------------------------------------------------- what one database takes from the others

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#: How a database begins its answer, and what it repeats without end.
ENDLESS = {
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "103 Early Hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
    "an extension of a chunk": (CHUNKED + b"1;", b"a=b;"),
    "chunks of a byte": (CHUNKED, b"1\r\nx\r\n"),
    "a body": (CHUNKED, b"10000\r\n" + bytes(1 << 16) + b"\r\n"),
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_a_database_without_end_costs_the_others_nothing(server: Loopback, name: str) -> None:
    """Its source fails with a reason, long before the deadline; every record of the other three is
    there."""
    for number in range(3):
        work = {
            "title": [f"Tidal pools {number}"],
            "DOI": f"10.1000/{number}",
            "type": "journal-article",
        }
        body = json.dumps({"message": {"total-results": 1, "items": [work]}}).encode()
        server.routes[f"/{number}"] = reply(body)
    with flood(*ENDLESS[name]) as bad:
        urls = {f"db{number}": server.url(f"/{number}") for number in range(3)} | {"bad": bad.url}
        settings = Settings(
            sources={source: {"extends": "crossref", "url": url} for source, url in urls.items()},
            allow=frozenset({server.netloc, bad.netloc}),
        )
        async with Engine(settings) as engine:
            done = await engine.search("tidal", sources=list(urls), timeout=30)

    assert {it.source: it.status for it in done.sources} == {
        "db0": "ok",
        "db1": "ok",
        "db2": "ok",
        "bad": "error",
    }
    assert {hit.record.doi for hit in done.hits} == {f"10.1000/{number}" for number in range(3)}
    assert done.seconds < 20


# --------------------------------------------------------------------------- what lies in files


def test_a_folder_of_exports_with_a_bomb_and_a_pipe_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gzip bomb, a FIFO without a writer and a link to a device cost themselves: the other files
    are read."""
    good = "TY  - JOUR\nTI  - Iron in lakes\nER  - \n"
    (tmp_path / "good.ris").write_text(good)
    (tmp_path / "bomb.ris.gz").write_bytes(gzip.compress(b"\n" * (1 << 20), 1) * 20)
    os.mkfifo(tmp_path / "pipe.ris")
    (tmp_path / "zero.ris").symlink_to("/dev/zero")
    monkeypatch.setattr("metasearch.formats.reading.MOST_BYTES", 10_000_000)

    files = {it.input.name: it for it in read_all(gather([tmp_path]).files)}

    assert [record.title for record in files["good.ris"].reading.records] == ["Iron in lakes"]
    errors = {name: str(it.error) for name, it in files.items() if it.error}
    assert errors.keys() == {"bomb.ris.gz", "pipe.ris", "zero.ris"}
    assert "larger than 10,000,000 bytes" in errors["bomb.ris.gz"]
    assert "FIFO" in errors["pipe.ris"]
    assert "device" in errors["zero.ris"]


# --------------------------------------------------------------------------- where secrets end up

KEY = "Planted/k3y+7=Qx"
MAIL = "Planted.Person@example.org"
SPELLED = {
    secret: (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), escape(secret))
    for secret in (KEY, MAIL)
}
IN_JSON = [
    it.replace("/", slash)
    for told in SPELLED.values()
    for it in told
    for slash in ("/", "\\/", "\\\\/", "\\u002f")
]
NEEDLES = tuple(
    {it.lower().encode() for it in IN_JSON}
    | {KEY.lower().encode("utf-16-le"), b"planted.person", b"k3y"}
)


def echo(status: int = 200, kind: str = "application/json", *, slashes: bool = False) -> bytes:
    """Works that repeat the key and the address in every way, and say so in an error; `slashes` as
    PHP writes JSON."""
    told = "; ".join(it for it in IN_JSON if "\\\\" not in it)
    urls = f"https://x.example/?key={quote(KEY)}&mail={MAIL}"
    work = {
        "title": [f"Tidal pools {told}"],
        "DOI": "10.1000/x",
        "URL": urls,
        "abstract": told,
        "type": "journal-article",
    }
    message = {"total-results": 1, "items": [work], "next-cursor": KEY}
    body = json.dumps({"message": message, "error": f"bad key {told}", "detail": told})
    return reply(
        body.replace("/", "\\/").encode() if slashes else body.encode(), status, Content_Type=kind
    )


@pytest.fixture
def config(server: Loopback, target: Loopback, tmp_path: Path) -> Path:
    """Databases of every kind, to each of which the key and the address are sent."""
    inside = f"http://127.0.0.1:{target.port + 1 if target.port < 65000 else 1}/?key={KEY}"
    server.routes |= {
        "/ok": echo(),
        "/slashes": echo(slashes=True),
        "/wide": reply(b"\xff\xfe" + f"{{'{KEY}': '{MAIL}'}}".encode("utf-16-le")),
        "/fault": echo(500),
        "/refuses": echo(403),
        "/limits": echo(429),
        "/missing": echo(404),
        "/odd": reply(f"<p>{KEY} is no key, {MAIL}".encode(), Content_Type=f"text/{KEY}"),
        "/xml": reply(
            f"<?xml version='1.0'?><error>{KEY} {MAIL}".encode(), Content_Type="text/xml"
        ),
        "/nohttp": raw(f"{KEY} {MAIL}\r\n\r\n".encode()),
        "/breaks": raw(
            f"HTTP/1.1 200 OK\r\nX-Key: {KEY}\r\nContent-Length: 99\r\n\r\n{KEY}".encode(),
            then="reset",
        ),
        "/hangs": raw(b"HTTP/1.1 200 OK\r\n", then="hang"),
        "/away": reply(b"", 307, Location=target.url(f"/works?key={quote(KEY)}&mailto={MAIL}&q=1")),
        "/carries": reply(b"", 302, Location=target.url(f"/{quote(KEY)}/")),
        "/names": reply(b"", 302, Location=f"http://{MAIL}/"),
        "/inside": reply(b"", 302, Location=inside),
        "/around": reply(b"", 302, Location=f"/around?key={KEY}"),
    }
    target.routes["/works"] = echo()
    tables = [
        f"[sources.{path[1:]}]\nextends = 'crossref'\nurl = '{server.url(path)}'\nlimits.timeout "
        f"= 0.5\n"
        f"request.redirects = ['{target.netloc}']\n"
        "auth.api_key = { env = 'PLANTED_KEY' }\n"
        "auth.X-Api-Key = { env = 'PLANTED_KEY', in = 'headers', prefix = 'Bearer ' }\n"
        for path in server.routes
    ]
    allow = f"[network]\nallow = ['{server.netloc}', '{target.netloc}']\n"
    chosen = f"[search]\nsources = {[path[1:] for path in server.routes]}\n"
    file = tmp_path / "config.toml"
    file.write_text("\n".join([allow, chosen, *tables]))
    return file


def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "PLANTED_KEY": KEY,
        "METASEARCH_CONTACT": MAIL,
        "METASEARCH_CACHE_DIR": str(tmp_path / "cache"),
    }


def found_in(place: str, text: str | bytes) -> None:
    """Fails where a secret is found, however it is spelled."""
    data = (text if isinstance(text, bytes) else text.encode("utf-8", "replace")).lower()
    for needle in NEEDLES:
        at = data.find(needle)
        assert at < 0, f"{place} holds a secret: {data[max(0, at - 80) : at + 80]!r}"


def files_under(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file as it is, and every value of a database as it was before it was compressed."""
    for file in sorted(it for it in folder.rglob("*") if it.is_file()):
        data = file.read_bytes()
        yield file, data
        if data.startswith(b"SQLite format 3"):
            with closing(sqlite3.connect(file)) as rows:
                tables = [
                    name
                    for (name,) in rows.execute(
                        "SELECT name FROM sqlite_master WHERE type = 'table'"
                    )
                ]
                for cell in (
                    cell
                    for name in tables
                    for row in rows.execute(f'SELECT * FROM "{name}"')
                    for cell in row
                ):
                    if isinstance(cell, bytes):
                        yield file, cell
                        yield file, inflated(cell)


def inflated(cell: bytes) -> bytes:
    """What was compressed, wherever in the cell it begins."""
    for start in range(min(len(cell), 64)):
        try:
            return zlib.decompressobj().decompress(cell[start:])
        except zlib.error:
            continue
    return b""


async def test_no_secret_is_ever_told(
    config: Path,
    server: Loopback,
    target: Loopback,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A planted key and mail address are in the requests to their own host, and in nothing else
    that is made of them: events, answers, errors, tracebacks, reprs, logs, the cache, recordings,
    the server's pages."""
    caplog.set_level(logging.DEBUG)
    settings = Settings.load(config, environment(tmp_path))
    told: list[tuple[str, str | bytes]] = [("repr of Settings", repr(settings))]
    for record in (None, tmp_path / "recorded"):
        async with Engine(settings, record=record) as engine:
            for _ in range(2):
                told += [it async for it in everything(engine)]
            if record is None:
                told += [it async for it in served(engine)]
    for place, text in told:
        found_in(place, text)
    found_in("the log", caplog.text)
    for file, data in files_under(tmp_path):
        found_in(str(file), data)

    kept = b"".join(data for file, data in files_under(tmp_path / "cache"))
    assert b"Tidal pools" in kept
    assert len(list((tmp_path / "recorded").rglob("request.json"))) >= 5
    assert {it.headers.get("x-api-key") for it in server.seen if "api_key" in it.target} == {
        f"Bearer {KEY}"
    }
    assert any(quote(MAIL, safe="") in it.target for it in server.seen)
    assert {it.target.partition("?")[0] for it in target.seen} == {"/works"}
    for it in target.seen:  # the contact in the User-Agent is for everybody who is asked
        found_in(
            "a request to another host", repr((it.target, it.body, it.headers | {"user-agent": ""}))
        )


async def everything(engine: Engine) -> AsyncIterator[tuple[str, str | bytes]]:
    """All that a search tells."""
    search = engine.search("tidal", timeout=20)
    events = [event async for event in search]
    done = await search
    for event in events:
        yield "an event", repr(event)
        yield "NDJSON", ndjson(event)
        yield "SSE", sse(event, 1)
    # On a machine that is too busy to look in time, the silent database counts as late.
    statuses = {"timeout" if it.status == "late" else it.status for it in done.sources}
    assert statuses >= {"ok", "error", "timeout", "limited"}
    for name in WHOLE:
        yield name, formats.write(name, done)
    yield "the explained list", table.write(done.hits, explain=True, hyperlinks=True)
    yield (
        "reprs",
        repr(
            (
                done,
                search,
                engine,
                engine._fetcher,
                engine._fetcher._transport,
                engine.source_states(),
            )
        ),
    )
    for report in done.sources:
        asked = plan(
            parse_query("tidal"), engine.registry.spec(report.source), 20, engine.settings.env
        )
        yield "repr of a Plan", repr((asked, asked.request.log_url, page_key(asked.request)))
        if report.error is not None:
            yield f"the error of {report.source}", "".join(traceback.format_exception(report.error))
            yield "its parts", repr((report.error, vars(report.error), report.error.advice))


async def served(engine: Engine) -> AsyncIterator[tuple[str, bytes]]:
    """What the server shows of the same engine."""
    from metasearch.server.app import make_app
    from metasearch.server.limits import Options

    async with TestClient(TestServer(make_app(lambda: engine, options=Options()))) as client:
        for path in (
            "/",
            "/sources",
            "/search?q=tidal&format=json",
            "/search?q=tidal&format=html",
            "/metrics",
            "/nothing",
        ):
            response = await client.get(path)
            yield path, repr(response.headers).encode() + await response.read()


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ["--verbose", "--explain", "tidal"],
        ["--verbose", "--ndjson", "tidal"],
        ["sources", "show", "refuses"],
    ],
)
async def test_the_command_line_tells_no_secret(
    config: Path, tmp_path: Path, args: list[str]
) -> None:
    """Neither on its output nor on its error output, with everything that it can be asked to
    say."""
    command = [sys.executable, "-m", "metasearch", "--config", str(config), *args]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path),
    )
    out, err = await process.communicate()

    found_in("the output", out)
    found_in("the error output", err)
    assert out


def test_a_short_key_does_not_blank_out_text() -> None:
    """A key of a few letters would be found everywhere by accident, so bodies keep it."""
    from metasearch.adapters.request import redact

    request = Request(source="db", url="https://x.example/", params=(("key", Secret("tide")),))
    assert redact(Page(request=request, body=b"tide tables")).body == b"tide tables"


def test_errors_of_ours_say_what_to_do() -> None:
    """Refusals for safety are errors like others, with a reason and an advice."""
    assert issubclass(NotAllowed, MetasearchError)
    assert NotAllowed("db", "why").advice
