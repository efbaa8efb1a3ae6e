"""Z39.50 through YAZ: what is sent, what is made of the answers, and of servers that misbehave."""

from __future__ import annotations

import asyncio
import ctypes.util
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pymarc import Field, Indicators, Leader, Subfield
from pymarc import Record as MarcFile

from metasearch.adapters.fetch import yaz as z3950_worker
from metasearch.adapters.fetch import yaz as zoom
from metasearch.adapters.fetch import z3950
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.fetch.yaz import Diagnostic, PageJob, answer, envelope
from metasearch.adapters.fetch.z3950 import Z3950Transport, zoom_request
from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request, Secret
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.engine.engine import Engine
from metasearch.errors import (
    AccessDenied,
    BadAnswer,
    ConnectFailed,
    NotAllowed,
    SourceError,
    SourceSaysError,
    TimedOut,
    TooLarge,
)
from metasearch.query.simple import parse as parse_query
from metasearch.settings import Settings
from tests.adapters.fetch.z3950_server import (
    INIT,
    PRESENT,
    SEARCH,
    Script,
    Z3950Server,
    answering,
    init_response,
    marc,
    present_failed,
    present_response,
    search_failed,
    search_response,
    surrogate,
    z3950_server,
)
from tests.cases import each


@pytest.fixture(scope="module")
def yaz() -> None:
    try:
        zoom.library()
    except zoom.LibraryMissing as exc:
        pytest.skip(f"no YAZ here: {exc}")


def record(
    title: str = "Jazz /", number: str = "42", *, coding: str = "a", notes: Sequence[str] = ()
) -> bytes:
    """A small record in MARC 21, whose leader says that it is in UTF-8 ("a") or MARC-8 (" ")."""
    file = MarcFile(force_utf8=True)
    file.leader = Leader("00000nam a2200000 a 4500")
    file.add_field(Field(tag="001", data=number))
    file.add_field(Field("245", Indicators("1", "0"), [Subfield("a", title)]))
    for note in notes:
        file.add_field(Field("500", Indicators(" ", " "), [Subfield("a", note)]))
    written = file.as_marc()
    return written[:9] + coding.encode() + written[10:]


def spec_of(url: str = "z3950://catalogue.example.org/Default", **table: Any) -> AdapterSpec:
    return Registry(Settings(sources={"library": {"extends": "z3950", "url": url, **table}})).spec(
        "library"
    )


def request_of(
    spec: AdapterSpec, query: str = "jazz", wanted: int = 2, env: dict[str, str] | None = None
) -> Request:
    return plan(parse_query(query), spec, wanted, env).request


async def asked(
    server: Z3950Server, *, timeout: float = 20.0, max_bytes: int = 1 << 20, **table: Any
) -> Page:
    transport = Z3950Transport(allow=frozenset({f"127.0.0.1:{server.port}"}))
    request = request_of(spec_of(server.url, **table), env={"LIBRARY_PASSWORD": "open sesame"})
    return await transport.send(request, timeout=timeout, max_bytes=max_bytes)


async def read(script: Script, **options: Any) -> PageContent:
    with z3950_server(script) as server:
        return parse(await asked(server, **options), spec_of(server.url))


# --------------------------------------------------------------------------- what is asked


def test_a_request_says_host_port_database_and_options() -> None:
    """A port that is not named is 210; records are counted from 0; the options are those of the
    spec."""
    ask = zoom_request(request_of(spec_of("z3950://catalogue.example.org/my%20books"), wanted=7))

    assert (ask.host, ask.port, ask.start, ask.count) == ("catalogue.example.org", 210, 0, 7)
    assert ask.query == '@attr 1=1016 @attr 4=2 "jazz"'
    assert ask.form == "xml; charset=marc-8,utf-8"
    assert ask.options["databaseName"] == "my books"
    assert ask.options["preferredRecordSyntax"] == "usmarc"
    assert not {"version", "operation", "recordSchema"} & set(ask.options)


def test_a_url_without_a_path_means_the_default_database() -> None:
    assert (
        zoom_request(request_of(spec_of("z3950://catalogue.example.org:9999"))).options[
            "databaseName"
        ]
        == "Default"
    )


@each("name", ["proxy", "host", "async", "cookie"])
def test_an_option_that_leads_elsewhere_is_refused(name: str) -> None:
    """A spec cannot have ZOOM connect to what the guard has not seen."""
    spec = spec_of(request={"params": {name: "tcp:10.0.0.1:80"}})

    with pytest.raises(NotAllowed, match=f"request.params.{name} is no option"):
        zoom_request(request_of(spec))


