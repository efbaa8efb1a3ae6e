"""`/sources` for people: groups, states, and the form that begins a search."""

from __future__ import annotations

from lxml import html

from metasearch.adapters.fetch.health import SourceState
from metasearch.adapters.request import Budget
from metasearch.adapters.spec import Auth, Limits
from metasearch.adapters.specs.registry import Registry
from metasearch.server.pages.sources import HEADINGS, OTHERS, group_sources
from metasearch.server.sources import SourceView
from metasearch.settings import Settings
from tests.cases import each
from tests.server.fake import FakeEngine, spec

HTML = {"Accept": "text/html"}


async def page_of(client, address: str = "/sources"):
    response = await client.get(address, headers=HTML)
    assert response.status == 200
    return html.document_fromstring(await response.text())


def ticked(page) -> list[str]:
    """What the form would send."""
    return page.xpath("//input[@name='sources'][@checked or @type='hidden']/@value")


def row(page, name: str):
    """The row of a source."""
    (found,) = page.xpath("//tr[.//input[@value=$name]]", name=name)
    return found


def text(element) -> str:
    return " ".join(element.text_content().split())


# --------------------------------------------------------------------------- groups


async def test_each_source_stands_in_one_group(client):
    """Those asked by default first; the key of a source is nowhere."""
    page = await page_of(client)

    assert page.xpath("//details[@class='group']//h2/text()") == ["Asked by default", "Medicine"]
    assert page.xpath("//input[@type='checkbox']/@value") == ["alpha", "beta", "gamma"]
    assert ticked(page) == ["alpha", "beta"]
    assert [
        bool(group.get("open") is not None) for group in page.xpath("//details[@class='group']")
    ] == [
        True,
        False,
    ]
    assert "hush" not in html.tostring(page, encoding="unicode")


def test_the_groups_of_the_shipped_sources():
    """Every source is in exactly one group, and every shipped group of a subject has a heading."""
    registry = Registry(Settings(env={}))
    views = [
        SourceView(name, None, name in registry.default(), (), SourceState(name), None)
        for name in registry.names()
    ]
    groups = group_sources(registry, views)
    place = {source.name: group.name for group in groups for source in group.sources}

    assert sorted(place) == registry.names()
    assert sum(len(group.sources) for group in groups) == len(views)
    own = {"all", "lookup", "lookup-rare", "citations"}
    assert {*registry.groups} - own == {*HEADINGS}
    assert {group.name for group in groups} <= {*HEADINGS, OTHERS}
    assert (groups[0].name, groups[-1].name) == ("default", OTHERS)
    assert (place["crossref"], place["cnki"], place["scopus"]) == ("default", "chinese", "general")


def test_groups_of_the_configuration_come_second():
    """Under their own names."""
    registry = Registry(Settings(env={}, groups={"our library": ("dnb", "crossref")}))
    views = [
        SourceView(name, None, name == "crossref", (), SourceState(name), None)
        for name in ("dnb", "crossref", "kb")
    ]

    assert [
        (group.name, [each.name for each in group.sources])
        for group in group_sources(registry, views)
    ] == [
        ("default", ["crossref"]),
        ("our library", ["dnb"]),
        ("books", ["kb"]),
    ]


# --------------------------------------------------------------------------- states


async def test_states_in_words(serve):
    """With an icon, the reason, and when the source is asked again."""
    engine = FakeEngine(settings=Settings(env={}))
    engine.registry.specs["delta"] = spec(
        "delta",
        default=False,
        enabled=False,
        terms="Delta forbids programs (https://delta.example.org/terms): ask it.",
    )
    engine.registry.specs["epsilon"] = spec("epsilon", default=False, enabled=False)
    engine.states["alpha"] = SourceState(
        "alpha", p50_ms=250.0, p95_ms=1200.0, requests=3, failures=1
    )
    engine.states["beta"] = SourceState("beta", "paused", 200.0, "answered 429")
    engine.registry.specs["zeta"] = spec("zeta")
    engine.states["zeta"] = SourceState("zeta", last_error="answered 500", requests=1, failures=1)
    page = await page_of(await serve(engine))
    states = {
        name: text(row(page, name).findall("td")[1])
        for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    }

    assert states["alpha"] == "ready"
    assert states["zeta"] == "its last request failed answered 500"
    assert states["beta"] == "paused; asked again in 4 minutes answered 429"
    assert states["gamma"] == "needs a key The operator of this server sets GAMMA_KEY."
    assert states["delta"].startswith("programs may not ask it Its terms forbid automatic queries.")
    assert states["epsilon"] == "off It is asked only if it is ticked."
    assert len(page.xpath("//td/span[contains(@class, 'state')]/*[name()='svg']")) == 6
    assert row(page, "gamma").xpath(".//input/@disabled") == ["disabled"]
    assert row(page, "alpha").xpath(".//input/@disabled") == []
    assert row(page, "delta").xpath(".//dd/a[text()='https://delta.example.org/terms']/@href") == [
        "https://delta.example.org/terms"
    ]


