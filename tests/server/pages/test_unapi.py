"""unAPI: formats and works of record pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from lxml import etree

from metasearch.bib.work_ids import hit_id
from metasearch.formats import WRITABLE
from metasearch.server.pages.work import FORMATS
from tests import cases
from tests.server.fake import FakeEngine, answer, hit

ID = hit_id("one")


@pytest.fixture
def engine() -> FakeEngine:
    """An engine that finds one work."""
    return FakeEngine(answer(replace(hit(), id=ID)))


@pytest.fixture
async def shown(client):
    """A client of a server that has shown a record page."""
    assert (await client.get(f"/work/{ID}?q=mice")).status == 200
    return client


async def test_the_formats(client):
    """Without an id: those of every work."""
    response = await client.get("/unapi")
    root = etree.fromstring(await response.read())

    assert (response.status, response.content_type) == (200, "application/xml")
    assert [it.get("name") for it in root] == ["mods", "ris", "bibtex"]
    assert [it.get("type") for it in root] == [WRITABLE[name].media_type for name in FORMATS]
    assert root.get("id") is None


async def test_the_formats_of_a_work(shown):
    """300, with its id."""
    response = await shown.get(f"/unapi?id={ID}")
    root = etree.fromstring(await response.read())

    assert response.status == 300
    assert (root.tag, root.get("id"), len(root)) == ("formats", ID, 3)


@pytest.mark.parametrize("form", FORMATS)
async def test_a_work(shown, engine, form):
    """The same bytes as of the record page, and no source is asked."""
    asked = len(engine.asked)
    response = await shown.get(f"/unapi?id={ID}&format={form}")
    page = await shown.get(f"/work/{ID}?format={form}")

    assert (response.status, response.content_type) == (200, WRITABLE[form].media_type)
    assert await response.read() == await page.read()
    assert len(engine.asked) == asked


@cases.each(
    "id_", [hit_id("nowhere"), "x", "%00", "%3Cscript%3E", "doi:10.5555/islands.1", "h" * 5_000]
)
async def test_unknown_works(shown, engine, id_):
    """404 in any format; an identifier is no id here, for nothing is searched."""
    asked = len(engine.asked)
    for address in (f"/unapi?id={id_}", f"/unapi?id={id_}&format=ris"):
        response = await shown.get(address)
        assert response.status == 404
        assert "<script>" not in (await response.json())[
            "detail"
        ] or response.content_type.endswith("json")
    assert len(engine.asked) == asked


@pytest.mark.parametrize("form", ["marcxml", "marc", "json", "nonsense", "html"])
async def test_unknown_formats(shown, form):
    """406; MARC is none of them, because Zotero would prefer it and lose types."""
    assert (await shown.get(f"/unapi?id={ID}&format={form}")).status == 406


async def test_repeated_parameters(shown):
    """400 that names the parameter."""
    response = await shown.get(f"/unapi?id={ID}&id={ID}")

    assert response.status == 400
    assert (await response.json())["errors"][0]["parameter"] == "id"


async def test_it_costs_nothing_of_the_quota(serve, engine):
    """Zotero asks for every id of a page before its user has chosen."""
    client = await serve(engine, rate_limit=1, trusted_proxies=("127.0.0.1",))
    headers = {"X-Forwarded-For": "203.0.113.9"}
    await client.get(f"/work/{ID}?q=mice", headers=headers)

    for _ in range(5):
        response = await client.get(f"/unapi?id={ID}&format=mods", headers=headers)
        assert response.status == 200
        assert "RateLimit" not in response.headers


async def test_a_key_is_needed_where_there_are_keys(serve, engine):
    """It shows works."""
    client = await serve(engine, keys=("correct-horse-battery",))

    assert (await client.get("/unapi")).status == 401


async def test_lists_have_no_ids(client):
    """A list of fifty works would make fifty requests."""
    page = await (await client.get("/search?q=mice&format=html")).text()

    assert not re.search("unapi", page)