@each("url", ["z3950://user:secret@catalogue.example.org/x", "z3950:///x"])
def test_a_url_without_a_host_or_with_a_user_is_refused(url: str) -> None:
    with pytest.raises(NotAllowed) as raised:
        zoom_request(Request(source="library", url=url))

    assert "secret" not in f"{raised.value} {raised.value.url}"


async def test_a_private_address_is_not_connected_to() -> None:
    """Neither a literal one nor one that a name leads to, unless the configuration allows the
    URL."""
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(NotAllowed, match="is not at a public address"):
            await Z3950Transport().send(
                request_of(spec_of(f"z3950://{host}:210/x")), timeout=5, max_bytes=1000
            )


async def test_without_yaz_the_advice_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is looked for when a source is asked, not before."""

    def absent(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    async def here(job: PageJob) -> tuple[dict[str, Any], bytes]:
        return answer(job, lambda: False)

    monkeypatch.setattr(zoom.ctypes, "CDLL", absent)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    monkeypatch.setattr(z3950_worker, "library", zoom.library.__wrapped__)
    monkeypatch.setattr(z3950, "_in_a_process", here)
    transport = Z3950Transport(allow=frozenset({"127.0.0.1:210"}))

    with pytest.raises(SourceError) as raised:
        await transport.send(
            request_of(spec_of("z3950://127.0.0.1:210/x")), timeout=5, max_bytes=1000
        )

    assert "YAZ" in str(raised.value)
    assert "apt install libyaz5" in raised.value.advice


# --------------------------------------------------------------------------- what comes back


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_records_come_with_the_search_and_after_it() -> None:
    """What the server does not send with its first answer is fetched from it."""
    found = search_response(2, [marc(record("First /", "1"))])

    parsed = await read(answering(found, present_response([marc(record("Second /", "2"))])))

    assert parsed.total == 2
    assert [(it.title, it.source_id) for it in parsed.records] == [("First", "1"), ("Second", "2")]
    assert parsed.notes == ()


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_no_hits_is_an_answer() -> None:
    parsed = await read(answering(search_response(0)))

    assert (parsed.total, parsed.records) == (0, ())


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_characters_are_those_of_the_record() -> None:
    """MARC-8 is turned into UTF-8; a record that says that it is in UTF-8 is taken at its word."""
    in_marc8 = record("Thxx /", coding=" ").replace(
        b"xx", b"\xe2e"
    )  # an acute accent stands before its letter

    parsed = await read(answering(search_response(2, [marc(in_marc8), marc(record("Théâtre /"))])))

    assert [it.title for it in parsed.records] == ["Thé", "Théâtre"]


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_record_that_cannot_be_read_costs_no_other() -> None:
    """Neither a diagnostic in its place, nor bytes that are no MARC."""
    found = search_response(
        4,
        [
            surrogate(14, "record 1"),
            marc(record("Kept /")),
            marc(b"\x00\xff not MARC"),
            marc(b"<broken"),
        ],
    )

    with z3950_server(answering(found)) as server:
        spec = spec_of(server.url)
        page = await Z3950Transport(allow=frozenset({f"127.0.0.1:{server.port}"})).send(
            request_of(spec, wanted=4), timeout=20, max_bytes=1 << 20
        )
    parsed = parse(page, spec)

    assert [it.title for it in parsed.records] == ["Kept"]
    assert [it.position for it in parsed.unread] == [1, 3, 4]
    assert any("record 1" in note for note in parsed.notes)


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_what_came_before_a_diagnostic_is_kept_and_the_diagnostic_told() -> None:
    found = search_response(2, [marc(record("Kept /"))])

    parsed = await read(answering(found, present_failed(14, "later")))

    assert [it.title for it in parsed.records] == ["Kept"]
    assert any("later" in note for note in parsed.notes)


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
@pytest.mark.parametrize(
    ("code", "kind", "told"),
    [
        (114, SourceSaysError, "Unsupported Use attribute: 9999"),
        (117, SourceSaysError, "Unsupported Relation attribute: 9999"),
        (109, SourceSaysError, "Database unavailable: 9999"),
        (101, AccessDenied, "Access-control failure: 9999"),
        (1011, AccessDenied, "9999"),
    ],
)
async def test_a_diagnostic_is_an_error_of_the_source(
    code: int, kind: type[SourceError], told: str
) -> None:
    with pytest.raises(kind, match=told):
        await read(answering(search_failed(code, "9999")))


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_server_that_opens_no_session_denies_access() -> None:
    with pytest.raises(AccessDenied, match="does not open a session"):
        await read({INIT: init_response(accepted=False)}.get)


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_password_is_sent_and_never_shown() -> None:
    """It goes from the environment to the server; a diagnostic that repeats it is blanked."""
    auth = {"password": {"env": "LIBRARY_PASSWORD"}, "user": {"env": "LIBRARY_USER"}}
    with z3950_server(answering(search_failed(100, "you said open sesame"))) as server:
        page = await asked(server, auth=auth)

        assert any(b"open sesame" in it for it in server.requests)
    assert b"sesame" not in page.body
    assert "sesame" not in repr(page) + page.request.log_url + page_key(page.request)
    assert page.request.params[-1] == ("password", Secret("open sesame"))


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_huge_record_is_refused() -> None:
    huge = record("Huge /", notes=["x" * 9_000] * 9)

    with pytest.raises(TooLarge):
        await read(answering(search_response(2, [marc(huge), marc(huge)])), max_bytes=100_000)


# --------------------------------------------------------------------------- servers that misbehave


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_server_that_says_nothing_times_out_and_is_left() -> None:
    """Whoever waits is told in time; the session is closed soon after."""
    with z3950_server(lambda _: b"") as server:
        with pytest.raises(TimedOut):
            await asked(server, timeout=2)

        assert await asyncio.to_thread(server.left.wait, 60)


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_session_is_closed_when_the_search_is_given_up() -> None:
    arrived = threading.Event()

    def script(tag: int) -> bytes:
        arrived.set()
        return b""

    with z3950_server(script) as server:
        task = asyncio.create_task(asked(server))
        assert await asyncio.to_thread(arrived.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await asyncio.to_thread(server.left.wait, 60)


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_session_is_closed_after_its_page() -> None:
    with z3950_server(answering(search_response(0))) as server:
        await asked(server)

        assert await asyncio.to_thread(server.left.wait, 60)


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
@pytest.mark.parametrize("closing", [INIT, SEARCH, PRESENT])
async def test_a_server_that_closes_is_a_failed_connection(closing: int) -> None:
    whole = answering(search_response(2), present_response([marc(record())]))

    with pytest.raises(ConnectFailed):
        await read(lambda tag: None if tag == closing else whole(tag))


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff" * 500,
        b"\xb5\x02\x83\x00",
        b"SSH-2.0-OpenSSH_9.2\r\n" * 20,
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["bytes", "half an answer", "SSH", "HTTP"],
)
async def test_what_is_not_z3950_is_a_bad_answer(garbage: bytes) -> None:
    """Or a broken connection, where the library waits for more until the server has gone."""
    sent = iter([garbage])

    with pytest.raises((BadAnswer, ConnectFailed)):
        await read(lambda _: next(sent, None), timeout=20)


def _flood(start: bytes, again: bytes) -> Iterator[bytes]:
    """The start of a message, and then what it goes on with, up to 300 MB."""
    yield start
    stretch = again * max(1, (1 << 16) // len(again))
    for _ in range(300_000_000 // len(stretch)):
        yield stretch


_RECORD = marc(record())
#: A message as its first bytes, and what follows without end. 0xb7 is a searchResponse, 0xb5 an
#: initResponse.
FLOODS: dict[str, tuple[bytes, bytes]] = {
    "a message of 2 GB": (b"\xb7\x84\x7f\xff\xff\xff", bytes(1 << 16)),
    "a list of 100 MB": (b"\xb7\x84\x07\x00\x00\x00\xbc\x84\x06\xff\xff\xf0", _RECORD),
    "a member longer than its message": (
        b"\xb7\x84\0\x10\0\0\x9c\x84\x7f\xff\xff\xff",
        bytes(1 << 16),
    ),
    "no length, small members": (b"\xb7\x80", b"\x04\x02ab"),
    "no length, large members": (b"\xb7\x80", b"\x04\x82\x10\x00" + bytes(4096)),
    "members in members": (b"", b"\xbc\x80"),
    "a tag without end": (b"\xb7\x80\xbf", b"\x81"),
    "answers without end": (b"", search_response(2, [_RECORD, _RECORD])),
}


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
@pytest.mark.parametrize("name", FLOODS)
async def test_a_flood_costs_only_its_own_page(name: str) -> None:
    """It ends in time, whatever the library does; little is read; and the process that read is
    gone."""
    begun = time.monotonic()
    with z3950_server({INIT: init_response(), SEARCH: _flood(*FLOODS[name])}.get) as server:
        with suppress(BadAnswer, TimedOut):  # a page came where the first answer was a whole one
            await asked(server, timeout=1.5, max_bytes=1 << 24)

        assert time.monotonic() - begun < 40
        assert await asyncio.to_thread(server.left.wait, 60)
    assert server.sent < 40 << 20
    assert not [it for it in threading.enumerate() if it.name == "z3950"]


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_session_that_opens_without_end_is_a_bad_answer() -> None:
    """The first message as well."""
    with z3950_server(lambda _: _flood(b"\xb5\x84\x7f\xff\xff\xff", bytes(1 << 16))) as server:
        with pytest.raises((BadAnswer, TimedOut)):
            await asked(server, timeout=5, max_bytes=1 << 24)

        assert await asyncio.to_thread(server.left.wait, 60)
    assert server.sent < 40 << 20


@pytest.mark.slow
async def test_a_library_that_crashes_is_a_bad_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes its own process with it, and nothing else."""
    monkeypatch.setattr(z3950, "_RUN", "import os; os.abort()")
    with pytest.raises(BadAnswer, match="ran out of memory, or crashed") as caught:
        await _from_nowhere()

    assert "limits.max_bytes" in caught.value.advice


