"""`/settings`: what a reader prefers is saved in a cookie, and shown as it is."""

from __future__ import annotations

from lxml import html

from metasearch.formats.citations import STYLES
from metasearch.language import TAGS
from metasearch.server.visit import MOST_SOURCES, SIZES, THEMES
from metasearch.settings import Settings
from tests.cases import each
from tests.server.fake import FakeEngine, spec
from tests.server.visitor import page, post, text

KEYED = Settings(env={"GAMMA_KEY": "hush"})


def ticked(tree, name):
    """The values of the fields of that name that are chosen."""
    return tree.xpath(f"//input[@name='{name}'][@checked]/@value") + tree.xpath(
        f"//select[@name='{name}']/option[@selected]/@value"
    )


async def test_at_first_all_is_as_usual(client):
    """Every choice is offered, with its label; the usual databases are named."""
    tree = await page(client, "/settings")

    assert tree.xpath("//input[@name='language']/@value") == list(TAGS)
    assert tree.xpath("//input[@name='theme']/@value") == list(THEMES)
    assert tree.xpath("//input[@name='count']/@value") == [str(size) for size in SIZES]
    assert tree.xpath("//select[@name='style']/option/@value") == ["", *STYLES]
    chosen = [ticked(tree, name) for name in ("language", "theme", "count", "sources")]
    assert chosen == [["en"], ["auto"], ["20"], []]
    assert "asks the 2 usual ones: Alpha and Beta." in text(tree)
    assert not tree.xpath("//input[not(@type='hidden')][not(ancestor::label)]")
    assert tree.xpath("//form/@method") == ["post", "post"]


async def test_what_is_saved_is_shown_and_used(client):
    fields = [("language", "zh-Hans"), ("theme", "dark"), ("count", "50"), ("style", "ieee")]
    response = await post(client, "/settings", [*fields, ("sources", "beta"), ("do", "save")])
    assert (response.status, response.headers["Location"]) == (303, "/settings?done=saved")
    tree = await page(client, "/settings?done=saved")

    assert (tree.get("lang"), tree.get("data-theme")) == ("zh-Hans", "dark")
    for name, value in fields:
        assert ticked(tree, name) == [value]
    assert ticked(tree, "sources") == ["beta"]
    assert (await page(client, "/basket")).get("lang") == "zh-Hans"


async def test_the_message_is_a_status(client):
    assert (await page(client, "/settings?done=saved")).xpath("//*[@role='status']/text()") == [
        "The settings are saved."
    ]
    for other in ("/settings", "/settings?done=<b>", "/settings?done=nothing"):
        assert (await page(client, other)).xpath("string(//*[@role='status'])") == ""


async def test_what_a_form_leaves_out_stays(client):
    """But for the databases: a form without any has none ticked."""
    await post(client, "/settings", [("theme", "dark"), ("count", "100"), ("sources", "alpha")])
    await post(client, "/settings", [("count", "50")])
    tree = await page(client, "/settings")

    assert (ticked(tree, "theme"), ticked(tree, "count")) == (["dark"], ["50"])
    assert ticked(tree, "sources") == []


async def test_all_and_none_of_a_group(client):
    """A button ends the form: what else was changed is saved with it, and the group is open."""
    response = await post(client, "/settings", [("theme", "dark"), ("all", "default")])
    assert response.headers["Location"] == "/settings?done=saved&group=default#groups"
    tree = await page(client, response.headers["Location"])
    assert sorted(ticked(tree, "sources")) == ["alpha", "beta"]
    assert tree.xpath("//details[@open]/@id") == ["g-default"]
    assert ticked(tree, "theme") == ["dark"]

    fields = [("sources", name) for name in ("alpha", "beta", "gamma")]
    await post(client, "/settings", [*fields, ("none", "default")])
    assert ticked(await page(client, "/settings"), "sources") == ["gamma"]