@each(
    ("seconds", "shown"),
    [
        (0.2, "in 1 second"),
        (29.5, "in 30 seconds"),
        (100, "in 2 minutes"),
        (3600, "in 60 minutes"),
        (53578, "in 15 hours"),
    ],
)
def test_waits_are_rounded_up(seconds, shown):
    """Nobody comes too early."""
    from metasearch.server.pages.sources import _wait

    number, unit = _wait(seconds)
    assert shown == f"in {number} {unit if number != 1 else unit[:-1]}"


async def test_the_facts_of_a_source(serve):
    """What it covers, languages, terms, key, rate, times, and what is tested."""
    engine = FakeEngine()
    engine.registry.specs["crossref"] = spec(
        "crossref",
        file="crossref.toml",
        coverage="Works with a DOI",
        languages=("fr", "de"),
        terms="https://crossref.example.org/terms",
        limits=Limits(requests=3, per=2, stated="https://crossref.example.org/rate"),
        auth=(Auth("mailto", "METASEARCH_CONTACT", get="https://crossref.example.org/key"),),
    )
    engine.states["crossref"] = SourceState(
        "crossref",
        p50_ms=250.0,
        p95_ms=1200.0,
        requests=3,
        failures=1,
        budget=Budget(left=0.0997, of=0.1, unit="USD", renewed=11987),
    )
    engine.states["alpha"] = SourceState("alpha", budget=Budget(left=1200))
    page = await page_of(await serve(engine))
    facts = {text(name): text(name.getnext()) for name in row(page, "crossref").xpath(".//dt")}

    assert facts["Languages"] == "French and German"
    assert facts["Terms"] == "https://crossref.example.org/terms"
    assert facts["Key"] == "METASEARCH_CONTACT optional, not set (a mail address); where to get it"
    assert facts["Rate"] == "at most 3 requests in 2 s; stated by the database"
    assert facts["Asked"] == (
        "3 requests since the server started, 1 failure; "
        "half of the last answers came within 0.25 s, 95 % within 1.2 s"
    )
    assert facts["Budget"] == "0.0997 of 0.1 USD left; renewed in 4 hours"
    assert facts["Tested"].startswith("with 26 real answers, ")
    alpha = {text(name): text(name.getnext()) for name in row(page, "alpha").xpath(".//dt")}
    assert alpha["Budget"] == "1,200 requests left"
    assert alpha["Tested"].startswith("by its operator")


async def test_a_source_whose_spec_is_wrong(serve):
    """It is listed with its state, and cannot be ticked."""
    engine = FakeEngine()
    views = engine.registry.spec
    engine.registry.specs["delta"] = spec("delta", default=False)

    def spec_of(name):
        if name == "delta":
            from metasearch.errors import SpecError

            raise SpecError("delta.toml", ["fields.title: no such selector"])
        return views(name)

    engine.registry.spec = spec_of
    found = row(await page_of(await serve(engine)), "delta")

    assert "wrongly configured" in text(found)
    assert found.xpath(".//input/@disabled") == ["disabled"]


# --------------------------------------------------------------------------- the form


@each(
    ("address", "expected"),
    [
        ("chosen=1", []),
        ("sources=gamma", ["gamma"]),
        ("sources=gamma&sources=alpha", ["alpha", "gamma"]),
        ("sources=medicine,alpha", ["alpha", "gamma"]),
        ("chosen=1&all=medicine", ["gamma"]),
        ("sources=alpha&all=medicine", ["alpha", "gamma"]),
        ("sources=alpha&sources=beta&none=default", []),
        ("sources=alpha&all=nothing", ["alpha"]),
    ],
)
async def test_ticks(client, address, expected):
    """All, none, groups and single sources stand in the address; no script is needed."""
    assert ticked(await page_of(client, f"/sources?{address}")) == expected


