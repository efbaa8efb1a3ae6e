"""`/basket`: what is ticked in lists is kept, shown and exported together."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import pytest

from metasearch.bib.work_ids import hit_id
from metasearch.engine.results import KEPT_IN_BASKET, LARGEST
from metasearch.formats import WRITABLE, write
from metasearch.server.pages import basket
from metasearch.server.pages.basket import OFFERED
from metasearch.server.visit import MOST_IN_BASKET
from tests import cases
from tests.server.fake import FakeEngine, answer, hit, late, record
from tests.server.visitor import page, post, text

ONE, TWO, THREE = map(hit_id, ("one", "two", "three"))
TITLES = {ONE: "Gene drives in island mice", TWO: "Second", THREE: "<b>Third</b>"}


def works():
    """Three works with ids of ours."""
    return [
        replace(hit(number * 10, title=title, doi=f"10.5555/{number}"), id=name)
        for number, (name, title) in enumerate(TITLES.items(), 1)
    ]


@pytest.fixture
def engine() -> FakeEngine:
    """An engine that finds three works."""
    return FakeEngine(answer(*works()))


async def add(client, *names, search="q=mice", **fields):
    ticked = [("id", name) for name in names]
    return await post(
        client, "/basket", [("do", "add"), ("search", search), *ticked, *fields.items()]
    )


def titles(tree):
    headings = tree.xpath("//h2[@class='hit-title']")
    return [" ".join(each.text_content().split()) for each in headings]


def tally(tree):
    return [int(each) for each in tree.xpath("//span[@class='tally']/text()")]


async def test_an_empty_basket(client, engine):
    """Says what to do; no form, no cookie, no source is asked."""
    tree = await page(client, "/basket")

    assert "The basket is empty." in text(tree)
    assert tree.xpath("//form") == []
    assert engine.asked == []


async def test_works_of_a_list(client, engine):
    """They are found by making the search again, as the result page made it, and stand in the
    order in which they were added.
    """
    back = "/search?q=mice&sources=alpha#w-1"
    first = await add(client, TWO, search="q=mice&sources=alpha&start=0&format=html", back=back)
    await add(client, THREE, ONE)
    tree = await page(client, "/basket")

    assert (first.status, first.headers["Location"]) == (303, back)
    assert engine.asked[0]["query"] == "mice"
    assert engine.asked[0]["sources"] == ("alpha",)
    assert engine.asked[0]["limit"] == 20
    assert titles(tree) == ["Second", "<b>Third</b>", "Gene drives in island mice"]
    assert tally(tree) == [3]
    assert tree.xpath("//h2/a/@href") == [f"/work/{name}" for name in (TWO, THREE, ONE)]
    assert "Ada Byron, Bo Li" in text(tree)
    assert "In Alpha and Beta" in text(tree)


async def test_the_search_is_that_of_the_page(client, engine):
    """With what the reader prefers, where the address leaves it open."""
    await post(client, "/settings", [("count", "50"), ("sources", "beta")])
    await add(client, ONE)

    assert (engine.asked[0]["limit"], engine.asked[0]["sources"]) == (50, ("beta",))


async def test_a_work_that_is_kept_needs_no_search(client, engine):
    await engine.works.keep(works()[:1])
    await add(client, ONE, search="")

    assert titles(await page(client, "/basket")) == ["Gene drives in island mice"]
    assert engine.asked == []


async def test_added_twice_it_stands_once(client, engine):
    await add(client, ONE)
    await add(client, ONE, TWO, ONE)

    assert tally(await page(client, "/basket")) == [2]


async def test_an_id_that_the_work_had_before(serve):
    """The list on the screen is older than the answer: another source has answered since."""
    merged = replace(works()[0], id=TWO, also=(ONE,))
    client = await serve(FakeEngine(answer(merged)))
    await add(client, ONE)

    assert titles(await page(client, "/basket")) == ["Gene drives in island mice"]
    assert (await client.get(f"/basket?format=ris&id={TWO}")).status == 200


async def test_one_work_of_two_searches_stands_once(client, engine):
    """Two hits that share a record are one work: the one with more records is shown, and goes
    with all its ids.
    """
    await add(client, ONE, TWO)
    wider = replace(works()[0], id=THREE, records=(*works()[0].records, record("gamma", 9)))
    engine.answer = answer(wider)
    await add(client, THREE)
    tree = await page(client, "/basket")

    assert titles(tree) == ["Gene drives in island mice", "Second"]
    assert tally(tree) == [2]
    assert tree.xpath("//td//input[@name='id']/@value") == [THREE, TWO]
    await post(client, "/basket", {"do": "remove", "id": THREE})
    assert titles(await page(client, "/basket")) == ["Second"]


async def test_remove_and_clear(client, engine):
    await add(client, ONE, TWO, THREE)
    response = await post(client, "/basket", [("do", "remove"), ("id", ONE), ("id", THREE)])

    assert (response.status, response.headers["Location"]) == (303, "/basket")
    assert titles(await page(client, "/basket")) == ["Second"]
    await post(client, "/basket", {"do": "clear"})
    assert "The basket is empty." in text(await page(client, "/basket"))


async def test_a_button_of_each_work_removes_it(client, engine):
    """As a browser sends it: the button's form has the rest."""
    await add(client, ONE, TWO)
    tree = await page(client, "/basket")
    button = tree.xpath("//button[@form='change']")[0]
    form = tree.get_element_by_id(button.get("form"))
    fields = {each.get("name"): each.get("value") for each in form.xpath(".//input")}
    await client.post(form.get("action"), data={**fields, button.get("name"): button.get("value")})

    assert titles(await page(client, "/basket")) == ["Second"]


