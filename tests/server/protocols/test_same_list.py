"""The same query has the same works in the same order, whatever a client speaks.

A new face is a line in `FACES`.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from aiohttp.test_utils import TestClient, TestServer
from lxml import etree, html

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.formats import READABLE
from metasearch.formats.events import fold
from metasearch.formats.reading import read_bytes
from metasearch.server.app import make_app
from metasearch.server.search import OFFERED

ROOT = Path(__file__).resolve().parents[3]
#: Works of a page: SearXNG's pages have no other size.
PAGE = 20
Work = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """What every face is asked for.

    Attributes:
        text: In our own syntax.
        cql: The same in CQL.
        page: From 1.
        filter: As `filter=` has it.
        sort: As `sort=` has it.
    """

    text: str
    cql: str
    page: int = 1
    filter: str = ""
    sort: str = ""

    @property
    def start(self) -> int:
        """The works before the page."""
        return (self.page - 1) * PAGE

    def __str__(self) -> str:
        options = (f"page={self.page}", f"filter={self.filter}", f"sort={self.sort}")
        return " ".join([self.text, *(word for word in options if not word.endswith(("=", "=1")))])


QUESTIONS = (
    Question("gambling harms", "gambling and harms"),
    Question("gambling", "gambling", page=2, filter="type:article", sort="citations"),
    Question("gambling", "gambling", page=2),
    Question("乳腺癌", "乳腺癌"),
    Question("machine learning", "machine and learning", sort="date"),
    Question("title:jazz NOT author:smith", "dc.title=jazz not dc.creator=smith"),
    Question("gambling", "gambling", filter="type:article"),
)


class Served(NamedTuple):
    """A server in front of the demo, and the configuration of a command that asks the same
    databases."""

    client: TestClient
    config: Path


#: Asks for the works; None where the protocol has no words for a part of the question.
Ask = Callable[[Served, Question], Awaitable[bytes | None]]
#: The ids of the works that an answer names, in its order. Where it has no ids, titles identify
#: the works, which are those that are expected.
Read = Callable[[bytes, Sequence[Work]], list[str]]


class Face(NamedTuple):
    """One way to the list."""

    ask: Ask
    read: Read


# --------------------------------------------------------------------------- how each is asked


async def page(served: Served, path: str, **parameters: object) -> bytes:
    """The body of an answer; empty parameters are not sent."""
    sent = {
        name.replace("__", "-"): str(value) for name, value in parameters.items() if value != ""
    }
    async with served.client.get(path, params=sent) as response:
        assert response.status == 200, await response.text()
        return await response.read()


def search(form: str) -> Ask:
    """`/search` in a format."""

    async def ask(served: Served, question: Question) -> bytes:
        return await page(
            served,
            "/search",
            q=question.text,
            count=PAGE,
            start=question.start,
            filter=question.filter,
            sort=question.sort,
            format=form,
        )

    return ask


#: The sort keys of SRU for those of the questions.
SORT_KEYS = {"": "", "date": "date,,0", "citations": "citations,,0"}


def sru(version: str, schema: str) -> Ask:
    """searchRetrieve of a version."""

    async def ask(served: Served, question: Question) -> bytes:
        return await page(
            served,
            "/sru",
            version=version,
            query=question.cql,
            startRecord=question.start + 1,
            maximumRecords=PAGE,
            recordSchema=schema,
            sortKeys=SORT_KEYS[question.sort],
            x__filter=question.filter,
        )

    return ask


def searxng(form: str) -> Ask:
    """SearXNG's interface, which has neither our filters nor our orders."""

    async def ask(served: Served, question: Question) -> bytes | None:
        if question.filter or question.sort:
            return None
        return await page(served, "/searxng/", q=question.text, pageno=question.page, format=form)

    return ask


async def mcp(served: Served, question: Question) -> bytes | None:
    """The tool search_papers; None where the extra is not installed."""
    if find_spec("mcp") is None:
        return None
    options = {"start": question.start, "filter": question.filter, "sort": question.sort}
    arguments = {"query": question.text, "limit": PAGE}
    arguments |= {name: value for name, value in options.items() if value}
    call = {"name": "search_papers", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream"}
    async with served.client.post("/mcp", json=message, headers=headers) as response:
        assert response.status == 200, await response.text()
        body = await response.read()
    (data,) = (line for line in body.splitlines() if b'"result"' in line)
    return data.removeprefix(b"data: ")


#: The orders of pazpar2 for those of the questions.
PAZPAR2_ORDERS = {"": "relevance", "date": "date:0"}


async def pazpar2(served: Served, question: Question) -> bytes | None:
    """A session, a search in CCL, and the page, when no source is active. The list of a session is
    what one search received, so its second page may be shorter."""
    if question.filter or question.sort not in PAZPAR2_ORDERS or question.page > 1:
        return None
    path, order = "/pazpar2/search.pz2", PAZPAR2_ORDERS[question.sort]
    query = question.cql.replace("dc.title=", "ti=").replace("dc.creator=", "au=")
    session = etree.fromstring(await page(served, path, command="init")).findtext("session")
    sent = {"session": session, "sort": order}
    await page(served, path, command="search", query=query, **sent)
    while True:
        shown = {"start": question.start, "num": PAGE, "block": 1}
        body = await page(served, path, command="show", **shown, **sent)
        if etree.fromstring(body).findtext("activeclients") == "0":
            return body
        await asyncio.sleep(0.02)


async def command_line(served: Served, question: Question) -> bytes:
    """`metasearch QUERY --format json`, a process of its own."""
    options = {"--start": question.start, "--filter": question.filter, "--sort": question.sort}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "metasearch", question.text, "--config", str(served.config)),
        *("--sources", "demo", "--limit", str(PAGE), "--format", "json", "--quiet"),
        *(str(word) for option in options.items() if option[1] for word in option),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out


