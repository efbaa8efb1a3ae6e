from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.fetch import cassette
from metasearch.adapters.fetch.cassette import RecordTransport, ReplayTransport
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import Page, Request, Secret, redact
from metasearch.errors import NotRecorded, SourceError, TimedOut, TooLarge

KEY = "s3cr3t/key"


class Canned:
    """A transport that always brings the same."""

    def __init__(self, **page: Any) -> None:
        self.page = page
        self.closed = False

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        if "error" in self.page:
            raise self.page["error"]
        return Page(request=request, **self.page)

    async def close(self) -> None:
        self.closed = True


def asked(**rest: Any) -> Request:
    return Request(
        **({"source": "db", "url": "https://x.example/works", "params": (("q", "Köln"),)} | rest)
    )


async def record(folder: Path, request: Request, **page: Any) -> Path:
    await RecordTransport(Canned(**page), folder).send(request, timeout=1, max_bytes=99)
    return folder / request.source / page_key(request)[:16]


async def replay(folder: Path, request: Request, max_bytes: int = 1 << 20) -> Page:
    return await ReplayTransport(folder).send(request, timeout=1, max_bytes=max_bytes)


@pytest.mark.parametrize(
    ("body", "content_type", "name"),
    [
        (b'{"a": "\xc3\xa4"}', "text/html", "body.json"),
        (b" [1]", "", "body.json"),
        (b"<?xml version='1.0'?><a/>", "text/xml", "body.xml"),
        (b"\xef\xbb\xbf<!DOCTYPE html><p>", "text/html", "body.html"),
        (b"<p>hello", "text/html; charset=x", "body.html"),
        (b"\xff\x00\r\n", "text/plain", "body.txt"),
        (b"", "application/json", "body.txt"),
    ],
)
async def test_what_is_recorded_is_replayed(
    tmp_path: Path, body: bytes, content_type: str, name: str
) -> None:
    """Byte for byte, in a file whose extension opens in the right program."""
    place = await record(
        tmp_path, asked(), status=404, content_type=content_type, body=body, retry_after=3.0
    )
    page = await replay(tmp_path, asked())

    assert (place / name).read_bytes() == body
    assert (page.status, page.content_type, page.body, page.retry_after) == (
        404,
        content_type,
        body,
        3.0,
    )
    assert page.request == asked()


async def test_the_files_are_for_people(tmp_path: Path) -> None:
    """Indented, in plain characters, with everything that the request was."""
    place = await record(
        tmp_path, asked(headers=(("Accept", "a/b"),)), body=b"{}", content_type="x/y"
    )

    assert json.loads((place / "request.json").read_text("utf-8")) == {
        "source": "db",
        "method": "GET",
        "url": "https://x.example/works",
        "params": [["q", "Köln"]],
        "headers": [["Accept", "a/b"]],
        "body": [],
        "secrets": [],
        "key": page_key(asked(headers=(("Accept", "a/b"),))),
    }
    assert "Köln" in (place / "request.json").read_text("utf-8")
    assert (place / "page.json").read_text(
        "utf-8"
    ) == '{\n  "status": 200,\n  "content_type": "x/y"\n}\n'


async def test_no_file_holds_a_secret(tmp_path: Path) -> None:
    """Keys are left out of the request, and struck out of a body that repeats them in whatever
    spelling."""
    pairs = (("key", Secret(KEY)),)
    body = b'{"next": "/?key=s3cr3t%2Fkey&p=2", "you": "s3cr3t/key"}'
    place = await record(tmp_path, asked(params=pairs, headers=pairs, body=pairs), body=body)
    written = b"".join(path.read_bytes() for path in place.iterdir())

    assert b"s3cr3t" not in written
    assert (place / "body.json").read_bytes() == b'{"next": "/?key=***&p=2", "you": "***"}'
    assert json.loads((place / "request.json").read_bytes())["secrets"] == ["key", "key", "key"]


async def test_a_replay_needs_no_key(tmp_path: Path) -> None:
    """A recording that was made with a key answers a request without one."""
    await record(tmp_path, asked(headers=(("Authorization", Secret(KEY)),)), body=b"{}")

    assert (await replay(tmp_path, asked())).body == b"{}"


async def test_a_newer_recording_replaces_an_older_one(tmp_path: Path) -> None:
    """There is never a second body."""
    await record(tmp_path, asked(), body=b"{}")
    place = await record(tmp_path, asked(), body=b"<a/>")

    assert sorted(path.name for path in place.iterdir()) == [
        "body.xml",
        "page.json",
        "request.json",
    ]


async def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    """The error names the request and the folder, and says what to do."""
    with pytest.raises(NotRecorded) as caught:
        await replay(tmp_path, asked())

    assert "https://x.example/works?q=K%C3%B6ln" in str(caught.value)
    assert str(tmp_path / "db" / page_key(asked())[:16]) in str(caught.value)
    assert "--record" in caught.value.advice


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("request.json", b'{"key": "other"}'),
        ("request.json", b"[]"),
        ("page.json", b"not json"),
        ("page.json", b'{"status": "many", "content_type": ""}'),
        ("page.json", b"{}"),
        ("body.json", None),
    ],
)
async def test_a_broken_recording_is_told(tmp_path: Path, file: str, content: bytes | None) -> None:
    """Files that were edited badly are an error of their own, never a wrong page."""
    place = await record(tmp_path, asked(), body=b"{}")
    if content is None:
        (place / file).unlink()
    else:
        (place / file).write_bytes(content)
    with pytest.raises(NotRecorded):
        await replay(tmp_path, asked())


async def test_the_size_limit_holds_in_a_replay(tmp_path: Path) -> None:
    """As with the real thing, so that a recording shows what a limit does."""
    await record(tmp_path, asked(), body=b"{" + bytes(100))
    with pytest.raises(TooLarge):
        await replay(tmp_path, asked(), max_bytes=50)


@pytest.mark.parametrize("source", ["..", "../x", "a/b", "", ".", ".hidden", "a\x00b", "/etc"])
async def test_a_source_name_cannot_leave_the_folder(tmp_path: Path, source: str) -> None:
    """Names that are not plain file names are refused, before anything is written."""
    folder = tmp_path / "cassettes"
    with pytest.raises(NotRecorded):
        await record(folder, asked(source=source), body=b"{}")

    assert not list(tmp_path.iterdir())


async def test_errors_pass_through_and_are_not_recorded(tmp_path: Path) -> None:
    """Only pages are kept."""
    with pytest.raises(TimedOut):
        await record(tmp_path, asked(), error=TimedOut("db", "no answer"))

    assert not list(tmp_path.iterdir())


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The user asked for a recording, so its failure is not silent."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SourceError, match="cannot be recorded"):
        await record(tmp_path / "file", asked(), body=b"{}")


async def test_closing_reaches_the_inner_transport(tmp_path: Path) -> None:
    """The recorder owns what it wraps."""
    inner = Canned()
    await RecordTransport(inner, tmp_path).close()

    assert inner.closed


async def test_secrets_are_looked_for_where_the_files_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same thread, beside the loop."""
    threads: list[threading.Thread] = []

    def watched(page: Page) -> Page:
        threads.append(threading.current_thread())
        return redact(page)

    monkeypatch.setattr(cassette, "redact", watched)
    place = await record(
        tmp_path, asked(headers=(("Authorization", Secret(KEY)),)), body=KEY.encode()
    )

    assert (place / "body.txt").read_bytes() == b"***"
    assert threads
    assert threading.main_thread() not in threads