# --------------------------------------------------------------------------- what is lost


async def test_a_work_that_is_known_no_more(client, engine):
    """It is listed with a button to remove it, and exports say that they lack it."""
    await add(client, ONE, TWO)
    await engine.works._store.clear()
    await engine.works.keep(works()[:1])
    tree = await page(client, "/basket")

    assert titles(tree) == ["Gene drives in island mice"]
    assert "1 work is not known here any more" in text(tree)
    assert tree.xpath("//li//button[@form='change']/@value") == [TWO]
    exported = await (await client.get("/basket?format=json")).json()
    assert exported["complete"] is False
    assert exported["notes"] == [f"Not known here any more: {TWO}."]
    await post(client, "/basket", {"do": "remove", "id": TWO})
    assert "not known here" not in text(await page(client, "/basket"))


async def test_a_work_that_is_not_found_is_named_and_the_others_are_added(client, engine):
    response = await add(client, ONE, hit_id("gone"), TWO)

    assert response.status == 404
    assert hit_id("gone") in await response.text()
    assert tally(await page(client, "/basket")) == [2]


async def test_a_work_that_is_too_large_to_be_kept_is_named(serve):
    huge = replace(works()[0], record=record(abstract="a" * LARGEST))
    client = await serve(FakeEngine(answer(huge)))
    response = await add(client, ONE)

    assert response.status == 404
    assert ONE in await response.text()
    assert tally(await page(client, "/basket")) == []


async def test_no_source_answered(serve):
    client = await serve(FakeEngine(answer(reports=[late("alpha")])))
    response = await add(client, ONE)

    assert response.status == 504


async def test_more_than_a_basket_holds(serve):
    """Refused before any source is asked; what is in it stays."""
    many = [replace(hit(10 * number), id=hit_id(str(number))) for number in range(1, 153)]
    names = [each.id for each in many]
    engine = FakeEngine(answer(*many))
    client = await serve(engine)
    assert (await add(client, *names[:MOST_IN_BASKET])).status == 303
    assert tally(await page(client, "/basket")) == [MOST_IN_BASKET]
    asked = len(engine.asked)
    response = await add(client, *names)

    assert response.status == 409
    assert "it has 150, and 2 more were ticked" in await response.text()
    assert len(engine.asked) == asked
    assert tally(await page(client, "/basket")) == [MOST_IN_BASKET]
    assert (await add(client, *names[:5])).status == 303


@cases.each(
    "fields",
    [
        [("do", "add")],
        [("do", "add"), ("id", "one")],
        [("do", "remove"), ("id", "doi:10.1/x")],
        [("do", "remove"), ("id", "h" * 5_000)],
        [("id", ONE)],
        [("do", "burn"), ("id", ONE)],
        [("do", "add"), ("do", "clear"), ("id", ONE)],
        [("do", "add"), ("id", ONE), ("search", "q=mice&count=99999")],
        [("do", "add"), ("id", ONE), ("search", "q=%FF")],
        [("do", "add"), ("id", ONE), ("search", urlencode({"q": "a AND"}))],
        [("do", "add"), ("id", ONE), ("search", "&".join(["q=1"] * 600))],
        [("do", "add"), ("id", ONE), ("search", "q=1"), ("search", "q=2")],
    ],
)
async def test_a_form_that_cannot_be_read(client, fields):
    response = await post(client, "/basket", fields)

    assert response.status == 400
    assert tally(await page(client, "/basket")) == []


# --------------------------------------------------------------------------- exports