# --------------------------------------------------------------------------- how each is read


def letters(text: str) -> str:
    """A title without what formats write differently: spaces, stops, capitals."""
    return "".join(character for character in text.casefold() if character.isalnum())


def whole_title(title: str, subtitle: str | None) -> str:
    """The letters of title and subtitle; formats with one field write both into it."""
    first, second = letters(title), letters(subtitle or "")
    return first if second in first else first + second


def by_titles(titles: Iterable[str], works: Sequence[Work]) -> list[str]:
    """The ids of works with these titles; a title that none has stands as it is."""
    known = [(whole_title(work["title"], work["subtitle"]), work["id"]) for work in works]
    ids = []
    for title in map(letters, titles):
        place = next((place for place, each in enumerate(known) if each[0] == title), None)
        ids.append(known.pop(place)[1] if place is not None else title)
    return ids


def ids_of_json(body: bytes, _: Sequence[Work]) -> list[str]:
    return [hit["id"] for hit in orjson.loads(body)["hits"]]


def ids_of_events(body: bytes, _: Sequence[Work]) -> list[str]:
    """What a stream amounts to at its end; in NDJSON and in SSE."""
    lines = [line.removeprefix(b"data: ") for line in body.splitlines()]
    answer = fold(orjson.loads(line) for line in lines if line.startswith(b"{"))
    return [hit["id"] for hit in answer["hits"]]


def ids_at(path: str, **namespaces: str) -> Read:
    """The texts at an XPath, without the prefix of the ids in feeds."""

    def read(body: bytes, _: Sequence[Work]) -> list[str]:
        texts = etree.fromstring(body).xpath(path, namespaces=namespaces)
        return [text.removeprefix("urn:metasearch:hit:") for text in texts]

    return read


def titles_at(path: str, **namespaces: str) -> Read:
    """As `ids_at`, for titles."""

    def read(body: bytes, works: Sequence[Work]) -> list[str]:
        return by_titles(etree.fromstring(body).xpath(path, namespaces=namespaces), works)

    return read


def titles_of_page(body: bytes, works: Sequence[Work]) -> list[str]:
    headings = html.document_fromstring(body).xpath("//ol[@class='hits']/li//h3")
    return by_titles((heading.text_content() for heading in headings), works)


def ids_of_feed(body: bytes, _: Sequence[Work]) -> list[str]:
    return [item["id"].removeprefix("urn:metasearch:hit:") for item in json.loads(body)["items"]]


def ids_of_results(body: bytes, _: Sequence[Work]) -> list[str]:
    return [result["id"] for result in json.loads(body)["results"]]


def ids_of_rows(body: bytes, _: Sequence[Work]) -> list[str]:
    return [row["id"] for row in csv.DictReader(io.StringIO(body.decode()))]


def titles_of_rows(body: bytes, works: Sequence[Work]) -> list[str]:
    return by_titles([row["title"] for row in csv.DictReader(io.StringIO(body.decode()))], works)


def ids_of_workbook(body: bytes, _: Sequence[Work]) -> list[str]:
    import openpyxl

    heading, *rows = openpyxl.load_workbook(io.BytesIO(body))["works"].values
    return [row[heading.index("id")] for row in rows]


def titles_of_citations(body: bytes, works: Sequence[Work]) -> list[str]:
    """Each line holds the title of its work; a longer title may hold that of another work."""
    longest_first = sorted(
        ((whole_title(work["title"], work["subtitle"]), work["id"]) for work in works),
        key=lambda known: -len(known[0]),
    )
    lines = [letters(line) for line in body.decode().splitlines()]
    return [next((id_ for title, id_ in longest_first if title in line), line) for line in lines]


def ids_of_tool(body: bytes, _: Sequence[Work]) -> list[str]:
    return [work["id"] for work in orjson.loads(body)["result"]["structuredContent"]["works"]]


def titles_of_hits(body: bytes, works: Sequence[Work]) -> list[str]:
    return by_titles(
        (
            (hit.findtext("md-title") or "") + (hit.findtext("md-title-remainder") or "")
            for hit in etree.fromstring(body).iter("hit")
        ),
        works,
    )