async def test_all_of_a_group_are_those_that_can_be_asked(serve):
    """Not those that are off or lack a key: they would only be reported as failed."""
    engine = FakeEngine(settings=Settings(env={}))
    engine.registry.specs["delta"] = spec("delta", default=False, enabled=False)
    page = await page_of(await serve(engine), "/sources?chosen=1&all=medicine")

    assert ticked(page) == []
    assert page.xpath("//details[@id='g-medicine']/@open") == [""]


async def test_a_part_of_the_list(client):
    """The filter finds names and descriptions; what is ticked elsewhere stays ticked."""
    page = await page_of(client, "/sources?find=GAM&sources=beta&chosen=1")

    assert page.xpath("//input[@type='checkbox']/@value") == ["gamma"]
    assert page.xpath("//input[@name='sources'][@type='hidden']/@value") == ["beta"]
    assert "1 database fits." in text(page.xpath("//*[@role='status']")[0])
    nothing = await page_of(client, "/sources?find=zzz")
    assert "No database fits." in nothing.text_content()
    assert ticked(nothing) == ["alpha", "beta"]


async def test_a_part_by_state(client, engine):
    """Ready, in need of a key, failing, off."""
    engine.states["beta"] = SourceState("beta", "open", 20.0)

    for part, expected in (("ready", ["alpha", "gamma"]), ("failing", ["beta"]), ("off", [])):
        page = await page_of(client, f"/sources?show={part}")
        assert page.xpath("//input[@type='checkbox']/@value") == expected


@each(
    ("address", "expected"),
    [
        ("sources=gamma", "gamma"),
        ("sources=gamma&sources=alpha", "alpha,gamma"),
        ("sources=alpha&sources=beta", "default"),
    ],
)
async def test_the_search(client, address, expected):
    """The form leads to the list of these databases; the usual ones have a short name."""
    response = await client.get(
        f"/sources?{address}&chosen=1&find=&q=sea+%26+salt&do=search",
        headers=HTML,
        allow_redirects=False,
    )

    assert response.status == 303
    assert response.headers["Location"] == (
        f"/search?q=sea%20%26%20salt&sources={expected.replace(',', '%2C')}&format=html"
    )


@each(
    ("address", "expected"),
    [
        ("q=mice&chosen=1&do=search", "Tick a database first."),
        ("q=&sources=alpha&do=search", "Write a query first."),
    ],
)
async def test_a_search_that_cannot_begin(client, address, expected):
    """The page comes again, and says what is missing."""
    page = await page_of(client, f"/sources?{address}")

    assert text(page.xpath("//*[@role='alert']")[0]) == expected


async def test_unknown_names_are_reported(client):
    """Not searched, and not lost silently; the number of names is bounded."""
    page = await page_of(client, "/sources?sources=alpha,%3Cb%3Ex&chosen=1")
    many = await page_of(
        client, "/sources?chosen=1&" + "&".join(f"sources=x{n}" for n in range(300))
    )

    assert "There is no database called <b>x here." in text(page)
    assert ticked(page) == ["alpha"]
    assert "x4" in text(many)
    assert "x5" not in text(many)


@each("tag", ["en", "zh-Hans"])
async def test_the_document_is_sound(client, tag):
    """One heading of the page, no id twice, labels, captions; the first button searches."""
    page = await page_of(client, f"/sources?lang={tag}")
    ids = page.xpath("//@id")

    assert page.get("lang") == tag
    assert len(page.xpath("//h1")) == 1
    assert len(ids) == len({*ids})
    assert page.xpath("//table[not(caption)]") == []
    assert page.xpath("//main//button")[0].get("value") == "search"
    for field in page.xpath("//main//input[not(@type='hidden')] | //main//select"):
        assert field.xpath("ancestor::label") or page.xpath("//label[@for=$id]", id=field.get("id"))
    assert page.xpath("//nav//a[@aria-current='page']/@href")[:1] == ["/sources?format=html"]
