"""What Zotero's own code makes of our pages: `METASEARCH_TEST_ZOTERO` is the address of a
translation-server on this machine; without it these tests are skipped.
"""

from __future__ import annotations

import os
from dataclasses import replace

import aiohttp
import orjson
import pytest

from metasearch.bib.work_ids import hit_id
from metasearch.formats.mods import zotero_type
from metasearch.record import TYPES, Author
from tests.cases import each
from tests.server.fake import FakeEngine, answer, hit

ZOTERO = os.environ.get("METASEARCH_TEST_ZOTERO", "")

if not ZOTERO:
    pytest.skip("METASEARCH_TEST_ZOTERO names no server", allow_module_level=True)

#: Types that a list describes more broadly than a record page does.
_ON_LISTS = {"reference-entry": "bookSection"}


def work(number: int, kind: str):
    """A work of a type, with names and a title that are easily read wrong."""
    authors = (
        Author("Ludwig van Beethoven", "van Beethoven", "Ludwig"),
        Author("World Health Organization", collective=True),
        Author("王小明", "王", "小明"),
    )
    fields = {"authors": authors, "language": "en", "issn": ("1234-5678", "8765-4321")}
    one = hit(number, type=kind, title=f"C++ & <i>mice</i> {kind}", doi=f"10.5555/{kind}", **fields)
    return replace(one, id=hit_id(kind), rank=number)


async def asked(content: str, media_type: str = "text/plain"):
    """The answer of translation-server's /web."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"{ZOTERO}/web", data=content.encode(), headers={"Content-Type": media_type}
        ) as response,
    ):
        return response.status, orjson.loads(await response.read())


async def test_a_list(serve):
    """Every work is offered, and becomes an item of its type with names, pages and numbers."""
    works = [work(number, kind) for number, kind in enumerate(TYPES, 1)]
    client = await serve(FakeEngine(answer(*works)), rate_limit=0)
    status, choice = await asked(str(client.make_url("/search?q=mice&format=html")))

    assert status == 300
    assert len(choice["items"]) == len(works)
    _, items = await asked(orjson.dumps(choice).decode(), "application/json")
    for kind, item in zip(TYPES, items, strict=True):
        assert item["itemType"] == _ON_LISTS.get(kind, zotero_type(kind))
        assert item["title"] == f"C\uff0b\uff0b & <i>mice</i> {kind}"
        assert [
            (name.get("lastName"), name.get("firstName"), name.get("name"))
            for name in item["creators"]
        ] == [
            ("van Beethoven", "Ludwig", None),
            (None, None, "World Health Organization"),
            ("王", "小明", None),
        ]
    article = items[0]
    assert (article["ISSN"], article["pages"], article["DOI"]) == (
        "1234-5678",
        "101-110",
        "10.5555/article",
    )


@each("kind", TYPES)
async def test_a_record_page(serve, kind):
    """It is read by unAPI as MODS: nothing of the title is lost."""
    client = await serve(FakeEngine(answer(work(1, kind))))
    status, (item,) = await asked(str(client.make_url(f"/work/{hit_id(kind)}?q=mice")))

    assert status == 200
    assert (item["itemType"], item["title"]) == (zotero_type(kind), f"C++ & <i>mice</i> {kind}")
    assert len(item["creators"]) == 3


@each(
    ("kind", "field", "expected"),
    [
        ("thesis", "university", "Isle University"),
        ("report", "institution", "Isle University"),
        ("preprint", "repository", "Journal of Islands"),
    ],
)
async def test_who_published_it(serve, kind, field, expected):
    """A university is no author, and a preprint's server its repository."""
    one = work(1, kind)
    institution = None if kind == "preprint" else "Isle University"
    client = await serve(
        FakeEngine(answer(replace(one, record=replace(one.record, institution=institution))))
    )
    _, (item,) = await asked(str(client.make_url(f"/work/{hit_id(kind)}?q=mice")))

    assert item[field] == expected
    assert len(item["creators"]) == 3