@pytest.mark.slow
async def test_a_process_that_does_not_end_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At the deadline, also where it neither reads nor listens to signals that can be ignored."""
    told = tmp_path / "pid"
    stubborn = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    monkeypatch.setattr(
        z3950,
        "_RUN",
        f"{stubborn} open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(60)",
    )
    with pytest.raises(TimedOut):
        await _from_nowhere(timeout=8)

    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text(encoding="ascii")), 0)


@pytest.mark.slow
async def test_the_process_knows_no_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment holds is not where a hostile server's bytes are read."""
    monkeypatch.setenv("PLANTED_KEY", "planted")
    told = (
        "import json, os, sys; sys.stdout.write(json.dumps({'outcome': 'page'}) + '\\n' + "
        "repr(dict(os.environ)))"
    )
    monkeypatch.setattr(z3950, "_RUN", told)
    page = await _from_nowhere()

    assert page.body.startswith(b"{")
    assert b"planted" not in page.body.lower()


async def _from_nowhere(*, timeout: float = 20.0) -> Page:
    """A page whose process does not get as far as to connect."""
    transport = Z3950Transport(allow=frozenset({"127.0.0.1:210"}))
    return await transport.send(
        request_of(spec_of("z3950://127.0.0.1:210/x")), timeout=timeout, max_bytes=1000
    )


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_redirect_in_http_is_not_followed() -> None:
    """The library reads HTTP too; it must not carry us past the guard."""
    with z3950_server(lambda _: None) as inside:
        away = (
            f"HTTP/1.1 302 Found\r\nLocation: "
            f"http://127.0.0.1:{inside.port}/\r\nContent-Length: 0\r\n\r\n"
        ).encode()

        with pytest.raises(BadAnswer):
            await read(lambda _: away)

        assert not inside.left.is_set()


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_port_at_which_nobody_listens_is_a_failed_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    transport = Z3950Transport(allow=frozenset({f"127.0.0.1:{port}"}))

    with pytest.raises(ConnectFailed, match="no connection can be made"):
        await transport.send(
            request_of(spec_of(f"z3950://127.0.0.1:{port}/x")), timeout=20, max_bytes=1000
        )


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_query_that_is_not_pqf_is_the_specs_fault() -> None:
    """A template with a slip is told as such, and nothing is sent."""
    with z3950_server(answering(search_response(0))) as server:
        with pytest.raises(NotAllowed, match="not PQF"):
            await asked(server, query={"fields": {"any": "@and {x}"}})

        assert server.requests == []