def read_back(form: str) -> Read:
    """A file that our own reader reads."""

    def read(body: bytes, works: Sequence[Work]) -> list[str]:
        reading = read_bytes(body, f"works.{READABLE[form].extension}", format=form)
        assert not reading.lost
        titles = (whole_title(each.title, each.subtitle) for each in reading.records)
        return by_titles(titles, works)

    return read


# --------------------------------------------------------------------------- the table

MARC = {"marc": "http://www.loc.gov/MARC21/slim"}
MODS = {"mods": "http://www.loc.gov/mods/v3"}
DC = {"dc": "http://purl.org/dc/elements/1.1/"}
ATOM = {"atom": "http://www.w3.org/2005/Atom"}
IN_MARCXML = ids_at("//marc:controlfield[@tag='001']/text()", **MARC)
IN_MODS = ids_at("//mods:recordIdentifier/text()", **MODS)

FORMATS: dict[str, Read] = {
    "json": ids_of_json,
    "ndjson": ids_of_events,
    "sse": ids_of_events,
    "html": titles_of_page,
    "atom": ids_at("//atom:entry/atom:id/text()", **ATOM),
    "rss": ids_at("//item/guid/text()"),
    "jsonfeed": ids_of_feed,
    "csv": ids_of_rows,
    "xlsx": ids_of_workbook,
    "mods": IN_MODS,
    "citations": titles_of_citations,
    **{
        name: read_back(name)
        for name in (
            "bibtex",
            "csl-json",
            "endnote-tagged",
            "endnote-xml",
            "marc",
            "marcxml",
            "nbib",
            "noteexpress",
            "parquet",
            "refworks",
            "ris",
        )
    },
}
SCHEMAS: dict[str, Read] = {
    "marcxml": IN_MARCXML,
    "mods": IN_MODS,
    "dc": titles_at("//dc:title/text()", **DC),
}
FACES: dict[str, Face] = {
    **{f"/search?format={name}": Face(search(name), read) for name, read in FORMATS.items()},
    **{
        f"SRU {version}, {schema}": Face(sru(version, schema), read)
        for version in ("1.1", "1.2", "2.0")
        for schema, read in SCHEMAS.items()
    },
    "SearXNG, json": Face(searxng("json"), ids_of_results),
    "SearXNG, csv": Face(searxng("csv"), titles_of_rows),
    "SearXNG, rss": Face(searxng("rss"), titles_at("//item/title/text()")),
    "MCP": Face(mcp, ids_of_tool),
    "pazpar2": Face(pazpar2, titles_of_hits),
    "command line": Face(command_line, ids_of_json),
}


# --------------------------------------------------------------------------- the tests


@asynccontextmanager
async def served_at(folder: Path) -> AsyncIterator[Served]:
    """The demo without its faulty databases, which answers at once."""
    async with DemoDatabases(0.0, False) as demo:
        settings = demo.settings()
        tables = [f"[network]\nallow = {json.dumps(sorted(demo.allow))}\n[cache]\nenabled = false"]
        tables.append(f"[groups]\ndemo = {json.dumps(settings.default_sources)}")
        for name, table in demo.settings_tables().items():
            limits = table.pop("limits")
            tables.append(f"[sources.{name}]\n" + toml(table))
            tables.append(f"[sources.{name}.limits]\n" + toml(limits))
        config = folder / "demo.toml"
        config.write_text("\n".join(tables), encoding="utf-8")
        async with TestClient(TestServer(make_app(lambda: Engine(settings)))) as client:
            yield Served(client, config)


def toml(table: Mapping[str, Any]) -> str:
    """Keys whose values are texts and numbers."""
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in table.items())


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        pytest.param(each, id=str(each), marks=[pytest.mark.slow] if place > 1 else [])
        for place, each in enumerate(QUESTIONS)
    ],
)
async def test_every_face_has_the_same_list(question: Question, tmp_path: Path) -> None:
    """Ids and order of each face are those of the JSON answer."""
    async with served_at(tmp_path) as served:
        works = orjson.loads(await FACES["/search?format=json"].ask(served, question) or b"")[
            "hits"
        ]
        lists = {}
        for name, face in FACES.items():
            body = await face.ask(served, question)
            if body is not None:
                lists[name] = face.read(body, works)

    expected = [work["id"] for work in works]
    assert len(expected) > 5
    assert {name: ids for name, ids in lists.items() if ids != expected} == {}
    assert len(lists) >= len(FACES) - 5


def test_every_format_of_the_server_is_in_the_table() -> None:
    """A new format is a line in `FORMATS`."""
    assert set(FORMATS) == set(OFFERED)


def test_a_list_in_another_order_is_seen() -> None:
    """The readers do not put works in order; an unknown title is no work."""
    works = [
        {"id": "h1", "title": "Islands", "subtitle": "Mice"},
        {"id": "h2", "title": "Rats", "subtitle": None},
    ]
    rows = b"title\nRats\nIslands: mice\nOwls\n"

    assert titles_of_rows(rows, works) == ["h2", "h1", "owls"]
    assert titles_of_citations(b"[1] Rats[J].\n[2] Islands. Mice[M].\n", works) == ["h2", "h1"]