async def test_the_usual_databases_again(client):
    await post(client, "/settings", [("sources", "gamma")])
    button = (await page(client, "/settings")).xpath("//button[@value='usual']/@name")
    await post(client, "/settings", [("sources", "gamma"), (button[0], "usual")])

    assert ticked(await page(client, "/settings"), "sources") == []


async def test_enter_saves_and_ticks_no_group(client):
    """A browser presses the first button of a form."""
    form = (await page(client, "/settings")).xpath("//form[.//details]")[0]
    first = form.xpath(".//button")[0]

    assert (first.get("name"), first.get("value")) == ("do", "save")


async def test_what_cannot_be_asked_is_not_offered(serve):
    """All of a group ticks what can be asked."""
    engine = FakeEngine(settings=Settings(env={}))
    client = await serve(engine)
    tree = await page(client, "/settings")
    assert "gamma" not in tree.xpath("//input[@name='sources']/@value")
    await post(client, "/settings", [("all", "medicine")])
    assert ticked(await page(client, "/settings"), "sources") == []


async def test_a_source_that_is_gone_is_named(serve):
    """The cookie of an earlier day names it; saved again, it leaves."""
    engine = FakeEngine(settings=KEYED)
    client = await serve(engine)
    await post(client, "/settings", [("sources", "beta"), ("sources", "gamma")])
    del engine.registry.specs["gamma"]
    tree = await page(client, "/settings")

    assert "No longer here: gamma." in text(tree)
    assert ticked(tree, "sources") == ["beta"]


@each(
    ("name", "value"),
    [
        ("language", "fr"), ("language", ""), ("theme", "blue"), ("count", "21"), ("count", "1e9"),
        ("style", "mla"), ("sources", "nothing"), ("sources", "/etc/passwd"), ("do", "burn"),
        ("sources", "ä" * 10_000),
    ],
)  # fmt: skip
async def test_what_is_not_offered_is_refused(client, name, value):
    """And nothing is changed."""
    await post(client, "/settings", {"theme": "dark"})
    response = await post(client, "/settings", [("theme", "light"), (name, value)])

    assert response.status == 400
    assert (await page(client, "/settings")).get("data-theme") == "dark"


async def test_more_databases_than_a_cookie_holds_are_refused(serve):
    engine = FakeEngine()
    names = [f"s{number}" for number in range(MOST_SOURCES + 1)]
    engine.registry.specs |= {name: spec(name) for name in names}
    client = await serve(engine)
    response = await post(client, "/settings", [("sources", name) for name in names])

    assert response.status == 400
    assert f"more than {MOST_SOURCES} names" in await response.text()


async def test_addresses_for_sharing(client):
    """They show another browser the same, without any cookie."""
    fields = [("language", "zh-Hans"), ("theme", "dark"), ("count", "50"), ("sources", "beta")]
    await post(client, "/settings", fields)
    tree = await page(client, "/settings")
    (here,) = tree.xpath("//a[@class='code']/@href")
    (search,) = tree.xpath("//dd/code/text()")
    assert search.endswith("&lang=zh-Hans&theme=dark&count=50&format=html&sources=beta")

    client.session.cookie_jar.clear()
    shown = html.document_fromstring(await (await client.session.get(here)).text())
    assert (shown.get("lang"), shown.get("data-theme")) == ("zh-Hans", "dark")


async def test_all_cookies_are_deleted(client):
    """The page that says so has a form, and so a new visitor."""
    await post(client, "/settings", {"theme": "dark"})
    response = await post(client, "/settings", {"do": "forget"})
    assert response.headers["Location"] == "/settings?done=forgotten"
    assert {name for name, morsel in response.cookies.items() if not morsel.value} == {
        "metasearch-visitor", "metasearch-settings", "metasearch-basket",
    }  # fmt: skip
    assert [cookie.key for cookie in client.session.cookie_jar] == []
    tree = await page(client, "/settings?done=forgotten")
    assert "All cookies of this server are deleted" in text(tree)
    assert tree.get("data-theme") is None
