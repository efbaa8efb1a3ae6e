"""Each format, and each style of citations, comes out wherever an answer is written: of the
command, of the server, of `metasearch dedup` and of the library."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import AsyncIterator, Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from metasearch import formats
from metasearch.cli import main
from metasearch.events import Answer
from metasearch.formats import WRITABLE, own
from metasearch.formats.citations import DEFAULT_STYLE, STYLES
from metasearch.record import Author, Hit, Record
from metasearch.server.app import make_app
from metasearch.server.limits import Options
from metasearch.server.limits.client_limits import ApiKeys
from tests.cases import each
from tests.cli.fake import FakeEngine as CommandEngine
from tests.cli.fake import ok
from tests.formats.exported import text_of_parquet
from tests.server import fake as served

#: Every format, and every style of the format that has styles.
OUTPUTS = [
    *((name, DEFAULT_STYLE) for name in WRITABLE),
    *(("citations", style) for style in STYLES if style != DEFAULT_STYLE),
]
WORKS = (
    Record(
        source="alpha",
        source_id="1",
        position=1,
        title="Sorption of iron in lakes",
        authors=(Author("Ada Byron", "Byron", "Ada"),),
        year=2021,
        venue="Journal of Lakes",
        volume="5",
        doi="10.5555/lakes.1",
        type="article",
    ),
    Record(
        source="alpha",
        source_id="2",
        position=2,
        title="湖泊沉积物研究",
        authors=(Author("王小明"),),
        year=2020,
        venue="科学通报",
        volume="7",
        doi="10.5555/lakes.2",
        type="article",
        language="zh",
    ),
)
HITS = tuple(
    Hit(f"h{number}", record, (record,), {"title": "alpha"}, rank=number)
    for number, record in enumerate(WORKS, 1)
)


def shown(name: str, data: bytes) -> str:
    """The text of what was written; of a workbook that of all its parts. BibTeX has braces around
    what styles must not change; days of access differ."""
    if name == "xlsx":
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            return unescape("".join(parts.read(part).decode() for part in parts.namelist()))
    if name == "parquet":
        return text_of_parquet(data)
    text = data.decode()
    return text.replace("{", "").replace("}", "") if name == "bibtex" else text


def cited(data: bytes) -> list[str]:
    """The entries, without a day of access that may change at midnight."""
    return [re.sub(r"\[\d{4}-\d\d-\d\d\]", "", line) for line in data.decode().splitlines()]


def entries(style: str) -> list[str]:
    """What a style makes of the works."""
    return cited(WRITABLE["citations"].write(HITS, style=style))


def checked(name: str, style: str, data: bytes) -> None:
    """Both works are there, in their order; citations are those of the style."""
    text = shown(name, data)
    places = [text.find(record.title) for record in WORKS]
    assert -1 < places[0] < places[1]
    if name == "citations":
        assert cited(data) == entries(style)


def without(*names: str) -> list[tuple[str, str]]:
    """All but what has no sense there: events for a browser on a terminal, a table for a terminal
    in a browser, events of a search that is over."""
    return [output for output in OUTPUTS if output[0] not in names]


def needs(name: str) -> None:
    if WRITABLE[name].library:
        pytest.importorskip(WRITABLE[name].library)


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., bytes]:
    """Runs a command line, and returns the file that the command wrote."""
    for folder in ("CONFIG_HOME", "CACHE_HOME", "DATA_HOME"):
        monkeypatch.setenv(f"XDG_{folder}", str(tmp_path / folder))

    def run(*arguments: str) -> bytes:
        path = tmp_path / "written"
        assert main([*arguments, "-o", str(path)]) == 0
        return path.read_bytes()

    return run


@pytest.fixture
async def client() -> AsyncIterator[TestClient[web.Request, web.Application]]:
    """Of a server whose engine finds the works."""
    engine = served.FakeEngine(served.answer(*HITS))
    app = make_app(lambda: engine, options=Options(), keys=ApiKeys(()), examples=())  # type: ignore[arg-type,return-value]
    async with TestClient(TestServer(app)) as client:
        yield client


@pytest.mark.parametrize(("name", "style"), without("sse"))
def test_the_command(
    command: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch, name: str, style: str
) -> None:
    needs(name)

    class Script(CommandEngine):
        hits, reports, made = HITS, [ok(count=2)], []

    monkeypatch.setattr("metasearch.engine.engine.Engine", Script)

    checked(name, style, command("lakes", "--format", name, "--style", style, "--no-bom"))


@pytest.mark.parametrize(("name", "style"), without("sse"))
def test_dedup(command: Callable[..., bytes], tmp_path: Path, name: str, style: str) -> None:
    needs(name)
    file = tmp_path / "works.ndjson"
    file.write_bytes(own.write(WORKS))

    data = command("dedup", str(file), "--format", name, "--style", style, "--no-bom")

    checked(name, style, data)


@each(("name", "style"), without("table"))
async def test_the_server(
    client: TestClient[web.Request, web.Application], name: str, style: str
) -> None:
    needs(name)
    response = await client.get("/search", params={"q": "lakes", "format": name, "style": style})

    assert (response.status, response.content_type) == (200, WRITABLE[name].media_type)
    checked(name, style, await response.read())


@each(("name", "style"), without("ndjson", "sse"))
def test_the_library(name: str, style: str) -> None:
    needs(name)
    answer: Answer = served.answer(*HITS)
    options: dict[str, Any] = {"style": style} if name == "citations" else {}

    checked(name, style, formats.write(name, answer, **options))


def test_every_format_that_is_read_can_be_written_in_some_format() -> None:
    """What a file says can go out again: those formats that only databases write are read into the
    same records as all others."""
    only_read = {name for name, form in formats.READABLE.items() if not form.writer}

    assert only_read == {"wos", "cnki", "ovid", "pubmed-xml", "zotero-rdf"}