@cases.each("form", [name for name in OFFERED if name not in ("html", "xlsx", "json")])
async def test_every_format(client, engine, form):
    """As the writer of a search answer writes the works, in the order of the basket."""
    await add(client, TWO, ONE)
    response = await client.get(f"/basket?format={form}&style=apa")
    second, first = works()[1], works()[0]
    expected = answer(replace(second, rank=1), replace(first, rank=2))

    assert (response.status, response.content_type) == (200, OFFERED[form])
    assert await response.read() == write(form, expected, style="apa")
    ending = WRITABLE[form].extension
    assert f'filename="metasearch-basket.{ending}"' in response.headers["Content-Disposition"]
    assert "Set-Cookie" not in response.headers


async def test_json_and_accept(client, engine):
    """A client that names no format gets the page; Accept chooses as in a search."""
    await add(client, TWO, ONE)
    found = await (await client.get("/basket", headers={"Accept": "application/json"})).json()
    ris = await client.get("/basket", headers={"Accept": OFFERED["ris"]})

    assert [(each["id"], each["rank"]) for each in found["hits"]] == [(TWO, 1), (ONE, 2)]
    assert (await ris.text()).count("TY  - ") == 2
    assert (await client.get("/basket", headers={"Accept": "*/*"})).content_type == "text/html"
    assert (await client.get("/basket?format=nothing")).status == 406
    assert "Cookie" in ris.headers["Vary"]


async def test_the_ticked_works_alone(client, engine):
    await add(client, ONE, TWO, THREE)
    body = await (await client.get(f"/basket?format=ris&id={THREE}&id={ONE}")).text()

    assert body.count("TY  - ") == 2
    assert body.index("Gene drives") < body.index("Third")
    assert (await client.get(f"/basket?format=ris&id={hit_id('other')}")).status == 404
    assert (await client.get("/basket?format=ris&id=other")).status == 400


async def test_citations_are_in_the_style_of_the_reader(client, engine):
    await add(client, ONE)
    await post(client, "/settings", {"style": "ieee"})
    cited = (await (await client.get("/basket?format=citations")).text()).strip()
    (shown,) = (await page(client, "/basket")).xpath("//div[@class='citation']/p/text()")

    assert cited.startswith("[1] A. Byron")
    assert shown == cited
    other = await (await client.get("/basket?format=citations&style=apa")).text()
    assert other.startswith("Byron, A.")


async def test_links_to_all_formats(client, engine):
    """The page offers what the server can write."""
    await add(client, ONE)
    tree = await page(client, "/basket")
    links = tree.xpath("//nav[@class='take']//a/@href")

    assert links[0] == "/basket?format=ris"
    assert {link.partition("=")[2] for link in links} == {*OFFERED} - {"html"}
    assert tree.xpath("//option/@value") == [link.partition("=")[2] for link in links]


# --------------------------------------------------------------------------- how long, how safe


async def test_works_are_kept_long_and_renewed_when_the_basket_is_shown(client, engine):
    now = 0.0
    store = engine.works._store
    store._clock = lambda: now
    await add(client, ONE)
    now = KEPT_IN_BASKET - 10
    assert titles(await page(client, "/basket")) == ["Gene drives in island mice"]
    now += KEPT_IN_BASKET - 10
    assert titles(await page(client, "/basket")) == ["Gene drives in island mice"]
    now += KEPT_IN_BASKET
    assert "1 work is not known here any more" in text(await page(client, "/basket"))


async def test_a_hostile_title_is_text(serve):
    title = '"><script>alert(1)</script>'
    client = await serve(FakeEngine(answer(replace(works()[0], record=record(title=title)))))
    await add(client, ONE)
    tree = await page(client, "/basket")

    assert titles(tree) == [title]
    assert tree.xpath("//script") == []


async def test_many_works_are_written_beside_the_loop(serve, monkeypatch):
    """As long lists are."""
    monkeypatch.setattr(basket, "WRITTEN_AT_ONCE", 1)
    client = await serve(FakeEngine(answer(*works())))
    await add(client, ONE, TWO, THREE)

    assert len(titles(await page(client, "/basket"))) == 3
    assert (await client.get("/basket?format=bibtex")).status == 200


async def test_in_chinese(client, engine):
    await add(client, ONE)
    tree = await page(client, "/basket?lang=zh")

    assert tree.get("lang") == "zh-Hans"


async def test_works_are_compared_field_by_field(client, engine):
    """Side by side, the fields that one of them has; a single work is compared with nothing."""
    await engine.works.keep(works())
    await add(client, ONE, search="")
    assert "Compare" not in text(await page(client, "/basket"))

    await add(client, TWO, search="")
    (table,) = (await page(client, "/basket")).xpath("//table[caption='Works side by side']")
    rows = {
        row.findtext("th"): [cell.text_content() for cell in row.findall("td")]
        for row in table.xpath("tbody/tr")
    }

    assert [head.text_content() for head in table.xpath("thead//th")][1:] == [
        "Gene drives in island mice",
        "Second",
    ]
    assert rows["DOI"] == ["10.5555/1", "10.5555/2"]