@pytest.mark.slow
@pytest.mark.usefixtures("yaz")
async def test_a_search_is_recorded_and_answered_again_without_the_server(tmp_path: Path) -> None:
    """The recording is an SRU answer, without the password."""
    script = answering(search_response(1, [marc(record("Kept /"))]))
    with z3950_server(script) as server:
        settings = Settings(
            sources={
                "library": {
                    "extends": "z3950",
                    "url": server.url,
                    "auth": {"password": {"env": "LIBRARY_PASSWORD"}},
                }
            },
            allow=frozenset({f"127.0.0.1:{server.port}"}),
            env={"LIBRARY_PASSWORD": "open sesame"},
        )
        async with Engine(settings, record=tmp_path) as engine:
            live = await engine.search("jazz", sources=["library"])
    async with Engine(settings, replay=tmp_path) as engine:
        again = await engine.search("jazz", sources=["library"])

    assert [hit.record.title for hit in live.hits] == ["Kept"]
    assert [hit.record.title for hit in again.hits] == ["Kept"]
    files = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert any("searchRetrieveResponse" in text for text in files)
    assert not any("sesame" in text for text in files)


# --------------------------------------------------------------------------- the envelope


def test_the_envelope_holds_what_is_illegal_in_xml_out() -> None:
    """A control character in a record or in a server's words costs neither the record nor the
    page."""
    body = envelope(
        3,
        [b"<record>a\x01b</record>", b"<open>", Diagnostic(14, "gone\x00")],
        [Diagnostic(16, "Unsupported index", "<&>")],
    )

    assert b"<record>ab</record>" in body
    assert body.count(b"info:srw/diagnostic/1/67") == 1
    assert b"&lt;&amp;&gt;" in body
