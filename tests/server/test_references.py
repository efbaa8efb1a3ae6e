"""`/lookup` and `/check`: lists against the demo's databases, as JSON, as a stream, as a page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any

import aiohttp
import orjson
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer
from lxml import html

from metasearch.demo import DemoDatabases
from metasearch.engine.engine import Engine
from metasearch.references.check import VERDICTS
from metasearch.references.report import with_labels
from metasearch.server.app import make_app
from metasearch.server.references import MOST_BYTES, MOST_REFERENCES
from tests.cases import each
from tests.server.visitor import page, text, token

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAIN_TITLE = "From science to stewardship"
TITLE = f"{MAIN_TITLE}: Harnessing forest ecology in the service of society"
RIGHT = f"""@article{{right, title = {{{TITLE}}}, author = {{Kimmins, J. P.}}, year = {{2008}},
journal = {{Forest Ecology and Management}}, doi = {{10.1016/j.foreco.2008.02.057}}}}"""
#: It is of 2005.
WRONG = """@article{wrong, title = {Environmental certification of forests: The evolution of
environmental governance in a commodity network}, author = {Klooster, D.}, year = {2001},
journal = {Journal of Rural Studies}, doi = {10.1016/j.jrurstud.2005.08.005}}"""
UNKNOWN = """@article{unknown, title = {<script>alert(1)</script> & "nothing" that ever was},
author = {Nobody, A.}, year = {2019}}"""
LIST = f"{RIGHT}\n{WRONG}\n{UNKNOWN}"
VERDICT_OF = {"right": "confirmed", "wrong": "differs", "unknown": "not-found"}
PLAIN = {"Content-Type": "text/plain"}


@asynccontextmanager
async def started(*, faults: bool) -> AsyncIterator[TestClient]:
    @asynccontextmanager
    async def engine() -> AsyncIterator[Engine]:
        async with DemoDatabases(0.0, faults) as demo, Engine(demo.settings()) as running:
            yield running

    async with TestClient(TestServer(make_app(engine))) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client() -> AsyncIterator[TestClient]:
    """A client of one server for all tests, whose databases answer at once and all of them."""
    async with started(faults=False) as running:
        yield running


async def posted(
    client: TestClient, address: str, body: str = LIST, status: int = 200, **headers: str
) -> bytes:
    """The answer to a list that is posted as it stands."""
    data = BytesIO(body.encode())
    async with client.post(address, data=data, headers={**PLAIN, **headers}) as response:
        answered = await response.read()
        assert response.status == status, answered
        return answered


def lines(stream: bytes) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in stream.splitlines()]


async def shown(client: TestClient, list_: str = LIST, at: str = "/check") -> html.HtmlElement:
    """The page that a reader gets for a list that is pasted."""
    fields = aiohttp.FormData()
    fields.add_field("token", await token(client))
    fields.add_field("list", list_)
    fields.add_field("file", b"", filename="")
    async with client.post(at, data=fields) as response:
        assert response.status == 200
        assert response.content_type == "text/html"
        return html.document_fromstring(await response.text())


async def test_each_reference_has_its_verdict(client):
    """In the order of the list, with what differs, its hit, and how each database answered."""
    answer = orjson.loads(await posted(client, "/check"))
    right, wrong, unknown = answer["references"]

    assert {each["key"]: each["verdict"] for each in answer["references"]} == VERDICT_OF
    assert right["hit"]["doi"] == "10.1016/j.foreco.2008.02.057"
    (year,) = wrong["differences"]
    assert (year["field"], year["written"], year["found"]) == ("year", "2001", "2005")
    assert year["source"].startswith("demo-")  # JSON has names, as everywhere
    assert [each["serious"] for each in (right, wrong, unknown)] == [False, True, False]
    assert {outcome["status"] for outcome in unknown["asked"]} == {"empty"}
    assert set(answer["counts"]) == {"references", "serious", *VERDICTS}
    assert answer["counts"]["references"] == 3


async def test_a_stream_has_a_line_for_each_reference(client):
    """The same as the document, in the order in which they are known."""
    whole = orjson.loads(await posted(client, "/check"))
    first, *references, last = lines(await posted(client, "/check?format=ndjson"))

    assert first["event"] == "started"
    assert first["references"] == 3
    assert {each["key"]: each["verdict"] for each in references} == VERDICT_OF
    assert last == {
        "event": "done", "counts": whole["counts"], "requests": last["requests"],
    }  # fmt: skip


async def test_the_works_of_a_list(client):
    """Once each, as a search has them; and what no database has."""
    answer = orjson.loads(await posted(client, "/lookup"))
    first, *works, last = lines(await posted(client, "/lookup", Accept="application/x-ndjson"))

    assert MAIN_TITLE in {hit["title"] for hit in answer["hits"]}
    assert set(answer["works"]) == {"right", "wrong"}
    assert [(each["key"], each["status"]) for each in answer["missing"]] == [
        ("unknown", "not-found")
    ]
    assert (first["works"], last["found"], last["missing"]) == (3, 2, 1)
    assert {each["key"]: each["status"] for each in works} == {
        "right": "found", "wrong": "found", "unknown": "not-found",
    }  # fmt: skip


async def test_identifiers_and_chosen_databases(client):
    """An identifier is a list, and only the databases that are named are asked."""
    body = "10.1016/j.foreco.2008.02.057"
    answer = orjson.loads(await posted(client, "/lookup?sources=demo-crossref", body))

    assert [hit["title"] for hit in answer["hits"]] == [MAIN_TITLE]
    assert [report["source"] for report in answer["sources"]] == ["demo-crossref"]


MANY = "\n".join(f"10.1000/{number}" for number in range(MOST_REFERENCES + 1))


@each("path", ["/lookup", "/check"])
@each(
    ("query", "body", "status", "says"),
    [
        ("", "", 400, "give a list of references"),
        ("", " \n", 400, "give a list of references"),
        ("", MANY, 413, "1,001 references; one request takes 1,000"),
        pytest.param("", "x" * (MOST_BYTES + 1), 413, "bytes", id="too large"),
        ("?sources=demo-nothing", LIST, 400, "no source called 'demo-nothing'"),
        ("?format=bibtex", LIST, 406, "no format 'bibtex'"),
        ("?from=latin", LIST, 400, "no format 'latin'"),
    ],
)
async def test_refusals(client, path, query, body, status, says):
    """What cannot be used is refused before a database is asked, and the reason is told."""
    problem = orjson.loads(await posted(client, path + query, body, status))

    assert says in problem["detail"]


async def test_a_list_is_posted(client):
    """A GET of JSON has no list."""
    for path in ("/check", "/lookup"):
        async with client.get(f"{path}?format=json") as response:
            assert response.status == 400


async def test_a_database_that_fails_leaves_a_reference_unchecked():
    """It may know the work, so "not found" would be wrong; the page says who gave no answer."""
    async with started(faults=True) as client:
        answer = orjson.loads(await posted(client, "/check", UNKNOWN))
        missing = orjson.loads(await posted(client, "/lookup", UNKNOWN))["missing"]
        read = text(await shown(client, UNKNOWN))

    (reference,) = answer["references"]
    assert (reference["verdict"], reference["serious"]) == ("unchecked", False)
    assert "demo-failing" in reference["reason"]
    assert [each["status"] for each in missing] == ["unchecked"]
    assert "Could not be checked" in read
    assert "no answer of" in read
    assert "demo-failing" not in read


async def test_the_page_names_databases_as_people_do(client):
    """By their labels: what was asked, and in what differs; a work leads to its page."""
    tree = await shown(client)
    read = text(tree)

    assert "Crossref (simulated)" in read
    assert "demo-" not in read
    assert "Written: 2001; found: 2005" in read
    assert "Not found does not mean invented" in read
    assert len(tree.xpath("//ol[@class='checked']/li/p/span[contains(@class, 'state')]")) == 3
    (address,) = tree.xpath("//ol[@class='checked']/li[contains(., 'wrong')]//a/@href")
    assert "2005" in text(await page(client, address))


async def test_the_page_of_a_lookup(client):
    """Hits with who has them, and what was found nowhere; a work leads to its page."""
    tree = await shown(client, f"{LIST}", at="/lookup")
    states = tree.xpath("//ol[@class='checked']/li/p/span[contains(@class, 'state')]/text()")
    (address,) = tree.xpath("//ol[@class='checked']//h3/a[contains(., 'stewardship')]/@href")

    assert sorted(states) == ["Found", "Found", "Not found"]
    assert "nothing" in tree.xpath("//li[contains(@class, 'severity-1')]")[0].text_content()
    assert "Found: 2. Not found: 1. Not checked: 0." in text(tree)
    assert "Crossref (simulated)" in text(tree)
    assert "demo-" not in text(tree)
    assert MAIN_TITLE in text(await page(client, address))


async def test_what_could_not_be_looked_up(client):
    """With who gave no answer; and where nobody could be asked, it says so."""
    async with started(faults=True) as other:
        unanswered = text(await shown(other, UNKNOWN, at="/lookup"))
    unasked = text(await shown(client, "CorpusID:12\n???", at="/lookup"))

    assert "No answer of" in unanswered
    assert "None of the databases can be asked for it" in unasked
    assert "corpusid 12" in unasked
    assert "???" in unasked
    for read in (unanswered, unasked):
        assert "Could not be checked" in read


@each("path", ["/check", "/lookup"])
async def test_the_forms_lead_to_their_pages(client, path):
    """Both are linked at the foot of every page."""
    tree = await page(client, path)

    assert tree.xpath(f"//form[@method='post'][@action='{path}']//textarea[@name='list']")
    assert tree.xpath(f"//footer//a[starts-with(@href, '{path}?')]")


@each("at", ["/check", "/lookup"])
async def test_the_page_shows_markup_as_text(client, at):
    """What is written in a list is no part of the page, which has no script."""
    tree = await shown(client, at=at)

    assert '<script>alert(1)</script> & "nothing" that ever was' in text(tree)
    assert not tree.get_element_by_id("main").xpath(".//script")


async def test_the_page_is_in_the_language_of_the_reader(client):
    """Verdicts, reasons and names of fields; the names of databases stand in them."""
    for path, words in {
        "/check": ("核查参考文献", "已证实", "有出入", "未找到", "Crossref（模拟）"),
        "/lookup": ("查找文献", "检出", "未找到", "Crossref（模拟）"),
    }.items():
        address = f"{path}?format=html&lang=zh-Hans"
        async with client.post(address, data=LIST, headers=PLAIN) as response:
            read = text(html.document_fromstring(await response.text()))
        for word in words:
            assert word in read


async def test_a_file_is_uploaded(client):
    """With the token of the form, which the page has; what a list does not hold is told."""
    tree = await page(client, "/check")
    (real,) = tree.xpath("//form[@method='post'][@action='/check']//input[@name='token']/@value")
    answers = []
    for value in (real, "forged"):
        fields = aiohttp.FormData()
        fields.add_field("token", value)
        fields.add_field("list", "")
        fields.add_field("file", LIST.encode(), filename="refs.bib")
        async with client.post("/check", data=fields) as response:
            answers.append((response.status, await response.text()))

    assert [status for status, _ in answers] == [200, 403]
    assert "3 references" in answers[0][1]
    assert "</html>" in answers[0][1]


async def test_labels_stand_in_sentences():
    """Only those of databases are changed; other texts stay as they are."""
    from metasearch.message import join_texts, message

    labels = {"a": "Archive A"}
    failed = message("no answer of {sources}", sources=join_texts(", ", ["a", "b"]))

    assert with_labels(failed, labels) == "no answer of Archive A, b"
    assert with_labels(message("{source} has {found}.", source="a", found="a"), labels) == (
        "Archive A has a."
    )
    assert with_labels("a", labels) == "a"
